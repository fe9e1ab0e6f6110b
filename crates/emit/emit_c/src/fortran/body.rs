//! The statements and expressions of a kernel for one point.

use super::lines::{comment, declarations, statement, table};
use super::number::{fused, infix, literal, merge};
use super::{DIRECTIVES, DOUBLE, shortened};
use crate::base::expression::{Expression, Operator};
use crate::base::functions;
use crate::base::names::Namer;
use cranelift_entity::SecondaryMap;
use lower::code::{Code, Field, Integer, IntegerOperator, Local, Real, Statement, TableKind, Values};
use overlay::program::{Share, Unary, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a kernel's statements.
pub struct Printed {
    /// Names of the arrays, in the order of [`Code::arrays`].
    pub arrays: Vec<String>,
    /// Arrays that no statement reads or writes.
    pub unused: Vec<String>,
    /// Variables, but for the arrays.
    pub declarations: String,
    /// Functions that look constants up. Compilers copy a table for each statement that names it, so that one does.
    pub tables: String,
    pub body: String,
    /// The elementary functions that it calls.
    pub functions: BTreeSet<Unary>,
}

/// Prints what the code does for one point. `procedure` is the name that no variable may have, `number` that of the kernel in its module.
pub fn print(code: &Code, procedure: &str, number: usize) -> Printed {
    let functions = Unary::ALL.into_iter().filter(|function| function.function().is_some()).map(functions::name);
    let reserved: Vec<&str> = RESERVED.into_iter().chain(functions).collect();
    let banks = [TableKind::RealBank, TableKind::IndexBank].map(|kind| bank(kind, number));
    let mut namer = Namer::reserving(reserved.into_iter().chain([procedure]).chain(banks.iter().map(String::as_str)));
    let arrays: Vec<String> = code.arrays.iter().map(|array| namer.name(&shortened(&array.name))).collect();
    let counters: Vec<String> = (0..code.counters).map(|counter| namer.name(&format!("i{counter}"))).collect();
    let mut body = Body {
        code,
        number,
        namer,
        arrays,
        names: SecondaryMap::new(),
        locals: BTreeMap::new(),
        reals: Vec::new(),
        read: BTreeSet::new(),
        used: BTreeSet::new(),
        functions: BTreeSet::new(),
        out: String::new(),
    };
    body.block(&code.stream.body, 2);
    let integers: Vec<String> = counters.into_iter().chain(body.locals.values().cloned()).collect();
    let mut declared = declarations(2, DOUBLE, &body.reals) + &declarations(2, "integer", &integers);
    if code.slots.rows > 0 {
        declared += &format!("    {DOUBLE} :: slots(0:{})\n", code.slots.rows - 1);
    }
    let tables = code.tables.iter().filter(|table| body.read.contains(&table.kind));
    let tables = tables.map(|one| definition(&bank(one.kind, number), &one.values)).collect();
    let unused = (0..code.arrays.len()).filter(|array| !body.used.contains(array));
    Printed {
        unused: unused.map(|array| body.arrays[array].clone()).collect(),
        arrays: body.arrays,
        declarations: declared,
        tables,
        body: body.out,
        functions: body.functions,
    }
}

/// Names that the module and the statements use.
const RESERVED: [&str; 20] = [
    "all_bits", "dp", "iand", "ieor", "int64", "ior", "ishft", "join", "high_word", "low_word", "merge", "mod", "real",
    "shifta", "signed", "slots", "sqrt", "transfer", "unused", "value",
];

/// The name of the function that reads a bank.
fn bank(kind: TableKind, number: usize) -> String {
    format!("{}_{number}", if kind == TableKind::RealBank { "reals" } else { "indices" })
}

/// The function of a bank.
fn definition(name: &str, values: &Values) -> String {
    let (ty, items) = match values {
        Values::Reals(values) => (DOUBLE, values.iter().map(|x| literal(*x).text).collect::<Vec<_>>()),
        Values::Integers(values) => ("integer", values.iter().map(i32::to_string).collect()),
    };
    let table = table(2, ty, "entries", &items);
    format!(
        "  pure function {name}(at) result(value)\n{DIRECTIVES}    integer, intent(in) :: at\n    {ty} :: value\n{table}    \
         value = entries(at)\n  end function {name}\n\n"
    )
}

struct Body<'a> {
    code: &'a Code,
    number: usize,
    namer: Namer,
    arrays: Vec<String>,
    names: SecondaryMap<Var, Option<String>>,
    locals: BTreeMap<Local, String>,
    /// Names of the real variables.
    reals: Vec<String>,
    /// Banks that are read at places that are computed.
    read: BTreeSet<TableKind>,
    /// Arrays that are read or written.
    used: BTreeSet<usize>,
    functions: BTreeSet<Unary>,
    out: String,
}

