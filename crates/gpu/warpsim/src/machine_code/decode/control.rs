//! Branches, convergence, barriers, exchanges between lanes, and special registers.

use super::operands::Operands;
use crate::machine_code::constants::Windows;
use crate::machine_code::op::{Access, Flow, Kind, Lanes, Op, Selection, ZERO};
use ptx::inst::{BarKind, ShflMode, Special, VoteMode};
use sass::Operand;

/// Decodes an instruction; `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let op = match o.instruction.operation() {
        "BRA" => branch(o)?,
        "CALL" => {
            o.only(&["REL", "NOINC"])?;
            Op::Flow(Flow::Branch { target: target(o)?, with: None, unless: None, whole: false })
        }
        "RET" => {
            o.only(&["REL", "NODEC"])?;
            let a = o.register()?;
            let Operand::Label(base) = o.next()? else { return None };
            Op::Flow(Flow::Indirect { a, wide: true, base: i64::from(*base) })
        }
        "BRX" | "BRXU" => {
            o.only(&[])?;
            let a = o.register()?;
            // relative to the next instruction
            Op::Flow(Flow::Indirect { a, wide: true, base: o.number()? + i64::from(o.instruction.address) + 16 })
        }
        "EXIT" => {
            o.only(&[])?;
            let with = if o.left() > 0 { Some(o.bit()?) } else { None };
            Op::Flow(Flow::Exit { with })
        }
        "BSSY" => {
            o.only(&["RECONVERGENT", "RELIABLE"])?;
            let barrier = convergence(o)?;
            target(o)?;
            Op::Flow(Flow::Join { barrier })
        }
        "BSYNC" => {
            o.only(&["RECONVERGENT", "RELIABLE"])?;
            Op::Flow(Flow::Meet { barrier: convergence(o)? })
        }
        "BREAK" => {
            o.only(&["RELIABLE"])?;
            let with = if matches!(o.peek()?, Operand::Predicate { .. }) { Some(o.bit()?) } else { None };
            Op::Flow(Flow::Leave { barrier: convergence(o)?, with })
        }
        "BMOV" => moved(o)?,
        "WARPSYNC" => gather(o)?,
        "BAR" => barrier(o)?,
        "UCGABAR_ARV" => Op::Flow(Flow::ClusterBarrier { waits: false }),
        "UCGABAR_WAIT" => Op::Flow(Flow::ClusterBarrier { waits: true }),
        "SHFL" => shuffle(o)?,
        "VOTE" | "VOTEU" => ballot(o)?,
        "MATCH" => {
            o.only(&["ANY"])?;
            Op::Lanes(Lanes::Match { d: o.register()?, a: o.source(Kind::Integer)? })
        }
        "S2R" | "S2UR" => special(o)?,
        "CS2R" => zeros(o)?,
        // waits that only matter in time, and hints
        "LDGDEPBAR" => Op::Access(Access::CloseCopies),
        // the scoreboard of copies counts their groups; others only matter in time
        "DEPBAR" if o.has("LE") => {
            o.next()?;
            return Some(Op::Access(Access::AwaitCopies { pending: u32::try_from(o.number()?).ok()? }));
        }
        "NOP" | "DEPBAR" | "YIELD" | "NANOSLEEP" | "ENDCOLLECTIVE" | "MEMBAR" | "ERRBAR" | "CGAERRBAR" | "CCTL"
        | "WARPGROUP" => {
            return Some(Op::Nothing);
        }
        _ => return None,
    };
    o.done()?;
    Some(op)
}

pub(super) fn target(o: &mut Operands<'_, '_, '_>) -> Option<u32> {
    let Operand::Label(address) = o.next()? else { return None };
    let instructions = &o.decoder.kernel.instructions;
    instructions.binary_search_by_key(address, |instruction| instruction.address).ok().map(|index| index as u32)
}

/// Decodes `BRA [p,] target`; `BRA.DIV lanes, target`, taken if lanes are missing; `BRA.U`, taken only by all lanes together, so
/// that later code may take them apart.
fn branch(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["DIV", "U"])?;
    let unless = match o.peek()? {
        _ if !o.has("DIV") => None,
        // Volta names no lanes and means all
        Operand::Label(_) => Some(o.decoder.constant(u32::MAX, 0)),
        _ => Some(o.source(Kind::Integer)?),
    };
    let with = match o.peek()? {
        Operand::Predicate { .. } => Some(o.bit()?),
        _ => None,
    };
    Some(Op::Flow(Flow::Branch { target: target(o)?, with, unless, whole: o.has("U") }))
}

