//! Arithmetic of the simulator on random operands against definitions that use wider or exact numbers: integers as i128,
//! rounding by the sign of the exact error (TwoSum and fused multiply-add, which lose nothing on these operands).

use ptx::inst::Type;
use ptx::read;
use testkit::numbers::Numbers;
use warpsim::{self, Argument, Buffer, Launch, Options};

/// Runs `d = op(a, b, c)` on registers of 64 bits, one thread per line of operands.
fn run(statement: &str, operands: &[[u64; 3]]) -> Vec<u64> {
    let text = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %t, %ra, %rb, %rc, %rd, %re; .reg .f32 %fa, %fb, %fc, %fd; .reg .f64 %da, %db, %dc, %dd;\n\
         .reg .b64 %i, %o, %x, %a, %b, %c, %d; .reg .b16 %ha, %hb;\n\
         ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n\
         mul.wide.u32 %x, %t, 24; add.s64 %i, %i, %x; mul.wide.u32 %x, %t, 8; add.s64 %o, %o, %x;\n\
         ld.global.u64 %a, [%i]; ld.global.u64 %b, [%i+8]; ld.global.u64 %c, [%i+16];\n\
         cvt.u32.u64 %ra, %a; cvt.u32.u64 %rb, %b; cvt.u32.u64 %rc, %c; mov.b32 %fa, %ra; mov.b32 %fb, %rb;\n\
         mov.b32 %fc, %rc; mov.b64 %da, %a; mov.b64 %db, %b; mov.b64 %dc, %c;\n\
         {statement}\n\
         st.global.u64 [%o], %d; ret;\n}}\n"
    );
    let module = read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}"));
    let threads = operands.len() as u32;
    let mut buffers = [
        Buffer::words(Type::U64, operands.iter().flatten().copied()).read_only(),
        Buffer::unwritten(Type::U64, operands.len()),
    ];
    let launch = Launch::linear(1, threads, vec![Argument::Buffer(0), Argument::Buffer(1)]);
    warpsim::run(&module, "k", &launch, &mut buffers, &Options::default()).unwrap_or_else(|h| panic!("{h}\n{module}"));
    (0..operands.len()).map(|i| buffers[1].element(Type::U64, i).unwrap()).collect()
}

fn agree(statement: &str, operands: &[[u64; 3]], defined: impl Fn([u64; 3]) -> u64) {
    for (found, operands) in run(statement, operands).into_iter().zip(operands) {
        let expected = defined(*operands);
        assert_eq!(found, expected, "{statement} of {operands:x?}: {found:x} for {expected:x}");
    }
}

/// Random words, and those at the ends of the ranges.
fn words(seed: u64) -> Vec<[u64; 3]> {
    let mut numbers = Numbers(seed);
    let special = [0, 1, 2, 31, 32, 63, 64, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63, u64::MAX >> 1, u64::MAX];
    let mut word = || match numbers.below(3) {
        0 => special[numbers.below(special.len())],
        1 => numbers.bits() >> numbers.below(64),
        _ => numbers.bits(),
    };
    (0..512).map(|_| [word(), word(), word()]).collect()
}

const WIDE: &str = "cvt.u64.u32 %d, %re;";

