//! Registers that hold the running states of each operation.
//!
//! Within a warp, operations share registers where they do not run at once: as many are used as the fullest warp needs at
//! one time. Operations of one kind that begin together in several warps get the same registers if these are free in all
//! of them, so that the warps share code; different warps may keep different things in one register.

use std::collections::BTreeMap;

use cranelift_entity::{EntityRef, SecondaryMap};

use super::phases::Phase;
use graph::{Graph, Op};
use schedule::WarpMask;

pub struct Registers {
    of: SecondaryMap<Op, Vec<u32>>,
    /// Number of registers.
    pub count: u32,
    /// Registers that each warp uses, and how long.
    held: Vec<Vec<(u32, Life)>>,
}

impl Registers {
    /// The registers of an operation, one per state.
    pub fn for_op(&self, op: Op) -> &[u32] {
        &self.of[op]
    }

    /// The registers that some of these warps begin to use in a phase in which none of them held anything there before.
    pub fn entered(&self, phase: u32, warps: WarpMask) -> Vec<u32> {
        let mut begun = vec![false; self.count as usize];
        let mut busy = vec![false; self.count as usize];
        for (_, held) in self.held.iter().enumerate().filter(|(warp, _)| warps >> warp & 1 == 1) {
            for (register, life) in held {
                busy[*register as usize] |= life.phase < phase && phase <= life.last_phase;
                begun[*register as usize] |= life.phase == phase;
            }
        }
        (0..self.count).filter(|&r| begun[r as usize] && !busy[r as usize]).collect()
    }
}

/// From an operation's first step to its last, in steps of its warp.
#[derive(Debug, Clone, Copy)]
struct Life {
    op: Op,
    warp: usize,
    phase: u32,
    last_phase: u32,
    first: u32,
    last: u32,
}

/// Operations that begin in one phase, one per warp at most: phase, shape of the epilogue, states, turn in the warp.
type Start = (u32, u32, u32, u32);

pub fn allocate(graph: &Graph, warps: u32, phases: &[Phase]) -> Registers {
    let mut turns: BTreeMap<(usize, u32, u32, u32), u32> = BTreeMap::new();
    let mut starts: BTreeMap<Start, Vec<Life>> = BTreeMap::new();
    let lives = lives(graph, warps, phases);
    for life in &lives {
        let operation = &graph.ops[life.op];
        let (shape, states) = (operation.epilogue.shape.index() as u32, operation.states);
        let turn = turns.entry((life.warp, life.phase, shape, states)).or_default();
        starts.entry((life.phase, shape, states, *turn)).or_default().push(*life);
        *turn += 1;
    }
    let mut order: Vec<(Start, Vec<Life>)> = starts.into_iter().collect();
    order.sort_by_key(|(start, lives)| (start.0, lives.iter().map(|life| life.first).min(), *start));
    let mut file = File {
        count: most_at_once(graph, warps, &lives),
        taken: vec![Vec::new(); warps as usize],
        of: SecondaryMap::new(),
    };
    for ((_, _, states, _), lives) in order {
        if !file.place(&lives, states) {
            for life in lives {
                while !file.place(&[life], states) {
                    file.count += 1;
                }
            }
        }
    }
    Registers { of: file.of, count: file.count, held: file.taken }
}

/// Registers while they are given away.
struct File {
    count: u32,
    /// Registers that each warp uses, and how long.
    taken: Vec<Vec<(u32, Life)>>,
    of: SecondaryMap<Op, Vec<u32>>,
}

impl File {
    /// Gives the first registers that are free for all the lives; false if there are not as many.
    fn place(&mut self, lives: &[Life], states: u32) -> bool {
        let overlap = |a: &Life, b: &Life| a.first <= b.last && b.first <= a.last;
        let busy = |r: u32| {
            lives
                .iter()
                .any(|life| self.taken[life.warp].iter().any(|(other, held)| *other == r && overlap(held, life)))
        };
        let own: Vec<u32> = (0..self.count).filter(|&r| !busy(r)).take(states as usize).collect();
        if own.len() < states as usize {
            return false;
        }
        for life in lives {
            self.taken[life.warp].extend(own.iter().map(|&r| (r, *life)));
            self.of[life.op].clone_from(&own);
        }
        true
    }
}

/// The lives of all operations with states, warp by warp in the order of their prologues.
fn lives(graph: &Graph, warps: u32, phases: &[Phase]) -> Vec<Life> {
    let mut lives: Vec<Life> = Vec::new();
    let mut place: SecondaryMap<Op, Option<usize>> = SecondaryMap::new();
    for warp in 0..warps as usize {
        let phases = phases.iter().zip(0u32..);
        let steps = phases.flat_map(|(phase, number)| phase.runs[warp].iter().map(move |&at| (number, at)));
        for (now, (phase, at)) in (0u32..).zip(steps) {
            match place[at.op] {
                Some(life) => (lives[life].last, lives[life].last_phase) = (now, phase),
                None if graph.ops[at.op].states > 0 => {
                    place[at.op] = Some(lives.len());
                    lives.push(Life { op: at.op, warp, phase, last_phase: phase, first: now, last: now });
                }
                None => {}
            }
        }
    }
    lives
}

/// The most states that one warp holds at one time.
fn most_at_once(graph: &Graph, warps: u32, lives: &[Life]) -> u32 {
    let mut changes: Vec<(usize, u32, i64)> = Vec::new();
    for life in lives {
        let states = i64::from(graph.ops[life.op].states);
        changes.extend([(life.warp, life.first, states), (life.warp, life.last + 1, -states)]);
    }
    changes.sort_unstable();
    let mut held = vec![0i64; warps as usize];
    let mut most = 0;
    for (warp, _, change) in changes {
        held[warp] += change;
        most = most.max(held[warp]);
    }
    most as u32
}
