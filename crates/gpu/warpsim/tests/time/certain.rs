//! Certain properties of the model of time: latencies add up along a chain, pipes have their rates, waiting costs no issue slots,
//! and more work never takes less time.

use crate::assembly::{Line, line, looped, repeated, timed, timed_ctas};
use machine::target::{Pipeline, Target};
use testkit::compilers::Compilers;
use warpsim::machine_code::{self, Cause, Timing, WarpTime};
use warpsim::{Argument, Buffer, Launch, Options};

fn hopper() -> &'static Target {
    Target::by_name("hopper").unwrap()
}

fn on_hopper(lines: &[Line], warps: u32) -> Timing {
    timed(lines, warps, hopper(), Vec::new())
}

/// Returns the clocks of each pass over the body once its code is near.
fn each_pass(body: &[Line], warps: u32) -> u64 {
    let after = |times| on_hopper(&looped(&[], body, times), warps).cycles;
    (after(30) - after(10)) / 20
}

#[test]
fn a_chain_takes_its_latency_times_its_length() {
    let chain = |length| repeated(&line("DFMA R2, R2, R2, R2").stall(8), length);
    assert_eq!(each_pass(&chain(100), 1) - each_pass(&chain(60), 1), 8 * 40);
    let timing = on_hopper(&chain(100), 1);
    assert_eq!(timing.warps[0].clocks(Cause::FixedLatency), 7 * 100);
    assert_eq!(timing.issued, 101);
}

#[test]
fn independent_work_reaches_the_rate_of_its_pipe() {
    let pass = |text: &str, stall, length, warps| each_pass(&repeated(&line(text).stall(stall), length), warps);
    // one warp of each sub-partition; the stall count would allow one per clock
    let doubles = |warps| pass("DFMA R2, R4, R6, R8", 1, 100, warps) - pass("DFMA R2, R4, R6, R8", 1, 50, warps);
    assert_eq!(doubles(4), 2 * 50);
    // four warps of one sub-partition share its pipe
    assert!((4 * 100 - 4..=4 * 100 + 4).contains(&doubles(16)), "{}", doubles(16));
    // single precision has a pipe that takes one per clock, from chains of 4
    let chains = |length| pass("FFMA R2, R2, R2, R2", 4, length, 16);
    assert!((196..=204).contains(&(chains(100) - chains(50))), "{}", chains(100) - chains(50));
}

#[test]
fn a_load_is_waited_for_by_its_scoreboard() {
    let latency = u64::from(hopper().pipeline.as_ref().unwrap().memory.shared_latency);
    let load = [line("LDS R2, [RZ]").stall(2).sets(0), line("IADD3 R3, R2, R2, RZ").waits(0)];
    let timing = on_hopper(&[&[line("STS [RZ], RZ").stall(15)], &load[..]].concat(), 1);
    // one clock is a stall count, one issues
    assert_eq!(timing.warps[0].clocks(Cause::Shared), latency - 2, "{timing:?}");
}

#[test]
fn a_warp_at_a_barrier_costs_no_issue_slots() {
    // warps 0 and 4 share a sub-partition; warp 4 works while the others wait
    let mut lines = vec![
        line("S2R R0, SR_TID.X").stall(10),
        line("ISETP.LT.AND P0, PT, R0, 0x80, PT").stall(10),
        line("@P0 BAR.SYNC 0x1, 0xa0").stall(5),
    ];
    lines.extend(repeated(&line("@!P0 FFMA R2, R4, R7, R8"), 300));
    lines.push(line("@!P0 BAR.SYNC 0x1, 0xa0").stall(5));
    let waiting = on_hopper(&lines, 5);
    assert!(waiting.warps[4].clocks(Cause::NotSelected) < 20, "{:?}", waiting.warps[4]);
    assert!(waiting.warps[0].clocks(Cause::Barrier) > 250, "{:?}", waiting.warps[0]);
    // the others wait for it: the path to the end runs through it, then through one of them
    let path = waiting.critical_path(5);
    assert_eq!(path.iter().sum::<u64>(), waiting.cycles);
    assert!(path[4] > waiting.cycles / 2 && path[..4].iter().filter(|clocks| **clocks > 0).count() == 1, "{path:?}");
}

