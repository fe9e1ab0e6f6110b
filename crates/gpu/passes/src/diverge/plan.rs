//! Plan for the divergent branches of a kernel, as data, and its application.

use super::super::meld::{self, Place};
use super::super::outcome::{Failure, unproven, with_func};
use crate::predicate;
use machine::target::Target;
use ptx::analysis::divergence::BlockShape;
use ptx::ir::{Block, Module};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// Steps, each on what the one before made. Divergent branches that no step names are left to the divergence stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Melds, in this order.
    Meld(Vec<Place>),
    /// These branches become masks; sides of those that are tested are skipped where no lane takes them.
    Predicate { branches: BTreeSet<Block>, tested: BTreeSet<Block> },
}

/// Settings that hold for all steps.
#[derive(Debug, Clone)]
pub struct Given {
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
    /// The least share of cycles that a meld must save.
    pub threshold: f64,
    /// Predicate registers per thread.
    pub predicates: u32,
    /// The machine that it is for, such as 90, where that is not the one of the text.
    pub sm: Option<u32>,
    /// Target whose SM the versions share; without one, none may take more registers.
    pub target: Option<&'static Target>,
    /// Bytes of shared memory that the launch adds.
    pub launch_shared: u32,
}

impl Plan {
    /// The module after all steps; each is proven.
    ///
    /// # Errors
    /// A step does not fit the function, or its checker finds that what it made is wrong.
    pub fn apply(&self, module: &Module, kernel: &str, given: &Given) -> Result<Module, Failure> {
        self.steps.iter().try_fold(module.clone(), |module, step| step.apply(&module, kernel, given))
    }
}

impl Step {
    /// The module after the step.
    ///
    /// # Errors
    /// As [`Plan::apply`].
    pub fn apply(&self, module: &Module, kernel: &str, given: &Given) -> Result<Module, Failure> {
        let wrong = |what: &dyn Display| Failure::Unproven(vec![unproven("diverge=auto", kernel, what)]);
        let found = module.funcs.iter().position(|func| func.name == kernel);
        let index = found.ok_or_else(|| wrong(&"the kernel is gone"))?;
        let func = &module.funcs[index];
        match self {
            Self::Meld(places) => {
                let mut work = meld::tidy_to_meld(func.clone(), &given.melding());
                for place in places {
                    let made = meld::first(&work, &given.melding(), |found, _| found == *place);
                    work = made.ok_or_else(|| wrong(&format!("there is no {place}")))?.0;
                }
                Ok(with_func(module, index, work.func))
            }
            Self::Predicate { branches, tested } => {
                let divergent = predicate::divergent_branches(module, func, given.shape());
                if let Some(block) = branches.union(tested).find(|block| !divergent.contains(block)) {
                    return Err(wrong(&format!("{block} is no divergent branch")));
                }
                let kept = divergent.into_iter().filter(|block| !branches.contains(block)).collect();
                let options = predicate::Options {
                    sbu: true,
                    rbu: !tested.is_empty(),
                    tested: Some(tested.clone()),
                    predicates: given.predicates,
                    block: given.shape(),
                    kept,
                    sm: given.sm,
                };
                let made = predicate::predicate(module, index, &options);
                made.map(|(module, _)| module).map_err(|violations| {
                    let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
                    wrong(&list.join("; "))
                })
            }
        }
    }
}

impl Given {
    pub fn melding(&self) -> meld::Options {
        meld::Options { threshold: self.threshold, block: self.block, ..meld::Options::default() }
    }

    pub fn shape(&self) -> BlockShape {
        self.block.map_or(BlockShape::Unknown, BlockShape::Known)
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return write!(f, "every branch keeps the stack");
        }
        let steps: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
        write!(f, "{}", steps.join("; "))
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let list = |list: &mut dyn Iterator<Item = String>| list.collect::<Vec<_>>().join(", ");
        match self {
            Self::Meld(places) => write!(f, "{}", list(&mut places.iter().map(ToString::to_string))),
            Self::Predicate { branches, tested } => {
                let name = |block: &Block| match tested.contains(block) {
                    true => format!("{block} with tests"),
                    false => block.to_string(),
                };
                write!(f, "masks for {}", list(&mut branches.iter().map(name)))
            }
        }
    }
}
