//! Proves the synchronisation of a kernel for one launch: no deadlock, safe recycling of barriers, no race on shared memory
//! (the three properties of Sharma, Bauer and Aiken, PLDI 2015).
//!
//! The kernel is executed once with its data unknown: values from buffers, from shared or local memory or from an unknown
//! instruction. Nothing that synchronises may depend on them. Both sides of a branch on such a value are executed. An access
//! under such a guard may happen or not, and one at such an address may touch any element of its array: possible races are
//! listed. If every use of a barrier happens after the previous use of it was complete, the barriers pair up alike in every
//! interleaving, so one execution decides.
//!
//! From sm_70 on the lanes of a warp are threads of their own as well: they wait for each other only where an instruction names
//! them, and one lane may take another's value from shared memory only behind a barrier of both.
//!
//! Operations that depend on data and matter are listed; a kernel with such a list is not proven.

mod aborts;
mod agreed;
mod answers;
mod anywhere;
mod arguments;
mod arrays;
mod assumption;
mod choices;
mod common;
mod counted;
mod endless;
mod flags;
mod groups;
mod kept;
mod known;
mod needed;
mod order;
mod own_stores;
mod partial;
mod peeks;
mod pointers;
mod region;
mod sides;
mod spins;
mod tensors;
mod verdict;
mod waits;
mod witness;
mod worlds;

use super::decode;
use super::exec::{Asynchronous, Collector, Machine};
use super::hazard::Hazard;
use super::memory::Segments;
use super::place::Place;
use super::shared::Shared;
use super::warp::Warp;
use super::{Launch, cta};
pub use arguments::{argument, arguments};
pub use assumption::Assumption;
use common::{Apart, Common, MOST_ROUNDS};
use decode::Code;
use flags::Flags;
use known::Known;
use own_stores::OwnStores;
use partial::CHANGES_TABLE;
pub(super) use partial::Partial;
use ptx::inst::{InstData, Op, Operand, Space, Special};
use ptx::ir::{Func, Module, ParamKind};
use spins::Spins;
use std::collections::{BTreeMap, BTreeSet};
use tensors::Tensors;
use verdict::MOST;
pub use verdict::{Status, Verdict};
use witness::Watch;
pub use witness::{Action, Interval, Part, Step, Who, Witness};
use worlds::World;

/// Cost at which [`prove`] gives up, which takes a few seconds at most. A warp instruction costs 1, one that accesses shared
/// memory or that threads execute together 8, and an atomic 64.
pub const BUDGET: u64 = 1 << 24;

/// Part of the budget, as its reciprocal, that goes to executing loops iteration by iteration.
const BOUNDED_SHARE: u64 = 4;

/// Analyses the kernel for that launch. Buffers are known by number only.
///
/// # Errors
/// The module has no such kernel, or the launch does not fit it.
pub fn prove(module: &Module, kernel: &str, launch: &Launch) -> Result<Verdict, String> {
    prove_within(module, kernel, launch, BUDGET)
}

/// As [`prove`], with another budget than [`BUDGET`].
///
/// # Errors
/// Those of [`prove`].
pub fn prove_within(module: &Module, kernel: &str, launch: &Launch, budget: u64) -> Result<Verdict, String> {
    let func = kernel_for(module, kernel, launch)?;
    let given = given(module, func, launch, budget)?;
    let Executed { mut verdict, spent, chosen, given, .. } = witnessed(module, func, launch, budget, given)?;
    if verdict.holds() {
        let enough = spent.saturating_mul(2).max(1 << 10).min(budget);
        let holds = |trial: &Launch| {
            executed(module, func, trial, enough, &given, chosen).is_ok_and(|executed| executed.verdict.holds())
        };
        let needed = needed::needed(func, launch, holds);
        let inputs: Vec<_> = func.params_of(ParamKind::Input).map(|(_, data)| data).collect();
        let parameter = |at: usize| {
            let (name, value) = (inputs[at].name.clone(), launch.arguments[at].clone());
            Assumption::Parameter { name, value }
        };
        verdict.assumed.splice(0..0, needed.into_iter().map(parameter));
    }
    let dynamic = module.variables.values().any(|data| data.space == Space::Shared && data.bytes == 0);
    let dynamic = dynamic || reads(module, Special::DynamicSmemSize);
    verdict.assumed.splice(0..0, assumption::of_launch(launch, dynamic || launch.shared > 0));
    Ok(verdict)
}

