//! The named barriers of AMD's machines (LLVM, "AMDGPU Execution Synchronization"): what every wave does with them, as data that is proven
//! ([`proof::prove`]) before text is printed from it.
//!
//! A barrier is set up with the number of arrivals that complete it. A wave joins one named barrier at a time, which leaves the former;
//! it arrives (signals) at any, and goes on; it waits at the one that it has joined. So a use in which a warp of the schedule waits is a
//! joining, an arrival and a waiting, and one in which it goes on is an arrival. What it wrote before is released ahead of the arrival, and
//! what the others wrote is acquired behind the waiting.

pub mod proof;

use std::collections::BTreeMap;

/// A use of a barrier by a warp, as code has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub id: u32,
    /// Waves that take part.
    pub waves: u32,
    pub waits: bool,
}

/// One thing that a wave does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Makes the wave's writes visible to those that its next arrival lets go on.
    Release,
    Join(u32),
    /// Arrives, and tells how many arrivals there are.
    Signal {
        id: u32,
        waves: u32,
    },
    Wait(u32),
    /// Makes the writes of those that arrived visible to the wave.
    Acquire,
}

/// Acts of a wave for one use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub of: Use,
    pub acts: Vec<Act>,
}

/// Set-up that happens once, ahead of the streaming loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUp {
    /// The wave that does it.
    pub wave: u32,
    /// Barriers with the arrivals that their first uses expect.
    pub barriers: Vec<(u32, u32)>,
    /// Whether all waves of the workgroup meet behind it.
    pub meets: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub set_up: SetUp,
    /// Steps of each wave in one turn of the streaming loop.
    pub programs: Vec<Vec<Step>>,
}

impl Plan {
    /// For waves with these uses in one turn of the streaming loop.
    pub fn new(by_wave: &[Vec<Use>]) -> Self {
        let step = |&of: &Use| Step { of, acts: acts(of) };
        let programs = by_wave.iter().map(|program| program.iter().map(step).collect()).collect();
        Self { set_up: SetUp { wave: 0, barriers: first_counts(by_wave), meets: true }, programs }
    }

    /// Returns the acts of a wave for a use of one kind, of which all are alike; nothing where there is none.
    pub fn acts_of(&self, waits: bool) -> Option<&Step> {
        self.programs.iter().flatten().find(|step| step.of.waits == waits)
    }

    /// Returns the number of barriers of the workgroup: their ids are below.
    pub fn barriers(&self) -> u32 {
        self.set_up.barriers.iter().map(|(id, _)| id + 1).max().unwrap_or(0)
    }
}

/// Returns the arrivals of each barrier's first use in time: code may have the whole of one wave ahead of another's.
fn first_counts(by_wave: &[Vec<Use>]) -> Vec<(u32, u32)> {
    let mut first = BTreeMap::new();
    let mut left: Vec<_> = by_wave.iter().map(|program| program.iter().peekable()).collect();
    let mut waits: Vec<Option<u32>> = vec![None; by_wave.len()];
    let mut arrived: BTreeMap<u32, u32> = BTreeMap::new();
    while let Some(wave) = (0..left.len()).find(|&wave| waits[wave].is_none() && left[wave].peek().is_some()) {
        let Some(of) = left[wave].next() else { break };
        first.entry(of.id).or_insert(of.waves);
        waits[wave] = of.waits.then_some(of.id);
        let count = arrived.entry(of.id).or_default();
        *count += 1;
        if *count >= of.waves {
            *count = 0;
            waits.iter_mut().filter(|at| **at == Some(of.id)).for_each(|at| *at = None);
        }
    }
    // Where waves wait for ever, which the proof refuses, some barriers were not reached.
    for of in left.into_iter().flatten() {
        first.entry(of.id).or_insert(of.waves);
    }
    first.into_iter().collect()
}

fn acts(Use { id, waves, waits }: Use) -> Vec<Act> {
    let signal = Act::Signal { id, waves };
    if waits {
        vec![Act::Release, Act::Join(id), signal, Act::Wait(id), Act::Acquire]
    } else {
        vec![Act::Release, signal]
    }
}
