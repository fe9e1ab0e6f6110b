//! Random structured kernels that always end and have no race: branches whose sides resemble each other, loops that lanes
//! leave one by one, memory of the thread's own, and barriers where all threads pass.

use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Block, Func, Init, Linkage, Module, Param, ParamData, Reg, VariableData};

use crate::numbers::Numbers;
use crate::random_kernel::{compare, instruction, store};

/// Size of a random kernel.
pub struct Shape {
    pub words: usize,
    pub preds: usize,
    /// Statements in a row, at most.
    pub length: usize,
    /// Branches and loops in each other, at most.
    pub depth: usize,
    pub sm: u32,
}

/// Words of shared memory and of the rows behind the results in global memory that a thread has for itself.
pub const OWN: usize = 4;

/// Threads per CTA, at most.
const MOST_THREADS: u32 = 256;

/// The kernel `k(out, n)`: every thread writes its registers to `out`, one row of threads per register; before that it
/// reads and writes [`OWN`] rows behind them.
pub fn kernel(shape: &Shape, numbers: &mut Numbers) -> Module {
    let mut func = Func::new("k");
    let out = func.params.push(ParamData::input("k_out", Type::U64));
    let n = func.params.push(ParamData::input("k_n", Type::U32));
    let mut module = Module::new(shape.sm);
    let area = module.variables.push(VariableData {
        name: "box".to_owned(),
        linkage: Linkage::Internal,
        space: Space::Shared,
        align: 4,
        bytes: u64::from(MOST_THREADS) * 4 * OWN as u64,
        init: Init::None,
    });
    let mut b = Builder::new(func);
    let words: Vec<Reg> = (0..shape.words).map(|_| b.reg(Type::B32)).collect();
    let preds: Vec<Reg> = (0..shape.preds).map(|_| b.reg(Type::Pred)).collect();
    let n = b.load(Space::Param, false, Type::U32, Base::Param(n), 0);
    for (i, word) in words.iter().enumerate() {
        let a = match i % 5 {
            0 => Operand::Special(Special::TidX),
            1 => Operand::Reg(n),
            2 => Operand::Special(Special::LaneId),
            3 => Operand::Special(Special::TidY),
            _ => Operand::Imm(numbers.below(9) as u64),
        };
        b.push(Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::B32, dst: *word, a });
    }
    preds.iter().for_each(|pred| compare(&mut b, &words, *pred, numbers));
    let base = b.mov(Type::B32, Operand::Variable(area));
    let thread = linear(&mut b);
    let own = b.ternary(TernaryOp::Mad, Type::U32, thread, 4 * OWN as u32, base);
    for i in 0..OWN {
        let addr = Address { base: Base::Reg(own), offset: 4 * i as i64 };
        b.push(Op::store(Space::Shared, Type::U32, addr, words[i % words.len()]));
    }
    let rows = rows(&mut b, out, thread, shape.words as u32);
    let mut writer = Writer { b, words, preds, own, rows, thread, base, exits: Vec::new() };
    writer.statements(shape.length, shape.depth, true, numbers);
    let Writer { mut b, words, .. } = writer;
    store(&mut b, &words, out);
    let mut func = b.finish();
    if shape.sm >= 70 {
        func.insts.values_mut().for_each(|data| alone(&mut data.op));
    }
    module.funcs.push(func);
    module
}

/// A vote names all lanes from sm_70 on, which have parted here: a logical operation takes its place.
fn alone(op: &mut Op) {
    if let Op::Vote { dst, pred, .. } = *op {
        let (a, b) = (Operand::Imm(1), Operand::Imm(0));
        let combine = Some((BoolOp::Xor, pred));
        *op = Op::Setp { cmp: Cmp::Ne, ftz: false, ty: Type::U32, dst, other: None, a, b, combine };
    }
}

