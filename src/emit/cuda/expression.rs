//! Values and indices as C expressions, with as few parentheses as keep the order of the operations.

use super::body::{Body, point_name};
use super::helpers::Helper;
use super::tables::{SHARED_BANKS, real};
use crate::overlay::program::{Binary, ConstantRef, Index, Unary, Value, Var};

/// How tightly the outermost operator of a text binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    Sum,
    Product,
    Sign,
    Atom,
}

/// A piece of text that is an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    pub text: String,
    binding: Binding,
}

impl Expression {
    pub fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), binding: Binding::Atom }
    }

    pub fn literal(x: f64) -> Self {
        let binding = if x.is_sign_negative() { Binding::Sign } else { Binding::Atom };
        Self { text: real(x), binding }
    }

    /// The text, in parentheses unless it binds at least this tightly.
    fn at_least(self, binding: Binding) -> String {
        if self.binding >= binding { self.text } else { format!("({})", self.text) }
    }

    /// Left-associative: `a - (b - c)` keeps its parentheses, `(a - b) - c` needs none.
    fn infix(self, operator: char, binding: Binding, right: Self) -> Self {
        let tighter = if binding == Binding::Sum { Binding::Product } else { Binding::Sign };
        let text = format!("{} {operator} {}", self.at_least(binding), right.at_least(tighter));
        Self { text, binding }
    }
}

impl Body<'_> {
    /// The value that is assigned to this variable.
    pub(super) fn value(&mut self, var: Var, value: &Value) -> Expression {
        match value {
            Value::Literal(x) => Expression::literal(*x),
            Value::Constant(ConstantRef::Striped { register, lane }) => {
                self.helper(Helper::Broadcast);
                self.needs.reals.insert(*register);
                let lane = self.index(lane);
                Expression::atom(format!("broadcast(c{register}, {})", lane.text))
            }
            Value::Constant(ConstantRef::Bank(index)) => {
                self.needs.real_bank = true;
                let index = self.index(index);
                let bank = if self.has_shared_banks() { SHARED_BANKS[0] } else { &self.tables().real_bank };
                Expression::atom(format!("{bank}[{}]", index.text))
            }
            Value::Var(a) => self.operand(*a),
            Value::Slot(row) => Expression::atom(self.slot(row)),
            Value::Field { array, row, point } => self.field(*array, row, *point),
            Value::Unary(Unary::Neg, a) => {
                let text = format!("-{}", self.operand(*a).at_least(Binding::Atom));
                Expression { text, binding: Binding::Sign }
            }
            Value::Unary(Unary::Sqrt, a) => self.call("sqrt", &[*a]),
            Value::Unary(function, a) => {
                let helper = Helper::Function(*function);
                self.helper(helper);
                let argument = self.operand(*a).text;
                let table = match function {
                    _ if helper.reads_powers() => ", power",
                    _ if helper.reads_logarithms() => &format!(", {}", self.tables().logarithms),
                    _ => "",
                };
                Expression::atom(format!("{}({argument}{table})", helper.name()))
            }
            Value::Binary(Binary::Mul, a, b) if self.is_summed(var) => self.call("__dmul_rn", &[*a, *b]),
            Value::Binary(operator, a, b) => {
                let (operator, binding) = match operator {
                    Binary::Add => ('+', Binding::Sum),
                    Binary::Sub => ('-', Binding::Sum),
                    Binary::Mul => ('*', Binding::Product),
                    _ => ('/', Binding::Product),
                };
                let left = self.operand(*a);
                left.infix(operator, binding, self.operand(*b))
            }
            Value::Fma(a, b, c) => self.call("fma", &[*a, *b, *c]),
            Value::SelectLe { a, b, then, otherwise } => {
                self.helper(Helper::SelectLe);
                self.call("select_le", &[*a, *b, *then, *otherwise])
            }
        }
    }

    /// slots[row][lane] as something that can be read or assigned.
    pub(super) fn slot(&mut self, row: &Index) -> String {
        let row = self.index(row).text;
        if self.is_data_parallel() {
            return format!("slots[{row}]");
        }
        self.needs.lane = true;
        format!("slots[{row}][lane]")
    }

    /// A warp-uniform integer.
    pub(super) fn index(&mut self, index: &Index) -> Expression {
        match index {
            Index::Literal(n) => Expression::atom(n.to_string()),
            Index::Counter(counter) => Expression::atom(counter.to_string()),
            Index::Warp => {
                self.needs.warp_id = true;
                Expression::atom("warp_id")
            }
            Index::Striped { register, lane } => {
                self.helper(Helper::BroadcastIndex);
                self.needs.indices.insert(*register);
                let lane = self.index(lane);
                self.fetched(format!("broadcast_index(k{register}, {})", lane.text))
            }
            Index::Bank(index) => {
                self.needs.index_bank = true;
                let index = self.index(index);
                let bank = if self.has_shared_banks() { SHARED_BANKS[1] } else { &self.tables().index_bank };
                self.fetched(format!("{bank}[{}]", index.text))
            }
            Index::Sum(a, b) => {
                let left = self.index(a);
                left.infix('+', Binding::Sum, self.index(b))
            }
            Index::Scaled(a, factor) => {
                let left = self.index(a);
                left.infix('*', Binding::Product, Expression::atom(factor.to_string()))
            }
        }
    }

    fn field(&mut self, array: usize, row: &Index, point: u32) -> Expression {
        let field = &self.program.arrays[array];
        // What the kernel itself may write must not come through the read-only cache.
        let load = if field.output { Helper::LoadOutput } else { Helper::Load };
        self.helper(load);
        self.needs.points.insert(point);
        let row = self.index(row).text;
        let point = point_name(self.program, "point", point);
        Expression::atom(format!("{}({}, {row}, stride, {point})", load.name(), self.array_name(array)))
    }

    fn call(&mut self, function: &str, arguments: &[Var]) -> Expression {
        let arguments: Vec<String> = arguments.iter().map(|a| self.operand(*a).text).collect();
        Expression::atom(format!("{function}({})", arguments.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_keep_the_order() {
        let [a, b, c] = ["a", "b", "c"].map(Expression::atom);
        let sum = b.clone().infix('-', Binding::Sum, c.clone());
        assert_eq!(a.clone().infix('-', Binding::Sum, sum.clone()).text, "a - (b - c)");
        assert_eq!(sum.clone().infix('-', Binding::Sum, a.clone()).text, "b - c - a");
        assert_eq!(sum.infix('*', Binding::Product, a.clone()).text, "(b - c) * a");
        let quotient = b.infix('/', Binding::Product, c);
        assert_eq!(a.clone().infix('*', Binding::Product, quotient.clone()).text, "a * (b / c)");
        assert_eq!(quotient.infix('*', Binding::Product, a.clone()).text, "b / c * a");
        assert_eq!(a.infix('-', Binding::Sum, Expression::literal(-2.0)).text, "a - -2.0");
    }
}
