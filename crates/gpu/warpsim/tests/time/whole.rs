//! Fifteen kernels of Rodinia, Parboil and the CUDA samples, beside the model's times of our own kernels with the same operations and
//! launch (whole.cu, whole.toml). AccelWattch's authors measured them on a Quadro GV100: elapsed cycles of hw_perf.csv in accel-sim-framework.
//!
//! `SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time whole` writes the table in docs/lab/time.md, if the compilers are installed.

use crate::measured::{Compilers, judged};
use crate::table::{Row, table, written};
use ptx::inst::Type;
use serde::Deserialize;
use warpsim::{Argument, Buffer, Launch};

const SOURCE: &str = "AccelWattch, hw_perf.csv";

#[derive(Deserialize)]
struct File {
    kernel: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    original: String,
    name: String,
    cycles: f64,
    ctas: [u32; 3],
    threads: [u32; 3],
    #[serde(default)]
    shared: u64,
    arguments: String,
}

/// An argument, with its words behind the other buffers if they are in memory.
fn argument(text: &str, buffers: &mut Vec<Buffer>) -> Argument {
    let (kind, number) = text.split_once(' ').unwrap();
    let words = || number.parse().unwrap();
    let mut state = 1u64;
    let random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    buffers.push(match kind {
        "word" => return Argument::U32(number.parse().unwrap()),
        "long" => return Argument::U64(number.parse().unwrap()),
        "real" => return Argument::U32(number.parse::<f32>().unwrap().to_bits()),
        "ones" => Buffer::words(Type::F32, vec![u64::from(1f32.to_bits()); words()]),
        "numbers" => Buffer::words(Type::U32, 0..words() as u64),
        "random" => Buffer::words(Type::U32, std::iter::repeat_with(random).take(words())),
        other => panic!("{other}"),
    });
    Argument::Buffer(buffers.len() - 1)
}

/// Returns the clocks from the start of the launch to its end, as a profiler counts them: with the overhead of the start.
fn modelled(compilers: &Compilers, cubin: &sass::Cubin, kernel: &Kernel) -> f64 {
    let mut buffers = Vec::new();
    let arguments = kernel.arguments.split(", ").map(|text| argument(text, &mut buffers)).collect();
    let launch = Launch { ctas: kernel.ctas, threads: kernel.threads, cluster: None, shared: kernel.shared, arguments };
    let board = &compilers.target.board;
    let start = f64::from(board.launch_nanoseconds.unwrap_or(0)) * f64::from(board.megahertz) * 1e-3;
    compilers.cycles(cubin, &kernel.name, &launch, &mut buffers) + start
}

const BEGIN: &str = "<!-- whole kernels: written by the test `whole` -->\n";

/// Kernels that make numbers by bits.
const RANDOM: [&str; 2] = ["sobolQRNG", "quasirandomGenerator"];

#[test]
fn whole_kernels_come_back() {
    let Some(mut compilers) = Compilers::new("volta", 1417) else { return };
    // calibrated on fwtBatch2, which streams; the peak of a Quadro GV100 is 870 GB/s
    compilers.target.board.reached_gigabytes_per_second = Some(750);
    let cubin = compilers.cubin(include_str!("whole.cu").to_owned());
    let row = |kernel: Kernel| Row {
        what: kernel.original.clone(),
        target: "volta",
        published: kernel.cycles,
        source: SOURCE,
        modelled: modelled(&compilers, &cubin, &kernel),
    };
    let File { kernel } = toml::from_str(include_str!("whole.toml")).unwrap();
    let rows: Vec<Row> = kernel.into_iter().map(row).collect();
    let (error, tau) = judged(&rows);
    assert!(error < 0.16 && tau > 0.96, "mean error {error:.3}, tau {tau:.2}\n{}", table(&rows));
    // without the two whose numbers follow one another by bits, which are the farthest off
    let (random, others): (Vec<Row>, Vec<Row>) = rows.iter().cloned().partition(|row| RANDOM.contains(&&*row.what));
    let (error, tau) = judged(&others);
    assert!(random.len() == 2 && error < 0.14 && tau > 0.96, "mean error {error:.3}, tau {tau:.2}\n{}", table(&others));
    written(BEGIN, &rows);
}