/// The number of the thread in its CTA.
fn linear(b: &mut Builder) -> Reg {
    let special = |b: &mut Builder, special| b.mov(Type::B32, Operand::Special(special));
    let [x, y, z] = [Special::TidX, Special::TidY, Special::TidZ].map(|s| special(b, s));
    let [width, height] = [Special::NtidX, Special::NtidY].map(|s| special(b, s));
    let row = b.ternary(TernaryOp::Mad, Type::U32, z, height, y);
    b.ternary(TernaryOp::Mad, Type::U32, row, width, x)
}

/// The thread's place in the first row behind those of the results, and the bytes of a row.
fn rows(b: &mut Builder, out: Param, thread: Reg, before: u32) -> (Reg, Reg) {
    let special = |b: &mut Builder, special| b.mov(Type::B32, Operand::Special(special));
    let extents = [Special::NtidX, Special::NtidY, Special::NtidZ].map(|s| special(b, s));
    let [cta, ctas] = [Special::CtaidX, Special::NctaidX].map(|s| special(b, s));
    let plane = b.binary(BinaryOp::Mul, Type::U32, extents[0], extents[1]);
    let size = b.binary(BinaryOp::Mul, Type::U32, plane, extents[2]);
    let all = b.binary(BinaryOp::Mul, Type::U32, size, ctas);
    let place = b.ternary(TernaryOp::Mad, Type::U32, cta, size, thread);
    let index = b.ternary(TernaryOp::Mad, Type::U32, all, before, place);
    let base = b.load(Space::Param, false, Type::U64, Base::Param(out), 0);
    let first = b.ternary(TernaryOp::MadWide, Type::U32, index, 4, base);
    let bytes = b.binary(BinaryOp::Shl, Type::B32, all, 2);
    (first, bytes)
}

struct Writer {
    b: Builder,
    words: Vec<Reg>,
    preds: Vec<Reg>,
    /// The thread's first word in shared memory, and in global memory with the bytes between its words.
    own: Reg,
    rows: (Reg, Reg),
    thread: Reg,
    base: Reg,
    /// Targets of `break` and `continue` of the loops around.
    exits: Vec<(Block, Block)>,
}

impl Writer {
    fn statements(&mut self, length: usize, depth: usize, together: bool, numbers: &mut Numbers) {
        for _ in 0..1 + numbers.below(length) {
            match numbers.below(12) {
                0..4 if depth > 0 => self.branch(length, depth, numbers),
                4 if depth > 0 => self.repetition(length, depth, numbers),
                5 => self.memory(Space::Shared, numbers),
                6 => self.memory(Space::Global, numbers),
                7 if together => self.exchange(),
                8 if !self.exits.is_empty() => self.leave(numbers),
                _ => (0..1 + numbers.below(4)).for_each(|_| self.instruction(numbers)),
            }
        }
    }

    fn instruction(&mut self, numbers: &mut Numbers) {
        instruction(&mut self.b, &self.words, &self.preds, numbers);
    }

    fn word(&self, numbers: &mut Numbers) -> Reg {
        self.words[numbers.below(self.words.len())]
    }

    fn guard(&self, numbers: &mut Numbers) -> Guard {
        Guard { pred: self.preds[numbers.below(self.preds.len())], negate: numbers.below(2) == 0 }
    }

    /// One or two sides; the second mostly has the choices of the first up to some point.
    fn branch(&mut self, length: usize, depth: usize, numbers: &mut Numbers) {
        compare(&mut self.b, &self.words.clone(), self.preds[0], numbers);
        let guard =
            if numbers.below(2) == 0 { Guard { pred: self.preds[0], negate: false } } else { self.guard(numbers) };
        let [then, otherwise, end] = [self.b.block(), self.b.block(), self.b.block()];
        self.b.end(Terminator::CondBra { guard, uni: false, then, otherwise }, then);
        let seed = numbers.bits();
        self.statements(length, depth - 1, false, &mut Numbers(seed));
        self.b.end(Terminator::Bra { target: end }, otherwise);
        match numbers.below(6) {
            0 => {}
            1 => self.statements(length, depth - 1, false, numbers),
            2 => {
                self.statements(length, depth - 1, false, &mut Numbers(seed));
                self.statements(length, depth - 1, false, numbers);
            }
            _ => self.statements(length, depth - 1, false, &mut Numbers(seed)),
        }
        self.b.end(Terminator::Bra { target: end }, end);
    }

