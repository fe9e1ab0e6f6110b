//! Published measurements of latencies and rates, and the model's results for the same small kernels: the table in
//! docs/lab/time.md.
//!
//! `SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time published` writes it.

use crate::assembly::{Line, line, looped, repeated, timed, timed_in_cluster};
use crate::table::{Row, table, written};
use machine::target::Target;

const GUIDE: &str = "CUDA C Programming Guide";
const HUERTA: &str = "Huerta et al. 2025";
const MT4G: &str = "mt4g";
const PPT: &str = "PPT (Arafa et al. 2019)";
const ABDELKHALIK: &str = "Abdelkhalik et al. 2022";

/// Returns the clocks of a line of a loop whose code is near: the difference when the line is there twice as often.
fn each_of(target: &Target, warps: u32, before: &[Line], one: Line) -> f64 {
    each(target, warps, before, |length| repeated(&one, length))
}

fn each(target: &Target, warps: u32, before: &[Line], body: impl Fn(usize) -> Vec<Line>) -> f64 {
    let after = |length, times| timed(&looped(before, &body(length), times), warps, target, Vec::new()).cycles as f64;
    let pass = |length| (after(length, 30) - after(length, 10)) / 20.0;
    (pass(64) - pass(32)) / 32.0
}

/// Returns the results per clock of an SM that is full of warps; `@` stands for a register that no other recent result went to.
fn rate(name: &str, text: &str) -> f64 {
    let target = Target::by_name(name).unwrap();
    let one = |at: usize| line(&text.replace('@', &format!("R{}", 12 + 2 * (at % 8))));
    32.0 * 16.0 / each(target, 16, &own_word(), |length| (0..length).map(one).collect())
}

/// Returns pointers that follow each other, each in a line of its own.
fn ring(lines: u64) -> Vec<u8> {
    let place = |at: u64| (1u64 << 40) + 128 * (at % lines);
    let line = |at: u64| {
        let mut bytes = vec![0; 128];
        bytes[..8].copy_from_slice(&place(at + 1).to_le_bytes());
        bytes
    };
    (0..lines).flat_map(line).collect()
}

/// Returns the clocks of a load from global memory on whose result the next one depends, over a ring of lines that has been walked before.
fn chase(name: &str, lines: u64) -> f64 {
    let target = Target::by_name(name).unwrap().alone();
    let before = [line("MOV R2, 32@lo(ring)").stall(5), line("MOV R3, 32@hi(ring)").stall(5)];
    let load = line("LDG.E.64 R2, [R2.64]").stall(2).sets(0).waits(0);
    let body = repeated(&load, 64);
    let lap = (lines / 64) as u32;
    let after = |laps| timed(&looped(&before, &body, laps * lap), 1, &target, ring(lines)).cycles as f64;
    // the loop itself takes 23 clocks around 64 loads
    ((after(3) - after(2)) / f64::from(lap) - 23.0) / 64.0
}

/// Returns the clocks of a load whose line was never touched before.
fn first_touch(name: &str) -> f64 {
    let target = Target::by_name(name).unwrap().alone();
    let before = [line("MOV R2, 32@lo(ring)").stall(5), line("MOV R3, 32@hi(ring)").stall(5)];
    let load = line("LDG.E.64 R2, [R2.64]").stall(2).sets(0).waits(0);
    let after =
        |loads: u32| timed(&looped(&before, &repeated(&load, 8), loads / 8), 1, &target, ring(512)).cycles as f64;
    ((after(256) - after(128)) - 16.0 * 23.0) / 128.0
}

/// Returns the clocks from a load's issue until its dependent instruction can be issued.
fn chain(name: &str, before: &[Line], text: &str) -> f64 {
    let target = Target::by_name(name).unwrap();
    each_of(target, 1, before, line(text).stall(2).sets(0).waits(0))
}

/// Returns the clocks from the issue of an access until its sources may be written.
fn sources(name: &str, text: &str) -> f64 {
    let target = Target::by_name(name).unwrap();
    let before = [line("MOV R2, RZ").stall(5), line("STS.128 [R2], RZ").stall(15)];
    each_of(target, 1, &before, line(text).stall(2).frees(0).waits(0))
}

