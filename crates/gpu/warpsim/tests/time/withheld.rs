//! Measured kernels that nothing in the model was adjusted to: RRZE-HPC gpu-benches has streams on further boards, and chains of single precision
//! behind two streams by the length of the chain. Kernels of our own have the same operations and launches: another table in docs/lab/time.md.
//!
//! `SINGE_SWEEPS=all SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time withheld` writes it, if the compilers are installed.

use crate::measured::{Compilers, Measured, judged, streams};
use crate::table::{Row, table, written};
use testkit::skip;
use warpsim::{Argument, Buffer, Launch};

const ROOFLINE: &str = "RRZE-HPC gpu-benches, gpu-roofline";

/// The memory delivers what scale reaches with the largest blocks, which have no row.
const A40: Measured = Measured {
    target: "ampere-ga10x",
    megahertz: 1740,
    multiprocessors: Some(84),
    delivered: Some(653),
    streams: &[
        (1, 96, [304.0, 117.0, 217.0, 389.0, 200.0, 176.0]),
        (2, 96, [589.0, 233.0, 408.0, 610.0, 377.0, 325.0]),
        (2, 192, [680.0, 436.0, 614.0, 670.0, 587.0, 447.0]),
        (2, 384, [680.0, 677.0, 658.0, 670.0, 656.0, 597.0]),
    ],
};

const L40: Measured = Measured {
    target: "ada",
    megahertz: 2490,
    multiprocessors: Some(142),
    delivered: Some(776),
    streams: &[
        (1, 96, [483.0, 240.0, 424.0, 690.0, 397.0, 359.0]),
        (2, 96, [847.0, 470.0, 719.0, 826.0, 693.0, 641.0]),
        (2, 192, [847.0, 824.0, 773.0, 831.0, 812.0, 788.0]),
        (2, 384, [847.0, 845.0, 797.0, 830.0, 771.0, 768.0]),
    ],
};

const A100_80: Measured = Measured {
    target: "ampere",
    megahertz: 1410,
    multiprocessors: None,
    delivered: Some(1737),
    streams: &[
        (1, 96, [312.0, 123.0, 223.0, 394.0, 211.0, 207.0]),
        (2, 96, [601.0, 242.0, 424.0, 744.0, 403.0, 396.0]),
        (2, 192, [1148.0, 465.0, 791.0, 1324.0, 748.0, 730.0]),
        (2, 384, [1901.0, 872.0, 1379.0, 1667.0, 1311.0, 1269.0]),
        (2, 768, [1901.0, 1491.0, 1682.0, 1753.0, 1644.0, 1629.0]),
    ],
};

/// An older run of the benchmark, which has two blocks on each multiprocessor; at the boost clock of the data sheet.
const H100_PCIE: Measured = Measured {
    target: "hopper",
    megahertz: 1755,
    multiprocessors: Some(114),
    delivered: Some(1704),
    streams: &[
        (2, 96, [676.0, 277.0, 472.0, 635.0, 443.0, 436.0]),
        (2, 192, [1301.0, 533.0, 817.0, 1121.0, 794.0, 781.0]),
        (2, 384, [2016.0, 985.0, 1378.0, 1644.0, 1348.0, 1326.0]),
        (2, 768, [2016.0, 1680.0, 1666.0, 1755.0, 1642.0, 1638.0]),
    ],
};

/// A board, and 10^9 bytes per second of two streams with so many operations behind each pair, at so many MHz.
type Roofline = (Measured, &'static str, &'static [(u32, f64, u32)]);

const ROOFLINES: [Roofline; 4] = [
    (
        A40,
        "A40",
        &[
            (0, 679.0, 1740),
            (24, 679.0, 1740),
            (96, 672.0, 1725),
            (128, 630.0, 1635),
            (192, 443.0, 1650),
            (256, 344.0, 1665),
        ],
    ),
    (L40, "L40", &[(0, 845.0, 2490), (24, 845.0, 2490), (64, 844.0, 2490), (96, 843.0, 2460), (128, 822.0, 1980)]),
    (
        Measured { delivered: None, ..A100_80 },
        "A100 40 GB",
        &[
            (0, 1372.0, 1410),
            (24, 1322.0, 1410),
            (48, 1240.0, 1410),
            (56, 1150.0, 1410),
            (96, 724.0, 1410),
            (128, 554.0, 1410),
            (256, 291.0, 1410),
        ],
    ),
    (
        // what two streams reach by themselves, which has no row
        Measured { multiprocessors: None, delivered: Some(3759), ..H100_PCIE },
        "H200",
        &[
            (8, 3760.0, 1980),
            (24, 3629.0, 1980),
            (32, 3232.0, 1980),
            (48, 2323.0, 1980),
            (96, 1578.0, 1980),
            (128, 1213.0, 1980),
            (256, 642.0, 1980),
        ],
    ),
];

