//! The straight-line code of a step. Two steps with equal bodies differ in constants and operands only, so that one copy
//! of the code can serve both: the body is their *shape*.

use std::fmt;

use super::steps::Function;
use super::{elementary, exp2, log2};
use machine::cost::DIVISION_SLOTS;

/// Issue slots of [`exp2::rising`] or [`exp2::falling`], and of both of one argument.
const POWER_SLOTS: u32 = 9;
const BOTH_POWERS_SLOTS: u32 = 11;

/// Index of an instruction in its body.
pub type Id = u32;

/// One operation on doubles. `Literal`s belong to the shape; `Constant`s differ from step to step.
#[derive(Debug, Clone, Copy)]
pub enum Inst {
    Literal(f64),
    /// The k-th constant of the step.
    Constant(u32),
    /// A scalar of the point, computed by every warp (temperature, its logarithm, ...).
    Scalar(u32),
    /// The k-th input value of the step.
    Input(u32),
    /// A field of a global array; the row is the k-th row operand of the step.
    Field {
        array: u32,
        operand: u32,
        share: Share,
    },
    /// A running value of the operation that the step belongs to.
    State(u32),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    /// a*b + c, rounded once.
    Fma(Id, Id, Id),
    /// if a <= b { then } else { otherwise }
    SelectLe {
        a: Id,
        b: Id,
        then: Id,
        otherwise: Id,
    },
}

/// Part that is read of a double in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Share {
    /// All of it, or what its arithmetic rounds it to.
    Whole,
    /// One of the two singles that [`super::single::double_float::of_double`] makes of it.
    First,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    Neg,
    Sqrt,
    /// [`super::elementary::exp`]
    Exp,
    /// [`super::elementary::log`]
    Log,
    /// [`super::exp2::polynomial`]
    Exp2,
    /// [`super::exp2::tabulated`]
    Exp2Table,
    /// [`super::exp2::rising`], which shares most of its work with `Exp2Falling` of the same argument
    Exp2Rising,
    /// [`super::exp2::falling`]
    Exp2Falling,
    /// The same four without guards, for arguments that are proven to stay within ([`super::unguarded`])
    Exp2Within,
    Exp2TableWithin,
    Exp2RisingWithin,
    Exp2FallingWithin,
    /// 2^n of a whole number, exactly, with n from -126 to 126: of singles in three steps
    Exp2OfWhole,
    /// The square root, 2^x and 2^-x of singles without special cases, which are proven not to come ([`super::single::branch_free`])
    SqrtNear,
    Exp2Near,
    Exp2FallingNear,
    /// [`super::log2::log2`]
    Log2,
    /// 0 instead of a negative number; [`super::elementary::positive`]
    Positive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// The quotient of singles without special cases, which are proven not to come ([`super::single::branch_free`])
    DivNear,
}

/// Instructions of [`Tensor::Multiply`]: each takes 8 of the 32 points.
pub const PRODUCTS_PER_STEP: u32 = 4;

/// Work of a step of a matrix product on tensor cores. Its operation's eight running sums are rows of a block of the
/// result. The lanes of the warp hold them for all 32 points together, so such a step reads or writes numbers of
/// other lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tensor {
    /// Adds the product of 8 rows and 4 columns of the matrix with four inputs: `state_r = sum_k c_(4r+k) input_k + state_r`,
    /// from the first k to the last, each step fused. Takes this many double-precision issue slots.
    Multiply { slots: u32 },
    /// Makes values of the sums.
    Pass,
}

/// A function of real numbers, for which there may be several algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealFunction {
    Neg,
    Sqrt,
    Exp,
    Log,
    Exp2,
    /// 2^-x
    Exp2OfNegative,
    Log2,
    Positive,
}

