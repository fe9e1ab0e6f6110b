//! Effects of instructions on values that the lanes of a warp have in common, found out once for all analyses.

use super::access::Accesses;
use crate::inst::*;
use crate::ir::{Func, FuncKind, Inst, ParamKind, Reg};

/// How a value follows from others: the results of an instruction from its operands, or what a φ or a copy gives. Registers are "plain" here if nothing is known of them but
/// whether they are uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Each lane by its own operands, and never affine: the same in all lanes if all operands are.
    Lanewise,
    /// Integers: divergent if one operand is. If all are uniform and one is plain, nothing more than uniform follows.
    Sum,
    /// Integers: divergent if one operand is. If all are uniform and plain, nothing more than uniform follows.
    Product,
    /// A product of a register and a multiple of 32, or bits of it above the lowest five.
    Multiple,
    /// The product of two registers, or of one and a multiple of 32, and a register.
    Fused,
    /// One of two values by a predicate; one of them is a register.
    Select,
    /// A copy of a register.
    Move,
    /// An immediate.
    Constant,
    /// All lanes get what one of them has.
    Broadcast,
    /// All lanes get what one of them has if they name the same lane. The register that is sent is the first operand, and
    /// all lanes take part.
    Shuffle,
    /// The same in all lanes whatever the operands are.
    Common,
    /// Another value in each lane whatever the operands are.
    Divergent,
    /// A φ or a copy: one of its arguments, the same one for all lanes if its conditions are uniform.
    Start,
    /// A φ on a cycle with several entries: one of its arguments.
    Irreducible,
    /// None of these: a guarded instruction, one that reads special registers, one that depends on its member mask …
    #[default]
    Other,
}

impl Kind {
    pub const COUNT: usize = Self::Other as usize + 1;

    /// Whether nothing can be known of the value except that it is uniform or not.
    pub fn never_known(self) -> bool {
        matches!(self, Self::Lanewise | Self::Broadcast | Self::Shuffle | Self::Common | Self::Divergent)
    }
}

/// The kind of an instruction. `constant` finds the immediate that a register holds there, if it is one; `local` tells whether one
/// may hold an address in local memory.
pub fn kind(
    func: &Func,
    accesses: &Accesses,
    inst: Inst,
    constant: impl Fn(Reg) -> Option<u64>,
    local: impl Fn(Reg) -> bool,
) -> Kind {
    let InstData { guard, op } = &func.insts[inst];
    let kind = match op {
        _ if diverges(func, op, local) => Kind::Divergent,
        _ if guard.is_some() || accesses.specials(inst) => Kind::Other,
        Op::Unary { op: UnaryOp::Mov, a: Operand::Reg(_), .. } => Kind::Move,
        Op::Unary { op: UnaryOp::Mov, a: Operand::Imm(_), .. } => Kind::Constant,
        Op::Unary { op: UnaryOp::Mov, a: Operand::Variable(_) | Operand::Param(_), .. } => Kind::Common,
        Op::Unary { op: UnaryOp::Mov, .. } => Kind::Other,
        Op::Binary { op, ty, a, b, .. } if ty.is_integer() => product(*op, *ty, *a, *b).unwrap_or(Kind::Sum),
        Op::Ternary { op, ty, a, b, c: Operand::Reg(_), .. } if ty.is_integer() => fused(*op, *a, *b),
        Op::Ternary { ty, .. } if ty.is_integer() => Kind::Other,
        Op::Unary { ty, .. } | Op::Setp { ty, .. } if ty.is_integer() => Kind::Sum,
        Op::Cvt { to, from, .. } if to.is_integer() && from.is_integer() => Kind::Product,
        Op::Cvta { .. } | Op::Unpack { .. } => Kind::Product,
        Op::Selp { a, b, .. } if a != b => select(*a, *b),
        Op::Ld { .. }
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Setp { .. }
        | Op::Cvt { .. }
        | Op::Set { .. }
        | Op::Slct { .. }
        | Op::Isspacep { .. }
        | Op::Pack { .. }
        | Op::Lop3 { .. }
        | Op::Bfi { .. } => Kind::Lanewise,
        Op::Shfl { mode: ShflMode::Idx, lane: Operand::Imm(_), clamp: Operand::Imm(31), mask, .. }
            if mask.as_ref().is_none_or(full) =>
        {
            Kind::Broadcast
        }
        Op::Shfl { mode: ShflMode::Idx, src: Operand::Reg(_), clamp, mask, .. }
            if mask.as_ref().is_none_or(full)
                && (*clamp == Operand::Imm(31) || clamp.reg().and_then(constant) == Some(31)) =>
        {
            Kind::Shuffle
        }
        Op::Vote { mask, .. } if mask.as_ref().is_none_or(full) => Kind::Common,
        Op::Match { all: true, mask, .. } | Op::Redux { mask, .. } if full(mask) => Kind::Common,
        Op::Activemask { .. } | Op::BarRed { .. } => Kind::Common,
        _ => Kind::Other,
    };
    match kind {
        Kind::Lanewise | Kind::Broadcast if accesses.reads(inst).is_empty() => Kind::Common,
        Kind::Sum | Kind::Product | Kind::Multiple if accesses.reads(inst).is_empty() => Kind::Other,
        kind => kind,
    }
}

