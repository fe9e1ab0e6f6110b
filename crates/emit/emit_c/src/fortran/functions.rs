//! The elementary functions as pure functions, step by step. A word of 32 bits without a sign is an `integer(int64)`, as sums of
//! Fortran's integers must not overflow.

use super::lines::{comment, declarations, statement, table};
use super::number::{fused, infix, literal, merge};
use super::{DIRECTIVES, DOUBLE};
use crate::base::expression::{Expression, Operator};
use crate::base::functions::name;
use graph::function_tables;
use graph::steps::{Flag, FlagOperation, Function, Operation, Real, RealOperation, SINGLE, Step, Word, WordOperation};
use overlay::program::Unary;
use std::collections::BTreeMap;

/// The type of a word.
const WORD: &str = "integer(int64)";

/// The definition of a function, with the table that it reads.
pub fn definition(unary: Unary) -> String {
    let function = unary.function().expect("only lists of steps are defined");
    let name = name(unary);
    let mut printer = Printer { function, made: Vec::new(), declared: BTreeMap::new(), out: String::new() };
    for at in 0..function.steps.len() {
        printer.step(at);
    }
    let mut out = comment(1, function.about);
    out += &format!("  pure function {name}(x) result(value)\n{DIRECTIVES}");
    out += &format!("    {DOUBLE}, intent(in) :: x\n    {DOUBLE} :: value\n");
    for ty in [DOUBLE, WORD, "logical"] {
        let names = printer.declared.iter().filter(|(_, own)| **own == ty).map(|(name, _)| (*name).to_owned());
        out += &declarations(2, ty, &names.collect::<Vec<_>>());
    }
    let number = |x: &f64| literal(*x).text;
    if function.reads_powers() {
        let powers: Vec<f64> = (0..function_tables::POWERS).map(function_tables::power).collect();
        out += &table(2, DOUBLE, "powers", &powers.iter().map(number).collect::<Vec<_>>());
    }
    if function.reads_logarithms() {
        let pairs: Vec<String> = function_tables::LOGARITHMS.iter().flat_map(|(a, b)| [number(a), number(b)]).collect();
        out += &table(2, DOUBLE, "logarithms", &pairs);
    }
    out + &printer.out + &format!("  end function {name}\n\n")
}

struct Printer<'a> {
    function: &'a Function,
    made: Vec<Expression>,
    /// Types of the variables, by name.
    declared: BTreeMap<&'static str, &'static str>,
    out: String,
}

impl Printer<'_> {
    /// The statement of a step; none where it is part of the expression that uses it.
    fn step(&mut self, at: usize) {
        let Step { name, operation } = self.function.steps[at];
        let (ty, value) = match operation {
            Operation::Real(operation) => (DOUBLE, self.real_operation(operation)),
            Operation::Word(operation) => (WORD, self.word_operation(operation)),
            Operation::Flag(FlagOperation::Below(a, b)) => {
                ("logical", self.word(a).infix(Operator::Less, self.word(b)))
            }
            Operation::Flag(FlagOperation::BelowSigned(a, b)) => {
                ("logical", self.signed(a).infix(Operator::Less, self.signed(b)))
            }
            Operation::Flag(FlagOperation::Less(..)) => unreachable!("{SINGLE}"),
        };
        let is_last = at + 1 == self.function.steps.len();
        if is_last || !name.is_empty() {
            let name = if is_last { "value" } else { name };
            self.out += &statement(2, &format!("{name} = {}", value.text));
            if !is_last {
                self.declared.insert(name, ty);
            }
            self.made.push(Expression::atom(name));
        } else {
            self.made.push(value);
        }
    }

    fn real_operation(&self, operation: RealOperation) -> Expression {
        let infix = |operator: Operator, a: Real, b: Real| infix(operator, self.real(a), self.real(b));
        match operation {
            RealOperation::Add(a, b) => infix(Operator::Add, a, b),
            RealOperation::Sub(a, b) => infix(Operator::Sub, a, b),
            RealOperation::Mul(a, b) => infix(Operator::Mul, a, b),
            RealOperation::Div(a, b) => infix(Operator::Div, a, b),
            RealOperation::Fma(a, b, c) => fused([a, b, c].map(|a| self.real(a))),
            RealOperation::Neg(a) => self.real(a).negative(),
            RealOperation::Choose(Flag(flag), a, b) => merge(self.real(a), self.real(b), self.made[flag].clone()),
            RealOperation::Join { high, low } => Expression::call("join", [high, low].map(|a| self.word(a))),
            RealOperation::OfBits(_) => unreachable!("{SINGLE}"),
            RealOperation::FromSigned(a) => Expression::call("real", [self.signed(a), Expression::atom("dp")]),
            RealOperation::Power(n) => {
                let place = Expression::call("iand", [self.word(n), Expression::atom("255_int64")]);
                Expression::call("powers", [place])
            }
            RealOperation::Entry { index, second } => {
                let place = Expression::atom("2").infix(Operator::Mul, self.word(index));
                let place = if second { place.infix(Operator::Add, Expression::atom("1")) } else { place };
                Expression::call("logarithms", [place])
            }
        }
    }

    fn word_operation(&self, operation: WordOperation) -> Expression {
        let call = |function: &str, a: Word, b: Word| Expression::call(function, [self.word(a), self.word(b)]);
        let by = |bits: i64| Expression::atom(bits.to_string());
        match operation {
            WordOperation::Choose(Flag(flag), a, b) => merge(self.word(a), self.word(b), self.made[flag].clone()),
            WordOperation::High(a) => Expression::call("high_word", [self.real(a)]),
            WordOperation::Low(a) => Expression::call("low_word", [self.real(a)]),
            WordOperation::Bits(_) => unreachable!("{SINGLE}"),
            WordOperation::Add(a, b) => wrapped(self.word(a).infix(Operator::Add, self.word(b))),
            WordOperation::Sub(a, b) => wrapped(self.word(a).infix(Operator::Sub, self.word(b))),
            WordOperation::And(a, b) => call("iand", a, b),
            WordOperation::Or(a, b) => call("ior", a, b),
            WordOperation::Not(a) => Expression::call("ieor", [self.word(a), Expression::atom("all_bits")]),
            WordOperation::Left(a, bits) => wrapped(Expression::call("ishft", [self.word(a), by(bits.into())])),
            WordOperation::Right(a, bits) => Expression::call("ishft", [self.word(a), by(-i64::from(bits))]),
            WordOperation::RightSigned(a, bits) => {
                wrapped(Expression::call("shifta", [self.signed(a), by(bits.into())]))
            }
        }
    }

    fn real(&self, a: Real) -> Expression {
        match a {
            Real::Argument => Expression::atom("x"),
            Real::Step(i) => self.made[i].clone(),
            Real::Literal(value) => literal(value),
        }
    }

    fn word(&self, a: Word) -> Expression {
        match a {
            Word::Step(i) => self.made[i].clone(),
            Word::Literal(value) => Expression::atom(format!("{value}_int64")),
        }
    }

    /// The value of a word that has a sign.
    fn signed(&self, a: Word) -> Expression {
        match a {
            Word::Step(_) => Expression::call("signed", [self.word(a)]),
            Word::Literal(value) => Expression::number(format!("{}_int64", value as i32)),
        }
    }
}

/// The last 32 bits.
fn wrapped(word: Expression) -> Expression {
    Expression::call("iand", [word, Expression::atom("all_bits")])
}
