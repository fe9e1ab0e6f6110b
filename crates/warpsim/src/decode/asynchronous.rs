//! Asynchronous copies, barriers in memory and clusters.

use super::super::counts::Class;
use super::super::micro::*;
use super::Decoder;
use ptx::asynchronous::{Async, view};
use ptx::inst::*;

/// `None`: the simulator does not know it.
pub(super) fn decode(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let op = match view(d.code.module, opcode, pieces)? {
        Async::Hint => return Some((Class::Move, Micro::Nothing)),
        Async::Elect { lane, pred, mask } => {
            let (lane, pred) = (lane.map(|lane| d.row(lane)), pred.map(|pred| d.row(pred)));
            return Some((Class::Vote, Micro::Elect { lane, pred, mask: d.source(mask) }));
        }
        // a cluster of one CTA
        Async::Map { dst, a, rank: Operand::Imm(0) } if !d.code.clustered => {
            d.code.one_cta = true;
            return Some((Class::Move, Micro::Map1 { f: |a| *a, d: d.row(dst), a: d.source(a) }));
        }
        Async::Map { .. } => return None,
        Async::ClusterArrive { .. } | Async::ClusterWait if d.code.clustered => return None,
        Async::ClusterArrive { .. } | Async::ClusterWait if !d.code.one_cta => {
            d.code.one_cta = true;
            return decode(d, opcode, pieces);
        }
        Async::ClusterArrive { relaxed } => Copying::ClusterArrive { relaxed },
        Async::ClusterWait => Copying::ClusterWait,
        Async::Init { at, count } => Copying::Init { at: place(d, at)?, count: d.source(count) },
        Async::Invalidate { at } => Copying::Invalidate { at: place(d, at)? },
        Async::Arrive { at, count, bytes, drops, state } => Copying::Arrive {
            at: place(d, at)?,
            count: count.map(|count| d.source(count)),
            bytes: bytes.map(|bytes| d.source(bytes)),
            drops,
            state: state.map(|state| d.row(state)),
        },
        Async::Expect { at, bytes } => Copying::Expect { at: place(d, at)?, bytes: d.source(bytes) },
        Async::Wait { at, phase, parity, pred } => {
            Copying::Wait { at: place(d, at)?, phase: d.source(phase), parity, pred: pred.map(|pred| d.row(pred)) }
        }
        Async::Copy { to, from, bytes, size } => {
            Copying::Copy { to: place(d, to)?, from: place(d, from)?, bytes, size: size.map(|size| d.source(size)) }
        }
        Async::Commit { bulk } => Copying::Commit { bulk },
        Async::Drain { groups, bulk } => Copying::Drain { groups, bulk },
        Async::CopyArrive { at, counted } => Copying::CopyArrive { at: place(d, at)?, counted },
        Async::BulkLoad { to, from, bytes, barrier } => Copying::BulkLoad {
            to: place(d, to)?,
            from: Some((place(d, from)?, d.source(bytes))),
            barrier: place(d, barrier)?,
        },
        Async::TensorLoad { to, barrier } => {
            Copying::BulkLoad { to: place(d, to)?, from: None, barrier: place(d, barrier)? }
        }
        Async::BulkStore { to, from, bytes } => {
            Copying::BulkStore { from: place(d, from)?, to: Some((place(d, to)?, d.source(bytes))) }
        }
        Async::TensorStore { from } => Copying::BulkStore { from: place(d, from)?, to: None },
        Async::Registers { count, more } => Copying::Registers { count, more },
    };
    d.code.copies = true;
    Some((Class::Move, Micro::Copying(Box::new(op))))
}

/// A proxy fence, which makes what was written known to copies.
pub(super) fn fence(d: &mut Decoder, name: &str) -> (Class, Micro) {
    let between = name.starts_with("fence.proxy.async");
    d.code.copies |= between;
    (Class::Move, if between { Micro::Copying(Box::new(Copying::Fence)) } else { Micro::Nothing })
}

fn place(d: &mut Decoder, at: Address) -> Option<Place> {
    let (base, offset) = super::memory::address(d, at)?;
    Some(Place { base, offset })
}
