//! Asynchronous copies, barriers in memory and clusters.

use super::super::counts::Class;
use super::super::memory::{RANK_BITS, SHARED_WINDOW};
use super::super::micro::*;
use super::super::scalar::Each;
use super::Decoder;
use ptx::asynchronous::{Async, view};
use ptx::inst::*;
use ptx::ir::Reg;

/// Decodes one of these instructions; `None`: the simulator does not know it.
pub(super) fn decode(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let seen = view(d.code.module, opcode, pieces).filter(|seen| has_fitting_registers(d, seen))?;
    d.code.one_cta |= needs_cluster(&seen) && d.code.cluster == Some([1; 3]);
    let op = match seen {
        Async::Hint => return Some((Class::Move, Micro::Nothing)),
        Async::Elect { lane, pred, mask } => {
            let (lane, pred) = (lane.map(|lane| d.row(lane)), pred.map(|pred| d.row(pred)));
            return Some((Class::Vote, Micro::Collective(Collective::Elect { lane, pred, mask: d.source(mask) })));
        }
        of_cluster if needs_cluster(&of_cluster) && !d.code.is_whole() => return None,
        // a cluster of one CTA has no other one to deliver to
        Async::BulkMove { .. } | Async::AsyncStore { .. } if d.code.ranks == 1 => return None,
        Async::Map { .. } | Async::Rank { .. } | Async::Load { .. } | Async::Store { .. } | Async::Atomic { .. } => {
            return in_other_ctas(d, seen);
        }
        Async::ClusterArrive { relaxed } => Copying::ClusterArrive { relaxed },
        Async::ClusterWait => Copying::ClusterWait,
        Async::Init { at, count } => Copying::Init { at: place(d, at)?, count: d.source(count) },
        Async::Invalidate { at } => Copying::Invalidate { at: place(d, at)? },
        Async::Arrive { at, count, bytes, drops, state, reach } => Copying::Arrive {
            at: place(d, at)?,
            count: count.map(|count| d.source(count)),
            bytes: bytes.map(|bytes| d.source(bytes)),
            drops,
            state: state.map(|state| d.row(state)),
            reach,
        },
        Async::Expect { at, bytes, reach } => Copying::Expect { at: place(d, at)?, bytes: d.source(bytes), reach },
        Async::Wait { at, phase, parity, pred, wide } => {
            let pred = pred.map(|pred| d.row(pred));
            Copying::Wait { at: place(d, at)?, phase: d.source(phase), parity, pred, wide }
        }
        Async::Copy { to, from, bytes, size } => {
            Copying::Copy { to: place(d, to)?, from: place(d, from)?, bytes, size: size.map(|size| d.source(size)) }
        }
        Async::Commit { bulk } => Copying::Commit { bulk },
        Async::Drain { groups, bulk } => Copying::Drain { groups, bulk },
        Async::CopyArrive { at, counted } => Copying::CopyArrive { at: place(d, at)?, counted },
        Async::BulkLoad { to, from, bytes, barrier, ranks } => Copying::BulkLoad {
            to: place(d, to)?,
            from: Some((place(d, from)?, d.source(bytes))),
            barrier: place(d, barrier)?,
            ranks: ranks.map(|ranks| d.source(ranks)),
        },
        Async::TensorLoad { to, barrier, ranks } => Copying::BulkLoad {
            to: place(d, to)?,
            from: None,
            barrier: place(d, barrier)?,
            ranks: ranks.map(|ranks| d.source(ranks)),
        },
        Async::BulkStore { to, from, bytes, reduces } => {
            Copying::BulkStore { from: place(d, from)?, to: Some((place(d, to)?, d.source(bytes))), reduces }
        }
        Async::TensorStore { from } => Copying::BulkStore { from: place(d, from)?, to: None, reduces: false },
        Async::MapChange { at } => Copying::Map { at: place(d, at)?, to: None },
        Async::MapCopy { to, from } => Copying::Map { at: place(d, from)?, to: Some(place(d, to)?) },
        Async::BulkMove { to, from, bytes, barrier, reduces } => Copying::Deliver(Delivery {
            to: place(d, to)?,
            barrier: place(d, barrier)?,
            bytes: d.source(bytes),
            from: Some(place(d, from)?),
            reduces,
        }),
        Async::AsyncStore { to, bytes, barrier, reduces } => Copying::Deliver(Delivery {
            to: place(d, to)?,
            barrier: place(d, barrier)?,
            bytes: d.source(Operand::Imm(bytes.into())),
            from: None,
            reduces,
        }),
        Async::Registers { count, more } => Copying::Registers { count, more },
    };
    d.code.copies = true;
    Some((Class::Move, Micro::Copying(Box::new(op))))
}