/// As [`prove`], without the search for the parameters that the proof needs, which repeats it several times: the assumptions leave out what
/// the launch decides.
///
/// # Errors
/// Those of [`prove`].
pub fn prove_launch(module: &Module, kernel: &str, launch: &Launch) -> Result<Verdict, String> {
    let func = kernel_for(module, kernel, launch)?;
    let given = given(module, func, launch, BUDGET)?;
    Ok(witnessed(module, func, launch, BUDGET, given)?.verdict)
}

/// Returns the kernel, if the launch fits it.
fn kernel_for<'m>(module: &'m Module, kernel: &str, launch: &Launch) -> Result<&'m Func, String> {
    let func = module.func(kernel).ok_or("the module has no such kernel")?;
    launch.check(func.threads, usize::MAX)?;
    Ok(func)
}

/// Analyses the kernel; a violation has a witness.
fn witnessed(module: &Module, func: &Func, launch: &Launch, budget: u64, given: Given) -> Result<Executed, String> {
    let mut found = executed(module, func, launch, budget, &given, true)?;
    let other = |found: &Executed| match found.with_changing_tables() {
        Some(given) => Ok(Some(given)),
        None => with_short_copies(module, func, launch, budget, found),
    };
    let mut next = other(&found)?;
    while let Some(given) = next {
        let again = executed(module, func, launch, budget, &given, true)?;
        next = other(&again)?;
        // a condition leads to no violation of its own
        let refuted = given.most_out.is_none() && !again.verdict.violations.is_empty();
        if again.verdict.holds() || refuted {
            (found, next) = (again, None);
        } else if let Some(most) = given.most_out {
            let told = again.verdict.violations.first();
            let told =
                told.map(|what| format!("if copies of tensors out of shared memory read at most {most} bytes, {what}"));
            found.verdict.not_analysed.splice(0..0, told);
        } else {
            // what else the kernel lacks
            found = again;
        }
    }
    let violations = &found.verdict.violations;
    if !violations.is_empty() {
        let watched = Some((Watch::new(violations), violations.as_slice()));
        found.verdict.witnesses = once(module, func, launch, budget, &found.given, None, watched)?.witnesses;
    }
    Ok(found)
}

/// Facts that other executions of the kernel have shown.
#[derive(Clone, Default)]
struct Given {
    tensors: Tensors,
    /// Whether the kernel may change the tables of the module in global memory, so that their values are unknown.
    tables_change: bool,
    /// The most bytes that a copy of a tensor out of shared memory reads, as a condition.
    most_out: Option<u64>,
}

/// Returns the sizes of copies of tensors that share a phase, where they can be told apart.
fn given(module: &Module, func: &Func, launch: &Launch, budget: u64) -> Result<Given, String> {
    let copies =
        |data: &InstData| matches!(&data.op, Op::Opaque { opcode, .. } if opcode.starts_with("cp.async.bulk.tensor."));
    if !func.insts.values().any(copies) {
        return Ok(Given::default());
    }
    let gathering = Given { tensors: Tensors::gathering(), ..Given::default() };
    let (gathered, shared) = once(module, func, launch, budget, &gathering, None, None)?.tensors;
    Ok(Given { tensors: gathered.solved(shared), ..Given::default() })
}

/// A verdict over all executions.
struct Executed {
    verdict: Verdict,
    spent: u64,
    /// Whether branches on values that all threads agree on were followed.
    chosen: bool,
    given: Given,
    /// Places in shared memory out of which tensors are copied, with the bytes up to the next barrier in memory.
    out: BTreeMap<u64, u64>,
}

