//! A kernel with many values of every kind alive at once.

use std::fmt::Write as _;

use passes::allocate::spill_location::Rewriting;
use passes::allocate::{Algorithm, Budget, Options};
use ptx::{Module, read};

pub fn parse(text: &str) -> Module {
    read::text("test.ptx", text).unwrap()
}

/// `n` values of each kind that a row of Figure 6 is for, all alive through a loop: constants, uniform words and doubles, affine words with
/// known and unknown base, predicates, and loaded doubles.
pub fn pressure(n: usize, sm: u32) -> String {
    let mut body = String::new();
    for i in 0..n {
        writeln!(body, "mov.u32 %c{i}, {};", 100 + i).unwrap();
        writeln!(body, "add.s32 %u{i}, %count, {};", 7 * i + 1).unwrap();
        writeln!(body, "cvt.rn.f64.s32 %w{i}, %u{i};").unwrap();
        writeln!(body, "mad.lo.s32 %a{i}, %tid, {}, {};", i + 2, 3 * i).unwrap();
        writeln!(body, "mad.lo.s32 %b{i}, %tid, {}, %u{i};", i + 3).unwrap();
        writeln!(body, "ld.global.f64 %d{i}, [%in+{}];", 512 * i).unwrap();
        writeln!(body, "setp.gt.s32 %p{i}, %u{i}, 9;").unwrap();
        writeln!(body, "setp.gt.s32 %q{i}, %a{i}, 40;").unwrap();
    }
    body.push_str("mov.u32 %round, 0;\nmov.f64 %sum, 0d0000000000000000;\nmov.u32 %word, 0;\n$AGAIN:\n");
    for i in 0..n {
        writeln!(body, "fma.rn.f64 %sum, %d{i}, %w{i}, %sum;").unwrap();
        writeln!(body, "add.s32 %word, %word, %c{i};\nxor.b32 %word, %word, %u{i};\nadd.s32 %word, %word, %a{i};")
            .unwrap();
        writeln!(body, "mad.lo.s32 %word, %word, 5, %b{i};").unwrap();
        writeln!(body, "@%p{i} add.s32 %word, %word, 1;\n@!%q{i} add.s32 %word, %word, 2;").unwrap();
        writeln!(body, "selp.f64 %half, %d{i}, %sum, %q{i};\nadd.f64 %sum, %sum, %half;").unwrap();
    }
    let declare = |ty: &str, names: &[&str]| -> String {
        names.iter().map(|name| format!(".reg {ty} %{name}<{}>;\n", n + 1)).collect()
    };
    let declarations =
        declare(".b32", &["c", "u", "a", "b"]) + &declare(".f64", &["w", "d"]) + &declare(".pred", &["p", "q"]);
    let version = if sm < 70 { "6.0" } else { "7.0" };
    format!(
        ".version {version}\n.target sm_{sm}\n.address_size 64\n
.visible .entry pressure(.param .u64 input, .param .u64 output, .param .u32 count)
.reqntid 64, 1, 1
{{
{declarations}.reg .b32 %tid, %count, %round, %word;
.reg .b64 %in, %out, %wide;
.reg .f64 %sum, %half;
.reg .pred %more;
ld.param.u64 %in, [input];
ld.param.u64 %out, [output];
ld.param.u32 %count, [count];
mov.u32 %tid, %tid.x;
mul.wide.u32 %wide, %tid, 8;
add.s64 %in, %in, %wide;
add.s64 %out, %out, %wide;
{body}add.s32 %round, %round, 1;
setp.lt.s32 %more, %round, %count;
@%more bra $AGAIN;
cvt.rn.f64.s32 %half, %word;
add.f64 %sum, %sum, %half;
st.global.f64 [%out], %sum;
ret;
}}
"
    )
}

pub fn options(registers: u32, algorithm: Algorithm, rewriting: Rewriting) -> Options {
    Options { registers, algorithm, rewriting, shared: Budget { bytes: 8192, warps: 2 }, ..Options::default() }
}
