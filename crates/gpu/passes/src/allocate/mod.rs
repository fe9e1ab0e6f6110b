//! Register allocation to a given number of registers, with spilling that knows what is equal in all lanes of a warp:
//! Sampaio, Souza, Collange and Pereira, "Divergence analysis with affine constraints" (SBAC-PAD 2012), section 4.
//!
//! The result is the same kernel with few registers and explicit spill code. [`check()`](check::check) proves it.

mod assign;
mod chaitin_briggs;
pub mod check;
mod class;
mod dead;
mod excess;
pub mod facts;
pub mod given;
mod interference;
mod linear_scan;
mod neighbours;
mod options;
mod order;
mod prepare;
mod problem;
mod prologue;
mod refusal;
pub mod report;
mod reuse;
mod slots;
mod spill;
pub mod spill_location;
mod spill_locations;
mod text;
mod vectors;

use cranelift_entity::SecondaryMap;
use facts::Facts;
use problem::{Answer, MOST_UNITS, Node, Problem};
use prologue::{Owner, Prologue};
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::inst::{Op, Space};
use ptx::ir::{Func, Init, Inst, Linkage, Module, Reg, Variable, VariableData};
use spill::{Areas, SpillAccess};
use spill_location::{Row, SpillLocation};
use spill_locations::Used;
use std::collections::{BTreeMap, BTreeSet};
use text::{Sizes, Text};

pub use class::{File, PhysicalRegister};
pub use options::{Algorithm, Budget, Options, Rules, Sides};
pub use refusal::{Refusal, TooFew};
use vectors::Groups;

/// An allocation, with all that its checker needs.
#[derive(Debug, Clone)]
pub struct Allocation {
    /// The module with the allocated kernel.
    pub module: Module,
    /// The kernel's position in the module.
    index: usize,
    /// Input of the allocation: the kernel without unreachable code and undefined values. Its instructions have the same numbers in the
    /// allocated kernel; spill code has higher ones.
    pub prepared: Func,
    /// Facts about the prepared kernel.
    pub facts: Facts,
    /// Physical register of each register of the allocated kernel.
    pub physical: SecondaryMap<Reg, PhysicalRegister>,
    /// Spill locations of the registers of the prepared kernel that have no physical register.
    pub locations: BTreeMap<Reg, SpillLocation>,
    /// The accesses to locations.
    pub accesses: Vec<SpillAccess>,
    /// The spill area of a thread, and of a CTA.
    pub local: Option<Variable>,
    pub shared: Option<Variable>,
    /// Where each thread has slots of its own in shared memory.
    pub own: Option<Variable>,
    /// The registers that begin the warp's part and the thread's own slots, and the instructions that compute them.
    pub base: Option<Reg>,
    /// True in the lane that writes the warp's part, where lanes are threads of their own.
    pub elected: Option<Reg>,
    pub own_base: Option<Reg>,
    pub prologue: u32,
    /// The shape of the CTA, where it is known.
    pub block: Option<[u32; 3]>,
    pub warps: u32,
    pub sides: Sides,
    registers: u32,
    predicates: u32,
}

impl Allocation {
    /// The allocated kernel.
    pub fn func(&self) -> &Func {
        &self.module.funcs[self.index]
    }

    /// The registers of a file that were given.
    pub fn size(&self, file: File) -> u32 {
        match file {
            File::General => self.registers,
            File::Predicate => self.predicates,
        }
    }

    /// The registers of a file that are used: the highest one and those below.
    pub fn used(&self, file: File) -> u32 {
        let physical = self.func().regs.keys().map(|reg| self.physical[reg]);
        physical.filter(|register| register.file == file).map(PhysicalRegister::end).max().unwrap_or(0)
    }
}

