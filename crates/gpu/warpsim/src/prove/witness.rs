//! An interleaving that shows a violation: the accesses with their threads, the barriers passed before them, and the steps.
//!
//! The race detector knows warps and instructions, not lanes. So a kernel with violations is executed once more, with a watch
//! on the instructions that they name.

use super::known::Known;
use crate::clock::VectorClock;
use crate::decode::Code;
use crate::hazard::{Access, BarrierMisuse, Hazard, Kind, Site};
use crate::memory::Lanes;
use crate::warp::Warp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// Instructions of a violation, and an interleaving that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Witness {
    /// The instruction that showed the violation, and the other ones that it names.
    pub parts: Vec<Part>,
    /// In the order of time.
    pub steps: Vec<Step>,
}

/// An instruction that takes part in a violation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub site: Site,
    /// Lanes that access the address, one bit each; 0 where they are not known.
    pub lanes: u32,
    /// `None` if it is no access.
    pub access: Option<Access>,
    /// Barriers of the CTA that the warp has come to before, and the last one.
    pub interval: Option<Interval>,
}

/// Interval between two barriers, as one warp sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// Number of barriers before.
    pub passed: u32,
    /// The last one of them.
    pub last: Option<Site>,
}

/// One step of an interleaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub site: Site,
    pub lanes: u32,
    pub what: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The warp passes its n-th barrier.
    Passes(u32),
    Accesses(Access),
    /// As [`Accesses`](Self::Accesses), with nothing that orders it behind the access before.
    AccessesUnordered(Access),
    Arrives,
    /// It waits for ever; the text says for what.
    Waits(String),
}

/// The watch on an execution.
#[derive(Default)]
pub(super) struct Watch {
    /// Warps and instructions of the violations.
    wanted: BTreeSet<(u32, u32)>,
    /// Barriers that each warp came to: how many, and the last one.
    passed: BTreeMap<u32, (u32, u32)>,
    records: Vec<Record>,
}

/// An access that was watched.
struct Record {
    warp: u32,
    pc: u32,
    lanes: u32,
    addresses: [u64; 32],
    bytes: u32,
    time: u32,
    clock: Box<VectorClock>,
    passed: u32,
    last: Option<u32>,
}

/// A record with its place among all.
type Found<'w> = Option<(usize, &'w Record)>;

/// Records, after which the watch ends.
const MOST_RECORDS: usize = 1 << 14;

impl Watch {
    pub(super) fn new(violations: &[Hazard]) -> Self {
        let sites = violations.iter().flat_map(|hazard| hazard.site.iter().chain(earlier(&hazard.kind)));
        Self { wanted: sites.map(|site| (site.warp, site.pc)).collect(), ..Self::default() }
    }

    /// Notes that a warp came to a barrier of its CTA.
    pub(super) fn arrived(&mut self, warp: usize, pc: u32) {
        let (count, last) = self.passed.entry(warp as u32).or_default();
        (*count, *last) = (*count + 1, pc);
    }

    /// Notes an access to shared memory.
    pub(super) fn accessed(&mut self, warp: &Warp<Known>, pc: u32, lanes: &Lanes) {
        let key = (warp.thread.index as u32, pc);
        if self.records.len() >= MOST_RECORDS || !self.wanted.contains(&key) {
            return;
        }
        let (passed, last) = self.interval(key.0);
        let mut addresses = [0; 32];
        lanes.active().for_each(|lane| addresses[lane] = lanes.address(lane) & 0xffff_ffff);
        self.records.push(Record {
            warp: key.0,
            pc,
            lanes: lanes.mask,
            addresses,
            bytes: lanes.bytes,
            time: warp.thread.clock[warp.thread.index],
            clock: Box::new(*warp.thread.clock_of(lanes.mask)),
            passed,
            last,
        });
    }

    fn interval(&self, warp: u32) -> (u32, Option<u32>) {
        self.passed.get(&warp).map_or((0, None), |(count, last)| (*count, Some(*last)))
    }

