//! Why a value is not uniform.

use super::context::Context;
use super::state::{Class, State};
use crate::analysis::gated::Gate;
use crate::analysis::ssa::{Def, Value};
use crate::inst::Op;
use crate::ir::Block;
use std::fmt::{self, Display, Formatter};

/// The rule that made a value what it is, and the value that is to blame, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    pub rule: Rule,
    pub cause: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It is read before it is written.
    Undefined,
    /// A special register that counts lanes, or differs from one to the other.
    Special,
    /// An instruction that may give every lane another value: an atomic, an unordered load, an unknown one.
    Source,
    /// A load from an address that is not uniform.
    Load,
    /// Affine arithmetic keeps a stride.
    Affine,
    /// An operation that keeps no stride.
    Operation,
    /// The guard is divergent.
    Guard,
    /// Different lanes bring different values, as the branch at the end of the block is divergent.
    Branch(Block),
    /// Lanes bring values of different rounds of a loop, as the branch at the end of the block is divergent.
    Exit(Block),
    /// One of the values that meet is not uniform, or they have different strides.
    Meet,
    /// A cycle with several entries.
    Irreducible,
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined => write!(f, "read before it is written"),
            Self::Special => write!(f, "special register"),
            Self::Source => write!(f, "differs from lane to lane"),
            Self::Load => write!(f, "load from a divergent address"),
            Self::Affine => write!(f, "affine"),
            Self::Operation => write!(f, "operation on a divergent value"),
            Self::Guard => write!(f, "divergent guard"),
            Self::Branch(block) => write!(f, "divergent branch of {block}"),
            Self::Exit(block) => write!(f, "divergent loop exit of {block}"),
            Self::Meet => write!(f, "meets a divergent value or another stride"),
            Self::Irreducible => write!(f, "cycle with several entries"),
        }
    }
}

pub(super) fn reason(context: &Context, state: impl Fn(Value) -> State, value: Value) -> Option<Reason> {
    let gated = context.gated;
    if state(value).is_uniform() {
        return None;
    }
    let blame = |values: &[Value]| values.iter().copied().find(|value| !state(*value).is_uniform());
    let branch = || {
        let decides = |branch: &&Block| gated.ssa.condition(**branch).is_some_and(|c| !state(c).is_uniform());
        gated.branches(value).iter().find(decides).map(|branch| (*branch, gated.ssa.condition(*branch)))
    };
    let reason = |rule, cause| Some(Reason { rule, cause });
    match gated.ssa.values[value].def {
        Def::Undefined => reason(Rule::Undefined, None),
        Def::Phi(..) if gated.gate(value) == Some(Gate::Irreducible) => reason(Rule::Irreducible, None),
        Def::Phi(..) => match branch() {
            Some((branch, cause)) if state(value).class() == Class::Divergent => reason(Rule::Branch(branch), cause),
            _ => reason(Rule::Meet, blame(gated.ssa.arguments(value))),
        },
        Def::Copy(_, source) => match branch() {
            Some((branch, cause)) => reason(Rule::Exit(branch), cause),
            None => reason(Rule::Meet, Some(source)),
        },
        Def::Inst(inst, _) => {
            let accesses = &gated.facts.accesses;
            let reads = gated.ssa.reads(inst);
            let operands = accesses.operands(inst).len();
            let guard = context.func.insts[inst].guard.and_then(|_| reads.get(operands));
            if let Some(guard) = guard.filter(|guard| !state(**guard).is_uniform()) {
                return reason(Rule::Guard, Some(*guard));
            }
            let op = &context.func.insts[inst].op;
            let special = context.reads_divergent_special(op);
            match blame(&reads[..operands]) {
                Some(cause) if state(value).class() != Class::Divergent => reason(Rule::Affine, Some(cause)),
                Some(cause) if matches!(op, Op::Ld { .. }) => reason(Rule::Load, Some(cause)),
                Some(cause) => reason(Rule::Operation, Some(cause)),
                None if special => reason(Rule::Special, None),
                None => match blame(reads) {
                    Some(old) if guard.is_some() => reason(Rule::Meet, Some(old)),
                    _ => reason(Rule::Source, None),
                },
            }
        }
    }
}
