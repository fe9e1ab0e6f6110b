//! Overlay: the warps' schedules become one program (paper section 5.1).
//!
//! All warps' sequences are traversed at once. Where the next steps of several warps have one shape, their code is
//! emitted once: constants come from striped registers, addresses from warp-indexing constants (sections 5.2 and 5.3),
//! and repetitions become loops. Where only some warps take part, a mask guards the code; neighbouring guards with
//! disjoint masks become one indirect branch.
#![forbid(unsafe_code)]

mod align;
mod branch;
mod contents;
mod layout;
mod legend;
mod loads_first;
mod merge;
mod neutral;
mod partial;
mod phases;
pub mod points;
pub mod program;
mod registers;
mod repeat;
mod straight_line;
mod stripes;
mod tables;
mod tensor;
mod translate;
mod zero_factors;

pub use layout::{Codegen, Frame, Residence};
pub use straight_line::{in_order, with_separate_entries};

use cranelift_entity::PrimaryMap;
use graph::Graph;
use machine::cost::{self, RegisterPressure};
use program::{Arithmetic, Array, Execution, Node, Program, Var};
use schedule::proof::Proven;
use schedule::{Storage, WarpMask, all_warps};
use std::collections::BTreeSet;

use partial::Plan;
use phases::Phase;
use repeat::Emitter;

/// Bytes of machine code that a statement becomes, about: in the kernels of GRI-Mech on Hopper, 50 to 130.
const STATEMENT_BYTES: usize = 64;

/// Constants take no more than one part in so many of shared memory where nobody says where they live: what they take, slots lack.
const LEAST_SHARED: usize = 6;

/// Emits a proven schedule. `symbol` names the kernel's function.
///
/// Striped constants stay in registers, unless these are too few for them and the running states.
pub fn overlay(
    graph: &Graph,
    proven: &Proven,
    codegen: Codegen,
    residence: Residence,
    symbol: &str,
    frame: Frame,
) -> Program {
    if proven.schedule().storage == Storage::Registers {
        return straight_line::program(graph, proven, residence, symbol, frame);
    }
    if residence == Residence::SharedWhereFew {
        let of = |residence| overlay(graph, proven, codegen, residence, symbol, frame);
        let program = of(Residence::Shared);
        let is_little = program.constants.bank_bytes() <= frame.shared_bytes as usize / LEAST_SHARED;
        return if is_little { program } else { of(Residence::BankAndStriped) };
    }
    let residence = if codegen == Codegen::DataParallel { Residence::ConstantBank } else { residence };
    let phases = phases::from_schedule(proven);
    let partly = (codegen == Codegen::Partial).then(|| partial::plan(graph, &phases, frame.cache_bytes as usize));
    let (program, needed) = emit(graph, proven, (&phases, partly.as_ref()), (codegen, residence), symbol, frame, false);
    if residence == Residence::BankAndStriped && !matches!(codegen, Codegen::Straight | Codegen::Switch) {
        // Constants are read once for a group of points. Where code throws them out of the cache, shuffles are faster.
        let code = partly.as_ref().map_or(branch::length(&program.body) * STATEMENT_BYTES, |plan| plan.bytes);
        if code + program.constants.bank_bytes() > frame.cache_bytes as usize {
            return overlay(graph, proven, codegen, Residence::Striped, symbol, frame);
        }
    }
    let stripes = matches!(residence, Residence::Striped | Residence::BankAndStriped);
    if needed <= frame.registers || !stripes {
        return program;
    }
    emit(graph, proven, (&phases, partly.as_ref()), (codegen, residence), symbol, frame, true).0
}

/// Leaves out arithmetic that does nothing. `temperatures`: variables that are made of the temperature alone.
fn leave_out(vars: &mut PrimaryMap<Var, String>, body: &mut Vec<Node>, temperatures: &BTreeSet<Var>) {
    neutral::leave_out(body);
    while zero_factors::leave_out(vars, body, temperatures) {
        neutral::leave_out(body);
    }
}

/// The program, and about how many registers it needs where all striped constants stay in them.
fn emit(
    graph: &Graph,
    proven: &Proven,
    (phases, partly): (&[Phase], Option<&Plan>),
    (codegen, residence): (Codegen, Residence),
    symbol: &str,
    Frame { warps, groups, points_per_lane, barriers, .. }: Frame,
    reload: bool,
) -> (Program, u32) {
    let schedule = proven.schedule();
    let execution = match codegen {
        Codegen::DataParallel => Execution::DataParallel { warps },
        Codegen::Overlay | Codegen::Partial | Codegen::Straight | Codegen::Switch => {
            Execution::WarpSpecialized { warps: schedule.warps, groups }
        }
    };
    let mut emitter = Emitter::new(graph, schedule, phases, residence, reload);
    let everybody = all_warps(schedule.warps);
    let ids = schedule.phases.iter().flat_map(|phase| &phase.syncs).map(|sync| sync.id);
    let first = ids.max().map_or(0, |id| id + 1);
    if groups > 1 && first + schedule.warps <= barriers {
        emitter.meet(first);
    }
    let mut body = emitter.preamble();
    let program_of = |emitter: &mut Emitter<'_>, warps: WarpMask| -> Vec<Node> {
        let mut nodes = Vec::new();
        for (k, phase) in (0..).zip(phases) {
            nodes.push(Node::Comment(format!("phase {}", k + 1)));
            let apart = partly.map_or(&[][..], |plan| &plan.has_copies[k as usize]);
            let code = match codegen {
                Codegen::Straight => emitter.straight_phase(k, phase, warps),
                _ => branch::merge(emitter.phase(k, phase, warps, apart)),
            };
            nodes.extend(if reload { stripes::load(code) } else { code });
            nodes.extend(phase.boundary(warps));
        }
        nodes
    };
    match codegen {
        Codegen::Overlay | Codegen::Partial | Codegen::Straight | Codegen::DataParallel => {
            body.extend(program_of(&mut emitter, everybody));
        }
        Codegen::Switch => {
            let arms = (0..schedule.warps).map(|w| (1 << w, program_of(&mut emitter, 1 << w))).collect();
            body.push(Node::Switch { arms });
        }
    }
    let arrays = graph.arrays.iter().map(Array::from).collect();
    let (states, temperatures) = (emitter.state_registers(), emitter.temperatures());
    let (mut vars, counters, constants) = emitter.finish();
    leave_out(&mut vars, &mut body, &temperatures);
    if codegen == Codegen::Straight {
        loads_first::one_phase_ahead(&mut vars, &mut body);
        loads_first::hoist(&mut vars, &mut body);
    }
    let doubles = points_per_lane * (states + graph.scalars.len() as u32) + constants.real_registers;
    let held = RegisterPressure { doubles, integers: constants.index_registers };
    let needed = held.registers() + cost::short_lived(points_per_lane);
    let program = Program {
        kernel: graph.kernel.into(),
        symbol: symbol.into(),
        arithmetic: Arithmetic::Double,
        execution,
        points_per_lane: 1,
        slots: schedule.slots,
        first_global: None,
        contents: contents::slot_contents(graph, schedule),
        arrays,
        vars,
        counters,
        constants,
        registers: None,
        staging_bytes: None,
        body,
    };
    (points::widen(program, points_per_lane), needed)
}
