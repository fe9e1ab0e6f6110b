//! Numbers and operators as Fortran has them.

use crate::base::expression::{Expression, Operator};
use crate::base::tables::real;

/// A double, with its kind.
pub fn literal(x: f64) -> Expression {
    match x.is_finite() {
        true => Expression::number(format!("{}_dp", real(x))),
        false => {
            let (high, low) = (x.to_bits() >> 32, x.to_bits() & 0xffff_ffff);
            Expression::call("join", [high, low].map(|word| Expression::atom(format!("{word}_int64"))))
        }
    }
}

/// The operation; Fortran has no sign right behind an operator.
pub fn infix(operator: Operator, a: Expression, b: Expression) -> Expression {
    let is_signed = b.text.starts_with('-') && matches!(operator, Operator::Mul | Operator::Div);
    a.infix(operator, if is_signed { b.enclosed() } else { b })
}

/// a b + c, which a compiler may round once: no other product is there for it to fuse.
pub fn fused([a, b, c]: [Expression; 3]) -> Expression {
    infix(Operator::Mul, a.enclosed(), b.enclosed()).infix(Operator::Add, c.summand())
}

/// The first where the condition holds, else the second.
pub fn merge(then: Expression, otherwise: Expression, condition: Expression) -> Expression {
    Expression::call("merge", [then, otherwise, condition])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_operator_stands_beside_a_sign() {
        let x = || Expression::atom("x");
        assert_eq!(infix(Operator::Mul, x(), literal(-2.0)).text, "x * (-2.0_dp)");
        assert_eq!(infix(Operator::Add, x(), literal(-2.0)).text, "x - 2.0_dp");
        assert_eq!(fused([x(), x().negative(), literal(-1.0)]).text, "x * (-x) - 1.0_dp");
        let product = infix(Operator::Mul, x(), x());
        assert_eq!(fused([x(), x(), product]).text, "x * x + (x * x)");
        assert_eq!(literal(f64::INFINITY).text, "join(2146435072_int64, 0_int64)");
    }
}