    /// Returns the witness of a violation.
    pub(super) fn witness(&self, code: &Code, hazard: &Hazard) -> Witness {
        match &hazard.kind {
            Kind::Race { address, access, earlier, earlier_site } => {
                let Some(site) = &hazard.site else { return Witness::default() };
                let [now, before] = self.pair(code, *address, site, earlier_site);
                let now = self.part(code, site, now, (*address, *access));
                race(now, self.part(code, earlier_site, before, (*address, *earlier)))
            }
            Kind::LaneRace { address, access, lane, earlier, earlier_lane, earlier_site } => {
                let Some(site) = &hazard.site else { return Witness::default() };
                let record = self.touching(code, *address, site).next_back();
                let mut now = self.part(code, site, record, (*address, *access));
                let record = self.touching(code, *address, earlier_site).next_back();
                let mut before = self.part(code, earlier_site, record, (*address, *earlier));
                (now.lanes, before.lanes) = (1 << (lane & 31), 1 << (earlier_lane & 31));
                race(now, before)
            }
            Kind::Deadlock { waits, asleep, .. } => {
                let at = waits.iter().map(|wait| {
                    let text = format!("barrier {}, {} of {} threads came", wait.barrier, wait.arrived, wait.expected);
                    (&wait.site, text)
                });
                let asleep = asleep.iter().map(|(site, missing)| (site, missing.clone()));
                // the wait itself is the last arrival
                self.waiting(at.map(|at| (at, 1)).chain(asleep.map(|at| (at, 0))))
            }
            Kind::Stuck { waits } => self.waiting(waits.iter().map(|wait| {
                let missing = wait.named & !wait.lanes;
                ((&wait.site, format!("its lanes {:#010x} for lanes {missing:#010x}", wait.lanes)), 0)
            })),
            kind => {
                let site = hazard.site.iter().chain(earlier(kind));
                let parts: Vec<Part> = site.map(|site| self.plain(code, site, kind)).collect();
                let is_barrier = matches!(
                    kind,
                    Kind::Barrier {
                        misuse: BarrierMisuse::Twice | BarrierMisuse::Recycled { .. } | BarrierMisuse::Mismatch { .. },
                        ..
                    }
                );
                let steps = parts.iter().filter(|_| is_barrier).flat_map(|part| {
                    let own = Step { site: part.site.clone(), lanes: 0, what: Action::Arrives };
                    passes(part).into_iter().chain([own])
                });
                Witness { steps: steps.collect(), parts }
            }
        }
    }

    /// Returns the accesses to the address by an instruction of a warp.
    fn touching<'w>(
        &'w self,
        code: &'w Code,
        address: u64,
        site: &'w Site,
    ) -> impl DoubleEndedIterator<Item = (usize, &'w Record)> {
        let is_own = move |record: &Record| (record.warp, record.pc) == (site.warp, site.pc);
        let all = self.records.iter().enumerate();
        all.filter(move |(_, record)| is_own(record) && record.lanes_at(code, address) != 0)
    }

    /// Returns the first access to the address that an earlier one is not ordered before, and that one.
    fn pair<'w>(&'w self, code: &'w Code, address: u64, site: &'w Site, other: &'w Site) -> [Found<'w>; 2] {
        for (at, now) in self.touching(code, address, site) {
            let slot = other.warp as usize;
            let unordered = |(earlier, record): &(usize, &Record)| *earlier < at && record.time > now.clock[slot];
            if let Some(before) = self.touching(code, address, other).rfind(unordered) {
                return [Some((at, now)), Some(before)];
            }
        }
        [None, None]
    }

    fn part(&self, code: &Code, site: &Site, record: Found, (address, access): (u64, Access)) -> Part {
        let interval = record.map(|(_, record)| Interval {
            passed: record.passed,
            last: record.last.map(|pc| code.site(record.warp, pc)),
        });
        let lanes = record.map_or(0, |(_, record)| record.lanes_at(code, address));
        Part { site: site.clone(), lanes, access: Some(access), interval }
    }

    /// Returns an instruction with what the watch knows at the end.
    fn plain(&self, code: &Code, site: &Site, kind: &Kind) -> Part {
        let lanes = match kind {
            Kind::OutOfBounds { lane, .. } | Kind::Misaligned { lane, .. } => 1 << (lane & 31),
            Kind::InactiveLane { lane, .. } | Kind::AbsentLane { lane, .. } | Kind::UnnamedLane { lane, .. } => {
                1 << (lane & 31)
            }
            _ => 0,
        };
        let record = self.records.iter().rfind(|record| (record.warp, record.pc) == (site.warp, site.pc));
        let (passed, last) = record.map_or_else(|| self.interval(site.warp), |record| (record.passed, record.last));
        let last = last.map(|pc| code.site(site.warp, pc));
        Part { site: site.clone(), lanes, access: None, interval: Some(Interval { passed, last }) }
    }

    /// Returns the witness of a deadlock; each wait has the number of barriers that it counts itself.
    fn waiting<'s>(&self, waits: impl Iterator<Item = ((&'s Site, String), u32)>) -> Witness {
        let mut witness = Witness::default();
        for ((site, text), own) in waits {
            let (passed, _) = self.interval(site.warp);
            let passed = passed.saturating_sub(own);
            let interval = Interval { passed, last: None };
            let part = Part { site: site.clone(), lanes: 0, access: None, interval: Some(interval) };
            witness.steps.push(Step { site: site.clone(), lanes: 0, what: Action::Waits(text) });
            witness.parts.push(part);
        }
        witness
    }
}

