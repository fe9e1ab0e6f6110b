//! The model of time must show what is certain: latencies add up along a chain, pipes have their rates, waiting costs no issue
//! slots, and more work never takes less time.

use diagnostics::Source;
use machine::target::{Pipeline, Target};
use machine::toolchain;
use sass::{Cubin, Kernel};
use std::sync::Arc;
use warpsim::machine_code::{self, Cause, Timing, WarpTime};
use warpsim::{Argument, Buffer, Launch, Options};

#[path = "../../../tests/common/skip.rs"]
mod skip;

fn hopper() -> &'static Target {
    Target::by_name("hopper").unwrap()
}

/// An instruction with its stall count, the scoreboard that it sets, and those that it waits for.
struct Line(String, u8, Option<u8>, u8);

fn line(text: &str, stall: u8) -> Line {
    Line(text.to_owned(), stall, None, 0)
}

/// Times the lines, followed by EXIT, on so many warps.
fn timed(lines: Vec<Line>, warps: u32) -> Timing {
    let mut text = "\t.section\t.text.k,\"ax\",@progbits\n".to_owned();
    let exit = [line("EXIT", 1)];
    let all: Vec<Line> = lines.into_iter().chain(exit).collect();
    for (at, Line(instruction, ..)) in all.iter().enumerate() {
        text += &format!("        /*{:04x}*/                   {instruction} ;\n", 16 * at);
    }
    let listing = Arc::new(Source { name: "k".to_owned(), text });
    let mut instructions = sass::instructions(&listing).unwrap_or_else(|d| panic!("{d:?}")).remove("k").unwrap();
    for (instruction, Line(_, stall, write, wait)) in instructions.iter_mut().zip(&all) {
        let write = u128::from(write.unwrap_or(7));
        // the warp is kept, and no scoreboard waits for operands
        let control = u128::from(*stall) | 1 << 4 | write << 5 | 7 << 8 | u128::from(*wait) << 11;
        instruction.encoding = Some(control << 105);
    }
    let kernel = Kernel {
        name: "k".to_owned(),
        registers: 32,
        stack_bytes: 0,
        shared_bytes: 4096,
        threads: None,
        parameters: Vec::new(),
        banks: Vec::new(),
        instructions,
    };
    let cubin = Cubin { sm: 90, kernels: vec![kernel], tables: Vec::new(), listing };
    let launch = Launch::linear(1, 32 * warps, Vec::new());
    let time = machine_code::time(&cubin, "k", &launch, &mut [], &Options::default(), hopper());
    time.unwrap_or_else(|failure| panic!("{failure:?}")).1
}

fn repeated(text: &str, stall: u8, times: usize) -> Vec<Line> {
    (0..times).map(|_| line(text, stall)).collect()
}

#[test]
fn a_chain_takes_its_latency_times_its_length() {
    let timing = timed(repeated("DFMA R2, R2, R2, R2", 8, 100), 1);
    assert_eq!(timing.cycles, 8 * 100 + 1);
    assert_eq!(timing.warps[0].of(Cause::FixedLatency), 7 * 100);
    assert_eq!(timing.issued, 101);
}

#[test]
fn independent_work_reaches_the_rate_of_its_pipe() {
    // one warp of each sub-partition; the stall count would allow one per clock
    let timing = timed(repeated("DFMA R2, R4, R6, R8", 1, 200), 4);
    assert_eq!(timing.cycles, 2 * 200);
    assert!(timing.warps.iter().all(|warp| warp.of(Cause::Pipe) == 199), "{timing:?}");
    // four warps of one sub-partition share its pipe
    let shared = timed(repeated("DFMA R2, R4, R6, R8", 1, 200), 16).cycles;
    assert!((1600..1610).contains(&shared), "{shared}");
    // single precision has a pipe that takes one per clock, from chains of 4
    let chains = timed(repeated("FFMA R2, R2, R2, R2", 4, 100), 16);
    assert!((400..410).contains(&chains.cycles), "{}", chains.cycles);
}

#[test]
fn a_load_is_waited_for_by_its_scoreboard() {
    let latency = u64::from(hopper().pipeline.as_ref().unwrap().shared_latency);
    let store = Line("STS [RZ], RZ".to_owned(), 1, None, 0);
    let load = Line("LDS R2, [RZ]".to_owned(), 1, Some(0), 0);
    let used = Line("IADD3 R3, R2, R2, RZ".to_owned(), 1, None, 1);
    let timing = timed(vec![store, load, used], 1);
    // a pass of the store, one of the load, the latency
    assert!((latency..latency + 8).contains(&timing.warps[0].of(Cause::Shared)), "{timing:?}");
}

#[test]
fn a_warp_at_a_barrier_costs_no_issue_slots() {
    // warps 0 and 4 share a sub-partition; warp 4 works while the others wait
    let mut lines = vec![
        line("S2R R0, SR_TID.X", 10),
        line("ISETP.LT.AND P0, PT, R0, 0x80, PT", 10),
        line("@P0 BAR.SYNC 0x1, 0xa0", 5),
    ];
    lines.extend(repeated("@!P0 FFMA R2, R4, R6, R8", 1, 300));
    lines.push(line("@!P0 BAR.SYNC 0x1, 0xa0", 5));
    let waiting = timed(lines, 5);
    let late = &waiting.warps[4];
    assert!(late.of(Cause::NotSelected) < 20, "{late:?}");
    assert!(waiting.warps[0].of(Cause::Barrier) > 250, "{:?}", waiting.warps[0]);
}

