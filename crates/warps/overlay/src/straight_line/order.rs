//! Constants of straight-line code in the order in which machine code reads them. The cache for constants is small: code that comes to
//! all of them in each turn misses it once for each line when they lie in that order, and up to once for each constant in another one.

use crate::program::{ConstantRef, Index, Node, Program, Value};
use std::collections::BTreeMap;

/// The program with the constants that are `read`, as bits, at the head of its bank in that order, and the others behind them.
/// Nothing where that is the order that they have, or where the code is no straight line.
pub fn in_order(program: &Program, read: &[u64]) -> Option<Program> {
    let mut reordered = program.clone();
    let bank = &program.constants.real_bank;
    let groups = groups(&mut reordered.body, bank.len() as u32)?;
    let mut by_bits: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, &(first, count)) in groups.iter().enumerate() {
        for entry in first..first + count {
            by_bits.entry(bank[entry as usize].to_bits()).or_default().push(at);
        }
    }
    let mut rank = vec![usize::MAX; groups.len()];
    for (time, bits) in read.iter().enumerate() {
        for &group in by_bits.get(bits).into_iter().flatten() {
            rank[group] = rank[group].min(time);
        }
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&group| rank[group]);
    if order.is_sorted() {
        return None;
    }
    let mut entries = Vec::with_capacity(bank.len());
    let mut place = BTreeMap::new();
    for (first, count) in order.into_iter().map(|group| groups[group]) {
        place.insert(first, entries.len() as u32);
        entries.extend(&bank[first as usize..][..count as usize]);
    }
    for_each_entry(&mut reordered.body, |first, _| *first = place[first])?;
    reordered.constants.real_bank = entries;
    Some(reordered)
}

/// The program in which each reference has entries of its own, in the order of the text; nothing where the code is no straight line, or
/// the bank would be larger than constant memory. Compilers that load many constants at once keep those that are read again later.
pub fn with_separate_entries(program: &Program) -> Option<Program> {
    let mut separate = program.clone();
    let bank = &program.constants.real_bank;
    let mut entries = Vec::with_capacity(bank.len());
    for_each_entry(&mut separate.body, |first, count| {
        let own = entries.len() as u32;
        entries.extend(&bank[*first as usize..][..count as usize]);
        *first = own;
    })?;
    separate.constants.real_bank = entries;
    let is_kept = !program.constants.in_constant_memory() || separate.constants.in_constant_memory();
    is_kept.then_some(separate)
}

/// Entries of the bank that must stay together: the first, and how many.
fn groups(body: &mut [Node], entries: u32) -> Option<Vec<(u32, u32)>> {
    let mut counts: BTreeMap<u32, u32> = (0..entries).map(|entry| (entry, 1)).collect();
    for_each_entry(body, |first, count| {
        for other in *first + 1..*first + count {
            counts.remove(&other);
        }
        if let Some(known) = counts.get_mut(first) {
            *known = count.max(*known);
        }
    })?;
    Some(counts.into_iter().collect())
}

/// All references to the bank, with the number of entries that each takes; `None` where there are others than these.
fn for_each_entry(body: &mut [Node], mut visit: impl FnMut(&mut u32, u32)) -> Option<()> {
    for node in body {
        match node {
            Node::Comment(_) | Node::StoreField { .. } => {}
            Node::Let { value: Value::Constant(ConstantRef::Bank(Index::Literal(entry))), .. } => visit(entry, 1),
            Node::Let { value: Value::Constant(_), .. } => return None,
            Node::Let { value: Value::ConstantLe { first, .. }, .. } => visit(first, 2),
            Node::Let { .. } => {}
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Constants, Execution, Var};
    use cranelift_entity::{EntityRef, PrimaryMap};

    /// Reads the entries 0 to 4, and looks up one of 1 and 2.
    fn program() -> Program {
        let constant = |entry| Value::Constant(ConstantRef::Bank(Index::Literal(entry)));
        let (a, b) = (Var::new(0), Var::new(1));
        let values = [constant(0), constant(3), Value::ConstantLe { a, b, first: 1 }, constant(4)];
        let mut vars = PrimaryMap::new();
        let lets = values.map(|value| Node::Let { var: vars.push(String::new()), value });
        Program {
            kernel: String::new(),
            symbol: String::new(),
            arithmetic: Default::default(),
            execution: Execution::DataParallel { warps: 1 },
            points_per_lane: 1,
            slots: 0,
            first_global: None,
            arrays: Vec::new(),
            vars,
            counters: 0,
            constants: Constants { real_bank: vec![0.5, 1.5, 2.5, 3.5, 4.5], ..Constants::default() },
            contents: Vec::new(),
            registers: None,
            staging_bytes: None,
            body: lets.into(),
        }
    }

    /// The constants that the program reads, in the order of its text.
    fn values(program: &mut Program) -> Vec<f64> {
        let mut found = Vec::new();
        let bank = program.constants.real_bank.clone();
        let visit = |first: &mut u32, count| found.extend(&bank[*first as usize..][..count as usize]);
        for_each_entry(&mut program.body, visit).unwrap();
        found
    }

    #[test]
    fn every_reference_keeps_its_constant() {
        let mut before = program();
        let mut after = in_order(&before, &[4.5, 2.5, 9.0, 0.5].map(f64::to_bits)).unwrap();
        assert_eq!(after.constants.real_bank, [4.5, 1.5, 2.5, 0.5, 3.5]);
        assert_eq!(values(&mut before), values(&mut after));
    }

    #[test]
    fn every_reference_has_entries_of_its_own() {
        let mut before = program();
        let constant = Value::Constant(ConstantRef::Bank(Index::Literal(0)));
        let var = before.vars.push(String::new());
        before.body.push(Node::Let { var, value: constant });
        let mut after = with_separate_entries(&before).unwrap();
        assert_eq!(after.constants.real_bank, [0.5, 3.5, 1.5, 2.5, 4.5, 0.5]);
        assert_eq!(values(&mut before), values(&mut after));
        // 8192 doubles are 64 KiB
        before.constants.real_bank = vec![0.25; 8190];
        let nodes = (0..8190).map(|_| before.body[0].clone()).collect::<Vec<_>>();
        before.body.extend(nodes);
        assert!(with_separate_entries(&before).is_none());
    }

    #[test]
    fn the_order_of_the_text_is_left_alone() {
        assert!(in_order(&program(), &[0.5, 1.5, 3.5].map(f64::to_bits)).is_none());
        assert!(in_order(&program(), &[]).is_none());
    }
}