/// Returns the clocks of `__syncthreads()` of this many warps.
fn barrier(name: &str, warps: u32) -> f64 {
    each_of(Target::by_name(name).unwrap(), warps, &[], line("BAR.SYNC 0x0").stall(5))
}

/// Returns the clocks from one independent load to the next of each sub-partition, if this many are active.
fn stream(warps: u32) -> f64 {
    each_of(Target::by_name("ampere-ga10x").unwrap(), warps, &own_word(), line("LDS R4, [R2]"))
}

/// Returns the clocks by which an operand in constant memory that misses holds the warp back: 4 KiB of them in turn.
fn operand_misses(name: &str) -> f64 {
    let target = Target::by_name(name).unwrap();
    let body = |spread: bool| -> Vec<Line> {
        let place = |at: usize| if spread { 64 * at } else { 0 };
        (0..64).map(|at| line(&format!("FADD R2, R3, c[0x3][{:#x}]", place(at))).stall(4)).collect()
    };
    let pass = |spread| {
        let after = |times| timed(&looped(&[], &body(spread), times), 1, target, Vec::new()).cycles as f64;
        (after(30) - after(10)) / 20.0
    };
    (pass(true) - pass(false)) / 64.0
}

/// Returns the clocks in which nothing is issued behind an instruction.
fn bubble(name: &str, text: &str) -> f64 {
    let target = Target::by_name(name).unwrap();
    each_of(target, 1, &[], line(text)) - 1.0
}

/// Makes R2 point to a word of shared memory of each thread's own.
fn own_word() -> [Line; 3] {
    [
        line("S2R R1, SR_TID.X").sets(0).stall(2),
        line("IMAD.SHL.U32 R2, R1, 0x4, RZ").waits(0).stall(6),
        line("STS [R2], RZ").stall(15),
    ]
}

/// Returns the clocks of a load from constant memory at an address that the load before it brought.
fn constant(name: &str) -> f64 {
    chain(name, &[line("MOV R2, RZ").stall(5)], "LDC R2, c[0x3][R2]")
}

fn latencies(add: &mut impl FnMut(&str, &'static str, f64, &'static str, f64)) {
    let stored = [line("STS [RZ], RZ").stall(15), line("MOV R2, RZ").stall(15)];
    for (text, what, published) in [
        ("FFMA R2, R2, R3, R3", "fused multiply-add, 32 bits", 9.0),
        ("IMAD R2, R2, R3, R3", "product of integers", 9.0),
        ("DFMA R2, R2, R4, R4", "fused multiply-add, 64 bits", 10.0),
    ] {
        add(what, "kepler", published, PPT, chain("kepler", &[], text));
    }
    for (target, published, source) in [
        ("kepler", 26.0, PPT),
        ("volta", 23.0, MT4G),
        ("turing", 23.0, "sjfeng1999"),
        ("ampere", 23.0, ABDELKHALIK),
        ("ampere-ga10x", 24.0, HUERTA),
        ("hopper", 30.0, MT4G),
    ] {
        add("load, shared memory", target, published, source, chain(target, &stored, "LDS R2, [R2]"));
    }
    let wide = [line("STS.128 [RZ], RZ").stall(15), line("MOV R2, RZ").stall(15)];
    // lanes that load the same address need one pass
    add("load, shared memory, 64 bits", "ampere-ga10x", 24.0, HUERTA, chain("ampere-ga10x", &wide, "LDS.64 R2, [R2]"));
    add(
        "load, shared memory, 128 bits",
        "ampere-ga10x",
        26.0,
        HUERTA,
        chain("ampere-ga10x", &wide, "LDS.128 R2, [R2]"),
    );
    for (target, published, source) in [
        ("volta", 30.0, MT4G),
        ("turing", 32.0, "sjfeng1999"),
        ("ampere", 33.0, ABDELKHALIK),
        ("ampere-ga10x", 34.0, HUERTA),
        ("hopper", 38.0, MT4G),
    ] {
        add("load, L1 cache, 64 bits", target, published, source, chase(target, 128));
    }
    for (target, published, source) in [
        ("kepler", 188.0, PPT),
        ("volta", 219.0, MT4G),
        ("turing", 236.0, "sjfeng1999"),
        ("ampere", 200.0, ABDELKHALIK),
        ("ampere-ga10x", 219.0, "YKTian-x2b"),
        ("hopper", 260.0, "mt4g, another run: 222; gpu-benches: 280"),
    ] {
        add("load, L2 cache", target, published, source, chase(target, 4096));
    }
    for (target, published, source) in [
        ("kepler", 331.0, PPT),
        ("volta", 395.0, MT4G),
        ("turing", 484.0, "sjfeng1999"),
        ("ampere", 552.0, "gpu-benches; Abdelkhalik et al. 2022: 290, mt4g: 671"),
        ("ampere-ga10x", 515.0, "YKTian-x2b; gpu-benches: 556"),
        ("hopper", 689.0, "gpu-benches; mt4g: 570 and 864"),
    ] {
        add("load, device memory", target, published, source, first_touch(target));
    }
    for (target, published, source) in
        [("ampere-ga10x", 29.0, HUERTA), ("kepler", 16.0, PPT), ("volta", 40.0, MT4G), ("hopper", 17.0, MT4G)]
    {
        add("load of a constant", target, published, source, constant(target));
    }
    add("operand in constant memory, miss", "ampere-ga10x", 79.0, HUERTA, operand_misses("ampere-ga10x"));
    add("operand in constant memory, miss", "volta", 74.0, "mt4g: 114 - 40", operand_misses("volta"));
    add("operand in constant memory, miss", "hopper", 89.0, "mt4g: 106 - 17", operand_misses("hopper"));
    for (text, published) in
        [("LDS R4, [R2]", 9.0), ("STS [R2], R4", 12.0), ("STS.64 [R2], R4", 14.0), ("STS.128 [R2], R4", 18.0)]
    {
        let what = format!("sources free, `{}`", text.split(' ').next().unwrap_or_default());
        add(&what, "ampere-ga10x", published, HUERTA, sources("ampere-ga10x", text));
    }
    for (warps, published) in [(8, 28.0), (16, 45.0), (32, 77.0)] {
        add(&format!("`__syncthreads` of {warps} warps"), "blackwell", published, "B300", barrier("blackwell", warps));
    }
    for (text, what, published, source) in [
        ("MEMBAR.ALL.CTA", "fence of the CTA", 13.0, "B300: 9 to 16"),
        ("MEMBAR.SC.GPU", "fence of the GPU", 280.0, "B300"),
    ] {
        add(what, "blackwell", published, source, bubble("blackwell", text) + 1.0);
    }
}

