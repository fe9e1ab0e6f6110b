//! Limits of the target for a kernel: the number of CTAs that an SM holds, and the least time of a point.

use serde::Serialize;

use crate::verify::Verification;
use machine::cost::{Bound, Executed, Spread, Work};
use machine::target::{self, Target};
use overlay::program::{Array, Execution, Program};
use sass::{Class, Pipe};
use warpsim::machine_code::Counts;

/// Residency on an SM, and times on the target's well-known board, none of which is a measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machine {
    /// Registers per thread that this reckons with: those of the compiler, else of our allocator, else the estimate.
    pub registers: u32,
    /// `ptxas`, `clang`, `allocated` or `estimated`
    pub registers_from: &'static str,
    pub ctas_per_sm: u32,
    pub warps_per_sm: u32,
    /// Resident warps, of those that an SM can hold.
    pub occupancy: f64,
    pub limited_by: Vec<&'static str>,
    pub board: String,
    /// Bytes that a point must read and write: every input and output once.
    pub bytes_per_point: u64,
    /// Time per point in ns in which the board moves these bytes; not a number where no board is published.
    pub bandwidth_floor_ns: f64,
    /// Time per point in ns in which the board issues the double-precision slots; where the kernel was simulated.
    pub slots_floor_ns: Option<f64>,
    /// Time per point in ns of the busiest of: double-precision slots, shuffles, passes over shared memory, memory traffic
    /// as simulated. A bound.
    pub busiest_pipe_ns: Option<f64>,
    /// Time per point in ns as estimated from counts of the simulated PTX: of the busiest pipe, and of what latency, waiting and code
    /// add to it.
    pub estimated_ns: Option<f64>,
    /// Work and spread that the estimate is made of.
    #[serde(skip)]
    pub counts: Option<(Work, Spread)>,
    /// Time per point in ns by the model of the SM, where it ran the machine code.
    pub predicted_ns: Option<f64>,
    /// Lower bound on what the machine code takes of an SM, where it was run.
    pub bound: Option<Bound>,
    /// The same as time per point in ns; no less than what the memory of the board takes.
    pub bound_ns: Option<f64>,
    /// The best of predicted and estimated time over the larger floor.
    pub over_floor: Option<f64>,
}

impl Machine {
    /// The time per point in ns: predicted, else estimated.
    pub fn nanoseconds(&self) -> Option<f64> {
        self.predicted_ns.or(self.estimated_ns)
    }

    /// The time below which the board cannot come.
    pub fn floor_ns(&self) -> f64 {
        self.slots_floor_ns.map_or(self.bandwidth_floor_ns, |slots| slots.max(self.bandwidth_floor_ns))
    }

    /// The same with what the machine code was seen to execute.
    /// `results`: of double precision that wait for each other, by each point; `groups`: of 32 points that a CTA has under way.
    pub fn bounded(self, turns: Turns<'_>, results: u64, groups: u32, target: &Target) -> Self {
        let groups = f64::from(groups * self.ctas_per_sm.max(1));
        let executed = Executed { chain: results as f64 / groups, ..turns.executed() };
        let bound = Bound::new(&executed, target);
        let bound_ns = Some(bound.nanoseconds(target).max(self.bandwidth_floor_ns));
        Self { bound: Some(bound), bound_ns, ..self }
    }

    /// The same with the time that the model of an SM predicts, which is no less than what the memory of the board takes.
    pub fn predicted(self, nanoseconds: f64) -> Self {
        let nanoseconds = nanoseconds.max(self.bandwidth_floor_ns);
        let over_floor = Some(nanoseconds / self.floor_ns());
        Self { predicted_ns: Some(nanoseconds), over_floor, ..self }
    }
}

/// Counts of the warps of a CTA in turns of the streaming loop, and the points done in these turns.
#[derive(Debug, Clone, Copy)]
pub struct Turns<'a> {
    pub counts: &'a [Counts],
    pub points: u32,
}

impl Turns<'_> {
    /// Returns what is executed for 32 points.
    fn executed(&self) -> Executed {
        let each = |count: &dyn Fn(&Counts) -> u64| {
            let all: u64 = self.counts.iter().map(count).sum();
            32.0 * all as f64 / f64::from(self.points.max(1))
        };
        Executed {
            issued: each(&|counts| counts.instructions),
            doubles: each(&|counts| counts.pipes[Pipe::Double]),
            matrix_multiply_adds: each(&|counts| counts.matrix_multiply_adds),
            shuffles: each(&|counts| counts.classes[Class::Shuffles]),
            shared_wavefronts: each(&|counts| counts.shared_wavefronts),
            local_bytes: each(&|counts| counts.local_bytes),
            chain: 0.0,
        }
    }
}