impl Unary {
    pub const ALL: [Self; 18] = [
        Self::Neg,
        Self::Sqrt,
        Self::Exp,
        Self::Log,
        Self::Exp2,
        Self::Exp2Table,
        Self::Exp2Rising,
        Self::Exp2Falling,
        Self::Exp2Within,
        Self::Exp2TableWithin,
        Self::Exp2RisingWithin,
        Self::Exp2FallingWithin,
        Self::Exp2OfWhole,
        Self::SqrtNear,
        Self::Exp2Near,
        Self::Exp2FallingNear,
        Self::Log2,
        Self::Positive,
    ];

    /// Its steps, unless it is one instruction.
    pub fn function(self) -> Option<&'static Function> {
        Some(match self {
            Self::Neg | Self::Sqrt | Self::SqrtNear => return None,
            Self::Exp => &elementary::EXP,
            Self::Log => &elementary::LOG,
            Self::Exp2 | Self::Exp2OfWhole => &exp2::POLYNOMIAL,
            Self::Exp2Table => &exp2::TABULATED,
            Self::Exp2Rising => &exp2::RISING,
            Self::Exp2Falling => &exp2::FALLING,
            Self::Exp2Within | Self::Exp2Near => &exp2::POLYNOMIAL_WITHIN,
            Self::Exp2TableWithin => &exp2::TABULATED_WITHIN,
            Self::Exp2RisingWithin => &exp2::RISING_WITHIN,
            Self::Exp2FallingWithin | Self::Exp2FallingNear => &exp2::FALLING_WITHIN,
            Self::Log2 => &log2::LOG2,
            Self::Positive => &elementary::POSITIVE,
        })
    }

    /// e^x or 2^x.
    pub fn is_power(self) -> bool {
        matches!(self, Self::Exp | Self::Exp2 | Self::Exp2Within | Self::Exp2OfWhole | Self::Exp2Near)
            || self.reads_powers()
    }

    /// Returns the real function that it computes.
    pub fn real_function(self) -> RealFunction {
        match self {
            Self::Neg => RealFunction::Neg,
            Self::Sqrt | Self::SqrtNear => RealFunction::Sqrt,
            Self::Exp => RealFunction::Exp,
            Self::Log => RealFunction::Log,
            Self::Exp2 | Self::Exp2Table | Self::Exp2Rising => RealFunction::Exp2,
            Self::Exp2Within | Self::Exp2TableWithin | Self::Exp2RisingWithin | Self::Exp2OfWhole => RealFunction::Exp2,
            Self::Exp2Near => RealFunction::Exp2,
            Self::Exp2Falling | Self::Exp2FallingWithin | Self::Exp2FallingNear => RealFunction::Exp2OfNegative,
            Self::Log2 => RealFunction::Log2,
            Self::Positive => RealFunction::Positive,
        }
    }

    /// The power without a guard.
    pub fn unguarded(self) -> Option<Self> {
        match self {
            Self::Exp2 => Some(Self::Exp2Within),
            Self::Exp2Table => Some(Self::Exp2TableWithin),
            Self::Exp2Rising => Some(Self::Exp2RisingWithin),
            Self::Exp2Falling => Some(Self::Exp2FallingWithin),
            _ => None,
        }
    }

    /// The one on singles without special cases.
    pub fn branch_free(self) -> Option<Self> {
        match self.real_function() {
            RealFunction::Sqrt => Some(Self::SqrtNear),
            RealFunction::Exp2 if self != Self::Exp2OfWhole => Some(Self::Exp2Near),
            RealFunction::Exp2OfNegative => Some(Self::Exp2FallingNear),
            _ => None,
        }
    }

    /// The one of [`super::exp2::rising`] and [`super::exp2::falling`] that this one is not.
    fn reciprocal(self) -> Option<Self> {
        match self {
            Self::Exp2Rising => Some(Self::Exp2Falling),
            Self::Exp2Falling => Some(Self::Exp2Rising),
            Self::Exp2RisingWithin => Some(Self::Exp2FallingWithin),
            Self::Exp2FallingWithin => Some(Self::Exp2RisingWithin),
            _ => None,
        }
    }

    /// Reads the table of [`super::function_tables::power`].
    pub fn reads_powers(self) -> bool {
        self.function().is_some_and(Function::reads_powers)
    }

    /// Reads the table of [`super::function_tables::LOGARITHMS`].
    pub fn reads_logarithms(self) -> bool {
        self.function().is_some_and(Function::reads_logarithms)
    }
}