/// Adds barriers in memory, barriers of clusters, and the memory of other CTAs.
fn clusters(add: &mut impl FnMut(&str, &'static str, f64, &'static str, f64)) {
    for (warps, published, source) in
        [(1, 54.0, "B300"), (8, 117.0, "B300: 117 to 262"), (32, 262.0, "B300: 117 to 262")]
    {
        let what = format!("barrier in memory, {warps} warps: arrival until the wait is over");
        add(&what, "blackwell", published, source, in_memory(warps));
    }
    add("barrier of a cluster, relaxed", "blackwell", 102.0, "B300", in_cluster(&[], RELAXED));
    add("barrier of a cluster, release and acquire", "blackwell", 373.0, "B300", in_cluster(&[], ORDERED));
    add(
        "load, memory of another CTA",
        "blackwell",
        192.0,
        "B300: 165 to 220",
        in_cluster(&REMOTE, &["LD.E R2, [R2.64]"]),
    );
}

const RELAXED: &[&str] = &["UCGABAR_ARV", "UCGABAR_WAIT"];
const ORDERED: &[&str] = &["MEMBAR.ALL.GPU", "UCGABAR_ARV", "UCGABAR_WAIT"];

/// Each CTA has the address of a word of its own there; R2 and R3 hold the address of the other one's.
const REMOTE: [&str; 9] = [
    "S2R R4, SR_CgaCtaId",
    "LEA R5, R4, 0x400, 0x18",
    "STS [R5], R5",
    "LOP3.LUT R4, R4, 0x1, RZ, 0x3c, !PT",
    "LEA R2, R4, 0x400, 0x18",
    "S2R R3, SR_SWINHI",
    "UCGABAR_ARV",
    "UCGABAR_WAIT",
    "NOP",
];

