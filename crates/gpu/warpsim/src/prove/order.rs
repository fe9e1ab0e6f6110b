//! The order of the accesses to shared memory of one warp's lanes.
//!
//! Up to sm_62 the lanes of a warp run in lockstep. From sm_70 on they need not (CUDA C++ Programming Guide, "Independent
//! Thread Scheduling"): an access is behind that of another lane only when a barrier of the CTA or a `bar.warp.sync` of both
//! lanes is between. Shuffles, votes and arrivals order nothing.
//!
//! Each lane has a clock of the others: accesses carry the number of their step, a step ends with every `bar.warp.sync`, and a
//! lane knows up to which step it is behind each other lane.

use crate::arrived::Arrived;
use crate::clock::WARPS;
use crate::domain::Touch;
use crate::exec::PERHAPS;
use crate::memory::Lanes;
use std::ops::Range;

/// Accesses of a cell by lanes of one warp in one step.
#[derive(Clone, Copy)]
struct Touched {
    lanes: u32,
    step: u32,
    /// Time by the warp's own clock.
    time: u32,
    /// The instruction at run time, whose lanes do not race with each other here.
    instance: u32,
    pc: u32,
    touch: Touch,
    /// Bytes that each lane accesses.
    bytes: u32,
}

/// The accesses of a cell by each warp since all of its lanes were ordered.
#[derive(Clone, Default)]
struct Cell(Vec<Touches>);

#[derive(Clone)]
struct Touches {
    warp: usize,
    epoch: u32,
    touched: Vec<Touched>,
}

impl Cell {
    /// Returns the accesses of the warp since that time.
    fn of(&self, warp: usize, epoch: u32) -> impl Iterator<Item = &Touched> {
        let own = self.0.iter().find(|own| own.warp == warp && own.epoch == epoch);
        own.into_iter().flat_map(|own| &own.touched)
    }

    /// Prepares to note an access of the warp, and forgets what nobody can race with any more: lanes that are behind a write of another
    /// warp are behind all before it.
    fn prepare(&mut self, warp: usize, warps: &[Clocks], writes: bool) -> &mut Vec<Touched> {
        let at = self.0.iter().position(|own| own.warp == warp);
        if at.is_none() || writes && self.0.len() > 1 {
            self.0.retain(|own| own.warp == warp || !writes && own.epoch == warps[own.warp].epoch);
        }
        let at = self.0.iter().position(|own| own.warp == warp).unwrap_or_else(|| {
            self.0.push(Touches { warp, epoch: warps[warp].epoch, touched: Vec::new() });
            self.0.len() - 1
        });
        let own = &mut self.0[at];
        if own.epoch != warps[warp].epoch {
            own.touched.clear();
            own.epoch = warps[warp].epoch;
        }
        &mut own.touched
    }
}

#[derive(Clone)]
struct Clocks {
    /// Number of times that all lanes were ordered.
    epoch: u32,
    /// Number of times that some lanes were ordered since.
    step: u32,
    /// `behind[a][b]`: lane a is behind all accesses of lane b before this step.
    behind: [[u32; 32]; 32],
    /// `told[a][b]`: lane a is behind all accesses of lane b before this time, of which other warps told it.
    told: Box<[[u32; 32]; 32]>,
}

impl Clocks {
    /// Whether nothing orders an access of lane b in front of one of lane a.
    fn are_unordered(&self, a: usize, b: usize, old: &Touched) -> bool {
        a != b && self.behind[a][b] <= old.step && self.told[a][b] <= old.time
    }
}

pub(super) struct Order {
    /// Bytes of a cell.
    cell: u32,
    cells: Vec<Cell>,
    warps: Vec<Clocks>,
    instances: u32,
}

/// Steps and times that each lane of a warp is behind, of each other lane.
#[derive(Clone)]
pub(super) struct Behind([Box<[[u32; 32]; 32]>; 2]);

impl Behind {
    /// Leaves what both are behind.
    pub(super) fn meet(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            let pairs = own.as_flattened_mut().iter_mut().zip(other.as_flattened());
            pairs.for_each(|(own, other)| *own = (*own).min(*other));
        }
    }
}

/// Two lanes that access one cell without an order.
pub(super) struct Conflict {
    pub address: u64,
    pub lane: u32,
    pub earlier_lane: u32,
    pub earlier: Touch,
    pub pc: u32,
}

impl Order {
    /// Makes the order for this many bytes of shared memory in cells of `cell` bytes.
    pub(super) fn new(bytes: u64, cell: u32) -> Self {
        let clocks = Clocks { epoch: 1, step: 0, behind: [[0; 32]; 32], told: Box::new([[0; 32]; 32]) };
        let cells = vec![Cell::default(); bytes.div_ceil(cell.into()) as usize];
        Self { cell, cells, warps: vec![clocks; WARPS], instances: 0 }
    }

