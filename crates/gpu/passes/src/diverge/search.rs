//! Goes through versions of a kernel in search of the cheapest.

use super::super::meld::{self, Place};
use super::super::outcome::{Failure, unproven, with_func};
use super::room::Room;
use super::{Given, Plan, Step};
use crate::predicate;
use ptx::cost::{Model, Unfit};
use ptx::ir::{Block, Module};
use std::collections::{BTreeMap, BTreeSet};

/// Versions after which the search ends.
const MOST_VERSIONS: usize = 300;

/// Version that was chosen, with its plan and its cost.
#[derive(Debug, Clone)]
pub struct Choice {
    pub module: Module,
    pub plan: Plan,
    /// The cost of the kernel as it was, and of the version that was chosen; the same where nothing is cheaper.
    pub before: u64,
    pub after: u64,
    /// Versions whose cost was asked.
    pub versions: usize,
}

/// The cheapest version that was found; the module as it was where no version costs less.
///
/// # Errors
/// The kernel as it is has no cost; a version does something else.
pub fn choose(module: &Module, kernel: &str, given: &Given, model: &dyn Model) -> Result<Choice, Failure> {
    let before = model.cycles(module, kernel).map_err(|unfit| Failure::Refused(vec![unfit.of_first(kernel)]))?;
    let room = Room::new(module, kernel, given, model);
    let agreeing = model.cycles_of_agreement(module, kernel);
    let mut search = Search { kernel, given, model, room, agreeing, known: BTreeMap::new() };
    search.known.insert(module.to_string(), Some(before));
    let mut best = Version { module: module.clone(), steps: Vec::new(), cycles: before };
    // a cheaper version may allow more
    while search.known.len() < MOST_VERSIONS {
        let Some(better) = search.improved(&best)? else { break };
        best = better;
    }
    let plan = Plan { steps: best.steps };
    confirm(module, kernel, given, model, &plan, &best.module, best.cycles)?;
    Ok(Choice { module: best.module, plan, before, after: best.cycles, versions: search.known.len() })
}

/// The plan gives this version, and the version this cost.
fn confirm(
    module: &Module,
    kernel: &str,
    given: &Given,
    model: &dyn Model,
    plan: &Plan,
    version: &Module,
    cycles: u64,
) -> Result<(), Failure> {
    let again = plan.apply(module, kernel, given)?;
    let fault = match model.cycles(&again, kernel) {
        _ if again != *version => "the plan gives another version than the one that was chosen".to_owned(),
        Ok(found) if found == cycles => return Ok(()),
        Ok(found) => format!("it takes {found} cycles, not {cycles}"),
        Err(Unfit::Refused(reason) | Unfit::Wrong(reason)) => reason,
    };
    Err(Failure::Unproven(vec![unproven("diverge=auto", kernel, &fault)]))
}

struct Search<'a> {
    kernel: &'a str,
    given: &'a Given,
    model: &'a dyn Model,
    /// Room on the SM that a version must leave.
    room: Room<'a>,
    /// Estimated cost of the kernel where lanes agree, which no version may exceed.
    agreeing: Option<[u64; 2]>,
    /// Costs of texts; `None` for texts that cannot be run.
    known: BTreeMap<String, Option<u64>>,
}

#[derive(Clone)]
struct Version {
    module: Module,
    steps: Vec<Step>,
    cycles: u64,
}

