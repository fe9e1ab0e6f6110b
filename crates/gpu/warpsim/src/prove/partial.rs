//! The prover's domain: data from memory have no value, but for tables that nobody changes.

use super::agreed::{follow, is_one, prepare};
use super::anywhere::{anywhere, guarded, possible};
use super::arrays::Arrays;
use super::assumption::Assumption;
use super::choices;
use super::common::Common;
use super::common::Slot;
use super::flags::Flags;
use super::groups;
use super::kept::{Kept, bytes_of};
use super::known::{Known, results};
use super::order::{Conflict, Order};
use super::own_stores::OwnStores;
use super::peeks;
use super::region::{Region, fails_assertion, is_global_atomic, matters, touches};
use super::sides::{Open, pass};
use super::spins::Spins;
use super::tensors::Tensors;
use super::waits::Progress;
use super::witness::Watch;
use super::worlds;
use crate::arrived::Arrived;
use crate::clock::VectorClock;
use crate::decode::{Code, Collective, Manner, MemoryAccess, Micro, Place, Source};
use crate::domain::{ALL, Domain, Peek, TensorCopy, Touch, Undecided, Written};
use crate::exec::{Machine, PERHAPS, Stop};
use crate::hazard::{Access, Hazard, Kind, Site};
use crate::memory::{Lanes, place};
use crate::rows::Row;
use crate::thread::Thread;
use crate::warp::Warp;
use ptx::inst::Space;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::ops::Range;
use std::rc::Rc;

/// Assumptions and obstacles of a proof.
pub(in super::super) struct Partial {
    /// Order of the lanes, if they do not run in lockstep.
    pub(super) order: Option<Order>,
    /// Regions behind branches on data, by program counter.
    pub(super) regions: HashMap<u32, Region>,
    /// Ranges of accesses whose addresses depend on data, by program counter.
    pub(super) arrays: HashMap<u32, Option<Arrays>>,
    /// Branches on data whose sides are being executed.
    pub(super) open: Open,
    /// Whether the current instruction may not happen, or not there.
    pub(super) guarded: bool,
    pub(super) not_analysed: Vec<String>,
    pub(super) assumed: Vec<Assumption>,
    /// Findings that were told or assumed once, by their kind and program counter.
    told: HashSet<(Option<Discriminant<Kind>>, u32)>,
    /// Place where the budget ended.
    pub(super) spent: Option<(usize, u32)>,
    /// Chosen results of reductions, and of branches on which all threads agree; `None` if nothing is chosen.
    pub(super) common: Option<Common>,
    /// Whether a branch on data in front of something that synchronises was met, or an address that depends on data.
    pub(super) parted: bool,
    /// Whether shared memory is accessed.
    pub(super) shares: bool,
    /// Flags, if strong accesses and fences may order others.
    pub(super) flags: Option<Flags>,
    /// Bytes of shared memory with known values.
    pub(super) kept: Kept,
    /// Accesses of global memory.
    pub(super) own_stores: OwnStores,
    /// Progress of loops on data, by program counter.
    pub(super) progress: HashMap<u32, Rc<Progress>>,
    pub(super) spins: Spins,
    /// Rows that each instruction reads or writes, where warp groups multiply matrices.
    rows: HashMap<u32, Rc<Vec<u32>>>,
    /// Sizes of copies of tensors.
    pub(super) tensors: Tensors,
    /// Whether the values of the module's tables in global memory count as data, as the kernel may change them.
    pub(super) tables_change: bool,
    /// Places in shared memory out of which tensors are copied, with the bytes up to the next barrier in memory; and the most bytes
    /// that such a copy reads.
    pub(super) out: BTreeMap<u64, u64>,
    pub(super) most_out: Option<u64>,
    /// Registers that a loop around a wait writes before it asks again, by program counter; `None`: no loop asks again.
    pub(super) asks: HashMap<u32, Option<Rc<Written>>>,
    /// Watch on the instructions of violations that were found before.
    pub(super) watch: Option<Watch>,
}

pub(super) type Prover<'m, 'b> = Machine<'m, 'b, Partial>;

