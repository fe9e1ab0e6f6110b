//! Where straight-line code has its constants.

use crate::program::{ConstantRef, Index, Node, Value, Var};
use cranelift_entity::PrimaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Puts the literals of a block into a bank, each once, and returns the bank: there instructions find them without having made
/// them first. Those stay whose upper bits say all, as many as instructions have room for. What selects between two of them
/// looks the right one up.
pub fn place(vars: &mut PrimaryMap<Var, String>, nodes: &mut [Node], literal_bits: u32) -> Vec<f64> {
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
            && x.to_bits() << literal_bits != 0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_that_instructions_have_no_room_for_are_in_the_bank() {
        // 1.515625 has its last bit at place 20 of its pattern, 1.517578125 at 21, and 0.1 at 64.
        let literals = [1.515625, 1.517578125, 0.1];
        let bank = |bits| {
            let mut vars = PrimaryMap::new();
            let mut nodes: Vec<Node> = Vec::new();
            for x in literals {
                let var = vars.push(String::new());
                nodes.push(Node::Let { var, value: Value::Literal(x) });
                nodes.push(Node::Let { var: vars.push(String::new()), value: Value::Var(var) });
            }
            place(&mut vars, &mut nodes, bits)
        };
        assert_eq!(bank(32), [0.1]);
        assert_eq!(bank(20), [1.517578125, 0.1]);
    }
}
