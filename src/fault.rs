//! Breaks a schedule, a program or a printed text on purpose, so that tests see the proof or the verification notice it.

use overlay::Codegen;
use overlay::program::{Arithmetic, Program};
use ptx::Module;
use ptx::inst::Op;
use schedule::Schedule;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One warp uses another barrier than its partners.
    BarrierSwapped,
    /// One synchronisation point is gone.
    BarrierDropped,
    /// One barrier expects 32 threads more than take part.
    ArriveCount,
    /// A value overwrites another that is still needed.
    SlotReused,
    /// A constant changes in its 12th digit, or of a single in its 6th.
    Constant,
    /// In the printed PTX alone, behind its verification, one named barrier is gone.
    PtxBarrier,
    /// In the text alone, one barrier expects 32 threads more than take part.
    TextBarrier,
    /// In the text alone, one constant comes from the neighbour of its lane.
    TextLane,
    /// In the text alone, the last step of an exponential's polynomial is rounded twice.
    TextRounding,
    /// In the text alone, lanes beyond the last point read one point behind it.
    TextClamp,
    /// In the text alone, a last group that is not full is left out.
    TextGroups,
    /// In the text of data-parallel code alone, an instruction of machine code that nothing here can run.
    TextUnknown,
    /// In the text alone, a number that waits in local memory is stored in the place of another.
    TextSpill,
    /// In the text of reactors alone, a point is left out where the next ones are taken.
    TextQueue,
    /// In the text of reactors alone, a lane that takes a further point goes on with the steps of the last one.
    TextRefill,
}

