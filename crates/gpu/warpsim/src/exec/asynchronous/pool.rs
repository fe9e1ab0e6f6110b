//! The registers of a CTA, which `setmaxnreg` takes from some warps and gives to others.

use crate::mbarrier::Sleeper;

pub(super) struct Pool {
    /// Registers of a thread at the launch.
    pub first: u32,
    pub used: bool,
    /// Registers of each warp, per thread.
    held: Vec<u32>,
    /// Warps that have taken more.
    grown: u32,
    /// Registers that nobody holds.
    free: u32,
    /// Requests for more: warps and times; and the registers that they take together.
    requests: Vec<(usize, u32)>,
    taken: u32,
    /// Registers that warps give up whether or not a request is granted.
    given: u32,
    /// Each waiting warp: its sleeper, its number in the CTA, and the registers that it wants.
    waiting: Vec<(Sleeper, usize, u32)>,
    /// Instruction and time of each `setmaxnreg` of each warp.
    turns: Vec<Vec<(u32, u32)>>,
}

/// Warps of a warp group.
const GROUP: usize = 4;

/// Registers of a multiprocessor.
const ALL: u32 = 1 << 16;

/// Most registers of one thread.
const MOST: u32 = 256;

impl Pool {
    /// Makes a pool. `first`: registers of a thread at the launch, if the kernel states them; otherwise as many as let one CTA run.
    pub(super) fn new(first: Option<u32>, warps: u32) -> Self {
        let most = ALL / (32 * warps.max(1)) / 8 * 8;
        let first = first.unwrap_or(most.min(MOST));
        let (held, turns) = (vec![first; warps as usize], vec![Vec::new(); warps as usize]);
        Self {
            first,
            used: false,
            held,
            grown: 0,
            free: 0,
            requests: Vec::new(),
            taken: 0,
            given: 0,
            waiting: Vec::new(),
            turns,
        }
    }

    pub(super) fn restart(&mut self) {
        self.held.fill(self.first);
        (self.grown, self.free, self.taken, self.given) = (0, 0, 0, 0);
        self.requests.clear();
        self.waiting.clear();
        self.turns.iter_mut().for_each(Vec::clear);
    }

    /// Executes `setmaxnreg` for the warp, at a time of its own; `knows` tells whether the warp is behind another warp's time.
    /// Returns an error text if the warps of its group have not met since the last one.
    pub(super) fn turn(&mut self, warp: usize, at: (u32, u32), knows: impl Fn(usize, u32) -> bool) -> Option<String> {
        let group = warp / GROUP * GROUP..(warp / GROUP * GROUP + GROUP).min(self.turns.len());
        let before = self.turns[warp].len();
        self.turns[warp].push(at);
        let met = |other: &usize| {
            before == 0 || self.turns[*other].get(before - 1).is_some_and(|(_, time)| knows(*other, *time))
        };
        let missing = group.filter(|other| *other != warp).find(|other| !met(other))?;
        Some(format!("nothing tells that warp {missing} of the CTA has executed the setmaxnreg before"))
    }

    /// Whether the warp that knows of these warps and times executes what it does behind a request.
    pub(super) fn is_behind_request(&self, knows: impl Fn(usize, u32) -> bool) -> bool {
        self.requests.iter().any(|(warp, time)| knows(*warp, *time))
    }

    /// Returns the last `setmaxnreg` of a warp that asked for more, if the registers that are given up anyway are too few for all who ask.
    pub(super) fn contested(&self) -> Option<(usize, u32)> {
        let (warp, _) = *self.requests.last().filter(|_| self.taken > self.given)?;
        self.turns[warp].last().map(|(pc, _)| (warp, *pc))
    }

    /// Finds a warp that executed a `setmaxnreg` which another one of its group did not: the warp, the instruction, and the other one.
    pub(super) fn alone(&self) -> Option<(usize, u32, usize)> {
        let warps = 0..self.turns.len();
        let pairs = warps.clone().flat_map(|warp| warps.clone().map(move |other| (warp, other)));
        let mut pairs = pairs.filter(|(warp, other)| warp / GROUP == other / GROUP);
        pairs.find_map(|(warp, other)| {
            let others = &self.turns[other];
            let turns = self.turns[warp].iter().enumerate();
            let mut alone = turns.filter(|(at, (pc, _))| others.get(*at).is_none_or(|(theirs, _)| theirs != pc));
            alone.next().map(|(_, (pc, _))| (warp, *pc, other))
        })
    }

    /// Whether the warp now has as many registers as it wants; otherwise it waits. The error describes an invalid number. `behind`: it gives
    /// up registers behind a request for more.
    pub(super) fn set(
        &mut self,
        warp: usize,
        count: u32,
        more: bool,
        behind: bool,
        sleeper: Sleeper,
    ) -> Result<bool, String> {
        self.used = true;
        let held = self.held[warp];
        if !(24..=MOST).contains(&count) || !count.is_multiple_of(8) {
            return Err(format!("{count} registers: a multiple of 8 from 24 to 256 is wanted"));
        }
        if more && count < held || !more && count > held {
            let word = if more { "fewer" } else { "more" };
            return Err(format!("{count} registers are {word} than the {held} that a thread of the warp has"));
        }
        if !more {
            if self.grown >> warp & 1 == 1 {
                return Err("registers that a warp took are given back: who gets them first may matter".to_owned());
            }
            self.free += 32 * (held - count);
            self.given += if behind { 0 } else { 32 * (held - count) };
            self.held[warp] = count;
            return Ok(true);
        }
        self.grown |= 1 << warp;
        self.taken += 32 * (count - held);
        self.requests.extend(self.turns[warp].last().map(|(_, time)| (warp, *time)));
        if self.waiting.is_empty() && 32 * (count - held) <= self.free {
            self.free -= 32 * (count - held);
            self.held[warp] = count;
            return Ok(true);
        }
        self.waiting.push((sleeper, warp, count));
        Ok(false)
    }

    /// Returns the waiting warps that get what they want.
    pub(super) fn serve(&mut self) -> Vec<Sleeper> {
        let mut served = Vec::new();
        self.waiting.retain(|(sleeper, warp, count)| {
            let wanted = 32 * (count - self.held[*warp]);
            let enough = wanted <= self.free;
            if enough {
                self.free -= wanted;
                self.held[*warp] = *count;
                served.push(*sleeper);
            }
            !enough
        });
        served
    }

    /// Describes the registers for which the warp waits, with the instruction.
    pub(super) fn missing(&self, warp: usize) -> Option<(u32, String)> {
        let (sleeper, place, count) = self.waiting.iter().find(|(sleeper, ..)| sleeper.warp == warp)?;
        let wanted = 32 * (count - self.held[*place]);
        let first = self.first;
        Some((
            sleeper.pc,
            format!("{} of {wanted} registers are free, of {first} for each thread at the launch", self.free),
        ))
    }
}
