//! Products that must be kept apart from the sums that use them.
//!
//! The graph says where a product and a sum are one fused operation (`Value::Fma`); everything else is rounded after each
//! step, in the interpreter as in the simulator. A CUDA compiler fuses `a * b + c` by default (`-fmad=true`), and the
//! flags are the host code's to choose. So a product that may meet a sum is spelt `__dmul_rn(a, b)`, which no compiler
//! fuses. All other products stay readable, and builders that use `Fma` have few of these.

use cranelift_entity::EntitySet;
use graph::single;
use graph::steps::Function;
use overlay::program::{Arithmetic, Binary, Node, Program, Unary, Value, Var};

/// The variables whose value may reach an addition, a subtraction or a slot (which the compiler may see through), directly
/// or by way of copies, signs and selections.
pub fn summed(program: &Program) -> EntitySet<Var> {
    let mut summed = EntitySet::with_capacity(program.vars.len());
    let mut copies = Vec::new();
    let function: fn(Unary) -> Option<&'static Function> = match program.arithmetic {
        Arithmetic::Double => Unary::function,
        Arithmetic::Single { .. } => single::steps::function,
    };
    collect(&program.body, function, &mut summed, &mut copies);
    // Backwards, since most copies follow what they copy.
    loop {
        let mut changed = false;
        for &(to, from) in copies.iter().rev() {
            if summed.contains(to) {
                changed |= summed.insert(from);
            }
        }
        if !changed {
            return summed;
        }
    }
}

fn collect(
    nodes: &[Node],
    function: fn(Unary) -> Option<&'static Function>,
    summed: &mut EntitySet<Var>,
    copies: &mut Vec<(Var, Var)>,
) {
    for node in nodes {
        match node {
            Node::Let { var, value } => match value {
                Value::Binary(Binary::Add | Binary::Sub, ..) => value.for_each_operand(|operand| {
                    summed.insert(operand);
                }),
                Value::Unary(op, operand) if function(*op).is_some_and(Function::sums_argument) => {
                    summed.insert(*operand);
                }
                Value::Var(_) | Value::Unary(Unary::Neg, _) | Value::SelectLe { .. } => {
                    value.for_each_operand(|operand| copies.push((*var, operand)))
                }
                _ => {}
            },
            Node::StoreSlot { value, .. } => {
                summed.insert(*value);
            }
            Node::If { body, .. } | Node::Loop { body, .. } => collect(body, function, summed, copies),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| collect(body, function, summed, copies)),
            // The sums that a matrix product adds to and stores are its own.
            Node::Multiply { .. } | Node::StoreBlock { .. } => {}
            Node::Comment(_)
            | Node::StoreField { .. }
            | Node::Barrier { .. }
            | Node::WarpSync
            | Node::Stripes { .. } => {}
        }
    }
}
