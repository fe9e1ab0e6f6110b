//! Memory ordering of an instruction, and whether its accesses are strong (PTX ISA, "Memory Consistency Model").

use ptx::inst::{AtomOp, InstData, Op, Operand, Order, Scope};
use ptx::ir::{Func, Reg};

/// Strength of an access, for the detector of races.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) enum Manner {
    /// Races with every other access that it overlaps, if one of them writes.
    #[default]
    Weak,
    /// Does not race with others that are strong, of the same size, and in its scope.
    Strong,
    /// As `Strong`, but earlier contents do not matter.
    Overwriting,
}

/// Effect of an instruction on the order of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Conduct {
    pub manner: Manner,
    /// Whether the scope reaches other CTAs.
    pub wide: bool,
    pub acquires: bool,
    pub releases: bool,
    /// Whether it is a fence, which does both for strong accesses beside it.
    pub fence: bool,
}

/// Prefixes of the atomics that reach the memory of other CTAs.
const ATOMICS: [&str; 2] = ["atom.", "red."];

/// Returns the conduct of an instruction of the function.
pub(super) fn conduct(func: &Func, data: &InstData) -> Conduct {
    let strong = |order: Order| match order {
        Order::None | Order::Weak => Manner::Weak,
        _ => Manner::Strong,
    };
    let wide = |scope: Option<Scope>| scope != Some(Scope::Cta);
    match &data.op {
        Op::Ld { access, .. } => Conduct {
            manner: strong(access.order),
            wide: wide(access.scope),
            acquires: access.order == Order::Acquire,
            ..Conduct::default()
        },
        Op::St { access, .. } => Conduct {
            manner: strong(access.order),
            wide: wide(access.scope),
            releases: access.order == Order::Release,
            ..Conduct::default()
        },
        Op::Atom { op: kind, access, dst, .. } => {
            let overwrites = *kind == AtomOp::Exch && dst.is_none_or(|dst| !is_read(func, dst));
            Conduct {
                manner: if overwrites { Manner::Overwriting } else { Manner::Strong },
                acquires: matches!(access.order, Order::Acquire | Order::AcqRel),
                releases: matches!(access.order, Order::Release | Order::AcqRel),
                wide: wide(access.scope),
                fence: false,
            }
        }
        Op::Opaque { opcode, .. } if ATOMICS.iter().any(|name| opcode.starts_with(name)) => {
            Conduct { manner: Manner::Strong, wide: !opcode.contains(".cta"), ..Conduct::default() }
        }
        // a proxy fence orders accesses of one proxy with those of another
        Op::Fence { name } => Conduct { fence: !name.starts_with("fence.proxy"), ..Conduct::default() },
        _ => Conduct::default(),
    }
}

/// Whether the code may both release and acquire.
pub(in super::super) fn makes_orders(conducts: &[Conduct]) -> bool {
    let acquires = conducts.iter().any(|conduct| conduct.fence || conduct.acquires);
    acquires && conducts.iter().any(|conduct| conduct.fence || conduct.releases)
}

/// Whether any instruction of the function reads the register.
fn is_read(func: &Func, reg: Reg) -> bool {
    let mut found = func.layout.iter().any(|block| func.blocks[*block].terminator.condition() == Some(reg));
    for data in func.insts.values() {
        found |= data.guard.is_some_and(|guard| guard.pred == reg);
        data.op.operands(|operand| found |= operand == Operand::Reg(reg));
    }
    found
}
