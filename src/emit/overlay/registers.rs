//! Which registers hold the running states of each operation.
//!
//! Operations of one kind that come at the same turn in their warps form a *set* and use the same registers, so that
//! their warps share code. Sets share registers where no warp needs both at once: different warps may keep different
//! things in one register, and a warp may use it again after the operation's last step.

use std::collections::BTreeMap;

use cranelift_entity::{EntityRef, SecondaryMap};

use crate::dataflow::{Graph, Op};
use crate::mapping::Mapping;
use crate::schedule::Schedule;

/// A set: last step's shape, number of states, turn.
pub type Set = (u32, u32, u32);

pub struct Registers {
    set_of: SecondaryMap<Op, Set>,
    /// By set, the numbers of its registers, one per state.
    registers: BTreeMap<Set, Vec<u32>>,
    /// How many registers there are.
    pub count: u32,
}

impl Registers {
    /// The set of an operation with states.
    pub fn set(&self, op: Op) -> Set {
        self.set_of[op]
    }

    pub fn of(&self, set: Set) -> &[u32] {
        &self.registers[&set]
    }
}

/// From an operation's first step to its last, in steps of its warp.
#[derive(Debug, Clone, Copy)]
struct Life {
    op: Op,
    warp: u32,
    first: u32,
    last: u32,
}

/// Colours the sets in the order in which they begin, each with the first registers that are free all the time.
pub fn allocate(graph: &Graph, mapping: &Mapping, schedule: &Schedule) -> Registers {
    let mut set_of = SecondaryMap::new();
    let mut sets: BTreeMap<Set, Vec<Life>> = BTreeMap::new();
    let mut turn: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
    for life in lives(graph, mapping, schedule) {
        let operation = &graph.ops[life.op];
        let (shape, states) = (operation.after.shape.index() as u32, operation.states);
        let turn = turn.entry((life.warp, shape, states)).or_default();
        set_of[life.op] = (shape, states, *turn);
        sets.entry((shape, states, *turn)).or_default().push(life);
        *turn += 1;
    }
    let mut order: Vec<(Set, Vec<Life>)> = sets.into_iter().collect();
    order.sort_by_key(|(set, lives)| (lives.iter().map(|life| life.first).min(), *set));
    // By register, the lives in it.
    let mut taken: Vec<Vec<Life>> = Vec::new();
    let mut registers = BTreeMap::new();
    for (set, lives) in order {
        let mut own = Vec::new();
        for _ in 0..set.1 {
            let free = |r: &usize| !own.contains(&(*r as u32)) && !meet(&taken[*r], &lives);
            let register = (0..taken.len()).find(free).unwrap_or_else(|| {
                taken.push(Vec::new());
                taken.len() - 1
            });
            own.push(register as u32);
        }
        for &register in &own {
            taken[register as usize].extend(&lives);
        }
        registers.insert(set, own);
    }
    Registers { set_of, registers, count: taken.len() as u32 }
}

/// The lives of all operations with states, by their first steps.
fn lives(graph: &Graph, mapping: &Mapping, schedule: &Schedule) -> Vec<Life> {
    let mut lives: Vec<Life> = Vec::new();
    let mut place: SecondaryMap<Op, Option<usize>> = SecondaryMap::new();
    for warp in 0..schedule.warps {
        let steps = schedule.phases.iter().flat_map(|phase| &phase.runs[warp as usize]);
        for (now, at) in steps.enumerate().map(|(n, at)| (n as u32, at)) {
            debug_assert_eq!(mapping.warp_of[at.op], warp, "a proven schedule runs a step in the warp it is mapped to");
            if graph.ops[at.op].states == 0 {
                continue;
            }
            match place[at.op] {
                Some(life) => lives[life].last = now,
                None => {
                    place[at.op] = Some(lives.len());
                    lives.push(Life { op: at.op, warp, first: now, last: now });
                }
            }
        }
    }
    lives
}

fn meet(taken: &[Life], lives: &[Life]) -> bool {
    let overlap = |a: &Life, b: &Life| a.warp == b.warp && a.first <= b.last && b.first <= a.last;
    lives.iter().any(|a| taken.iter().any(|b| overlap(a, b)))
}
