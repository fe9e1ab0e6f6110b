//! The instructions of the elementary functions, one or two for each step.

use super::numbers::literal;
use graph::function_tables::POWERS;
use graph::steps::{Flag, FlagOperation, Function, Operation, Real, RealOperation, Word, WordOperation};
use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Reg, Variable};

/// The tables that functions read.
#[derive(Clone, Copy, Default)]
pub(super) struct Tables {
    /// The address of powers of two in shared memory.
    pub powers: Option<Reg>,
    /// Pairs of doubles in global memory.
    pub logarithms: Option<Variable>,
}

/// The registers of the steps of one function of one argument, for another that begins with the same steps.
pub(super) struct FunctionRegisters {
    function: &'static Function,
    /// One for each step.
    steps: Vec<Reg>,
    /// Low and high words of doubles that were taken apart.
    words: Vec<(Real, (Reg, Reg))>,
    /// The address of the entry with this index.
    entry: Option<(Word, Reg)>,
}

/// Computes the function of `x` into `dst`, with what `before` has made of the same `x`.
pub(super) fn call(
    b: &mut Builder,
    ty: Type,
    dst: Reg,
    x: Reg,
    function: &'static Function,
    before: Option<FunctionRegisters>,
    tables: Tables,
) -> FunctionRegisters {
    let mut made = FunctionRegisters { function, steps: Vec::new(), words: Vec::new(), entry: None };
    if let Some(before) = before {
        let common = function.in_common(before.function).min(function.steps.len() - 1);
        let is_common = |real: Real| if let Real::Step(i) = real { i < common } else { true };
        made.steps.extend(&before.steps[..common]);
        made.words.extend(before.words.into_iter().filter(|&(real, _)| is_common(real)));
        made.entry = before.entry.filter(|&(index, _)| matches!(index, Word::Step(i) if i < common));
    }
    let mut emission = Emission { b, ty, x, tables, made };
    let last = function.steps.len() - 1;
    for at in emission.made.steps.len()..=last {
        let operation = &function.steps[at].operation;
        let to = (at == last).then_some(dst);
        let register = emission.step(operation, to);
        emission.made.steps.push(register);
    }
    emission.made
}

struct Emission<'b> {
    b: &'b mut Builder,
    /// Type of the numbers.
    ty: Type,
    x: Reg,
    tables: Tables,
    made: FunctionRegisters,
}

