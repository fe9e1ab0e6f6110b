//! Instructions that one instruction can take the place of: those of the same operation, types and modifiers whose operands a
//! selection can choose between.

use cranelift_entity::EntityRef;
use ptx::inst::{Base, InstData, Op, Operand, Order, Space, Type, UnaryOp};
use ptx::ir::{Func, Reg};
use ptx::visit::{Part, PartMut};
use smallvec::SmallVec;

/// Whether two instructions are of one shape: they do the same with different operands. Those that are frequent are compared where
/// they are, the others by copies without operands.
pub fn of_one_shape(first: &InstData, second: &InstData) -> bool {
    if first.guard.is_some() != second.guard.is_some() {
        return false;
    }
    match [&first.op, &second.op] {
        [Op::Unary { op, mode, ty, .. }, Op::Unary { op: other, mode: b, ty: c, .. }] => {
            (op, mode, ty) == (other, b, c)
        }
        [Op::Binary { op, mode, ty, .. }, Op::Binary { op: other, mode: b, ty: c, .. }] => {
            (op, mode, ty) == (other, b, c)
        }
        [Op::Ternary { op, mode, ty, .. }, Op::Ternary { op: other, mode: b, ty: c, .. }] => {
            (op, mode, ty) == (other, b, c)
        }
        [
            Op::Ld { space, read_only, access, ty, dst, .. },
            Op::Ld { space: other, read_only: cached, access: b, ty: c, dst: to, .. },
        ] => (space, read_only, ty, dst.len(), access) == (other, cached, c, to.len(), b),
        [Op::St { space, access, ty, src, .. }, Op::St { space: other, access: b, ty: c, src: from, .. }] => {
            (space, ty, src.len(), access) == (other, c, from.len(), b)
        }
        [first, second] => bare(first) == bare(second),
    }
}

/// An operation without its operands.
fn bare(op: &Op) -> Op {
    let mut op = op.clone();
    let none = Reg::new(0);
    op.parts_mut(|part| match part {
        PartMut::Def(reg) | PartMut::Use(reg) | PartMut::Touch(reg) => *reg = none,
        PartMut::Read(operand) => *operand = Operand::Imm(0),
        PartMut::At(addr) => (addr.base, addr.offset) = (Base::Reg(none), 0),
        PartMut::Pass(_) => {}
    });
    op
}

/// A register, an operand or an address that an instruction names, in the order in which all instructions of its shape name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Def(Reg),
    /// A predicate.
    Use(Reg),
    Read(Operand),
    At(Base, i64),
}

/// A list that most instructions need no memory for.
pub type Names = SmallVec<[Named; 4]>;

/// All that an instruction names but its guard. Empty for instructions with parts that cannot be chosen.
pub fn named(op: &Op) -> Option<Names> {
    let mut list = Names::new();
    let mut whole = true;
    op.parts(|part| match part {
        Part::Def(reg) => list.push(Named::Def(*reg)),
        Part::Use(reg) => list.push(Named::Use(*reg)),
        Part::Read(operand) => list.push(Named::Read(*operand)),
        Part::At(addr) => list.push(Named::At(addr.base, addr.offset)),
        Part::Touch(_) | Part::Pass(_) => whole = false,
    });
    whole.then_some(list)
}

/// Returns the number of selections that give one instruction the operands of both, both being of one shape; `same` tells of
/// two registers whether they will be one. `None` where no selection can choose.
pub fn selections(func: &Func, op: &Op, named: [&[Named]; 2], same: impl Fn(Reg, Reg) -> bool) -> Option<u64> {
    let [first, second] = named;
    if first.len() != second.len() {
        return None;
    }
    let class = |reg: Reg| func.regs[reg].class();
    let mut count = 0;
    for (position, pair) in first.iter().copied().zip(second.iter().copied()).enumerate() {
        count += match pair {
            (Named::Def(a), Named::Def(b)) if class(a) == class(b) => 0,
            (Named::Use(a), Named::Use(b)) => 2 * u64::from(!same(a, b)),
            (Named::Read(a), Named::Read(b)) if a == b => 0,
            (Named::Read(Operand::Reg(a)), Named::Read(Operand::Reg(b))) if class(a) == class(b) => {
                let price = if class(a) == Type::Pred { 2 } else { 1 };
                price * u64::from(!same(a, b))
            }
            (Named::Read(Operand::Reg(a)), Named::Read(Operand::Imm(_)))
            | (Named::Read(Operand::Imm(_)), Named::Read(Operand::Reg(a)))
                if class(a) != Type::Pred && class(a) != Type::B128 =>
            {
                1
            }
            (Named::Read(Operand::Imm(_)), Named::Read(Operand::Imm(_))) => {
                immediate(op, position)?;
                1
            }
            (Named::At(a, i), Named::At(b, j)) => match (a, b) {
                (a, b) if a == b && i == j => 0,
                (Base::Reg(a), Base::Reg(b)) if class(a) == class(b) => u64::from(!same(a, b)) + 2 * u64::from(i != j),
                _ => return None,
            },
            _ => return None,
        };
    }
    // the selection is the move
    let is_move = matches!(op, Op::Unary { op: UnaryOp::Mov, ty, .. } if *ty != Type::Pred);
    Some(if is_move { 0 } else { count })
}

/// The type of the immediate at this position of the named parts.
pub fn immediate(op: &Op, position: usize) -> Option<Type> {
    let ty = match (op, position) {
        (Op::Unary { ty, .. }, 0) => *ty,
        (Op::Binary { ty, .. }, 0) => *ty,
        (Op::Binary { op, ty, .. }, 1) => op.second(*ty),
        (Op::Ternary { op, ty, .. }, 0..3) => op.operands(*ty)[position],
        (Op::Setp { ty, .. } | Op::Set { ty, .. } | Op::Selp { ty, .. }, 0 | 1) => *ty,
        (Op::Lop3 { .. }, 0..3) => Type::B32,
        (Op::Bfi { ty, .. }, 0 | 1) => *ty,
        (Op::Bfi { .. }, 2 | 3) => Type::U32,
        // the address comes first
        (Op::St { .. }, 0) => Type::U64,
        (Op::St { ty, src, .. }, place) if place <= src.len() => *ty,
        _ => return None,
    };
    Some(ty.class()).filter(|ty| !matches!(ty, Type::Pred | Type::B128))
}

/// Whether a meld may contain the instruction: it concerns its own thread alone, in no order with other threads.
pub fn own(op: &Op) -> bool {
    match op {
        Op::Ld { access, .. } | Op::St { access, .. } => matches!(access.order, Order::None | Order::Weak),
        Op::Atom { access, .. } => matches!(access.order, Order::None | Order::Relaxed),
        Op::Carry { .. }
        | Op::Shfl { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Redux { .. }
        | Op::Mma { .. }
        | Op::Activemask { .. }
        | Op::Bar { .. }
        | Op::BarRed { .. }
        | Op::BarWarp { .. }
        | Op::Fence { .. }
        | Op::Call { .. }
        | Op::Opaque { .. } => false,
        _ => true,
    }
}

/// Whether lanes that do not need the result may execute it: it reads no memory but parameters, and nothing goes wrong.
pub fn harmless(data: &InstData) -> bool {
    let pure = match &data.op {
        Op::Ld { space, .. } => *space == Space::Param,
        Op::St { .. } | Op::Atom { .. } => false,
        op => own(op),
    };
    pure && data.guard.is_none()
}
