//! Breaks a schedule or a program on purpose, so that tests see the proof or the verification notice it.

use crate::overlay::program::Program;
use crate::schedule::Schedule;

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
    /// A constant changes in its 12th digit.
    Constant,
}

impl Fault {
    pub const ALL: [(&'static str, Self); 5] = [
        ("barrier-swapped", Self::BarrierSwapped),
        ("barrier-dropped", Self::BarrierDropped),
        ("arrive-count", Self::ArriveCount),
        ("slot-reused", Self::SlotReused),
        ("constant", Self::Constant),
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
        let constants = &mut program.constants;
        let tables = [&mut constants.reals, &mut constants.real_bank];
        if let Some(c) = tables.into_iter().flatten().find(|c| **c != 0.0) {
            *c *= 1.0 + 4e-12;
        }
    }
}