/// Straight-line code. Results are: the new states, then the values, then the stored fields.
#[derive(Debug, Clone, Default)]
pub struct Body {
    pub tensor: Option<Tensor>,
    pub insts: Vec<Inst>,
    pub states: Vec<Id>,
    pub values: Vec<Id>,
    pub stores: Vec<Id>,
    /// By stored field, what is added to it in double precision: the second number of a pair. Empty where none is.
    pub rests: Vec<Option<Id>>,
}

/// Double-precision issue slots by what they compute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    pub exponentials: u64,
    pub logarithms: u64,
    /// Divisions and square roots.
    pub divisions: u64,
    pub others: u64,
}

impl Body {
    pub fn push(&mut self, inst: Inst) -> Id {
        self.insts.push(inst);
        (self.insts.len() - 1) as Id
    }

    pub fn literal(&mut self, value: f64) -> Id {
        self.push(Inst::Literal(value))
    }

    /// Returns a sum before its first term: -0.0, to which IEEE 754 adds every number without a change.
    pub fn empty_sum(&mut self) -> Id {
        self.literal(-0.0)
    }

    pub fn constant(&mut self, k: u32) -> Id {
        self.push(Inst::Constant(k))
    }

    pub fn scalar(&mut self, k: u32) -> Id {
        self.push(Inst::Scalar(k))
    }

    pub fn input(&mut self, k: u32) -> Id {
        self.push(Inst::Input(k))
    }

    pub fn field(&mut self, array: u32, operand: u32) -> Id {
        self.push(Inst::Field { array, operand, share: Share::Whole })
    }

    pub fn state(&mut self, k: u32) -> Id {
        self.push(Inst::State(k))
    }

    pub fn unary(&mut self, op: Unary, a: Id) -> Id {
        self.push(Inst::Unary(op, a))
    }

    pub fn exp(&mut self, a: Id) -> Id {
        self.unary(Unary::Exp, a)
    }

    pub fn log(&mut self, a: Id) -> Id {
        self.unary(Unary::Log, a)
    }

    pub fn log2(&mut self, a: Id) -> Id {
        self.unary(Unary::Log2, a)
    }

    pub fn positive(&mut self, a: Id) -> Id {
        self.unary(Unary::Positive, a)
    }

    pub fn neg(&mut self, a: Id) -> Id {
        self.unary(Unary::Neg, a)
    }

    pub fn binary(&mut self, op: Binary, a: Id, b: Id) -> Id {
        self.push(Inst::Binary(op, a, b))
    }

