//! Products of matrices by warp groups, and in tensor memory.

use super::super::counts::Class;
use super::super::micro::*;
use super::Decoder;
use ptx::inst::Piece;
use ptx::matrices::{Wgmma, view};
use ptx::tensor::{self, Tensor};

/// Decodes one of the instructions of `wgmma`; `None`: it is none, or in a form that is not known.
pub(super) fn decode(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let op = match view(d.code.module, opcode, pieces)? {
        Wgmma::Fence => Matrices::Fence,
        Wgmma::Commit => Matrices::Commit,
        Wgmma::Wait(left) => Matrices::Wait(left),
        Wgmma::Product(product) => {
            let factor = |d: &mut Decoder, seen: &ptx::matrices::Factor| Factor {
                descriptor: d.source(seen.descriptor),
                extent: seen.extent,
                bytes: seen.bytes,
                depth: seen.depth,
                transposed: seen.transposed,
            };
            Matrices::Product(Product {
                d: product.d.iter().map(|reg| d.row(*reg)).collect(),
                a: product.a.iter().map(|reg| d.row(*reg)).collect(),
                factors: product.factors.iter().map(|seen| factor(d, seen)).collect(),
                shape: product.shape,
            })
        }
    };
    d.code.copies = true;
    d.code.products = true;
    Some((Class::Move, Micro::Copying(Box::new(Copying::Matrices(op)))))
}

/// Decodes one of the instructions of `tcgen05`; `None`: it is none, or in a form that is not known.
pub(super) fn decode_tensor(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let seen = tensor::view(d.code.module, opcode, pieces)?;
    // CTAs of a cluster that wait for tensor memory may hold each other up
    if d.code.ranks > 1 || !d.code.is_whole() {
        return None;
    }
    let op = match seen {
        Tensor::Allocate { at, columns } => {
            TensorOp::Allocate { at: super::asynchronous::place(d, at)?, columns: d.source(columns) }
        }
        Tensor::Free { columns } => TensorOp::Free { columns: d.source(columns) },
        Tensor::Relinquish => TensorOp::Relinquish,
        Tensor::Product(product) => TensorOp::Product(TensorProduct {
            a: product.a.map(|a| d.source(a)),
            b: d.source(product.b),
            shape: d.source(product.shape),
            bytes: product.bytes,
        }),
        Tensor::Commit { at } => TensorOp::Commit { at: super::asynchronous::place(d, at)? },
        Tensor::Load { dst } => TensorOp::Load { dst: dst.iter().map(|reg| d.row(*reg)).collect() },
        Tensor::Store => TensorOp::Store,
        Tensor::Wait { stores } => TensorOp::Wait { stores },
        Tensor::Fence { after } => TensorOp::Fence { after },
    };
    d.code.copies = true;
    d.code.one_cta |= d.code.cluster == Some([1; 3]);
    Some((Class::Move, Micro::Copying(Box::new(Copying::Tensor(op)))))
}
