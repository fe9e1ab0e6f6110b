//! Products of matrices by warp groups.

use super::super::counts::Class;
use super::super::micro::*;
use super::Decoder;
use ptx::inst::Piece;
use ptx::matrices::{Wgmma, view};

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
