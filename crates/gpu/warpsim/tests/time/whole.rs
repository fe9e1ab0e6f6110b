//! Fifteen kernels of Rodinia, Parboil and the CUDA samples, beside the model's times of our own kernels with the same operations and
//! launch (whole.cu). AccelWattch's authors measured them on a Quadro GV100: elapsed cycles of hw_perf.csv in accel-sim-framework.
//!
//! `SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time whole` writes the table in docs/lab/time.md, if the compilers are installed.

use crate::measured::{Compilers, judged};
use crate::table::{Row, table, written};
use ptx::inst::Type;
use warpsim::{Argument, Buffer, Launch};

const SOURCE: &str = "AccelWattch, hw_perf.csv";

/// A kernel: its name there and here, its measured clocks, and the CTAs of one of the 80 SMs.
struct Kernel {
    original: &'static str,
    name: &'static str,
    cycles: f64,
    ctas: [u32; 3],
    threads: [u32; 3],
    shared: u64,
    arguments: Vec<Given>,
}

/// An argument: a number of 32-bit words in memory, or a value.
#[derive(Clone, Copy)]
enum Given {
    Ones(usize),
    Random(usize),
    Numbers(usize),
    Word(u32),
    Long(u64),
}

use Given::{Long, Numbers, Ones, Random, Word};

fn real(value: f32) -> Given {
    Word(value.to_bits())
}

fn kernels() -> Vec<Kernel> {
    let kernel = |original, name, cycles, ctas, threads, arguments: &[Given]| Kernel {
        original,
        name,
        cycles,
        ctas,
        threads,
        shared: 0,
        arguments: arguments.to_vec(),
    };
    let network = 17 * (16 * 52 + 2);
    let image = 512 * 8;
    let heat = [1.0, 0.5, 0.5, 0.5, 0.1].map(real);
    vec![
        kernel(
            "backprop, layer forward",
            "layer_forward",
            23833.0,
            [1, 52, 1],
            [16, 16, 1],
            &[Ones(16 * 53), Ones(network), Ones(16 * 53)],
        ),
        kernel(
            "backprop, adjust weights",
            "adjust_weights",
            32360.0,
            [1, 52, 1],
            [16, 16, 1],
            &[Ones(17), Ones(16 * 53), Ones(network), Ones(network)],
        ),
        kernel(
            "hotspot",
            "heat",
            54627.0,
            [31, 3, 1],
            [16, 16, 1],
            &[&[Word(2), Ones(1 << 17), Ones(1 << 17), Ones(1 << 17), Word(1024), Word(1024)][..], &heat].concat(),
        ),
        kernel(
            "srad",
            "edges",
            14469.0,
            [6, 1, 1],
            [512, 1, 1],
            &[
                &[Word(458), Long(512 * 6)][..],
                &[Numbers(512); 4],
                &[Ones(image); 4],
                &[real(0.5), Ones(image), Ones(458 * 512)],
            ]
            .concat(),
        ),
        kernel(
            "sgemm",
            "product_nt",
            361311.0,
            [1, 7, 1],
            [16, 8, 1],
            &[
                Ones(1024 * 992),
                Word(1024),
                Ones(1056 * 992),
                Word(1056),
                Ones(1024 * 112),
                Word(1024),
                Word(992),
                real(1.0),
                real(0.0),
            ],
        ),
        kernel(
            "mri-q",
            "fourier",
            695815.0,
            [13, 1, 1],
            [256, 1, 1],
            &[&[Word(2048), Word(0)][..], &[Ones(13 * 256); 5]].concat(),
        ),
        kernel(
            "binomialOptions",
            "binomial",
            1369889.0,
            [13, 1, 1],
            [128, 1, 1],
            &[&[Ones(16)][..], &[20.0, 15.0, 0.002, 0.5, 0.5].map(real)].concat(),
        ),
        kernel(
            "fwtBatch2",
            "walsh_far",
            126020.0,
            [103, 1, 1],
            [256, 1, 1],
            &[Ones(1 << 17), Ones(1 << 17), Word(1 << 15)],
        ),
        Kernel {
            shared: 8192,
            ..kernel(
                "fwtBatch1",
                "walsh_near",
                150811.0,
                [52, 1, 1],
                [512, 1, 1],
                &[Ones(52 << 11), Ones(52 << 11), Word(11)],
            )
        },
        kernel(
            "dct8x8, second",
            "cosine_squares",
            6110.0,
            [7, 1, 1],
            [8, 4, 2],
            &[Ones(512 * 16), Ones(512 * 16), Word(512)],
        ),
        kernel("inverseCND", "inverse_normal", 58342.0, [2, 1, 1], [128, 1, 1], &[Ones(49152), Word(49152)]),
        kernel(
            "histogram64",
            "kinds",
            148547.0,
            [55, 1, 1],
            [64, 1, 1],
            &[Ones(55 * 64), Random(55 * 64 * 15 * 4), Word(55 * 64 * 15)],
        ),
        kernel(
            "sobolQRNG",
            "low_discrepancy",
            112088.0,
            [64, 10, 1],
            [64, 1, 1],
            &[Word(100_000), Word(1 << 15), Word(8), Random(320), Ones(1_000_000)],
        ),
        kernel(
            "quasirandomGenerator",
            "niederreiter",
            80627.0,
            [2, 1, 1],
            [128, 3, 1],
            &[Ones(3 << 20), Word(0), Word(1 << 20), Word(1 << 14)],
        ),
        kernel(
            "mergeSortShared",
            "merge_sort",
            442243.0,
            [52, 1, 1],
            [512, 1, 1],
            &[Ones(52 << 10), Ones(52 << 10), Random(52 << 10), Random(52 << 10), Word(1024)],
        ),
    ]
}

