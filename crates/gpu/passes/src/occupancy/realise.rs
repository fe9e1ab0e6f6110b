//! A kernel at a level of occupancy: so many registers per thread, spills to shared memory as far as the level leaves room and to
//! local memory then, and padding so that the hardware gives this level and no other.

use super::padding::{MOST_STATIC, bytes_for, pad};
use super::{Demand, Level};
use crate::allocate::report::{self, Report};
use crate::allocate::spill_location::{Rewriting, Row};
use crate::allocate::{self, Algorithm, Budget, allocate, check};
use diagnostics::{Diagnostic, Source};
use machine::target::{Target, occupancy};
use ptx::cost::Model;
use ptx::ir::{Func, Module};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// How to allocate.
#[derive(Debug, Clone)]
pub struct Settings<'a> {
    pub target: &'static Target,
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
    pub predicates: u32,
    pub algorithm: Algorithm,
    pub rewriting: Rewriting,
    /// Tells what the machine code takes, of registers and of time; without it padding counts on nothing, and times are estimated.
    pub model: Option<&'a dyn Model>,
    /// The text that the module was read from, for messages.
    pub source: Option<&'a Arc<Source>>,
}

/// A kernel at a level.
#[derive(Debug, Clone)]
pub struct Version {
    pub level: Level,
    pub module: Module,
    /// The bound that `.maxnreg` gives.
    pub registers: u32,
    /// Report on the spills; `None` when every value has a register, and the code is the kernel's own.
    pub spills: Option<Report>,
    /// Bytes that the kernel takes to hold the level down, declared in the text or to be added by the launch.
    pub padding: u32,
    /// Shared memory that the launch must ask for, with what the kernel wants itself.
    pub launch_shared: u32,
    /// Declared in the text, padding included.
    pub static_shared: u32,
    /// Registers that the machine code takes, where that is known.
    pub assembled: Option<u32>,
}

impl Version {
    /// Bytes per thread in local memory, and in shared memory: a thread's own, and its share of those of its warp.
    pub fn spilled_bytes(&self) -> (u64, u64) {
        self.spills
            .as_ref()
            .map_or((0, 0), |report| (report.local_bytes, report.own_bytes + report.shared_bytes_per_warp.div_ceil(32)))
    }

    /// Values in registers or computed again, in shared memory, in local memory.
    pub fn values(&self) -> [usize; 3] {
        let of = |row: Row| self.spills.as_ref().and_then(|report| report.rows.get(&row)).map_or(0, |c| c.values);
        [of(Row::Constant) + of(Row::Affine), of(Row::Uniform) + of(Row::Residual) + of(Row::Own), of(Row::Local)]
    }
}

/// Why there is no version at a level.
#[derive(Debug, Clone)]
pub enum Refusal {
    Registers(allocate::Refusal),
    /// Nothing holds the kernel down to the level: a CTA cannot ask for so much shared memory.
    TooFewResident,
    /// The checker found the allocation wrong.
    Unproven(Vec<Diagnostic>),
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registers(refusal) => write!(f, "{refusal}"),
            Self::TooFewResident => f.write_str("no padding that a CTA may ask for keeps more of them away"),
            Self::Unproven(_) => f.write_str("the allocation is wrong"),
        }
    }
}

/// The kernel at that level.
///
/// # Errors
/// A level that needs fewer registers than an instruction takes, or that nothing holds the kernel down to.
pub fn realise(
    module: &Module,
    index: usize,
    demand: &Demand,
    level: Level,
    settings: &Settings,
) -> Result<Version, Refusal> {
    let kernel = &module.funcs[index].name;
    let room = level.shared_bytes.min(MOST_STATIC).saturating_sub(demand.shared());
    let options = allocate::Options {
        registers: level.registers,
        predicates: settings.predicates,
        algorithm: settings.algorithm,
        rewriting: settings.rewriting,
        // a word for every lane of a warp is the least that helps
        shared: Budget { bytes: if room < 256 * demand.warps() { 0 } else { room }, warps: demand.warps() },
        own_slots: demand.threads > 1,
        block: settings.block,
        ..allocate::Options::default()
    };
    let allocation = allocate(module, kernel, &options).map_err(Refusal::Registers)?;
    check::prove(&allocation, kernel, settings.source).map_err(Refusal::Unproven)?;
    let spills = (!allocation.locations.is_empty()).then(|| report::report(&allocation));
    let mut version = Version {
        level,
        module: if spills.is_some() { allocation.module } else { module.clone() },
        registers: level.registers,
        spills,
        padding: 0,
        launch_shared: demand.launch_shared,
        static_shared: 0,
        assembled: None,
    };
    bound(&mut version.module.funcs[index], level.registers);
    version.assembled = settings.model.and_then(|model| model.registers(&version.module, kernel));
    hold_down(version, index, demand, settings).ok_or(Refusal::TooFewResident)
}

/// The same code at a lower level, by padding alone. Where nothing is spilled the assembler is given the registers of that level.
///
/// # Errors
/// A level that nothing holds the kernel down to.
pub fn lower(
    version: &Version,
    index: usize,
    demand: &Demand,
    level: Level,
    settings: &Settings,
) -> Result<Version, Refusal> {
    let before = version.padding;
    let mut lowered = Version { level, padding: 0, ..version.clone() };
    if lowered.spills.is_none() {
        lowered.registers = level.registers;
        bound(&mut lowered.module.funcs[index], level.registers);
        let kernel = &lowered.module.funcs[index].name;
        lowered.assembled = settings.model.and_then(|model| model.registers(&lowered.module, kernel));
    }
    let lowered = hold_down(lowered, index, demand, settings);
    lowered.map(|version| Version { padding: before.max(version.padding), ..version }).ok_or(Refusal::TooFewResident)
}

/// Pads until the hardware gives the level, whatever number of registers the assembler takes up to the bound.
fn hold_down(version: Version, index: usize, demand: &Demand, settings: &Settings) -> Option<Version> {
    let target = settings.target;
    let own = Demand::for_kernel(&version.module, index, settings.block, demand.launch_shared)?;
    let exact = |shared: u32| {
        let (fewest, most) = version.assembled.map_or((1, version.registers), |registers| (registers, registers));
        [fewest, most].iter().all(|r| occupancy(target, own.kernel(*r, shared)).blocks == version.level.blocks)
    };
    let static_shared = own.static_shared;
    if exact(own.shared()) {
        return Some(Version { static_shared, launch_shared: own.launch_shared, ..version });
    }
    let wanted = bytes_for(target, version.level.blocks)?;
    let padding = wanted.checked_sub(own.shared()).filter(|padding| *padding > 0 && exact(wanted))?;
    if static_shared + padding <= MOST_STATIC {
        let module = pad(&version.module, index, padding);
        return Some(Version {
            module,
            padding,
            static_shared: static_shared + padding,
            launch_shared: own.launch_shared,
            ..version
        });
    }
    Some(Version { padding, static_shared, launch_shared: own.launch_shared + padding, ..version })
}

/// Bounds the registers of the kernel's machine code.
fn bound(func: &mut Func, registers: u32) {
    func.directives.retain(|text| ![".maxnreg", ".minnctapersm"].iter().any(|name| text.starts_with(name)));
    func.directives.push(format!(".maxnreg {registers}"));
}
