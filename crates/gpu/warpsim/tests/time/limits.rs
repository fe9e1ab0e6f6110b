//! Kernels whose limit is known, because others measured them until nothing but one part of the SM bound them: another table in
//! docs/lab/time.md.
//!
//! `SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time limits` writes it, if the compilers are installed.

use crate::assembly::{counted, line, looped, timed};
use crate::measured::Compilers;
use crate::table::{Row, table, written};
use machine::target::Target;
use warpsim::{Argument, Buffer, Launch};

const STRIDES: &str = "RRZE-HPC gpu-benches, gpu-strides";
const L2: &str = "RRZE-HPC gpu-benches, gpu-l2-cache, gpu-cache";

/// Clocks of a load of doubles by the words between lanes: a warp's neighbours are so many doubles apart.
const BY_STRIDE: [(&str, &str, [f64; 9]); 2] = [
    ("ampere", "A100", [2.01, 4.00, 2.42, 8.0, 3.34, 4.04, 16.0, 5.1, 8.0]),
    ("hopper", "H200", [2.01, 4.01, 2.32, 8.0, 3.16, 4.32, 16.0, 5.3, 8.0]),
];
const EACH: [u32; 9] = [1, 2, 3, 4, 5, 7, 8, 9, 15];

/// Boards with their clock, and 10^9 bytes per second that the L2 cache delivers to all multiprocessors.
const FROM_L2: [(&str, &str, u32, u32, f64); 5] = [
    ("volta", "V100", 1380, 80, 2330.0),
    ("ampere", "A100", 1410, 108, 5430.0),
    ("ampere-ga10x", "A40", 1740, 84, 2310.0),
    ("ada", "L40", 2490, 142, 5710.0),
    ("hopper", "H200", 1980, 132, 9830.0),
];

/// Returns the clocks of a load of a CTA of 32 warps, all of whose data lie in the first cache.
fn strided(compilers: &Compilers, stride: u32) -> f64 {
    let cubin = compilers.cubin(
        "extern \"C\" __global__ void k(double *a, double *b, int zero, int stride, int n) {\n\
         double sum = 0.0; double *own = a + (threadIdx.x % 64) * stride;\n#pragma unroll 1\n\
         for (int i = 0; i < n; i++) { own += zero; sum += own[0] * own[4]; sum += own[8] * own[12];\n\
         sum += own[20] * own[16]; sum += own[24] * own[28]; }\n\
         if (sum == 123123.23) b[threadIdx.x] = sum; }\n"
            .to_owned(),
    );
    let after = |rounds: u32| {
        let mut buffers = [Buffer::in_out(&vec![0.1; 64 * stride as usize + 32]), Buffer::in_out(&[0.0; 1024])];
        let words = [Argument::U32(0), Argument::U32(stride), Argument::U32(rounds)];
        let arguments = (0..2).map(Argument::Buffer).chain(words).collect();
        compilers.cycles(&cubin, "k", &Launch::linear(1, 1024, arguments), &mut buffers)
    };
    (after(24) - after(8)) / (16.0 * 8.0 * 32.0)
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
    for (name, board, published) in BY_STRIDE {
        let compilers = Compilers::new(name, 1000)?;
        for (stride, published) in EACH.into_iter().zip(published) {
            let what = format!("load of doubles {stride} apart, clocks, {board}");
            rows.push(Row { what, target: name, published, source: STRIDES, modelled: strided(&compilers, stride) });
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

/// `@P EXIT Q` ends the lanes for which both hold.
#[test]
fn lanes_end_that_hold_both_predicates() {
    let left = |exit: &str| {
        let before = [
            line("S2R R0, SR_TID.X").stall(15),
            line("ISETP.LT.AND P0, PT, R0, 0x10, PT").stall(15),
            line("LOP3.LUT R1, R0, 0x1, RZ, 0xc0, !PT").stall(15),
            line("ISETP.NE.AND P2, PT, R1, RZ, PT").stall(15),
            line("MOV R2, 32@lo(ring)").stall(15),
            line("MOV R3, 32@hi(ring)").stall(15),
        ];
        let after = [line(exit).stall(5), line("STG.E [R2.64], R0").stall(15)];
        let report = counted(&[&before[..], &after].concat(), Target::by_name("hopper").unwrap(), vec![0; 128]);
        report.warps[0].global_store_bytes / 4
    };
    assert_eq!(["@P0 EXIT", "@P0 EXIT P2", "@P0 EXIT !P2", "@!P0 EXIT P2", "EXIT P2"].map(left), [16, 24, 24, 24, 16]);
}