impl Search<'_> {
    /// A cheaper version than this one.
    fn improved(&mut self, from: &Version) -> Result<Option<Version>, Failure> {
        let mut found = from.clone();
        let mut bases = vec![from.clone()];
        for careful in [true, false] {
            bases.extend(self.melded(from, careful)?);
        }
        for base in bases {
            let masked = self.masked(&base)?;
            for version in [Some(base), masked].into_iter().flatten() {
                if version.cycles < found.cycles {
                    found = version;
                }
            }
        }
        Ok((found.cycles < from.cycles).then_some(found))
    }

    /// After melds: those that lower the cost, or all that lower the estimate.
    fn melded(&mut self, from: &Version, careful: bool) -> Result<Option<Version>, Failure> {
        let index = self.index(&from.module)?;
        let mut work = meld::tidy_to_meld(from.module.funcs[index].clone(), &self.given.melding());
        let (mut places, mut cycles): (Vec<Place>, u64) = (Vec::new(), from.cycles);
        let mut estimate = work.estimate();
        let mut fault = None;
        let mut asked: BTreeSet<Place> = BTreeSet::new();
        for _ in 0..meld::most_rounds(&work.func) {
            let mut taken = None;
            let made = meld::first(&work, &self.given.melding(), |place, next| {
                let accepted = match careful {
                    true if !asked.insert(place) => false,
                    true => {
                        let cost = self.cost(&with_func(&from.module, index, next.func.clone()));
                        let cost = cost.unwrap_or_else(|failure| {
                            fault = Some(failure);
                            None
                        });
                        let lower = cost.filter(|cost| *cost < cycles);
                        cycles = lower.unwrap_or(cycles);
                        lower.is_some()
                    }
                    false => next.estimate() < estimate,
                };
                taken = accepted.then_some(place);
                accepted
            });
            if let Some(fault) = fault {
                return Err(fault);
            }
            let Some(((next, _), place)) = made.zip(taken) else { break };
            work = next;
            estimate = work.estimate();
            places.push(place);
        }
        if places.is_empty() {
            return Ok(None);
        }
        let module = with_func(&from.module, index, work.func);
        let cycles = self.cost(&module)?;
        let steps = from.steps.iter().cloned().chain([Step::Meld(places)]).collect();
        Ok(cycles.map(|cycles| Version { module, steps, cycles }))
    }

    /// With masks for the branches that are cheaper so; nothing where none is.
    fn masked(&mut self, from: &Version) -> Result<Option<Version>, Failure> {
        let index = self.index(&from.module)?;
        let divergent = predicate::divergent_branches(&from.module, &from.module.funcs[index], self.given.shape());
        let all: BTreeSet<Block> = divergent.iter().copied().collect();
        let none = (from.cycles, Masks::default());
        let mut best = none.clone();
        for tested in [BTreeSet::new(), all.clone()] {
            self.consider(from, Masks { branches: all.clone(), tested }, &mut best)?;
        }
        for start in [none, best.clone()] {
            let mut own = start;
            for branch in &divergent {
                for masks in own.1.clone().variants(*branch) {
                    self.consider(from, masks, &mut own)?;
                }
            }
            if own.0 < best.0 {
                best = own;
            }
        }
        let (cycles, Masks { branches, tested }) = best;
        if branches.is_empty() {
            return Ok(None);
        }
        let step = Step::Predicate { branches, tested };
        let module = step.apply(&from.module, self.kernel, self.given)?;
        let steps = from.steps.iter().cloned().chain([step]).collect();
        Ok(Some(Version { module, steps, cycles }))
    }

    /// Takes the masks where they cost less.
    fn consider(&mut self, from: &Version, masks: Masks, best: &mut (u64, Masks)) -> Result<(), Failure> {
        if masks.branches.is_empty() || self.known.len() >= MOST_VERSIONS {
            return Ok(());
        }
        let step = Step::Predicate { branches: masks.branches.clone(), tested: masks.tested.clone() };
        let cost = self.cost(&step.apply(&from.module, self.kernel, self.given)?)?;
        if let Some(cycles) = cost.filter(|cycles| *cycles < best.0) {
            *best = (cycles, masks);
        }
        Ok(())
    }

    /// The cost of a version; none where it cannot be run, or where enough have been asked.
    fn cost(&mut self, module: &Module) -> Result<Option<u64>, Failure> {
        let text = module.to_string();
        if let Some(known) = self.known.get(&text) {
            return Ok(*known);
        }
        if self.known.len() >= MOST_VERSIONS {
            return Ok(None);
        }
        let agreeing = || self.model.cycles_of_agreement(module, self.kernel).zip(self.agreeing);
        let worse =
            || agreeing().is_some_and(|(now, before)| now.iter().zip(&before).any(|(now, before)| now > before));
        let cost = match self.model.cycles(module, self.kernel) {
            Ok(_) if worse() || !self.room.has(module) => None,
            Ok(cycles) => Some(cycles),
            Err(Unfit::Refused(_)) => None,
            Err(Unfit::Wrong(reason)) => {
                return Err(Failure::Unproven(vec![unproven("diverge=auto", self.kernel, &reason)]));
            }
        };
        self.known.insert(text, cost);
        Ok(cost)
    }

    fn index(&self, module: &Module) -> Result<usize, Failure> {
        let found = module.funcs.iter().position(|func| func.name == self.kernel);
        found.ok_or_else(|| Failure::Unproven(vec![unproven("diverge=auto", self.kernel, &"the kernel is gone")]))
    }
}

/// Branches that become masks, and those of them whose sides are tested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Masks {
    branches: BTreeSet<Block>,
    tested: BTreeSet<Block>,
}

impl Masks {
    /// The other things that can become of one branch.
    fn variants(self, branch: Block) -> impl Iterator<Item = Self> {
        let now = (self.branches.contains(&branch), self.tested.contains(&branch));
        let others = [(false, false), (true, false), (true, true)].into_iter().filter(move |state| *state != now);
        others.map(move |(masked, tested)| {
            let mut masks = self.clone();
            for (set, member) in [(&mut masks.branches, masked), (&mut masks.tested, tested)] {
                if member {
                    set.insert(branch)
                } else {
                    set.remove(&branch)
                };
            }
            masks
        })
    }
}
