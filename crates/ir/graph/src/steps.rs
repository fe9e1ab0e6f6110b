//! Functions of one double as lists of typed operations, or of one single ([`super::single::steps`]).
//!
//! A list is all that is known of an elementary function: the interpreter evaluates it, the CUDA printer writes it as a
//! device function, and the PTX printer as instructions, so that the three give the same bits. Every operation on
//! doubles is one IEEE-754 operation, rounded to nearest; words have 32 bits and wrap around.
//!
//! No product is an operand of a sum, so that compilers which fuse products into sums find nothing to fuse; what is fused
//! is [`Fma`](RealOperation::Fma).

use super::function_tables;

/// A double: the argument, what an earlier step made, or a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Real {
    Argument,
    Step(usize),
    Literal(f64),
}

/// A word of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    Step(usize),
    Literal(u32),
}

/// A truth value: the number of the step that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag(pub usize);

/// Operation that makes a double.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RealOperation {
    Add(Real, Real),
    Sub(Real, Real),
    Mul(Real, Real),
    Div(Real, Real),
    /// a b + c, rounded once
    Fma(Real, Real, Real),
    Neg(Real),
    /// The first where the flag is set, else the second.
    Choose(Flag, Real, Real),
    /// The double of these words.
    Join {
        high: Word,
        low: Word,
    },
    /// The single of these bits.
    OfBits(Word),
    /// The value of a word with a sign.
    FromSigned(Word),
    /// Entry j of [`function_tables::power`], j = the last eight bits.
    Power(Word),
    /// An entry of [`function_tables::LOGARITHMS`]: its first number, or its second.
    Entry {
        index: Word,
        second: bool,
    },
}

/// Operation that makes a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WordOperation {
    /// The first where the flag is set, else the second.
    Choose(Flag, Word, Word),
    High(Real),
    Low(Real),
    /// Those of a single.
    Bits(Real),
    Add(Word, Word),
    Sub(Word, Word),
    And(Word, Word),
    Or(Word, Word),
    Not(Word),
    Left(Word, u32),
    Right(Word, u32),
    /// With copies of the sign.
    RightSigned(Word, u32),
}

/// Operation that makes a truth value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FlagOperation {
    /// Without signs.
    Below(Word, Word),
    BelowSigned(Word, Word),
    /// Compares singles.
    Less(Real, Real),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    Real(RealOperation),
    Word(WordOperation),
    Flag(FlagOperation),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The variable in printed text: empty where the text has the operation inside the one that uses it. A later step of
    /// the same name replaces the value, which nothing reads from then on.
    pub name: &'static str,
    pub operation: Operation,
}

/// A function: its value is the result of the last step.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Value and domain of the function, in a sentence or two.
    pub about: &'static str,
    pub steps: Vec<Step>,
}

/// The most steps of a function.
const MOST_STEPS: usize = 48;

impl Function {
    /// A function of the steps that `build` makes, which returns the last.
    pub fn new(about: &'static str, build: impl FnOnce(&mut Steps) -> Real) -> Self {
        let mut steps = Steps { list: Vec::new() };
        let result = build(&mut steps);
        debug_assert_eq!(result, Real::Step(steps.list.len() - 1));
        debug_assert!(steps.list.len() <= MOST_STEPS);
        Self { about, steps: steps.list }
    }

    pub fn evaluate(&self, x: f64) -> f64 {
        let mut made = [0; MOST_STEPS];
        for (i, step) in self.steps.iter().enumerate() {
            made[i] = evaluate(&step.operation, x, &made);
        }
        f64::from_bits(made[self.steps.len() - 1])
    }

    pub fn reads_powers(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.operation, Operation::Real(RealOperation::Power(_))))
    }

    pub fn reads_logarithms(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.operation, Operation::Real(RealOperation::Entry { .. })))
    }

    /// Whether its argument is an operand of a sum, with which a compiler may fuse a product.
    pub fn sums_argument(&self) -> bool {
        let sums = |operation: &Operation| match operation {
            Operation::Real(RealOperation::Add(a, b) | RealOperation::Sub(a, b)) => [a, b].contains(&&Real::Argument),
            _ => false,
        };
        self.steps.iter().any(|step| sums(&step.operation))
    }

    /// Number of steps that both functions begin with.
    pub fn in_common(&self, other: &Self) -> usize {
        self.steps.iter().zip(&other.steps).take_while(|(a, b)| a == b).count()
    }
}