    /// Begins a CTA, behind all accesses of the CTAs before.
    pub(super) fn begin(&mut self) {
        (0..self.warps.len()).for_each(|warp| self.order(warp, u32::MAX, u32::MAX, false));
    }

    /// Orders the lanes of the mask, of those of `live`; with `perhaps` an order that may not be, and that will be taken back.
    pub(super) fn order(&mut self, warp: usize, mask: u32, live: u32, perhaps: bool) {
        let clocks = &mut self.warps[warp];
        if live & !mask == 0 && !perhaps {
            clocks.epoch += 1;
            if clocks.step != 0 {
                (clocks.step, clocks.behind) = (0, [[0; 32]; 32]);
            }
            return;
        }
        clocks.step += 1;
        let (mut all, mut told) = ([0; 32], [0; 32]);
        for lane in lanes_of(mask) {
            (0..32).for_each(|other| all[other] = clocks.behind[lane][other].max(all[other]));
            (0..32).for_each(|other| told[other] = clocks.told[lane][other].max(told[other]));
        }
        lanes_of(mask).for_each(|lane| all[lane] = clocks.step);
        lanes_of(mask).for_each(|lane| (clocks.behind[lane], clocks.told[lane]) = (all, told));
    }

    /// Orders the lanes behind what other warps know of their warp: the accesses of all lanes up to a time, and those of some up to another one.
    pub(super) fn tell(&mut self, warp: usize, lanes: u32, until: u32, (of, part): (u32, u32)) {
        let clocks = &mut self.warps[warp];
        for (lane, other) in lanes_of(lanes).flat_map(|lane| (0..32).map(move |other| (lane, other))) {
            let time = if of >> other & 1 == 1 { until.max(part) } else { until };
            clocks.told[lane][other] = clocks.told[lane][other].max(time + 1);
        }
    }

    /// Ends a step; returns its end, for [`order_behind`](Self::order_behind).
    pub(super) fn mark(&mut self, warp: usize) -> u64 {
        let clocks = &mut self.warps[warp];
        clocks.step += 1;
        u64::from(clocks.epoch) << 32 | u64::from(clocks.step)
    }

    /// Orders the lanes behind what each lane that has arrived did before.
    pub(super) fn order_behind(&mut self, warp: usize, lanes: u32, arrived: &Arrived) {
        let clocks = &mut self.warps[warp];
        // marks of an earlier epoch are those of accesses that all lanes are behind
        let recent = |other: &usize| arrived.marks[*other] >> 32 == u64::from(clocks.epoch);
        for other in lanes_of(arrived.lanes).filter(recent) {
            let step = arrived.marks[other] as u32;
            lanes_of(lanes).for_each(|lane| clocks.behind[lane][other] = clocks.behind[lane][other].max(step));
        }
    }

    /// Forgets what this instruction of the warp wrote there: all lanes are behind it.
    pub(super) fn forget(&mut self, warp: usize, lanes: &Lanes, pc: u32) {
        for at in self.range(lanes, 0) {
            let own = self.cells.get_mut(at).and_then(|cell| cell.0.iter_mut().find(|own| own.warp == warp));
            own.into_iter().for_each(|own| own.touched.retain(|touched| touched.pc != pc));
        }
    }

    /// Returns the steps that the lanes of the warp are behind.
    pub(super) fn behind(&self, warp: usize) -> Behind {
        let Clocks { behind, told, .. } = &self.warps[warp];
        Behind([Box::new(*behind), told.clone()])
    }

    /// Takes back what the lanes were ordered behind since, at least.
    pub(super) fn restore(&mut self, warp: usize, Behind([behind, told]): &Behind) {
        (self.warps[warp].behind, *self.warps[warp].told) = (**behind, **told);
    }

    /// Records an access of the lanes to shared memory; returns the first conflict with an earlier access of another lane of the warp.
    pub(super) fn access(
        &mut self,
        (warp, time): (usize, u32),
        lanes: &Lanes,
        touch: Touch,
        pc: u32,
    ) -> Option<Conflict> {
        self.instances += 1;
        let instance = self.instances;
        let clocks = &self.warps[warp];
        let races = |old: &&Touched| old.instance != instance && clash((old.touch, old.bytes), (touch, lanes.bytes));
        let touched = |lane: usize| {
            // accesses out of bounds were reported
            self.range(lanes, lane).filter_map(|at| Some((at, self.cells.get(at)?)))
        };
        // lanes that access one place are looked at and noted together
        let together = lanes.uniform().is_some();
        let is_quiet = together && !touched(0).any(|(_, cell)| cell.of(warp, clocks.epoch).any(|old| races(&old)));
        let conflict = lanes.active().take(if is_quiet { 0 } else { 32 }).find_map(|lane| {
            touched(lane).find_map(|(at, cell)| {
                let (old, other) = cell.of(warp, clocks.epoch).filter(races).find_map(|old| {
                    let unordered = |other: &usize| clocks.are_unordered(lane, *other, old);
                    Some((old, lanes_of(old.lanes).find(unordered)?))
                })?;
                let address = at as u64 * u64::from(self.cell);
                let (lane, earlier_lane) = (lane as u32, other as u32);
                Some(Conflict { address, lane, earlier_lane, earlier: old.touch, pc: old.pc })
            })
        });
        for lane in lanes.active().take(if together { 1 } else { 32 }) {
            let who = if together { lanes.mask } else { 1 << lane };
            for at in self.range(lanes, lane) {
                let Some(cell) = self.cells.get_mut(at) else { continue };
                let new = Touched { lanes: who, step: clocks.step, time, instance, pc, touch, bytes: lanes.bytes };
                note(cell.prepare(warp, &self.warps, replaces(touch, pc)), new, &clocks.behind);
            }
        }
        conflict
    }

