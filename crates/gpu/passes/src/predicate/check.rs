//! Proves a plan: every lane executes the blocks that it would have executed, in the same order. Shares no code with what
//! decides.
//!
//! One lane is followed through the steps of each region, with the block that it stands in front of, and its bit in every
//! mask. A block under a guard that holds must be the one that the lane stands in front of; from there the lane goes on to any
//! target. A test for an empty mask goes one way if the lane has the mask, and both ways if not, as other lanes decide. At
//! the end of the region the lane must stand in front of its exit. What a mask holds that is written again before it is read
//! does not matter, so that few states are met.
//!
//! Beside that, all lanes must come together where an instruction wants it, and rows without active lanes must come to an
//! end.

mod lane;
mod parts;

use super::plan::{Plan, Step, place};
use ptx::ir::{Block, Func};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// Fault of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The entry of the region, or the block.
    pub at: Block,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A lane that stands in front of another block executes this one.
    Wrong { block: Block, stands: Option<Block> },
    /// A lane comes to the end of the row and stands in front of another block than the exit.
    Left { stands: Option<Block> },
    /// A mask is read that was not made.
    Unmade { step: usize },
    /// The mask of an edge is made where the block has not just run.
    Late { step: usize },
    /// A label that is not there, or is there twice.
    Label { step: usize },
    /// A row could go round without active lanes.
    Endless { step: usize },
    /// Lanes may part at a branch that stays.
    Parts,
    /// An instruction that lanes must execute together stands under a mask.
    Apart { block: Block },
    /// An edge leads to a block that has no place in the plan.
    Lost { target: Block },
    /// A region that keeps the stack has two places.
    Twice { block: Block },
    /// A region that keeps the stack has another way out.
    Open { target: Block },
    /// Too many states to look at.
    Large,
}

/// Facts about a function that a checker may believe.
pub struct Beliefs<'a> {
    /// Branches that all lanes take the same way.
    pub uniform: &'a BTreeSet<Block>,
    /// Blocks whose instructions all lanes must execute together.
    pub together: &'a BTreeSet<Block>,
}

/// A plan that was proven.
pub struct Checked(Plan);

impl Checked {
    pub fn plan(&self) -> &Plan {
        &self.0
    }
}

/// Proves the plan.
pub fn check(func: &Func, plan: Plan, beliefs: &Beliefs) -> Result<Checked, Vec<Violation>> {
    let mut violations = parts::check(func, &plan, beliefs);
    let mut stacks: BTreeSet<Block> = plan.stacks.keys().copied().collect();
    for region in &plan.regions {
        let at = region.entry;
        let kinds = lane::follow(func, region);
        violations.extend(kinds.into_iter().map(|kind| Violation { at, kind }));
        for step in &region.steps {
            if let Step::Stack { entry, .. } = step
                && !stacks.insert(*entry)
            {
                violations.push(Violation { at, kind: Kind::Twice { block: *entry } });
            }
        }
    }
    if violations.is_empty() { Ok(Checked(plan)) } else { Err(violations) }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.at, self.kind)
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong { block, stands } => write!(f, "a lane in front of {} executes {block}", place(*stands)),
            Self::Left { stands } => write!(f, "a lane leaves the row in front of {}", place(*stands)),
            Self::Unmade { step } => write!(f, "step {step} reads a mask that was not made"),
            Self::Late { step } => write!(f, "step {step} asks for the branch of a block that has not just run"),
            Self::Label { step } => write!(f, "step {step} names a label that is not there once"),
            Self::Endless { step } => write!(f, "the row goes round at step {step} without active lanes"),
            Self::Parts => write!(f, "lanes part at a branch that stays"),
            Self::Apart { block } => write!(f, "{block} runs under a mask and must not"),
            Self::Lost { target } => write!(f, "{target} has no place"),
            Self::Open { target } => write!(f, "the region leads to {target}"),
            Self::Twice { block } => write!(f, "the region at {block} has two places"),
            Self::Large => write!(f, "too many states"),
        }
    }
}