impl Partial {
    pub(super) fn new(code: &Code, common: Option<Common>) -> Self {
        let order = code.independent_lanes().then(|| Order::new(code.all_shared(), code.shared_cell()));
        let flags = Flags::new(code);
        Self {
            order,
            regions: HashMap::new(),
            arrays: HashMap::new(),
            open: Open::default(),
            guarded: false,
            not_analysed: Vec::new(),
            assumed: Vec::new(),
            told: HashSet::new(),
            spent: None,
            shares: false,
            kept: Kept::new(code, flags.is_some()),
            flags,
            own_stores: OwnStores::default(),
            progress: HashMap::new(),
            spins: Spins::new(code),
            rows: HashMap::new(),
            tensors: Tensors::default(),
            tables_change: false,
            out: BTreeMap::new(),
            most_out: None,
            common,
            parted: false,
            asks: HashMap::new(),
            watch: None,
        }
    }

    /// Forgets what lies in shared memory there.
    pub(super) fn forget(&mut self, range: Range<u64>) {
        if let Some(common) = &mut self.common {
            common.passed.forget(&range);
        }
        self.kept.forget(range);
    }

    /// Forgets what lies in shared memory.
    pub(super) fn forget_all(&mut self) {
        if let Some(common) = &mut self.common {
            common.passed.forget_all();
        }
        self.kept.forget_all();
    }

    pub(super) fn assume(&mut self, what: Assumption) {
        self.assumed.push(what);
    }

    /// Adds an assumption unless one like it is there.
    fn assume_like(&mut self, what: Assumption) {
        if !self.assumed.iter().any(|known| known.is_like(&what)) {
            self.assumed.push(what);
        }
    }

    /// Adds an assumption once for an instruction: its text takes as long to print as the kernel has registers.
    pub(super) fn assume_once(&mut self, pc: u32, what: impl FnOnce() -> Assumption) {
        if self.told.insert((None, pc)) {
            self.assume(what());
        }
    }

    /// Notes something that the proof cannot exclude, once for an instruction.
    pub(super) fn open(&mut self, pc: u32, site: impl FnOnce() -> Site, text: &str) {
        if self.told.insert((Some(discriminant(&Kind::Budget)), pc)) {
            self.not_analysed.push(format!("{}: {text}", site()));
        }
    }
}

const ANOTHER_PHASE: &str = "an answer about another phase, barrier or scope may spare this wait";

/// Returns the registers that are written before a loop asks again; `None` if no loop does.
fn asked_between(machine: &mut Prover, pc: u32) -> Option<Rc<Written>> {
    let code = machine.code;
    machine.domain.asks.entry(pc).or_insert_with(|| peeks::way_back(code, pc).map(Rc::new)).clone()
}

impl Domain for Partial {
    type Knowledge = Known;

    const HANDED: u32 = 0;
    const MOVES: bool = false;
    const COUNTS: bool = false;

    fn begin(machine: &mut Prover) {
        machine.domain.spins.settle();
        machine.domain.forget_all();
        if let Some(order) = &mut machine.domain.order {
            order.begin();
        }
        if let Some(common) = &mut machine.domain.common {
            common.begin(machine.code);
        }
    }

    fn weight(micro: &Micro) -> u64 {
        match micro {
            Micro::MemoryAccess(MemoryAccess::Load { space, .. } | MemoryAccess::Store { space, .. })
                if matches!(space, Space::Shared | Space::Generic) =>
            {
                8
            }
            Micro::MemoryAccess(MemoryAccess::Atomic { .. }) => 64,
            Micro::Bar { .. } | Micro::Copying(_) => 8,
            Micro::Collective(_) => 8,
            _ => 1,
        }
    }

    fn before(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, mask: u32) -> Option<Kind> {
        if let Some(flags) = &mut machine.domain.flags {
            flags.note(machine.code, warp, pc, mask);
        }
        prepare(machine.code, warp, pc, mask);
        peeks::prepare(machine.code, warp, pc, mask);
        groups::prepare(machine.code, warp, pc, mask);
        machine.budget = machine.budget.saturating_sub(choices::prepare(machine.code, warp, pc, mask) / 8);
        let broken = if machine.code.products { touched(machine, warp, pc) } else { None };
        if !machine.domain.perhaps()
            && let Some(common) = &mut machine.domain.common
        {
            common.before(machine.code, warp, pc, mask);
        }
        broken
    }

