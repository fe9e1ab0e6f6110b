//! Resources of a kernel on its target: registers, shared memory, barriers, ways to multiply.

use super::goes_with::COPYING;
use super::{Emit, Multiplier, Prefetch, Resolved, SlotMemory};
use crate::forms::{Rates, Variant};
use diagnostics::Diagnostic;
use graph::Graph;
use graph::function_tables::POWERS;
use kernels::{Exponential, Form, Matrix};
use kinetics::approximation::range::TemperatureRange;
use machine::cost;
use machine::target::{Shuffle, Target, most_registers};
use overlay::{Codegen, Frame, Residence};
use schedule::Limits;

/// Bytes of the cache where a target's file has none (Jia et al., Dissecting the NVIDIA Volta GPU Architecture, 2018).
const CACHE_BYTES: u32 = 128 * 1024;
/// Upper bits of a double that instructions have room for, on machines that nothing else is known of.
const LITERAL_BITS: u32 = 32;

/// Slots of a group of points in global memory, more than any kernel has values.
const MOST_GLOBAL_SLOTS: u32 = 1 << 16;

/// A graph with more values than this takes minutes to be scheduled through slots that have room for a small share of them, and has hundreds of
/// phases then.
const LARGE: usize = 4000;
const SMALL_SHARE: usize = 4;

/// Most warps of a CTA, on every target.
const MOST_WARPS: u32 = 32;