    pub fn add(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Add, a, b)
    }

    pub fn sub(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Sub, a, b)
    }

    pub fn mul(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Mul, a, b)
    }

    pub fn div(&mut self, a: Id, b: Id) -> Id {
        self.binary(Binary::Div, a, b)
    }

    /// The larger one; not a number where `a` is none.
    pub fn max(&mut self, a: Id, b: Id) -> Id {
        self.select_le(a, b, b, a)
    }

    /// The smaller one; not a number where `a` is none.
    pub fn min(&mut self, a: Id, b: Id) -> Id {
        self.select_le(b, a, b, a)
    }

    pub fn fma(&mut self, a: Id, b: Id, c: Id) -> Id {
        self.push(Inst::Fma(a, b, c))
    }

    pub fn select_le(&mut self, a: Id, b: Id, then: Id, otherwise: Id) -> Id {
        self.push(Inst::SelectLe { a, b, then, otherwise })
    }

    /// `c[first] + c[first+1] x + ... + c[last] x^(last-first)`, by Horner's rule over the step's constants.
    pub fn polynomial(&mut self, x: Id, first: u32, last: u32) -> Id {
        let mut p = self.constant(last);
        for k in (first..last).rev() {
            let c = self.constant(k);
            p = self.fma(p, x, c);
        }
        p
    }

    /// Floating-point operations, a fused multiply-add counted as two (as in the paper).
    pub fn flops(&self) -> u64 {
        self.insts.iter().map(|i| u64::from(i.cost().0)).sum()
    }

    /// Double-precision issue slots.
    pub fn slots(&self) -> u64 {
        let Tally { exponentials, logarithms, divisions, others } = self.tally();
        exponentials + logarithms + divisions + others
    }

    /// Counts the issue slots by kind of work.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        if let Some(Tensor::Multiply { slots }) = self.tensor {
            tally.others = slots.into();
            return tally;
        }
        for (i, inst) in self.insts.iter().enumerate() {
            let place = match inst {
                Inst::Unary(op, _) if op.is_power() => &mut tally.exponentials,
                Inst::Unary(Unary::Log | Unary::Log2, _) => &mut tally.logarithms,
                Inst::Unary(Unary::Sqrt | Unary::SqrtNear, _) | Inst::Binary(Binary::Div | Binary::DivNear, ..) => {
                    &mut tally.divisions
                }
                _ => &mut tally.others,
            };
            *place += u64::from(inst.cost().1 - inst.shared(&self.insts[..i]));
        }
        tally
    }

    /// Results of instructions that are held at once, at most, in the order given. Operands from outside count from their
    /// first use.
    pub fn most_live(&self) -> usize {
        let mut last: Vec<usize> = vec![0; self.insts.len()];
        for (i, inst) in self.insts.iter().enumerate() {
            inst.operands().into_iter().for_each(|id| last[id as usize] = i);
        }
        for id in self.results() {
            last[id as usize] = self.insts.len();
        }
        let held = |inst: &Inst| !matches!(inst, Inst::Literal(_) | Inst::Scalar(_) | Inst::State(_));
        let mut ends = vec![0usize; self.insts.len() + 1];
        let (mut live, mut most) = (0, 0);
        for (i, inst) in self.insts.iter().enumerate() {
            if held(inst) && last[i] > i {
                live += 1;
                ends[last[i]] += 1;
            }
            most = most.max(live);
            live -= ends[i];
        }
        most
    }

    /// The instructions that the rest of the code reads.
    pub fn results(&self) -> impl Iterator<Item = Id> + '_ {
        let all = self.states.iter().chain(&self.values).chain(&self.stores);
        all.chain(self.rests.iter().flatten()).copied()
    }

    /// Returns the number that is added to a stored field.
    pub fn rest(&self, store: usize) -> Option<Id> {
        self.rests.get(store).copied().flatten()
    }

    /// Equality of shapes as text: literals are compared by their bits.
    pub fn key(&self) -> String {
        self.to_string()
    }
}

impl Inst {
    /// The instructions that this one reads.
    pub fn operands(self) -> Vec<Id> {
        match self {
            Self::Literal(_)
            | Self::Constant(_)
            | Self::Scalar(_)
            | Self::Input(_)
            | Self::Field { .. }
            | Self::State(_) => vec![],
            Self::Unary(_, a) => vec![a],
            Self::Binary(_, a, b) => vec![a, b],
            Self::Fma(a, b, c) => vec![a, b, c],
            Self::SelectLe { a, b, then, otherwise } => vec![a, b, then, otherwise],
        }
    }

    /// The same with other operands.
    #[must_use]
    pub fn with_operands(self, new: impl Fn(Id) -> Id) -> Self {
        match self {
            Self::Literal(_)
            | Self::Constant(_)
            | Self::Scalar(_)
            | Self::Input(_)
            | Self::Field { .. }
            | Self::State(_) => self,
            Self::Unary(op, a) => Self::Unary(op, new(a)),
            Self::Binary(op, a, b) => Self::Binary(op, new(a), new(b)),
            Self::Fma(a, b, c) => Self::Fma(new(a), new(b), new(c)),
            Self::SelectLe { a, b, then, otherwise } => {
                Self::SelectLe { a: new(a), b: new(b), then: new(then), otherwise: new(otherwise) }
            }
        }
    }