impl Body<'_> {
    fn block(&mut self, statements: &[Statement], depth: usize) {
        for one in statements {
            self.statement(one, depth);
        }
    }

    fn statement(&mut self, one: &Statement, depth: usize) {
        let line = match one {
            Statement::Comment(text) => return self.out.push_str(&comment(depth, text)),
            Statement::Declare(var) => {
                self.name(*var);
                return;
            }
            Statement::Define { var, value, .. } | Statement::Assign { var, value } => {
                let value = self.real(value).text;
                format!("{} = {value}", self.name(*var))
            }
            Statement::DefineInteger { local, value, .. } => {
                let value = self.integer(value).text;
                let name = self.namer.name(if matches!(local, Local::Trips(_)) { "trips" } else { "index" });
                self.locals.insert(*local, name.clone());
                format!("{name} = {value}")
            }
            Statement::StoreSlot { row, value } => {
                let (row, value) = (self.integer(row).text, self.real(value).text);
                format!("slots({row}) = {value}")
            }
            Statement::StoreField { array, row, value, rest: None, .. } => {
                let (row, value) = (self.row(*array, row), self.real(value).text);
                format!("{row} = {value}")
            }
            Statement::Loop { counter, trips, body, .. } => {
                let last = self.integer(trips).infix(Operator::Sub, Expression::atom("1")).text;
                self.out += &statement(depth, &format!("do {counter} = 0, {last}"));
                self.block(body, depth + 1);
                "end do".to_owned()
            }
            _ => unreachable!("data-parallel code in double precision has no warps that work together"),
        };
        self.out += &statement(depth, &line);
    }

    fn real(&mut self, value: &Real) -> Expression {
        match value {
            Real::Literal(x) => literal(*x),
            Real::Var(var) => Expression::atom(self.name(*var)),
            Real::Bank(Integer::Literal(at)) => self.constant(*at),
            Real::Bank(index) => {
                self.read.insert(TableKind::RealBank);
                Expression::call(&bank(TableKind::RealBank, self.number), [self.integer(index)])
            }
            Real::BankLe { first, operands } => {
                let [a, b] = [0, 1].map(|i| self.real(&operands[i]));
                merge(self.constant(first + 1), self.constant(*first), a.infix(Operator::LessOrEqual, b))
            }
            Real::Slot(row, _) => Expression::call("slots", [self.integer(row)]),
            Real::Field(field) => {
                let Field { array, row, share: Share::Whole, .. } = &**field else {
                    unreachable!("arrays have numbers in double precision")
                };
                Expression::atom(self.row(*array, row))
            }
            Real::Unary(Unary::Neg, a) => self.real(a).negative(),
            Real::Unary(Unary::Sqrt | Unary::SqrtNear, a) => Expression::call("sqrt", [self.real(a)]),
            Real::Unary(function, a) => {
                self.functions.insert(*function);
                Expression::call(functions::name(*function), [self.real(a)])
            }
            // Compilers keep what stands in parentheses.
            Real::SeparateProduct(operands) => self.binary(Operator::Mul, operands).enclosed(),
            Real::Binary(operator, operands) => self.binary((*operator).into(), operands),
            Real::Fma(operands) => fused([0, 1, 2].map(|i| self.real(&operands[i]))),
            Real::SelectLe(operands) => {
                let [a, b, then, otherwise] = [0, 1, 2, 3].map(|i| self.real(&operands[i]));
                merge(then, otherwise, a.infix(Operator::LessOrEqual, b))
            }
            Real::Broadcast { .. } => unreachable!("data-parallel code has no striped constants"),
            Real::Spilled(_) => unreachable!("compilers of CPUs spill"),
        }
    }

    fn binary(&mut self, operator: Operator, operands: &[Real; 2]) -> Expression {
        // Compilers refuse a constant 0 / 0, by which code says that something is no number.
        if let (Operator::Div, [Real::Literal(a), Real::Literal(b)]) = (operator, operands) {
            return literal(a / b);
        }
        let [a, b] = [0, 1].map(|i| self.real(&operands[i]));
        infix(operator, a, b)
    }

    /// An entry of the bank of reals whose place is known.
    fn constant(&self, at: u32) -> Expression {
        let values = self.code.tables.iter().find(|table| table.kind == TableKind::RealBank).map(|table| &table.values);
        match values {
            Some(Values::Reals(values)) => literal(values[at as usize]),
            _ => unreachable!("the code reads a bank that it has"),
        }
    }

    /// An element of an array, or a scalar.
    fn row(&mut self, array: usize, row: &Integer) -> String {
        self.used.insert(array);
        let name = self.arrays[array].clone();
        if self.code.arrays[array].rows == 1 {
            return name;
        }
        let row = Integer::binary(IntegerOperator::Add, row.clone(), Integer::Literal(1));
        format!("{name}({})", self.integer(&row).text)
    }

    fn integer(&mut self, value: &Integer) -> Expression {
        match value {
            Integer::Literal(n) => Expression::atom(n.to_string()),
            Integer::Local(local) => Expression::atom(self.locals[local].clone()),
            Integer::Counter(counter) => Expression::atom(counter.to_string()),
            Integer::Bank(index) => {
                self.read.insert(TableKind::IndexBank);
                Expression::call(&bank(TableKind::IndexBank, self.number), [self.integer(index)])
            }
            Integer::Binary(operator, a, b) => {
                let operator = match operator {
                    IntegerOperator::Add => Operator::Add,
                    IntegerOperator::Sub => Operator::Sub,
                    IntegerOperator::Mul => Operator::Mul,
                    _ => unreachable!("places are sums and products"),
                };
                let a = self.integer(a);
                a.infix(operator, self.integer(b))
            }
            _ => unreachable!("places in data-parallel code do not depend on the thread"),
        }
    }

    fn name(&mut self, var: Var) -> String {
        if let Some(name) = &self.names[var] {
            return name.clone();
        }
        let name = self.namer.name(&shortened(&self.code.vars[var]));
        self.names[var] = Some(name.clone());
        self.reals.push(name.clone());
        name
    }
}
