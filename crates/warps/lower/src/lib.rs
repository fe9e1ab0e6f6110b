//! From a kernel's overlaid program to its typed code, which CUDA text and PTX are printed from.
#![forbid(unsafe_code)]

mod body;
pub mod code;
mod fetches;
mod fold;
mod frame;
mod lane_order;
mod lockstep;
pub mod named_barriers;
mod prefetch;
mod rounding;
mod spills;
mod uses;

use code::{BankSpace, Code, Integer, Registers, SlotSpace, Slots, Statement, Table, TableKind, Values};
use graph::function_tables::{self, POWERS};
use machine::cost::{self, RegisterPressure};
use machine::target::Target;
use overlay::program::{Arithmetic, Bank, Execution, Program};
use std::collections::BTreeSet;

/// Lowers one kernel for a machine.
///
/// A launch passes the arrays in the order of [`Program::arrays`], the number of points and the distance between the
/// fields of an array. Lanes beyond the last point compute the last point again and store nothing.
pub fn lower(program: &Program, target: &Target) -> Code {
    let (mut body, mut needs) = body::lower(program, target);
    let (mut vars, mut spilled) = (program.vars.clone(), 0);
    if let Some(made) = registers_of_spills(program, target)
        .and_then(|own| spills::spilled(&body, &mut vars, own, target.max_registers_per_thread))
    {
        (body, spilled) = (made.body, made.places);
    }
    let staged = program.staging_bytes.and_then(|bytes| staged(program, &body, bytes));
    needs.lane |= staged.is_some();
    let slots = slots(program, &needs, staged.as_ref(), target);
    let mut prologue = frame::prologue(program, &needs, target);
    let mut stream = frame::stream(program, &needs, body);
    if let Some(plan) = &staged {
        let next = |group: Integer| frame::points(program, &group);
        prologue.extend(plan.prologue(rows_before_inputs(program), &stream, &next));
        stream.body = plan.body(&stream, &next);
    }
    if program.is_in_step() {
        stream.body = lockstep::body(stream.body);
    }
    if staged.is_some() && program.constants.shared {
        stream.body = lane_order::body(stream.body);
    }
    Code {
        kernel: program.kernel.clone(),
        symbol: program.symbol.clone(),
        arithmetic: program.arithmetic,
        execution: program.execution,
        points_per_lane: program.points_per_lane,
        arrays: program.arrays.clone(),
        vars,
        spilled,
        counters: program.counters,
        registers: Registers { reals: program.constants.real_registers, indices: program.constants.index_registers },
        bank_entries: [program.constants.real_bank.len(), program.constants.index_bank.len()],
        banks: match &program.constants {
            constants if constants.shared => BankSpace::Shared,
            constants if constants.in_constant_memory() => BankSpace::Constant,
            _ => BankSpace::Global,
        },
        tables: tables(program, &needs, target.warps_per_wave() as usize),
        mirror_bytes: program.mirror_bytes(target),
        power_bytes: power_bytes(&needs),
        prologue,
        stream,
        named_barriers: None,
        slots,
        workspace_bytes_per_cta: program.workspace_bytes_per_cta(),
        contents: program.contents.clone(),
    }
}

/// Registers of a thread for which spill code is made: compilers of AMD and of CPUs have more places for numbers than a thread of NVIDIA's.
fn registers_of_spills(program: &Program, target: &Target) -> Option<u32> {
    let is_nvidia = !target.is_cpu() && target.amd().is_none();
    let is_double = program.arithmetic == Arithmetic::Double && program.io() == kernels::Io::Double;
    program.registers.filter(|_| is_nvidia && is_double && program.is_straight_line())
}

/// How inputs come to shared memory while another group is computed, where that has room.
fn staged(program: &Program, body: &[Statement], bytes: u32) -> Option<prefetch::Plan> {
    let plan = prefetch::plan(body).filter(|_| program.is_straight_line())?;
    let rows = rows_before_inputs(program) + plan.rows() * program.execution.warps();
    (program.row_bytes() * rows <= bytes).then_some(plan)
}

fn rows_before_inputs(program: &Program) -> u32 {
    program.slots_in_place() + program.shared_rows().iter().sum::<u32>()
}

/// Parts that the frame must provide for the body.
#[derive(Debug, Default)]
struct Needs {
    /// Striped registers.
    reals: BTreeSet<u32>,
    indices: BTreeSet<u32>,
    /// Those of them that are loaded in the streaming loop.
    reloaded_reals: BTreeSet<u32>,
    reloaded_indices: BTreeSet<u32>,
    real_bank: bool,
    index_bank: bool,
    powers: bool,
    logarithms: bool,
    warp: bool,
    /// Banks in which warps have entries of their own.
    own: BTreeSet<Bank>,
    lane: bool,
    /// Numbers of the lane's points: those that are loaded, and those of which the body asks whether they exist.
    points: BTreeSet<u32>,
    active: BTreeSet<u32>,
    /// Registers are short: what tells a thread its place is computed again and again.
    recomputes: bool,
}

