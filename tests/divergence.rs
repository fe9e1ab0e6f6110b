//! The affine divergence analysis: what it finds, why it does not find more, and that every claim holds in the simulator.

use std::sync::Arc;

use singe::diagnostic::Source;
use singe::sim::{self, Argument, Buffer, Claims, Kind, Launch, Options as SimOptions};
use singe::simt::analysis::divergence::{BlockShape, Class, Divergence, Options, State};
use singe::simt::analysis::gated::Gated;
use singe::simt::analysis::ssa::Value;
use singe::simt::ir::{Func, Module};
use singe::simt::read;

#[path = "common/numbers.rs"]
mod numbers;
#[path = "common/random_kernel.rs"]
mod random_kernel;

use numbers::Numbers;
use random_kernel::Shape;

/// A kernel `k(out, n)` with a body of PTX that ends with `st` of the words `%r1` to `%r8`.
fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 8 .b8 buffer[4096];\n\
        .visible .entry k(.param .u64 k_out, .param .u32 k_n)\n{{\n\
        .reg .b32 %r<40>; .reg .pred %p<10>; .reg .b64 %rd<20>; .reg .b16 %rs<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n\
        .local .align 8 .b8 stack[64];\n\
        ld.param.u64 %rd1, [k_out]; ld.param.u32 %r30, [k_n];\n{body}\nret;\n}}\n"
    );
    read::read(&Arc::new(Source { name: "k.ptx".into(), text })).unwrap_or_else(|d| panic!("{d:?}"))
}

struct Analysed {
    gated: Gated,
    result: Divergence,
}

fn analyse(func: &Func, options: Options) -> Analysed {
    let gated = Gated::compute(func);
    let result = Divergence::compute(func, &gated, options);
    Analysed { gated, result }
}

/// What the last write of a register makes.
fn value(func: &Func, analysed: &Analysed, name: &str) -> Value {
    // registers are numbered by class in the order of their declaration; the reader keeps that order
    let text = name.trim_start_matches('%');
    let prefix: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let number: usize = text[prefix.len()..].parse().unwrap();
    use singe::simt::inst::Type;
    let class = match prefix.as_str() {
        "p" => Type::Pred,
        "rs" => Type::B16,
        "r" => Type::B32,
        "rd" => Type::B64,
        "f" => Type::F32,
        _ => Type::F64,
    };
    let reg = func.regs.iter().filter(|(_, ty)| **ty == class).nth(number - 1).unwrap().0;
    let values = analysed.gated.ssa.values.iter().filter(|(_, data)| data.reg == reg);
    values.map(|(value, _)| value).next_back().unwrap()
}

fn state(func: &Func, analysed: &Analysed, name: &str) -> State {
    analysed.result.state(value(func, analysed, name))
}

const WARPS: Options = Options { block: BlockShape::WholeWarps, assume_index_no_wrap: false };

/// `class` of registers after a body, by name.
#[track_caller]
fn expect(body: &str, options: Options, classes: &[(&str, Class)]) {
    let module = kernel(body);
    let func = &module.funcs[0];
    let analysed = analyse(func, options);
    for (name, expected) in classes {
        let found = state(func, &analysed, name);
        assert_eq!(found.class(), *expected, "{name}: {found:?} in\n{body}");
    }
}

#[test]
fn the_rules_of_the_paper() {
    use Class::*;
    let body = "
        mov.u32 %r1, %tid.x;
        mov.u32 %r2, 7;
        mul.lo.u32 %r3, %r1, 4;
        add.u32 %r4, %r3, %r2;
        ld.global.u32 %r5, [%rd1];
        add.u32 %r6, %r4, %r5;
        mul.lo.u32 %r7, %r1, %r1;
        cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2;
        ld.global.u32 %r8, [%rd3];
        atom.global.add.u32 %r9, [%rd1], 1;
        mul.lo.u32 %r10, %r1, 0;
        sub.u32 %r11, %r1, %r1;
        neg.s32 %r12, %r1;
        shl.b32 %r13, %r1, 3;
        mad.lo.u32 %r14, %r1, 12, %r5;
        mul.lo.u32 %r15, %r5, %r30;
        setp.lt.u32 %p1, %r1, %r30;
        setp.lt.u32 %p2, %r5, %r30;
        mul.lo.u32 %r16, %r1, %r30;";
    expect(
        body,
        WARPS,
        &[
            ("%r1", Affine),
            ("%r2", Constant),
            ("%r3", Affine),
            ("%r4", Affine),
            ("%r5", Uniform),
            ("%r6", AffineUnknownBase),
            ("%r7", Divergent),
            ("%rd2", Affine),
            ("%rd3", AffineUnknownBase),
            ("%r8", Divergent),
            ("%r9", Divergent),
            ("%r10", Constant),
            ("%r11", Constant),
            ("%r12", Affine),
            ("%r13", Affine),
            ("%r14", AffineUnknownBase),
            ("%r15", Uniform),
            ("%p1", Divergent),
            ("%p2", Uniform),
            ("%r16", Symbolic),
        ],
    );
}

