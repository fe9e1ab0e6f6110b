//! Proves an allocation: every use finds its value. Shares no code with the allocators.
//!
//! The idea is that of the checker of the register allocator regalloc2: a forward analysis keeps, for every register unit and
//! spill slot, the set of original values that it surely holds. Spill code is followed by what it does, not by what a plan
//! says. Slots in shared memory belong to a warp, whose threads may be in different places: where a divergent branch
//! parts them, a slot that one side writes is worthless to the other side and behind the place where they meet.

mod divergence;
pub(super) mod message;
mod order;
pub(super) mod prologue;
mod state;
pub(super) mod transfer;

use super::class::Class;
use super::{Allocation, PhysicalRegister};
use cranelift_entity::SecondaryMap;
use diagnostics::{Diagnostic, Source};
use divergence::Kills;
use ptx::analysis::cfg::Cfg;
use ptx::inst::{InstData, Op, Operand};
use ptx::ir::{Block, Func, Inst, Reg};
use state::State;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Fault of an allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub block: Block,
    /// The instruction of the allocated function; `None` for the block's end or beginning.
    pub inst: Option<Inst>,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A use does not find the value of this original register.
    Lost(Reg),
    /// A register lies outside the file, or at a unit that its width does not allow.
    Assignment(Reg),
    /// Elements of a vector are not in consecutive, aligned units.
    Vector,
    /// Two results of one instruction share a unit.
    Overlap,
    /// Something other than registers was changed, or an instruction with an effect is missing or out of order.
    Changed,
    /// A lane may find what another one writes, or wrote before, since no barrier of the warp is between.
    Unordered,
    /// The beginning of the warp's part of shared memory is not computed as it must be, or the parts overlap.
    Base,
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.inst, &self.kind) {
            (Some(inst), kind) => write!(f, "{} {inst}: {kind:?}", self.block),
            (None, kind) => write!(f, "{}: {kind:?}", self.block),
        }
    }
}

/// As [`check`], with the violations as they are told; `text` is what the kernel was read from.
///
/// # Errors
/// `opt::unproven` for each violation.
pub fn prove(allocation: &Allocation, kernel: &str, text: Option<&Arc<Source>>) -> Result<(), Vec<Diagnostic>> {
    let told = |violation: &Violation| {
        let (message, span) = message::describe(violation, allocation, kernel, text);
        let diagnostic = Diagnostic::error("opt::unproven", message);
        match span {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        }
    };
    check(allocation).map_err(|violations| violations.iter().map(told).collect())
}

/// Compares an allocation with the function that it was made for.
pub fn check(allocation: &Allocation) -> Result<(), Vec<Violation>> {
    let mut found = Checker::new(allocation).sizes_and_overlaps();
    values(allocation, &mut found);
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Follows the values alone, wherever registers lie.
pub(super) fn values(allocation: &Allocation, found: &mut Vec<Violation>) {
    let mut checker = Checker::new(allocation);
    match prologue::check(allocation) {
        Ok(parts) => checker.parts = parts,
        Err(violation) => return found.push(violation),
    }
    checker.flow(found);
}

struct Checker<'a> {
    original: &'a Func,
    allocated: &'a Func,
    allocation: &'a Allocation,
    /// Shared memory that belongs to a warp and to a thread.
    parts: prologue::Parts,
}

impl<'a> Checker<'a> {
    fn new(allocation: &'a Allocation) -> Self {
        let parts = prologue::Parts::default();
        Self { original: &allocation.prepared, allocated: allocation.func(), allocation, parts }
    }
}

impl Checker<'_> {
    fn physical(&self, reg: Reg) -> PhysicalRegister {
        self.allocation.physical[reg]
    }

    /// Registers inside their files, aligned; vectors consecutive; results apart.
    fn sizes_and_overlaps(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        for block in &self.allocated.layout {
            for inst in &self.allocated.blocks[*block].insts {
                let mut wrong = |kind| found.push(Violation { block: *block, inst: Some(*inst), kind });
                let data = &self.allocated.insts[*inst];
                let results = data.op.results();
                let mut named: Vec<Reg> = results.clone();
                data.op.operands(|operand| named.extend(operand.reg()));
                named.extend(data.guard.map(|guard| guard.pred));
                for reg in named {
                    let (register, class) = (self.physical(reg), Class::for_type(self.allocated.regs[reg]));
                    let size = self.allocation.size(class.file);
                    let aligned = register.start.is_multiple_of(class.align());
                    if register.file != class.file || register.units != class.units || !aligned || register.end() > size
                    {
                        wrong(Kind::Assignment(reg));
                    }
                }
                let overlap = |a: &Reg, b: &Reg| self.physical(*a).overlaps(self.physical(*b));
                if !matches!(data.op, Op::Opaque { .. })
                    && results.iter().enumerate().any(|(i, a)| results[..i].iter().any(|b| overlap(a, b)))
                {
                    wrong(Kind::Overlap);
                }
                if !self.vector(data) {
                    wrong(Kind::Vector);
                }
            }
        }
        found
    }

    fn vector(&self, data: &InstData) -> bool {
        let elements: Vec<Reg> = match &data.op {
            Op::Ld { dst, ty, .. } if dst.len() > 1 && ty.bytes() >= 4 => dst.to_vec(),
            Op::St { src, ty, .. } if src.len() > 1 && ty.bytes() >= 4 => {
                let regs: Vec<Reg> = src.iter().filter_map(|operand: &Operand| operand.reg()).collect();
                if regs.len() < src.len() {
                    return false;
                }
                regs
            }
            _ => return true,
        };
        let registers: Vec<PhysicalRegister> = elements.iter().map(|reg| self.physical(*reg)).collect();
        let units: u32 = registers.iter().map(|register| register.units).sum();
        let consecutive = registers.windows(2).all(|pair| pair[0].end() == pair[1].start);
        consecutive && registers[0].start.is_multiple_of(units.next_power_of_two())
    }

    /// The states at the beginnings of blocks, to a fixed point from above; then the violations of one last pass.
    fn flow(&self, found: &mut Vec<Violation>) {
        let cfg = Cfg::compute(self.allocated);
        let kills = Kills::compute(self.allocated, &cfg, self.allocation);
        let mut entry: SecondaryMap<Block, Option<State>> = SecondaryMap::new();
        entry[cfg.entry] = Some(State::default());
        let mut work = BTreeSet::from([cfg.number(cfg.entry)]);
        while let Some(number) = work.pop_first() {
            let block = cfg.order[number];
            let mut state = entry[block].clone().expect("a block in the list was reached");
            self.block(block, &mut state, &kills, &mut Vec::new());
            let successors = cfg.successors(block);
            for (at, next) in successors.iter().enumerate() {
                let is_last = at + 1 == successors.len();
                let mut arriving = if is_last { std::mem::take(&mut state) } else { state.clone() };
                kills.edge(block, *next, &mut arriving);
                let changed = match &mut entry[*next] {
                    Some(known) => known.meet(&arriving),
                    unknown => {
                        *unknown = Some(arriving);
                        true
                    }
                };
                if changed {
                    work.insert(cfg.number(*next));
                }
            }
        }
        self.check_order(&kills, found);
        for block in &self.allocated.layout {
            if let Some(state) = &mut entry[*block] {
                self.block(*block, state, &kills, found);
            }
        }
    }
}
