//! Arithmetic that changes nothing is left out: sums begin with their first term, products with their first factor.
//!
//! Every rule keeps all bits of a number, zeros and their signs included. A sum starts from -0.0, to which IEEE 754 adds every number without
//! a change (section 6.3): fma(a, b, -0.0) is the rounded product, and -0.0 - a is -a. A factor of 1 or -1 is exact: fma(a, 1, b) is the rounded
//! sum, fma(a, -1, b) the rounded difference. Nothing is added to 0.0 or multiplied by it: -0.0 + 0.0 is 0.0, and 0.0 times what is not a number is none.

use crate::program::{Binary, Node, Unary, Value, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Leaves out what adds nothing, multiplies by one, or selects between two equal numbers, and literals that nothing reads before the next.
pub fn leave_out(nodes: &mut Vec<Node>) {
    let mut assigned = BTreeMap::new();
    count(nodes, &mut assigned);
    block(nodes, &assigned, &mut Facts::new());
}

/// Known value of a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fact {
    /// The bits of a literal.
    Literal(u64),
    /// The other sign of a variable that is assigned once.
    Negative(Var),
}

type Facts = BTreeMap<Var, Fact>;

/// How often each variable is assigned.
type Assigned = BTreeMap<Var, u32>;

fn count(nodes: &[Node], assigned: &mut Assigned) {
    for node in nodes {
        match node {
            Node::Let { var, .. } => *assigned.entry(*var).or_default() += 1,
            Node::Multiply { blocks, .. } => {
                blocks.iter().flat_map(|block| block.sums).for_each(|sum| *assigned.entry(sum).or_default() += 1);
            }
            Node::If { body, .. } | Node::Loop { body, .. } => count(body, assigned),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| count(body, assigned)),
            _ => {}
        }
    }
}

/// A list of nodes; `facts` holds at its beginning, and then at its end.
fn block(nodes: &mut Vec<Node>, assigned: &Assigned, facts: &mut Facts) {
    // where variables were set to literals that nothing has read since
    let mut unread: BTreeMap<Var, usize> = BTreeMap::new();
    let mut vain: BTreeSet<usize> = BTreeSet::new();
    for (at, node) in nodes.iter_mut().enumerate() {
        match node {
            Node::Let { var, value } => {
                *value = simplest(value.clone(), facts);
                value.for_each_operand(|operand| {
                    unread.remove(&operand);
                });
                vain.extend(unread.remove(var));
                let fact = match value {
                    Value::Literal(x) => Some(Fact::Literal(x.to_bits())),
                    Value::Var(from) => facts.get(from).copied(),
                    Value::Unary(Unary::Neg, of) if assigned.get(of) == Some(&1) => Some(Fact::Negative(*of)),
                    _ => None,
                };
                match fact {
                    Some(fact) => facts.insert(*var, fact),
                    None => facts.remove(var),
                };
                if let Some(Fact::Literal(_)) = fact {
                    unread.insert(*var, at);
                }
            }
            Node::StoreSlot { .. } | Node::StoreField { .. } => {
                for operand in node.operands() {
                    unread.remove(&operand);
                }
            }
            Node::Multiply { blocks, .. } => {
                for sum in blocks.iter().flat_map(|block| &block.sums) {
                    facts.remove(sum);
                    unread.remove(sum);
                }
            }
            Node::StoreBlock { sums, .. } => unread.retain(|set, _| !sums.contains(set)),
            Node::If { body, .. } => {
                unread.clear();
                block(body, assigned, facts);
                forget(body, facts);
            }
            Node::Loop { body, .. } => {
                unread.clear();
                forget(body, facts);
                block(body, assigned, facts);
                forget(body, facts);
            }
            Node::Switch { arms } => {
                unread.clear();
                arms.iter_mut().for_each(|(_, body)| block(body, assigned, &mut facts.clone()));
                arms.iter().for_each(|(_, body)| forget(body, facts));
            }
            Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => {}
        }
    }
    let mut places = 0..;
    nodes.retain(|_| places.next().is_none_or(|at| !vain.contains(&at)));
}

