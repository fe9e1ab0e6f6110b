//! Kernels whose limit is known, because others measured them until nothing but one part of the SM bound them: another table in
//! docs/lab/time.md.
//!
//! `SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time limits` writes it, if the compilers are installed.

use crate::assembly::{line, looped, timed};
use crate::measured::Compilers;
use crate::table::{Row, table, written};
use machine::target::Target;
use warpsim::{Argument, Buffer, Launch};

const STRIDES: &str = "RRZE-HPC gpu-benches, gpu-strides";
const L2: &str = "RRZE-HPC gpu-benches, gpu-l2-cache, gpu-cache";

/// Strides, and what was measured of each.
type Strides = [(u32, f64)];

/// Clocks of a load by the words between lanes: a warp's neighbours are so many apart. An A40's doubles are bound by its arithmetic,
/// and of its floats these are bound by banks; where lines bind it takes up to 1.35 times as long as modelled (7 apart: 2.67 clocks).
const BY_STRIDE: [(&str, &str, &str, &Strides); 3] = [
    (
        "ampere",
        "A100",
        "double",
        &[(1, 2.01), (2, 4.00), (3, 2.42), (4, 8.0), (5, 3.34), (7, 4.04), (8, 16.0), (9, 5.1), (15, 8.0)],
    ),
    (
        "hopper",
        "H200",
        "double",
        &[(1, 2.01), (2, 4.01), (3, 2.32), (4, 8.0), (5, 3.16), (7, 4.32), (8, 16.0), (9, 5.3), (15, 8.0)],
    ),
    ("ampere-ga10x", "A40", "float", &[(1, 2.0), (2, 2.0), (4, 4.0), (8, 8.0), (16, 16.0), (32, 32.0)]),
];

/// Boards with their clock, and 10^9 bytes per second that the L2 cache delivers to all multiprocessors.
const FROM_L2: [(&str, &str, u32, u32, f64); 5] = [
    ("volta", "V100", 1380, 80, 2330.0),
    ("ampere", "A100", 1410, 108, 5430.0),
    ("ampere-ga10x", "A40", 1740, 84, 2310.0),
    ("ada", "L40", 2490, 142, 5710.0),
    ("hopper", "H200", 1980, 132, 9830.0),
];

/// Returns the clocks of a load of a CTA of 32 warps by the stride; all data lie in the first cache.
fn strided<'a>(compilers: &'a Compilers, ty: &str) -> impl Fn(u32) -> f64 + 'a {
    let cubin = compilers.cubin(format!(
        "extern \"C\" __global__ void k({ty} *a, {ty} *b, int zero, int stride, int n) {{\n\
         {ty} sum = 0.0; {ty} *own = a + (threadIdx.x % 64) * stride;\n#pragma unroll 1\n\
         for (int i = 0; i < n; i++) {{ own += zero; sum += own[0] * own[4]; sum += own[8] * own[12];\n\
         sum += own[20] * own[16]; sum += own[24] * own[28]; }}\n\
         if (sum == ({ty})123123.23) b[threadIdx.x] = sum; }}\n"
    ));
    let after = move |rounds: u32, stride: u32| {
        let mut buffers = [Buffer::in_out(&vec![0.1; 64 * stride as usize + 32]), Buffer::in_out(&[0.0; 1024])];
        let words = [Argument::U32(0), Argument::U32(stride), Argument::U32(rounds)];
        let arguments = (0..2).map(Argument::Buffer).chain(words).collect();
        compilers.cycles(&cubin, "k", &Launch::linear(1, 1024, arguments), &mut buffers)
    };
    move |stride| (after(24, stride) - after(8, stride)) / (16.0 * 8.0 * 32.0)
}

/// Returns the bytes per clock that a full SM gets of data that its share of the L2 cache holds. `load` is how it loads a pointer.
fn from_l2(compilers: &Compilers, load: &str) -> f64 {
    let loaded = load.replace('@', "b + 1024 * j + threadIdx.x");
    let cubin = compilers.cubin(format!(
        "extern \"C\" __global__ void k(double *a, const double *b, int zero, int n) {{\n\
         double sum = 0.0;\n#pragma unroll 1\nfor (int i = 0; i < n; i++) {{ b += zero;\n#pragma unroll\n\
         for (int j = 0; j < 4; j++) sum += {loaded}; }}\n\
         if (sum == 123123.23) a[threadIdx.x] = sum; }}\n"
    ));
    let after = |rounds: u32| {
        let mut buffers = [Buffer::in_out(&[0.0; 1024]), Buffer::in_out(&[0.1; 4096])];
        let words = [Argument::U32(0), Argument::U32(rounds)];
        let arguments = (0..2).map(Argument::Buffer).chain(words).collect();
        compilers.cycles(&cubin, "k", &Launch::linear(2, 1024, arguments), &mut buffers)
    };
    2.0 * 16.0 * 4096.0 * 8.0 / (after(24) - after(8))
}