    /// As [`access`](Self::access), for lanes that touch some places in a range of bytes. They do not race with each other here.
    pub(super) fn somewhere(
        &mut self,
        (warp, time): (usize, u32),
        bytes: Range<u64>,
        lanes: u32,
        (touch, size): (Touch, u32),
        pc: u32,
    ) -> Option<Conflict> {
        self.instances += 1;
        let (instance, clocks) = (self.instances, &self.warps[warp]);
        let cell_bytes = u64::from(self.cell);
        let first = (bytes.start / cell_bytes) as usize;
        let last = (bytes.end.div_ceil(cell_bytes) as usize).min(self.cells.len());
        let mut conflict = None;
        for (at, cell) in self.cells.iter_mut().enumerate().take(last).skip(first) {
            let touched = cell.prepare(warp, &self.warps, false);
            for old in touched.iter().filter(|old| clash((old.touch, old.bytes), (touch, size))) {
                if conflict.is_some() {
                    break;
                }
                let pairs = lanes_of(old.lanes).flat_map(|other| lanes_of(lanes).map(move |lane| (lane, other)));
                let mut unordered = pairs.filter(|(a, b)| clocks.are_unordered(*a, *b, old));
                conflict = unordered.next().map(|(lane, other)| Conflict {
                    address: at as u64 * cell_bytes,
                    lane: lane as u32,
                    earlier_lane: other as u32,
                    earlier: old.touch,
                    pc: old.pc,
                });
            }
            let new = Touched { lanes, step: clocks.step, time, instance, pc, touch, bytes: size };
            match touched.iter_mut().find(|old| is_alike(old, &new) && old.step == new.step) {
                Some(old) => *old = Touched { lanes: old.lanes | lanes, ..new },
                None => touched.push(new),
            }
        }
        conflict
    }

    /// Returns the cells that a lane accesses.
    fn range(&self, lanes: &Lanes, lane: usize) -> std::ops::Range<usize> {
        let first = ((lanes.address(lane) & 0xffff_ffff) / u64::from(self.cell)) as usize;
        first..first + (lanes.bytes / self.cell).max(1) as usize
    }
}

/// Adds an access of some lanes. It replaces earlier ones that these are behind and that race with no more than it does.
fn note(touched: &mut Vec<Touched>, new: Touched, behind: &[[u32; 32]; 32]) {
    let is_same = |old: &Touched| is_alike(old, &new) && old.step == new.step;
    let others = |old: &&mut Touched| !is_same(old) && (is_alike(old, &new) || new.touch == Touch::Write);
    for old in touched.iter_mut().filter(others) {
        let is_behind = |lane: usize| lanes_of(new.lanes).any(|own| behind[own][lane] > old.step);
        // no lane is behind what belongs to the present step, and what may not happen covers nothing
        let covered = if old.step == new.step || new.pc & PERHAPS != 0 {
            0
        } else {
            lanes_of(old.lanes).filter(|lane| is_behind(*lane)).fold(0, |all, lane| all | 1 << lane)
        };
        old.lanes &= !(new.lanes | covered);
    }
    touched.retain(|old| old.lanes != 0);
    match touched.iter_mut().find(|old| is_same(old)) {
        Some(old) => *old = Touched { lanes: old.lanes | new.lanes, ..new },
        None => touched.push(new),
    }
}

/// Whether all who are behind the access are behind all before it: a write that certainly happens.
fn replaces(touch: Touch, pc: u32) -> bool {
    touch == Touch::Write && pc & PERHAPS == 0
}

/// Whether two unordered accesses race: strong ones of one size do not (PTX ISA, "Morally strong operations").
fn clash((a, of_a): (Touch, u32), (b, of_b): (Touch, u32)) -> bool {
    let reads = |touch: Touch| matches!(touch, Touch::Read | Touch::StrongRead);
    !(reads(a) && reads(b) || a.is_strong() && b.is_strong() && of_a == of_b)
}

/// Whether both race with the same accesses.
fn is_alike(a: &Touched, b: &Touched) -> bool {
    a.touch == b.touch && (a.bytes == b.bytes || !a.touch.is_strong())
}

fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
