//! The elementary functions on vectors, step by step.

use crate::emit::cuda::functions::{about, literal};
use crate::emit::cuda::tables::real;
use crate::graph::steps::{
    Flag, FlagOperation, Function, Operation, Real, RealOperation, SINGLE, Step, Word, WordOperation,
};
use crate::overlay::program::Unary;
use std::collections::BTreeSet;
use std::fmt::Write;

pub use crate::emit::cuda::functions::name;

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
    made: Vec<String>,
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
            return format!("  return {value};\n");
        }
        if name.is_empty() {
            self.made.push(value);
            return String::new();
        }
        self.made.push(name.to_owned());
        if !self.declared.insert(name) {
            return format!("  {name} = {value};\n");
        }
        let changes = self.function.steps[at + 1..].iter().any(|later| later.name == name);
        format!("  {}{kind} {name} = {value};\n", if changes { "" } else { "const " })
    }

    fn real_operation(&self, operation: RealOperation) -> String {
        let infix = |operator: char, a: Real, b: Real| format!("({} {operator} {})", self.real(a), self.real(b));
        match operation {
            RealOperation::Add(a, b) => infix('+', a, b),
            RealOperation::Sub(a, b) => infix('-', a, b),
            RealOperation::Mul(a, b) => infix('*', a, b),
            RealOperation::Div(a, b) => infix('/', a, b),
            RealOperation::Fma(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|a| self.vector(a));
                format!("fma({a}, {b}, {c})")
            }
            RealOperation::Neg(a) => format!("(-{})", self.vector(a)),
            RealOperation::Choose(Flag(flag), a, b) => {
                format!("choose({}, {}, {})", self.made[flag], self.vector(a), self.vector(b))
            }
            RealOperation::Join { high, low } => self.call("join", &[high, low]),
            RealOperation::OfBits(_) => unreachable!("{SINGLE}"),
            RealOperation::FromSigned(a) => self.call("from_signed", &[a]),
            RealOperation::Power(n) => format!("looked_up(table, {} & all_words(255u))", self.words(n)),
            RealOperation::Entry { index, second } => {
                let second = if second { " + 1" } else { "" };
                format!("looked_up(table{second}, {} << 1)", self.words(index))
            }
        }
    }

    fn word_operation(&self, operation: WordOperation) -> String {
        let infix = |operator: &str, a: Word, b: Word| format!("({} {operator} {})", self.words(a), self.words(b));
        match operation {
            WordOperation::Choose(Flag(flag), a, b) => {
                format!("choose_word({}, {}, {})", self.made[flag], self.words(a), self.words(b))
            }
            WordOperation::High(a) => format!("high_word({})", self.vector(a)),
            WordOperation::Low(a) => format!("low_word({})", self.vector(a)),
            WordOperation::Bits(_) => unreachable!("{SINGLE}"),
            WordOperation::Add(a, b) => infix("+", a, b),
            WordOperation::Sub(a, b) => infix("-", a, b),
            WordOperation::And(a, b) => infix("&", a, b),
            WordOperation::Or(a, b) => infix("|", a, b),
            WordOperation::Not(a) => self.call("inverse", &[a]),
            WordOperation::Left(a, bits) => format!("({} << {bits})", self.words(a)),
            WordOperation::Right(a, bits) => format!("right({}, {bits})", self.words(a)),
            WordOperation::RightSigned(a, bits) => format!("right_signed({}, {bits})", self.words(a)),
        }
    }

    fn call(&self, function: &str, words: &[Word]) -> String {
        let words: Vec<String> = words.iter().map(|&word| self.words(word)).collect();
        format!("{function}({})", words.join(", "))
    }

    /// A double as an operand beside a vector.
    fn real(&self, a: Real) -> String {
        match a {
            Real::Argument => "x".to_owned(),
            Real::Step(i) => self.made[i].clone(),
            Real::Literal(value) => real(value),
        }
    }

    fn vector(&self, a: Real) -> String {
        if let Real::Literal(value) = a { format!("all({})", real(value)) } else { self.real(a) }
    }

    fn words(&self, a: Word) -> String {
        match a {
            Word::Step(i) => self.made[i].clone(),
            Word::Literal(value) => format!("all_words({})", literal(value)),
        }
    }
}
