//! HIP for AMD's GPUs from the typed [`Code`]: one file per kernel. Warp-specialized code is for machines with
//! named barriers, whose waves have 32 lanes, as warps have.
//!
//! The text compiles with hipcc and ROCm's headers, and with Clang alone, whose builtins then stand for what the kernel
//! takes of HIP. It is that of CUDA except for its frame:
//!
//! - A thread of data-parallel code has one point and no loop over others. Compilers for AMD would move more constants
//!   out of the loop than there are registers.
//! - Constants are visible outside of their file. So they stay in memory, scalar loads read them, and they do not
//!   become literals.
//! - Every lane stores, without a branch.

mod named_barriers;

use super::cuda::body::{self, Printed};
use super::cuda::helpers::Helper;
use super::cuda::kernel::barriers;
use super::cuda::legend;
use crate::base::dialect::Dialect;
use crate::base::glue::{Template, render};
use crate::base::numbers::Numbers;
use crate::base::parameters::{context_member, list, pointers, sizes};
use crate::base::{Provenance, comment, names, overlap, tables, wrap};
use lower::code::{Code, SlotSpace};
use machine::target::{Amd, Target};
use named_barriers::NamedBarriers;
use overlay::program::Execution;
use serde::Serialize;

/// The whole file of one kernel.
pub fn print(code: &Code, provenance: &Provenance, target: &Target, amd: &Amd) -> String {
    let names = tables::Names::new(&code.symbol);
    let (printed, dialect) = body(code, &names);
    let warps = code.execution.warps();
    let threads = 32 * warps;
    let prefix = names::identifier(&provenance.mechanism);
    let context = format!("const struct {prefix}_context *context");
    let launch_parameters = std::iter::once(context).chain(pointers(code, &printed.arrays)).chain(sizes());
    let launch_parameters = launch_parameters.chain(["struct CUstream_st *stream".to_owned()]);
    let named = NamedBarriers::from_code(code);
    let set_up = named.as_ref().map_or(String::new(), NamedBarriers::set_up);
    let passed = printed.arrays.iter().map(String::as_str).chain(["points", "stride"]);
    let file = File {
        header: header(code, provenance, target, amd),
        tables: tables::definitions(code, &names, dialect),
        helpers: printed
            .helpers
            .iter()
            .map(|helper| {
                let text = || helper.definition(target, warps, dialect, Numbers::from_code(code));
                let text = named.as_ref().and_then(|named| named.definition(*helper)).unwrap_or_else(text);
                text.replace("THREADS", &threads.to_string()) + "\n"
            })
            .collect(),
        threads,
        waves_per_simd: amd.waves_of(threads, provenance.ctas_per_sm),
        symbol: &code.symbol,
        parameters: list(
            code.symbol.len() + "(".len(),
            pointers(code, &printed.arrays)
                .zip(&printed.arrays)
                .map(|(pointer, name)| unused(name, &printed.body) + &pointer.replace('*', "*__restrict__ "))
                .chain(sizes()),
        ),
        launch_parameters: list(code.symbol.len() + "extern \"C\" int _launch(".len(), launch_parameters),
        prologue: legend::slots(code) + &slots(code) + &set_up + &printed.prologue,
        turn: turn(code, &printed),
        launched: if has_one_turn(code) { ONE_TURN } else { MANY_TURNS },
        grid: if has_one_turn(code) { "needed".to_owned() } else { resident(code, &prefix) },
        barriers: named.as_ref().map_or(String::new(), NamedBarriers::declaration),
        groups_per_cta: code.stream.groups_per_cta,
        points_per_group: code.points_per_group(),
        point: printed.points,
        body: &printed.body,
        arguments: list("  void *arguments[] = { ".len(), passed.map(|name| format!("&{name}"))),
        arrays: &printed.arrays,
        share: overlap::function(&code.symbol),
        refusal: overlap::refusal(&code.symbol, &code.arrays, &printed.arrays),
        include: format!("{prefix}.h"),
    };
    wrap::lines(&render(Template::HipKernel, &file))
}