    /// Slots that an earlier instruction has already spent: the comparison of a selection, most of one of the two powers of
    /// an argument and its negative, which share all but their last steps.
    fn shared(self, earlier: &[Self]) -> u32 {
        let has = |same: &dyn Fn(&Self) -> bool| earlier.iter().any(same);
        match self {
            Self::SelectLe { a, b, .. }
                if has(&|i| matches!(i, Self::SelectLe { a: c, b: d, .. } if (a, b) == (*c, *d))) =>
            {
                1
            }
            Self::Unary(op, a)
                if op
                    .reciprocal()
                    .is_some_and(|other| has(&|i| matches!(i, Self::Unary(op, c) if (*op, *c) == (other, a)))) =>
            {
                2 * POWER_SLOTS - BOTH_POWERS_SLOTS
            }
            _ => 0,
        }
    }

    /// Its double-precision issue slots, by itself.
    pub fn slots(self) -> u64 {
        self.cost().1.into()
    }

    /// (floating-point operations, issue slots). `exp`: 4 for the reduction and 11 fused steps; `log`: 13 and a division.
    fn cost(self) -> (u32, u32) {
        match self {
            Self::Literal(_)
            | Self::Constant(_)
            | Self::Scalar(_)
            | Self::Input(_)
            | Self::Field { .. }
            | Self::State(_) => (0, 0),
            // A sign is a modifier of the operand that reads it.
            Self::Unary(Unary::Neg, _) => (0, 0),
            Self::Unary(Unary::Sqrt | Unary::SqrtNear, _) | Self::Binary(Binary::Div | Binary::DivNear, ..) => {
                (1, DIVISION_SLOTS)
            }
            Self::Unary(Unary::Exp, _) => (29, 15),
            Self::Unary(Unary::Log, _) => (35, 25),
            Self::Unary(Unary::Exp2 | Unary::Exp2Within | Unary::Exp2Near, _) => (25, 14),
            Self::Unary(Unary::Exp2Table | Unary::Exp2TableWithin, _) => (12, 8),
            Self::Unary(op, _) if op.reciprocal().is_some() => (13, POWER_SLOTS),
            Self::Unary(Unary::Log2, _) => (20, 11),
            // Integer operations on the words.
            Self::Unary(Unary::Positive, _) => (1, 0),
            Self::Unary(..) | Self::Binary(..) | Self::SelectLe { .. } => (1, 1),
            Self::Fma(..) => (2, 1),
        }
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(v) => write!(f, "{v:e}"),
            Self::Constant(k) => write!(f, "constant {k}"),
            Self::Scalar(k) => write!(f, "scalar {k}"),
            Self::Input(k) => write!(f, "input {k}"),
            Self::Field { array, operand, share: Share::Whole } => write!(f, "field {array}[row {operand}]"),
            Self::Field { array, operand, share } => write!(f, "{share:?} of field {array}[row {operand}]"),
            Self::State(k) => write!(f, "state {k}"),
            Self::Unary(op, a) => write!(f, "{op:?} %{a}"),
            Self::Binary(op, a, b) => write!(f, "{op:?} %{a} %{b}"),
            Self::Fma(a, b, c) => write!(f, "Fma %{a} %{b} %{c}"),
            Self::SelectLe { a, b, then, otherwise } => write!(f, "SelectLe %{a} %{b} %{then} %{otherwise}"),
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, inst) in self.insts.iter().enumerate() {
            writeln!(f, "  %{i} = {inst}")?;
        }
        if let Some(tensor) = self.tensor {
            writeln!(f, "  on tensor cores: {tensor:?}")?;
        }
        writeln!(f, "  states {:?} values {:?} stores {:?}", self.states, self.values, self.stores)?;
        if self.rests.is_empty() { Ok(()) } else { writeln!(f, "  rests {:?}", self.rests) }
    }
}
