//! Powers of two, of a table or without.

use graph::body::{Body, Id, Unary};

/// Algorithm of 2^x in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exponential {
    Polynomial,
    /// A shorter polynomial and a table of powers.
    Table,
}

impl Exponential {
    pub fn power(self, b: &mut Body, x: Id) -> Id {
        b.unary(if self == Self::Table { Unary::Exp2Table } else { Unary::Exp2 }, x)
    }

    /// 2^x and 2^-x.
    pub fn both(self, b: &mut Body, x: Id) -> (Id, Id) {
        if self == Self::Table {
            return (b.unary(Unary::Exp2Rising, x), b.unary(Unary::Exp2Falling, x));
        }
        let power = b.unary(Unary::Exp2, x);
        let one = b.literal(1.0);
        (power, b.div(one, power))
    }
}
