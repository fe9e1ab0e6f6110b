//! The statements and expressions of a kernel, on vectors of points.

use super::{functions, single, table_name};
use crate::base::comment;
use crate::base::expression::{Expression, Operator};
use crate::base::names::Namer;
use crate::base::tables::real;
use cranelift_entity::SecondaryMap;
use kernels::Precision;
use lower::code::{Code, Field, Integer, Local, Real, Statement, Table, TableKind};
use overlay::program::{Share, Unary, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The text of a kernel's statements.
pub struct Printed {
    pub body: String,
    /// The elementary functions that it calls.
    pub functions: BTreeSet<Unary>,
    /// The names of the arrays, in the order of [`Code::arrays`].
    pub arrays: Vec<String>,
}

impl Printed {
    /// The tables that the text reads: where it calls no function with a table, none of those.
    pub fn tables<'c>(&self, code: &'c Code) -> impl Iterator<Item = &'c Table> {
        let [powers, logarithms] = [Unary::reads_powers, Unary::reads_logarithms]
            .map(|reads: fn(Unary) -> bool| self.functions.iter().any(|&function| reads(function)));
        code.tables.iter().filter(move |table| match table.kind {
            TableKind::Powers => powers,
            TableKind::Logarithms => logarithms,
            _ => true,
        })
    }
}

/// The distances between the rows of inputs and of outputs, by name.
pub struct Strides {
    pub input: &'static str,
    pub output: &'static str,
}

/// Prints what the code does for one vector of points.
pub fn print(code: &Code, strides: Strides, precision: Precision) -> Printed {
    let functions = Unary::ALL.into_iter().filter(|function| function.function().is_some()).map(functions::name);
    let reserved: Vec<&str> = RESERVED.into_iter().chain(functions).collect();
    let tables = TABLES.map(|kind| table_name(&code.symbol, kind));
    let own = tables.iter().chain([&code.symbol]).map(String::as_str);
    let beside: &[&str] = if precision == Precision::Single { &single::RESERVED } else { &[] };
    let mut namer = Namer::reserving(reserved.into_iter().chain(beside.iter().copied()).chain(own));
    let arrays = code.arrays.iter().map(|array| namer.name(&array.name)).collect();
    for counter in 0..code.counters {
        namer.name(&format!("i{counter}"));
    }
    let (names, locals) = (SecondaryMap::new(), BTreeMap::new());
    let (functions, out) = (BTreeSet::new(), String::new());
    let mut body = Body { code, strides, precision, functions, namer, arrays, names, locals, out };
    body.block(&code.stream.body, 1);
    Printed { body: body.out, functions: body.functions, arrays: body.arrays }
}

const TABLES: [TableKind; 4] = [TableKind::RealBank, TableKind::IndexBank, TableKind::Logarithms, TableKind::Powers];

/// Names that the file and its header use.
const RESERVED: [&str; 47] = [
    "real", "word", "signed_word", "flag", "upper", "all", "all_words", "fma", "square_root", "select_le",
    "separate_product", "load", "store", "looked_up", "high_word", "low_word", "join", "from_signed", "choose",
    "choose_word", "below", "below_signed", "right_signed", "inverse", "right", "fill", "give_back", "slots", "Slots",
    "slots_of_thread", "points", "stride", "in_stride", "out_stride", "stream", "context", "group", "groups", "first",
    "rest", "width", "min", "sqrt", "exp", "log", "pow", "x",
];

struct Body<'a> {
    code: &'a Code,
    strides: Strides,
    precision: Precision,
    functions: BTreeSet<Unary>,
    namer: Namer,
    arrays: Vec<String>,
    /// Names of the variables that have been printed.
    names: SecondaryMap<Var, Option<String>>,
    locals: BTreeMap<Local, String>,
    out: String,
}

