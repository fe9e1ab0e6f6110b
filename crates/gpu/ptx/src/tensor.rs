//! Tensor memory and products in it (PTX ISA, "TensorCore 5th Generation Family Instructions").

use super::inst::{Address, Operand, Piece};
use super::ir::{Module, Reg};
use super::verbatim::{Item, Part, operands_with_lists};

/// One of the instructions of `tcgen05`, for one CTA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tensor {
    /// Writes the address of the columns to shared memory.
    Allocate {
        at: Address,
        columns: Operand,
    },
    Free {
        columns: Operand,
    },
    /// `relinquish_alloc_permit`
    Relinquish,
    Product(Product),
    /// An arrival when all earlier products of the thread are done.
    Commit {
        at: Address,
    },
    Load {
        dst: Vec<Reg>,
    },
    Store,
    /// `wait::ld`, or `wait::st`.
    Wait {
        stores: bool,
    },
    /// `fence::after_thread_sync`, or `fence::before_thread_sync`.
    Fence {
        after: bool,
    },
}

/// `tcgen05.mma` of dense matrices without scales.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// The descriptor of the first factor; `None`: it lies in tensor memory.
    pub a: Option<Operand>,
    pub b: Operand,
    /// The instruction descriptor.
    pub shape: Operand,
    /// Bytes of an element of a factor in shared memory.
    pub bytes: u64,
}

/// Returns the effect of an instruction that is kept verbatim; `None` when it is none of these, or in a form that is not known.
pub fn view(module: &Module, opcode: &str, pieces: &[Piece]) -> Option<Tensor> {
    let parts: Vec<&str> = opcode.split('.').collect();
    let ["tcgen05", ref parts @ ..] = parts[..] else { return None };
    let items = operands_with_lists(module, pieces)?;
    match (parts, items.as_slice()) {
        (["fence::after_thread_sync"], []) => Some(Tensor::Fence { after: true }),
        (["fence::before_thread_sync"], []) => Some(Tensor::Fence { after: false }),
        (["wait::ld", "sync", "aligned"], []) => Some(Tensor::Wait { stores: false }),
        (["wait::st", "sync", "aligned"], []) => Some(Tensor::Wait { stores: true }),
        (
            ["alloc", "cta_group::1", "sync", "aligned", .., "b32"],
            [Part::Item(Item::At(at)), Part::Item(Item::Value(columns))],
        ) => Some(Tensor::Allocate { at: *at, columns: *columns }),
        (
            ["dealloc", "cta_group::1", "sync", "aligned", "b32"],
            [Part::Item(Item::Value(_)), Part::Item(Item::Value(columns))],
        ) => Some(Tensor::Free { columns: *columns }),
        (["relinquish_alloc_permit", "cta_group::1", "sync", "aligned"], []) => Some(Tensor::Relinquish),
        (
            ["commit", "cta_group::1", "mbarrier::arrive::one", "b64"]
            | ["commit", "cta_group::1", "mbarrier::arrive::one", "shared::cluster", "b64"],
            [Part::Item(Item::At(at))],
        ) => Some(Tensor::Commit { at: *at }),
        (["ld", "sync", "aligned", ..], [to, Part::Item(Item::At(_)), ..]) => {
            Some(Tensor::Load { dst: registers(to)? })
        }
        (["st", "sync", "aligned", ..], [Part::Item(Item::At(_)), ..]) => Some(Tensor::Store),
        (
            ["mma", "cta_group::1", kind],
            [Part::Item(Item::At(_)), Part::Item(a), Part::Item(Item::Value(b)), Part::Item(Item::Value(shape)), ..],
        ) => {
            let bytes = match *kind {
                "kind::f16" => 2,
                "kind::tf32" => 4,
                "kind::f8f6f4" | "kind::i8" => 1,
                _ => return None,
            };
            let a = match a {
                Item::Value(a) => Some(*a),
                Item::At(_) => None,
                _ => return None,
            };
            Some(Tensor::Product(Product { a, b: *b, shape: *shape, bytes }))
        }
        _ => None,
    }
}

/// Returns the registers of a list, or a single one.
fn registers(part: &Part) -> Option<Vec<Reg>> {
    match part {
        Part::List(registers) => Some(registers.clone()),
        Part::Item(Item::Value(Operand::Reg(reg))) => Some(vec![*reg]),
        Part::Item(_) => None,
    }
}