impl Fault {
    pub const ALL: [(&'static str, Self); 15] = [
        ("barrier-swapped", Self::BarrierSwapped),
        ("barrier-dropped", Self::BarrierDropped),
        ("arrive-count", Self::ArriveCount),
        ("slot-reused", Self::SlotReused),
        ("constant", Self::Constant),
        ("ptx-barrier", Self::PtxBarrier),
        ("text-barrier", Self::TextBarrier),
        ("text-lane", Self::TextLane),
        ("text-rounding", Self::TextRounding),
        ("text-clamp", Self::TextClamp),
        ("text-groups", Self::TextGroups),
        ("text-unknown", Self::TextUnknown),
        ("text-spill", Self::TextSpill),
        ("text-queue", Self::TextQueue),
        ("text-refill", Self::TextRefill),
    ];
}

pub fn in_schedule(fault: Option<Fault>, schedule: &mut Schedule) {
    let first = schedule.phases.iter().position(|p| !p.syncs.is_empty());
    match (fault, first) {
        (Some(Fault::BarrierSwapped), Some(k)) => {
            // The lowest warp splits off to a barrier of its own, with the count unchanged.
            let mut other = schedule.phases[k].syncs[0].clone();
            let lowest = 1 << (other.wait | other.arrive).trailing_zeros();
            let original = &mut schedule.phases[k].syncs[0];
            original.wait &= !lowest;
            original.arrive &= !lowest;
            other.wait = lowest;
            other.arrive = 0;
            other.id += 1;
            schedule.phases[k].syncs.push(other);
        }
        (Some(Fault::BarrierDropped), Some(k)) => {
            schedule.phases[k].syncs.remove(0);
        }
        (Some(Fault::ArriveCount), Some(k)) => schedule.phases[k].syncs[0].threads += 32,
        (Some(Fault::SlotReused), _) => {
            let placed: Vec<_> = schedule.slot_of.iter().filter_map(|(v, s)| s.map(|s| (v, s))).take(2).collect();
            if let [(_, first), (second, _)] = placed[..] {
                schedule.slot_of[second] = Some(first);
            }
        }
        _ => {}
    }
}

pub fn in_program(fault: Option<Fault>, program: &mut Program) {
    if fault == Some(Fault::Constant) {
        let digit = if program.arithmetic == Arithmetic::Double { 4e-12 } else { 4e-6 };
        let constants = &mut program.constants;
        let tables = [&mut constants.reals, &mut constants.real_bank];
        if let Some(c) = tables.into_iter().flatten().find(|c| **c != 0.0) {
            *c *= 1.0 + digit;
        }
    }
}

/// Breaks the printed PTX of a kernel.
pub fn in_ptx(fault: Option<Fault>, module: &mut Module) {
    let insts = module.funcs.iter_mut().flat_map(|func| func.insts.values_mut());
    let named = insts.map(|inst| &mut inst.op).find(|op| matches!(op, Op::Bar { threads: Some(_), .. }));
    if let Some(op) = named.filter(|_| fault == Some(Fault::PtxBarrier)) {
        *op = Op::BarWarp { mask: u32::MAX.into() };
    }
}

/// Breaks the CUDA text of a kernel, at the first place that the fault fits.
pub fn in_text(fault: Option<Fault>, codegen: Codegen, text: &mut String) {
    let broken = match fault {
        Some(Fault::TextBarrier) => between(text, "barrier_sync<", ">", |counts| {
            let (id, threads) = counts.split_once(", ")?;
            Some(format!("{id}, {}", threads.parse::<u32>().ok()? + 32))
        }),
        Some(Fault::TextLane) => between(text, "broadcast(c", ")", |call| {
            let (register, lane) = call.split_once(", ")?;
            Some(format!("{register}, ({lane}) ^ 1"))
        }),
        Some(Fault::TextRounding) => rounded_twice(text),
        Some(Fault::TextClamp) => Some(text.replacen(", points - 1)", ", points)", 1)),
        Some(Fault::TextGroups) => between(text, "const int groups = points / ", ";", |groups| {
            groups.split_once(' ').map(|(group, _)| group.to_owned())
        }),
        Some(Fault::TextSpill) => between(text, "spill<", "(spills, ", |place| {
            Some(format!("{}>", place.strip_suffix('>')?.parse::<u32>().ok()? + 1))
        }),
        Some(Fault::TextQueue) => {
            let text = text.replace("points_begun + number - moving", "(points_begun + number - moving) / 2 * 2");
            Some(text.replace("point = next++;", "point = next++, ++next;"))
        }
        Some(Fault::TextRefill) => {
            let last = "lane.good_step = b.lanes[i].good_step;\n  lane.good_root = b.lanes[i].good_root;";
            Some(text.replace("  b.lanes[i] = lane;", &format!("  {last}\n  b.lanes[i] = lane;")))
        }
        Some(Fault::TextUnknown) if codegen == Codegen::DataParallel => {
            let lane = "const int lane = threadIdx.x & 31;";
            let unknown = match text.contains("hip_runtime") {
                true => "__asm__ volatile(\"s_icache_inv\");",
                false => "asm volatile(\"pmevent 0;\");",
            };
            Some(text.replacen(lane, &format!("{lane}\n  {unknown}"), 1))
        }
        _ => None,
    };
    if let Some(broken) = broken {
        *text = broken;
    }
}

/// The text with what stands between the first `before` and the next `after` changed.
fn between(text: &str, before: &str, after: &str, change: fn(&str) -> Option<String>) -> Option<String> {
    let (head, rest) = text.split_once(before)?;
    let (inner, tail) = rest.split_once(after)?;
    Some(format!("{head}{before}{}{after}{tail}", change(inner)?))
}

/// The steps that make the results of the exponentials, as a product and a sum.
fn rounded_twice(text: &str) -> Option<String> {
    // CUDA, or C++ for a CPU.
    let is_cuda = text.contains("double singe_exp");
    let functions = text
        .split(if is_cuda { "double singe_exp" } else { "real singe_exp" })
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("\n}\n")?.0));
    let mut broken = text.to_owned();
    for function in functions {
        let is_last = |line: &&str| line.contains(" p = fma(") || line.contains("return fma(");
        let step = function.lines().rev().find(is_last)?;
        let (assignment, arguments) = step.split_once("fma(")?;
        let (factors, addend) = arguments.strip_suffix(");")?.rsplit_once(", ")?;
        let rounded = match is_cuda {
            true => format!("{assignment}__dadd_rn(__dmul_rn({factors}), {addend});"),
            false => format!("{assignment}separate_product({factors}) + {addend};"),
        };
        broken = broken.replace(step, &rounded);
    }
    (broken != text).then_some(broken)
}