impl Emission<'_> {
    /// The register that the step sets: `to` where it is given.
    fn step(&mut self, operation: &Operation, to: Option<Reg>) -> Reg {
        match *operation {
            Operation::Real(operation) => {
                let ty = self.ty;
                let mut dst = |b: &mut Builder| to.unwrap_or_else(|| b.reg(ty));
                self.real_operation(operation, &mut dst)
            }
            Operation::Word(operation) => self.word_operation(operation),
            Operation::Flag(operation) => {
                let (ty, a, b) = match operation {
                    FlagOperation::Below(a, b) => (Type::U32, self.word(a), self.word(b)),
                    FlagOperation::BelowSigned(a, b) => (Type::S32, self.word(a), self.word(b)),
                    FlagOperation::Less(a, b) => (self.ty, self.real(a), self.real(b)),
                };
                self.b.setp(Cmp::Lt, ty, a, b)
            }
        }
    }

    fn real_operation(&mut self, operation: RealOperation, dst: &mut dyn FnMut(&mut Builder) -> Reg) -> Reg {
        let ty = self.ty;
        let binary = |op: BinaryOp, a: Operand, b: Operand, dst: Reg| Op::Binary {
            op,
            mode: Mode::of_binary(op, ty),
            ty,
            dst,
            a,
            b,
        };
        let (register, op) = match operation {
            RealOperation::Add(a, b)
            | RealOperation::Sub(a, b)
            | RealOperation::Mul(a, b)
            | RealOperation::Div(a, b) => {
                let op = match operation {
                    RealOperation::Add(..) => BinaryOp::Add,
                    RealOperation::Sub(..) => BinaryOp::Sub,
                    RealOperation::Mul(..) => BinaryOp::Mul,
                    _ => BinaryOp::Div,
                };
                let (a, b, dst) = (self.real(a), self.real(b), dst(self.b));
                (dst, binary(op, a, b, dst))
            }
            RealOperation::Fma(a, b, c) => {
                let (a, b, c, dst) = (self.real(a), self.real(b), self.real(c), dst(self.b));
                (dst, Op::Ternary { op: TernaryOp::Fma, mode: Mode::NEAREST, ty, dst, a, b, c })
            }
            RealOperation::Neg(a) => {
                let (op, a, dst) = (UnaryOp::Neg, self.real(a), dst(self.b));
                (dst, Op::Unary { op, mode: Mode::of_unary(op, ty), ty, dst, a })
            }
            RealOperation::Choose(Flag(flag), a, b) => {
                let (a, b, pred, dst) = (self.real(a), self.real(b), self.made.steps[flag], dst(self.b));
                (dst, Op::Selp { ty, dst, a, b, pred })
            }
            RealOperation::Join { high, low } => {
                let [low, high] = [low, high].map(|word| self.word_register(word));
                let dst = dst(self.b);
                (dst, Op::pack(dst, low, high))
            }
            RealOperation::OfBits(a) => {
                let (a, dst) = (self.word(a), dst(self.b));
                (dst, Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::B32, dst, a })
            }
            RealOperation::FromSigned(a) => {
                let (a, dst) = (self.word(a), dst(self.b));
                (dst, Op::Cvt { mode: Mode::NEAREST, to: ty, from: Type::S32, dst, a })
            }
            RealOperation::Power(n) => {
                let table = self.tables.powers.expect("a program that reads the table has one");
                let n = self.word(n);
                let index = self.b.binary(BinaryOp::And, Type::B32, n, POWERS as u32 - 1);
                let entry = self.b.ternary(TernaryOp::Mad, Type::U32, index, 8, table);
                let dst = dst(self.b);
                (dst, Op::load(Space::Shared, false, ty, dst, Address { base: Base::Reg(entry), offset: 0 }))
            }
            RealOperation::Entry { index, second } => {
                let base = Base::Reg(self.entry(index));
                let dst = dst(self.b);
                (dst, Op::load(Space::Global, true, ty, dst, Address { base, offset: if second { 8 } else { 0 } }))
            }
        };
        self.b.push(op);
        register
    }

    fn word_operation(&mut self, operation: WordOperation) -> Reg {
        let (op, ty, a, other) = match operation {
            WordOperation::High(a) => return self.words(a).1,
            WordOperation::Low(a) => return self.words(a).0,
            WordOperation::Bits(a) => {
                let a = self.real(a);
                return self.b.mov(Type::B32, a);
            }
            WordOperation::Choose(Flag(flag), a, b) => {
                let (a, b) = (self.word(a), self.word(b));
                return self.b.selp(Type::B32, a, b, self.made.steps[flag]);
            }
            WordOperation::Not(a) => {
                let a = self.word(a);
                return self.b.unary(UnaryOp::Not, Type::B32, a);
            }
            WordOperation::Add(a, b) => (BinaryOp::Add, Type::U32, a, self.word(b)),
            WordOperation::Sub(a, b) => (BinaryOp::Sub, Type::U32, a, self.word(b)),
            WordOperation::And(a, b) => (BinaryOp::And, Type::B32, a, self.word(b)),
            WordOperation::Or(a, b) => (BinaryOp::Or, Type::B32, a, self.word(b)),
            WordOperation::Left(a, bits) => (BinaryOp::Shl, Type::B32, a, bits.into()),
            WordOperation::Right(a, bits) => (BinaryOp::Shr, Type::U32, a, bits.into()),
            WordOperation::RightSigned(a, bits) => (BinaryOp::Shr, Type::S32, a, bits.into()),
        };
        let a = self.word(a);
        self.b.binary(op, ty, a, other)
    }

    /// Low and high word.
    fn words(&mut self, a: Real) -> (Reg, Reg) {
        if let Some((_, words)) = self.made.words.iter().find(|(real, _)| *real == a) {
            return *words;
        }
        let source = match a {
            Real::Argument => self.x,
            Real::Step(i) => self.made.steps[i],
            Real::Literal(value) => self.b.mov(Type::F64, Operand::f64(value)),
        };
        let words = self.b.unpack(source);
        self.made.words.push((a, words));
        words
    }

    /// The address of a pair of logarithms.
    fn entry(&mut self, index: Word) -> Reg {
        if let Some((_, entry)) = self.made.entry.filter(|(known, _)| *known == index) {
            return entry;
        }
        let table = self.tables.logarithms.expect("a program that reads the table has one");
        let index_operand = self.word(index);
        let start = self.b.mov(Type::U64, Operand::Variable(table));
        let entry = self.b.ternary(TernaryOp::MadWide, Type::U32, index_operand, 16, start);
        self.made.entry = Some((index, entry));
        entry
    }

    fn real(&self, a: Real) -> Operand {
        match a {
            Real::Argument => self.x.into(),
            Real::Step(i) => self.made.steps[i].into(),
            Real::Literal(value) => literal(self.ty, value),
        }
    }

    fn word(&self, a: Word) -> Operand {
        match a {
            Word::Step(i) => self.made.steps[i].into(),
            Word::Literal(value) => value.into(),
        }
    }

    fn word_register(&mut self, a: Word) -> Reg {
        match a {
            Word::Step(i) => self.made.steps[i],
            Word::Literal(value) => self.b.mov(Type::B32, value),
        }
    }
}
