//! Products of matrices by warp groups (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions").

use super::inst::{Operand, Piece};
use super::ir::{Module, Reg};
use super::verbatim::{Item, Part, operands_with_lists};

/// One of the instructions of `wgmma`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wgmma {
    Fence,
    Product(Product),
    Commit,
    /// Until at most this many groups are under way.
    Wait(u32),
}

/// `wgmma.mma_async`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    pub d: Vec<Reg>,
    /// The first factor, if it lies in registers.
    pub a: Vec<Reg>,
    /// The factors in shared memory.
    pub factors: Vec<Factor>,
    /// Type and shape of the result.
    pub shape: String,
}

/// A factor in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    pub descriptor: Operand,
    /// Rows of the first factor, columns of the second one.
    pub extent: u64,
    /// Bytes of an element.
    pub bytes: u64,
    /// Bytes of a row or column along the dimension that is summed over.
    pub depth: u64,
    /// Whether its elements lie in consecutive places along the extent.
    pub transposed: bool,
}

/// Returns the effect of an instruction that is kept verbatim; `None` when it is none of these, or in a form that is not known.
pub fn view(module: &Module, opcode: &str, pieces: &[Piece]) -> Option<Wgmma> {
    let parts: Vec<&str> = opcode.split('.').collect();
    let parts = match parts[..] {
        ["wgmma", "fence", "sync", "aligned"] => return Some(Wgmma::Fence),
        ["wgmma", "commit_group", "sync", "aligned"] => return Some(Wgmma::Commit),
        ["wgmma", ref rest @ ..] => rest,
        _ => return None,
    };
    let items = operands_with_lists(module, pieces)?;
    match (parts, items.as_slice()) {
        (["wait_group", "sync", "aligned"], [Part::Item(Item::Value(Operand::Imm(left)))]) => {
            Some(Wgmma::Wait(u32::try_from(*left).ok()?))
        }
        (
            ["mma_async", kind @ .., "sync", "aligned", shape, result, a, b],
            [Part::List(d), first, second, rest @ ..],
        ) => {
            // the first factor of a sparse product has half of its elements, which metadata and a selector tell
            let (sparse, rest) = match (kind, rest) {
                ([], rest) => (false, rest),
                (["sp"], [_, _, rest @ ..]) => (true, rest),
                _ => return None,
            };
            let columns = shape.strip_prefix("m64n")?.split_once('k')?.0.parse().ok()?;
            let flag = |back: usize| {
                let at = rest.len().checked_sub(back)?;
                Some(matches!(rest[at], Part::Item(Item::Value(Operand::Imm(1)))))
            };
            // behind the predicate and two signs stand the orders of the factors in shared memory
            let transposed = |back: usize, count: usize| rest.len() == 3 + count && flag(back) == Some(true);
            let (registers, mut factors) = match first {
                Part::List(registers) => (registers.clone(), Vec::new()),
                Part::Item(item) => {
                    let transposed = transposed(2, 2);
                    (
                        Vec::new(),
                        vec![Factor { descriptor: item.value()?, extent: 64, bytes: bytes(a)?, depth: 32, transposed }],
                    )
                }
            };
            let Part::Item(second) = second else { return None };
            let transposed = transposed(1, 1 + factors.len());
            let depth = if sparse { 64 } else { 32 };
            factors.push(Factor { descriptor: second.value()?, extent: columns, bytes: bytes(b)?, depth, transposed });
            let shape = format!("{shape}.{result}");
            Some(Wgmma::Product(Product { d: d.clone(), a: registers, factors, shape }))
        }
        _ => None,
    }
}

/// Returns the bytes of an element of a factor.
fn bytes(ty: &str) -> Option<u64> {
    match ty {
        "f16" | "bf16" => Some(2),
        "tf32" => Some(4),
        "e4m3" | "e5m2" | "s8" | "u8" => Some(1),
        _ => None,
    }
}