impl Executed {
    fn is_open(&self) -> bool {
        self.verdict.violations.is_empty() && !self.verdict.not_analysed.is_empty()
    }

    /// Returns that tables may change, if this is why the kernel is not proven.
    fn with_changing_tables(&self) -> Option<Given> {
        let may_change = self.verdict.not_analysed.iter().any(|what| what.ends_with(CHANGES_TABLE));
        let new = self.is_open() && may_change && !self.given.tables_change;
        new.then(|| Given { tables_change: true, ..self.given.clone() })
    }
}

/// Returns the condition that copies of tensors out of shared memory end where the next one begins, or a barrier in memory lies, if the
/// kernel is not proven without.
fn with_short_copies(
    module: &Module,
    func: &Func,
    launch: &Launch,
    budget: u64,
    found: &Executed,
) -> Result<Option<Given>, String> {
    if !found.is_open() || found.out.is_empty() || found.given.most_out.is_some() {
        return Ok(None);
    }
    // the shortest copies let the execution come to all places
    let shortest = Given { most_out: Some(16), ..found.given.clone() };
    let out = once(module, func, launch, budget, &shortest, None, None)?.out;
    let distances = out.keys().zip(out.keys().skip(1)).map(|(place, next)| next - place);
    let distances = distances.chain(out.values().copied().filter(|room| *room != u64::MAX));
    Ok(distances.min().map(|least| Given { most_out: Some(least), ..shortest }))
}

/// Executes the kernel with all results of reductions and all branches on data unknown. If that decides nothing, executes it for
/// each way that they may turn out; with `choose` also if there are no reductions.
fn executed(
    module: &Module,
    func: &Func,
    launch: &Launch,
    budget: u64,
    given: &Given,
    choose: bool,
) -> Result<Executed, String> {
    let given = given.clone();
    let Outcome { mut verdict, spent, parted, out, .. } = once(module, func, launch, budget, &given, None, None)?;
    let reduces = |data: &InstData| matches!(data.op, Op::BarRed { .. } | Op::Vote { .. });
    let choose = parted && choose || func.insts.values().any(reduces);
    if verdict.holds() || !verdict.violations.is_empty() || !choose {
        return Ok(Executed { verdict, spent, chosen: false, given, out });
    }
    let mut left = budget - spent;
    // loops as one iteration for all, then iteration by iteration
    for bounded in [false, true] {
        if bounded {
            left = left.min(budget / BOUNDED_SHARE);
        }
        let (mut apart, mut differing) = (Apart::new(), BTreeSet::new());
        loop {
            let before = apart.len();
            let whole = worlds::all(|world| {
                let chosen = Some(Chosen { world, apart: std::mem::take(&mut apart), bounded });
                let outcome = once(module, func, launch, left, &given, chosen, None)?;
                left -= outcome.spent;
                let (world, known) = outcome.chosen.unwrap_or_default();
                apart = known;
                differing.extend(outcome.differing);
                Ok((outcome.verdict, world))
            })?;
            // values that threads turned out not to agree on are left out
            if whole.is_err() && apart.len() != before {
                continue;
            }
            match whole {
                Ok(whole) if differing.is_empty() => {
                    return Ok(Executed { verdict: whole, spent: budget - left, chosen: true, given, out });
                }
                Err(found) if bounded => differing.extend(found.first().map(|what| format!("for some data, {what}"))),
                _ => {}
            }
            differing.retain(|what| !verdict.not_analysed.contains(what));
            verdict.not_analysed.extend(differing);
            break;
        }
    }
    Ok(Executed { verdict, spent: budget, chosen: false, given, out })
}

/// Choices of one execution.
struct Chosen {
    world: World,
    apart: Apart,
    /// Whether loops are executed iteration by iteration.
    bounded: bool,
}

/// Whether some instruction reads the special register.
fn reads(module: &Module, special: Special) -> bool {
    let mut found = false;
    let insts = module.funcs.iter().flat_map(|func| func.insts.values());
    insts.for_each(|inst| inst.op.operands(|operand| found |= operand == Operand::Special(special)));
    found
}

