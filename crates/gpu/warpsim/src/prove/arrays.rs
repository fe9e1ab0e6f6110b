//! Ranges of shared memory for an access whose address depends on data.

use crate::decode::Code;
use ptx::inst::{Address, Base, Op, Space};
use std::ops::Range;

/// Ranges of bytes, with the names of the variables that lie there; without names all of shared memory.
#[derive(Clone)]
pub(super) struct Arrays {
    pub ranges: Vec<Range<u64>>,
    pub names: Vec<String>,
}

/// Returns the ranges that the address of the access is computed from. `None` for a generic address that comes from none.
pub(super) fn arrays(code: &Code, pc: u32) -> Option<Arrays> {
    let (_, data) = code.instruction(pc)?;
    let (Op::Ld { space, addr, .. } | Op::St { space, addr, .. } | Op::Atom { space, addr, .. }) = &data.op else {
        return None;
    };
    let Address { base: Base::Reg(reg), .. } = addr else { return None };
    let origins = code.definitions(pc).origins([*reg], false);
    let own = |(variable, _): &&(ptx::ir::Variable, Range<u64>)| origins.variables.contains(variable);
    let (variables, ranges): (Vec<_>, Vec<_>) = code.arrays.iter().filter(own).cloned().unzip();
    if !variables.is_empty() {
        let names = variables.into_iter().map(|variable| code.name(variable).to_owned()).collect();
        return Some(Arrays { ranges, names });
    }
    let whole = Range { start: 0, end: code.shared_bytes };
    (*space == Space::Shared).then(|| Arrays { ranges: vec![whole], names: Vec::new() })
}
