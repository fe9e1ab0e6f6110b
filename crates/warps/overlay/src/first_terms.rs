//! Sums begin with their first term, products with their first factor.
//!
//! A sum starts from -0.0, to which IEEE 754 adds every number without a change (section 6.3). Where the first term is known to
//! meet it, the addition is left out: fma(a, b, -0.0) is the rounded product, and -0.0 - a is -a, zeros and their signs included.
//! A product starts from 1: 1 a is a, and fma(a, 1, b) is the rounded sum.

use crate::program::{Binary, Node, Unary, Value, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Leaves out what adds to an empty sum or multiplies an empty product, and what sets a variable to one in vain.
pub fn spare(nodes: &mut Vec<Node>) {
    block(nodes, &mut Empty::new());
}

/// An empty sum or an empty product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nothing {
    Sum,
    Product,
}

/// The variables that are a sum or a product of nothing.
type Empty = BTreeMap<Var, Nothing>;

/// A list of nodes; `empty` is that at its beginning, and then at its end.
fn block(nodes: &mut Vec<Node>, empty: &mut Empty) {
    // where variables were set to nothing that nothing has read since
    let mut unread: BTreeMap<Var, usize> = BTreeMap::new();
    let mut vain: BTreeSet<usize> = BTreeSet::new();
    for (at, node) in nodes.iter_mut().enumerate() {
        match node {
            Node::Let { var, value } => {
                simplify(value, empty);
                value.for_each_operand(|operand| {
                    unread.remove(&operand);
                });
                vain.extend(unread.remove(var));
                let nothing = match value {
                    Value::Literal(x) => nothing(*x),
                    Value::Var(from) => empty.get(from).copied(),
                    _ => None,
                };
                match nothing {
                    Some(nothing) => {
                        empty.insert(*var, nothing);
                        unread.insert(*var, at);
                    }
                    None => drop(empty.remove(var)),
                }
            }
            Node::StoreSlot { .. } | Node::StoreField { .. } => {
                for operand in node.operands() {
                    unread.remove(&operand);
                }
            }
            Node::Multiply { blocks, .. } => {
                for sum in blocks.iter().flat_map(|block| &block.sums) {
                    empty.remove(sum);
                    unread.remove(sum);
                }
            }
            Node::StoreBlock { sums, .. } => unread.retain(|set, _| !sums.contains(set)),
            Node::If { body, .. } => {
                unread.clear();
                block(body, &mut empty.clone());
                forget(body, empty);
            }
            Node::Loop { body, .. } => {
                unread.clear();
                forget(body, empty);
                block(body, &mut empty.clone());
            }
            Node::Switch { arms } => {
                unread.clear();
                arms.iter_mut().for_each(|(_, body)| block(body, &mut empty.clone()));
                arms.iter().for_each(|(_, body)| forget(body, empty));
            }
            Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => {}
        }
    }
    let mut places = 0..;
    nodes.retain(|_| places.next().is_none_or(|at| !vain.contains(&at)));
}

fn simplify(value: &mut Value, empty: &Empty) {
    let sum = |var: Var| empty.get(&var) == Some(&Nothing::Sum);
    let product = |var: Var| empty.get(&var) == Some(&Nothing::Product);
    *value = match *value {
        Value::Fma(a, b, c) if sum(c) => match (product(a), product(b)) {
            (true, _) => Value::Var(b),
            (_, true) => Value::Var(a),
            _ => Value::Binary(Binary::Mul, a, b),
        },
        Value::Fma(one, a, b) | Value::Fma(a, one, b) if product(one) => Value::Binary(Binary::Add, a, b),
        Value::Binary(Binary::Add, none, a) | Value::Binary(Binary::Add, a, none) if sum(none) => Value::Var(a),
        Value::Binary(Binary::Sub, none, a) if sum(none) => Value::Unary(Unary::Neg, a),
        Value::Binary(Binary::Mul, one, a) | Value::Binary(Binary::Mul, a, one) if product(one) => Value::Var(a),
        _ => return,
    };
}

fn nothing(x: f64) -> Option<Nothing> {
    match x.to_bits() {
        bits if bits == (-0.0f64).to_bits() => Some(Nothing::Sum),
        bits if bits == 1.0f64.to_bits() => Some(Nothing::Product),
        _ => None,
    }
}

