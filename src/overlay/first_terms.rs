//! Sums begin with their first term.
//!
//! A sum starts from -0.0, to which IEEE 754 adds every number without a change (section 6.3). Where the first term is known to
//! meet it, the addition is left out: fma(a, b, -0.0) is the rounded product, and -0.0 - a is -a, zeros and their signs included.

use crate::overlay::program::{Binary, Node, Unary, Value, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Leaves out what adds to an empty sum, and what sets a sum to it in vain.
pub fn spare(nodes: &mut Vec<Node>) {
    block(nodes, &mut BTreeSet::new());
}

/// A list of nodes; `empty` holds the variables that are -0.0 at its beginning, and then at its end.
fn block(nodes: &mut Vec<Node>, empty: &mut BTreeSet<Var>) {
    // where variables were set to -0.0 that nothing has read since
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
                let is_empty = match value {
                    Value::Literal(x) => is_nothing(*x),
                    Value::Var(from) => empty.contains(from),
                    _ => false,
                };
                if is_empty {
                    empty.insert(*var);
                    unread.insert(*var, at);
                } else {
                    empty.remove(var);
                }
            }
            Node::StoreSlot { value, .. } | Node::StoreField { value, .. } => {
                unread.remove(value);
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

fn simplify(value: &mut Value, empty: &BTreeSet<Var>) {
    *value = match *value {
        Value::Fma(a, b, sum) if empty.contains(&sum) => Value::Binary(Binary::Mul, a, b),
        Value::Binary(Binary::Add, sum, a) | Value::Binary(Binary::Add, a, sum) if empty.contains(&sum) => {
            Value::Var(a)
        }
        Value::Binary(Binary::Sub, sum, a) if empty.contains(&sum) => Value::Unary(Unary::Neg, a),
        _ => return,
    };
}

fn is_nothing(x: f64) -> bool {
    x.to_bits() == (-0.0f64).to_bits()
}

/// Takes out what the nodes assign.
fn forget(nodes: &[Node], empty: &mut BTreeSet<Var>) {
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
    use crate::overlay::program::Index;
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
    fn what_simplifies_is_equal_in_every_bit() {
        let numbers = [0.0, -0.0, 1.5, -1.5, 5e-324, -5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY];
        for a in numbers {
            assert_eq!((-0.0 + a).to_bits(), a.to_bits());
            assert_eq!((-0.0 - a).to_bits(), (-a).to_bits());
            for b in numbers.into_iter().filter(|b| !(a * b).is_nan()) {
                assert_eq!(a.mul_add(b, -0.0).to_bits(), (a * b).to_bits());
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
        let counter = crate::overlay::program::Counter::new(0);
        let turns = Node::Loop { counter, trips: Index::Literal(3), unroll: 1, body: vec![add(0)] };
        let rest = vec![empty, turns, add(0)];
        assert_eq!(spared(rest.clone()), rest);
    }

    #[test]
    fn a_sum_that_is_read_before_it_is_set_again_is_set() {
        let stored = Node::StoreField { array: 0, row: Index::Literal(0), point: 0, value: var(0) };
        let rest = vec![set(0, Value::Literal(-0.0)), stored, set(0, Value::Var(var(1)))];
        assert_eq!(spared(rest.clone()), rest);
    }
}