/// Returns the clocks of the lines in a loop of two CTAs of one warp, which wait for each other in the end.
fn in_cluster(before: &[&str], body: &[&str]) -> f64 {
    let target = Target::by_name("blackwell").unwrap();
    let slow = |text: &&str| line(text).stall(15).sets(0).waits(0);
    let each = |text: &&str| line(text).stall(2).sets(0).waits(0);
    let after = |length: usize, times| {
        let before: Vec<Line> = before.iter().map(slow).collect();
        let body: Vec<Line> = (0..length).flat_map(|_| body.iter().map(each)).collect();
        let mut lines = looped(&before, &body, times);
        lines.extend(["UCGABAR_ARV", "UCGABAR_WAIT"].map(line));
        timed_in_cluster(&lines, 1, target).cycles as f64
    };
    let pass = |length| (after(length, 30) - after(length, 10)) / 20.0;
    (pass(64) - pass(32)) / 32.0
}

/// Returns the clocks of a phase of a barrier in shared memory. All lanes of this many warps come to it and then ask until it is over.
fn in_memory(warps: u32) -> f64 {
    let target = Target::by_name("blackwell").unwrap();
    let less = (1u32 << 20) - 32 * warps;
    let own = [
        format!("MOV R4, {:#x}", less << 1),
        format!("MOV R5, {:#x}", less << 11),
        "S2R R8, SR_TID.X".to_owned(),
        "ISETP.NE.U32.AND P2, PT, R8, RZ, PT".to_owned(),
        "@!P2 SYNCS.EXCH.64 RZ, [0x400], R4".to_owned(),
        "BAR.SYNC 0x0".to_owned(),
    ];
    let before: Vec<Line> = own.iter().map(|text| line(text).stall(15)).collect();
    let after = |length: usize, times| {
        let phase = |at: usize| {
            [
                line("SYNCS.ARRIVE.TRANS64.A1T0 R2, [0x400], RZ").stall(2).sets(0).waits(0),
                line(&format!(".wait{at}:")),
                line("SYNCS.PHASECHK.TRANS64 P1, [0x400], R3").stall(2).sets(0).waits(0),
                line(&format!("@!P1 BRA `(.wait{at})")).stall(5).waits(0),
            ]
        };
        let body: Vec<Line> = (0..length).flat_map(phase).collect();
        timed(&looped(&before, &body, times), warps, target, Vec::new()).cycles as f64
    };
    let pass = |length| (after(length, 30) - after(length, 10)) / 20.0;
    (pass(16) - pass(8)) / 8.0
}

/// Adds the sizes at which loops of straight-line code begin to take longer: KiB of the first and of the second instruction cache.
fn code(add: &mut impl FnMut(&str, &'static str, f64, &'static str, f64)) {
    const JIA: &str = "Jia et al. 2018, 2019";
    const YK: &str = "YKTian-x2b";
    for (target, first, second, source) in [
        ("volta", 12.0, 128.0, JIA),
        ("turing", 16.0, 46.0, JIA),
        ("ampere", 32.0, 128.0, YK),
        ("ampere-ga10x", 16.0, 32.0, YK),
    ] {
        add("code in the first cache, KiB", target, first, source, last_size(target, 2, 64));
        let beyond = 3 * first as usize / 2;
        add("code in the second cache, KiB", target, second, source, last_size(target, beyond, 160));
    }
}

/// Returns the largest size of a loop in KiB, found by bisection, whose instructions take no longer than those of a loop of the
/// smallest size.
fn last_size(name: &str, smallest: usize, largest: usize) -> f64 {
    let target = Target::by_name(name).unwrap();
    // clocks of an instruction; the loop itself takes 23 clocks around them
    let clocks = |kib: usize| {
        let body = repeated(&line("NOP"), 64 * kib - 4);
        let after = |times| timed(&looped(&[], &body, times), 1, target, Vec::new()).cycles as f64;
        ((after(6) - after(4)) / 2.0 - 23.0) / body.len() as f64
    };
    let most = 1.05 * clocks(smallest);
    let (mut inside, mut outside) = (smallest, largest);
    while outside - inside > 1 {
        let middle = (inside + outside) / 2;
        if clocks(middle) <= most { inside = middle } else { outside = middle }
    }
    inside as f64
}

