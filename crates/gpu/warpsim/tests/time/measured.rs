//! Kernels that others measured as a whole, and the model's times of kernels with the same operations and the same launch: the
//! third table in docs/lab/time.md. RRZE-HPC gpu-benches has streams through the device memory by the size of the blocks, two
//! blocks on each multiprocessor, and chains of doubles by the number of warps and of chains.
//!
//! `SINGE_SWEEPS=all SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time measured` writes it, if the compilers are installed.

use crate::table::{Row, table, written};
use machine::target::Target;
use sass::Cubin;
use serde::Deserialize;
use std::collections::BTreeMap;
use testkit::{compilers, skip};
use warpsim::{Argument, Buffer, Launch, Options, machine_code};

const STREAMS: &str = "RRZE-HPC gpu-benches, gpu-stream";
const CHAINS: &str = "RRZE-HPC gpu-benches, cuda-incore";

/// A stream: its name, the work of each thread, and the doubles that it moves.
const KERNELS: [(&str, &str, f64); 6] = [
    ("store", "a[i] = 0.23;", 1.0),
    ("load", "double x = b[i]; if (x == 123.0) a[i] = x;", 1.0),
    ("scale", "a[i] = b[i] * 1.2;", 2.0),
    ("triad", "a[i] = b[i] * d[i] + c[i];", 4.0),
    ("three points", "if (i > 0 && i < n - 1) a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];", 2.0),
    (
        "five points",
        "if (i > 1 && i < n - 2) a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];",
        2.0,
    ),
];

/// A board as it was measured, in boards.toml.
#[derive(Clone, Deserialize)]
pub struct Measured {
    pub name: String,
    pub target: String,
    pub megahertz: u32,
    pub multiprocessors: Option<u32>,
    pub delivered: Option<u32>,
    #[serde(default)]
    pub most_error: f64,
    #[serde(default)]
    pub least_tau: f64,
    #[serde(default)]
    pub streams: Vec<(u32, u32, [f64; 6])>,
    #[serde(default)]
    pub rooflines: Vec<(u32, f64, u32)>,
}

/// Returns the boards of a set.
pub fn boards(set: &str) -> Vec<Measured> {
    let mut all: BTreeMap<String, Vec<Measured>> = toml::from_str(include_str!("boards.toml")).unwrap();
    all.remove(set).unwrap()
}

const WARPS: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Clocks per operation of an SM of a V100 with [`WARPS`], for each number of chains per warp.
const DOUBLES: [(usize, [f64; 6]); 3] = [
    (1, [8.67, 4.29, 2.14, 1.08, 1.03, 1.03]),
    (2, [4.63, 2.32, 1.16, 1.05, 1.04, 1.04]),
    (4, [4.66, 2.33, 1.17, 1.08, 1.08, 1.08]),
];
const QUOTIENTS: [f64; 6] = [111.55, 55.76, 27.88, 14.11, 8.48, 7.51];
const ROOTS: [f64; 6] = [101.26, 50.63, 25.31, 13.56, 9.80, 9.61];

/// Compilers from CUDA text to the machine code of a target, if they are installed.
pub struct Compilers {
    pub target: Target,
    own: compilers::Compilers,
}

impl Compilers {
    pub fn new(name: &str, megahertz: u32) -> Option<Self> {
        let mut target = Target::by_name(name).unwrap().clone();
        target.board.megahertz = megahertz;
        let own = compilers::Compilers::new(target.compute_capability)?;
        Some(Self { target, own })
    }

    pub fn cubin(&self, source: String) -> Cubin {
        self.own.cubin(&self.own.ptx(source, &[]))
    }

    pub fn cycles(&self, cubin: &Cubin, kernel: &str, launch: &Launch, buffers: &mut [Buffer]) -> f64 {
        let timed = machine_code::time(cubin, kernel, launch, buffers, &Options::default(), &self.target);
        timed.unwrap_or_else(|failure| panic!("{failure:?}")).1.cycles as f64
    }
}

fn text(body: &str) -> String {
    format!(
        "extern \"C\" __global__ void k(double *a, const double *__restrict__ b, const double *__restrict__ c,\n\
         const double *__restrict__ d, int n) {{ int i = threadIdx.x + blockIdx.x * blockDim.x; if (i >= n) return; {body} }}\n"
    )
}

/// Returns the rate of the whole board in 10^9 bytes per second.
fn stream(compilers: &Compilers, cubin: &Cubin, moved: f64, (blocks, threads): (u32, u32)) -> f64 {
    let target = &compilers.target;
    // so much shared memory that no more blocks fit
    let shared =
        (target.shared_bytes_per_sm / blocks - target.reserved_shared_bytes_per_cta).min(target.shared_bytes_per_cta);
    let after = |ctas: u32| {
        let n = (ctas * threads) as usize;
        let field = || Buffer::input(&vec![1.0; n]);
        let mut buffers = [Buffer::in_out(&vec![0.0; n]), field(), field(), field()];
        let arguments = (0..4).map(Argument::Buffer).chain([Argument::U32(n as u32)]).collect();
        let launch = Launch { shared: shared.into(), ..Launch::linear(ctas, threads, arguments) };
        compilers.cycles(cubin, "k", &launch, &mut buffers)
    };
    // the L2 cache holds what was stored last: as long as its share is filled
    let share = target.pipeline.as_ref().unwrap().memory.l2_bytes / target.board.multiprocessors;
    // half of it in whole 64 KiB
    let half = (share / 2 / 65536 * 65536).max(2 * 96 * 1024);
    let few = (half / (8 * threads)).max(4 * blocks);
    let cycles = after(3 * few) - after(2 * few);
    let bytes = f64::from(few * threads) * 8.0 * moved;
    let board = &target.board;
    bytes / cycles * f64::from(board.multiprocessors) * f64::from(board.megahertz) * 1e-3
}

