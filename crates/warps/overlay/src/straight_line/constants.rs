//! Where straight-line code has its constants.

use crate::program::{ConstantRef, Index, Node, Value, Var};
use cranelift_entity::PrimaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Puts the literals of a block into a bank, each once, and returns the bank: there instructions find them without having made
/// them first. Those stay whose upper half says all, which instructions have room for. What selects between two of them
/// looks the right one up.
pub fn place(vars: &mut PrimaryMap<Var, String>, nodes: &mut [Node]) -> Vec<f64> {
    let mut bank = Bank::default();
    let literals: BTreeMap<Var, f64> = nodes.iter().filter_map(Node::literal).collect();
    for node in &mut *nodes {
        if let Node::Let { value, .. } = node
            && let Value::SelectLe { a, b, then, otherwise } = *value
            && let (Some(&then), Some(&otherwise)) = (literals.get(&then), literals.get(&otherwise))
        {
            *value = Value::ConstantLe { a, b, first: bank.place(&[otherwise, then]) };
        }
    }
    let used: BTreeSet<Var> = nodes.iter().flat_map(Node::operands).collect();
    for node in nodes {
        if let Node::Let { var, value } = node
            && let Value::Literal(x) = *value
            && x.to_bits() as u32 != 0
            && used.contains(var)
        {
            *value = Value::Constant(ConstantRef::Bank(Index::Literal(bank.place(&[x]))));
            "c".clone_into(&mut vars[*var]);
        }
    }
    bank.entries
}

#[derive(Default)]
struct Bank {
    entries: Vec<f64>,
    places: BTreeMap<Vec<u64>, u32>,
}

impl Bank {
    /// Where these constants stand one after the other.
    fn place(&mut self, constants: &[f64]) -> u32 {
        let key = constants.iter().map(|x| x.to_bits()).collect();
        *self.places.entry(key).or_insert_with(|| {
            self.entries.extend(constants);
            (self.entries.len() - constants.len()) as u32
        })
    }
}
