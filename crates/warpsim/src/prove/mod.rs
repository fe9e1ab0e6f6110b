//! Proves the synchronisation of a kernel for one launch: no deadlock, safe recycling of barriers, no race on shared memory
//! (the three properties of Sharma, Bauer and Aiken, PLDI 2015).
//!
//! The kernel is executed once with its data unknown: what comes from buffers, from shared or local memory or from an
//! unknown instruction has no value, and nothing that matters may depend on it. A branch on such a value is passed when
//! no way to the place where its lanes meet synchronises, accesses shared memory or ends. If every use of a barrier happens
//! after the previous use of it was complete, the barriers pair up alike in every interleaving, so one execution decides.
//! What depends on data and matters is listed; a kernel with such a list is not proven.

mod execute;
mod lockstep;
mod region;
mod state;

use super::barrier::{Barriers, Outcome as Arrival, join};
use super::decode::{self, Code};
use super::exec::Event;
use super::hazard::{BarrierMisuse, Hazard, Kind, Wait};
use super::memory::Segments;
use super::shared::Shared;
use super::warp::{Place, State};
use super::{Argument, Launch};
use execute::{Abort, Executor};
use lockstep::Lockstep;
use ptx::inst::{BarKind, Type};
use ptx::ir::{Func, Module, ParamData, ParamKind};
use state::Thread;

/// What the analysis found for one kernel and launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub kernel: String,
    /// Violations of the properties.
    pub violations: Vec<Hazard>,
    /// What depends on data and could matter.
    pub not_analysed: Vec<String>,
    /// What is taken for granted: that loops end although their number of iterations depends on data, and from sm_70 on that
    /// lanes of a warp run in lockstep where they hand values to each other and nothing orders them.
    pub assumed: Vec<String>,
    /// Warp instructions that were executed.
    pub instructions: u64,
    /// Uses of barriers: arrivals of warps.
    pub arrivals: u64,
}

impl Verdict {
    /// Whether all three properties hold.
    pub fn proven(&self) -> bool {
        self.violations.is_empty() && self.not_analysed.is_empty()
    }
}

/// Warp instructions after which the analysis gives up.
const BUDGET: u64 = 1 << 27;
/// Violations, and places not analysed, after which it stops.
const MOST: usize = 16;

/// Arguments for a kernel of which only the synchronisation matters: pointers for all 64-bit parameters, `integer` for the others.
pub fn arguments(func: &Func, integer: u32) -> Vec<Argument> {
    let argument = |(i, data): (usize, &ParamData)| match (data.count, data.ty) {
        (Some(_), _) => Argument::Bytes(vec![0; usize::try_from(data.bytes().min(1 << 16)).unwrap_or(0)]),
        (None, Type::F32 | Type::F64) => Argument::U64(0),
        (None, ty) if ty.bytes() == 8 => Argument::Buffer(i),
        (None, ty) => Argument::U32(integer & ty.mask() as u32),
    };
    func.params_of(ParamKind::Input).map(|(_, data)| data).enumerate().map(argument).collect()
}

/// Analyses the kernel for that launch. Buffers are known by number only.
///
/// # Errors
/// The module has no such kernel, or the launch does not fit it.
pub fn prove(module: &Module, kernel: &str, launch: &Launch) -> Result<Verdict, String> {
    let func = module.func(kernel).ok_or("the module has no such kernel")?;
    launch.check(func.threads, usize::MAX)?;
    let buffers = func.params.len();
    let mut code = decode::decode(module, func, launch, buffers).map_err(|kind| kind.to_string())?;
    let tables = std::mem::take(&mut code.tables);
    let place = launch.place();
    let warps = place.size().div_ceil(32) as usize;
    let mut threads: Vec<Thread> = (0..warps).map(|index| Thread::new(index, &code)).collect();
    let mut empty = vec![super::Buffer::output(0); buffers];
    let mut executor = Executor {
        code: &code,
        shared: Shared::new(code.shared_bytes, code.shared_cell(), warps),
        lockstep: code.independent_lanes().then(|| Lockstep::new(code.shared_bytes, code.shared_cell())),
        segments: Segments { buffers: &mut empty, tables },
        regions: std::collections::HashMap::new(),
        seen: std::collections::HashSet::new(),
        cta: 0,
        budget: BUDGET,
        verdict: Verdict {
            kernel: kernel.to_owned(),
            violations: Vec::new(),
            not_analysed: Vec::new(),
            assumed: Vec::new(),
            instructions: 0,
            arrivals: 0,
        },
    };
    for cta in 0..place.ctas.iter().product() {
        executor.cta = cta;
        executor.shared.reset();
        let before: Vec<u32> = threads.iter().map(|t| t.warp.clock[t.warp.index]).collect();
        for thread in &mut threads {
            thread.start(&code, Place { cta, ..place });
            thread.warp.clock[..before.len()].copy_from_slice(&before);
            thread.warp.clock[thread.warp.index] += 1;
        }
        let mut block = Cta::new(&mut executor, &mut threads, place.size());
        if let Err(Abort) = block.run() {
            break;
        }
    }
    executor.verdict.instructions = BUDGET - executor.budget;
    Ok(executor.verdict)
}