/// Returns the rate of the whole board in 10^9 bytes per second: full multiprocessors, each thread with pairs of its own.
fn roofline(compilers: &Compilers, operations: u32) -> f64 {
    const THREADS: u32 = 256;
    let cubin = compilers.cubin(format!(
        "extern \"C\" __global__ void k(const float *__restrict__ x, const float *__restrict__ y, float *z, int pairs) {{\n\
         const float *a = x + threadIdx.x + {THREADS} * blockIdx.x * pairs; const float *b = y + (a - x); float all = 0;\n\
         for (int i = 0; i < pairs; i += 2) {{\n\
         const float p = a[{THREADS} * i], q = b[{THREADS} * i]; float v = p - q;\n\
         const float r = a[{THREADS} * (i + 1)], s = b[{THREADS} * (i + 1)]; float w = r - s;\n\
         #pragma unroll\nfor (int j = 0; j < {operations}; j++) {{ v = v * p - q; w = w * p - q; }}\n\
         all += v + w; }} if (threadIdx.x == 0) z[blockIdx.x] = all; }}\n"
    ));
    let target = &compilers.target;
    let ctas = target.threads_per_sm / THREADS;
    let after = |pairs: u32| {
        let field = || Buffer::words(ptx::inst::Type::F32, vec![0; (ctas * THREADS * pairs) as usize]).read_only();
        let mut buffers = [field(), field(), Buffer::unwritten(ptx::inst::Type::F32, ctas as usize)];
        let arguments = (0..3).map(Argument::Buffer).chain([Argument::U32(pairs)]).collect();
        compilers.cycles(&cubin, "k", &Launch::linear(ctas, THREADS, arguments), &mut buffers)
    };
    // the L2 cache and what is loaded ahead do not count
    let bytes = f64::from(2 * 4 * ctas * THREADS * 24);
    let clocks = after(48) - after(24);
    bytes / clocks * f64::from(target.board.multiprocessors) * f64::from(target.board.megahertz) * 1e-3
}

fn rooflines((board, name, published): Roofline) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    for &(operations, published, megahertz) in published {
        let compilers = Measured { megahertz, ..board }.compilers()?;
        let what = format!("two streams, {operations} operations, {name}, GB/s");
        let modelled = roofline(&compilers, operations);
        rows.push(Row { what, target: board.target, published, source: ROOFLINE, modelled });
    }
    Some(rows)
}

const BEGIN: &str = "<!-- withheld: written by the test `withheld` -->\n";

#[test]
fn kernels_that_were_withheld_come_back() {
    let mut all = Vec::new();
    // the page has these figures
    let judgements = [(A40, 0.07, 0.8), (L40, 0.09, 0.6), (A100_80, 0.08, 0.8), (H100_PCIE, 0.12, 0.75)];
    let is_swept = skip::sweeps("withheld measurements on all boards but one");
    let boards = if is_swept { judgements.len() } else { 1 };
    for ((board, most, least), roofline) in judgements.into_iter().zip(ROOFLINES).take(boards) {
        let (Some(streams), Some(rooflines)) = (streams(&board), rooflines(roofline)) else { return };
        let rows = [streams, rooflines].concat();
        let (error, tau) = judged(&rows);
        println!("{} of {}: mean error {error:.3}, tau {tau:.2}", rows.len(), board.target);
        all.push((rows, error < most && tau > least));
    }
    for (rows, holds) in &all {
        assert!(holds, "{:?}\n{}", judged(rows), table(rows));
    }
    if is_swept {
        let rows: Vec<Row> = all.into_iter().flat_map(|(rows, ..)| rows).collect();
        written(BEGIN, &rows);
    }
}