/// What warp-specialized code branches on.
#[test]
fn warp_numbers_are_uniform() {
    use Class::*;
    let body = "
        mov.u32 %r1, %tid.x;
        shr.u32 %r2, %r1, 5;
        and.b32 %r3, %r1, -32;
        div.u32 %r4, %r1, 32;
        shr.s32 %r5, %r1, 31; shr.u32 %r6, %r5, 27; add.s32 %r7, %r1, %r6; shr.s32 %r8, %r7, 5;
        mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ntid.x; mad.lo.u32 %r11, %r9, %r10, %r1; shr.u32 %r12, %r11, 5;
        and.b32 %r13, %r1, 31;
        setp.lt.u32 %p1, %r1, 64;
        setp.lt.u32 %p2, %r1, 40;
        setp.eq.u32 %p3, %r2, 3;
        setp.gt.u32 %p4, %r9, %r30;";
    let classes = [
        ("%r2", Uniform),
        ("%r3", Uniform),
        ("%r4", Uniform),
        ("%r8", Uniform),
        ("%r12", Uniform),
        ("%r13", AffineUnknownBase),
        ("%p1", Uniform),
        ("%p2", Divergent),
        ("%p3", Uniform),
        ("%p4", Uniform),
    ];
    expect(body, WARPS, &classes);
    expect(body, Options { block: BlockShape::Known([256, 1, 1]), ..Options::default() }, &classes);
    // 48 threads in a row: warps are rows of lanes; 16 × 16: they are not
    let odd = |shape| Options { block: BlockShape::Known(shape), ..Options::default() };
    expect(body, odd([48, 1, 1]), &[("%r2", Uniform), ("%p1", Constant)]);
    expect(body, odd([16, 16, 1]), &[("%r1", Divergent), ("%r2", Divergent), ("%p4", Uniform)]);
    expect(body, Options::default(), &[("%r1", Divergent), ("%p4", Uniform)]);
}

#[test]
fn the_shape_of_the_block_decides_about_thread_numbers() {
    use Class::*;
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %laneid;";
    let of = |x, y, z| Options { block: BlockShape::Known([x, y, z]), ..Options::default() };
    let regs = ["%r1", "%r2", "%r3", "%r4"];
    for (options, classes) in [
        (of(64, 4, 1), [Affine, Uniform, Constant, AffineUnknownBase]),
        (of(16, 16, 1), [Divergent, Divergent, Constant, Affine]),
        (of(1, 64, 1), [Constant, AffineUnknownBase, Constant, Affine]),
        (of(8, 8, 8), [Divergent, Divergent, Uniform, Affine]),
        (of(20, 1, 1), [Affine, Constant, Constant, Affine]),
        (WARPS, [Affine, Uniform, Uniform, AffineUnknownBase]),
        (Options::default(), [Divergent, Divergent, Divergent, Affine]),
    ] {
        let expected: Vec<_> = regs.into_iter().zip(classes).collect();
        expect(body, options, &expected);
    }
}

/// A launch of one shape; the kernel is analysed with what `options` say of it.
struct Run {
    shape: [u32; 3],
    ctas: u32,
    options: Options,
}

/// Runs a kernel `k(out, n)` with every claim checked: the hazards, and how many claims there were.
fn checked(module: &Module, run: &Run, words: usize, change: impl Fn(Value, State) -> State) -> (Vec<Kind>, usize) {
    let func = &module.funcs[0];
    let analysed = analyse(func, run.options);
    let claims = Claims::new(module, func, &analysed.gated, &analysed.result.basis, |value| {
        change(value, analysed.result.state(value))
    });
    let threads: u32 = run.shape.iter().product();
    let mut launched = module.clone();
    launched.funcs[0].threads = Some(run.shape);
    let mut buffers = [Buffer::in_out(&vec![0.0; (words * (threads * run.ctas) as usize).div_ceil(2).max(64)])];
    let launch = Launch { ctas: run.ctas, threads, arguments: vec![Argument::Buffer(0), Argument::U32(40)] };
    let result = sim::run_checked(&launched, "k", &launch, &mut buffers, &SimOptions::default(), Some(&claims));
    let kinds = result.err().map_or(Vec::new(), |hazards| hazards.list.into_iter().map(|h| h.kind).collect());
    (kinds, claims.count)
}

/// Shapes of blocks, also with widths that are no multiple of 32, and all that may be known of them.
fn runs(numbers: &mut Numbers) -> Vec<Run> {
    let shapes: [[u32; 3]; 9] = [
        [32, 1, 1],
        [96, 1, 1],
        [1 + numbers.below(200) as u32, 1, 1],
        [16, 16, 1],
        [64, 3, 1],
        [20, 5, 2],
        [1, 50, 1],
        [8, 4, 3],
        [1 + numbers.below(40) as u32, 1 + numbers.below(5) as u32, 1 + numbers.below(3) as u32],
    ];
    let shape = shapes[numbers.below(shapes.len())];
    let mut blocks = vec![BlockShape::Unknown, BlockShape::Known(shape)];
    if shape[0] % 32 == 0 {
        blocks.push(BlockShape::WholeWarps);
    }
    let options = |block| Options { block, assume_index_no_wrap: false };
    blocks.into_iter().map(|block| Run { shape, ctas: 2, options: options(block) }).collect()
}

/// Kernels with any control flow, also cycles with several entries, on random launches.
#[test]
fn every_claim_holds_on_random_kernels() {
    let mut claims = 0;
    for seed in 0..250 {
        let mut numbers = Numbers(seed);
        let blocks = 1 + numbers.below(12);
        let shape = Shape { blocks, words: 6, preds: 3, length: 5, fuel: 30 };
        let module = random_kernel::kernel(&shape, &mut numbers);
        for run in runs(&mut numbers) {
            let (broken, count) = checked(&module, &run, 6, |_, state| state);
            assert!(broken.is_empty(), "seed {seed}, {:?}, {:?}: {broken:?}\n{module}", run.shape, run.options);
            claims += count;
        }
    }
    println!("{claims} claims");
    assert!(claims > 10_000);
}