/// The value with the fewest operations.
fn simplest(value: Value, facts: &Facts) -> Value {
    let is = |var: Var, x: f64| facts.get(&var) == Some(&Fact::Literal(x.to_bits()));
    let negative = |var: Var| match facts.get(&var) {
        Some(Fact::Negative(of)) => Some(*of),
        _ => None,
    };
    let literal = |var: Var| match facts.get(&var) {
        Some(Fact::Literal(x)) => Some(f64::from_bits(*x)),
        _ => None,
    };
    // Exact in single precision, too.
    let zero = |a: Var, b: Var| match [literal(a)?, literal(b)?] {
        [a, b] if a == 0.0 || b == 0.0 => Some(a * b).filter(|product| !product.is_nan()),
        _ => None,
    };
    let equal = |a: Var, b: Var| a == b || matches!((facts.get(&a), facts.get(&b)), (Some(a), Some(b)) if a == b);
    let simpler = match value {
        Value::Fma(a, b, c) if is(c, -0.0) => Value::Binary(Binary::Mul, a, b),
        Value::Fma(one, a, b) | Value::Fma(a, one, b) if is(one, 1.0) => Value::Binary(Binary::Add, a, b),
        Value::Fma(one, a, b) | Value::Fma(a, one, b) if is(one, -1.0) => Value::Binary(Binary::Sub, b, a),
        Value::Binary(Binary::Add, none, a) | Value::Binary(Binary::Add, a, none) if is(none, -0.0) => Value::Var(a),
        Value::Binary(Binary::Sub, a, none) if is(none, 0.0) => Value::Var(a),
        Value::Binary(Binary::Sub, none, a) if is(none, -0.0) => Value::Unary(Unary::Neg, a),
        Value::Binary(Binary::Mul, one, a) | Value::Binary(Binary::Mul, a, one) if is(one, 1.0) => Value::Var(a),
        Value::Binary(Binary::Mul, one, a) | Value::Binary(Binary::Mul, a, one) if is(one, -1.0) => {
            Value::Unary(Unary::Neg, a)
        }
        Value::Binary(Binary::Mul, a, b) => match zero(a, b) {
            Some(zero) => Value::Literal(zero),
            None => return value,
        },
        Value::SelectLe { then, otherwise, .. } if equal(then, otherwise) => Value::Var(then),
        Value::Unary(Unary::Neg, a) => match facts.get(&a) {
            Some(Fact::Literal(x)) => Value::Literal(-f64::from_bits(*x)),
            Some(Fact::Negative(a)) => Value::Var(*a),
            None => return value,
        },
        Value::Binary(Binary::Add, a, b) => match (negative(a), negative(b)) {
            (_, Some(b)) => Value::Binary(Binary::Sub, a, b),
            (Some(a), None) => Value::Binary(Binary::Sub, b, a),
            (None, None) => return value,
        },
        Value::Binary(Binary::Sub, a, b) => match negative(b) {
            Some(b) => Value::Binary(Binary::Add, a, b),
            None => return value,
        },
        _ => return value,
    };
    simplest(simpler, facts)
}

