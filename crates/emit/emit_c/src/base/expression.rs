//! C expressions with as few parentheses as keep the order of the operations. All printers of C-like text take from here how tightly an operator binds.

use lower::code::IntegerOperator;
use overlay::program::Binary;

/// How tightly the outermost operator of a text binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    /// Operators on bits; their operands are atoms, as few readers know how these bind.
    Bits,
    Comparison,
    Sum,
    Product,
    Sign,
    Atom,
}

/// An operator between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessOrEqual,
    NotEqual,
}

impl Operator {
    /// The operator of whole numbers; `None` for a function.
    pub fn of_integers(operator: IntegerOperator) -> Option<Self> {
        Some(match operator {
            IntegerOperator::Add => Self::Add,
            IntegerOperator::Sub => Self::Sub,
            IntegerOperator::Mul => Self::Mul,
            IntegerOperator::Div => Self::Div,
            IntegerOperator::Rem => Self::Rem,
            IntegerOperator::And => Self::And,
            IntegerOperator::Xor => Self::Xor,
            IntegerOperator::ShiftLeft => Self::ShiftLeft,
            IntegerOperator::ShiftRight => Self::ShiftRight,
            IntegerOperator::Min => return None,
        })
    }

    fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::NotEqual => "!=",
        }
    }

    /// The binding of the whole, and what its left and its right operand must have at least.
    fn bindings(self) -> [Binding; 3] {
        use Binding::{Atom, Bits, Comparison, Product, Sign, Sum};
        match self {
            Self::Add | Self::Sub => [Sum, Sum, Product],
            Self::Mul | Self::Div | Self::Rem => [Product, Product, Sign],
            Self::Less | Self::LessOrEqual | Self::NotEqual => [Comparison, Sum, Sum],
            Self::And | Self::Or | Self::Xor | Self::ShiftLeft | Self::ShiftRight => [Bits, Atom, Atom],
        }
    }
}

impl From<Binary> for Operator {
    fn from(operator: Binary) -> Self {
        match operator {
            Binary::Add => Self::Add,
            Binary::Sub => Self::Sub,
            Binary::Mul => Self::Mul,
            Binary::Div | Binary::DivNear => Self::Div,
        }
    }
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

    /// A number as it is written.
    pub fn number(text: String) -> Self {
        let binding = if text.starts_with('-') { Binding::Sign } else { Binding::Atom };
        Self { text, binding }
    }

    pub fn call(function: &str, arguments: impl IntoIterator<Item = Self>) -> Self {
        let arguments: Vec<String> = arguments.into_iter().map(|argument| argument.text).collect();
        Self::atom(format!("{function}({})", arguments.join(", ")))
    }

    /// The same with the other sign.
    pub fn negative(self) -> Self {
        self.behind("-")
    }

    /// The same as a number of another type.
    pub fn cast(self, ty: &str) -> Self {
        self.behind(&format!("({ty})"))
    }

    /// Behind a prefix operator.
    pub fn behind(self, prefix: &str) -> Self {
        Self { text: prefix.to_owned() + &self.at_least(Binding::Atom), binding: Binding::Sign }
    }

    /// The same in parentheses, if it needs them as an operand of any operator.
    pub fn enclosed(self) -> Self {
        Self::atom(self.at_least(Binding::Atom))
    }

    /// The same in parentheses, unless it is a signed atom or less: what a sum may have behind its operator without a product that could be fused.
    pub fn summand(self) -> Self {
        if self.binding >= Binding::Sign { self } else { self.enclosed() }
    }

    /// Left-associative: `a - (b - c)` keeps its parentheses, `(a - b) - c` needs none. `a + -b` is `a - b`: IEEE 754 says so of every number.
    pub fn infix(self, operator: Operator, right: Self) -> Self {
        let [binding, least_left, least_right] = operator.bindings();
        let right = right.at_least(least_right);
        let (operator, right) = match (operator, right.strip_prefix('-')) {
            (Operator::Add, Some(positive)) => (Operator::Sub, positive),
            (Operator::Sub, Some(positive)) => (Operator::Add, positive),
            _ => (operator, &*right),
        };
        let text = format!("{} {} {right}", self.at_least(least_left), operator.text());
        Self { text, binding }
    }

    /// `self ? then : otherwise`
    pub fn choice(self, then: Self, otherwise: Self) -> Self {
        let [then, otherwise] = [then, otherwise].map(|value| value.at_least(Binding::Sum));
        let text = format!("{} ? {then} : {otherwise}", self.at_least(Binding::Comparison));
        Self { text, binding: Binding::Choice }
    }

    /// The text, in parentheses unless it binds at least this tightly.
    fn at_least(self, binding: Binding) -> String {
        if self.binding >= binding { self.text } else { format!("({})", self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_keep_the_order() {
        let [a, b, c] = ["a", "b", "c"].map(Expression::atom);
        let sum = b.clone().infix(Operator::Sub, c.clone());
        assert_eq!(a.clone().infix(Operator::Sub, sum.clone()).text, "a - (b - c)");
        assert_eq!(sum.clone().infix(Operator::Sub, a.clone()).text, "b - c - a");
        assert_eq!(sum.clone().infix(Operator::Mul, a.clone()).text, "(b - c) * a");
        assert_eq!(sum.clone().negative().text, "-(b - c)");
        assert_eq!(sum.clone().negative().negative().text, "-(-(b - c))");
        assert_eq!(a.clone().infix(Operator::Less, sum.clone()).choice(sum, c.clone()).text, "a < b - c ? b - c : c");
        let quotient = b.infix(Operator::Div, c);
        assert_eq!(a.clone().infix(Operator::Mul, quotient.clone()).text, "a * (b / c)");
        assert_eq!(quotient.clone().infix(Operator::Mul, a.clone()).text, "b / c * a");
        assert_eq!(quotient.infix(Operator::And, a.clone()).text, "(b / c) & a");
        let product = Expression::number("-2.0".to_owned()).infix(Operator::Mul, a.clone());
        assert_eq!(a.clone().infix(Operator::Sub, product.clone()).text, "a + 2.0 * a");
        assert_eq!(a.clone().infix(Operator::Add, product.clone()).text, "a - 2.0 * a");
        assert_eq!(product.infix(Operator::Add, a).text, "-2.0 * a + a");
    }
}