impl Body<'_> {
    fn block(&mut self, statements: &[Statement], depth: usize) {
        for statement in statements {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let line = match statement {
            Statement::Comment(text) => return self.out.push_str(&comment(&"  ".repeat(depth), text)),
            Statement::Declare(var) => format!("real {};", self.new_name(*var)),
            Statement::Define { var, value, changes } => {
                let (value, constant) = (self.vector(value).text, if *changes { "" } else { "const " });
                format!("{constant}real {} = {value};", self.new_name(*var))
            }
            Statement::Assign { var, value } => {
                let value = self.vector(value).text;
                format!("{} = {value};", self.name(*var))
            }
            Statement::DefineInteger { local, value, .. } => {
                let value = self.integer(value).text;
                let name = self.namer.name(if matches!(local, Local::Trips(_)) { "trips" } else { "index" });
                self.locals.insert(*local, name.clone());
                format!("const int {name} = {value};")
            }
            Statement::StoreSlot { row, value } => {
                let (row, value) = (self.integer(row).text, self.vector(value).text);
                format!("slots[{row}] = {value};")
            }
            Statement::StoreField { array, row, value, rest, .. } => {
                let (row, value) = (self.row(*array, row, self.strides.output), self.vector(value).text);
                let (store, rest) = match rest {
                    None => ("store", String::new()),
                    Some(rest) => ("store_pair", format!(", {}", self.vector(rest).text)),
                };
                format!("{store}({row}, {value}{rest});")
            }
            Statement::Loop { counter, trips, body, .. } => {
                let trips = self.integer(trips).text;
                self.line(depth, &format!("for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{"));
                self.block(body, depth + 1);
                "}".to_owned()
            }
            Statement::DefineActive { .. }
            | Statement::Recompute(_)
            | Statement::DeclareStripe(_)
            | Statement::DefineStripe { .. }
            | Statement::LoadStripe { .. }
            | Statement::CopyBank { .. }
            | Statement::CtaSync
            | Statement::CopyPowers
            | Statement::CopyInputs { .. }
            | Statement::AwaitCopies { .. }
            | Statement::Barrier { .. }
            | Statement::WarpSync
            | Statement::Multiply { .. }
            | Statement::StoreBlock { .. }
            | Statement::Spill { .. }
            | Statement::If { .. }
            | Statement::Switch { .. } => unreachable!("data-parallel code has no warps that work together"),
        };
        self.line(depth, &line);
    }

    /// A value as a vector.
    fn vector(&mut self, value: &Real) -> Expression {
        let text = self.real(value);
        if self.is_scalar(value) { Expression::call("all", [text]) } else { text }
    }

    fn real(&mut self, value: &Real) -> Expression {
        match value {
            Real::Literal(x) if self.precision == Precision::Single => match single::rounded(*x) {
                Ok(x) => Expression::number(single::number(x)),
                Err(bits) => Expression::atom(bits),
            },
            Real::Literal(x) if x.is_finite() => Expression::number(real(*x)),
            Real::Literal(x) => Expression::atom(bits(*x)),
            Real::Var(var) => Expression::atom(self.name(*var)),
            Real::Bank(index) => {
                let index = self.integer(index).text;
                Expression::atom(format!("{}[{index}]", table_name(&self.code.symbol, TableKind::RealBank)))
            }
            Real::BankLe { first, operands } => {
                let bank = table_name(&self.code.symbol, TableKind::RealBank);
                let entry = |at: u32| Expression::call("all", [Expression::atom(format!("{bank}[{at}]"))]);
                let [a, b] = [0, 1].map(|i| self.vector(&operands[i]));
                Expression::call("select_le", [a, b, entry(first + 1), entry(*first)])
            }
            Real::Slot(row, _) => Expression::atom(format!("slots[{}]", self.integer(row).text)),
            Real::Field(field) => {
                let Field { array, row, share, .. } = &**field;
                let load = match share {
                    Share::Whole => "load",
                    Share::First => "load_single<false>",
                    Share::Second => "load_single<true>",
                };
                Expression::atom(format!("{load}({})", self.row(*array, row, self.strides.input)))
            }
            Real::Unary(Unary::Neg, a) => self.vector(a).negative(),
            Real::Unary(Unary::Sqrt | Unary::SqrtNear, a) => self.call("square_root", [&**a]),
            Real::Unary(function, a) if self.precision == Precision::Single => single::call(*function, self.vector(a)),
            Real::Unary(function, a) => {
                self.functions.insert(*function);
                let table = match function {
                    _ if function.reads_powers() => Some(TableKind::Powers),
                    _ if function.reads_logarithms() => Some(TableKind::Logarithms),
                    _ => None,
                };
                let table = table.map(|kind| Expression::atom(table_name(&self.code.symbol, kind)));
                Expression::call(functions::name(*function), [self.vector(a)].into_iter().chain(table))
            }
            Real::SeparateProduct(operands) => self.call("separate_product", &**operands),
            Real::Binary(operator, operands) => {
                let [left, right] = &**operands;
                // One operand must be a vector.
                let left = match self.is_scalar(left) && self.is_scalar(right) {
                    true => self.vector(left),
                    false => self.real(left),
                };
                left.infix((*operator).into(), self.real(right))
            }
            Real::Fma(operands) => self.call("fma", &**operands),
            Real::SelectLe(operands) => self.call("select_le", &**operands),
            Real::Broadcast { .. } => unreachable!("data-parallel code has no striped constants"),
            Real::Spilled(_) => unreachable!("compilers of CPUs spill"),
        }
    }

    /// The place of a row of an array.
    fn row(&mut self, array: usize, row: &Integer, stride: &str) -> String {
        let row = self.integer(row).infix(Operator::Mul, Expression::atom(stride));
        Expression::atom(&self.arrays[array]).infix(Operator::Add, row).text
    }

    /// Whether the text of a value is one number, the same for all points.
    fn is_scalar(&self, value: &Real) -> bool {
        match value {
            Real::Literal(x) if self.precision == Precision::Single => single::rounded(*x).is_ok(),
            Real::Literal(x) => x.is_finite(),
            _ => matches!(value, Real::Bank(_)),
        }
    }

    fn call<'r>(&mut self, function: &str, arguments: impl IntoIterator<Item = &'r Real>) -> Expression {
        let arguments: Vec<Expression> = arguments.into_iter().map(|argument| self.vector(argument)).collect();
        Expression::call(function, arguments)
    }

    fn integer(&mut self, value: &Integer) -> Expression {
        match value {
            Integer::Literal(n) => Expression::atom(n.to_string()),
            Integer::Local(local) => Expression::atom(self.locals[local].clone()),
            Integer::Counter(counter) => Expression::atom(counter.to_string()),
            Integer::Bank(index) => {
                let index = self.integer(index).text;
                Expression::atom(format!("{}[{index}]", table_name(&self.code.symbol, TableKind::IndexBank)))
            }
            Integer::Binary(operator, a, b) => {
                let operator = Operator::of_integers(*operator).expect("places are sums and products");
                let a = self.integer(a);
                a.infix(operator, self.integer(b))
            }
            _ => unreachable!("places in data-parallel code do not depend on the thread"),
        }
    }

    fn name(&mut self, var: Var) -> String {
        match &self.names[var] {
            Some(name) => name.clone(),
            None => self.new_name(var),
        }
    }

    fn new_name(&mut self, var: Var) -> String {
        let name = self.namer.name(&self.code.vars[var]);
        self.names[var] = Some(name.clone());
        name
    }

    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.out, "{:1$}{text}", "", 2 * depth).expect("writing to a string succeeds");
    }
}

/// Writes a number that C++ has no literal for, by its words.
fn bits(x: f64) -> String {
    let (high, low) = (x.to_bits() >> 32, x.to_bits() as u32);
    format!("join(all_words({high:#010x}u), all_words({low:#010x}u))")
}
