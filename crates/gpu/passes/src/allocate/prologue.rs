//! Where the warp's part of shared memory begins, and the thread's own slots there.

use super::options::Sides;
use ptx::inst::{BinaryOp, Cmp, InstData, Mode, Op, Operand, Special, TernaryOp, Type, UnaryOp};
use ptx::ir::{Func, Inst, Reg, Variable};

/// The instructions at the beginning of the function, and the one that multiplies with the size of a part.
#[derive(Debug, Clone, Copy)]
pub struct Prologue {
    pub base: Reg,
    /// True in the first lane alone.
    pub elected: Option<Reg>,
    /// `base` = number · (second operand) + area
    pub scale: Inst,
    pub length: u32,
}

/// Owner of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Warp,
    Thread,
}

/// Puts the prologue in, for CTAs of the shape `block` if that is known. The number of the warp is that of its linear thread numbers over 32: `%warpid` may change while a
/// kernel runs. Where `sides` run in any interleaving, the warp's first lane is elected. Registers that it uses are added to `short`.
pub fn insert(
    func: &mut Func,
    area: Variable,
    owner: Owner,
    block: Option<[u32; 3]>,
    sides: Sides,
    mut short: impl FnMut(Reg),
) -> Prologue {
    let mut code = Code { func, insts: Vec::new() };
    let elected = (owner == Owner::Warp && sides == Sides::Interleaved).then(|| code.elected());
    let flat = matches!(block, Some([_, 1, 1]));
    let mut thread = code.special(Special::TidX);
    if !flat {
        let (z, height) = (code.special(Special::TidZ), code.special(Special::NtidY));
        let y = code.special(Special::TidY);
        let row = code.mad(z, height, y);
        let width = code.special(Special::NtidX);
        thread = code.mad(row, width, thread);
    }
    let (ty, mode) = (Type::U32, Mode::default());
    let mut number = thread;
    if owner == Owner::Warp {
        number = code.reg();
        code.push(Op::Binary { op: BinaryOp::Shr, mode, ty, dst: number, a: thread.into(), b: 5.into() });
    }
    let area_base = code.reg();
    code.push(Op::Unary { op: UnaryOp::Mov, mode, ty, dst: area_base, a: Operand::Variable(area) });
    let base = code.reg();
    let (a, b, c) = (number.into(), Operand::Imm(0), area_base.into());
    let scale = code.push(Op::Ternary { op: TernaryOp::Mad, mode, ty, dst: base, a, b, c });
    let insts = code.insts;
    for inst in &insts {
        func.insts[*inst].op.results().into_iter().for_each(&mut short);
    }
    let length = insts.len() as u32;
    let entry = func.layout[0];
    func.blocks[entry].insts.splice(0..0, insts);
    Prologue { base, elected, scale, length }
}

/// Tells the prologue the bytes from one warp or thread to the next.
pub fn resize(func: &mut Func, prologue: Prologue, bytes: u32) {
    if let Op::Ternary { b, .. } = &mut func.insts[prologue.scale].op {
        *b = Operand::Imm(u64::from(bytes));
    }
}

struct Code<'a> {
    func: &'a mut Func,
    insts: Vec<Inst>,
}

impl Code<'_> {
    fn reg(&mut self) -> Reg {
        self.func.regs.push(Type::B32)
    }

    fn push(&mut self, op: Op) -> Inst {
        let inst = self.func.insts.push(InstData { guard: None, op });
        self.insts.push(inst);
        inst
    }

    fn special(&mut self, special: Special) -> Reg {
        let dst = self.reg();
        self.push(Op::Unary {
            op: UnaryOp::Mov,
            mode: Mode::default(),
            ty: Type::U32,
            dst,
            a: Operand::Special(special),
        });
        dst
    }

    fn elected(&mut self) -> Reg {
        let lane = self.special(Special::LaneId);
        let dst = self.func.regs.push(Type::Pred);
        let (cmp, ty, a, b) = (Cmp::Eq, Type::U32, lane.into(), Operand::Imm(0));
        self.push(Op::Setp { cmp, ftz: false, ty, dst, other: None, a, b, combine: None });
        dst
    }

    fn mad(&mut self, a: Reg, b: Reg, c: Reg) -> Reg {
        let dst = self.reg();
        let (a, b, c) = (a.into(), b.into(), c.into());
        self.push(Op::Ternary { op: TernaryOp::Mad, mode: Mode::default(), ty: Type::U32, dst, a, b, c });
        dst
    }
}