/// Takes out what the nodes assign.
fn forget(nodes: &[Node], facts: &mut Facts) {
    for node in nodes {
        match node {
            Node::Let { var, .. } => {
                facts.remove(var);
            }
            Node::Multiply { blocks, .. } => blocks.iter().flat_map(|block| &block.sums).for_each(|sum| {
                facts.remove(sum);
            }),
            Node::If { body, .. } | Node::Loop { body, .. } => forget(body, facts),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| forget(body, facts)),
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

    fn left(mut nodes: Vec<Node>) -> Vec<Node> {
        leave_out(&mut nodes);
        nodes
    }

    /// sum += a * b
    fn add(sum: usize) -> Node {
        set(sum, Value::Fma(var(1), var(2), var(sum)))
    }

    #[test]
    fn the_first_term_is_the_sum() {
        let product = set(0, Value::Binary(Binary::Mul, var(1), var(2)));
        assert_eq!(left(vec![set(0, Value::Literal(-0.0)), add(0), add(0)]), vec![product, add(0)]);
        let empty = set(0, Value::Literal(-0.0));
        let cases = [
            (Value::Binary(Binary::Add, var(0), var(1)), Value::Var(var(1))),
            (Value::Binary(Binary::Add, var(1), var(0)), Value::Var(var(1))),
            (Value::Binary(Binary::Sub, var(0), var(1)), Value::Unary(Unary::Neg, var(1))),
        ];
        for (value, expected) in cases {
            assert_eq!(left(vec![empty.clone(), set(3, value)]), vec![empty.clone(), set(3, expected)]);
        }
    }

    #[test]
    fn factors_of_one_are_left_out() {
        let product = |a, b| Value::Binary(Binary::Mul, var(a), var(b));
        let fused = |a, b| Value::Fma(var(a), var(b), var(2));
        let negative = Value::Unary(Unary::Neg, var(1));
        let sum = Value::Binary(Binary::Add, var(1), var(2));
        let difference = Value::Binary(Binary::Sub, var(2), var(1));
        for (factor, expected) in [(1.0, [Value::Var(var(1)), sum]), (-1.0, [negative, difference])] {
            let one = set(0, Value::Literal(factor));
            for (values, expected) in
                [[product(0, 1), product(1, 0)], [fused(0, 1), fused(1, 0)]].into_iter().zip(expected)
            {
                for value in values {
                    assert_eq!(left(vec![one.clone(), set(3, value)]), vec![one.clone(), set(3, expected.clone())]);
                }
            }
            let rest = vec![one, set(3, Value::Binary(Binary::Add, var(0), var(1)))];
            assert_eq!(left(rest.clone()), rest);
        }
    }

    #[test]
    fn a_negative_number_is_subtracted() {
        let [negative, again] = [set(0, Value::Unary(Unary::Neg, var(1))), set(1, Value::Literal(2.0))];
        let first =
            set(1, Value::Field { array: 0, row: Index::Literal(0), point: 0, share: crate::program::Share::Whole });
        let cases = [
            (Value::Binary(Binary::Add, var(2), var(0)), Value::Binary(Binary::Sub, var(2), var(1))),
            (Value::Binary(Binary::Add, var(0), var(2)), Value::Binary(Binary::Sub, var(2), var(1))),
            (Value::Binary(Binary::Sub, var(2), var(0)), Value::Binary(Binary::Add, var(2), var(1))),
            (Value::Unary(Unary::Neg, var(0)), Value::Var(var(1))),
        ];
        for (value, expected) in cases {
            let head = vec![first.clone(), negative.clone()];
            let nodes = [head.clone(), vec![set(3, value.clone())]].concat();
            assert_eq!(left(nodes), [head.clone(), vec![set(3, expected)]].concat());
            // Where the number is another one by then.
            let rest = [head, vec![again.clone(), set(3, value)]].concat();
            assert_eq!(left(rest.clone()), rest);
        }
    }

    #[test]
    fn equal_arms_need_no_selection() {
        let select = |then, otherwise| {
            set(3, Value::SelectLe { a: var(1), b: var(2), then: var(then), otherwise: var(otherwise) })
        };
        let zeros = |a, b| vec![set(4, Value::Literal(a)), set(5, Value::Literal(b))];
        assert_eq!(left(vec![select(4, 4)]), vec![set(3, Value::Var(var(4)))]);
        let found = left([zeros(0.0, 0.0), vec![select(4, 5)]].concat());
        assert_eq!(found, [zeros(0.0, 0.0), vec![set(3, Value::Var(var(4)))]].concat());
        let rest = [zeros(0.0, -0.0), vec![select(4, 5)]].concat();
        assert_eq!(left(rest.clone()), rest);
    }

    #[test]
    fn what_simplifies_is_equal_in_every_bit() {
        let numbers = [0.0, -0.0, 1.5, -1.5, 5e-324, -5e-324, f64::MAX, f64::INFINITY, f64::NEG_INFINITY];
        let minus_one = -1.0;
        for a in numbers {
            assert_eq!((-0.0 + a).to_bits(), a.to_bits());
            assert_eq!((-0.0 - a).to_bits(), (-a).to_bits());
            for b in numbers.into_iter().filter(|b| !(a * b).is_nan()) {
                assert_eq!(a.mul_add(b, -0.0).to_bits(), (a * b).to_bits());
                assert_eq!((1.0 * a).to_bits(), a.to_bits());
                assert_eq!((minus_one * a).to_bits(), (-a).to_bits());
                assert_eq!((a - 0.0).to_bits(), a.to_bits());
                assert!((a + b).is_nan() || 1f64.mul_add(a, b).to_bits() == (a + b).to_bits());
                assert!((b - a).is_nan() || (-1f64).mul_add(a, b).to_bits() == (b - a).to_bits());
                assert!((b - a).is_nan() || (b + -a).to_bits() == (b - a).to_bits());
            }
        }
    }

    #[test]
    fn another_zero_and_a_difference_stay() {
        let rest = vec![set(0, Value::Literal(0.0)), add(0)];
        assert_eq!(left(rest.clone()), rest);
        let rest = vec![set(0, Value::Literal(-0.0)), set(3, Value::Binary(Binary::Sub, var(1), var(0)))];
        assert_eq!(left(rest.clone()), rest);
    }

    #[test]
    fn what_a_branch_or_a_turn_may_have_added_stays() {
        let empty = set(0, Value::Literal(-0.0));
        let branch = Node::If { warps: 1, body: vec![add(0)] };
        let taken = Node::If { warps: 1, body: vec![set(0, Value::Binary(Binary::Mul, var(1), var(2)))] };
        assert_eq!(left(vec![empty.clone(), branch, add(0)]), vec![empty.clone(), taken, add(0)]);
        let counter = crate::program::Counter::new(0);
        let turns = Node::Loop { counter, trips: Index::Literal(3), unroll: 1, body: vec![add(0)] };
        let rest = vec![empty, turns, add(0)];
        assert_eq!(left(rest.clone()), rest);
    }

    #[test]
    fn a_sum_that_is_read_before_it_is_set_again_is_set() {
        let stored = Node::StoreField { array: 0, row: Index::Literal(0), point: 0, value: var(0), rest: None };
        let rest = vec![set(0, Value::Literal(-0.0)), stored, set(0, Value::Var(var(1)))];
        assert_eq!(left(rest.clone()), rest);
    }
}
