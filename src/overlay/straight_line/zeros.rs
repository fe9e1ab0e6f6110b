//! Sums that begin with 0.

use crate::graph::body::Binary;
use crate::overlay::program::{Node, Value, Var};
use std::collections::BTreeSet;

/// Leaves out what adds 0.0: a sum of doubles is what it was, but for the sign of a 0.
pub fn drop(nodes: &mut [Node]) {
    let is_zero = |value: &Value| matches!(value, Value::Literal(x) if x.to_bits() == 0);
    let mut zeros: BTreeSet<Var> = BTreeSet::new();
    for node in nodes {
        let Node::Let { var, value } = node else { continue };
        match *value {
            Value::Fma(a, b, c) if zeros.contains(&c) => *value = Value::Binary(Binary::Mul, a, b),
            Value::Binary(Binary::Add, a, b) if zeros.contains(&a) => *value = Value::Var(b),
            Value::Binary(Binary::Add, a, b) if zeros.contains(&b) => *value = Value::Var(a),
            _ => {}
        }
        if is_zero(value) {
            zeros.insert(*var);
        }
    }
}
