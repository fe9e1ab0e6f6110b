//! The elementary functions on vectors, step by step.

use crate::base::expression::{Expression, Operator};
use crate::base::functions::{about, literal};
use crate::base::tables::real;
use graph::steps::{Flag, FlagOperation, Function, Operation, Real, RealOperation, SINGLE, Step, Word, WordOperation};
use overlay::program::Unary;
use std::collections::BTreeSet;
use std::fmt::Write;

pub use crate::base::functions::name;

/// The definition: a variable for every step that has a name. It begins with `specifiers`.
pub fn definition(unary: Unary, specifiers: &str) -> String {
    let function = unary.function().expect("only lists of steps are defined");
    let reads_table = function.reads_powers() || function.reads_logarithms();
    let table = if reads_table { ", const double *table" } else { "" };
    let mut out = about(function.about);
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{specifiers} real {}(real x{table})\n{{", name(unary));
    let mut printer = Printer { function, made: Vec::new(), declared: BTreeSet::new() };
    for at in 0..function.steps.len() {
        out += &printer.step(at);
    }
    out + "}\n"
}

struct Printer<'a> {
    function: &'a Function,
    made: Vec<Expression>,
    declared: BTreeSet<&'static str>,
}

impl Printer<'_> {
    /// The line of a step; none where it is part of the expression that uses it.
    fn step(&mut self, at: usize) -> String {
        let Step { name, operation } = self.function.steps[at];
        let (kind, value) = match operation {
            Operation::Real(operation) => ("real", self.real_operation(operation)),
            Operation::Word(operation) => ("word", self.word_operation(operation)),
            Operation::Flag(FlagOperation::Below(a, b)) => ("flag", self.call("below", &[a, b])),
            Operation::Flag(FlagOperation::BelowSigned(a, b)) => ("flag", self.call("below_signed", &[a, b])),
            Operation::Flag(FlagOperation::Less(..)) => unreachable!("{SINGLE}"),
        };
        if at + 1 == self.function.steps.len() {
            return format!("  return {};\n", value.text);
        }
        if name.is_empty() {
            self.made.push(value);
            return String::new();
        }
        self.made.push(Expression::atom(name));
        let value = value.text;
        if !self.declared.insert(name) {
            return format!("  {name} = {value};\n");
        }
        let changes = self.function.steps[at + 1..].iter().any(|later| later.name == name);
        format!("  {}{kind} {name} = {value};\n", if changes { "" } else { "const " })
    }

    fn real_operation(&self, operation: RealOperation) -> Expression {
        let infix = |operator: Operator, a: Real, b: Real| self.real(a).infix(operator, self.real(b));
        match operation {
            RealOperation::Add(a, b) => infix(Operator::Add, a, b),
            RealOperation::Sub(a, b) => infix(Operator::Sub, a, b),
            RealOperation::Mul(a, b) => infix(Operator::Mul, a, b),
            RealOperation::Div(a, b) => infix(Operator::Div, a, b),
            RealOperation::Fma(a, b, c) => Expression::call("fma", [a, b, c].map(|a| self.vector(a))),
            RealOperation::Neg(a) => self.vector(a).negative(),
            RealOperation::Choose(Flag(flag), a, b) => {
                Expression::call("choose", [self.made[flag].clone(), self.vector(a), self.vector(b)])
            }
            RealOperation::Join { high, low } => self.call("join", &[high, low]),
            RealOperation::OfBits(_) => unreachable!("{SINGLE}"),
            RealOperation::FromSigned(a) => self.call("from_signed", &[a]),
            RealOperation::Power(n) => {
                let place = self.word(n).infix(Operator::And, Expression::atom("all_words(255u)"));
                Expression::call("looked_up", [Expression::atom("table"), place])
            }
            RealOperation::Entry { index, second } => {
                let table = Expression::atom(if second { "table + 1" } else { "table" });
                Expression::call("looked_up", [table, self.shifted(index, 1)])
            }
        }
    }

    fn word_operation(&self, operation: WordOperation) -> Expression {
        let infix = |operator: Operator, a: Word, b: Word| self.word(a).infix(operator, self.word(b));
        let by = |bits: u32| Expression::atom(bits.to_string());
        match operation {
            WordOperation::Choose(Flag(flag), a, b) => {
                Expression::call("choose_word", [self.made[flag].clone(), self.word(a), self.word(b)])
            }
            WordOperation::High(a) => Expression::call("high_word", [self.vector(a)]),
            WordOperation::Low(a) => Expression::call("low_word", [self.vector(a)]),
            WordOperation::Bits(_) => unreachable!("{SINGLE}"),
            WordOperation::Add(a, b) => infix(Operator::Add, a, b),
            WordOperation::Sub(a, b) => infix(Operator::Sub, a, b),
            WordOperation::And(a, b) => infix(Operator::And, a, b),
            WordOperation::Or(a, b) => infix(Operator::Or, a, b),
            WordOperation::Not(a) => self.call("inverse", &[a]),
            WordOperation::Left(a, bits) => self.shifted(a, bits),
            WordOperation::Right(a, bits) => Expression::call("right", [self.word(a), by(bits)]),
            WordOperation::RightSigned(a, bits) => Expression::call("right_signed", [self.word(a), by(bits)]),
        }
    }

    fn shifted(&self, a: Word, bits: u32) -> Expression {
        self.word(a).infix(Operator::ShiftLeft, Expression::atom(bits.to_string()))
    }

    fn call(&self, function: &str, words: &[Word]) -> Expression {
        Expression::call(function, words.iter().map(|&word| self.word(word)))
    }

    /// A double as an operand beside a vector.
    fn real(&self, a: Real) -> Expression {
        match a {
            Real::Argument => Expression::atom("x"),
            Real::Step(i) => self.made[i].clone(),
            Real::Literal(value) => Expression::number(real(value)),
        }
    }

    fn vector(&self, a: Real) -> Expression {
        let text = self.real(a);
        if matches!(a, Real::Literal(_)) { Expression::call("all", [text]) } else { text }
    }

    fn word(&self, a: Word) -> Expression {
        match a {
            Word::Step(i) => self.made[i].clone(),
            Word::Literal(value) => Expression::call("all_words", [Expression::atom(literal(value))]),
        }
    }
}
