//! Numbers as C expressions.

use super::body::{Body, SPILLS};
use super::helpers::Helper;
use crate::base::expression::{Expression, Operator};
use crate::base::tables;
use graph::single::steps::representative;
use lower::code::{BankSpace, Field, Integer, IntegerOperator, Local, Real, TableKind};
use overlay::program::{Binary, Share, Unary};

impl Body<'_> {
    pub(super) fn real(&mut self, value: &Real) -> Expression {
        match value {
            Real::Literal(x) => Expression::number(self.numbers.literal(*x)),
            Real::Var(var) => self.var(*var),
            Real::Broadcast { register, lane } => {
                let (broadcast, lane) = (self.helper(Helper::Broadcast), self.integer(lane));
                Expression::atom(format!("{broadcast}(c{register}, {})", lane.text))
            }
            Real::Bank(index) => self.entry(TableKind::RealBank, index),
            Real::BankLe { first, operands } => {
                let bank = self.bank(TableKind::RealBank).to_owned();
                let [a, b] = [0, 1].map(|i| self.real(&operands[i]));
                let is_second = a.infix(Operator::LessOrEqual, b);
                // Two scalar loads and a choice: of places that lanes look up, Clang keeps the addresses, more than a thread has room for.
                if self.dialect.is_hip() && self.code.banks == BankSpace::Constant {
                    let [first, second] = [*first, first + 1].map(|at| Expression::atom(format!("{bank}[{at}]")));
                    return is_second.choice(second, first).enclosed();
                }
                Expression::atom(format!("{bank}[{first} + ({})]", is_second.text))
            }
            Real::Spilled(place) => {
                let reloaded = self.helper(Helper::Reloaded);
                Expression::atom(format!("{reloaded}<{place}>({SPILLS})"))
            }
            Real::Slot(row, share @ (Share::First | Share::Second)) => {
                let (share, slot) = (self.share(*share), self.slot(row));
                Expression::atom(format!("{share}({slot})"))
            }
            Real::Slot(row, Share::Whole) if self.code.slots.number != self.numbers.computed => {
                Expression::atom(self.slot(row)).cast(self.numbers.real())
            }
            Real::Slot(row, Share::Whole) => Expression::atom(self.slot(row)),
            Real::Field(field) => self.field(field),
            Real::Unary(Unary::Neg, a) => self.real(a).negative(),
            Real::Unary(Unary::Sqrt, a) => self.call(self.numbers.square_root(), [&**a]),
            Real::Unary(Unary::SqrtNear, a) => {
                let root = self.helper(Helper::RootNear);
                self.call(root, [&**a])
            }
            Real::Unary(function, a) if self.numbers.are_single() => {
                let (name, argument) = (self.helper(Helper::Function(representative(*function))), self.real(a).text);
                Expression::atom(format!("{name}({argument})"))
            }
            Real::Unary(function, a) => {
                let helper = Helper::Function(*function);
                let (name, argument) = (self.helper(helper), self.real(a).text);
                let table = match function {
                    _ if helper.reads_powers() => ", powers",
                    _ if helper.reads_logarithms() => &format!(", {}", self.tables.logarithms),
                    _ => "",
                };
                Expression::atom(format!("{name}({argument}{table})"))
            }
            // HIP's text says once that nothing is fused. A function of HIP's headers is compiled as the user's options have it, and its product would be
            // fused with a sum here.
            Real::SeparateProduct(operands) if self.dialect.is_hip() => self.infix(Operator::Mul, operands),
            Real::SeparateProduct(operands) => self.call(self.numbers.product(), &**operands),
            Real::Binary(Binary::DivNear, operands) => {
                let [dividend, divisor] = &**operands;
                if *dividend == Real::Literal(1.0) {
                    let reciprocal = self.helper(Helper::ReciprocalNear);
                    return self.call(reciprocal, [divisor]);
                }
                let quotient = self.helper(Helper::QuotientNear);
                self.call(quotient, [dividend, divisor])
            }
            // The operator is another one where the user's options have it.
            Real::Binary(Binary::Div, operands) if self.numbers.are_single() => self.call("__fdiv_rn", &**operands),
            Real::Binary(operator, operands) => self.infix((*operator).into(), operands),
            Real::Fma(operands) => self.call(self.numbers.fma(), &**operands),
            Real::SelectLe(operands) => {
                let select = self.helper(Helper::SelectLe);
                self.call(select, &**operands)
            }
        }
    }

    fn infix(&mut self, operator: Operator, [left, right]: &[Real; 2]) -> Expression {
        let left = self.real(left);
        left.infix(operator, self.real(right))
    }

    pub(super) fn integer(&mut self, value: &Integer) -> Expression {
        let text = match value {
            Integer::Literal(n) => n.to_string(),
            Integer::Local(local) => self.local(*local),
            Integer::Counter(counter) => counter.to_string(),
            Integer::Points => "points".to_owned(),
            Integer::Thread => "threadIdx.x".to_owned(),
            Integer::Cta => "blockIdx.x".to_owned(),
            Integer::Ctas => "gridDim.x".to_owned(),
            Integer::Broadcast { register, lane } => {
                let (broadcast, lane) = (self.helper(Helper::BroadcastIndex), self.integer(lane));
                format!("{broadcast}(k{register}, {})", lane.text)
            }
            Integer::Uniform(value) => {
                let (broadcast, value) = (self.helper(Helper::BroadcastIndex), self.integer(value));
                format!("{broadcast}({}, 0)", value.text)
            }
            Integer::Own(register) => format!("k{register}"),
            Integer::Bank(index) => return self.entry(TableKind::IndexBank, index),
            Integer::Binary(operator, a, b) => return self.integers(*operator, a, b),
            Integer::IsNotZero(a) => return self.integer(a).infix(Operator::NotEqual, Expression::atom("0")),
            Integer::Opaque(a) if **a == Integer::Thread => format!("{}()", self.helper(Helper::Thread)),
            Integer::Opaque(a) => format!("{}({})", self.helper(Helper::Again), self.integer(a).text),
        };
        Expression::atom(text)
    }

    fn integers(&mut self, operator: IntegerOperator, a: &Integer, b: &Integer) -> Expression {
        let (a, b) = (self.integer(a), self.integer(b));
        match Operator::of_integers(operator) {
            Some(operator) => a.infix(operator, b),
            None => Expression::call("min", [a, b]),
        }
    }

    fn entry(&mut self, bank: TableKind, index: &Integer) -> Expression {
        let index = self.integer(index);
        Expression::atom(format!("{}[{}]", self.bank(bank), index.text))
    }

    fn bank(&self, bank: TableKind) -> &str {
        match self.code.banks {
            BankSpace::Shared => tables::shared_bank(bank, self.numbers).1,
            BankSpace::Constant | BankSpace::Global => self.tables.name(bank),
        }
    }

    fn field(&mut self, Field { array, row, point, is_read_only, share }: &Field) -> Expression {
        let load = match (share, is_read_only) {
            (Share::Whole, true) => Helper::Load,
            (Share::Whole, false) => Helper::LoadOutput,
            (Share::First | Share::Second, _) => Helper::LoadDouble,
        };
        let load = self.helper(load);
        let (row, point) = (self.integer(row).text, self.local(Local::Point(*point)));
        let number = format!("{load}({}, {row}, stride, {point})", self.array(*array));
        Expression::atom(match share {
            Share::Whole => number,
            share => format!("{}({number})", self.share(*share)),
        })
    }

    /// The function that makes a single of a double.
    fn share(&mut self, share: Share) -> &'static str {
        self.helper(Helper::Singles);
        self.helper(if share == Share::Second { Helper::Second } else { Helper::First })
    }

    fn call<'r>(&mut self, function: &str, arguments: impl IntoIterator<Item = &'r Real>) -> Expression {
        let arguments: Vec<Expression> = arguments.into_iter().map(|a| self.real(a)).collect();
        Expression::call(function, arguments)
    }
}