struct Cta<'a, 'm, 'b> {
    executor: &'a mut Executor<'m, 'b>,
    threads: &'a mut [Thread],
    barriers: Barriers,
    /// Warps and times of arrival of the current and of the previous use of each barrier.
    current: [Vec<(usize, u32)>; 16],
    previous: [Vec<(usize, u32)>; 16],
    /// Warp, barrier and program counter of those that wait.
    waits: Vec<(usize, u32, u32)>,
}

impl<'a, 'm, 'b> Cta<'a, 'm, 'b> {
    fn new(executor: &'a mut Executor<'m, 'b>, threads: &'a mut [Thread], size: u32) -> Self {
        let (current, previous) = Default::default();
        let barriers = Barriers::new(size, executor.code.independent_lanes());
        Self { executor, threads, barriers, current, previous, waits: Vec::new() }
    }

    fn run(&mut self) -> Result<(), Abort> {
        loop {
            let mut progress = false;
            for index in 0..self.threads.len() {
                while self.threads[index].warp.state == State::Ready {
                    progress = true;
                    match self.executor.run(&mut self.threads[index])? {
                        Event::Barrier { pc, kind, id, threads } => self.arrive(index, pc, kind, id, threads)?,
                        _ => self.barriers.end().into_iter().for_each(|(id, done)| self.settle(index, 0, id, done)),
                    }
                }
            }
            if !progress {
                return self.check_end();
            }
        }
    }

    fn arrive(&mut self, index: usize, pc: u32, kind: BarKind, id: u32, threads: Option<u32>) -> Result<(), Abort> {
        let warp = &mut self.threads[index].warp;
        let clock = warp.clock;
        if let Some((unseen, _)) = self.previous.get(id as usize).and_then(|p| p.iter().find(|(p, t)| clock[*p] < *t)) {
            let misuse = BarrierMisuse::Recycled { unseen: *unseen as u32 };
            self.executor.violation(warp, pc, Kind::Barrier { id, misuse })?;
        }
        let outcome = match self.barriers.arrive(kind, id, threads, index, &clock) {
            Ok(outcome) => outcome,
            Err(misuse) => {
                self.executor.violation(warp, pc, Kind::Barrier { id, misuse })?;
                return Err(Abort);
            }
        };
        self.executor.verdict.arrivals += 1;
        self.current[id as usize].push((index, clock[index]));
        warp.clock[index] += 1;
        self.settle(index, pc, id, outcome);
        Ok(())
    }

    /// What comes of it that warp `index` came to the barrier, or ended.
    fn settle(&mut self, index: usize, pc: u32, id: u32, outcome: Arrival) {
        let warp = &mut self.threads[index].warp;
        match outcome {
            Arrival::Continue => {}
            Arrival::Wait => {
                warp.state = State::Waiting;
                self.waits.push((index, id, pc));
            }
            Arrival::Complete { released, clock, .. } => {
                for index in released {
                    let warp = &mut self.threads[index].warp;
                    warp.state = State::Ready;
                    join(&mut warp.clock, &clock);
                }
                self.waits.retain(|(_, barrier, _)| *barrier != id);
                self.previous[id as usize] = std::mem::take(&mut self.current[id as usize]);
            }
        }
    }

    /// All warps must have ended, and no barrier may be in use.
    fn check_end(&mut self) -> Result<(), Abort> {
        let code: &Code = self.executor.code;
        let cta = self.executor.cta;
        let mut found = Vec::new();
        if !self.waits.is_empty() {
            let wait = |(warp, barrier, pc): &(usize, u32, u32)| {
                let phase = self.barriers.incomplete().find(|(id, _)| id == barrier);
                let (arrived, expected) = phase.map_or((0, 0), |(_, b)| (b.arrived, b.expected));
                Wait { site: code.site(*warp as u32, *pc), barrier: *barrier, arrived, expected }
            };
            let ended = self.threads.iter().filter(|t| t.warp.state == State::Exited);
            let exited = ended.map(|t| t.warp.index as u32).collect();
            found.push(Kind::Deadlock { waits: self.waits.iter().map(wait).collect(), exited });
        }
        for (id, barrier) in self.barriers.incomplete().filter(|(_, b)| b.waiting.is_empty()) {
            let misuse = BarrierMisuse::Unmatched { arrived: barrier.arrived, expected: barrier.expected };
            found.push(Kind::Barrier { id, misuse });
        }
        let clean = found.is_empty();
        let hazards = found.into_iter().map(|kind| Hazard { cta, site: None, kind });
        self.executor.verdict.violations.extend(hazards);
        if clean { Ok(()) } else { Err(Abort) }
    }
}
