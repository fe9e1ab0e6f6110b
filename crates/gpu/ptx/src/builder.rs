//! Appends instructions to a function, one block at a time.

use super::inst::*;
use super::ir::{Block, BlockData, Func, Reg};

/// A cursor at the end of one block of a growing function.
pub struct Builder {
    func: Func,
    current: Block,
    comment: Option<String>,
}

impl Builder {
    /// Starts the function's entry block.
    pub fn new(func: Func) -> Self {
        let mut builder = Self { func, current: Block::from_u32(0), comment: None };
        builder.current = builder.block();
        builder.func.layout.push(builder.current);
        builder
    }

    /// The function; the current block returns.
    pub fn finish(self) -> Func {
        self.func
    }

    /// A new register.
    pub fn reg(&mut self, ty: Type) -> Reg {
        self.func.regs.push(ty)
    }

    /// A new block that returns, not yet in the layout.
    pub fn block(&mut self) -> Block {
        self.func.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Ret })
    }

    /// Ends the current block and goes on with `next`, which takes the next place in the layout.
    pub fn end(&mut self, terminator: Terminator, next: Block) {
        self.func.blocks[self.current].terminator = terminator;
        self.func.layout.push(next);
        self.current = next;
    }

    /// A comment for the next instruction.
    pub fn comment(&mut self, text: &str) {
        match &mut self.comment {
            Some(before) => {
                before.push('\n');
                before.push_str(text);
            }
            none => *none = Some(text.to_owned()),
        }
    }

    pub fn push(&mut self, op: Op) {
        self.push_guarded(None, op);
    }

    pub fn push_guarded(&mut self, guard: Option<Guard>, op: Op) {
        let inst = self.func.insts.push(InstData { guard, op });
        self.func.blocks[self.current].insts.push(inst);
        if let Some(text) = self.comment.take() {
            self.func.comments.insert(inst, text);
        }
    }

    pub fn unary(&mut self, op: UnaryOp, ty: Type, a: impl Into<Operand>) -> Reg {
        let dst = self.reg(ty);
        self.push(Op::Unary { op, mode: Mode::of_unary(op, ty), ty, dst, a: a.into() });
        dst
    }

    /// `cvta.to.global.u64`
    pub fn to_global(&mut self, pointer: Reg) -> Reg {
        let dst = self.reg(Type::U64);
        self.push(Op::Cvta { to: true, space: Space::Global, ty: Type::U64, dst, a: pointer.into() });
        dst
    }

    pub fn mov(&mut self, ty: Type, a: impl Into<Operand>) -> Reg {
        self.unary(UnaryOp::Mov, ty, a)
    }

    pub fn binary(&mut self, op: BinaryOp, ty: Type, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let dst = self.reg(op.result(ty));
        self.push(Op::Binary { op, mode: Mode::of_binary(op, ty), ty, dst, a: a.into(), b: b.into() });
        dst
    }

    pub fn ternary(
        &mut self,
        op: TernaryOp,
        ty: Type,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        c: impl Into<Operand>,
    ) -> Reg {
        let dst = self.reg(op.result(ty));
        self.push(Op::Ternary { op, mode: Mode::of_ternary(op, ty), ty, dst, a: a.into(), b: b.into(), c: c.into() });
        dst
    }

    pub fn setp(&mut self, cmp: Cmp, ty: Type, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let dst = self.reg(Type::Pred);
        self.push(Op::Setp { cmp, ftz: false, ty, dst, other: None, a: a.into(), b: b.into(), combine: None });
        dst
    }

    pub fn selp(&mut self, ty: Type, a: impl Into<Operand>, b: impl Into<Operand>, pred: Reg) -> Reg {
        let dst = self.reg(ty);
        self.push(Op::Selp { ty, dst, a: a.into(), b: b.into(), pred });
        dst
    }

    /// The low and the high word of a 64-bit register.
    pub fn unpack(&mut self, src: Reg) -> (Reg, Reg) {
        let (lo, hi) = (self.reg(Type::B32), self.reg(Type::B32));
        self.push(Op::Unpack { ty: Type::B64, parts: vec![Some(lo), Some(hi)], src: src.into() });
        (lo, hi)
    }

    pub fn load(&mut self, space: Space, read_only: bool, ty: Type, base: Base, offset: i64) -> Reg {
        let dst = self.reg(ty);
        self.push(Op::load(space, read_only, ty, dst, Address { base, offset }));
        dst
    }

    pub fn shfl(&mut self, src: Reg, lane: impl Into<Operand>) -> Reg {
        let dst = self.reg(Type::B32);
        self.push(Op::Shfl {
            mode: ShflMode::Idx,
            dst,
            valid: None,
            src: src.into(),
            lane: lane.into(),
            clamp: 31.into(),
            // From PTX 6.0 on every machine with shuffles has `shfl.sync`, and assemblers remark upon `shfl`.
            mask: Some(u32::MAX.into()),
        });
        dst
    }
}
