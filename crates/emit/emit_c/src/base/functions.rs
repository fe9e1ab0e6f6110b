//! The elementary functions as device functions, step by step.

use super::expression::{Expression, Operator};
use super::numbers::Numbers;
use graph::function_tables::POWERS;
use graph::single;
use graph::steps::{Flag, FlagOperation, Function, Operation, Real, RealOperation, Step, Word, WordOperation};
use machine::target::Target;
use overlay::program::Unary;
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

/// Result of a step.
#[derive(Clone)]
struct Made {
    text: Expression,
    /// Whether C takes it for a number with a sign, if it is a word.
    is_signed: bool,
}

impl Made {
    fn signed(text: Expression) -> Self {
        Self { text, is_signed: true }
    }
}

impl From<Expression> for Made {
    fn from(text: Expression) -> Self {
        Self { text, is_signed: false }
    }
}

struct Printer<'a> {
    function: &'a Function,
    target: &'a Target,
    numbers: Numbers,
    made: Vec<Made>,
    declared: BTreeSet<&'static str>,
}

impl Printer<'_> {
    /// The lines of a step; none where it is part of the expression that uses it.
    fn step(&mut self, at: usize) -> String {
        let Step { name, operation } = self.function.steps[at];
        let (kind, value) = match operation {
            Operation::Real(operation) => (self.numbers.real(), self.real_operation(operation).into()),
            Operation::Word(operation) => ("unsigned", self.word_operation(operation)),
            Operation::Flag(operation) => {
                let [a, b] = match operation {
                    FlagOperation::Below(a, b) => [a, b].map(|a| self.unsigned(a)),
                    FlagOperation::BelowSigned(a, b) => [a, b].map(|a| self.signed(a)),
                    FlagOperation::Less(a, b) => [a, b].map(|a| self.real(a)),
                };
                ("bool", a.infix(Operator::Less, b).into())
            }
        };
        if at + 1 == self.function.steps.len() {
            return format!("  return {};\n", value.text.text);
        }
        if name.is_empty() {
            self.made.push(value);
            return String::new();
        }
        self.made.push(Expression::atom(name).into());
        let text = if value.is_signed { value.text.cast("unsigned") } else { value.text }.text;
        if !self.declared.insert(name) {
            return format!("  {name} = {text};\n");
        }
        let changes = self.function.steps[at + 1..].iter().any(|later| later.name == name);
        format!("  {}{kind} {name} = {text};\n", if changes { "" } else { "const " })
    }

    fn real_operation(&self, operation: RealOperation) -> Expression {
        let infix = |operator: Operator, a: Real, b: Real| self.real(a).infix(operator, self.real(b));
        match operation {
            RealOperation::Add(a, b) => infix(Operator::Add, a, b),
            RealOperation::Sub(a, b) => infix(Operator::Sub, a, b),
            RealOperation::Mul(a, b) => infix(Operator::Mul, a, b),
            RealOperation::Div(a, b) if self.numbers.are_single() => {
                Expression::call("__fdiv_rn", [a, b].map(|a| self.real(a)))
            }
            RealOperation::Div(a, b) => infix(Operator::Div, a, b),
            RealOperation::Fma(a, b, c) => Expression::call(self.numbers.fma(), [a, b, c].map(|a| self.real(a))),
            RealOperation::Neg(a) => self.real(a).negative(),
            RealOperation::Choose(Flag(flag), a, b) => self.flag(flag).choice(self.real(a), self.real(b)),
            RealOperation::Join { high, low } => {
                Expression::call("__hiloint2double", [high, low].map(|a| self.signed(a)))
            }
            RealOperation::OfBits(a) => Expression::call("__int_as_float", [self.signed(a)]),
            RealOperation::FromSigned(a) => self.signed(a).cast(self.numbers.real()),
            RealOperation::Power(n) => {
                let place = self.unsigned(n).infix(Operator::And, Expression::atom(format!("{}u", POWERS - 1)));
                Expression::atom(format!("powers[{}]", place.text))
            }
            RealOperation::Entry { index, second } => {
                let row = Expression::atom("2").infix(Operator::Mul, self.unsigned(index));
                let place = Expression::atom("table").infix(Operator::Add, row);
                let place = if second { place.infix(Operator::Add, Expression::atom("1")) } else { place };
                if self.target.read_only_loads { Expression::call("__ldg", [place]) } else { place.behind("*") }
            }
        }
    }

    fn word_operation(&self, operation: WordOperation) -> Made {
        let infix = |operator: Operator, a: Word, b: Word| self.unsigned(a).infix(operator, self.unsigned(b)).into();
        let shifted =
            |operator: Operator, a: Expression, bits: u32| a.infix(operator, Expression::atom(bits.to_string()));
        let of_bits = |function: &str, a: Real| Made::signed(Expression::call(function, [self.real(a)]));
        match operation {
            WordOperation::Choose(Flag(flag), a, b) => {
                self.flag(flag).choice(self.unsigned(a), self.unsigned(b)).into()
            }
            WordOperation::High(a) => of_bits("__double2hiint", a),
            WordOperation::Low(a) => of_bits("__double2loint", a),
            WordOperation::Bits(a) => of_bits("__float_as_int", a),
            WordOperation::Add(a, b) => infix(Operator::Add, a, b),
            WordOperation::Sub(a, b) => infix(Operator::Sub, a, b),
            WordOperation::And(a, b) => infix(Operator::And, a, b),
            WordOperation::Or(a, b) => infix(Operator::Or, a, b),
            WordOperation::Not(a) => self.unsigned(a).behind("~").into(),
            WordOperation::Left(a, bits) => shifted(Operator::ShiftLeft, self.unsigned(a), bits).into(),
            WordOperation::Right(a, bits) => shifted(Operator::ShiftRight, self.unsigned(a), bits).into(),
            WordOperation::RightSigned(a, bits) => Made::signed(shifted(Operator::ShiftRight, self.signed(a), bits)),
        }
    }

    fn flag(&self, flag: usize) -> Expression {
        self.made[flag].text.clone()
    }

    fn real(&self, a: Real) -> Expression {
        match a {
            Real::Argument => Expression::atom("x"),
            Real::Step(i) => self.made[i].text.clone(),
            Real::Literal(value) => Expression::number(self.numbers.literal(value)),
        }
    }

    /// A word without a sign.
    fn unsigned(&self, a: Word) -> Expression {
        match a {
            Word::Step(i) if self.made[i].is_signed => self.made[i].text.clone().cast("unsigned"),
            Word::Step(i) => self.made[i].text.clone(),
            Word::Literal(value) => Expression::number(literal(value)),
        }
    }

    /// A word with a sign.
    fn signed(&self, a: Word) -> Expression {
        match a {
            Word::Step(i) if self.made[i].is_signed => self.made[i].text.clone(),
            Word::Step(i) => self.made[i].text.clone().cast("int"),
            Word::Literal(value) => Expression::number((value as i32).to_string()),
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