/// A barrier that takes no time at all lets its warps go on in the same clock; warps that share a sub-partition still issue one after
/// the other, and the path to the end still has an end.
#[test]
fn a_barrier_without_latency_ends() {
    let mut target = hopper().clone();
    let pipeline = target.pipeline.as_mut().unwrap();
    (pipeline.barrier_latency, pipeline.barrier_latency_per_warp) = (0, 0);
    for warps in [1, 2, 3, 4, 5, 8, 32] {
        let body = [line("BAR.SYNC 0x0").stall(5), line("FFMA R2, R4, R7, R8")];
        let timing = timed(&looped(&[], &body, 50), warps, &target, Vec::new());
        let real = timed(&looped(&[], &body, 50), warps, hopper(), Vec::new());
        assert!(timing.cycles < real.cycles, "{warps}: {} {}", timing.cycles, real.cycles);
        let per_part = u64::from(warps.div_ceil(4));
        assert!(timing.cycles >= per_part * timing.issued / u64::from(warps), "{warps}: {}", timing.cycles);
        let path: u64 = timing.critical_path(warps as usize).iter().sum();
        assert!(path > 0 && path <= timing.cycles, "{warps}: {path} of {}", timing.cycles);
    }
}

/// Takes each line out in turn, on every target with control bits: the rest never takes longer.
#[test]
fn more_work_never_takes_a_lone_warp_less_time() {
    let texts = [
        "DFMA R2, R4, R6, R8", "FFMA R10, R10, R12, R10", "LDS R20, [RZ]", "MUFU.RCP R3, R5",
        "IADD3 R14, R15, R16, RZ", "FADD R18, R18, c[0x3][0x40]", "SHFL.IDX PT, R22, R14, 0x0, 0x1f",
        "DADD R18, R18, R20",
    ];
    let mut state = 1u32;
    let mut random = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % n
    };
    for target in Target::all().filter(|target| target.pipeline.as_ref().is_some_and(|p| p.fixed.is_none())) {
        let program: Vec<Line> = (0..40)
            .map(|_| {
                let made = line(texts[random(8) as usize]).stall(1 + random(6) as u8);
                let made = if random(3) == 0 { made.sets(random(6) as u8) } else { made };
                if random(3) == 0 { made.waits(random(6) as u8) } else { made }
            })
            .collect();
        let first = [line("STS [RZ], RZ").stall(15)];
        // code that comes for the first time is left out: where its lines end matters
        let cycles = |skip: usize| {
            let kept = program.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, line)| line.clone());
            let kept: Vec<Line> = kept.collect();
            let after = |times| timed(&looped(&first, &kept, times), 1, target, Vec::new()).cycles;
            after(6) - after(2)
        };
        let whole = cycles(program.len());
        for skip in 0..program.len() {
            assert!(cycles(skip) <= whole, "{}: without line {skip} {} > {whole}", target.name, cycles(skip));
        }
    }
}

/// Each clock of a warp has one cause, from its start to its end, and the timeline has all of them.
#[test]
fn causes_add_up() {
    let mut lines = repeated(&line("DFMA R2, R4, R6, R8").stall(2), 50);
    lines.push(line("BAR.SYNC 0x0").stall(5));
    lines.extend(repeated(&line("MUFU.RCP R2, R3").sets(0), 20));
    lines.push(line("FADD R5, R2, c[0x3][0x100]").waits(0));
    let timing = on_hopper(&lines, 12);
    assert_eq!(timing.warps.iter().map(WarpTime::cycles).max(), Some(timing.cycles));
    for (warp, bins) in timing.warps.iter().zip(&timing.timeline.warps) {
        assert_eq!(warp.clocks(Cause::Issued), 73);
        for cause in Cause::ALL {
            let clocks: u64 = bins.iter().map(|bin| u64::from(bin[cause as usize])).sum();
            assert_eq!(clocks, warp.clocks(cause), "{}", cause.name());
        }
    }
    let [meeting] = &timing.timeline.meetings[..] else { panic!("{:?}", timing.timeline.meetings) };
    assert_eq!((meeting.barrier, meeting.arrivals.len(), meeting.waiting.len()), (0, 12, 12));
    let last = meeting.arrivals.iter().map(|(_, time)| *time).max().unwrap();
    let Pipeline { barrier_latency, barrier_latency_per_warp, .. } = hopper().pipeline.as_ref().unwrap();
    assert_eq!(meeting.released, last + u64::from(barrier_latency + 12 * barrier_latency_per_warp));
}

