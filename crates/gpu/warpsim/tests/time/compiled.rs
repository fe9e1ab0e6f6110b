//! Published latencies of operations of PTX, and the model's latencies of chains of them as ptxas compiles them: the second table
//! in docs/lab/time.md.
//!
//! `SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time compiled` writes it, if the compilers are installed.

use crate::table::{Row, written};
use machine::target::Target;
use ptx::inst::Type;
use testkit::compilers::Compilers;
use warpsim::{Argument, Buffer, Launch, Options, machine_code};

const PPT: &str = "PPT (Arafa et al. 2019)";
const HPEC: &str = "Arafa et al., HPEC 2019";
const TARGETS: [&str; 4] = ["kepler", "volta", "turing", "blackwell"];

/// An operation that takes `%x` to `%x`, with published values for the targets; 0 if there is none.
struct Chain {
    what: &'static str,
    real: &'static str,
    text: &'static str,
    published: [f64; 4],
    source: &'static str,
}

const fn chain(
    what: &'static str,
    real: &'static str,
    text: &'static str,
    published: [f64; 4],
    source: &'static str,
) -> Chain {
    Chain { what, real, text, published, source }
}

/// Kepler's reduction of ranges (`RRO`) is not read, so that `ex2` and `sin` have no row there.
const CHAINS: [Chain; 17] = [
    chain("`bar.warp.sync`", "s32", "bar.warp.sync 0xffffffff;", [0.0, 0.0, 0.0, 4.5], "B300: 3 to 6"),
    chain("`add.f32`", "f32", "add.rn.f32 %x, %x, %y;", [9.0, 4.0, 4.0, 0.0], PPT),
    chain("`fma.rn.f32`", "f32", "fma.rn.f32 %x, %x, %y, %y;", [9.0, 4.0, 4.0, 0.0], PPT),
    chain("`mad.lo.s32`", "s32", "mad.lo.s32 %x, %x, %y, %y;", [9.0, 4.0, 4.0, 0.0], PPT),
    chain("`setp` on its own result", "s32", "setp.lt.xor.s32 %p, %x, %y, %p;", [9.0, 4.0, 4.0, 0.0], PPT),
    chain("`popc`", "s32", "popc.b32 %x, %x;", [9.0, 15.0, 15.0, 0.0], PPT),
    chain(
        "`cvt` to `f32` and back, each",
        "s32",
        "cvt.rn.f32.s32 %z, %x; cvt.rzi.s32.f32 %x, %z;",
        [9.0, 4.0, 4.0, 0.0],
        PPT,
    ),
    chain("`add.f64`", "f64", "add.rn.f64 %x, %x, %y;", [10.0, 8.0, 45.0, 0.0], PPT),
    chain("`mul.f64`", "f64", "mul.rn.f64 %x, %x, %y;", [10.0, 8.0, 45.0, 0.0], PPT),
    chain("`fma.rn.f64`", "f64", "fma.rn.f64 %x, %x, %y, %y;", [10.0, 8.0, 45.0, 0.0], PPT),
    chain("`div.rn.f64`", "f64", "div.rn.f64 %x, %y, %x;", [445.0, 159.0, 540.0, 0.0], PPT),
    chain("`div.rn.f64`, other measurement", "f64", "div.rn.f64 %x, %y, %x;", [0.0, 606.0, 1165.0, 0.0], HPEC),
    chain("`rcp.rn.f64`", "f64", "rcp.rn.f64 %x, %x;", [0.0, 57.0, 251.0, 0.0], HPEC),
    chain("`sqrt.rn.f64`", "f64", "sqrt.rn.f64 %x, %x;", [0.0, 106.0, 366.0, 0.0], HPEC),
    chain("`ex2.approx.f32`", "f32", "ex2.approx.f32 %x, %x;", [0.0, 22.0, 32.0, 0.0], PPT),
    chain("`lg2.approx.f32`", "f32", "lg2.approx.f32 %x, %x;", [40.0, 31.0, 31.0, 0.0], PPT),
    chain("`sin.approx.f32`", "f32", "sin.approx.f32 %x, %x;", [0.0, 11.0, 13.0, 0.0], PPT),
];