#[test]
fn integers_of_32_bits() {
    let (u, s) = (|x: u64| i128::from(x as u32), |x: u64| i128::from(x as u32 as i32));
    let low = |x: i128| u64::from(x as u32);
    let words = words(1);
    let agree = |statement: &str, defined: &dyn Fn(u64, u64, u64) -> u64| {
        agree(&format!("{statement} {WIDE}"), &words, |[a, b, c]| defined(a, b, c));
    };
    agree("mul.hi.u32 %re, %ra, %rb;", &|a, b, _| low((u(a) * u(b)) >> 32));
    agree("mul.hi.s32 %re, %ra, %rb;", &|a, b, _| low((s(a) * s(b)) >> 32));
    agree("mad.lo.s32 %re, %ra, %rb, %rc;", &|a, b, c| low(s(a) * s(b) + s(c)));
    agree("mad.hi.s32 %re, %ra, %rb, %rc;", &|a, b, c| low(((s(a) * s(b)) >> 32) + s(c)));
    let clamped = |x: i128| low(x.clamp(i128::from(i32::MIN), i128::from(i32::MAX)));
    agree("mad.hi.sat.s32 %re, %ra, %rb, %rc;", &|a, b, c| clamped(((s(a) * s(b)) >> 32) + s(c)));
    agree("add.sat.s32 %re, %ra, %rb;", &|a, b, _| clamped(s(a) + s(b)));
    agree("sub.sat.s32 %re, %ra, %rb;", &|a, b, _| clamped(s(a) - s(b)));
    agree("shl.b32 %re, %ra, %rb;", &|a, b, _| if u(b) > 31 { 0 } else { low(u(a) << u(b)) });
    agree("shr.s32 %re, %ra, %rb;", &|a, b, _| low(s(a) >> u(b).min(31)));
    agree("shr.u32 %re, %ra, %rb;", &|a, b, _| low(u(a) >> u(b).min(32)));
    agree("sad.s32 %re, %ra, %rb, %rc;", &|a, b, c| low(s(c) + (s(a) - s(b)).abs()));
    let both = |a: u64, b: u64| u(b) << 32 | u(a);
    agree("shf.l.wrap.b32 %re, %ra, %rb, %rc;", &|a, b, c| low((both(a, b) << (u(c) % 32)) >> 32));
    agree("shf.l.clamp.b32 %re, %ra, %rb, %rc;", &|a, b, c| low((both(a, b) << u(c).min(32)) >> 32));
    agree("shf.r.wrap.b32 %re, %ra, %rb, %rc;", &|a, b, c| low(both(a, b) >> (u(c) % 32)));
    agree("shf.r.clamp.b32 %re, %ra, %rb, %rc;", &|a, b, c| low(both(a, b) >> u(c).min(32)));
    let byte = |a: u64, b: u64, at: i128| (both(a, b) >> (8 * (at & 7))) & 0xff;
    let chosen = |a, b, control: i128| -> i128 {
        let part = |i: i128| {
            let byte = byte(a, b, control >> (4 * i));
            (if control >> (4 * i) & 8 != 0 { -(byte >> 7) & 0xff } else { byte }) << (8 * i)
        };
        (0..4).map(part).sum()
    };
    agree("prmt.b32 %re, %ra, %rb, %rc;", &|a, b, c| low(chosen(a, b, u(c))));
    agree("lop3.b32 %re, %ra, %rb, %rc, 0xe8;", &|a, b, c| low(u(a) & u(b) | u(a) & u(c) | u(b) & u(c)));
    let field = |b: u64, c: u64| ((b & 0xff) as u32, (c & 0xff) as u32);
    agree("bfe.u32 %re, %ra, %rb, %rc;", &|a, b, c| {
        let (at, len) = field(b, c);
        (0..len.min(32)).filter(|i| at + i < 32).map(|i| (a >> (at + i) & 1) << i).sum()
    });
    agree("bfe.s32 %re, %ra, %rb, %rc;", &|a, b, c| {
        // the published loop: bits beyond the field or the word copy its last bit
        let (at, len) = field(b, c);
        let sign = if len == 0 { 0 } else { a >> (at + len - 1).min(31) & 1 };
        (0..32).map(|i| if i < len && at + i < 32 { (a >> (at + i) & 1) << i } else { sign << i }).sum()
    });
    agree("bfi.b32 %re, %ra, %rb, 5, %rc;", &|a, b, c| {
        let len = (c & 0xff) as u32;
        (0..32).map(|i| if i >= 5 && i - 5 < len { (a >> (i - 5) & 1) << i } else { b & 1 << i }).sum()
    });
}