/// Lists, for a kernel that is not proven, the special registers that do not have one value.
fn volatile(code: &Code) -> Vec<String> {
    let read = |special: Special| code.specials.iter().any(|(known, _)| *known == special);
    let names = Special::ALL.into_iter().filter(move |(special, _)| read(*special) && !special.is_fixed());
    names
        .map(|(_, name)| {
            format!("{name} counts as data: PTX does not say that the launch and the thread's place decide it")
        })
        .collect()
}

/// Lists, for a kernel that is not proven, the axes of the CTA that it reads and that have one thread: its launch may have another shape.
fn flat(code: &Code, launch: &Launch) -> Vec<String> {
    let [x, y, z] = launch.threads;
    let axes = [(Special::TidY, "%tid.y", y), (Special::TidZ, "%tid.z", z)];
    let read = |special: Special| code.specials.iter().any(|(known, _)| *known == special);
    let flat = axes.into_iter().filter(|(special, _, threads)| *threads == 1 && read(*special));
    flat.map(|(_, name, _)| format!("{name} is 0 in all threads, as CTAs of {x} x {y} x {z} threads were launched"))
        .collect()
}

/// Result of one execution.
struct Outcome {
    verdict: Verdict,
    spent: u64,
    /// Whether a branch on data was met in front of something that synchronises.
    parted: bool,
    chosen: Option<(World, Apart)>,
    witnesses: Vec<Witness>,
    /// Copies of tensors, and the bytes of shared memory.
    tensors: (Tensors, u64),
    /// Places in shared memory out of which tensors are copied, with the bytes up to the next barrier in memory.
    out: BTreeMap<u64, u64>,
    /// Values that the world takes as agreed by all threads although the kernel may change them.
    differing: Vec<String>,
}

/// Returns the assumptions of an execution about values that all threads agree on, and the loads among them that the kernel may change.
fn on_values(code: &Code, common: &Common, own_stores: &OwnStores) -> (Vec<Assumption>, Vec<String>) {
    let changed = |load: &u32| Some((*load, own_stores.changes(code, *load)?));
    let told = |(load, store): (u32, u32)| {
        let [load, store] = [load, store].map(|pc| code.site(0, pc));
        format!("{load}: threads may load different values, as `{}` may store there", store.text)
    };
    let differing = common.loads.iter().filter_map(changed).map(told).collect();
    let open = |pc: &&u32| !waits::has_counter(code, **pc);
    let loads = common.loads.iter().map(|pc| Assumption::OneValue(code.site(0, *pc)));
    let loops = common.general.iter().filter(open).map(|pc| Assumption::LoopEnds(code.site(0, *pc)));
    let cut = common.cut.iter().map(|pc| Assumption::Rounds { site: code.site(0, *pc), most: MOST_ROUNDS });
    (loads.chain(loops).chain(cut).collect(), differing)
}

/// Returns the assumptions of an execution about the machine and the launch; `registers` are those of a thread if it changes them.
fn on_machine(code: &Code, registers: Option<u32>, shares: bool) -> Vec<Assumption> {
    let lockstep = (shares && !code.independent_lanes()).then_some(Assumption::Lockstep);
    let one_cta = (code.one_cta && !code.given_cluster).then_some(Assumption::OneCta);
    lockstep.into_iter().chain(registers.map(Assumption::Registers)).chain(one_cta).collect()
}

/// Returns the hazards that were deferred, certain and doubtful ones; all are doubtful if the run has no end.
fn deferred(flags: Option<Flags>, has_ended: bool) -> (Vec<Hazard>, Vec<Hazard>) {
    let (certain, doubtful) = flags.map_or_else(Default::default, Flags::resolve);
    match has_ended {
        true => (certain, doubtful),
        // code that was not executed may have released
        false => (Vec::new(), [certain, doubtful].concat()),
    }
}

/// Returns the loops that wait for what nobody stores.
fn unmet(code: &Code, spins: &mut Spins) -> Vec<String> {
    spins.settle();
    spins.endless.iter().map(|(pc, warp)| format!("{}: {}", code.site(*warp, *pc), waits::UNMET)).collect()
}