/// Decodes addresses in the shared memory of other CTAs of the cluster, and accesses there.
fn in_other_ctas(d: &mut Decoder, seen: Async) -> Option<(Class, Micro)> {
    match seen {
        Async::Map { dst, a, rank, generic } => {
            let f: Each = Box::new(move |[a, rank, _]| {
                // a rank that no cluster has stays one
                let rank = (rank & 0xffff_ffff).min(NO_RANK);
                (rank + 1) << RANK_BITS | a & ((1 << RANK_BITS) - 1) | if generic { SHARED_WINDOW } else { 0 }
            });
            let (a, rank) = (d.source(a), d.source(rank));
            Some((Class::Move, Micro::Compute(Compute::Each { f, d: mapped(d, dst), sources: [a, rank, a] })))
        }
        Async::Rank { dst, a, generic } => {
            let f: Each =
                Box::new(move |[a, own, _]| match (a & !if generic { SHARED_WINDOW } else { 0 }) >> RANK_BITS {
                    0 => own,
                    number => number - 1,
                });
            let (a, own) = (d.source(a), d.source(Operand::Special(Special::ClusterCtarank)));
            Some((Class::Move, Micro::Compute(Compute::Each { f, d: mapped(d, dst), sources: [a, own, a] })))
        }
        Async::Load { ty, dst, at } => {
            let (base, offset) = in_cluster(d, at)?;
            let extend = super::memory::extension(ty, d.class_of(dst));
            let regs = Box::new([d.row(dst)]);
            Some((
                Class::Shared,
                Micro::MemoryAccess(MemoryAccess::Load {
                    space: Space::Generic,
                    bytes: ty.bytes(),
                    extend,
                    d: regs,
                    base,
                    offset,
                }),
            ))
        }
        Async::Store { ty, src, at } => {
            let (base, offset) = in_cluster(d, at)?;
            let a = Box::new([d.source(src)]);
            Some((
                Class::Shared,
                Micro::MemoryAccess(MemoryAccess::Store { space: Space::Generic, bytes: ty.bytes(), a, base, offset }),
            ))
        }
        Async::Atomic { op, ty, dst, at, a, b } => {
            let f = super::super::atomic::function(op, ty)?;
            let (base, offset) = in_cluster(d, at)?;
            let (a, b) = (d.source(a), b.map(|b| d.source(b)));
            let dst = dst.map(|dst| d.row(dst));
            Some((
                Class::Shared,
                Micro::MemoryAccess(MemoryAccess::Atomic {
                    f,
                    space: Space::Generic,
                    bytes: ty.bytes(),
                    d: dst,
                    base,
                    offset,
                    a,
                    b,
                }),
            ))
        }
        _ => None,
    }
}

/// Decodes a proxy fence, which makes earlier writes known to copies; or a fence in front of a relaxed arrival at the barrier of
/// the cluster.
pub(super) fn fence(d: &mut Decoder, name: &str) -> (Class, Micro) {
    let nothing = (Class::Move, Micro::Nothing);
    // halves of a pair, which order some accesses in one direction
    let half = name.contains(".sync_restrict");
    let op = if half && (d.code.relaxed || name.contains(".proxy")) {
        return (Class::Move, Micro::Unknown { rows: Vec::new(), preds: Vec::new() });
    } else if name.contains(".proxy") {
        match name.split_once(".proxy.async") {
            Some((_, "" | ".shared::cta" | ".shared::cluster")) => Copying::Fence,
            _ => return nothing,
        }
    } else if d.code.relaxed && name.starts_with("fence.mbarrier_init") {
        Copying::Release { all: false }
    } else if d.code.relaxed && !name.ends_with(".cta") && !name.starts_with("fence.acquire") {
        Copying::Release { all: true }
    } else {
        return nothing;
    };
    d.code.copies = true;
    (Class::Move, Micro::Copying(Box::new(op)))
}

/// A rank past those that a cluster can have.
const NO_RANK: u64 = 100;

/// Whether the instruction concerns other CTAs of the cluster.
fn needs_cluster(op: &Async) -> bool {
    matches!(
        op,
        Async::Map { .. }
            | Async::Rank { .. }
            | Async::Load { .. }
            | Async::Store { .. }
            | Async::Atomic { .. }
            | Async::ClusterArrive { .. }
            | Async::ClusterWait
            | Async::BulkLoad { ranks: Some(_), .. }
            | Async::TensorLoad { ranks: Some(_), .. }
            | Async::BulkMove { .. }
            | Async::AsyncStore { .. }
    )
}

/// Whether the instruction writes predicates exactly where PTX has predicates.
fn has_fitting_registers(d: &Decoder, seen: &Async) -> bool {
    let is_pred = |reg: &Reg| d.class_of(*reg) == Type::Pred;
    match seen {
        Async::Elect { lane, pred, .. } => pred.iter().all(is_pred) && !lane.iter().any(is_pred),
        Async::Wait { pred, .. } => pred.iter().all(is_pred),
        Async::Arrive { state: dst, .. } | Async::Atomic { dst, .. } => !dst.iter().any(is_pred),
        Async::Load { dst, .. } | Async::Map { dst, .. } | Async::Rank { dst, .. } => !is_pred(dst),
        _ => true,
    }
}

/// Returns the row of an address that may be one of another CTA.
fn mapped(d: &mut Decoder, dst: Reg) -> u32 {
    d.code.mapped = true;
    d.row(dst)
}

/// Returns an address in the cluster as a generic one.
fn in_cluster(d: &mut Decoder, at: Address) -> Option<(Source, u64)> {
    d.code.mapped = true;
    let (base, offset) = super::memory::address(d, at)?;
    Some((base, offset.wrapping_add(SHARED_WINDOW)))
}

pub(super) fn place(d: &mut Decoder, at: Address) -> Option<Place> {
    let (base, offset) = super::memory::address(d, at)?;
    Some(Place { base, offset })
}