/// Returns the clocks per operation of an SM with [`WARPS`].
fn chains(compilers: &Compilers, (step, unrolled): (&str, u32), chains: usize) -> [f64; 6] {
    let own = |statement: &dyn Fn(usize) -> String| (0..chains).map(statement).collect::<String>();
    let cubin = compilers.cubin(format!(
        "extern \"C\" __global__ void k(double *a, double p, int n) {{\n#pragma unroll 1\nfor (int j = 0; j < n; j++) {{ {}\n\
         #pragma unroll {unrolled}\nfor (int l = 0; l < 128; l++) {{ {} }} {} }} }}\n",
        own(&|at| format!("double t{at} = p + threadIdx.x + j + {at}; ")),
        own(&|at| step.replace('@', &format!("t{at}"))),
        own(&|at| format!("if (t{at} > 22313.0) a[threadIdx.x] = t{at}; ")),
    ));
    let after = |rounds: u32, warps: u32| {
        let mut buffers = [Buffer::in_out(&[0.0; 1024])];
        let arguments = vec![Argument::Buffer(0), Argument::U64(0.32f64.to_bits()), Argument::U32(rounds)];
        compilers.cycles(&cubin, "k", &Launch::linear(1, 32 * warps, arguments), &mut buffers)
    };
    WARPS.map(|warps| (after(12, warps) - after(4, warps)) / 8.0 / (128.0 * chains as f64 * f64::from(warps)))
}

impl Measured {
    pub fn known_target(&self) -> &'static str {
        &Target::by_name(&self.target).unwrap().name
    }

    pub fn compilers(&self) -> Option<Compilers> {
        let mut compilers = Compilers::new(&self.target, self.megahertz)?;
        let board = &mut compilers.target.board;
        board.reached_gigabytes_per_second = self.delivered.or(board.reached_gigabytes_per_second);
        board.multiprocessors = self.multiprocessors.unwrap_or(board.multiprocessors);
        Some(compilers)
    }
}

pub fn streams(board: &Measured) -> Option<Vec<Row>> {
    let compilers = board.compilers()?;
    let mut all = Vec::new();
    let cubins = KERNELS.map(|(_, body, _)| compilers.cubin(text(body)));
    for (blocks, threads, published) in &board.streams {
        for (((what, _, moved), cubin), published) in KERNELS.iter().zip(&cubins).zip(published) {
            let modelled = stream(&compilers, cubin, *moved, (*blocks, *threads));
            let what = format!("{what}, {blocks} x {threads} threads, GB/s");
            all.push(Row { what, target: board.known_target(), published: *published, source: STREAMS, modelled });
        }
    }
    Some(all)
}

fn arithmetic() -> Option<Vec<Row>> {
    let compilers = Compilers::new("volta", 1380)?;
    let mut all = Vec::new();
    let mut add = |what: &str, step: (&str, u32), count: usize, published: [f64; 6]| {
        let modelled = chains(&compilers, step, count);
        for ((warps, published), modelled) in WARPS.into_iter().zip(published).zip(modelled) {
            let what = format!("{what}, {warps} warps, clocks");
            all.push(Row { what, target: "volta", published, source: CHAINS, modelled });
        }
    };
    for (count, published) in DOUBLES {
        add(&format!("`t = t * 0.9 + 0.5`, {count} chains"), ("@ = @ * 0.9 + 0.5; ", 128), count, published);
    }
    add("`t = 0.1 / (t + 0.2)`", ("@ = 0.1 / (@ + 0.2); ", 8), 1, QUOTIENTS);
    add("`t = sqrt(t + 0.2)`", ("@ = sqrt(@ + 0.2); ", 8), 1, ROOTS);
    Some(all)
}

/// Returns the mean error, and Kendall's tau.
pub fn judged(rows: &[Row]) -> (f64, f64) {
    let error = rows.iter().map(|row| (row.modelled / row.published - 1.0).abs()).sum::<f64>() / rows.len() as f64;
    let (mut agree, mut pairs) = (0.0, 0.0);
    for (at, one) in rows.iter().enumerate() {
        for other in rows[..at].iter().filter(|other| other.published != one.published) {
            pairs += 1.0;
            agree += ((one.modelled - other.modelled) * (one.published - other.published)).signum();
        }
    }
    (error, agree / pairs)
}

const BEGIN: &str = "<!-- measured and modelled: written by the test `measured` -->\n";

#[test]
fn measured_kernels_come_back() {
    // the page has these figures; only scale and store of the largest and the smallest blocks were used to make the model
    let is_swept = skip::sweeps("measured streams of all boards but one");
    let mut all = Vec::new();
    let mut judge = |rows: Option<Vec<Row>>, most: f64, least: f64| {
        let rows = rows?;
        let (error, tau) = judged(&rows);
        assert!(error < most && tau > least, "mean error {error:.3}, tau {tau:.2}\n{}", table(&rows));
        all.extend(rows);
        Some(())
    };
    for board in boards("measured").iter().filter(|board| is_swept || board.name == "V100") {
        let Some(()) = judge(streams(board), board.most_error, board.least_tau) else { return };
    }
    let Some(()) = judge(arithmetic(), 0.105, 0.80) else { return };
    if is_swept {
        written(BEGIN, &all);
    }
}
