//! Kernels that others measured as a whole, and the model's times of kernels with the same operations and the same launch: the
//! third table in docs/lab/time.md. RRZE-HPC gpu-benches has streams through the device memory by the size of the blocks, two
//! blocks on each multiprocessor, and chains of doubles by the number of warps and of chains.
//!
//! `SINGE_SWEEPS=all SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time measured` writes it, if the compilers are installed.

use crate::table::{Row, table, written};
use machine::target::Target;
use sass::Cubin;
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

/// A board as it was measured.
#[derive(Clone, Copy)]
pub struct Measured {
    pub target: &'static str,
    pub megahertz: u32,
    /// Multiprocessors, if they are not those of the target's board.
    pub multiprocessors: Option<u32>,
    /// 10^9 bytes per second that the memory delivers, if it is not that of the target's board.
    pub delivered: Option<u32>,
    /// 10^9 bytes per second of each stream by blocks on a multiprocessor and their threads.
    pub streams: &'static [(u32, u32, [f64; 6])],
}

const V100: Measured = Measured {
    target: "volta",
    megahertz: 1380,
    multiprocessors: None,
    delivered: None,
    streams: &[
        (1, 32, [78.0, 36.0, 67.0, 123.0, 63.0, 61.0]),
        (2, 64, [306.0, 139.0, 246.0, 400.0, 233.0, 226.0]),
        (2, 128, [599.0, 263.0, 426.0, 638.0, 406.0, 397.0]),
        (2, 256, [897.0, 491.0, 675.0, 759.0, 648.0, 635.0]),
        (2, 512, [897.0, 746.0, 784.0, 777.0, 778.0, 774.0]),
        (2, 1024, [897.0, 867.0, 809.0, 788.0, 804.0, 801.0]),
    ],
};

const A100: Measured = Measured {
    target: "ampere",
    megahertz: 1410,
    multiprocessors: None,
    delivered: None,
    streams: &[
        (1, 32, [107.0, 41.0, 77.0, 110.0, 73.0, 72.0]),
        (1, 128, [412.0, 162.0, 292.0, 406.0, 270.0, 265.0]),
        (1, 256, [802.0, 310.0, 548.0, 743.0, 506.0, 498.0]),
        (1, 512, [1501.0, 592.0, 956.0, 1232.0, 909.0, 887.0]),
        (1, 1024, [1536.0, 1064.0, 1338.0, 1360.0, 1325.0, 1322.0]),
        (2, 1024, [1539.0, 1500.0, 1382.0, 1358.0, 1371.0, 1368.0]),
    ],
};

const GH200: Measured = Measured {
    target: "hopper",
    megahertz: 1980,
    multiprocessors: None,
    // scale with the largest blocks, as for the others
    delivered: Some(3174),
    streams: &[
        (1, 32, [153.0, 62.0, 120.0, 216.0, 113.0, 111.0]),
        (2, 64, [591.0, 245.0, 464.0, 798.0, 426.0, 419.0]),
        (2, 128, [1167.0, 486.0, 854.0, 1408.0, 783.0, 771.0]),
        (2, 256, [2186.0, 935.0, 1397.0, 2367.0, 1340.0, 1320.0]),
        (2, 512, [3718.0, 1715.0, 2269.0, 3338.0, 2190.0, 2154.0]),
        (2, 1024, [3942.0, 2775.0, 3174.0, 3783.0, 3138.0, 3120.0]),
    ],
};

/// Clocks per operation of an SM of a V100 with 1, 2, 4, 8, 16, 32 warps, for each number of chains per warp.
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

/// Returns the rate of the whole board in 10^9 bytes per second.
fn stream(compilers: &Compilers, body: &str, moved: f64, (blocks, threads): (u32, u32)) -> f64 {
    let cubin = compilers.cubin(format!(
        "extern \"C\" __global__ void k(double *a, const double *__restrict__ b, const double *__restrict__ c,\n\
         const double *__restrict__ d, int n) {{ int i = threadIdx.x + blockIdx.x * blockDim.x; if (i >= n) return; {body} }}\n"
    ));
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
        compilers.cycles(&cubin, "k", &launch, &mut buffers)
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

/// Returns the clocks per operation of an SM.
fn chains(compilers: &Compilers, (step, unrolled): (&str, u32), chains: usize, warps: u32) -> f64 {
    let own = |statement: &dyn Fn(usize) -> String| (0..chains).map(statement).collect::<String>();
    let cubin = compilers.cubin(format!(
        "extern \"C\" __global__ void k(double *a, double p, int n) {{\n#pragma unroll 1\nfor (int j = 0; j < n; j++) {{ {}\n\
         #pragma unroll {unrolled}\nfor (int l = 0; l < 128; l++) {{ {} }} {} }} }}\n",
        own(&|at| format!("double t{at} = p + threadIdx.x + j + {at}; ")),
        own(&|at| step.replace('@', &format!("t{at}"))),
        own(&|at| format!("if (t{at} > 22313.0) a[threadIdx.x] = t{at}; ")),
    ));
    let after = |rounds: u32| {
        let mut buffers = [Buffer::in_out(&[0.0; 1024])];
        let arguments = vec![Argument::Buffer(0), Argument::U64(0.32f64.to_bits()), Argument::U32(rounds)];
        compilers.cycles(&cubin, "k", &Launch::linear(1, 32 * warps, arguments), &mut buffers)
    };
    (after(12) - after(4)) / 8.0 / (128.0 * chains as f64 * f64::from(warps))
}

impl Measured {
    pub fn compilers(&self) -> Option<Compilers> {
        let mut compilers = Compilers::new(self.target, self.megahertz)?;
        let board = &mut compilers.target.board;
        board.reached_gigabytes_per_second = self.delivered.or(board.reached_gigabytes_per_second);
        board.multiprocessors = self.multiprocessors.unwrap_or(board.multiprocessors);
        Some(compilers)
    }
}

pub fn streams(board: &Measured) -> Option<Vec<Row>> {
    let compilers = board.compilers()?;
    let mut all = Vec::new();
    for (blocks, threads, published) in board.streams {
        for ((what, body, moved), published) in KERNELS.iter().zip(published) {
            let modelled = stream(&compilers, body, *moved, (*blocks, *threads));
            let what = format!("{what}, {blocks} x {threads} threads, GB/s");
            all.push(Row { what, target: board.target, published: *published, source: STREAMS, modelled });
        }
    }
    Some(all)
}

fn arithmetic() -> Option<Vec<Row>> {
    let compilers = Compilers::new("volta", 1380)?;
    let mut all = Vec::new();
    let mut add = |what: &str, step: (&str, u32), count: usize, published: [f64; 6]| {
        for (warps, published) in [1, 2, 4, 8, 16, 32].into_iter().zip(published) {
            let modelled = chains(&compilers, step, count, warps);
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
    let tables =
        [(Some(V100), 0.095, 0.85), (Some(A100), 0.085, 0.89), (Some(GH200), 0.095, 0.89), (None, 0.105, 0.80)];
    let is_swept = skip::sweeps("measured streams of all boards but one");
    let mut all = Vec::new();
    for (board, most, least) in tables {
        if !is_swept && board.is_some_and(|board| board.target != V100.target) {
            continue;
        }
        let Some(rows) = board.map_or_else(arithmetic, |board| streams(&board)) else { return };
        let (error, tau) = judged(&rows);
        assert!(error < most && tau > least, "mean error {error:.3}, tau {tau:.2}\n{}", table(&rows));
        all.extend(rows);
    }
    if is_swept {
        written(BEGIN, &all);
    }
}
