//! Plan for a function, as data.
//!
//! A [`Plan`] cuts the function into parts that all lanes of a warp enter and leave together:
//!
//! - blocks that stay as they are, because all lanes take the same way at their end,
//! - regions that are left to the divergence stack,
//! - regions whose blocks stand in a row, each under a mask that says which lanes execute it.

use cranelift_entity::entity_impl;
use ptx::ir::Block;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// A predicate that says of each lane whether it takes part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mask(u32);
entity_impl!(Mask, "m");

impl Mask {
    /// A mask that no plan has.
    pub(super) const fn reserved() -> Self {
        Self(u32::MAX - 1)
    }
}

/// A place in a row of steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(u32);
entity_impl!(Label, "l");

/// Plan for one function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Branches that stay, as all lanes go the same way.
    pub uniform: BTreeSet<Block>,
    /// Branches that stay, with the side at which lanes end; those that go on are all lanes that are left.
    pub leaving: BTreeMap<Block, Block>,
    /// Regions that stay, by the block at which all lanes enter them, with the block where all meet again; `None` is the end of the
    /// function.
    pub stacks: BTreeMap<Block, Option<Block>>,
    /// Regions in a row.
    pub regions: Vec<Region>,
}

/// Blocks in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Whoever went to this block comes to the first step.
    pub entry: Block,
    pub steps: Vec<Step>,
    /// Where all lanes go behind the last step; `None` is the end of the function.
    pub exit: Option<Block>,
}

/// `None` stands for all lanes.
pub type Guard = Option<Mask>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The instructions of a block, without its terminator.
    Run {
        block: Block,
        guard: Guard,
    },
    /// A region that is left to the divergence stack; lanes without the guard wait behind it.
    Stack {
        entry: Block,
        exit: Option<Block>,
        guard: Guard,
    },
    /// The lanes of `guard` that go from the block that has just run to `target`; with `more` those join the mask.
    Take {
        mask: Mask,
        block: Block,
        target: Option<Block>,
        guard: Guard,
        more: bool,
    },
    /// mask = from
    Copy {
        mask: Mask,
        from: Guard,
    },
    /// mask = no lane
    Empty {
        mask: Mask,
    },
    /// mask |= with
    Join {
        mask: Mask,
        with: Mask,
    },
    /// mask &= !of
    Drop {
        mask: Mask,
        of: Mask,
    },
    Label(Label),
    /// All lanes go to the label if no lane has the mask.
    IfNone {
        mask: Mask,
        to: Label,
        check: Check,
    },
    /// All lanes go back to the label if a lane has the mask.
    IfAny {
        mask: Mask,
        to: Label,
    },
    /// All lanes go back to the label.
    Back {
        to: Label,
    },
}

/// Purpose of a test for an empty mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Skips one side of a branch: run-time branch uniformity.
    Side,
    /// All lanes have left the loop.
    Exit,
    /// All lanes go on with the next round of the loop.
    Continue,
}

impl Plan {
    /// The steps of all regions.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.regions.iter().flat_map(|region| &region.steps)
    }

    /// The blocks that are in no region of the plan but stay as they are, other than those of stack regions.
    pub fn region(&self, entry: Block) -> Option<&Region> {
        self.regions.iter().find(|region| region.entry == entry)
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.uniform.iter().try_for_each(|block| writeln!(f, "{block} branches uniformly"))?;
        self.leaving.iter().try_for_each(|(block, end)| writeln!(f, "{block} lets lanes end at {end}"))?;
        self.stacks.iter().try_for_each(|(block, exit)| writeln!(f, "{block} to {} keeps the stack", place(*exit)))?;
        for Region { entry, steps, exit } in &self.regions {
            writeln!(f, "{entry} to {} in a row:", place(*exit))?;
            steps.iter().try_for_each(|step| writeln!(f, "  {step}"))?;
        }
        Ok(())
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let guarded = |guard: &Guard| guard.map_or(String::new(), |mask| format!("@{mask} "));
        match self {
            Self::Run { block, guard } => write!(f, "{}{block}", guarded(guard)),
            Self::Stack { entry, exit, guard } => {
                write!(f, "{}{entry} to {} with the stack", guarded(guard), place(*exit))
            }
            Self::Take { mask, block, target, guard, more } => {
                let sign = if *more { "|=" } else { "=" };
                write!(f, "{mask} {sign} {}{block} to {}", guarded(guard), place(*target))
            }
            Self::Copy { mask, from } => match from {
                Some(from) => write!(f, "{mask} = {from}"),
                None => write!(f, "{mask} = all"),
            },
            Self::Empty { mask } => write!(f, "{mask} = none"),
            Self::Join { mask, with } => write!(f, "{mask} |= {with}"),
            Self::Drop { mask, of } => write!(f, "{mask} &= !{of}"),
            Self::Label(label) => write!(f, "{label}:"),
            Self::IfNone { mask, to, check } => {
                let check = match check {
                    Check::Side => "side",
                    Check::Exit => "exit",
                    Check::Continue => "continue",
                };
                write!(f, "if none of {mask} to {to} ({check})")
            }
            Self::IfAny { mask, to } => write!(f, "if any of {mask} back to {to}"),
            Self::Back { to } => write!(f, "back to {to}"),
        }
    }
}

/// A block, or the end of the function.
pub(super) fn place(block: Option<Block>) -> String {
    block.map_or("the end".to_owned(), |block| block.to_string())
}
