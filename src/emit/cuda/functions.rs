//! The elementary functions as device functions, step by step.

use super::numbers::Numbers;
use crate::graph::function_tables::POWERS;
use crate::graph::single;
use crate::graph::steps::{Flag, FlagOperation, Function, Operation, Real, RealOperation, Step, Word, WordOperation};
use crate::overlay::program::Unary;
use machine::target::Target;
use std::collections::BTreeSet;
use std::fmt::Write;

pub fn name(function: Unary) -> &'static str {
    match function {
        Unary::Neg | Unary::Sqrt | Unary::SqrtNear => unreachable!("an operator and a function of CUDA"),
        Unary::Exp => "singe_exp",
        Unary::Log => "singe_log",
        Unary::Exp2 => "singe_exp2",
        Unary::Exp2Table => "singe_exp2_table",
        Unary::Exp2Rising => "singe_exp2_rising",
        Unary::Exp2Falling => "singe_exp2_falling",
        Unary::Exp2Within => "singe_exp2_within",
        Unary::Exp2TableWithin => "singe_exp2_table_within",
        Unary::Exp2RisingWithin => "singe_exp2_rising_within",
        Unary::Exp2FallingWithin => "singe_exp2_falling_within",
        Unary::Exp2OfWhole => "singe_exp2_of_whole",
        Unary::Exp2Near => "singe_exp2_near",
        Unary::Exp2FallingNear => "singe_exp2_falling_near",
        Unary::Log2 => "singe_log2",
        Unary::Positive => "positive",
    }
}

/// The definition: a variable for every step that has a name. Compilers find what two functions have in common.
pub fn definition(unary: Unary, target: &Target, numbers: Numbers) -> String {
    let function = if numbers.are_single() { single::steps::function(unary) } else { unary.function() };
    let function = function.expect("only lists of steps are defined");
    let (table, about) = match function {
        _ if function.reads_powers() => {
            (", const double *powers", " Entry j of `powers` is 2^(j/256), j 2^44 less in its bits.")
        }
        _ if function.reads_logarithms() => (", const double *table", ""),
        _ => ("", ""),
    };
    let mut out = self::about(&format!("{}{about}", function.about));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "INLINE {0} {1}({0} x{table})\n{{", numbers.real(), name(unary));
    let mut printer = Printer { function, target, numbers, made: Vec::new(), declared: BTreeSet::new() };
    for at in 0..function.steps.len() {
        out += &printer.step(at);
    }
    out + "}\n"
}

/// Lines of a comment, as wide as the text.
pub fn about(text: &str) -> String {
    let (mut out, mut column) = (String::from("//"), 2);
    for word in text.split(' ') {
        if column + 1 + word.len() > 120 {
            out += "\n//";
            column = 2;
        }
        out.push(' ');
        out += word;
        column += 1 + word.len();
    }
    out + "\n"
}

/// What a step has made, as an expression.
#[derive(Clone)]
struct Text {
    text: String,
    is_atom: bool,
    /// Of words: whether C takes it for a number with a sign.
    is_signed: bool,
}

impl Text {
    fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_atom: true, is_signed: false }
    }

    fn signed(text: impl Into<String>) -> Self {
        Self { is_signed: true, ..Self::atom(text) }
    }

    fn compound(text: String) -> Self {
        Self { text, is_atom: false, is_signed: false }
    }

    /// As an operand of an operator.
    fn operand(self) -> String {
        if self.is_atom { self.text } else { format!("({})", self.text) }
    }
}

struct Printer<'a> {
    function: &'a Function,
    target: &'a Target,
    numbers: Numbers,
    made: Vec<Text>,
    declared: BTreeSet<&'static str>,
}

