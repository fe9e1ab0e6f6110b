//! The two domains that a kernel can be executed over: [`Concrete`], where every value is known, and
//! [`Partial`](super::prove::Partial), where values from memory are not.
//!
//! Instructions mean the same in both ([`exec`](super::exec)). A domain decides a warp's knowledge, the values of memory, and the
//! effect of an instruction that needs an unknown value. In the concrete domain all questions of knowledge are constants, so that
//! the compiler leaves none of them in the simulator.

mod concrete;
mod knowledge;
mod touch;

use super::arrived::Arrived;
use super::clock::VectorClock;
use super::decode::{Collective, Micro, Place, Source};
use super::exec::{Machine, Stop};
use super::hazard::{Hazard, Kind};
use super::memory::Lanes;
use super::rows::Row;
use super::thread::Thread;
use super::warp::Warp;
use ptx::inst::Space;
use std::ops::Range;
use std::rc::Rc;

pub(super) use concrete::{Concrete, Everything};
pub(super) use knowledge::{ALL, Knowledge};
pub(super) use touch::Touch;

/// Information that an instruction needs and the domain lacks.
pub(super) enum Undecided<'c> {
    /// Whether it is executed.
    Guard,
    /// The target of each lane, out of these; they meet again at the second field.
    Branch(&'c [u32], u32),
    /// The barrier, or its number of threads.
    Barrier,
    /// The lanes that it names.
    Mask,
    /// Whether threads of other CTAs learn what happened before it.
    Scope,
    /// The lanes that execute it together.
    Company,
    /// The addresses that it accesses in the space.
    Address(Space),
    /// Its results; everything else about it is known.
    Values,
    /// Its meaning.
    Meaning,
}

/// A copy of a tensor to a place in shared memory, whose bytes a barrier there counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct TensorCopy {
    pub to: u64,
    pub barrier: u64,
    pub unclaimed: u64,
}

/// Rows and predicates that instructions write.
pub(super) type Written = (Vec<u32>, Vec<u32>);

/// A question whether a phase of a barrier in memory is over, or a wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Peek {
    pub address: u64,
    /// Number of the phase among all that the barrier's slot has had.
    pub epoch: u32,
    /// Whether it acquires what other CTAs release.
    pub wide: bool,
    pub lanes: u32,
    /// Time of the question, by the warp's own clock.
    pub time: u32,
}

pub(super) trait Domain: Sized {
    type Knowledge: Knowledge;

    /// The lanes that know values which depend on others: the predicates that warps bring to `bar.red`, and, if lanes proceed
    /// independently, which of them are together. All or none.
    const HANDED: u32;
    /// Whether copies move data, and repeated questions have one answer.
    const MOVES: bool;
    /// Whether the traffic of memory is counted.
    const COUNTS: bool;

    /// Begins a CTA.
    fn begin(_: &mut Machine<Self>) {}

    /// Returns the cost of a warp instruction in units of the budget.
    fn weight(_: &Micro) -> u64 {
        1
    }

    /// Returns the claim that breaks in front of an instruction that the lanes of the mask reach.
    fn before(machine: &mut Machine<Self>, warp: &mut Warp<Self::Knowledge>, pc: u32, mask: u32) -> Option<Kind>;
    /// Returns the claim that breaks behind it.
    fn after(machine: &mut Machine<Self>, warp: &mut Warp<Self::Knowledge>, pc: u32, mask: u32) -> Option<Kind>;

    /// Lets the lanes of the mask go on behind the instruction, or where a branch brings them together again, without the
    /// values that may have been written until then. Fails when more than values could depend on it.
    fn undecided(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Self::Knowledge>,
        pc: u32,
        mask: u32,
        what: Undecided,
    ) -> Result<(), Stop>;

    /// Chooses the truth value of a reduction of unknown values, if one is chosen for all its threads.
    fn choose(&mut self, _pc: u32) -> Option<bool> {
        None
    }

    /// Returns the most bytes that a copy of a tensor reads from this place in shared memory, if something limits it.
    fn most_out(_: &mut Machine<Self>, _: &Warp<Self::Knowledge>, _pc: u32, _from: u64) -> Option<u64> {
        None
    }

    /// Notes that a warp came to a barrier of its CTA.
    fn arrived(&mut self, _warp: usize, _pc: u32) {}

    /// Whether the executing lanes may not be there, as a branch on data led to them.
    fn perhaps(&self) -> bool;

    /// Whether only some lanes of the warp may be there, as a branch on data led to them that lanes may take apart.
    fn apart(&self) -> bool {
        false
    }

    /// Takes accesses from here on for such as may not happen, or no longer; returns whether they were.
    fn rough(&mut self, _: bool) -> bool {
        false
    }

    /// Whether the lanes of the mask hold one value, known or not.
    fn is_one(_: &Warp<Self::Knowledge>, _: Source, _: u32) -> bool {
        false
    }

    /// Defers a hazard of an access that an order of strong accesses may exclude; true if it is reported later. `earlier`: the
    /// warp and the time of the access before.
    fn defers(_: &mut Machine<Self>, _: &Thread, _: u32, _: &Hazard, _: Option<(usize, u32)>) -> bool {
        false
    }

    /// Records a hazard that shows only for some data.
    fn uncertain(machine: &mut Machine<Self>, pc: u32, hazard: Hazard) -> Result<(), Stop>;

    /// Notes that the register holds, in each of these lanes, the mask of those among them that brought the same value.
    fn divided(_: &mut Warp<Self::Knowledge>, _row: u32, _lanes: u32) {}

