//! Measured kernels that nothing in the model was adjusted to: RRZE-HPC gpu-benches has streams on further boards, and chains of single precision
//! behind two streams by the length of the chain. Kernels of our own have the same operations and launches: another table in docs/lab/time.md.
//!
//! `SINGE_SWEEPS=all SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time withheld` writes it, if the compilers are installed.

use crate::measured::{Compilers, Measured, boards, judged, streams};
use crate::table::{Row, table, written};
use testkit::skip;
use warpsim::{Argument, Buffer, Launch};

const ROOFLINE: &str = "RRZE-HPC gpu-benches, gpu-roofline";

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

fn rooflines(board: &Measured) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    for &(operations, published, megahertz) in &board.rooflines {
        let compilers = Measured { megahertz, ..board.clone() }.compilers()?;
        let what = format!("two streams, {operations} operations, {}, GB/s", board.name);
        let modelled = roofline(&compilers, operations);
        rows.push(Row { what, target: board.known_target(), published, source: ROOFLINE, modelled });
    }
    Some(rows)
}

const BEGIN: &str = "<!-- withheld: written by the test `withheld` -->\n";

#[test]
fn kernels_that_were_withheld_come_back() {
    let mut all = Vec::new();
    let is_swept = skip::sweeps("withheld measurements on all boards but one");
    let boards_of_both = boards("withheld").into_iter().zip(boards("roofline"));
    for (board, roofline) in boards_of_both.take(if is_swept { usize::MAX } else { 1 }) {
        let (Some(streams), Some(rooflines)) = (streams(&board), rooflines(&roofline)) else { return };
        let rows = [streams, rooflines].concat();
        let (error, tau) = judged(&rows);
        println!("{} of {}: mean error {error:.3}, tau {tau:.2}", rows.len(), board.target);
        all.push((rows, error < board.most_error && tau > board.least_tau));
    }
    for (rows, holds) in &all {
        assert!(holds, "{:?}\n{}", judged(rows), table(rows));
    }
    if is_swept {
        let rows: Vec<Row> = all.into_iter().flat_map(|(rows, ..)| rows).collect();
        written(BEGIN, &rows);
    }
}