    fn defers(machine: &mut Prover, thread: &Thread, pc: u32, hazard: &Hazard, earlier: Option<(usize, u32)>) -> bool {
        let Some(flags) = &mut machine.domain.flags else { return false };
        flags.defer(hazard.clone(), pc, (thread.index, &thread.clock), earlier);
        true
    }

    fn after(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, _: u32) -> Option<Kind> {
        follow(machine.code, warp, pc);
        peeks::follow(warp, pc);
        groups::follow(warp, pc);
        choices::follow(warp, pc);
        if !machine.domain.perhaps()
            && let Some(common) = &mut machine.domain.common
        {
            common.after(machine.code, warp, pc);
        }
        None
    }

    fn undecided(
        machine: &mut Prover,
        warp: &mut Warp<Known>,
        pc: u32,
        mask: u32,
        what: Undecided,
    ) -> Result<(), Stop> {
        let tables = keeps_tables(machine);
        if matches!(what, Undecided::Guard | Undecided::Address(Space::Global)) {
            machine.domain.own_stores.somewhere(machine.code, pc);
        }
        let harm = match what {
            Undecided::Branch(starts, reconvergence) => return pass(machine, warp, pc, mask, starts, reconvergence),
            Undecided::Guard if touches(machine.code, tables, pc) && !matters(machine.code, pc) => {
                let possible = possible(warp, machine.code.ops[pc as usize].guard, mask);
                return guarded(machine, warp, pc, possible);
            }
            Undecided::Guard if is_global_atomic(machine.code, pc) => {
                machine.domain.own_stores.somewhere(machine.code, pc);
                tables.then_some(CHANGES_TABLE)
            }
            Undecided::Guard => matters(machine.code, pc).then_some("is executed or not depending on data"),
            Undecided::Values => None,
            Undecided::Meaning if !machine.domain.perhaps() && fails_assertion(machine.code, pc) => {
                Some("this assertion fails for certain with this launch")
            }
            Undecided::Meaning if is_global_atomic(machine.code, pc) => {
                machine.domain.own_stores.somewhere(machine.code, pc);
                tables.then_some(CHANGES_TABLE)
            }
            Undecided::Meaning => matters(machine.code, pc).then_some("the instruction is not known"),
            Undecided::Company => {
                matters(machine.code, pc).then_some("the lanes that execute it together depend on data")
            }
            Undecided::Scope => {
                machine.domain.assume_like(Assumption::NarrowScope(machine.code.site(warp.thread.index as u32, pc)));
                return Ok(());
            }
            Undecided::Mask => Some("the lanes that it names depend on data, or on how the lanes are scheduled"),
            Undecided::Barrier => Some("the barrier or its threads depend on data"),
            Undecided::Address(Space::Shared | Space::Generic) => return anywhere(machine, warp, pc, mask),
            Undecided::Address(_) => touches(machine.code, tables, pc).then_some(CHANGES_TABLE),
        };
        match harm {
            Some(text) => Err(refuse(machine, warp, pc, text)),
            None => {
                warp.knowledge.forget(&results(&machine.code.ops[pc as usize].micro), mask);
                Ok(())
            }
        }
    }

    fn choose(&mut self, pc: u32) -> Option<bool> {
        // a side stands for every iteration, and a loop for any number of choices
        let perhaps = self.perhaps();
        let common = self.common.as_mut().filter(|common| !perhaps && !common.repeats.contains(&pc))?;
        common.world.choose(worlds::MOST)
    }

    fn apart(&self) -> bool {
        self.guarded || self.open.is_apart()
    }

    fn rough(&mut self, rough: bool) -> bool {
        std::mem::replace(&mut self.guarded, rough)
    }

    fn is_one(warp: &Warp<Known>, source: Source, mask: u32) -> bool {
        source.register().is_none_or(|row| is_one(warp, Slot::Row(row), mask))
    }

