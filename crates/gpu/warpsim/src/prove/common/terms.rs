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

/// Computation of a value: a result of an instruction from these operands. `time` distinguishes executions that may give
/// different values for equal operands.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    pub pc: u32,
    pub result: u32,
    pub time: [u32; 2],
    pub inputs: Vec<Input>,
}

/// All names that were given.
pub(super) struct Terms {
    numbers: HashMap<Origin, Term>,
    /// Loads from global memory that each name's value comes from.
    loads: Vec<BTreeSet<u32>>,
}

impl Terms {
    /// Makes names for the arguments whose values are not given.
    pub(super) fn new(code: &Code) -> Self {
        Self { numbers: HashMap::new(), loads: vec![BTreeSet::new(); code.unknown.len()] }
    }

    /// Returns the name of the origin's value; `load`: it loads from global memory.
    pub(super) fn name(&mut self, origin: Origin, load: bool) -> Term {
        if let Some(term) = self.numbers.get(&origin) {
            return *term;
        }
        let mut loads: BTreeSet<u32> = load.then_some(origin.pc).into_iter().collect();
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