fn convergence(o: &mut Operands<'_, '_, '_>) -> Option<u8> {
    match o.next()? {
        Operand::Convergence(number) => Some(*number).filter(|number| *number < 16),
        _ => None,
    }
}

/// Decodes `BMOV.32[.CLEAR] d, barrier` and `BMOV.32 barrier, a`.
fn moved(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["32", "CLEAR"])?;
    if let Operand::Convergence(_) = o.peek()? {
        return Some(Op::Flow(Flow::Restore { barrier: convergence(o)?, a: o.source(Kind::Integer)? }));
    }
    let d = o.register()?;
    Some(Op::Flow(Flow::Save { barrier: convergence(o)?, clear: o.has("CLEAR"), d }))
}

/// Decodes `WARPSYNC mask`, `WARPSYNC.ALL`, and `WARPSYNC.COLLECTIVE mask, target` or `WARPSYNC.COLLECTIVE.ALL target`: all lanes execute the next instructions
/// together, and go on at the target.
fn gather(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["ALL", "COLLECTIVE", "EXCLUSIVE"])?;
    let mask = if o.has("ALL") { None } else { Some(o.source(Kind::Integer)?) };
    if o.has("COLLECTIVE") {
        target(o)?;
    }
    Some(Op::Flow(Flow::Gather { mask }))
}

/// Decodes `BAR.SYNC|ARV id [, threads]`.
fn barrier(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["SYNC", "ARV", "DEFER_BLOCKING"])?;
    let kind = if o.has("ARV") { BarKind::Arrive } else { BarKind::Sync };
    let id = o.source(Kind::Integer)?;
    let threads = if o.left() > 0 { Some(o.source(Kind::Integer)?) } else { None };
    Some(Op::Flow(Flow::Barrier { kind, id, threads }))
}

fn shuffle(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["IDX", "UP", "DOWN", "BFLY"])?;
    let mode = match () {
        () if o.has("IDX") => ShflMode::Idx,
        () if o.has("UP") => ShflMode::Up,
        () if o.has("DOWN") => ShflMode::Down,
        () => ShflMode::Bfly,
    };
    let (valid, d) = (o.result_bit()?, o.register()?);
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    Some(Op::Lanes(Lanes::Shuffle { mode, valid, d, sources }))
}

/// Decodes `VOTE.ALL|ANY|EQ [d,] p, of`.
fn ballot(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["ALL", "ANY", "EQ"])?;
    let mode = match () {
        () if o.has("ALL") => VoteMode::All,
        () if o.has("ANY") => VoteMode::Any,
        () => VoteMode::Uni,
    };
    let d = if matches!(o.peek()?, Operand::Register(_)) { o.register()? } else { ZERO };
    let p = o.result_bit()?;
    Some(Op::Lanes(Lanes::Vote { mode, d, p, of: o.bit()? }))
}

fn special(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&[])?;
    let d = o.register()?;
    let Operand::Special(name) = o.next()? else { return None };
    let special = match &**name {
        // the window of shared memory, as two words
        "SR_SWINLO" => return Some(Op::Selection(Selection::Move { d, a: o.decoder.constant(window(o) as u32, 0) })),
        "SR_SWINHI" => {
            return Some(Op::Selection(Selection::Move { d, a: o.decoder.constant((window(o) >> 32) as u32, 0) }));
        }
        "SR_TID.X" => Special::TidX,
        "SR_TID.Y" => Special::TidY,
        "SR_TID.Z" => Special::TidZ,
        "SR_CTAID.X" => Special::CtaidX,
        "SR_CTAID.Y" => Special::CtaidY,
        "SR_CTAID.Z" => Special::CtaidZ,
        "SR_LANEID" => Special::LaneId,
        "SR_CLOCKLO" => Special::Clock,
        "SR_EQMASK" => Special::LanemaskEq,
        "SR_LTMASK" => Special::LanemaskLt,
        "SR_LEMASK" => Special::LanemaskLe,
        "SR_GTMASK" => Special::LanemaskGt,
        "SR_GEMASK" => Special::LanemaskGe,
        "SR_CgaCtaId" => Special::ClusterCtarank,
        _ => return None,
    };
    Some(Op::Selection(Selection::Special { d, special }))
}

fn window(o: &Operands<'_, '_, '_>) -> u64 {
    Windows::new(o.decoder.cubin.sm).shared
}

/// Decodes `CS2R d, SRZ`.
fn zeros(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["32"])?;
    let d = o.register()?;
    let a = o.decoder.constant(0, 0);
    matches!(o.next()?, Operand::Special(name) if &**name == "SRZ").then_some(())?;
    Some(if o.has("32") {
        Op::Selection(Selection::Move { d, a })
    } else {
        Op::Selection(Selection::MoveWide { d, a })
    })
}