    /// Up to four rounds, as many as a word says.
    fn repetition(&mut self, length: usize, depth: usize, numbers: &mut Numbers) {
        let rounds = self.word(numbers);
        let left = self.b.binary(BinaryOp::And, Type::B32, rounds, 3);
        if numbers.below(3) == 0 {
            return self.repetition_of_a_block(left, numbers);
        }
        let [header, body, next, end] = [self.b.block(), self.b.block(), self.b.block(), self.b.block()];
        self.b.end(Terminator::Bra { target: header }, header);
        let done = self.b.setp(Cmp::Eq, Type::U32, left, 0);
        let guard = Guard { pred: done, negate: false };
        self.b.end(Terminator::CondBra { guard, uni: false, then: end, otherwise: body }, body);
        let a = Operand::Reg(left);
        self.b.push(Op::Binary { op: BinaryOp::Sub, mode: Mode::default(), ty: Type::U32, dst: left, a, b: 1.into() });
        self.exits.push((end, next));
        self.statements(length, depth - 1, false, numbers);
        self.exits.pop();
        self.b.end(Terminator::Bra { target: next }, next);
        self.instruction(numbers);
        self.b.end(Terminator::Bra { target: header }, end);
    }

    /// A loop of one block, which is executed once at least.
    fn repetition_of_a_block(&mut self, left: Reg, numbers: &mut Numbers) {
        let [body, end] = [self.b.block(), self.b.block()];
        self.b.end(Terminator::Bra { target: body }, body);
        (0..1 + numbers.below(4)).for_each(|_| self.instruction(numbers));
        let a = Operand::Reg(left);
        self.b.push(Op::Binary { op: BinaryOp::Sub, mode: Mode::default(), ty: Type::U32, dst: left, a, b: 1.into() });
        let more = self.b.setp(Cmp::Gt, Type::S32, left, 0);
        let guard = Guard { pred: more, negate: false };
        self.b.end(Terminator::CondBra { guard, uni: false, then: body, otherwise: end }, end);
    }

    /// `break` or `continue` of one of the loops around.
    fn leave(&mut self, numbers: &mut Numbers) {
        let (out, next) = self.exits[numbers.below(self.exits.len())];
        let then = if numbers.below(2) == 0 { out } else { next };
        let otherwise = self.b.block();
        let guard = self.guard(numbers);
        self.b.end(Terminator::CondBra { guard, uni: false, then, otherwise }, otherwise);
    }

    /// Reads or writes one of the thread's own words.
    fn memory(&mut self, space: Space, numbers: &mut Numbers) {
        let index = self.word(numbers);
        let index = self.b.binary(BinaryOp::And, Type::B32, index, OWN as u32 - 1);
        let place = match space {
            Space::Shared => self.b.ternary(TernaryOp::Mad, Type::U32, index, 4, self.own),
            _ => self.b.ternary(TernaryOp::MadWide, Type::U32, index, self.rows.1, self.rows.0),
        };
        let (addr, word) = (Address { base: Base::Reg(place), offset: 0 }, self.word(numbers));
        let guard = (numbers.below(4) == 0).then(|| self.guard(numbers));
        let op = match numbers.below(2) {
            0 => Op::load(space, false, Type::U32, word, addr),
            _ => Op::store(space, Type::U32, addr, word),
        };
        self.b.push_guarded(guard, op);
    }

    /// Every thread reads a word of another thread.
    fn exchange(&mut self) {
        self.b.push(Op::bar(BarKind::Sync, 0, None));
        let other = self.b.binary(BinaryOp::Xor, Type::B32, self.thread, 1);
        let place = self.b.ternary(TernaryOp::Mad, Type::U32, other, 4 * OWN as u32, self.base);
        let addr = Address { base: Base::Reg(place), offset: 4 };
        self.b.push(Op::load(Space::Shared, false, Type::U32, self.words[0], addr));
        self.b.push(Op::bar(BarKind::Sync, 0, None));
    }
}
