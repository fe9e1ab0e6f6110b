//! The prover's domain: what comes from memory has no value, but for tables that nobody changes.

use super::known::{Known, results};
use super::order::Order;
use super::region::{Region, matters};
use crate::decode::Code;
use crate::domain::{ALL, Domain, Touch, Undecided};
use crate::exec::{Machine, Stop};
use crate::hazard::{Access, Kind};
use crate::memory::{Lanes, place};
use crate::rows::Row;
use crate::warp::Warp;
use ptx::inst::Space;
use std::collections::HashMap;

/// What the proof rests on, and what stands in its way.
pub(in super::super) struct Partial {
    /// Where lanes do not run in lockstep.
    order: Option<Order>,
    /// What lies behind branches on data, by program counter.
    regions: HashMap<u32, Region>,
    pub not_analysed: Vec<String>,
    pub assumed: Vec<String>,
}

type Prover<'m, 'b> = Machine<'m, 'b, Partial>;

impl Partial {
    pub(super) fn new(code: &Code) -> Self {
        let order = code.independent_lanes().then(|| Order::new(code.shared_bytes, code.shared_cell()));
        Self { order, regions: HashMap::new(), not_analysed: Vec::new(), assumed: Vec::new() }
    }
}

impl Domain for Partial {
    type Knowledge = Known;

    const HANDED: u32 = 0;
    const COUNTS: bool = false;

    fn before(_: &mut Prover, _: &Warp<Known>, _: u32, _: u32) -> Option<Kind> {
        None
    }

    fn after(_: &mut Prover, _: &Warp<Known>, _: u32, _: u32) -> Option<Kind> {
        None
    }

    fn undecided(
        machine: &mut Prover,
        warp: &mut Warp<Known>,
        pc: u32,
        mask: u32,
        what: Undecided,
    ) -> Result<(), Stop> {
        let tables = !machine.segments.tables.is_empty();
        let harm = match what {
            Undecided::Branch(starts, reconvergence) => return pass(machine, warp, pc, mask, starts, reconvergence),
            Undecided::Guard => matters(machine.code, tables, pc).then_some("is executed or not depending on data"),
            Undecided::Meaning => matters(machine.code, tables, pc).then_some("the instruction is not known"),
            Undecided::Mask => Some("the lanes that it names depend on data, or on how the lanes are scheduled"),
            Undecided::Barrier => Some("the barrier or its threads depend on data"),
            Undecided::Winner => Some("several lanes write values that depend on data to one address"),
            Undecided::Address(Space::Shared) => Some("its address depends on data"),
            Undecided::Address(Space::Generic) => Some("its generic address depends on data"),
            Undecided::Address(_) => matters(machine.code, tables, pc).then_some(CHANGES_TABLE),
        };
        match harm {
            Some(text) => Err(refuse(machine, warp, pc, text)),
            None => {
                warp.knowledge.forget(&results(&machine.code.ops[pc as usize].micro), mask);
                Ok(())
            }
        }
    }

    fn exhausted(machine: &mut Prover, warp: &Warp<Known>, pc: u32, what: &str) -> Stop {
        refuse(machine, warp, pc, what)
    }

    fn accessed(machine: &mut Prover, warp: &Warp<Known>, pc: u32, lanes: &Lanes, touch: Touch) -> Result<(), Stop> {
        let Some(order) = &mut machine.domain.order else { return Ok(()) };
        let Some(found) = order.access(warp.thread.index, lanes, touch, pc) else { return Ok(()) };
        let kind = Kind::LaneRace {
            address: found.address,
            access: access(touch),
            lane: found.lane,
            earlier: access(found.earlier),
            earlier_lane: found.earlier_lane,
            earlier_site: machine.code.site(warp.thread.index as u32, found.pc),
        };
        machine.record(warp, pc, kind)
    }

    fn ordered(machine: &mut Prover, warp: &Warp<Known>, lanes: u32) {
        if let Some(order) = &mut machine.domain.order {
            order.order(warp.thread.index, lanes, warp.live);
        }
    }

    /// Only tables have values.
    fn load(
        machine: &mut Prover,
        _: &mut Warp<Known>,
        _: u32,
        space: Space,
        lanes: &Lanes,
    ) -> Result<(Row, u32), Stop> {
        let known =
            matches!(space, Space::Global | Space::Const) && lanes.active().all(|i| is_table(machine, lanes, i));
        let row = if known { machine.segments.load(space, lanes).ok() } else { None };
        Ok(row.map_or(([0; 32], 0), |row| (row, ALL)))
    }

    /// Nothing is kept, so tables must stay as they are.
    fn store(
        machine: &mut Prover,
        warp: &mut Warp<Known>,
        pc: u32,
        space: Space,
        lanes: &Lanes,
        _: &Row,
    ) -> Result<(), Stop> {
        match space == Space::Global && lanes.active().any(|lane| is_table(machine, lanes, lane)) {
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

const CHANGES_TABLE: &str = "it may change a table of the module";

fn access(touch: Touch) -> Access {
    match touch {
        Touch::Read => Access::Read,
        Touch::Write | Touch::Atomic => Access::Write,
    }
}

/// A branch on data: its lanes go on where they meet, without the values that it may have written.
fn pass(
    machine: &mut Prover,
    warp: &mut Warp<Known>,
    pc: u32,
    mask: u32,
    starts: &[u32],
    reconvergence: u32,
) -> Result<(), Stop> {
    let code = machine.code;
    let first = !machine.domain.regions.contains_key(&pc);
    let tables = !machine.segments.tables.is_empty();
    let new = || Region::new(code, tables, starts, reconvergence);
    let region = machine.domain.regions.entry(pc).or_insert_with(new);
    if let Some(at) = region.harmful {
        let what = code.ops.get(at as usize).map_or("the end".to_owned(), |_| code.site(0, at).text);
        return Err(refuse(machine, warp, pc, &format!("branches on data before `{what}`")));
    }
    warp.knowledge.forget(&region.written, mask);
    if region.cyclic && first {
        machine.domain.assumed.push(format!("{}: a loop behind it ends", code.site(warp.thread.index as u32, pc)));
    }
    warp.jump(reconvergence);
    Ok(())
}

/// Notes what is not analysed.
fn refuse(machine: &mut Prover, warp: &Warp<Known>, pc: u32, text: &str) -> Stop {
    let site = machine.code.site(warp.thread.index as u32, pc);
    machine.domain.not_analysed.push(format!("{site}: {text}"));
    Stop
}

/// Whether the lane accesses a table of the module.
fn is_table(machine: &Prover, lanes: &Lanes, lane: usize) -> bool {
    let buffers = machine.segments.buffers.len() as u64;
    (buffers..buffers + machine.segments.tables.len() as u64).contains(&place(lanes.address(lane)).0)
}