fn buffer(given: Given) -> Option<Buffer> {
    let one = u64::from(1f32.to_bits());
    match given {
        Ones(words) => Some(Buffer::words(Type::F32, vec![one; words])),
        Numbers(words) => Some(Buffer::words(Type::U32, 0..words as u64)),
        Random(words) => {
            let mut state = 1u64;
            let next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state >> 32
            };
            Some(Buffer::words(Type::U32, std::iter::repeat_with(next).take(words)))
        }
        Word(_) | Long(_) => None,
    }
}

/// Returns the clocks from the start of the launch to its end, as a profiler counts them: with the overhead of the start.
fn modelled(compilers: &Compilers, cubin: &sass::Cubin, kernel: &Kernel) -> f64 {
    let (mut buffers, mut arguments) = (Vec::new(), Vec::new());
    for &given in &kernel.arguments {
        arguments.push(match given {
            Word(value) => Argument::U32(value),
            Long(value) => Argument::U64(value),
            _ => Argument::Buffer(buffers.len()),
        });
        buffers.extend(buffer(given));
    }
    let launch = Launch { ctas: kernel.ctas, threads: kernel.threads, cluster: None, shared: kernel.shared, arguments };
    let board = &compilers.target.board;
    let start = f64::from(board.launch_nanoseconds.unwrap_or(0)) * f64::from(board.megahertz) * 1e-3;
    compilers.cycles(cubin, kernel.name, &launch, &mut buffers) + start
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
        what: kernel.original.to_owned(),
        target: "volta",
        published: kernel.cycles,
        source: SOURCE,
        modelled: modelled(&compilers, &cubin, &kernel),
    };
    let rows: Vec<Row> = kernels().into_iter().map(row).collect();
    let (error, tau) = judged(&rows);
    assert!(error < 0.16 && tau > 0.96, "mean error {error:.3}, tau {tau:.2}\n{}", table(&rows));
    // without the two whose numbers follow one another by bits, which are the farthest off
    let (random, others): (Vec<Row>, Vec<Row>) = rows.iter().cloned().partition(|row| RANDOM.contains(&&*row.what));
    let (error, tau) = judged(&others);
    assert!(random.len() == 2 && error < 0.14 && tau > 0.96, "mean error {error:.3}, tau {tau:.2}\n{}", table(&others));
    written(BEGIN, &rows);
}