/// Executes the kernel once, in one world; with a watch for witnesses of these violations.
fn once(
    module: &Module,
    func: &Func,
    launch: &Launch,
    budget: u64,
    given: &Given,
    chosen: Option<Chosen>,
    watched: Option<(Watch, &[Hazard])>,
) -> Result<Outcome, String> {
    let buffers = func.params.len();
    let mut code = decode::decode(module, func, launch, buffers).map_err(|kind| kind.to_string())?;
    let tables = std::mem::take(&mut code.tables);
    let place = Place { cluster: code.extents(), ..launch.place() };
    let mut warps: Vec<Warp<Known>> = (0..code.warps()).map(|index| Warp::new(index, &code)).collect();
    if chosen.is_some() {
        warps.iter_mut().for_each(|warp| warp.knowledge.keep_names(&code));
    }
    let mut empty = vec![super::Buffer::output(0); buffers];
    let (watch, watched) = watched.unzip();
    let mut machine = Machine {
        code: &code,
        shared: Shared::new(code.all_shared(), code.shared_cell(), warps.len(), code.ranks as usize),
        segments: Segments { buffers: &mut empty, tables },
        bank_bytes: 4,
        budget,
        executed: 0,
        cta: 0,
        arrivals: 0,
        asynchronous: Asynchronous::new(&code, place),
        hazards: Collector::new(MOST),
        domain: Partial::new(
            &code,
            chosen.map(|Chosen { world, apart, bounded }| Common::new(&code, world, apart, bounded)),
        ),
    };
    (machine.domain.watch, machine.domain.tensors) = (watch, given.tensors.clone());
    (machine.domain.tables_change, machine.domain.most_out) = (given.tables_change, given.most_out);
    // the hazards and the domain's lists tell how it ended
    let run = cta::run_grid(&mut machine, &mut warps, place, cta::Picker::until_blocked(), cta::ALL);
    let Partial { mut not_analysed, mut assumed, spent, shares, flags, common, parted, .. } = machine.domain;
    let (own_stores, mut spins, watch) = (machine.domain.own_stores, machine.domain.spins, machine.domain.watch);
    let (mut violations, later) = deferred(flags, run.is_ok());
    violations.append(&mut machine.hazards.list);
    not_analysed.extend(later.iter().take(MOST).map(flags::doubt));
    if let Some((warp, pc)) = spent {
        let (within, block) = code.place(pc);
        not_analysed.push(endless::describe(within, block, &code.site(warp as u32, pc), launch, machine.executed));
    }
    if run.is_ok() {
        not_analysed.extend(unmet(&code, &mut spins));
    }
    let (rests_on, differing) = common.as_ref().map(|common| on_values(&code, common, &own_stores)).unwrap_or_default();
    let registers = machine.asynchronous.pool_is_used().then(|| machine.asynchronous.thread_registers());
    assumed = [on_machine(&code, registers, shares), assumed, rests_on].concat();
    if !not_analysed.is_empty() {
        machine.asynchronous.warnings.extend(volatile(&code));
    }
    if !(violations.is_empty() && not_analysed.is_empty()) {
        machine.asynchronous.warnings.extend(flat(&code, launch));
    }
    let verdict = Verdict {
        kernel: func.name.clone(),
        violations,
        witnesses: Vec::new(),
        not_analysed,
        assumed,
        warnings: machine.asynchronous.warnings.into_iter().collect(),
        instructions: machine.executed,
        arrivals: machine.arrivals,
    };
    let chosen = common.map(|common| (common.world, common.apart));
    let watch = watch.iter().flat_map(|watch| watched.into_iter().flatten().map(|hazard| watch.witness(&code, hazard)));
    let (witnesses, spent) = (watch.collect(), budget - machine.budget);
    let (tensors, out) = ((machine.domain.tensors, code.all_shared()), machine.domain.out);
    Ok(Outcome { tensors, out, witnesses, verdict, spent, parted, chosen, differing })
}