/// More static shared memory than this does not compile; a larger amount is asked for at launch.
const STATIC_SHARED_BYTES: u32 = 48 * 1024;

/// Returns the bytes of shared memory for the table of powers.
fn power_bytes(needs: &Needs) -> u32 {
    if needs.powers { 8 * POWERS as u32 } else { 0 }
}

fn slots(program: &Program, needs: &Needs, staged: Option<&prefetch::Plan>, target: &Target) -> Slots {
    let most = STATIC_SHARED_BYTES - power_bytes(needs);
    let inputs = staged.map_or(0, prefetch::Plan::rows) * program.execution.warps();
    let rows = rows_before_inputs(program) + inputs;
    let number = program.slot_number();
    match program.execution {
        Execution::DataParallel { .. } if program.is_straight_line() => {
            let are_dynamic = program.row_bytes() * rows > most;
            let space = SlotSpace::Shared;
            let first_global = None;
            Slots { count: inputs, rows, pitch: 32, number, space, first_global, are_dynamic, are_volatile: false }
        }
        Execution::WarpSpecialized { .. } => {
            let pitch = program.pitch();
            let are_dynamic = 8 * pitch * rows + program.mirror_bytes(target) > most;
            let (count, space, first_global) = (program.slots_per_cta(), SlotSpace::Shared, program.first_global);
            Slots { count, rows, pitch, number, space, first_global, are_dynamic, are_volatile: false }
        }
        Execution::DataParallel { .. } => {
            // Whether they are more than a thread has registers for, beside what lives shortly.
            let held = RegisterPressure { doubles: program.slots, integers: 0 };
            let needed = held.registers() + cost::short_lived(program.points_per_lane);
            let are_volatile = needed > target.max_registers_per_thread;
            let space = SlotSpace::Local;
            let (count, first_global) = (program.slots, None);
            Slots { count, rows, pitch: 1, number, space, first_global, are_dynamic: false, are_volatile }
        }
    }
}

/// The tables that the code reads.
fn tables(program: &Program, needs: &Needs, warps_per_wave: usize) -> Vec<Table> {
    let constants = &program.constants;
    // A striped table has an entry for each thread of the CTA: groups of warps have the same ones, and stand beside each other where they share
    // waves.
    let (span, groups) = (32 * program.execution.roles() as usize, program.execution.warp_groups() as usize);
    let in_wave = warps_per_wave.min(groups);
    let copies_banks = constants.shared;
    // Banks are read by whole warps at one address, which is what constant memory is for; but it is small.
    let is_constant = constants.in_constant_memory();
    let reals = |is_read: bool, kind, is_constant, values: &[f64]| {
        (is_read && !values.is_empty()).then(|| Table { kind, is_constant, values: Values::Reals(values.to_vec()) })
    };
    let integers = |is_read: bool, kind, is_constant, values: &[i32]| {
        (is_read && !values.is_empty()).then(|| Table { kind, is_constant, values: Values::Integers(values.to_vec()) })
    };
    let logarithms: Vec<f64> = function_tables::LOGARITHMS.iter().flat_map(|&(c, l)| [c, l]).collect();
    let tables = [
        reals(!needs.reals.is_empty(), TableKind::Reals, false, &striped(&constants.reals, span, groups, in_wave)),
        integers(
            !needs.indices.is_empty(),
            TableKind::Indices,
            false,
            &striped(&constants.indices, span, groups, in_wave),
        ),
        reals(needs.real_bank || copies_banks, TableKind::RealBank, is_constant, &constants.real_bank),
        integers(needs.index_bank || copies_banks, TableKind::IndexBank, is_constant, &constants.index_bank),
        reals(needs.logarithms, TableKind::Logarithms, false, &logarithms),
        reals(needs.powers, TableKind::Powers, false, &std::array::from_fn::<f64, POWERS, _>(function_tables::power)),
    ];
    tables.into_iter().flatten().collect()
}

/// The entries of all threads: those of a warp as often as groups share its wave, and those of all of these as often as there are groups.
fn striped<T: Copy>(values: &[T], span: usize, groups: usize, in_wave: usize) -> Vec<T> {
    repeated(&repeated(values, 32, in_wave), span * in_wave, groups / in_wave)
}

/// The values with each run of `span` of them so many times in a row.
fn repeated<T: Copy>(values: &[T], span: usize, times: usize) -> Vec<T> {
    values.chunks(span).flat_map(|run| run.repeat(times)).collect()
}

#[cfg(test)]
mod tests;