/// Resources that a kernel needs, before the real compilers have seen it.
#[derive(Clone, Copy)]
pub struct Needs {
    pub registers_estimated: u32,
    /// Bytes of shared memory of a CTA.
    pub shared_bytes: u32,
    pub named_barriers: u32,
    /// Instructions of PTX.
    pub text: u64,
    /// Rows of the output that it stores, where other kernels store the rest.
    pub stored: Option<usize>,
}

/// A kernel with its needs: registers per thread, bytes of shared memory and named barriers of a CTA.
pub fn machine(
    target: &Target,
    program: &Program,
    Needs { registers_estimated, shared_bytes, named_barriers, text, stored }: Needs,
    compiled: Option<(u32, &'static str)>,
    verification: Option<&Verification>,
) -> Machine {
    let estimated = (registers_estimated.min(target.max_registers_per_thread), "estimated");
    let (registers, registers_from) = compiled.unwrap_or(estimated);
    let threads = 32 * program.execution.warps();
    let needs = target::Kernel { threads, registers_per_thread: registers, shared_bytes, named_barriers };
    let occupancy = target::occupancy(target, needs);
    let mut limited_by = occupancy.limiting();
    let mut ctas_per_sm = occupancy.blocks;
    if let Some(by_barriers) = target.barrier_pool().checked_div(named_barriers)
        && by_barriers <= ctas_per_sm
        && !limited_by.contains(&"named barriers")
    {
        if by_barriers < ctas_per_sm {
            limited_by.clear();
        }
        limited_by.push("named barriers");
        ctas_per_sm = by_barriers;
    }
    let warps_per_sm = ctas_per_sm * program.execution.warps();
    let rows = |a: &Array| stored.filter(|_| a.output).map_or(u64::from(a.rows), |rows| rows as u64);
    let bytes_per_point: u64 = program.arrays.iter().map(|a| a.io.bytes() * rows(a)).sum();
    let nanoseconds = |work: Work| work.nanoseconds(target);
    let is_published = target.amd().is_none_or(|amd| amd.board.is_some());
    let floor = nanoseconds(Work { device_bytes: bytes_per_point as f64, ..Work::default() });
    let bandwidth_floor_ns = if is_published { floor } else { f64::NAN };
    let work = verification.map(|v| Work {
        slots: v.slots_per_point,
        shuffles: v.shuffles_per_point,
        shared_passes: v.shared_passes_per_point,
        global_bytes: v.global_bytes_per_point,
        device_bytes: bytes_per_point as f64,
        local_bytes: v.local_bytes_per_point,
        instructions: v.instructions_per_point,
    });
    let slots_floor_ns =
        work.filter(|_| is_published).map(|work| nanoseconds(Work { slots: work.slots, ..Work::default() }));
    let spread = verification.map(|v| spread(program, ctas_per_sm, v.barriers_per_group, text));
    let counts = work.zip(spread);
    // Latencies of AMD's machines are not published.
    let estimated_ns =
        counts.filter(|_| !target.is_amd()).map(|(work, spread)| work.estimated_nanoseconds(&spread, target));
    let machine = Machine {
        registers,
        registers_from,
        ctas_per_sm,
        warps_per_sm,
        occupancy: f64::from(warps_per_sm) / f64::from(target.warps_per_sm),
        limited_by,
        board: target.board.name.clone(),
        bytes_per_point,
        bandwidth_floor_ns,
        slots_floor_ns,
        busiest_pipe_ns: work.filter(|_| is_published).map(nanoseconds),
        estimated_ns,
        counts,
        predicted_ns: None,
        bound: None,
        bound_ns: None,
        over_floor: None,
    };
    Machine { over_floor: estimated_ns.map(|time| time / machine.floor_ns()), ..machine }
}

/// Returns the kernel's spread over an SM with so many CTAs; `barriers` are those of all warps per 32 points.
fn spread(program: &Program, ctas_per_sm: u32, barriers: f64, text: u64) -> Spread {
    let points_per_lane = program.points_per_lane;
    let (warps_per_group, groups) = match program.execution {
        Execution::WarpSpecialized { warps, groups } => (warps, groups * ctas_per_sm),
        Execution::DataParallel { warps } => (1, warps * ctas_per_sm),
    };
    let barriers = barriers * f64::from(points_per_lane) / f64::from(warps_per_group);
    let constants = &program.constants;
    let constant_bytes = if constants.in_constant_memory() { constants.bank_bytes() as u64 } else { 0 };
    let warps_per_barrier = warps_per_group * program.execution.warp_groups();
    Spread { warps_per_group, warps_per_barrier, groups, points_per_lane, barriers, text, constant_bytes }
}