    fn arrived(&mut self, warp: usize, pc: u32) {
        if let Some(watch) = &mut self.watch {
            watch.arrived(warp, pc);
        }
    }

    fn perhaps(&self) -> bool {
        self.guarded || !self.open.is_empty()
    }

    fn uncertain(machine: &mut Prover, pc: u32, hazard: Hazard) -> Result<(), Stop> {
        if machine.domain.told.insert((Some(discriminant(&hazard.kind)), pc)) {
            machine.domain.not_analysed.push(format!("for some data, {hazard}"));
        }
        if machine.domain.not_analysed.len() < super::verdict::MOST { Ok(()) } else { Err(Stop) }
    }

    fn divided(warp: &mut Warp<Known>, row: u32, lanes: u32) {
        groups::divided(warp, row, lanes);
    }

    fn in_groups(machine: &Prover, warp: &Warp<Known>, op: &Collective, mask: u32) -> bool {
        groups::are_named(machine.code, warp, op, mask)
    }

    fn is_peek(machine: &mut Prover, pc: u32) -> bool {
        asked_between(machine, pc).is_none()
    }

    fn asked_between(machine: &mut Prover, pc: u32) -> Rc<Written> {
        asked_between(machine, pc).unwrap_or_default()
    }

    fn peeked(warp: &mut Warp<Known>, pred: u32, peek: Peek) {
        peeks::answered(warp, pred, peek);
    }

    fn waits(machine: &mut Prover, warp: &Warp<Known>, pc: u32, by: Peek) -> Result<(), Stop> {
        match peeks::is_of_another_phase(warp, pc, by) {
            true => Err(refuse(machine, warp, pc, ANOTHER_PHASE)),
            false => Ok(()),
        }
    }

    fn gave_up(machine: &mut Prover, warp: &Warp<Known>, pc: u32) -> Result<(), Stop> {
        let site = || machine.code.site(warp.thread.index as u32, pc);
        machine.domain.open(pc, site, "it may say that the phase is not over, and what follows does not ask again");
        Ok(())
    }

    fn measured(machine: &mut Prover, warp: &Warp<Known>, pc: u32, copy: TensorCopy) -> Result<Option<u64>, Stop> {
        if machine.domain.tensors.gather(pc, copy) {
            return Ok(None);
        }
        let bytes = machine.domain.tensors.bytes(pc, copy);
        if bytes == 0 {
            let text = "the bytes of the tensor are not known: the phase must expect them before, and tell those of its copies apart";
            return Err(refuse(machine, warp, pc, text));
        }
        let site = || machine.code.site(warp.thread.index as u32, pc);
        machine.domain.assume_once(pc, || Assumption::TensorBytes { site: site(), bytes });
        Ok(Some(bytes))
    }

    fn most_out(machine: &mut Prover, warp: &Warp<Known>, pc: u32, from: u64) -> Option<u64> {
        let domain = &mut machine.domain;
        let room = machine.asynchronous.barrier_behind(from).map_or(u64::MAX, |barrier| barrier - from);
        domain.out.insert(from, room);
        let bytes = domain.most_out?;
        domain.assume_like(Assumption::TensorOut { site: machine.code.site(warp.thread.index as u32, pc), bytes });
        Some(bytes)
    }

    fn in_tensor_memory(machine: &mut Prover, warp: &Warp<Known>, pc: u32, fenced: bool, alone: bool) {
        let site = || machine.code.site(warp.thread.index as u32, pc);
        let order = (!fenced).then(|| Assumption::TensorOrder(site()));
        let columns = (!alone).then(|| Assumption::TensorColumns(site()));
        order.into_iter().chain(columns).for_each(|what| machine.domain.assume_like(what));
    }

    fn elected(machine: &mut Prover, warp: &Warp<Known>, pc: u32) {
        let site = || machine.code.site(warp.thread.index as u32, pc);
        machine.domain.assume_once(pc, || Assumption::Leader(site()));
    }

    fn same_value(machine: &mut Prover, warp: &Warp<Known>, pc: u32) {
        let site = || machine.code.site(warp.thread.index as u32, pc);
        machine.domain.assume_once(pc, || Assumption::SameValue(site()));
    }