/// Allocates the registers of one kernel.
pub fn allocate(module: &Module, kernel: &str, options: &Options) -> Result<Allocation, Refusal> {
    if options.registers > MOST_UNITS || options.predicates > MOST_UNITS {
        return Err(Refusal::TooMany);
    }
    let index = module.funcs.iter().position(|f| f.name == kernel && !f.is_declaration()).ok_or(Refusal::NoKernel)?;
    let (prepared, groups) = prepare::run(&module.funcs[index]);
    let facts = facts::compute(module.sm, &prepared, options);
    let attempt = |shared, reuse| {
        let options = &Options { shared, ..options.clone() };
        Round::new(module, &prepared, &facts, options, reuse).run(&groups, index)
    };
    // a value that stays in its register, or the register that holds the beginning of the warp's part, may be the one too many
    let reuse = options.algorithm == Algorithm::ChaitinBriggs;
    let without = Budget { bytes: 0, ..options.shared };
    let tries = [(options.shared, reuse), (options.shared, false), (without, false)];
    let mut result = attempt(options.shared, reuse);
    for pair in tries.windows(2).filter(|pair| pair[0] != pair[1]) {
        let may_gain = |found: &Allocation| pair[0].1 && !found.locations.is_empty() && prepared.insts.len() <= SHORT;
        result = match result {
            Err(Refusal::TooFew(_)) => attempt(pair[1].0, pair[1].1),
            Ok(found) if may_gain(&found) => match attempt(pair[1].0, pair[1].1) {
                Ok(other) if report::cost(&other) < report::cost(&found) => return Ok(other),
                _ => return Ok(found),
            },
            result => return result,
        };
    }
    result
}

/// Instructions of a kernel up to which it is also allocated with a reload for each read of a spilled value: where registers are very few,
/// one that waits for the next read may have others spilled.
const SHORT: usize = 5_000;

/// How threads' own slots lie in shared memory: row by row, in each row `unit` bytes of every thread side by side, so that the lanes of a
/// warp meet no bank twice.
#[derive(Debug, Clone, Copy)]
struct OwnRows {
    unit: u32,
    threads: u32,
}

impl OwnRows {
    /// Where that byte of a thread's slots lies, from its first one.
    fn offset(self, byte: u32) -> u32 {
        byte / self.unit * self.unit * self.threads + byte % self.unit
    }
}

/// Next step of an allocation.
enum Next {
    /// Every node has a register.
    Done(Problem, SecondaryMap<Node, u32>),
    /// These go to memory, with what that was estimated to cost.
    Spill(Vec<(Reg, f64)>),
    Stuck(File),
}

/// An allocation in the making: colour, spill what found no colour, again.
struct Round<'a> {
    prepared: &'a Func,
    facts: &'a Facts,
    options: &'a Options,
    /// Whether spilled values stay in registers up to their next read where there is room.
    reuse: bool,
    module: Module,
    work: Func,
    short: BTreeSet<Reg>,
    locations: BTreeMap<Reg, SpillLocation>,
    accesses: Vec<SpillAccess>,
    local: Option<Variable>,
    shared: Option<(Variable, Prologue)>,
    own: Option<(Variable, Prologue)>,
    used: Used,
}

impl<'a> Round<'a> {
    fn new(module: &Module, prepared: &'a Func, facts: &'a Facts, options: &'a Options, reuse: bool) -> Self {
        Self {
            prepared,
            facts,
            options,
            reuse,
            module: module.clone(),
            work: prepared.clone(),
            short: BTreeSet::new(),
            locations: BTreeMap::new(),
            accesses: Vec::new(),
            local: None,
            shared: None,
            own: None,
            used: Used::default(),
        }
    }

    fn run(mut self, groups: &Groups, index: usize) -> Result<Allocation, Refusal> {
        // spill code changes no branches
        let cfg = Cfg::compute(&self.work);
        let loops = Loops::compute(&cfg, &Dominators::compute(&self.work, &cfg));
        loop {
            let (accesses, liveness) = self.analyses(&cfg);
            let text = Text { func: &self.work, accesses: &accesses, liveness: &liveness, loops: &loops };
            match self.answer(text, groups) {
                Next::Done(problem, start) => return Ok(self.finish(&problem, &start, index)),
                Next::Spill(spilled) => self.spill(&spilled, &accesses, &liveness, &loops),
                Next::Stuck(file) => {
                    return Err(Refusal::TooFew(TooFew::new(&self.module, self.prepared, file)));
                }
            }
        }
    }

    /// The analyses of the text, without what spill code made useless.
    fn analyses(&mut self, cfg: &Cfg) -> (Accesses, Liveness) {
        loop {
            let accesses = Accesses::compute(&self.work);
            let liveness = Liveness::compute(&self.work, cfg, &accesses);
            if self.locations.is_empty() || !dead::run(&mut self.work, &liveness, &accesses, self.prepared.insts.len())
            {
                return (accesses, liveness);
            }
        }
    }

