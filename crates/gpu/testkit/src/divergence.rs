//! Shared parts of the tests of the divergence analysis: kernels from a few lines of PTX, and findings about their registers.

use ptx::analysis::divergence::{BlockShape, Class, Divergence, Options, State};
use ptx::analysis::gated::Gated;
use ptx::analysis::ssa::{Def, Value};
use ptx::ir::{Func, Module};
use ptx::read;

/// A kernel `k(out, n)` with a body of PTX that ends with `st` of the words `%r1` to `%r8`.
pub fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 8 .b8 buffer[4096];\n\
        .visible .entry k(.param .u64 k_out, .param .u32 k_n)\n{{\n\
        .reg .b32 %r<40>; .reg .pred %p<10>; .reg .b64 %rd<20>; .reg .b16 %rs<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n\
        .local .align 8 .b8 stack[64];\n\
        ld.param.u64 %rd1, [k_out]; ld.param.u32 %r30, [k_n];\n{body}\nret;\n}}\n"
    );
    read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}"))
}

pub struct Analysed {
    pub gated: Gated,
    pub result: Divergence,
}

pub fn analyse(func: &Func, options: Options) -> Analysed {
    let gated = Gated::compute(func);
    let result = Divergence::compute(func, &gated, options);
    Analysed { gated, result }
}

/// Returns the value that the last write of a register makes.
pub fn value(func: &Func, analysed: &Analysed, name: &str) -> Value {
    // registers are numbered by class in the order of their declaration; the reader keeps that order
    let text = name.trim_start_matches('%');
    let prefix: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let number: usize = text[prefix.len()..].parse().unwrap();
    use ptx::inst::Type;
    let class = match prefix.as_str() {
        "p" => Type::Pred,
        "rs" => Type::B16,
        "r" => Type::B32,
        "rd" => Type::B64,
        "f" => Type::F32,
        _ => Type::F64,
    };
    let reg = func.regs.iter().filter(|(_, ty)| **ty == class).nth(number - 1).unwrap().0;
    let values = analysed.gated.ssa.values.iter().filter(|(_, data)| data.reg == reg && data.def != Def::Undefined);
    values.map(|(value, _)| value).next_back().unwrap()
}

pub fn state(func: &Func, analysed: &Analysed, name: &str) -> State {
    analysed.result.state(value(func, analysed, name))
}

pub const WARPS: Options = Options { block: BlockShape::WholeWarps, assume_index_no_wrap: false };

/// `class` of registers after a body, by name.
#[track_caller]
pub fn expect(body: &str, options: Options, classes: &[(&str, Class)]) {
    let module = kernel(body);
    let func = &module.funcs[0];
    let analysed = analyse(func, options);
    for (name, expected) in classes {
        let found = state(func, &analysed, name);
        assert_eq!(found.class(), *expected, "{name}: {found:?} in\n{body}");
    }
}