/// Takes out what the nodes assign.
fn forget(nodes: &[Node], empty: &mut Empty) {
    for node in nodes {
        match node {
            Node::Let { var, .. } => {
                empty.remove(var);
            }
            Node::Multiply { blocks, .. } => blocks.iter().flat_map(|block| &block.sums).for_each(|sum| {
                empty.remove(sum);
            }),
            Node::If { body, .. } | Node::Loop { body, .. } => forget(body, empty),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| forget(body, empty)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Index;
    use cranelift_entity::EntityRef;

    fn var(k: usize) -> Var {
        Var::new(k)
    }

    fn set(k: usize, value: Value) -> Node {
        Node::Let { var: var(k), value }
    }

    fn spared(mut nodes: Vec<Node>) -> Vec<Node> {
        spare(&mut nodes);
        nodes
    }

    /// sum += a * b
    fn add(sum: usize) -> Node {
        set(sum, Value::Fma(var(1), var(2), var(sum)))
    }

    #[test]
    fn the_first_term_is_the_sum() {
        let product = set(0, Value::Binary(Binary::Mul, var(1), var(2)));
        assert_eq!(spared(vec![set(0, Value::Literal(-0.0)), add(0), add(0)]), vec![product, add(0)]);
        let empty = set(0, Value::Literal(-0.0));
        let cases = [
            (Value::Binary(Binary::Add, var(0), var(1)), Value::Var(var(1))),
            (Value::Binary(Binary::Add, var(1), var(0)), Value::Var(var(1))),
            (Value::Binary(Binary::Sub, var(0), var(1)), Value::Unary(Unary::Neg, var(1))),
        ];
        for (value, expected) in cases {
            assert_eq!(spared(vec![empty.clone(), set(3, value)]), vec![empty.clone(), set(3, expected)]);
        }
    }

    #[test]
    fn the_first_factor_is_the_product() {
        let one = set(0, Value::Literal(1.0));
        let cases = [
            (Value::Binary(Binary::Mul, var(0), var(1)), Value::Var(var(1))),
            (Value::Binary(Binary::Mul, var(1), var(0)), Value::Var(var(1))),
            (Value::Fma(var(0), var(1), var(2)), Value::Binary(Binary::Add, var(1), var(2))),
            (Value::Fma(var(1), var(0), var(2)), Value::Binary(Binary::Add, var(1), var(2))),
        ];
        for (value, expected) in cases {
            assert_eq!(spared(vec![one.clone(), set(3, value)]), vec![one.clone(), set(3, expected)]);
        }
        let rest = vec![one, set(3, Value::Binary(Binary::Add, var(0), var(1)))];
        assert_eq!(spared(rest.clone()), rest);
    }

    #[test]
    fn what_simplifies_is_equal_in_every_bit() {
        let numbers = [0.0, -0.0, 1.5, -1.5, 5e-324, -5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY];
        for a in numbers {
            assert_eq!((-0.0 + a).to_bits(), a.to_bits());
            assert_eq!((-0.0 - a).to_bits(), (-a).to_bits());
            for b in numbers.into_iter().filter(|b| !(a * b).is_nan()) {
                assert_eq!(a.mul_add(b, -0.0).to_bits(), (a * b).to_bits());
                assert_eq!((1.0 * a).to_bits(), a.to_bits());
                assert!((a + b).is_nan() || 1f64.mul_add(a, b).to_bits() == (a + b).to_bits());
            }
        }
    }

    #[test]
    fn another_zero_and_a_difference_stay() {
        let rest = vec![set(0, Value::Literal(0.0)), add(0)];
        assert_eq!(spared(rest.clone()), rest);
        let rest = vec![set(0, Value::Literal(-0.0)), set(3, Value::Binary(Binary::Sub, var(1), var(0)))];
        assert_eq!(spared(rest.clone()), rest);
    }

    #[test]
    fn what_a_branch_or_a_turn_may_have_added_stays() {
        let empty = set(0, Value::Literal(-0.0));
        let branch = Node::If { warps: 1, body: vec![add(0)] };
        let taken = Node::If { warps: 1, body: vec![set(0, Value::Binary(Binary::Mul, var(1), var(2)))] };
        assert_eq!(spared(vec![empty.clone(), branch, add(0)]), vec![empty.clone(), taken, add(0)]);
        let counter = crate::program::Counter::new(0);
        let turns = Node::Loop { counter, trips: Index::Literal(3), unroll: 1, body: vec![add(0)] };
        let rest = vec![empty, turns, add(0)];
        assert_eq!(spared(rest.clone()), rest);
    }

    #[test]
    fn a_sum_that_is_read_before_it_is_set_again_is_set() {
        let stored = Node::StoreField { array: 0, row: Index::Literal(0), point: 0, value: var(0), rest: None };
        let rest = vec![set(0, Value::Literal(-0.0)), stored, set(0, Value::Var(var(1)))];
        assert_eq!(spared(rest.clone()), rest);
    }
}
