//! Names of values that are not known.

use crate::decode::Code;
use crate::domain::ALL;
use std::collections::{BTreeSet, HashMap};

/// The name of a value that is not known. Equal names are equal values, in whatever thread of the CTA.
pub(in super::super) type Term = u32;

/// An operand that the lanes of a warp agree on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Input {
    Value(u64),
    Term(Term),
}

/// Instruction that computes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// The one at this program counter.
    At(u32),
    /// Any with this text but for registers: the operands decide its result.
    Like(u32),
}

/// Computation of a value: a result of an instruction from these operands. `time` distinguishes executions that may give
/// different values for equal operands.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub what: What,
    pub result: u32,
    pub time: [u32; 2],
    pub inputs: Vec<Input>,
}

/// All names that were given.
pub(super) struct Terms {
    numbers: HashMap<Origin, Term>,
    /// Loads from global memory that each name's value comes from.
    loads: Vec<BTreeSet<u32>>,
    /// Texts of instructions without their registers, and the text of each program counter.
    texts: HashMap<String, u32>,
    of: HashMap<u32, u32>,
}

impl Terms {
    /// Makes names for the arguments whose values are not given.
    pub(super) fn new(code: &Code) -> Self {
        let loads = vec![BTreeSet::new(); code.unknown.len()];
        Self { numbers: HashMap::new(), loads, texts: HashMap::new(), of: HashMap::new() }
    }

    /// Returns what all instructions have in common that give equal results for equal operands as this one does.
    pub(super) fn like(&mut self, code: &Code, pc: u32) -> What {
        let texts = &mut self.texts;
        What::Like(*self.of.entry(pc).or_insert_with(|| {
            let next = texts.len() as u32;
            *texts.entry(without_registers(&code.site(0, pc).text)).or_insert(next)
        }))
    }

    /// Returns the name of the origin's value; `load`: the instruction that loads it from global memory.
    pub(super) fn name(&mut self, origin: Origin, load: Option<u32>) -> Term {
        if let Some(term) = self.numbers.get(&origin) {
            return *term;
        }
        let mut loads: BTreeSet<u32> = load.into_iter().collect();
        for input in &origin.inputs {
            if let Input::Term(term) = input {
                loads.extend(self.loads(*term));
            }
        }
        let term = self.loads.len() as Term;
        self.loads.push(loads);
        self.numbers.insert(origin, term);
        term
    }

    /// Returns the instructions that load what the value comes from.
    pub(super) fn loads(&self, term: Term) -> &BTreeSet<u32> {
        &self.loads[term as usize]
    }
}

/// Returns the text of an instruction without its guard and the names of its registers.
fn without_registers(text: &str) -> String {
    let text = if text.starts_with('@') { text.split_once(' ').map_or("", |(_, rest)| rest) } else { text };
    let mut names = text.split('%');
    let mut rest = names.next().unwrap_or_default().to_owned();
    for name in names {
        rest.push('%');
        rest.push_str(name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_.$".contains(c)));
    }
    rest
}

/// Registers and predicates of a warp that hold values with names, and the lanes that do.
pub(in super::super) struct Named {
    pub(super) rows: Vec<(Term, u32)>,
    pub(super) preds: Vec<(Term, u32)>,
}

impl Named {
    /// Starts the kernel: arguments whose values are not given have the first names.
    pub(in super::super) fn new(code: &Code) -> Self {
        let mut named = Self { rows: vec![(0, 0); code.registers], preds: vec![(0, 0); code.predicates] };
        for (term, row) in code.unknown.iter().enumerate() {
            named.rows[*row as usize] = (term as Term, ALL);
        }
        named
    }

    /// Notes that the lanes of the mask hold another value.
    pub(in super::super) fn forget_row(&mut self, row: u32, mask: u32) {
        self.rows[row as usize].1 &= !mask;
    }

    /// As [`forget_row`](Self::forget_row), for a predicate.
    pub(in super::super) fn forget_pred(&mut self, pred: u32, mask: u32) {
        self.preds[pred as usize].1 &= !mask;
    }
}

/// Notes that the lanes of the mask hold the value.
pub(super) fn hold(place: &mut (Term, u32), term: Term, mask: u32) {
    let others = if place.0 == term { place.1 } else { 0 };
    *place = (term, others | mask);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_registers() {
        assert_eq!(without_registers("@%p1 setp.lt.and.s32 %p2, %r1, 5, !%p3;"), "setp.lt.and.s32 %, %, 5, !%;");
        assert_ne!(without_registers("add.s32 %r1, %r2, 5;"), without_registers("add.s32 %r1, %r2, 6;"));
        assert_ne!(without_registers("add.s32 %r1, %r2, %r3;"), without_registers("add.u64 %r1, %r2, %r3;"));
    }
}