#[test]
fn more_work_never_takes_a_lone_warp_less_time() {
    let base = ["DFMA R2, R4, R6, R8", "FFMA R10, R10, R12, R10", "IADD3 R14, R15, R16, RZ", "DADD R18, R18, R20"];
    let lines = |skip: Option<usize>| {
        let all = (0..24).map(|i| line(base[i % 4], 1 + (i % 5) as u8));
        all.enumerate().filter(|(i, _)| Some(*i) != skip).map(|(_, line)| line).collect::<Vec<_>>()
    };
    let whole = timed(lines(None), 1).cycles;
    for skip in 0..24 {
        assert!(timed(lines(Some(skip)), 1).cycles <= whole, "without line {skip}");
    }
}

/// Each clock of a warp has one cause, from its start to its end, and the timeline has all of them.
#[test]
fn causes_add_up() {
    let mut lines = repeated("DFMA R2, R4, R6, R8", 2, 50);
    lines.push(line("BAR.SYNC 0x0", 5));
    lines.extend(repeated("MUFU.RCP R2, R3", 1, 20));
    let timing = timed(lines, 12);
    assert_eq!(timing.warps.iter().map(WarpTime::cycles).max(), Some(timing.cycles));
    for (warp, bins) in timing.warps.iter().zip(&timing.timeline.warps) {
        assert_eq!(warp.of(Cause::Issued), 72);
        for cause in Cause::ALL {
            let clocks: u64 = bins.iter().map(|bin| u64::from(bin[cause as usize])).sum();
            assert_eq!(clocks, warp.of(cause), "{}", cause.name());
        }
    }
    let [meeting] = &timing.timeline.meetings[..] else { panic!("{:?}", timing.timeline.meetings) };
    assert_eq!((meeting.barrier, meeting.arrivals.len(), meeting.waiting.len()), (0, 12, 12));
    let last = meeting.arrivals.iter().map(|(_, time)| *time).max().unwrap();
    let Pipeline { barrier_latency, barrier_latency_per_warp, .. } = hopper().pipeline.as_ref().unwrap();
    assert_eq!(meeting.released, last + u64::from(barrier_latency + 12 * barrier_latency_per_warp));
}

/// A kernel that executes a statement of PTX so many times, each on the result of the one before.
fn chain(statement: &str, times: usize) -> String {
    format!(
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .f64 %d<2>; .reg .f32 %f<2>; .reg .b64 %a;\nld.param.u64 %a, [p];\n\
         ld.global.f64 %d0, [%a]; ld.global.f64 %d1, [%a+8]; ld.global.f32 %f0, [%a+16]; ld.global.f32 %f1, [%a+20];\n\
         {}\nst.global.f64 [%a], %d0; st.global.f32 [%a+16], %f0;\nret;\n}}\n",
        statement.repeat(times)
    )
}

/// Clocks of a chain as ptxas makes it; nothing where tools are absent.
fn clocks(statement: &str, times: usize) -> Option<u64> {
    let arch = hopper().compute_capability;
    let tools = toolchain::find_for(arch).and_then(|tools| Ok((tools, toolchain::disassembler(arch)?)));
    let (tools, disassembler) = tools.map_err(skip::skip).ok()?;
    let bytes = tools.assemble(&chain(statement, times), arch).unwrap_or_else(|failure| panic!("{failure}")).cubin;
    let text = disassembler.disassemble(&bytes).unwrap();
    let listing = Arc::new(Source { name: "k".to_owned(), text });
    let cubin = sass::read("k.cubin", &bytes, &listing).unwrap_or_else(|d| panic!("{d:?}"));
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0)]);
    let mut buffers = [Buffer::in_out(&[1.0; 4])];
    let timed = machine_code::time(&cubin, "k", &launch, &mut buffers, &Options::default(), hopper());
    Some(timed.unwrap_or_else(|failure| panic!("{failure:?}")).1.cycles)
}

/// Jia et al. (2018, table 4.1) measured on Volta what the stall counts of today still say: 8 clocks for a fused multiply-add of
/// doubles, 4 for one of singles.
#[test]
fn published_latencies_come_out_of_machine_code() {
    for (statement, latency) in [
        ("fma.rn.f64 %d0, %d0, %d0, %d1;\n", 8),
        ("add.rn.f64 %d0, %d0, %d1;\n", 8),
        ("fma.rn.f32 %f0, %f0, %f0, %f1;\n", 4),
    ] {
        let Some((short, long)) = clocks(statement, 64).zip(clocks(statement, 128)) else { return };
        // the compiler adds a clock here and there
        assert!((64 * latency..=64 * latency + 8).contains(&(long - short)), "{statement} {short} {long}");
    }
}