impl Printer<'_> {
    /// The lines of a step; none where it is part of the expression that uses it.
    fn step(&mut self, at: usize) -> String {
        let Step { name, operation } = self.function.steps[at];
        let (kind, value) = match operation {
            Operation::Real(operation) => (self.numbers.real(), self.real_operation(operation)),
            Operation::Word(operation) => ("unsigned", self.word_operation(operation)),
            Operation::Flag(operation) => {
                let [a, b] = match operation {
                    FlagOperation::Below(a, b) => [a, b].map(|a| self.unsigned(a)),
                    FlagOperation::BelowSigned(a, b) => [a, b].map(|a| self.signed(a)),
                    FlagOperation::Less(a, b) => [a, b].map(|a| self.real(a).operand()),
                };
                ("bool", Text::compound(format!("{a} < {b}")))
            }
        };
        if at + 1 == self.function.steps.len() {
            return format!("  return {};\n", value.text);
        }
        if name.is_empty() {
            self.made.push(value);
            return String::new();
        }
        self.made.push(Text::atom(name));
        let text = if value.is_signed { format!("(unsigned){}", value.operand()) } else { value.text };
        if !self.declared.insert(name) {
            return format!("  {name} = {text};\n");
        }
        let changes = self.function.steps[at + 1..].iter().any(|later| later.name == name);
        format!("  {}{kind} {name} = {text};\n", if changes { "" } else { "const " })
    }

    fn real_operation(&self, operation: RealOperation) -> Text {
        let infix = |operator: char, a: Real, b: Real| {
            Text::compound(format!("{} {operator} {}", self.real(a).operand(), self.real(b).operand()))
        };
        match operation {
            RealOperation::Add(a, b) => infix('+', a, b),
            RealOperation::Sub(a, b) => infix('-', a, b),
            RealOperation::Mul(a, b) => infix('*', a, b),
            RealOperation::Div(a, b) if self.numbers.are_single() => {
                let [a, b] = [a, b].map(|a| self.real(a).text);
                Text::atom(format!("__fdiv_rn({a}, {b})"))
            }
            RealOperation::Div(a, b) => infix('/', a, b),
            RealOperation::Fma(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|a| self.real(a).text);
                Text::atom(format!("{}({a}, {b}, {c})", self.numbers.fma()))
            }
            RealOperation::Neg(a) => Text::compound(format!("-{}", self.real(a).operand())),
            RealOperation::Choose(Flag(flag), a, b) => {
                let [a, b] = [a, b].map(|a| self.real(a).operand());
                Text::compound(format!("{} ? {a} : {b}", self.made[flag].clone().operand()))
            }
            RealOperation::Join { high, low } => {
                let [high, low] = [high, low].map(|a| self.signed(a));
                Text::atom(format!("__hiloint2double({high}, {low})"))
            }
            RealOperation::OfBits(a) => Text::atom(format!("__int_as_float({})", self.signed(a))),
            RealOperation::FromSigned(a) => Text::atom(format!("({}){}", self.numbers.real(), self.signed(a))),
            RealOperation::Power(n) => Text::atom(format!("powers[{} & {}u]", self.unsigned(n), POWERS - 1)),
            RealOperation::Entry { index, second } => {
                let load = if self.target.read_only_loads { "__ldg(" } else { "*(" };
                let second = if second { " + 1" } else { "" };
                Text::atom(format!("{load}table + 2 * {}{second})", self.unsigned(index)))
            }
        }
    }

    fn word_operation(&self, operation: WordOperation) -> Text {
        let infix = |operator: char, a: Word, b: Word| {
            Text::compound(format!("{} {operator} {}", self.unsigned(a), self.unsigned(b)))
        };
        match operation {
            WordOperation::Choose(Flag(flag), a, b) => {
                let [a, b] = [a, b].map(|a| self.unsigned(a));
                Text::compound(format!("{} ? {a} : {b}", self.made[flag].clone().operand()))
            }
            WordOperation::High(a) => Text::signed(format!("__double2hiint({})", self.real(a).text)),
            WordOperation::Low(a) => Text::signed(format!("__double2loint({})", self.real(a).text)),
            WordOperation::Bits(a) => Text::signed(format!("__float_as_int({})", self.real(a).text)),
            WordOperation::Add(a, b) => infix('+', a, b),
            WordOperation::Sub(a, b) => infix('-', a, b),
            WordOperation::And(a, b) => infix('&', a, b),
            WordOperation::Or(a, b) => infix('|', a, b),
            WordOperation::Not(a) => Text::atom(format!("~{}", self.unsigned(a))),
            WordOperation::Left(a, bits) => Text::compound(format!("{} << {bits}", self.unsigned(a))),
            WordOperation::Right(a, bits) => Text::compound(format!("{} >> {bits}", self.unsigned(a))),
            WordOperation::RightSigned(a, bits) => {
                Text { is_signed: true, ..Text::compound(format!("{} >> {bits}", self.signed(a))) }
            }
        }
    }

    fn real(&self, a: Real) -> Text {
        match a {
            Real::Argument => Text::atom("x"),
            Real::Step(i) => self.made[i].clone(),
            Real::Literal(value) => Text::atom(self.numbers.literal(value)),
        }
    }

    /// A word without a sign, as an operand.
    fn unsigned(&self, a: Word) -> String {
        match a {
            Word::Step(i) if self.made[i].is_signed => format!("(unsigned){}", self.made[i].clone().operand()),
            Word::Step(i) => self.made[i].clone().operand(),
            Word::Literal(value) => literal(value),
        }
    }

    /// A word with a sign, as an operand.
    fn signed(&self, a: Word) -> String {
        match a {
            Word::Step(i) if self.made[i].is_signed => self.made[i].clone().operand(),
            Word::Step(i) => format!("(int){}", self.made[i].clone().operand()),
            Word::Literal(value) => (value as i32).to_string(),
        }
    }
}

/// Small numbers in decimal, those that are nearly all ones by their complement.
pub fn literal(value: u32) -> String {
    match value {
        0..256 => format!("{value}u"),
        _ if !value < 256 => format!("~{}u", !value),
        _ => format!("{value:#x}u"),
    }
}