    fn answer(&self, text: Text, groups: &Groups) -> Next {
        let Options { registers, predicates, algorithm, .. } = *self.options;
        let sizes = Sizes { general: registers, predicates };
        let colours = algorithm == Algorithm::ChaitinBriggs;
        if colours {
            let kept = self.short.iter().chain(groups.iter().flatten()).copied().collect();
            let spilled = excess::find(text, &kept, sizes);
            if !spilled.is_empty() {
                return Next::Spill(spilled);
            }
        }
        let asked = interference::Asked { groups, short: &self.short, sizes, neighbours: colours };
        let problem = interference::problem(text, &asked);
        let answer = if colours { chaitin_briggs::allocate(&problem) } else { linear_scan::allocate(&problem) };
        match answer {
            Answer::Assigned(start) => Next::Done(problem, start),
            Answer::Spill(nodes) => {
                let members = |node: Node| {
                    let data = &problem.nodes[node];
                    data.members.iter().map(move |(reg, _)| (*reg, data.cost.unwrap_or(0.0)))
                };
                Next::Spill(nodes.into_iter().flat_map(members).collect())
            }
            Answer::Stuck(node) => Next::Stuck(problem.nodes[node].class.file),
        }
    }

    fn spill(&mut self, spilled: &[(Reg, f64)], accesses: &Accesses, liveness: &Liveness, loops: &Loops) {
        let sides = self.sides();
        let block = self.prepared.threads.or(self.options.block);
        let locations = spill_locations::decide(self.prepared, self.facts, self.options, &mut self.used, spilled);
        if self.local.is_none() && locations.values().any(|location| matches!(location, SpillLocation::Local { .. })) {
            self.local = Some(self.area("singe_spill_local", Space::Local));
        }
        if self.shared.is_none() && locations.values().any(|location| location.row().shared()) {
            let area = self.area("singe_spill_shared", Space::Shared);
            let prologue =
                prologue::insert(&mut self.work, area, Owner::Warp, block, sides, |reg| _ = self.short.insert(reg));
            self.shared = Some((area, prologue));
        }
        if self.own.is_none() && locations.values().any(|location| location.row() == Row::Own) {
            let area = self.area("singe_spill_own", Space::Shared);
            let prologue =
                prologue::insert(&mut self.work, area, Owner::Thread, block, sides, |reg| _ = self.short.insert(reg));
            self.own = Some((area, prologue));
        }
        let base = |area: Option<(Variable, Prologue)>| area.map(|(_, prologue)| prologue.base);
        let elected = self.shared.and_then(|(_, prologue)| prologue.elected);
        let (shared, own, unit) = (base(self.shared), base(self.own), self.facts.unit);
        let areas = Areas { local: self.local, base: shared, elected, own, unit };
        let mut spared = SecondaryMap::new();
        if self.reuse {
            let text = Text { func: &self.work, accesses, liveness, loops };
            let sizes = Sizes { general: self.options.registers, predicates: self.options.predicates };
            spared = reuse::find(text, &locations, reuse::room(sizes));
        }
        let done = spill::run(&mut self.work, &locations, areas, &spared);
        self.short.extend(done.short);
        self.accesses.extend(done.accesses);
        self.locations.extend(locations);
    }

    fn area(&mut self, name: &str, space: Space) -> Variable {
        let (name, linkage) = (self.module.unused_name(name), Linkage::Internal);
        self.module.variables.push(VariableData { name, linkage, space, align: 8, bytes: 0, init: Init::None })
    }

    fn finish(mut self, problem: &Problem, start: &SecondaryMap<Node, u32>, index: usize) -> Allocation {
        self.offsets();
        let mut work = std::mem::replace(&mut self.work, Func::new(""));
        let (physical, names) = assign::run(&mut work, problem, start, |inst| self.splits(inst));
        self.module.funcs[index] = work;
        Allocation {
            module: self.module,
            index,
            prepared: self.prepared.clone(),
            facts: self.facts.clone(),
            physical,
            locations: self.locations,
            accesses: self.accesses,
            local: self.local,
            shared: self.shared.map(|(area, _)| area),
            own: self.own.map(|(area, _)| area),
            base: self.shared.and_then(|(_, prologue)| names[prologue.base]),
            elected: self.shared.and_then(|(_, prologue)| names[prologue.elected?]),
            own_base: self.own.and_then(|(_, prologue)| names[prologue.base]),
            prologue: [self.shared, self.own].iter().flatten().map(|(_, prologue)| prologue.length).sum(),
            block: self.prepared.threads.or(self.options.block),
            warps: self.options.shared.warps,
            sides: self.facts.sides,
            registers: self.options.registers,
            predicates: self.options.predicates,
        }
    }