    /// Whether the lanes of the mask name groups that they divide themselves into, and each lane its own.
    fn in_groups(_: &Machine<Self>, _: &Warp<Self::Knowledge>, _: &Collective, _mask: u32) -> bool {
        false
    }

    /// Whether no loop around the wait asks again.
    fn is_peek(_: &mut Machine<Self>, _: u32) -> bool {
        false
    }

    /// Returns the registers that a loop around a wait writes before it asks again.
    fn asked_between(_: &mut Machine<Self>, _: u32) -> Rc<Written> {
        Rc::default()
    }

    /// Notes that the predicate holds the answer to a peek.
    fn peeked(_: &mut Warp<Self::Knowledge>, _: u32, _: Peek) {}

    /// Checks a wait that the answer to an earlier peek may have spared.
    fn waits(_: &mut Machine<Self>, _: &Warp<Self::Knowledge>, _: u32, _: Peek) -> Result<(), Stop> {
        Ok(())
    }

    /// Notes that lanes do something that matters although they were told that a phase for which they wait is not over.
    fn gave_up(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32) -> Result<(), Stop>;

    /// Returns the bytes of a copy of a tensor to shared memory, of which the phase of the barrier expects `unclaimed` at most; `None`: the
    /// copy is not made.
    fn measured(
        machine: &mut Machine<Self>,
        warp: &Warp<Self::Knowledge>,
        pc: u32,
        copy: TensorCopy,
    ) -> Result<Option<u64>, Stop>;

    /// Notes whether fences of `tcgen05` order an access of tensor memory, or only other synchronisation, and whether no other warp may access the same
    /// lanes at the same time.
    fn in_tensor_memory(_: &mut Machine<Self>, _: &Warp<Self::Knowledge>, _: u32, _fenced: bool, _alone: bool) {}

    /// Notes that `elect.sync` takes the lowest lane for the leader.
    fn elected(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32);

    /// Notes that several lanes of a warp wrote the same value to one address of shared memory.
    fn same_value(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32);

    /// As [`same_value`](Self::same_value), for values that are not known.
    fn equal_values(_: &mut Machine<Self>, _: &Warp<Self::Knowledge>, _: u32) {}

    /// Ends the run because the execution takes more of a resource than it may.
    fn exhausted(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32, what: &str) -> Stop;

    /// Notes that lanes accessed shared memory, inside its bounds.
    fn accessed(
        machine: &mut Machine<Self>,
        warp: &Warp<Self::Knowledge>,
        pc: u32,
        lanes: &Lanes,
        access: Touch,
    ) -> Result<(), Stop>;

    /// Returns the lanes that know the values that they load from these places of shared memory.
    fn handed(_: &Machine<Self>, _: u32, _: &Lanes) -> u32 {
        Self::HANDED
    }

    /// Notes that lanes stored values in shared memory; those of the mask are known.
    fn kept(_: &mut Machine<Self>, _: &Lanes, _: u32) {}

    /// Checks a copy or reduction to this place in global memory; `None`: a tensor map says where.
    fn stores_out(
        _: &mut Machine<Self>,
        _: &Warp<Self::Knowledge>,
        _pc: u32,
        _to: Option<Place>,
        _mask: u32,
    ) -> Result<(), Stop> {
        Ok(())
    }

    /// Notes that the order in which warps are served may decide whether this request for registers is granted.
    fn contested(_: &mut Machine<Self>, _warp: usize, _pc: u32) {}

    /// Notes that a copy may change these bytes of shared memory from now on.
    fn changing(_: &mut Machine<Self>, _: Range<u64>) {}

    /// Notes that a barrier orders the earlier accesses of these lanes of the warp in front of their later ones.
    fn ordered(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, lanes: u32);

    /// Returns a mark between the earlier and the later accesses of the warp's lanes.
    fn mark(_: &mut Machine<Self>, _warp: usize) -> u64 {
        0
    }

    /// Notes that these lanes of the warp are behind the marks of lanes that have arrived.
    fn ordered_behind(_: &mut Machine<Self>, _warp: usize, _lanes: u32, _: &Arrived) {}

    /// Notes that these lanes of the warp are behind what the clock covers.
    fn told(_: &mut Machine<Self>, _warp: usize, _lanes: u32, _by: &VectorClock) {}

    /// Notes that all lanes of the warp are behind the initialisation of a barrier in memory at this address, by that instruction.
    fn ordered_behind_initialisation(_: &mut Machine<Self>, _warp: usize, _address: u64, _pc: u32) {}

    /// Loads from global, constant or local memory: returns the values, and the lanes that know them.
    fn load(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Self::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop>;

    /// Stores to global or local memory.
    fn store(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Self::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        values: &Row,
    ) -> Result<(), Stop>;

    /// Performs an atomic of one lane on global or local memory; `new` maps the old value, which is returned, to the new one.
    fn update(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Self::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        lane: usize,
        new: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Stop>;
}

impl<K: Knowledge> Warp<K> {
    /// Returns the lanes that know the source.
    pub(super) fn knows(&self, source: Source) -> u32 {
        source.register().map_or(ALL, |register| self.knowledge.row(register))
    }

    /// Returns the lanes that know all of them.
    pub(super) fn know<const N: usize>(&self, sources: [Source; N]) -> u32 {
        sources.into_iter().fold(ALL, |known, source| known & self.knows(source))
    }
}