/// The kind of products, masks and shifts.
fn product(op: BinaryOp, ty: Type, a: Operand, b: Operand) -> Option<Kind> {
    let multiple = |operand| matches!(operand, Operand::Imm(bits) if bits % 32 == 0 && bits & ty.mask() != 0);
    let zero = |operand| matches!(operand, Operand::Imm(bits) if bits & ty.mask() == 0);
    Some(match op {
        BinaryOp::And | BinaryOp::Mul | BinaryOp::MulWide if zero(a) || zero(b) => Kind::Other,
        BinaryOp::And | BinaryOp::Mul | BinaryOp::MulWide if multiple(a) || multiple(b) => Kind::Multiple,
        BinaryOp::Shl => match b {
            Operand::Imm(count) if (5..8 * u64::from(ty.bytes())).contains(&count) => Kind::Multiple,
            Operand::Imm(count) if count >= 5 => Kind::Other,
            _ => Kind::Product,
        },
        BinaryOp::And | BinaryOp::Mul | BinaryOp::MulWide => Kind::Product,
        _ => return None,
    })
}

/// The kind of a product and a register.
fn fused(op: TernaryOp, a: Operand, b: Operand) -> Kind {
    let odd = |operand| matches!(operand, Operand::Imm(bits) if bits % 32 != 0);
    if matches!(op, TernaryOp::Mad | TernaryOp::MadWide) && (odd(a) || odd(b)) { Kind::Sum } else { Kind::Fused }
}

/// The kind of a choice between different operands.
fn select(a: Operand, b: Operand) -> Kind {
    match (a, b) {
        (Operand::Reg(_), _) | (_, Operand::Reg(_)) => Kind::Select,
        (Operand::Imm(a), Operand::Imm(b)) if a % 32 == 0 && b % 32 == 0 => Kind::Multiple,
        _ => Kind::Lanewise,
    }
}

fn full(mask: &Operand) -> bool {
    *mask == Operand::Imm(0xffff_ffff)
}

/// Atomics, what depends on other lanes or on the condition code, loads that may be different each time, and everything
/// unknown.
fn diverges(func: &Func, op: &Op, local: impl Fn(Reg) -> bool) -> bool {
    match op {
        Op::Ld { space, access, addr, .. } => !load(*space, access.order, addr, func, local),
        Op::Atom { .. }
        | Op::Opaque { .. }
        | Op::Carry { reads: true, .. }
        | Op::Match { all: false, .. }
        | Op::Mma { .. } => true,
        _ => false,
    }
}

/// Whether a load gives the same to lanes with the same address.
fn load(space: Space, order: Order, addr: &Address, func: &Func, local: impl Fn(Reg) -> bool) -> bool {
    let known = match (space, addr.base) {
        (Space::Param | Space::Const | Space::Global | Space::Shared, _) => true,
        (Space::Generic, Base::Reg(reg)) => !local(reg),
        _ => false,
    };
    known && matches!(order, Order::None | Order::Weak) && passed_alike(func, space, addr)
}

/// Not the parameter of a function, or the result of a call: what a caller or a callee passed may differ from lane to lane.
fn passed_alike(func: &Func, space: Space, addr: &Address) -> bool {
    match addr.base {
        Base::Param(param) => func.kind == FuncKind::Entry && func.params[param].kind == ParamKind::Input,
        Base::Reg(_) => space != Space::Param || func.kind == FuncKind::Entry,
        Base::Variable(_) => true,
    }
}