    /// Gives every slot its offset, now that all are known.
    fn offsets(&mut self) {
        let accessed: BTreeSet<Reg> =
            self.accesses.iter().filter(|access| access.inst.is_some()).map(|access| access.reg).collect();
        let of = |inside: fn(Row) -> bool| -> BTreeMap<Reg, u32> {
            let chosen = self.locations.iter().filter(|(reg, at)| inside(at.row()) && accessed.contains(reg));
            chosen.map(|(reg, _)| (*reg, spill_locations::slot_bytes(self.prepared, *reg))).collect()
        };
        let (local, own, shared) = (of(|row| row == Row::Local), of(|row| row == Row::Own), of(Row::shared));
        let (mut offsets, local_bytes) = slots::assign(self.prepared, &local, &BTreeSet::new());
        let (own_offsets, own_bytes) = slots::assign(self.prepared, &own, &BTreeSet::new());
        let rows = OwnRows { unit: own.values().copied().max().unwrap_or(4), threads: 32 * self.options.shared.warps };
        offsets.extend(own_offsets.iter().map(|(reg, offset)| (*reg, rows.offset(*offset))));
        let regs = shared.keys().copied().collect();
        let apart =
            slots::on_two_sides(self.prepared, &regs, &self.facts.divergent, self.facts.sides, self.options.rules);
        let (shared_offsets, part) = slots::assign(self.prepared, &shared, &apart);
        offsets.extend(shared_offsets);
        for (reg, location) in &mut self.locations {
            if let SpillLocation::Local { offset }
            | SpillLocation::Shared { offset }
            | SpillLocation::Own { offset }
            | SpillLocation::Residual { offset, .. } = location
            {
                *offset = offsets.get(reg).copied().unwrap_or_default();
            }
        }
        for access in &self.accesses {
            let Some(inst) = access.inst else { continue };
            if let Op::Ld { space: Space::Local | Space::Shared, addr, .. } | Op::St { addr, .. } =
                &mut self.work.insts[inst].op
            {
                addr.offset = i64::from(offsets[&access.reg]);
            }
        }
        self.order(&offsets);
        if let Some(area) = self.local {
            self.module.variables[area].bytes = u64::from(local_bytes.next_multiple_of(8).max(8));
        }
        if let Some((area, prologue)) = self.shared {
            let part = part.next_multiple_of(8).max(8);
            prologue::resize(&mut self.work, prologue, part);
            self.module.variables[area].bytes = u64::from(part) * u64::from(self.options.shared.warps);
        }
        if let Some((area, prologue)) = self.own {
            prologue::resize(&mut self.work, prologue, rows.unit);
            let bytes = own_bytes.next_multiple_of(rows.unit).max(rows.unit);
            self.module.variables[area].bytes = u64::from(bytes) * u64::from(rows.threads);
        }
    }

    /// How the sides of branches run, as far as the rules heed it.
    fn sides(&self) -> Sides {
        if self.options.rules == Rules::Published { Sides::OneByOne } else { self.facts.sides }
    }

    /// Orders the accesses to what belongs to a warp, where its lanes are threads of their own.
    fn order(&mut self, offsets: &BTreeMap<Reg, u32>) {
        if self.sides() == Sides::OneByOne {
            return;
        }
        let shared = self.accesses.iter().filter(|access| self.locations[&access.reg].row().shared());
        let touches = shared.filter_map(|access| {
            let inst = access.inst?;
            let (begin, bytes) = (offsets[&access.reg], spill_locations::slot_bytes(self.prepared, access.reg));
            Some((inst, order::Touch { begin, end: begin + bytes, store: access.store }))
        });
        order::insert(&mut self.work, &touches.collect());
    }

    /// Whether a copy makes a value of which only the uniform part is kept: what it copies is not known in two parts, and spill code
    /// behind it takes the value apart.
    fn splits(&self, inst: Inst) -> bool {
        match self.prepared.insts.get(inst).map(|data| &data.op) {
            Some(Op::Unary { dst, .. }) => matches!(self.locations.get(dst), Some(SpillLocation::Residual { .. })),
            _ => false,
        }
    }
}
