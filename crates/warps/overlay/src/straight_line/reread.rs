//! Inputs that are read again where they are needed again, long after.
//!
//! A warp has its inputs in shared memory. A register that would only keep one for later is worth more than the access.

use crate::program::{Node, Share, Value, Var};
use cranelift_entity::PrimaryMap;
use std::collections::BTreeMap;

/// Statements between two uses from which on a value is not kept.
const DISTANT_USE: usize = 400;

/// The statements, where a variable that is nothing but an input, or one that is kept from below, is used far behind its last use,
/// with a new variable for it from there on.
pub fn where_far(vars: &mut PrimaryMap<Var, String>, nodes: Vec<Node>) -> Vec<Node> {
    let inputs = inputs(&nodes);
    // by variable, what stands for it now, and where that was used last
    let mut known: BTreeMap<Var, (Var, usize)> = BTreeMap::new();
    let mut out = Vec::with_capacity(nodes.len());
    for (at, mut node) in nodes.into_iter().enumerate() {
        for_each_operand(&mut node, &mut |operand| {
            let Some(value) = inputs.get(operand) else { return };
            let (now, last) = known.entry(*operand).or_insert((*operand, at));
            if at - *last > DISTANT_USE {
                *now = again(vars, &inputs, value, *operand, &mut out);
            }
            *last = at;
            *operand = *now;
        });
        if let Node::Let { var, .. } = &node {
            known.insert(*var, (*var, at));
        }
        out.push(node);
    }
    out
}

/// Variables that are an input, a literal, or the larger one of both, and what they are.
fn inputs(nodes: &[Node]) -> BTreeMap<Var, Value> {
    let mut assigned: BTreeMap<Var, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for node in nodes {
        let Node::Let { var, value } = node else { continue };
        *assigned.entry(*var).or_default() += 1;
        let is_input = match value {
            Value::Field { share, .. } => *share == Share::Whole,
            Value::Literal(_) => true,
            Value::SelectLe { a, b, then, otherwise } => {
                then == b && otherwise == a && [a, b].iter().all(|operand| found.contains_key(*operand))
            }
            _ => false,
        };
        if is_input {
            found.insert(*var, value.clone());
        }
    }
    found.retain(|var, _| assigned[var] == 1);
    found
}

/// Defines a variable for a value once more.
fn again(
    vars: &mut PrimaryMap<Var, String>,
    inputs: &BTreeMap<Var, Value>,
    value: &Value,
    old: Var,
    out: &mut Vec<Node>,
) -> Var {
    let mut value = value.clone();
    let mut made: BTreeMap<Var, Var> = BTreeMap::new();
    value.for_each_operand_mut(&mut |operand| {
        let known = made.get(operand).copied();
        let new = known.unwrap_or_else(|| again(vars, inputs, &inputs[operand], *operand, out));
        made.insert(*operand, new);
        *operand = new;
    });
    let name = vars[old].clone();
    let var = vars.push(name);
    out.push(Node::Let { var, value });
    var
}

fn for_each_operand(node: &mut Node, visit: &mut dyn FnMut(&mut Var)) {
    match node {
        Node::Let { value, .. } => value.for_each_operand_mut(visit),
        Node::StoreField { value, rest, .. } => [value].into_iter().chain(rest).for_each(visit),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Binary, Index};
    use cranelift_entity::EntityRef;

    /// A clamped input that is used at once and, behind so many other statements, once more.
    fn clamped(apart: usize) -> (PrimaryMap<Var, String>, Vec<Node>) {
        let mut vars = PrimaryMap::new();
        let mut nodes = Vec::new();
        let mut make = |value| {
            let var = vars.push("x".to_owned());
            nodes.push(Node::Let { var, value });
            var
        };
        let field = make(Value::Field { array: 0, row: Index::Literal(3), point: 0, share: Share::Whole });
        let least = make(Value::Literal(1e-20));
        let x = make(Value::SelectLe { a: field, b: least, then: least, otherwise: field });
        let mut sum = make(Value::Binary(Binary::Add, x, x));
        for _ in 0..apart {
            sum = make(Value::Binary(Binary::Add, sum, sum));
        }
        make(Value::Binary(Binary::Mul, sum, x));
        (vars, nodes)
    }

    fn reads(nodes: &[Node]) -> usize {
        nodes.iter().filter(|node| matches!(node, Node::Let { value: Value::Field { .. }, .. })).count()
    }

    #[test]
    fn a_far_use_reads_again_and_a_near_one_does_not() {
        let (mut vars, nodes) = clamped(DISTANT_USE + 1);
        let found = where_far(&mut vars, nodes.clone());
        assert_eq!((reads(&found), found.len()), (2, nodes.len() + 3));
        let Some(Node::Let { value: Value::Binary(Binary::Mul, _, x), .. }) = found.last() else { panic!("a product") };
        let defined = found.iter().rposition(|node| matches!(node, Node::Let { var, .. } if var == x));
        assert_eq!(defined, Some(found.len() - 2));
        let (mut vars, nodes) = clamped(DISTANT_USE - 10);
        assert_eq!(where_far(&mut vars, nodes.clone()), nodes);
    }

    #[test]
    fn what_is_assigned_twice_is_left_alone() {
        let (mut vars, mut nodes) = clamped(DISTANT_USE + 1);
        nodes.insert(4, Node::Let { var: Var::new(2), value: Value::Literal(0.0) });
        let found = where_far(&mut vars, nodes.clone());
        assert_eq!(reads(&found), 1);
    }
}
