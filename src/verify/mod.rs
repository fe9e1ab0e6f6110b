//! Runs a lowered kernel in the simulator on physical states, and compares its outputs twice. They must have the bits
//! of the dataflow graph in the order of the proven schedule; this finds any wrong constant, operand or order. They
//! must agree with the reference evaluator within the tolerance of the design; this finds a wrong graph. A compiler's
//! PTX of the printed text is checked in the same way, and so is its machine code, whose time is predicted.

mod judge;
mod machine_code;
mod on_amd;
mod reactor;
mod reactor_on_cpu;
mod reactor_on_gpu;
mod reactor_time;
mod simulate;
mod single;
mod synchronisation;
mod text;
mod text_on_cpu;
mod time;

use serde::Serialize;

use diagnostics::Diagnostic;
use graph::Graph;
use kernels::Kernel;
use kinetics::{self, Model, Stiffness};
use machine::cost::DIVISION_SLOTS;
use mapping::Mapping;
use overlay::program::Program;
use ptx::Module;
use schedule::proof::Proven;

pub use judge::{Progress, largest_error, reference, states, tolerance, with_least};
pub use machine_code::{MachineCode, MachineCodeVerification, verify_machine_code};
pub use on_amd::{CodeOnAmd, CodeOnAmdVerification, run_on_amd, verify_on_amd};
pub use reactor::{ReactorSubject, ReactorVerification, reactor_options};
pub use reactor_on_cpu::ReactorCall;
pub use reactor_on_gpu::{Call, Part, Pipeline, simulate_reactors, steady_call};
pub use reactor_time::{KernelTime, time_steps};
pub use simulate::{Shape, inputs, launch, requested_at_launch, simulate};
pub use single::verify_single;
pub use synchronisation::{prove_launch, prove_printed};
pub use text::{TextVerification, verify_text};
pub use text_on_cpu::{Points, TextOnCpu, TextOnCpuVerification};
pub use time::{Cube, Prediction, Settled, predict, sensitivity, steady};

/// Result of simulating a kernel. "Per point" counts warp instructions per 32 points, summed over the warps: each of
/// them works on 32 points, or more where a lane has several. Groups that are not full count as full ones.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    pub states: usize,
    /// Relative for transport, relative to the gross rate for chemistry.
    pub largest_error: f64,
    pub tolerance: f64,
    /// Error of single precision against double, where the kernel's text has it; proven to be no more than the plan's bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_error: Option<f64>,
    /// Matrix products on tensor cores are among them, as many as their rate is worth.
    pub slots_per_point: f64,
    pub matrix_products_per_point: f64,
    pub shuffles_per_point: f64,
    pub shared_passes_per_point: f64,
    pub barriers_per_group: f64,
    pub barrier_waits_per_group: f64,
    pub local_bytes_per_point: f64,
    pub global_bytes_per_point: f64,
    pub instructions_per_point: f64,
    pub classes_per_point: ClassesOfPtx,
}

/// Warp instructions of PTX by what they are for. Machine instructions are others: as counts of those they are estimates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassesOfPtx {
    /// Operations on real numbers, with comparisons of them.
    pub arithmetic: f64,
    /// Operations on integers, with comparisons of them.
    pub addresses: f64,
    pub moves: f64,
    pub branches: f64,
    pub shuffles: f64,
    pub shared: f64,
    pub local: f64,
    pub global: f64,
    pub constant: f64,
    pub barrier: f64,
}

/// Everything that verification looks at.
pub struct Subject<'a> {
    pub kernel: Kernel,
    pub model: &'a Model,
    pub stiffness: Stiffness,
    pub graph: &'a Graph,
    pub mapping: &'a Mapping,
    pub proven: &'a Proven,
    pub program: &'a Program,
    pub module: &'a Module,
}

/// Verifies a kernel on `states` states. It takes more if these are too few to run the streaming loop twice, with
/// several points per lane or groups of warps per CTA, or to have both sides of every intermediate temperature. A last
/// group that is not full and a stride larger than the number of points are part of the test.
///
/// Errors: hazards in the simulator, an output that differs from the graph's or is too far from the reference.
pub fn verify(subject: &Subject<'_>, states: usize) -> Result<Verification, Vec<Diagnostic>> {
    verify_with(subject, states, &|_, _| ())
}

/// The same, and tells its progress.
///
/// Errors: those of [`verify`].
pub fn verify_with(
    subject: &Subject<'_>,
    states: usize,
    progress: Progress<'_>,
) -> Result<Verification, Vec<Diagnostic>> {
    let Subject { kernel, model, graph, program, .. } = *subject;
    let least = match (program.points_per_lane, program.execution.warp_groups()) {
        (1, 1) => 1,
        // in the second turn the first group of warps alone has points, and not for all lanes
        (_, groups) => groups * program.points_per_group() + 6,
    };
    let enough = if !kernel.is_transport() { kinetics::enough_states(model) } else { 1 };
    let states = judge::states(model, graph, program, states.max(least as usize).max(enough));
    let expected = judge::expected_on(subject, &states, progress);
    let stride = states.len() + 5;
    let warps = program.execution.warps();
    let (shared, io) = (requested_at_launch(subject.module), program.io());
    let shape = Shape { ctas: 1, warps, stride, shared, io, workspace: program.workspace_bytes_per_cta() };
    let (outputs, counts) = simulate::launch(subject.module, &program.symbol, (model, graph), &states, shape, None)?;
    let points = states.len();
    let made = judge::Outputs::with_bits(&outputs, points, stride);
    let largest_error = judge::judge(subject, "the simulated kernel", &states, &expected, &made)?;
    let points = program.padded(states.len() as u32);
    let per = |count: fn(&warpsim::Counts) -> u64| counts.per_point(count, points);
    Ok(Verification {
        states: states.len(),
        largest_error,
        tolerance: judge::allowed(subject),
        single_error: None,
        slots_per_point: per(|c| c.double_slots)
            + f64::from(graph.slots_per_matrix_product()) * per(|c| c.matrix_products),
        matrix_products_per_point: per(|c| c.matrix_products),
        shuffles_per_point: per(|c| c.shuffles),
        shared_passes_per_point: per(|c| c.shared_passes),
        barriers_per_group: per(|c| c.barriers),
        barrier_waits_per_group: per(|c| c.barrier_waits),
        local_bytes_per_point: per(|c| c.local_bytes) / 32.0,
        global_bytes_per_point: per(|c| c.global_load_bytes + c.global_store_bytes) / 32.0,
        instructions_per_point: per(|c| c.instructions),
        classes_per_point: ClassesOfPtx {
            arithmetic: per(|c| c.double_slots - u64::from(DIVISION_SLOTS - 1) * c.long_doubles)
                + per(|c| c.singles + c.matrix_products),
            addresses: per(|c| c.integer),
            moves: per(|c| c.moves),
            branches: per(|c| c.branches),
            shuffles: per(|c| c.shuffles),
            shared: per(|c| c.shared),
            local: per(|c| c.local),
            global: per(|c| c.global),
            constant: per(|c| c.constant_loads),
            barrier: per(|c| c.barriers),
        },
    })
}