/// Adds table 1 and section 5.3 of Huerta et al.
fn issue(add: &mut impl FnMut(&str, &'static str, f64, &'static str, f64)) {
    for (active, published) in [(1, 4.0), (2, 4.0), (3, 6.0), (4, 8.0)] {
        let what = format!("clocks per load, {active} sub-partitions active");
        add(&what, "ampere-ga10x", published, "Huerta et al. 2025, Table 1", stream(active));
    }
    for (text, what, published) in [
        ("FMUL R1, R2, R5", "bubble, FMUL, two banks", 0.0),
        ("FMUL R1, R2, R4", "bubble, FMUL, one bank", 1.0),
        ("FFMA R1, R2, R4, R6", "bubble, FFMA, one bank", 2.0),
    ] {
        add(what, "ampere-ga10x", published, "Huerta et al. 2025, section 5.3", bubble("ampere-ga10x", text));
    }
}

/// Adds results per clock of an SM.
fn rates(add: &mut impl FnMut(&str, &'static str, f64, &'static str, f64)) {
    let table: [(&str, &str, [f64; 8]); 9] = [
        ("fused multiply-adds, 64 bits", "DFMA @, R6, R8, R10", [64.0, 32.0, 2.0, 32.0, 2.0, 64.0, 64.0, 2.0]),
        ("conversions of 64 bits", "F2F.F64.F32 @, R6", [32.0, 16.0, 2.0, 16.0, 2.0, 16.0, 16.0, 2.0]),
        ("fused multiply-adds, 32 bits", "FFMA @, R6, R7, RZ", [192.0, 64.0, 64.0, 64.0, 128.0, 128.0, 128.0, 128.0]),
        ("additions of integers", "IADD3 @, R6, R7, RZ", [160.0, 64.0, 64.0, 64.0, 64.0, 64.0, 64.0, 64.0]),
        ("products of integers", "IMAD @, R6, R7, RZ", [32.0, 64.0, 64.0, 64.0, 64.0, 64.0, 64.0, 64.0]),
        ("logic", "LOP3.LUT @, R6, R7, RZ, 0xc0, !PT", [160.0, 64.0, 64.0, 64.0, 64.0, 64.0, 64.0, 64.0]),
        ("approximations", "MUFU.RCP @, R6", [32.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0]),
        ("shuffles", "SHFL.IDX PT, @, R6, 0x0, 0x1f", [32.0; 8]),
        ("words of shared memory", "LDS @, [R2]", [32.0; 8]),
    ];
    for (what, text, published) in table {
        for (target, published) in ALL.into_iter().zip(published) {
            add(&format!("{what} per clock"), target, published, GUIDE, rate(target, text));
        }
    }
    for (target, published) in [("kepler", 128.0), ("volta", 16.0), ("turing", 16.0), ("ampere", 16.0)] {
        let threads = 32.0 * 32.0 / barrier(target, 32);
        add("threads through `__syncthreads` per clock", target, published, GUIDE, threads);
    }
}

const ALL: [&str; 8] =
    ["kepler", "volta", "turing", "ampere", "ampere-ga10x", "hopper", "blackwell", "blackwell-gb20x"];

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut add = |what: &str, target: &'static str, published: f64, source: &'static str, modelled: f64| {
        rows.push(Row { what: what.to_owned(), target, published, source, modelled });
    };
    latencies(&mut add);
    code(&mut add);
    clusters(&mut add);
    issue(&mut add);
    rates(&mut add);
    rows
}

const BEGIN: &str = "<!-- published and modelled: written by the test `published` -->\n";

/// Kepler's 192 and 160 lanes serve four schedulers; the model gives each of them 32.
const WIDE: [&str; 3] =
    ["fused multiply-adds, 32 bits per clock", "additions of integers per clock", "logic per clock"];

/// Rows that the page explains.
const EXPLAINED: [&str; 3] =
    ["words of shared memory per clock", "load of a constant", "threads through `__syncthreads` per clock"];

/// Every row is met within a tenth or two clocks, but for those that the page explains.
#[test]
fn published_measurements_come_back() {
    let rows = rows();
    let explained = |what: &str, target: &str| EXPLAINED.contains(&what) || target == "kepler" && WIDE.contains(&what);
    let far = rows.iter().filter(|Row { what, target, published, modelled, .. }| {
        (modelled - published).abs() > (published / 10.0).max(2.0) && !explained(what, target)
    });
    let far: Vec<&Row> = far.collect();
    assert!(far.is_empty(), "{}", table(far.iter().copied()));
    written(BEGIN, &rows);
}