/// Shared memory of 20 KiB for each CTA lets four be on a Volta SM at once.
#[test]
fn ctas_that_do_not_fit_wait_for_others_to_end() {
    let volta = Target::by_name("volta").unwrap();
    let chain = repeated(&line("DFMA R2, R2, R2, R2").stall(8), 400);
    let of = |ctas| timed_ctas(&chain, (ctas, 1), volta, Vec::new());
    let [one, four, eight] = [1, 4, 8].map(of);
    assert_eq!((one.resident_ctas, eight.warps.len()), (4, 8));
    assert!(four.cycles < one.cycles + 100, "{} {}", four.cycles, one.cycles);
    // the code is near when the next four begin, which takes its time
    let begin = u64::from(volta.pipeline.as_ref().unwrap().cta_latency);
    let range = four.cycles + begin + 3200..2 * four.cycles + begin;
    assert!(begin > 0 && range.contains(&eight.cycles), "{} {}", eight.cycles, four.cycles);
    assert!(eight.warps[7].cycles() < four.cycles, "{:?}", eight.warps[7]);
}

/// Kepler issues two instructions of a warp at once when they go to different pipes and the second does not need the first.
#[test]
fn independent_instructions_are_issued_together_where_the_target_can() {
    let kepler = Target::by_name("kepler").unwrap();
    let pass = |pair: [&str; 2]| {
        let body: Vec<Line> = (0..64).flat_map(|_| pair.map(line)).collect();
        let after = |times| timed(&looped(&[], &body, times), 1, kepler, Vec::new()).cycles;
        (after(30) - after(10)) / 20
    };
    let together = pass(["FFMA R2, R4, R6, R8", "IADD3 R10, R12, R14, RZ"]);
    assert!((64..112).contains(&together), "{together}");
    let dependent = pass(["FFMA R2, R2, R6, R8", "IADD3 R2, R2, R14, RZ"]);
    assert!(dependent >= 64 * 18, "{dependent}");
    let same = pass(["FFMA R2, R4, R6, R8", "FFMA R10, R12, R14, R14"]);
    assert!((128..176).contains(&same), "{same}");
}

/// Bauer et al. (2014) saw doubles with an operand in constant memory hold Kepler's pipe for longer; nobody saw that of later ones.
#[test]
fn constants_of_doubles_cost_something_on_kepler() {
    let pass = |name: &str, text: &str, warps| {
        let target = Target::by_name(name).unwrap();
        let body = repeated(&line(text), 96);
        let after = |times| timed(&looped(&[], &body, times), warps, target, Vec::new()).cycles;
        (after(30) - after(10)) as f64 / 20.0
    };
    let ratio =
        |name, warps| pass(name, "DFMA R2, R4, R6, c[0x3][0x40]", warps) / pass(name, "DFMA R2, R4, R6, R8", warps);
    let kepler = ratio("kepler", 32);
    assert!((1.45..1.55).contains(&kepler), "{kepler}");
    for name in ["volta", "ampere"] {
        assert!((0.99..1.01).contains(&ratio(name, 32)), "{name} {}", ratio(name, 32));
    }
}

/// The SM of an A100 has twice as many load and store units as that of GA102, where one sub-partition's accesses follow each other
/// in four clocks.
#[test]
fn accesses_of_one_sub_partition_follow_each_other() {
    let each = |name: &str| {
        let target = Target::by_name(name).unwrap();
        let stored = line("STS [RZ], RZ").stall(15);
        let after = |length| {
            let body = repeated(&line("LDS R4, [RZ]"), length);
            let after =
                |times| timed(&looped(std::slice::from_ref(&stored), &body, times), 1, target, Vec::new()).cycles;
            after(30) - after(10)
        };
        (after(64) - after(32)) as f64 / (32.0 * 20.0)
    };
    // its code comes no faster than it is issued, which shows now and then
    assert!((2.0..2.25).contains(&each("ampere")), "{}", each("ampere"));
    assert_eq!(each("ampere-ga10x"), 4.0);
}

/// Code that stays in the cache of its sub-partition is fetched once; more than that again and again.
#[test]
fn code_beyond_the_caches_is_waited_for() {
    let capacity = hopper().pipeline.as_ref().unwrap().fetch.l0_bytes as usize / 16;
    let waits = |length: usize| {
        let body = repeated(&line("FFMA R2, R4, R7, RZ").stall(1), length);
        let after = |times| on_hopper(&looped(&[], &body, times), 1).warps[0].clocks(Cause::Fetch);
        (after(6) - after(4)) as f64 / 2.0 / length as f64
    };
    assert_eq!(waits(capacity / 2), 0.0);
    assert!(waits(2 * capacity) > 0.2, "{}", waits(2 * capacity));
}