#[derive(Serialize)]
struct File<'a> {
    header: String,
    tables: String,
    helpers: String,
    threads: u32,
    waves_per_simd: u32,
    symbol: &'a str,
    parameters: String,
    launch_parameters: String,
    prologue: String,
    turn: String,
    launched: &'static str,
    grid: String,
    barriers: String,
    groups_per_cta: u32,
    points_per_group: u32,
    point: String,
    body: &'a str,
    arguments: String,
    arrays: &'a [String],
    share: String,
    refusal: String,
    include: String,
}

/// The attribute of a parameter that the statements do not name.
fn unused(name: &str, body: &str) -> String {
    let is_named = body.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    if is_named { String::new() } else { "[[maybe_unused]] ".to_owned() }
}

/// A thread of data-parallel code has one point.
fn has_one_turn(code: &Code) -> bool {
    matches!(code.execution, Execution::DataParallel { .. })
}

const ONE_TURN: &str = "A workgroup for each of its groups of points.";
const MANY_TURNS: &str = "As many workgroups as the device holds at once: each streams over its share of the points and loads its constants once.";

/// The number of workgroups that are launched, where each takes several turns.
fn resident(code: &Code, prefix: &str) -> String {
    let member = context_member(&code.symbol, prefix);
    format!("needed < context->{member} ? needed : context->{member}")
}

/// The head of the turns over groups of points.
fn turn(code: &Code, printed: &Printed) -> String {
    let Printed { first_group, more_groups, group_step, .. } = printed;
    if has_one_turn(code) {
        return format!(
            "  // One group for each launched one: a loop would have its constants kept in registers from turn to turn.\n  \
             const int group = {first_group};\n  if ({more_groups}) {{"
        );
    }
    format!("  for (int group = {first_group}; {more_groups}; group += {group_step}) {{")
}

/// The statements, in which every lane stores unless some lane reads an output.
fn body(code: &Code, names: &tables::Names) -> (Printed, Dialect) {
    let with = |stores_always| {
        let dialect = Dialect::Hip { stores_always };
        (body::print(code, names.clone(), dialect), dialect)
    };
    let (printed, dialect) = with(true);
    if printed.helpers.contains(&Helper::LoadOutput) { with(false) } else { (printed, dialect) }
}

/// The address space of a thread's own memory (LLVM, "User Guide for AMDGPU Backend", "Address Spaces").
const PRIVATE: &str = "__attribute__((address_space(5)))";

/// The declaration of the slots, as it stands in the kernel.
fn slots(code: &Code) -> String {
    let slots = &code.slots;
    match slots.space {
        _ if slots.rows == 0 => String::new(),
        SlotSpace::Shared => format!("  __shared__ double slots[{}][{}];\n", slots.rows, slots.pitch),
        // Clang leaves volatile accesses generic, and reaches a thread's own memory by flat instructions, unless the pointer says where it points.
        SlotSpace::Local if slots.are_volatile => format!(
            "  double private_slots[{}];\n  volatile {PRIVATE} double *const slots = (volatile {PRIVATE} double *)private_slots;\n",
            slots.rows
        ),
        SlotSpace::Local | SlotSpace::Global => format!("  double slots[{}];\n", slots.rows),
    }
}

fn header(code: &Code, provenance: &Provenance, target: &Target, amd: &Amd) -> String {
    let warps = code.execution.warps();
    let [real_entries, index_entries] = code.bank_entries;
    let mut lines = vec![
        format!(
            "{}: {} of {}, made by singe {}",
            code.symbol,
            code.kernel,
            provenance.mechanism,
            env!("CARGO_PKG_VERSION")
        ),
        String::from("\n"),
    ];
    lines.extend(provenance.lines());
    lines.extend(provenance.form.iter().map(|form| format!("form        {form}")));
    lines.extend([
        format!("target      {} ({})", target.name, amd.gfx),
        format!(
            "execution   {}; threads per workgroup: {}, workgroups per compute unit: {}",
            if has_one_turn(code) { "data-parallel" } else { "warp-specialized" },
            32 * warps,
            provenance.ctas_per_sm
        ),
        format!("barriers    named barriers per workgroup: {}", barriers(&code.stream.body).len()),
        format!("banks       entries: {real_entries} real, {index_entries} index"),
    ]);
    if code.points_per_lane > 1 {
        lines.push(format!("points      {} per lane", code.points_per_lane));
    }
    lines.iter().map(|line| comment("", line)).collect()
}