impl Resolved<'_> {
    /// Errors: more warps or CTAs than the target holds.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.check_groups()?;
        self.check_residency()
    }

    /// 32-bit registers per thread, for as many CTAs per SM as wanted.
    pub fn registers(&self) -> u32 {
        most_registers(self.asked.common.target, 32 * self.cta_warps(), self.tuning.ctas_per_sm.count)
    }

    /// Errors: a CTA of more warps than there can be.
    fn check_groups(&self) -> Result<(), Diagnostic> {
        let warps = self.tuning.warps;
        let groups = self.groups();
        if warps * groups <= MOST_WARPS {
            return Ok(());
        }
        let message =
            format!("{groups} groups of {warps} warps are more than the {MOST_WARPS} warps that a CTA can have");
        let help = format!("use at most --groups-per-cta {} with --warps {warps}, or fewer warps", MOST_WARPS / warps);
        Err(Diagnostic::error("target::too-many-groups", message).help(help))
    }

    /// Errors: an SM does not hold as many CTAs as wanted, whatever their kernels need.
    fn check_residency(&self) -> Result<(), Diagnostic> {
        let (target, ctas, warps) = (self.asked.common.target, self.tuning.ctas_per_sm.count, self.cta_warps());
        if ctas * warps <= target.warps_per_sm && ctas <= target.blocks_per_sm {
            return Ok(());
        }
        let message = format!(
            "{ctas} CTAs of {warps} warps do not fit on an SM of {}, which holds {} warps in at most {} CTAs",
            target.name, target.warps_per_sm, target.blocks_per_sm
        );
        let most = (target.warps_per_sm / warps).min(target.blocks_per_sm);
        let help = format!("use at most --ctas-per-sm {most} with {warps} warps per CTA, or fewer warps");
        Err(Diagnostic::error("target::too-many-ctas", message).help(help))
    }

    /// Whether values may pass between warps in global memory: the launch function then takes a workspace, which those of the steps have.
    fn may_have_global_slots(&self) -> bool {
        self.asked.common.target.is_nvidia()
            && self.kernel.is_step()
            && self.codegen != Codegen::DataParallel
            && self.tuning.slots != SlotMemory::Shared
    }

    /// Returns the limits to try for a graph with so many values, the nearest memory first. Shared memory comes first, unless it is far too
    /// small for a large graph. Next come the slots that the SM's share of the L2 cache has room for besides, and last the most slots.
    pub fn rooms(&self, limits: &Limits, values: usize) -> Vec<Limits> {
        let Some(slots) = limits.slots.filter(|_| self.may_have_global_slots()) else { return vec![*limits] };
        let in_shared = limits.in_shared.unwrap_or(slots);
        let most = if limits.in_shared.is_some() { slots } else { MOST_GLOBAL_SLOTS };
        let beyond = |slots| Limits { slots: Some(slots), in_shared: Some(in_shared), ..*limits };
        let cached = in_shared + self.cached_slots();
        let mut rooms = Vec::new();
        let is_hopeless = values > LARGE && values > SMALL_SHARE * slots as usize;
        if limits.in_shared.is_none() && !is_hopeless {
            rooms.push(*limits);
        }
        if cached < most && !limits.straight {
            rooms.push(beyond(cached));
        }
        rooms.push(beyond(most));
        rooms
    }

    /// Slots of a group of points that the SM's share of the L2 cache has room for.
    fn cached_slots(&self) -> u32 {
        let target = self.asked.common.target;
        let cache = target.pipeline.as_ref().map_or(0, |pipeline| pipeline.memory.l2_bytes);
        let groups = target.board.multiprocessors * self.tuning.ctas_per_sm.count * self.groups();
        cache / (256 * self.points() * groups).max(1)
    }

    /// Warps that share the work on a group of points.
    pub fn cooperating_warps(&self) -> u32 {
        if self.codegen == Codegen::DataParallel { 1 } else { self.tuning.warps }
    }

    /// Warps of a CTA, or of each of its groups. A thread of a CPU is alone.
    pub fn warps(&self) -> u32 {
        if self.asked.common.target.is_cpu() { 1 } else { self.tuning.warps }
    }

    /// Groups of cooperating warps in a CTA, of code that has such groups: as many as share a wave, or a multiple.
    pub fn groups(&self) -> u32 {
        let per_wave = self.asked.common.target.warps_per_wave();
        if self.codegen == Codegen::DataParallel { 1 } else { self.tuning.groups_per_cta.next_multiple_of(per_wave) }
    }

    /// Warps of a CTA, of all its groups.
    pub fn cta_warps(&self) -> u32 {
        self.tuning.warps * self.groups()
    }

    /// Returns the options that decide the graph, as far as they are known before the form is chosen.
    pub fn options(&self) -> kernels::Options {
        kernels::Options {
            warps: self.cooperating_warps(),
            stage_inputs: true,
            form: Form::Pairwise,
            fit_tolerance: self.asked.common.tolerance(),
            fit_range: TemperatureRange::DEFAULT,
            stiffness: self.asked.common.stiffness,
            qssa_warps: self.tuning.qssa_warps.map(|n| n.min(self.tuning.warps)),
            state: self.asked.common.state,
            outputs: self.asked.common.outputs,
            soret: self.asked.common.soret,
            storage: self.asked.common.jacobian_storage,
            with_rates: self.asked.emit.contains(&Emit::Pelephysics),
            integrator: self.asked.common.integrator,
            units: self.asked.common.units,
            activities: true,
            exponential: self.exponential(),
            matrix: Matrix::Dfma,
            precision: self.asked.common.precision.kernels.of_graph(),
            states: self.states(),
        }
    }

    /// Functions of one point look powers up, as their code is of scalars.
    fn exponential(&self) -> Exponential {
        if self.asked.calls_functions() { Exponential::Table } else { exponential(self.asked.common.target) }
    }

    /// Doubles of running states that a thread has room for, at each of its points.
    fn states(&self) -> u32 {
        if self.codegen == Codegen::DataParallel {
            return u32::MAX;
        }
        cost::doubles_beside_short_lived(self.registers(), self.points())
    }

    /// Returns the options that decide the graph of a form.
    pub fn options_of(&self, Variant { form, matrix }: Variant) -> kernels::Options {
        kernels::Options { form, matrix, ..self.options() }
    }

    /// The ways to multiply with constant matrices. Data-parallel code has no shared memory through which lanes could
    /// exchange points.
    pub fn matrices(&self) -> Vec<Matrix> {
        let slots = self.asked.common.target.slots_per_matrix_product();
        let dmma = slots.map(|slots| Matrix::Dmma { slots }).filter(|_| self.codegen != Codegen::DataParallel);
        match (self.tuning.matrix, dmma) {
            (Some(Multiplier::Dmma), Some(dmma)) => vec![dmma],
            (None, Some(dmma)) => vec![Matrix::Dfma, dmma],
            _ => vec![Matrix::Dfma],
        }
    }

    /// Where the constants of warp-specialized code live. Shuffles are the paper's answer to a machine that reads indexed
    /// constants into registers slowly; where the lanes of a warp are not in lockstep, a warp has registers of its own for them. Straight code
    /// reads each constant once in a turn: where no instruction has it as an operand, shared memory is nearer than the caches of the bank.
    pub fn residence(&self) -> Residence {
        let target = self.asked.common.target;
        let loads_constants = target.pipeline.as_ref().is_some_and(|of| !of.constants.are_operands_of_doubles);
        let by_target = match target.shuffle {
            _ if loads_constants && self.codegen == Codegen::Straight => Residence::SharedWhereFew,
            Shuffle::ShflSync | Shuffle::Permute => Residence::BankAndStriped,
            Shuffle::Mirror | Shuffle::Shfl => Residence::Striped,
        };
        self.tuning.constants.unwrap_or(by_target)
    }

    /// Returns the bytes of an SM's cache for code and constants.
    pub fn cache_bytes(&self) -> u32 {
        self.asked.common.target.pipeline.as_ref().map_or(CACHE_BYTES, |pipeline| pipeline.fetch.l1_bytes)
    }

    fn literal_bits(&self) -> u32 {
        let pipeline = self.asked.common.target.pipeline.as_ref();
        pipeline.and_then(|pipeline| pipeline.constants.literal_bits).unwrap_or(LITERAL_BITS)
    }

    /// Returns the bytes of shared memory for a CTA.
    pub fn shared_bytes(&self) -> u32 {
        let (target, ctas) = (self.asked.common.target, self.tuning.ctas_per_sm.count);
        target.shared_bytes_per_cta.min(target.shared_bytes_per_sm / ctas - target.reserved_shared_bytes_per_cta)
    }

    /// The target copies from global to shared memory while it computes.
    pub fn target_copies_ahead(&self) -> bool {
        (COPYING.has)(self.asked.common.target)
    }

    /// Bytes of shared memory for inputs that are copied while another group of points is computed, where the target copies
    /// asynchronously.
    pub fn staging_bytes(&self) -> Option<u32> {
        let left = || self.shared_bytes() - power_bytes(self.asked.common.target);
        (self.target_copies_ahead() && self.tuning.prefetch == Prefetch::On).then(left)
    }

    /// Returns the rates by which forms are weighed.
    pub fn rates(&self) -> Rates {
        let striped = self.residence() == Residence::Striped && self.codegen != Codegen::DataParallel;
        Rates::new(self.asked.common.target, striped, self.registers(), self.points())
    }

    /// Whether the values of straight code are too many for its slots, so that sums take their terms where they are made.
    pub fn is_crowded(&self, graph: &Graph, limits: &Limits) -> bool {
        let exceeds = |slots| mapping::partial_sums::is_crowded(graph, slots);
        self.codegen == Codegen::Straight && limits.slots.is_some_and(exceeds)
    }

    /// Returns the resources that the overlay of a schedule within these limits has; `is_crowded`: groups of warps may meet at barriers of their own.
    pub fn frame(&self, limits: &Limits, is_crowded: bool) -> Frame {
        Frame {
            warps: self.warps(),
            groups: self.groups(),
            registers: self.registers(),
            points_per_lane: limits.points_per_lane,
            literal_bits: self.literal_bits(),
            cache_bytes: self.cache_bytes(),
            shared_bytes: self.shared_bytes(),
            staging_bytes: self.staging_bytes(),
            barriers: if is_crowded { limits.barriers } else { 0 },
        }
    }

    /// Returns the limits of one CTA.
    pub fn limits(&self) -> Limits {
        let (target, ctas, points_per_lane) = (self.asked.common.target, self.tuning.ctas_per_sm.count, self.points());
        if self.codegen == Codegen::DataParallel {
            let (states, straight) = (self.states(), false);
            return Limits { slots: None, in_shared: None, barriers: 0, states, points_per_lane, straight, target };
        }
        // Whether there are doubles and integers to broadcast is known only when the program is there.
        let striped = self.residence() == Residence::Striped;
        let taken = target.mirror_bytes_per_warp(striped, striped) * self.cta_warps() + power_bytes(target);
        let shared = self.shared_bytes().saturating_sub(taken);
        let barriers = target.named_barriers_per_cta.min(target.barrier_pool() / ctas);
        let is_global = self.tuning.slots == SlotMemory::Global && self.may_have_global_slots();
        let room = if is_global { MOST_GLOBAL_SLOTS } else { shared / (256 * points_per_lane * self.groups()) };
        Limits {
            slots: Some(room),
            in_shared: is_global.then_some(0),
            barriers,
            states: self.states(),
            points_per_lane,
            straight: self.codegen == Codegen::Straight,
            target,
        }
    }
}

/// Bytes of shared memory that the table of powers takes where a kernel reads it.
fn power_bytes(target: &Target) -> u32 {
    if exponential(target) == Exponential::Table { 8 * POWERS as u32 } else { 0 }
}

/// Machines without shuffles have little shared memory, too.
fn exponential(target: &Target) -> Exponential {
    if target.shuffle == Shuffle::Mirror { Exponential::Polynomial } else { Exponential::Table }
}