    fn equal_values(machine: &mut Prover, warp: &Warp<Known>, pc: u32) {
        let site = || machine.code.site(warp.thread.index as u32, pc);
        machine.domain.assume_once(pc, || Assumption::EqualValues(site()));
    }

    fn exhausted(machine: &mut Prover, warp: &Warp<Known>, pc: u32, what: &str) -> Stop {
        if machine.budget > 0 {
            return refuse(machine, warp, pc, what);
        }
        machine.domain.spent = Some((warp.thread.index, pc));
        Stop
    }

    fn accessed(machine: &mut Prover, warp: &Warp<Known>, pc: u32, lanes: &Lanes, touch: Touch) -> Result<(), Stop> {
        machine.domain.shares = true;
        if let Some(watch) = &mut machine.domain.watch {
            watch.accessed(warp, pc, lanes);
        }
        if !matches!(touch, Touch::Read | Touch::StrongRead) {
            machine.domain.spins.store(machine.code, warp, pc, lanes);
            lanes.active().for_each(|lane| machine.domain.forget(bytes_of(lanes, lane)));
        }
        let mark = machine.mark(pc);
        let Some(order) = &mut machine.domain.order else { return Ok(()) };
        let Some(found) = order.access(now(&warp.thread), lanes, touch, mark) else { return Ok(()) };
        let uncertain = found.pc & PERHAPS != 0;
        let kind = lane_race(machine.code, warp, touch, found);
        let hazard = machine.hazard(warp, pc, kind);
        if uncertain || machine.domain.perhaps() {
            return Self::uncertain(machine, pc, hazard);
        }
        let own = Some((warp.thread.index, 0));
        match Self::defers(machine, &warp.thread, pc, &hazard, own) {
            true => Ok(()),
            false => machine.hazards.record(hazard, pc),
        }
    }

    fn ordered(machine: &mut Prover, warp: &Warp<Known>, lanes: u32) {
        let perhaps = machine.domain.perhaps();
        if let Some(order) = &mut machine.domain.order {
            order.order(warp.thread.index, lanes, warp.live, perhaps);
        }
    }

    fn mark(machine: &mut Prover, warp: usize) -> u64 {
        machine.domain.order.as_mut().map_or(0, |order| order.mark(warp))
    }

    fn ordered_behind(machine: &mut Prover, warp: usize, lanes: u32, arrived: &Arrived) {
        if let Some(order) = &mut machine.domain.order {
            order.order_behind(warp, lanes, arrived);
        }
    }

    fn told(machine: &mut Prover, warp: usize, lanes: u32, by: &VectorClock) {
        if let Some(order) = &mut machine.domain.order {
            order.tell(warp, lanes, by[warp], by.part(warp));
        }
    }

    fn ordered_behind_initialisation(machine: &mut Prover, warp: usize, address: u64, pc: u32) {
        if let Some(order) = &mut machine.domain.order {
            order.forget(warp, &Lanes::new(&[address; 32], 0, 1, 8), pc);
        }
    }

    fn handed(machine: &Prover, pc: u32, lanes: &Lanes) -> u32 {
        let weak = machine.code.conducts[pc as usize].manner == Manner::Weak;
        if weak && machine.domain.kept.knows(lanes) { ALL } else { 0 }
    }

    fn kept(machine: &mut Prover, lanes: &Lanes, known: u32) {
        let known = if machine.domain.perhaps() { 0 } else { known };
        machine.domain.kept.keep(lanes, known);
    }

    fn stores_out(machine: &mut Prover, warp: &Warp<Known>, pc: u32, to: Option<Place>, mask: u32) -> Result<(), Stop> {
        machine.domain.own_stores.copies(pc);
        let harmless = to.is_some_and(|to| {
            let lanes = Lanes::new(to.base.row(&warp.regs, &machine.code.pool), to.offset, mask, 1);
            mask & !warp.knows(to.base) == 0 && !lanes.active().any(|lane| is_table(machine, &lanes, lane))
        });
        match harmless || !keeps_tables(machine) {
            true => Ok(()),
            false => Err(refuse(machine, warp, pc, CHANGES_TABLE)),
        }
    }

