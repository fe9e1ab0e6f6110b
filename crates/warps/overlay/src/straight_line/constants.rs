//! Where straight-line code has its constants.

use crate::program::{ConstantRef, Index, Node, Value, Var};
use cranelift_entity::PrimaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Upper bits of a double that instructions have room for from Volta on.
const HALF: u32 = 32;
/// Bytes of constants up to which literals that have no more than half of their bits stay literals, where instructions have room for fewer: compilers
/// then put them into constant memory, whose caches hold what is little. On a K20c conductivity with 3 to 5 kB takes up to 17 % less time so, diffusion with 12 to
/// 25 kB 7 to 65 % more.
const FEW: usize = 8 * 1024;

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
    let is_used = |(var, x): (&Var, &f64)| used.contains(var).then(|| x.to_bits());
    let without_room: BTreeSet<u64> = literals.iter().filter_map(is_used).filter(|x| x << literal_bits != 0).collect();
    let literal_bits = if 8 * without_room.len() > FEW { literal_bits } else { HALF.max(literal_bits) };
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
        // 1.515625 has its last bit at place 20 of its pattern, 1.517578125 at 21, and 0.1 at 64; the others at 32.
        let shortest = [1.515625, 1.517578125, 0.1];
        let bank = |bits, more: u64| {
            let others = (1..=more).map(|at| f64::from_bits((0x3ff0_0000 + at) << 32));
            let literals = shortest.into_iter().chain(others);
            let mut vars = PrimaryMap::new();
            let mut nodes: Vec<Node> = Vec::new();
            for x in literals {
                let var = vars.push(String::new());
                nodes.push(Node::Let { var, value: Value::Literal(x) });
                nodes.push(Node::Let { var: vars.push(String::new()), value: Value::Var(var) });
            }
            place(&mut vars, &mut nodes, bits)
        };
        assert_eq!(bank(32, 2048), [0.1]);
        assert_eq!(bank(20, 0), [0.1], "the caches hold what is little");
        let many = bank(20, 2048);
        assert!(many.starts_with(&[1.517578125, 0.1]) && many.len() > 2000);
    }
}