#[test]
fn integers_of_64_bits() {
    let (u, s) = (|x: u64| i128::from(x), |x: u64| i128::from(x as i64));
    let words = words(2);
    let agree = |statement: &str, defined: &dyn Fn(u64, u64, u64) -> i128| {
        agree(statement, &words, |[a, b, c]| defined(a, b, c) as u64);
    };
    let narrow = |x: u64| i128::from(x as u32 as i32);
    agree("mul.hi.u64 %d, %a, %b;", &|a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as i128);
    agree("mul.hi.s64 %d, %a, %b;", &|a, b, _| (s(a) * s(b)) >> 64);
    agree("mul.wide.s32 %d, %ra, %rb;", &|a, b, _| narrow(a) * narrow(b));
    agree("mad.wide.s32 %d, %ra, %rb, %c;", &|a, b, c| narrow(a) * narrow(b) + s(c));
    agree("mad.wide.u32 %d, %ra, %rb, %c;", &|a, b, c| u(a & 0xffff_ffff) * u(b & 0xffff_ffff) + u(c));
    agree("mad.lo.u64 %d, %a, %b, %c;", &|a, b, c| i128::from(a.wrapping_mul(b).wrapping_add(c)));
    agree("shr.s64 %d, %a, %rb;", &|a, b, _| s(a) >> (b & 0xffff_ffff).min(63));
    agree("min.s64 %d, %a, %b;", &|a, b, _| s(a).min(s(b)));
    agree("max.u64 %d, %a, %b;", &|a, b, _| u(a).max(u(b)));
    agree("bfe.u64 %d, %a, 7, 50;", &|a, _, _| u(a >> 7 & ((1 << 50) - 1)));
    agree("brev.b64 %d, %a;", &|a, _, _| (0..64).map(|i| (a >> i & 1) << (63 - i)).map(i128::from).sum());
    // 64 bits by halves
    let halves = "add.cc.u32 %re, %ra, %rb; shr.u64 %a, %a, 32; shr.u64 %b, %b, 32; cvt.u32.u64 %ra, %a; cvt.u32.u64 %rb, %b; \
                  addc.u32 %rd, %ra, %rb; mov.b64 %d, {%re, %rd};";
    agree(halves, &|a, b, _| u(a) + u(b));
    agree(&halves.replace("add", "sub"), &|a, b, _| u(a) - u(b));
    // 32 x 32 + 64 by a chain of multiply-adds
    let chain = "mov.b64 {%re, %rd}, %c; mad.lo.cc.u32 %re, %ra, %rb, %re; madc.hi.u32 %rd, %ra, %rb, %rd; mov.b64 %d, {%re, %rd};";
    agree(chain, &|a, b, c| u(a & 0xffff_ffff) * u(b & 0xffff_ffff) + u(c));
    let quotients: Vec<_> =
        words.iter().copied().filter(|w| w[1] != 0 && (w[0] != 1 << 63 || w[1] != u64::MAX)).collect();
    self::agree("div.s64 %d, %a, %b;", &quotients, |[a, b, _]| (s(a) / s(b)) as u64);
    self::agree("rem.s64 %d, %a, %b;", &quotients, |[a, b, _]| (s(a) % s(b)) as u64);
    self::agree("rem.u64 %d, %a, %b;", &quotients, |[a, b, _]| a % b);
}

/// Reals of either sign within a factor of 2^20 around one, so that no product leaves the range and no error is lost.
fn reals(seed: u64) -> Vec<[f64; 3]> {
    let mut numbers = Numbers(seed);
    let mut real = || {
        let x = numbers.between(1.0, 2.0) * 2f64.powi(numbers.below(40) as i32 - 20);
        if numbers.below(2) == 0 { x } else { -x }
    };
    (0..512).map(|_| [real(), real(), real()]).collect()
}

