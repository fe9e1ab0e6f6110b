//! Registers that may hold an address in local memory, where lanes with one address find different values.
//!
//! Such addresses come from `cvta.local`, and from wherever an address may have been kept: memory, callers, unknown
//! instructions, halves that are put together. The parameters of a kernel are none, as no host knows a local address.

use crate::inst::{Base, Op, Operand, Space};
use crate::ir::{Func, FuncKind, ParamKind, Reg};
use cranelift_entity::{EntitySet, SecondaryMap};

/// Those registers of 64 bits.
#[derive(Debug, Clone, Default)]
pub struct LocalPointers(EntitySet<Reg>);

impl LocalPointers {
    pub fn compute(func: &Func) -> Self {
        let wide = |reg: Reg| func.regs[reg].bytes() >= 8;
        let mut targets: SecondaryMap<Reg, Vec<Reg>> = SecondaryMap::new();
        let mut found = EntitySet::new();
        let mut work = Vec::new();
        for data in func.insts.values() {
            for result in data.op.results().into_iter().filter(|result| wide(*result)) {
                if begins(func, &data.op) {
                    work.push(result);
                }
                data.op.operands(|operand| match operand {
                    Operand::Reg(reg) if wide(reg) => targets[reg].push(result),
                    _ => {}
                });
            }
        }
        while let Some(reg) = work.pop() {
            if found.insert(reg) {
                work.extend(&targets[reg]);
            }
        }
        Self(found)
    }

    /// Whether the register may hold one.
    pub fn may_be(&self, reg: Reg) -> bool {
        self.0.contains(reg)
    }
}

/// Whether the results may be addresses in local memory although no operand is.
fn begins(func: &Func, op: &Op) -> bool {
    match op {
        Op::Cvta { to, space, .. } => *to || matches!(space, Space::Local | Space::Generic),
        Op::Ld { space: Space::Param, addr, .. } => match addr.base {
            Base::Param(param) => func.kind != FuncKind::Entry || func.params[param].kind != ParamKind::Input,
            _ => true,
        },
        Op::Ld { .. } | Op::Atom { .. } | Op::Pack { .. } | Op::Opaque { .. } => true,
        _ => false,
    }
}
