//! The two domains that a kernel can be executed over: [`Concrete`], where every value is known, and
//! [`Partial`](super::prove::Partial), where what comes from memory is not.
//!
//! Instructions mean the same in both ([`exec`](super::exec)). A domain decides what a warp knows, what memory gives, and
//! what becomes of an instruction that needs a value which is not known. In the concrete domain all questions of knowledge
//! are constants, so that the compiler leaves none of them in the simulator.

mod concrete;
mod knowledge;
mod touch;

use super::decode::{Micro, Source};
use super::exec::{Machine, Stop};
use super::hazard::{Hazard, Kind};
use super::memory::Lanes;
use super::rows::Row;
use super::thread::Thread;
use super::warp::Warp;
use ptx::inst::Space;
use std::ops::Range;

pub(super) use concrete::{Concrete, Everything};
pub(super) use knowledge::{ALL, Knowledge};
pub(super) use touch::Touch;

/// What an instruction needs and the domain does not have.
pub(super) enum Undecided<'c> {
    /// Whether it is executed.
    Guard,
    /// Where the lanes go, of all targets; they meet again at the second.
    Branch(&'c [u32], u32),
    /// The barrier, or how many threads it waits for.
    Barrier,
    /// The lanes that it names.
    Mask,
    /// Whether threads of other CTAs learn what happened before it.
    Scope,
    /// Which lanes execute it together.
    Company,
    /// The addresses that it accesses in the space.
    Address(Space),
    /// What it computes; all else of it is known.
    Values,
    /// What it does.
    Meaning,
}

pub(super) trait Domain: Sized {
    type Knowledge: Knowledge;

    /// The lanes that know what depends on others: what warps bring to `bar.red`, and, where lanes go on one by one, which of
    /// them are together. All or none.
    const HANDED: u32;
    /// Whether copies move data, and what is asked once has one answer.
    const MOVES: bool;
    /// Whether the traffic of memory is counted.
    const COUNTS: bool;

    /// A CTA begins.
    fn begin(_: &mut Machine<Self>) {}

    /// What a warp instruction costs of the budget.
    fn weight(_: &Micro) -> u64 {
        1
    }

    /// What breaks in front of an instruction that the lanes of the mask come to.
    fn before(machine: &mut Machine<Self>, warp: &mut Warp<Self::Knowledge>, pc: u32, mask: u32) -> Option<Kind>;
    /// What breaks behind it.
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

    /// The truth value of a reduction whose threads bring what is not known, where one is chosen for all of them.
    fn choose(&mut self) -> Option<bool> {
        None
    }

    /// Whether the lanes that execute now may not be there, as a branch on data led to them.
    fn perhaps(&self) -> bool;

    /// A hazard of an access that an order of strong accesses may exclude; true when it is told later. `earlier`: the warp and
    /// the time of the access before.
    fn defers(_: &mut Machine<Self>, _: &Thread, _: u32, _: &Hazard, _: Option<(usize, u32)>) -> bool {
        false
    }

    /// A hazard that shows only for some data.
    fn uncertain(machine: &mut Machine<Self>, pc: u32, hazard: Hazard) -> Result<(), Stop>;

    /// Lanes do something that matters although they were told that a phase for which they wait is not over.
    fn gave_up(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32) -> Result<(), Stop>;

    /// A copy of a tensor is taken for so many bytes.
    fn measured(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32, bytes: u64) -> Result<(), Stop>;

    /// `elect.sync` takes the lowest lane for the leader.
    fn elected(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32);

    /// Several lanes of a warp wrote the same value to one address of shared memory.
    fn same_value(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32);

    /// As [`same_value`](Self::same_value) of values that are not known.
    fn equal_values(_: &mut Machine<Self>, _: &Warp<Self::Knowledge>, _: u32) {}

    /// The execution takes more of something than it may.
    fn exhausted(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, pc: u32, what: &str) -> Stop;

    /// Lanes accessed shared memory, inside its bounds.
    fn accessed(
        machine: &mut Machine<Self>,
        warp: &Warp<Self::Knowledge>,
        pc: u32,
        lanes: &Lanes,
        access: Touch,
    ) -> Result<(), Stop>;

    /// The lanes that know what they load from these places of shared memory.
    fn handed(_: &Machine<Self>, _: u32, _: &Lanes) -> u32 {
        Self::HANDED
    }

    /// Lanes stored values in shared memory, of which those of the mask are known.
    fn kept(_: &mut Machine<Self>, _: &Lanes, _: u32) {}

    /// A copy may change these bytes of shared memory from now on.
    fn changing(_: &mut Machine<Self>, _: Range<u64>) {}

    /// A barrier orders what these lanes of the warp did before it in front of what they do behind it.
    fn ordered(machine: &mut Machine<Self>, warp: &Warp<Self::Knowledge>, lanes: u32);

    /// A load from global, constant or local memory: the values, and the lanes that know them.
    fn load(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Self::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop>;

    /// A store to global or local memory.
    fn store(
        machine: &mut Machine<Self>,
        warp: &mut Warp<Self::Knowledge>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        values: &Row,
    ) -> Result<(), Stop>;

    /// An atomic on global or local memory, of one lane; `new` is made from the old value, which is returned.
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
    /// The lanes that know the source.
    pub(super) fn knows(&self, source: Source) -> u32 {
        source.register().map_or(ALL, |register| self.knowledge.row(register))
    }

    /// The lanes that know all of them.
    pub(super) fn know<const N: usize>(&self, sources: [Source; N]) -> u32 {
        sources.into_iter().fold(ALL, |known, source| known & self.knows(source))
    }
}
