//! The file of one kernel around the body of its streaming loop.

use super::body::{self, Printed, comment, point_name};
use super::glue::{Template, render};
use super::{Provenance, names, tables};
use crate::overlay::program::{Array, Constants, Execution, Node, Program};
use machine::cost::{self, Held};
use machine::target::Target;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// More static shared memory than this does not compile; a larger amount is asked for at launch.
const STATIC_SHARED_BYTES: u32 = 48 * 1024;
/// A row of constants behind the slots, or a slot of data-parallel code over the lanes of a warp.
const ROW_BYTES: u32 = 32 * 8;

/// The whole file of one kernel.
///
/// A launch passes the arrays in the order of [`Program::arrays`], the number of points and the distance between the
/// fields of an array. Lanes beyond the last point compute the last point again and store nothing.
pub fn print(program: &Program, provenance: &Provenance, target: &Target) -> String {
    let names = tables::Names::new(&program.symbol);
    let printed = body::print(program, names.clone());
    let slots = Slots::new(program, target);
    let warps = program.execution.warps();
    let (first_group, group_step, groups_per_cta) = match program.execution {
        Execution::WarpSpecialized { .. } => ("blockIdx.x".to_owned(), "gridDim.x".to_owned(), 1),
        Execution::DataParallel { .. } => {
            (format!("blockIdx.x * {warps} + warp_id"), format!("gridDim.x * {warps}"), warps)
        }
    };
    let prefix = names::identifier(&provenance.mechanism);
    let context = format!("const struct {prefix}_context *context");
    let launch_parameters = std::iter::once(context).chain(pointers(program, &printed)).chain(sizes());
    let launch_parameters = launch_parameters.chain(["struct CUstream_st *stream".to_owned()]);
    let passed = printed.arrays.iter().map(String::as_str).chain(["points", "stride"]);
    let helpers = printed.needs.helpers.iter().map(|helper| helper.definition(target, warps) + "\n").collect();
    let file = File {
        header: header(program, provenance, target, &slots),
        tables: tables::definitions(program, &printed.needs, &names),
        helpers,
        dynamic_slots: if slots.dynamic {
            format!("extern __shared__ double slots[][{}];\n\n", program.pitch())
        } else {
            String::new()
        },
        threads: 32 * warps,
        ctas_per_sm: provenance.ctas_per_sm,
        symbol: &program.symbol,
        parameters: list(
            program.symbol.len() + "(".len(),
            pointers(program, &printed).map(|p| p.replace('*', "*__restrict__ ")).chain(sizes()),
        ),
        launch_parameters: list(program.symbol.len() + "extern \"C\" int _launch(".len(), launch_parameters),
        prologue: prologue(program, target, &printed, &slots, &names),
        first_group,
        more_groups: more_groups(program, &printed),
        group_step,
        groups_per_cta,
        points_per_group: program.points_per_group(),
        point: point(program, &printed),
        body: printed.text.trim_end(),
        dynamic_shared_bytes: if slots.dynamic { slots.bytes } else { 0 },
        allow_dynamic_shared: allow_dynamic_shared(&slots),
        arguments: list("  void *arguments[] = { ".len(), passed.map(|name| format!("&{name}"))),
        arrays: &printed.arrays,
        include: format!("{prefix}.h"),
        member: context_member(&program.symbol, &prefix),
    };
    render(Template::Kernel, &file)
}

#[derive(Serialize)]
struct File<'a> {
    header: String,
    tables: String,
    helpers: String,
    dynamic_slots: String,
    threads: u32,
    ctas_per_sm: u32,
    symbol: &'a str,
    parameters: String,
    launch_parameters: String,
    prologue: String,
    first_group: String,
    more_groups: String,
    group_step: String,
    groups_per_cta: u32,
    points_per_group: u32,
    point: String,
    body: &'a str,
    dynamic_shared_bytes: u32,
    allow_dynamic_shared: &'static str,
    arguments: String,
    arrays: &'a [String],
    include: String,
    member: String,
}

/// Where the slots lie and what they take.
struct Slots {
    /// Slots, and rows of constants behind them.
    rows: u32,
    row_bytes: u32,
    /// Shared memory per CTA in warp-specialized code, local memory per warp in data-parallel code.
    bytes: u32,
    /// Shared memory of the broadcasts, on machines without shuffles.
    mirror_bytes: u32,
    dynamic: bool,
}