/// A store has no result that anything waits for, but it takes the memory's bandwidth all the same. One SM of Volta has an
/// eightieth of the device memory's rate: 6.61 bytes per clock.
#[test]
fn stores_take_their_share_of_the_bandwidth() {
    let volta = Target::by_name("volta").unwrap();
    let share = 809e9 / (80.0 * 1.53e9);
    // eight warps, each of which goes over lines of its own
    let before = [
        line("S2R R1, SR_TID.X").sets(0).stall(2),
        line("MOV R2, 32@lo(ring)").stall(5),
        line("MOV R3, 32@hi(ring)").stall(5),
        line("IMAD.WIDE.U32 R2, R1, 0x8, R2").waits(0).stall(6),
    ];
    let (rounds, bytes) = (64u32, 8 * 256 * 64 * 16u32);
    let clocks = |access: &str| {
        let body: Vec<Line> = (0..16u32)
            .map(|at| line(&access.replace("OFFSET", &format!("{:#x}", 8 * 256 * at))).stall(2).sets(0).frees(1))
            .chain([line("IADD3 R2, R2, 0x8000, RZ").waits(0).waits(1).stall(5)])
            .collect();
        timed(&looped(&before, &body, rounds), 8, volta, vec![0; bytes as usize]).cycles as f64
    };
    let [loads, stores] = ["LDG.E.64 R6, [R2.64+OFFSET]", "STG.E.64 [R2.64+OFFSET], R4"].map(clocks);
    let least = f64::from(bytes) / share;
    assert!((least..1.05 * least).contains(&loads), "{loads} clocks, {least} by bandwidth");
    // data that the L2 cache holds in the end is not written yet: its share of an SM is 78 KiB
    let in_cache = 6.0 * 1024.0 * 1024.0 / 80.0 / share;
    assert!((least - in_cache - 400.0..1.05 * least).contains(&stores), "{stores} clocks, {least} by bandwidth");
}

/// Makes a kernel that executes a statement of PTX this many times, each on the result of the one before.
fn chain(statement: &str, times: usize) -> String {
    format!(
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .f64 %d<2>; .reg .f32 %f<2>; .reg .b64 %a;\nld.param.u64 %a, [p];\n\
         ld.global.f64 %d0, [%a]; ld.global.f64 %d1, [%a+8]; ld.global.f32 %f0, [%a+16]; ld.global.f32 %f1, [%a+20];\n\
         {}\nst.global.f64 [%a], %d0; st.global.f32 [%a+16], %f0;\nret;\n}}\n",
        statement.repeat(times)
    )
}

/// Returns the clocks of a chain as ptxas makes it; `None` if tools are absent.
fn clocks(statement: &str, times: usize) -> Option<u64> {
    let cubin = Compilers::new(hopper().compute_capability)?.cubin(&chain(statement, times));
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0)]);
    let mut buffers = [Buffer::in_out(&[1.0; 4])];
    let timed = machine_code::time(&cubin, "k", &launch, &mut buffers, &Options::default(), hopper());
    Some(timed.unwrap_or_else(|failure| panic!("{failure:?}")).1.cycles)
}

/// Latencies that Jia et al. (2018, table 4.1) measured on Volta still appear in the stall counts of today: 8 clocks for a fused
/// multiply-add of doubles, 4 for one of singles.
#[test]
fn published_latencies_come_out_of_machine_code() {
    for (statement, latency) in [
        ("fma.rn.f64 %d0, %d0, %d0, %d1;\n", 8),
        ("add.rn.f64 %d0, %d0, %d1;\n", 8),
        ("fma.rn.f32 %f0, %f0, %f0, %f1;\n", 4),
    ] {
        let Some((short, long)) = clocks(statement, 64).zip(clocks(statement, 128)) else { return };
        // the code comes for the first time, one line of eight instructions after the other
        let (exact, fetched) = (64 * latency, 64 / 8 * 39);
        assert!((exact..=exact.max(fetched) + 32).contains(&(long - short)), "{statement} {short} {long}");
    }
}