/// Makes a kernel that applies the operation this many times in each of `k_n` rounds.
fn kernel(chain: &Chain, sm: u32, length: usize) -> String {
    let Chain { real, text, .. } = chain;
    let bytes = if *real == "f64" { 8 } else { 4 };
    // the first that serves the target
    let version = if sm >= 100 { "8.6" } else { "6.4" };
    let body = format!(" {text}\n").repeat(length);
    format!(
        ".version {version}\n.target sm_{sm}\n.address_size 64\n.visible .entry k(.param .u64 k_p, .param .s32 k_n)\n{{\n\
         .reg .b64 %p0, %p1;\n .reg .{real} %x, %y;\n .reg .f32 %z;\n .reg .s32 %i, %n;\n .reg .pred %p, %q;\n\
         ld.param.u64 %p0, [k_p];\n ld.param.s32 %n, [k_n];\n cvta.to.global.u64 %p1, %p0;\n ld.global.{real} %x, [%p1];\n\
         ld.global.{real} %y, [%p1+{bytes}];\n mov.s32 %i, 0;\n setp.eq.s32 %p, %i, 1;\n\
         again:\n{body} add.s32 %i, %i, 1;\n setp.lt.s32 %q, %i, %n;\n @%q bra again;\n\
         st.global.{real} [%p1], %x;\n @%p st.global.{real} [%p1+{bytes}], %x;\n ret;\n}}\n"
    )
}

/// Returns the clocks of one warp for a link of the chain: the difference of 16 more links in a loop.
fn link(chain: &Chain, target: &Target, compilers: &Compilers) -> f64 {
    let round = |length| {
        let ptx = kernel(chain, target.compute_capability.number(), length);
        let cubin = compilers.cubin(&ptx);
        let cycles = |rounds| {
            let launch = Launch::linear(1, 32, vec![Argument::Buffer(0), Argument::U32(rounds)]);
            let mut buffers = [values(chain.real)];
            let timed = machine_code::time(&cubin, "k", &launch, &mut buffers, &Options::default(), target);
            timed.unwrap_or_else(|failure| panic!("{failure:?}\n{ptx}")).1.cycles as f64
        };
        (cycles(30) - cycles(10)) / 20.0
    };
    let links = if chain.text.matches(';').count() == 2 { 32.0 } else { 16.0 };
    (round(32) - round(16)) / links
}

/// Two values that keep every chain in the range of normal numbers.
fn values(real: &str) -> Buffer {
    match real {
        "f64" => Buffer::words(Type::F64, [0.5f64, 0.75].map(f64::to_bits)),
        "f32" => Buffer::words(Type::F32, [0.5f32, 0.75].map(|value| u64::from(value.to_bits()))),
        _ => Buffer::words(Type::S32, [7, 9]),
    }
}

const BEGIN: &str = "<!-- compiled and modelled: written by the test `compiled` -->\n";

#[test]
fn compiled_chains_come_back() {
    let mut rows = Vec::new();
    for (at, name) in TARGETS.into_iter().enumerate() {
        let target = Target::by_name(name).unwrap();
        let Some(compilers) = Compilers::new(target.compute_capability) else { return };
        let with = CHAINS.iter().filter(|chain| chain.published[at] != 0.0);
        rows.extend(with.map(|chain| Row {
            what: chain.what.to_owned(),
            target: name,
            published: chain.published[at],
            source: chain.source,
            modelled: link(chain, target, &compilers),
        }));
    }
    rows.sort_by_key(|row| CHAINS.iter().position(|chain| chain.what == row.what));
    written(BEGIN, &rows);
}