impl Slots {
    fn new(program: &Program, target: &Target) -> Self {
        let rows = program.slots + program.constants.shared_rows().iter().sum::<u32>();
        let shared = matches!(program.execution, Execution::WarpSpecialized { .. });
        let row_bytes = if shared { 8 * program.pitch() } else { ROW_BYTES };
        let (bytes, mirror_bytes) = (rows * row_bytes, program.mirror_bytes(target));
        Self { rows, row_bytes, bytes, mirror_bytes, dynamic: shared && bytes + mirror_bytes > STATIC_SHARED_BYTES }
    }
}

fn header(program: &Program, provenance: &Provenance, target: &Target, slots: &Slots) -> String {
    let warps = program.execution.warps();
    let (execution, slot_space) = match program.execution {
        Execution::WarpSpecialized { .. } => ("warp-specialized", "shared memory per CTA"),
        Execution::DataParallel { .. } => ("data-parallel", "local memory per warp"),
    };
    let Constants { real_registers, index_registers, real_bank, index_bank, shared, .. } = &program.constants;
    let bank_space = if *shared {
        format!(" ({} bytes of shared memory per CTA)", slots.bytes - program.slots * slots.row_bytes)
    } else {
        String::new()
    };
    let mut lines = vec![
        format!("{}: {} of {}, made by singe {}", program.symbol, program.kernel, provenance.mechanism, VERSION),
        String::from("\n"),
    ];
    lines.extend(provenance.lines());
    lines.extend(provenance.form.iter().map(|form| format!("form        {form}")));
    lines.extend([
        format!("target      {} (compute capability {})", target.name, target.compute_capability),
        format!("execution   {execution}; warps per CTA: {warps}, CTAs per SM: {}", provenance.ctas_per_sm),
        format!("barriers    named barriers per CTA: {}", barriers(&program.body).len()),
        format!("constants   registers per thread: {real_registers} real, {index_registers} index"),
        format!("banks       entries: {} real, {} index{bank_space}", real_bank.len(), index_bank.len()),
        format!("slots       {} ({} bytes of {slot_space})", program.slots, program.slots * slots.row_bytes),
    ]);
    if program.points_per_lane > 1 {
        lines.push(format!("points      {} per lane", program.points_per_lane));
    }
    if slots.mirror_bytes > 0 {
        lines.push(format!("broadcasts  {} bytes of shared memory per CTA", slots.mirror_bytes));
    }
    lines.iter().map(|line| comment("", line)).collect()
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The ids of the named barriers in a part of the tree.
fn barriers(nodes: &[Node]) -> BTreeSet<u32> {
    nodes
        .iter()
        .flat_map(|node| match node {
            Node::Barrier { id, .. } => BTreeSet::from([*id]),
            Node::If { body, .. } | Node::Loop { body, .. } => barriers(body),
            Node::Switch { arms } => arms.iter().flat_map(|(_, body)| barriers(body)).collect(),
            _ => BTreeSet::new(),
        })
        .collect()
}

fn pointers(program: &Program, printed: &Printed) -> impl Iterator<Item = String> {
    program.arrays.iter().zip(&printed.arrays).map(|(array, name)| pointer(array, name))
}

/// The member of the mechanism's context that tells how many CTAs of a kernel the device holds.
pub(in crate::emit) fn context_member(symbol: &str, prefix: &str) -> String {
    let short = symbol.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).unwrap_or(symbol);
    format!("{short}_ctas")
}

/// The declaration of an array as a parameter.
pub(in crate::emit) fn pointer(array: &Array, name: &str) -> String {
    let constant = if array.output { "" } else { "const " };
    format!("{constant}double *{name}")
}

fn sizes() -> [String; 2] {
    ["int points", "int stride"].map(str::to_owned)
}

/// A list of parameters that begins at this column, broken into lines.
pub(in crate::emit) fn list(mut column: usize, items: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for item in items {
        column += item.len() + 2;
        if !out.is_empty() && column > 120 {
            out.push_str(",\n    ");
            column = 4 + item.len() + 2;
        } else if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&item);
    }
    out
}

