//! Random kernels that always end: any graph of blocks, also irreducible ones, any guards.

use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Block, Func, Module, ParamData, Reg};

use crate::numbers::Numbers;

/// Size of a random kernel.
pub struct Shape {
    pub blocks: usize,
    pub words: usize,
    pub preds: usize,
    /// Instructions per block, at most.
    pub length: usize,
    /// Blocks that a thread runs, at most.
    pub fuel: u32,
}

/// The kernel `k(out, n)`: every thread writes its registers to `out`, one row of threads per register.
pub fn kernel(shape: &Shape, numbers: &mut Numbers) -> Module {
    let mut func = Func::new("k");
    let out = func.params.push(ParamData::input("k_out", Type::U64));
    let n = func.params.push(ParamData::input("k_n", Type::U32));
    let mut b = Builder::new(func);
    let words: Vec<Reg> = (0..shape.words).map(|_| b.reg(Type::B32)).collect();
    let preds: Vec<Reg> = (0..shape.preds).map(|_| b.reg(Type::Pred)).collect();
    let fuel = b.mov(Type::B32, shape.fuel);
    let n = b.load(Space::Param, false, Type::U32, Base::Param(n), 0);
    for (i, word) in words.iter().enumerate() {
        let a = match i % 5 {
            0 => Operand::Special(Special::TidX),
            1 => Operand::Reg(n),
            2 => Operand::Special(Special::LaneId),
            3 => Operand::Special(Special::CtaidX),
            _ => Operand::Imm(numbers.below(9) as u64),
        };
        b.push(Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::B32, dst: *word, a });
    }
    for pred in &preds {
        compare(&mut b, &words, *pred, numbers);
    }
    let starts: Vec<Block> = (0..shape.blocks).map(|_| b.block()).collect();
    let exit = b.block();
    b.end(Terminator::Bra { target: starts[0] }, starts[0]);
    for i in 0..shape.blocks {
        for _ in 0..numbers.below(shape.length + 1) {
            instruction(&mut b, &words, &preds, numbers);
        }
        let left = Operand::Reg(fuel);
        b.push(Op::Binary { op: BinaryOp::Sub, mode: Mode::default(), ty: Type::U32, dst: fuel, a: left, b: 1.into() });
        let empty = b.setp(Cmp::Eq, Type::U32, fuel, 0);
        let middle = b.block();
        let guard = Guard { pred: empty, negate: false };
        b.end(Terminator::CondBra { guard, uni: false, then: exit, otherwise: middle }, middle);
        // mostly a step ahead, sometimes anywhere
        let mut somewhere = |near: bool| {
            let at = if near { i + 1 + numbers.below(3) } else { numbers.below(shape.blocks) };
            starts.get(at).copied().unwrap_or(exit)
        };
        let (then, otherwise) = (somewhere(false), somewhere(true));
        let guard = Guard { pred: preds[numbers.below(preds.len())], negate: numbers.below(2) == 0 };
        b.end(Terminator::CondBra { guard, uni: false, then, otherwise }, starts.get(i + 1).copied().unwrap_or(exit));
    }
    store(&mut b, &words, out);
    Module { funcs: vec![b.finish()], ..Module::new(60) }
}

pub fn store(b: &mut Builder, words: &[Reg], out: ptx::ir::Param) {
    let base = b.load(Space::Param, false, Type::U64, Base::Param(out), 0);
    let tid = b.mov(Type::B32, Operand::Special(Special::TidX));
    let count = b.mov(Type::B32, Operand::Special(Special::NtidX));
    let cta = b.mov(Type::B32, Operand::Special(Special::CtaidX));
    let row = b.mov(Type::B32, Operand::Special(Special::NctaidX));
    let thread = b.ternary(TernaryOp::Mad, Type::U32, cta, count, tid);
    let threads = b.binary(BinaryOp::Mul, Type::U32, row, count);
    for (i, word) in words.iter().enumerate() {
        let index = b.ternary(TernaryOp::Mad, Type::U32, threads, i as u32, thread);
        let address = b.ternary(TernaryOp::MadWide, Type::U32, index, 4, base);
        let addr = Address { base: Base::Reg(address), offset: 0 };
        b.push(Op::store(Space::Global, Type::U32, addr, *word));
    }
}

pub fn compare(b: &mut Builder, words: &[Reg], dst: Reg, numbers: &mut Numbers) {
    let cmp = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Ge][numbers.below(4)];
    let (a, c) = (word(words, numbers), word(words, numbers));
    b.push(setp(cmp, Type::U32, dst, a, c));
}

fn setp(cmp: Cmp, ty: Type, dst: Reg, a: Operand, b: Operand) -> Op {
    Op::Setp { cmp, ftz: false, ty, dst, other: None, a, b, combine: None }
}

fn word(words: &[Reg], numbers: &mut Numbers) -> Operand {
    match numbers.below(4) {
        0 => Operand::Imm([0, 1, 2, 3, 5, 31, 32, 0xffff_ffe0, 0xffff_ffff][numbers.below(9)]),
        _ => Operand::Reg(words[numbers.below(words.len())]),
    }
}

pub fn instruction(b: &mut Builder, words: &[Reg], preds: &[Reg], numbers: &mut Numbers) {
    use BinaryOp::*;
    let guard = (numbers.below(4) == 0)
        .then(|| Guard { pred: preds[numbers.below(preds.len())], negate: numbers.below(2) == 0 });
    let dst = words[numbers.below(words.len())];
    let (a, c) = (word(words, numbers), word(words, numbers));
    let op = match numbers.below(12) {
        0..3 => {
            let a = Operand::Reg(words[numbers.below(words.len())]);
            Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::B32, dst, a }
        }
        3..7 => {
            let op = [Add, Sub, Mul, And, Or, Xor, Shl, Shr, Min, Max, Div, Rem][numbers.below(12)];
            let ty = if numbers.below(2) == 0 { Type::U32 } else { Type::S32 };
            Op::Binary { op, mode: Mode::default(), ty, dst, a, b: c }
        }
        7 => {
            let last = word(words, numbers);
            Op::Ternary { op: TernaryOp::Mad, mode: Mode::default(), ty: Type::U32, dst, a, b: c, c: last }
        }
        8 => Op::Selp { ty: Type::B32, dst, a, b: c, pred: preds[numbers.below(preds.len())] },
        9 => {
            let op = [UnaryOp::Neg, UnaryOp::Abs][numbers.below(2)];
            Op::Unary { op, mode: Mode::default(), ty: Type::S32, dst, a }
        }
        10 => {
            let (dst, pred) = (preds[numbers.below(preds.len())], preds[numbers.below(preds.len())]);
            let mode = [VoteMode::All, VoteMode::Any, VoteMode::Uni][numbers.below(3)];
            Op::Vote { mode, dst, pred: Guard { pred, negate: numbers.below(2) == 0 }, mask: None }
        }
        _ => {
            let dst = preds[numbers.below(preds.len())];
            setp([Cmp::Eq, Cmp::Lt, Cmp::Gt][numbers.below(3)], Type::S32, dst, a, c)
        }
    };
    b.push_guarded(guard, op);
}