/// Returns the clocks per instruction of a loop of this many KiB, whose code the cache of the SM holds and that of a sub-partition does not.
fn fetched(target: &Target, kib: usize) -> f64 {
    let body: Vec<_> = (0..64 * kib - 4).map(|at| line(&format!("FFMA R{}, R2, R3, RZ", 4 + at % 4))).collect();
    let after = |times| timed(&looped(&[], &body, times), 1, target, Vec::new()).cycles as f64;
    (after(6) - after(4)) / (2.0 * body.len() as f64)
}

fn rows() -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, board, ty, published) in BY_STRIDE {
        let compilers = Compilers::new(name, 1000)?;
        let strided = strided(&compilers, ty);
        for &(stride, published) in published {
            let what = format!("load of {ty}s {stride} apart, clocks, {board}");
            rows.push(Row { what, target: name, published, source: STRIDES, modelled: strided(stride) });
        }
    }
    for (name, board, megahertz, multiprocessors, published) in FROM_L2 {
        let compilers = Compilers::new(name, megahertz)?;
        let published = published * 1e3 / f64::from(megahertz) / f64::from(multiprocessors);
        for (how, load) in [("`ld.cg`", "__ldcg(@)"), ("volatile load", "*(volatile const double *)(@)")] {
            let published = (100.0 * published).round() / 100.0;
            let what = format!("{how}, L2 cache, bytes per clock, {board}");
            rows.push(Row { what, target: name, published, source: L2, modelled: from_l2(&compilers, load) });
        }
    }
    let target = Target::by_name("ampere-ga10x").ok()?;
    let (what, modelled) = ("code between 20 and 26 KiB, clocks per instruction".to_owned(), fetched(target, 24));
    rows.push(Row { what, target: "ampere-ga10x", published: 2.08, source: "YKTian-x2b, RTX 3060", modelled });
    Some(rows)
}

const BEGIN: &str = "<!-- known limits: written by the test `limits` -->\n";

#[test]
fn kernels_of_known_limits_come_back() {
    let Some(rows) = rows() else { return };
    let far: Vec<&Row> = rows.iter().filter(|row| (row.modelled / row.published - 1.0).abs() > 0.2).collect();
    assert!(far.is_empty(), "{}", table(far.iter().copied()));
    written(BEGIN, &rows);
}

/// Atomics on doubles pass the way to the L2 cache, which updates a word once per clock for all multiprocessors.
#[test]
fn atomics_take_their_turns_in_the_second_cache() {
    let Some(compilers) = Compilers::new("volta", 1380) else { return };
    // clocks for a warp's atomics with lanes that are `apart` words from each other
    let each = |apart: u32, ctas: u32| {
        let source = "extern \"C\" __global__ void k(double *a, int apart, int n) {\n#pragma unroll 1\n\
             for (int i = 0; i < n; i++) atomicAdd(a + threadIdx.x * apart, 1.0); }\n";
        let cubin = compilers.cubin(source.to_owned());
        let after = |rounds: u32| {
            let mut buffers = [Buffer::in_out(&[0.0; 1024])];
            let arguments = vec![Argument::Buffer(0), Argument::U32(apart), Argument::U32(rounds)];
            compilers.cycles(&cubin, "k", &Launch::linear(ctas, 256, arguments), &mut buffers)
        };
        (after(24) - after(8)) / 16.0 / f64::from(8 * ctas)
    };
    let target = &compilers.target;
    let l2 = f64::from(target.pipeline.as_ref().unwrap().memory.l2_bytes_per_clock_per_sm);
    // a CTA with its own words: 256 bytes a warp over the way
    let own = each(1, 1);
    assert!((own / (256.0 / l2) - 1.0).abs() < 0.05, "{own}");
    // 32 lanes on one word, one after the other; of two CTAs all multiprocessors are taken to add to it
    let contended = each(0, 1);
    assert!((contended - 32.0).abs() < 1.0, "{contended}");
    let shared = each(0, 2);
    assert!((shared / f64::from(32 * target.board.multiprocessors) - 1.0).abs() < 0.05, "{shared}");
}