/// What comes before the streaming loop: slots, the place of the thread, and its constants.
fn prologue(program: &Program, target: &Target, printed: &Printed, slots: &Slots, names: &tables::Names) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "  {text}").expect("writing to a string succeeds");
    let int = printed.needs.int();
    let data_parallel = matches!(program.execution, Execution::DataParallel { .. });
    if program.slots > 0 && data_parallel {
        // Compilers would keep what they can of the slots in registers, and spill.
        let volatile = if exceed_registers(program, target) { "volatile " } else { "" };
        line(format!("{volatile}double slots[{}];", program.slots));
    } else if slots.rows > 0 && !slots.dynamic {
        line(format!("__shared__ double slots[{}][{}];", slots.rows, program.pitch()));
    }
    if printed.needs.warp_id || data_parallel {
        line(format!("{int} warp_id = threadIdx.x >> 5;"));
    }
    if printed.needs.lane || !printed.needs.points.is_empty() {
        line(format!("{int} lane = threadIdx.x & 31;"));
    }
    if program.has_matrix_products() {
        line("// Points that are this lane's columns in matrix products, in the first group of 8.".to_owned());
        line("const int read_column = (lane >> 2) ^ (lane >> 4);".to_owned());
        line("const int write_column = ((lane & 3) << 1) ^ ((lane >> 1) & 1);".to_owned());
    }
    // Entry (register, warp, lane) of a striped table stands at (register * warps + warp) * 32 + lane.
    let threads = 32 * program.execution.warps();
    for register in &printed.needs.reals {
        line(if printed.needs.reloaded_reals.contains(register) {
            format!("double c{register};")
        } else {
            format!("const double c{register} = {}[{} + threadIdx.x];", names.reals, register * threads)
        });
    }
    for register in &printed.needs.indices {
        line(if printed.needs.reloaded_indices.contains(register) {
            format!("int k{register};")
        } else {
            format!("const int k{register} = {}[{} + threadIdx.x];", names.indices, register * threads)
        });
    }
    shared_banks(program, names).into_iter().for_each(&mut line);
    if printed.needs.helpers.iter().any(|helper| helper.reads_powers()) {
        line(format!("const double power = {}[threadIdx.x & 31];", names.powers));
    }
    if printed.needs.are_places_set_again() {
        line(format!("const int {} = stride;", body::GIVEN_STRIDE));
    } else {
        let group = program.points_per_group();
        line(format!("const int groups = points / {group} + (points % {group} != 0);"));
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether the slots of data-parallel code are more than a thread has registers for, beside what lives shortly.
fn exceed_registers(program: &Program, target: &Target) -> bool {
    let slots = Held { doubles: program.slots, integers: 0 };
    slots.registers() + cost::short_lived(program.points_per_lane) > target.max_registers_per_thread
}

/// Whether there is a group of this number. Where registers are short, without the number of groups.
fn more_groups(program: &Program, printed: &Printed) -> String {
    if printed.needs.are_places_set_again() {
        format!("group * {}u < (unsigned)points", program.points_per_group())
    } else {
        "group < groups".to_owned()
    }
}

/// Copies the banks to the rows behind the slots, where the program has them in shared memory.
fn shared_banks(program: &Program, names: &tables::Names) -> Vec<String> {
    let constants = &program.constants;
    let [real_rows, index_rows] = constants.shared_rows();
    let threads = 32 * program.execution.warps();
    let banks = [
        ("double", real_rows, program.slots, constants.real_bank.len(), &names.real_bank),
        ("int", index_rows, program.slots + real_rows, constants.index_bank.len(), &names.index_bank),
    ];
    let mut lines = Vec::new();
    for ((kind, rows, first, entries, table), name) in banks.into_iter().zip(tables::SHARED_BANKS) {
        if rows > 0 {
            lines.push(format!("{kind} *const {name} = ({kind} *)slots[{first}];"));
            lines.push(format!("for (int i = threadIdx.x; i < {entries}; i += {threads}) {name}[i] = {table}[i];"));
        }
    }
    if !lines.is_empty() {
        lines.push("__syncthreads();".to_owned());
    }
    lines
}

/// The lane's points in the current group.
fn point(program: &Program, printed: &Printed) -> String {
    let mut lines = Vec::new();
    for point in 0..program.points_per_lane {
        let place = body::place(program, point);
        let name = |what| point_name(program, what, point);
        if printed.needs.active.contains(&point) {
            lines.push(format!("    const bool {} = {place} < points;", name("active")));
        }
        if printed.needs.points.contains(&point) {
            let int = printed.needs.int();
            lines.push(format!("    {int} {} = min({place}, points - 1);", name("point")));
        }
    }
    lines.join("\n")
}

fn allow_dynamic_shared(slots: &Slots) -> &'static str {
    if !slots.dynamic {
        return "";
    }
    "  if (error == cudaSuccess) {\n    \
     error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_shared_bytes);\n  \
     }\n"
}