/// Message for operations that only lists on singles have; [`super::single::elementary`] interprets these.
pub const SINGLE: &str = "functions of doubles have no operations on singles";

/// The bits of an operation's result, from the results of the steps before.
fn evaluate(operation: &Operation, x: f64, made: &[u64]) -> u64 {
    let real = |a: Real| match a {
        Real::Argument => x,
        Real::Step(i) => f64::from_bits(made[i]),
        Real::Literal(value) => value,
    };
    let word = |a: Word| match a {
        Word::Step(i) => made[i] as u32,
        Word::Literal(value) => value,
    };
    match *operation {
        Operation::Real(operation) => match operation {
            RealOperation::Add(a, b) => real(a) + real(b),
            RealOperation::Sub(a, b) => real(a) - real(b),
            RealOperation::Mul(a, b) => real(a) * real(b),
            RealOperation::Div(a, b) => real(a) / real(b),
            RealOperation::Fma(a, b, c) => real(a).mul_add(real(b), real(c)),
            RealOperation::Neg(a) => -real(a),
            RealOperation::Choose(Flag(flag), a, b) => real(if made[flag] == 0 { b } else { a }),
            RealOperation::Join { high, low } => f64::from_bits(u64::from(word(high)) << 32 | u64::from(word(low))),
            RealOperation::FromSigned(a) => f64::from(word(a) as i32),
            RealOperation::OfBits(_) => unreachable!("{SINGLE}"),
            RealOperation::Power(a) => function_tables::power(word(a) as usize % function_tables::POWERS),
            RealOperation::Entry { index, second } => {
                let entries = &function_tables::LOGARITHMS;
                let (first, other) = entries[word(index) as usize % entries.len()];
                if second { other } else { first }
            }
        }
        .to_bits(),
        Operation::Word(operation) => u64::from(match operation {
            WordOperation::Choose(Flag(flag), a, b) => word(if made[flag] == 0 { b } else { a }),
            WordOperation::High(a) => (real(a).to_bits() >> 32) as u32,
            WordOperation::Low(a) => real(a).to_bits() as u32,
            WordOperation::Bits(_) => unreachable!("{SINGLE}"),
            WordOperation::Add(a, b) => word(a).wrapping_add(word(b)),
            WordOperation::Sub(a, b) => word(a).wrapping_sub(word(b)),
            WordOperation::And(a, b) => word(a) & word(b),
            WordOperation::Or(a, b) => word(a) | word(b),
            WordOperation::Not(a) => !word(a),
            WordOperation::Left(a, bits) => word(a) << bits,
            WordOperation::Right(a, bits) => word(a) >> bits,
            WordOperation::RightSigned(a, bits) => (word(a) as i32 >> bits) as u32,
        }),
        Operation::Flag(operation) => u64::from(match operation {
            FlagOperation::Below(a, b) => word(a) < word(b),
            FlagOperation::BelowSigned(a, b) => (word(a) as i32) < word(b) as i32,
            FlagOperation::Less(..) => unreachable!("{SINGLE}"),
        }),
    }
}

/// A function while its steps are put together. An empty name leaves the step inside its only use in printed text.
pub struct Steps {
    list: Vec<Step>,
}

impl Steps {
    fn push(&mut self, name: &'static str, operation: Operation) -> usize {
        self.list.push(Step { name, operation });
        self.list.len() - 1
    }

    pub fn real(&mut self, name: &'static str, operation: RealOperation) -> Real {
        Real::Step(self.push(name, Operation::Real(operation)))
    }

    pub fn word(&mut self, name: &'static str, operation: WordOperation) -> Word {
        Word::Step(self.push(name, Operation::Word(operation)))
    }