/// Returns `nearest`, or its neighbour if the exact result lies beyond it in the direction of the mode.
fn rounded(mode: &str, nearest: f64, error: f64) -> f64 {
    let toward_zero = |x: f64| if x > 0.0 { "rm" } else { "rp" };
    match if mode == "rz" { toward_zero(nearest) } else { mode } {
        "rm" if error < 0.0 => nearest.next_down(),
        "rp" if error > 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

#[test]
fn doubles_round_as_told() {
    let reals = reals(3);
    let operands: Vec<_> = reals.iter().map(|r| r.map(f64::to_bits)).collect();
    let agree = |statement: &str, defined: &dyn Fn(f64, f64, f64) -> f64| {
        agree(&format!("{statement} mov.b64 %d, %dd;"), &operands, |bits| {
            let [a, b, c] = bits.map(f64::from_bits);
            defined(a, b, c).to_bits()
        });
    };
    let two_sum = |a: f64, b: f64| {
        let sum = a + b;
        let part = sum - a;
        (sum, (a - (sum - part)) + (b - part))
    };
    for mode in ["rn", "rz", "rm", "rp"] {
        let sum = |a, b| {
            let (sum, error) = two_sum(a, b);
            rounded(mode, sum, error)
        };
        agree(&format!("add.{mode}.f64 %dd, %da, %db;"), &|a, b, _| sum(a, b));
        agree(&format!("sub.{mode}.f64 %dd, %da, %db;"), &|a, b, _| sum(a, -b));
        agree(&format!("mul.{mode}.f64 %dd, %da, %db;"), &|a, b, _| rounded(mode, a * b, a.mul_add(b, -(a * b))));
        agree(&format!("div.{mode}.f64 %dd, %da, %db;"), &|a, b, _| {
            let quotient = a / b;
            rounded(mode, quotient, (-quotient).mul_add(b, a) * b.signum())
        });
        agree(&format!("abs.f64 %da, %da; sqrt.{mode}.f64 %dd, %da;"), &|a, _, _| {
            let root = a.abs().sqrt();
            rounded(mode, root, (-root).mul_add(root, a.abs()))
        });
        agree(&format!("abs.f64 %da, %da; rcp.{mode}.f64 %dd, %da;"), &|a, _, _| {
            let inverse = 1.0 / a.abs();
            rounded(mode, inverse, (-inverse).mul_add(a.abs(), 1.0))
        });
        // 53 bits into 24, integers into 53
        agree(&format!("cvt.{mode}.f32.f64 %fd, %da; cvt.f64.f32 %dd, %fd;"), &|a, _, _| single(mode, a));
        agree(&format!("cvt.{mode}.f64.s64 %dd, %a;"), &|a, _, _| {
            let whole = a.to_bits() as i64;
            rounded(mode, whole as f64, (i128::from(whole) - (whole as f64) as i128) as f64)
        });
    }
}

/// Multiply-adds in whole numbers of 2^-104.
#[test]
fn fused_doubles_round_as_told() {
    let mut numbers = Numbers(5);
    let mut real = |_| {
        let x = numbers.between(1.0, 2.0) * 2f64.powi(numbers.below(9) as i32);
        if numbers.below(2) == 0 { x } else { -x }
    };
    let mut operands: Vec<[f64; 3]> = (0..512).map(|_| [0, 0, 0].map(&mut real)).collect();
    // products that all but cancel
    operands.extend(operands.clone().into_iter().map(|[a, b, _]| [a, b, -(a * b)]));
    // `shift` is 52 for a factor and 104 for a sum
    let whole = |x: f64, shift: i32| {
        let (bits, exponent) =
            ((x.to_bits() & ((1 << 52) - 1) | 1 << 52), (x.to_bits() >> 52 & 0x7ff) as i32 - 1075 + shift);
        let size = if exponent < 0 { i128::from(bits) >> -exponent } else { i128::from(bits) << exponent };
        if x == 0.0 {
            0
        } else if x < 0.0 {
            -size
        } else {
            size
        }
    };
    let bits: Vec<_> = operands.iter().map(|r| r.map(f64::to_bits)).collect();
    for mode in ["rn", "rz", "rm", "rp"] {
        agree(&format!("fma.{mode}.f64 %dd, %da, %db, %dc; mov.b64 %d, %dd;"), &bits, |bits| {
            let [a, b, c] = bits.map(f64::from_bits);
            let nearest = a.mul_add(b, c);
            let error = whole(a, 52) * whole(b, 52) + whole(c, 104) - whole(nearest, 104);
            rounded(mode, nearest, error as f64).to_bits()
        });
    }
}

/// Rounds a double to 24 bits: by the neighbours of the nearest.
fn single(mode: &str, exact: f64) -> f64 {
    let nearest = exact as f32;
    let error = exact - f64::from(nearest);
    let up = if mode == "rz" { nearest < 0.0 } else { mode == "rp" };
    f64::from(match mode {
        "rn" => nearest,
        _ if up && error > 0.0 => nearest.next_up(),
        _ if !up && error < 0.0 => nearest.next_down(),
        _ => nearest,
    })
}

/// Sums and products of singles are exact as doubles when their exponents are near.
#[test]
fn singles_round_as_told() {
    let singles: Vec<[u64; 3]> = reals(4).iter().map(|r| r.map(|x| u64::from((x.cbrt() as f32).to_bits()))).collect();
    for mode in ["rn", "rz", "rm", "rp"] {
        for (name, exact) in
            [("add", (|a, b| a + b) as fn(f64, f64) -> f64), ("sub", |a, b| a - b), ("mul", |a, b| a * b)]
        {
            agree(&format!("{name}.{mode}.f32 %fd, %fa, %fb; mov.b32 %re, %fd; {WIDE}"), &singles, |bits| {
                let [a, b, _] = bits.map(|bits| f64::from(f32::from_bits(bits as u32)));
                u64::from((single(mode, exact(a, b)) as f32).to_bits())
            });
        }
    }
}
