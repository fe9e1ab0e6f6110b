//! `ldmatrix` and `stmatrix`: lanes move matrices of eight rows of eight halves between shared memory and registers (PTX ISA, "Warp-level matrix
//! load instruction: ldmatrix" and "stmatrix").
//!
//! Lane 8 i + r names the row r of matrix i, 16 bytes. Register i of lane l holds the halves 2 (l mod 4) and 2 (l mod 4) + 1 of row l / 4 of matrix i;
//! transposed, the halves l / 4 of these two rows.

use super::inst::{Address, Piece, Space};
use super::ir::{Module, Reg};
use super::verbatim::{Item, Part, operands_with_lists};

/// One of these instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragments {
    /// Whether registers are written, not memory.
    pub loads: bool,
    pub transposed: bool,
    pub space: Space,
    /// One for each matrix.
    pub registers: Vec<Reg>,
    pub at: Address,
}

/// The registers that a product of matrices writes whose elements the IR does not have (`mma.sync` of halves, bytes and so on).
pub fn product(module: &Module, opcode: &str, pieces: &[Piece]) -> Option<Vec<Reg>> {
    opcode.strip_prefix("mma.sync.aligned.")?;
    match operands_with_lists(module, pieces)?.into_iter().next()? {
        Part::List(registers) => Some(registers),
        Part::Item(_) => None,
    }
}

/// Returns the transfer of an instruction; `None` if it is none of these, or of a shape that has no halves.
pub fn view(module: &Module, opcode: &str, pieces: &[Piece]) -> Option<Fragments> {
    let mut words = opcode.split('.');
    let loads = match words.next()? {
        "ldmatrix" => true,
        "stmatrix" => false,
        _ => return None,
    };
    let (mut transposed, mut space, mut count, mut halves, mut square) = (false, Space::Generic, None, false, false);
    for word in words {
        match word {
            "sync" | "aligned" => {}
            "m8n8" => square = true,
            "x1" => count = Some(1),
            "x2" => count = Some(2),
            "x4" => count = Some(4),
            "trans" => transposed = true,
            "shared" | "shared::cta" => space = Space::Shared,
            "b16" => halves = true,
            _ => return None,
        }
    }
    let items = operands_with_lists(module, pieces)?;
    let (registers, at) = match (loads, items.as_slice()) {
        (true, [Part::List(registers), Part::Item(Item::At(at))])
        | (false, [Part::Item(Item::At(at)), Part::List(registers)]) => (registers.clone(), *at),
        _ => return None,
    };
    let whole = halves && square && count == Some(registers.len());
    whole.then_some(Fragments { loads, transposed, space, registers, at })
}