    pub fn flag(&mut self, name: &'static str, operation: FlagOperation) -> Flag {
        Flag(self.push(name, Operation::Flag(operation)))
    }

    /// Horner's rule, each step fused; the coefficients ascend, and there are at least two.
    pub fn polynomial(&mut self, name: &'static str, coefficients: &[f64], x: Real) -> Real {
        let mut descending = coefficients.iter().rev().map(|&c| Real::Literal(c));
        let last = descending.next().expect("a polynomial has coefficients");
        descending.fold(last, |p, c| self.real(name, RealOperation::Fma(p, x, c)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Unary;
    use crate::interpret::Arithmetic;
    use crate::single::branch_free::NEAR_EXPONENT;
    use crate::single::steps as single;
    use std::collections::BTreeMap;

    fn operands(operation: &Operation) -> Vec<usize> {
        let mut found = Vec::new();
        let mut real = |a: Real| found.extend(if let Real::Step(i) = a { Some(i) } else { None });
        match *operation {
            Operation::Real(operation) => match operation {
                RealOperation::Add(a, b)
                | RealOperation::Sub(a, b)
                | RealOperation::Mul(a, b)
                | RealOperation::Div(a, b) => {
                    [a, b].into_iter().for_each(&mut real);
                }
                RealOperation::Fma(a, b, c) => {
                    [a, b, c].into_iter().for_each(&mut real);
                }
                RealOperation::Neg(a) => real(a),
                RealOperation::Choose(Flag(flag), a, b) => {
                    [a, b, Real::Step(flag)].into_iter().for_each(&mut real);
                }
                RealOperation::Join { high, low } => found.extend(words(&[high, low])),
                RealOperation::FromSigned(a) | RealOperation::OfBits(a) | RealOperation::Power(a) => {
                    found.extend(words(&[a]))
                }
                RealOperation::Entry { index, .. } => found.extend(words(&[index])),
            },
            Operation::Word(operation) => match operation {
                WordOperation::High(a) | WordOperation::Low(a) | WordOperation::Bits(a) => real(a),
                WordOperation::Choose(Flag(flag), a, b) => found.extend(words(&[Word::Step(flag), a, b])),
                WordOperation::Add(a, b)
                | WordOperation::Sub(a, b)
                | WordOperation::And(a, b)
                | WordOperation::Or(a, b) => {
                    found.extend(words(&[a, b]));
                }
                WordOperation::Not(a)
                | WordOperation::Left(a, _)
                | WordOperation::Right(a, _)
                | WordOperation::RightSigned(a, _) => {
                    found.extend(words(&[a]));
                }
            },
            Operation::Flag(FlagOperation::Below(a, b) | FlagOperation::BelowSigned(a, b)) => {
                found.extend(words(&[a, b]));
            }
            Operation::Flag(FlagOperation::Less(a, b)) => [a, b].into_iter().for_each(&mut real),
        }
        found
    }

    fn words(list: &[Word]) -> Vec<usize> {
        list.iter().filter_map(|word| if let Word::Step(i) = word { Some(*i) } else { None }).collect()
    }

    fn functions() -> impl Iterator<Item = (Unary, &'static Function)> {
        let doubles = Unary::ALL.into_iter().filter_map(|unary| unary.function().map(|function| (unary, function)));
        let singles =
            Unary::ALL.into_iter().filter_map(|unary| single::function(unary).map(|function| (unary, function)));
        doubles.chain(singles)
    }

    /// Returns the value of the list of a function on singles for one argument.
    fn on_singles(function: &Function, x: f32) -> f32 {
        let mut made: Vec<u32> = Vec::new();
        for step in &function.steps {
            let real = |a: Real| match a {
                Real::Argument => x,
                Real::Step(i) => f32::from_bits(made[i]),
                Real::Literal(value) => value as f32,
            };
            let word = |a: Word| match a {
                Word::Step(i) => made[i],
                Word::Literal(value) => value,
            };
            let bits = match step.operation {
                Operation::Real(operation) => match operation {
                    RealOperation::Add(a, b) => real(a) + real(b),
                    RealOperation::Sub(a, b) => real(a) - real(b),
                    RealOperation::Mul(a, b) => real(a) * real(b),
                    RealOperation::Div(a, b) => real(a) / real(b),
                    RealOperation::Fma(a, b, c) => real(a).mul_add(real(b), real(c)),
                    RealOperation::Neg(a) => -real(a),
                    RealOperation::Choose(Flag(flag), a, b) => real(if made[flag] == 0 { b } else { a }),
                    RealOperation::OfBits(a) => f32::from_bits(word(a)),
                    RealOperation::FromSigned(a) => word(a) as i32 as f32,
                    other => panic!("{other:?}"),
                }
                .to_bits(),
                Operation::Word(operation) => match operation {
                    WordOperation::Bits(a) => real(a).to_bits(),
                    WordOperation::Add(a, b) => word(a).wrapping_add(word(b)),
                    WordOperation::Sub(a, b) => word(a).wrapping_sub(word(b)),
                    WordOperation::Left(a, bits) => word(a) << bits,
                    WordOperation::RightSigned(a, bits) => (word(a) as i32 >> bits) as u32,
                    other => panic!("{other:?}"),
                },
                Operation::Flag(FlagOperation::Below(a, b)) => u32::from(word(a) < word(b)),
                Operation::Flag(FlagOperation::Less(a, b)) => u32::from(real(a) < real(b)),
                Operation::Flag(other) => panic!("{other:?}"),
            };
            made.push(bits);
        }
        f32::from_bits(made[made.len() - 1])
    }

    #[test]
    fn lists_on_singles_give_the_bits_of_their_functions() {
        for (unary, function) in Unary::ALL.into_iter().filter_map(|unary| single::function(unary).map(|f| (unary, f)))
        {
            // An odd step comes to every exponent with other mantissas.
            let all = (0..u32::MAX).step_by(65_537).chain([f32::NAN.to_bits(), f32::INFINITY.to_bits()]);
            let numbers: Vec<f32> = match unary {
                Unary::Exp2OfWhole => (-126i8..=126).map(f32::from).collect(),
                Unary::Exp2Near | Unary::Exp2FallingNear => {
                    all.map(f32::from_bits).filter(|x| x.abs() <= NEAR_EXPONENT).collect()
                }
                _ => all.map(f32::from_bits).collect(),
            };
            for x in numbers {
                let (found, expected) = (on_singles(function, x), <f32 as Arithmetic>::unary(unary, x));
                let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(is_same, "{unary:?} of {x:e}: {found:e}, {expected:e}");
            }
        }
    }

    #[test]
    fn no_product_meets_a_sum() {
        for (unary, function) in functions() {
            let is_product = |a: Real| matches!(a, Real::Step(i) if matches!(function.steps[i].operation, Operation::Real(RealOperation::Mul(..))));
            for step in &function.steps {
                if let Operation::Real(RealOperation::Add(a, b) | RealOperation::Sub(a, b)) = step.operation {
                    assert!(!is_product(a) && !is_product(b), "{unary:?}: {step:?}");
                }
            }
        }
    }

    /// The printed text rests on this: every step is used, those without a name once, and none after its name was taken.
    #[test]
    fn names_stand_for_their_steps() {
        for (unary, function) in functions() {
            let mut uses = vec![0; function.steps.len()];
            let mut latest: BTreeMap<&str, usize> = BTreeMap::new();
            for (i, step) in function.steps.iter().enumerate() {
                for operand in operands(&step.operation) {
                    let name = function.steps[operand].name;
                    assert!(operand < i && (name.is_empty() || latest[name] == operand), "{unary:?}: {step:?}");
                    uses[operand] += 1;
                }
                latest.insert(step.name, i);
            }
            let (last, others) = uses.split_last().unwrap();
            assert_eq!(*last, 0, "{unary:?}");
            for (i, &count) in others.iter().enumerate() {
                let named = !function.steps[i].name.is_empty();
                assert!(count == 1 || count > 1 && named, "{unary:?}: step {i} is used {count} times");
            }
        }
    }
}