    fn contested(machine: &mut Prover, warp: usize, pc: u32) {
        let site = || machine.code.site(warp as u32, pc);
        machine.domain.open(pc, site, "it may have to wait for registers that nobody gives up before it goes on");
    }

    fn changing(machine: &mut Prover, range: Range<u64>) {
        machine.domain.forget(range);
    }

    /// Loads the values of tables; only these are known.
    fn load(
        machine: &mut Prover,
        _: &mut Warp<Known>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop> {
        if space == Space::Global {
            machine.domain.own_stores.load(pc, lanes);
        }
        let known = (space == Space::Const || space == Space::Global && !machine.domain.tables_change)
            && lanes.active().all(|i| is_table(machine, lanes, i));
        let row = if known { machine.segments.load(space, lanes).ok() } else { None };
        Ok(row.map_or(([0; 32], 0), |row| (row, ALL)))
    }

    /// Ignores the values of a store; tables must stay unchanged.
    fn store(
        machine: &mut Prover,
        warp: &mut Warp<Known>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        _: &Row,
    ) -> Result<(), Stop> {
        if space == Space::Global {
            machine.domain.own_stores.store(pc, lanes);
        }
        let kept = space == Space::Global && keeps_tables(machine);
        match kept && lanes.active().any(|lane| is_table(machine, lanes, lane)) {
            true => Err(refuse(machine, warp, pc, CHANGES_TABLE)),
            false => Ok(()),
        }
    }

    fn update(
        machine: &mut Prover,
        warp: &mut Warp<Known>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        _: usize,
        _: impl FnOnce(u64) -> u64,
    ) -> Result<u64, Stop> {
        Self::store(machine, warp, pc, space, lanes, &[0; 32]).map(|()| 0)
    }
}

/// Returns the warp and its time.
pub(super) fn now(thread: &Thread) -> (usize, u32) {
    (thread.index, thread.clock[thread.index])
}

/// Notes the rows that an instruction reads or writes, but for products of matrices; returns what breaks if one of these uses them.
fn touched(machine: &mut Prover, warp: &Warp<Known>, pc: u32) -> Option<Kind> {
    let code = machine.code;
    let rows = machine.domain.rows.entry(pc).or_insert_with(|| Rc::new(code.rows_of(pc))).clone();
    let products = &mut machine.asynchronous.products[warp.thread.index];
    rows.iter().filter_map(|row| products.access(*row)).last()
}

pub(super) const CHANGES_TABLE: &str = "it may change a table of the module";

fn access(touch: Touch) -> Access {
    match touch {
        Touch::Read | Touch::StrongRead => Access::Read,
        Touch::Write | Touch::Atomic | Touch::StrongWrite => Access::Write,
    }
}

/// Returns the race of two lanes of the warp that nothing orders.
pub(super) fn lane_race(code: &Code, warp: &Warp<Known>, touch: Touch, found: Conflict) -> Kind {
    Kind::LaneRace {
        address: code.named(found.address),
        access: access(touch),
        lane: found.lane,
        earlier: access(found.earlier),
        earlier_lane: found.earlier_lane,
        earlier_site: code.site(warp.thread.index as u32, found.pc & !PERHAPS),
    }
}

/// Notes an obstacle that is not analysed.
pub(super) fn refuse(machine: &mut Prover, warp: &Warp<Known>, pc: u32, text: &str) -> Stop {
    let site = machine.code.site(warp.thread.index as u32, pc);
    machine.domain.not_analysed.push(format!("{site}: {text}"));
    Stop
}

/// Whether there are tables that a store could reach, and whose values are known.
pub(super) fn keeps_tables(machine: &Prover) -> bool {
    machine.segments.changeable() && !machine.domain.tables_change
}

/// Whether the lane accesses a table of the module.
fn is_table(machine: &Prover, lanes: &Lanes, lane: usize) -> bool {
    let buffers = machine.segments.buffers.len() as u64;
    (buffers..buffers + machine.segments.tables.len() as u64).contains(&place(lanes.address(lane)).0)
}
