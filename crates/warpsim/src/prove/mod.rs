//! Proves the synchronisation of a kernel for one launch: no deadlock, safe recycling of barriers, no race on shared memory
//! (the three properties of Sharma, Bauer and Aiken, PLDI 2015).
//!
//! The kernel is executed once with its data unknown: what comes from buffers, from shared or local memory or from an
//! unknown instruction has no value, and nothing that matters may depend on it. A branch on such a value is passed when
//! no way to the place where its lanes meet synchronises, accesses shared memory or ends. If every use of a barrier happens
//! after the previous use of it was complete, the barriers pair up alike in every interleaving, so one execution decides.
//!
//! From sm_70 on the lanes of a warp are threads of their own as well: they wait for each other only where an instruction names
//! them, and what one leaves in shared memory another may take only behind a barrier of both.
//!
//! What depends on data and matters is listed; a kernel with such a list is not proven.

mod known;
mod order;
mod partial;
mod region;

use super::decode;
use super::exec::{Collector, Machine};
use super::hazard::Hazard;
use super::memory::Segments;
use super::shared::Shared;
use super::warp::Warp;
use super::{Argument, Launch, cta};
use known::Known;
pub(super) use partial::Partial;
use ptx::inst::Type;
use ptx::ir::{Func, Module, ParamData, ParamKind};

/// What the analysis found for one kernel and launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub kernel: String,
    /// Violations of the properties.
    pub violations: Vec<Hazard>,
    /// What depends on data and could matter.
    pub not_analysed: Vec<String>,
    /// What is taken for granted: that loops end although their number of iterations depends on data.
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
/// Violations after which it stops.
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
    let mut warps: Vec<Warp<Known>> = (0..warps).map(|index| Warp::new(index, &code)).collect();
    let mut empty = vec![super::Buffer::output(0); buffers];
    let mut machine = Machine {
        code: &code,
        shared: Shared::new(code.shared_bytes, code.shared_cell(), warps.len()),
        segments: Segments { buffers: &mut empty, tables },
        bank_bytes: 4,
        budget: BUDGET,
        cta: 0,
        arrivals: 0,
        hazards: Collector::new(MOST),
        domain: Partial::new(&code),
    };
    // the hazards and the domain's lists tell how it ended
    let _ = cta::run_grid(&mut machine, &mut warps, place, cta::Picker::until_blocked());
    Ok(Verdict {
        kernel: kernel.to_owned(),
        violations: machine.hazards.list,
        not_analysed: machine.domain.not_analysed,
        assumed: machine.domain.assumed,
        instructions: BUDGET - machine.budget,
        arrivals: machine.arrivals,
    })
}