impl Record {
    /// Returns the lanes that access the place.
    fn lanes_at(&self, code: &Code, address: u64) -> u32 {
        let lanes = (0..32).filter(|lane| self.lanes >> lane & 1 == 1);
        let covers = |lane: &u32| {
            let own = code.named(self.addresses[*lane as usize]);
            own < address + u64::from(code.shared_cell()) && address < own + u64::from(self.bytes)
        };
        lanes.filter(covers).fold(0, |all, lane| all | 1 << lane)
    }
}

/// Returns the site of the other instruction that a violation names.
fn earlier(kind: &Kind) -> Option<&Site> {
    match kind {
        Kind::Race { earlier_site, .. } | Kind::LaneRace { earlier_site, .. } | Kind::Unfenced { earlier_site, .. } => {
            Some(earlier_site)
        }
        _ => None,
    }
}

/// Returns the barriers in front of a part as a step.
fn passes(part: &Part) -> Option<Step> {
    let Interval { passed, last } = part.interval.as_ref()?;
    let site = last.clone()?;
    Some(Step { site, lanes: 0, what: Action::Passes(*passed) })
}

/// Returns the interleaving of a race: both pass their last barriers, and nothing orders what follows.
fn race(now: Part, before: Part) -> Witness {
    let mut steps: Vec<Step> = passes(&before).into_iter().collect();
    steps.extend(passes(&now).filter(|step| !steps.contains(step)));
    let access = |part: &Part| part.access.unwrap_or(Access::Read);
    steps.push(Step { site: before.site.clone(), lanes: before.lanes, what: Action::Accesses(access(&before)) });
    steps.push(Step { site: now.site.clone(), lanes: now.lanes, what: Action::AccessesUnordered(access(&now)) });
    Witness { parts: vec![now, before], steps }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let who = Who { warp: self.site.warp, lanes: self.lanes };
        match &self.what {
            Action::Passes(1) => write!(f, "{who} passes its first barrier"),
            Action::Passes(n) => write!(f, "{who} passes its barrier number {n}"),
            Action::Accesses(Access::Read) => write!(f, "{who} reads"),
            Action::Accesses(Access::Write) => write!(f, "{who} writes"),
            Action::AccessesUnordered(Access::Read) => {
                write!(f, "{who} reads, before or after: nothing orders the two")
            }
            Action::AccessesUnordered(Access::Write) => {
                write!(f, "{who} writes, before or after: nothing orders the two")
            }
            Action::Arrives => write!(f, "{who} comes to the barrier"),
            Action::Waits(what) => write!(f, "{who} waits for ever: {what}"),
        }
    }
}

/// Threads of one warp, for readers.
pub struct Who {
    pub warp: u32,
    pub lanes: u32,
}

impl Display for Who {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { warp, lanes } = *self;
        match lanes.count_ones() {
            0 => write!(f, "warp {warp}"),
            1 => write!(f, "warp {warp} lane {}", lanes.trailing_zeros()),
            _ => {
                write!(f, "warp {warp} lanes ")?;
                let (mut rest, mut comma) = (u64::from(lanes), "");
                while rest != 0 {
                    let first = rest.trailing_zeros();
                    let length = (rest >> first).trailing_ones();
                    write!(f, "{comma}{first}")?;
                    if length > 1 {
                        write!(f, "-{}", first + length - 1)?;
                    }
                    rest &= !(((1u64 << length) - 1) << first);
                    comma = ",";
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_told_in_ranges() {
        for (lanes, text) in
            [(0, "warp 2"), (1, "warp 2 lane 0"), (u32::MAX, "warp 2 lanes 0-31"), (0b1011, "warp 2 lanes 0-1,3")]
        {
            assert_eq!(Who { warp: 2, lanes }.to_string(), text);
        }
    }
}
