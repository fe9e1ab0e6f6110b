//! The file of one kernel around its statements.

use super::body::{self, SPILL_PLACES, SPILLS};
use super::helpers::Helper;
use super::legend;
use super::workspace::{self, WORKSPACE};
use crate::base::dialect::Dialect;
use crate::base::glue::{Template, render};
use crate::base::numbers::Numbers;
use crate::base::overlap;
use crate::base::parameters::{context_member, list, pointers, sizes};
use crate::base::wrap;
use crate::base::{Provenance, comment, names, tables};
use lower::code::{BankSpace, Code, Registers, SlotSpace, Slots, Statement};
use machine::target::Target;
use overlay::program::Execution;
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole file of one kernel.
pub fn print(code: &Code, provenance: &Provenance, target: &Target) -> String {
    let names = tables::Names::new(&code.symbol);
    let printed = body::print(code, names.clone(), Dialect::Cuda);
    let warps = code.execution.warps();
    let prefix = names::identifier(&provenance.mechanism);
    let context = format!("const struct {prefix}_context *context");
    let launch_parameters = std::iter::once(context).chain(pointers(code, &printed.arrays)).chain(sizes());
    let workspace_parameter = code.slots.first_global.map(|_| format!("void *{WORKSPACE}"));
    let launch_parameters =
        launch_parameters.chain(workspace_parameter).chain(["struct CUstream_st *stream".to_owned()]);
    let passed = printed.arrays.iter().map(String::as_str);
    let passed = passed.chain(code.slots.first_global.map(|_| WORKSPACE)).chain(["points", "stride"]);
    let numbers = Numbers::from_code(code);
    let define = |helper: &Helper| helper.definition(target, warps, Dialect::Cuda, numbers) + "\n";
    let helpers = printed.helpers.iter().map(define).collect();
    let file = File {
        header: header(code, provenance, target),
        tables: tables::definitions(code, &names, Dialect::Cuda),
        helpers,
        dynamic_slots: if code.slots.are_dynamic {
            format!("extern __shared__ {} slots[][{}];\n\n", code.slots.number.c_type(), code.slots.pitch)
        } else {
            String::new()
        },
        threads: 32 * warps,
        ctas_per_sm: provenance.ctas_per_sm,
        symbol: &code.symbol,
        parameters: list(
            code.symbol.len() + "(".len(),
            pointers(code, &printed.arrays)
                .map(|p| p.replace('*', "*__restrict__ "))
                .chain(workspace::parameter(code))
                .chain(sizes()),
        ),
        launch_parameters: list(code.symbol.len() + "extern \"C\" int _launch(".len(), launch_parameters),
        prologue: legend::slots(code)
            + &slots(code)
            + &spills(code)
            + &workspace::rows_of_the_cta(code)
            + &printed.prologue,
        first_group: printed.first_group,
        more_groups: printed.more_groups,
        group_step: printed.group_step,
        groups_per_cta: code.stream.groups_per_cta,
        points_per_group: code.points_per_group(),
        point: printed.points,
        body: &printed.body,
        dynamic_shared_bytes: if code.slots.are_dynamic { code.slots.rows * code.slots.row_bytes() } else { 0 },
        allow_dynamic_shared: if code.slots.are_dynamic { ALLOW_DYNAMIC_SHARED } else { "" },
        arguments: list("  void *arguments[] = { ".len(), passed.map(|name| format!("&{name}"))),
        arrays: &printed.arrays,
        share: overlap::function(&code.symbol),
        refusal: overlap::refusal(&code.symbol, &code.arrays, &printed.arrays),
        include: format!("{prefix}.h"),
        workspace_bytes_per_cta: code.workspace_bytes_per_cta.unwrap_or_default(),
        mechanism: prefix.clone(),
        member: context_member(&code.symbol, &prefix),
    };
    wrap::lines(&render(Template::Kernel, &file))
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
    share: String,
    refusal: String,
    include: String,
    /// 0 where there is no workspace.
    workspace_bytes_per_cta: u64,
    mechanism: String,
    member: String,
}

/// The declaration of the slots, a line where it stands in the kernel.
fn slots(code: &Code) -> String {
    let Slots { rows, pitch, number, space, are_dynamic, are_volatile, .. } = code.slots;
    let kind = number.c_type();
    let volatile = if are_volatile { "volatile " } else { "" };
    match space {
        _ if rows == 0 || are_dynamic => String::new(),
        SlotSpace::Shared => format!("  __shared__ {kind} slots[{rows}][{pitch}];\n"),
        SlotSpace::Local | SlotSpace::Global => format!("  {volatile}{kind} slots[{rows}];\n"),
    }
}

/// The declaration of the numbers that wait in local memory, and of their address.
fn spills(code: &Code) -> String {
    match code.spilled {
        0 => String::new(),
        places => format!(
            "  double {SPILL_PLACES}[{places}];\n  const size_t {SPILLS} = {}({SPILL_PLACES});\n",
            Helper::SpillAddress.name()
        ),
    }
}

fn header(code: &Code, provenance: &Provenance, target: &Target) -> String {
    let warps = code.execution.warps();
    let (execution, slot_space) = match code.execution {
        Execution::WarpSpecialized { .. } => ("warp-specialized", "shared memory per CTA"),
        Execution::DataParallel { .. } => ("data-parallel", "local memory per warp"),
    };
    let Registers { reals, indices } = code.registers;
    let (count, row_bytes) = (code.slots.count, code.slots.row_bytes());
    let bank_space = if code.banks == BankSpace::Shared {
        let slots = code.rows_apart()[0] * code.execution.warp_groups();
        format!(" ({} bytes of shared memory per CTA)", (code.slots.rows - slots) * row_bytes)
    } else {
        String::new()
    };
    let barriers = barriers(&code.stream.body).len();
    let [real_entries, index_entries] = code.bank_entries;
    let mut lines = vec![
        format!("{}: {} of {}, made by singe {}", code.symbol, code.kernel, provenance.mechanism, VERSION),
        String::from("\n"),
    ];
    lines.extend(provenance.lines());
    lines.extend(provenance.form.iter().map(|form| format!("form        {form}")));
    lines.extend(provenance.precision.iter().map(|bound| format!("precision   {bound}")));
    lines.extend([
        format!("target      {} (compute capability {})", target.name, target.compute_capability),
        format!("execution   {execution}; warps per CTA: {warps}, CTAs per SM: {}", provenance.ctas_per_sm),
        format!("barriers    named barriers per CTA: {barriers}"),
        format!("constants   registers per thread: {reals} real, {indices} index"),
        format!("banks       entries: {real_entries} real, {index_entries} index{bank_space}"),
        match code.slots.first_global {
            None => format!("slots       {count} ({} bytes of {slot_space})", count * row_bytes),
            Some(_) => {
                let [shared, global] = code.rows_apart().map(|rows| rows * code.execution.warp_groups() * row_bytes);
                format!(
                    "slots       {count} ({shared} bytes of {slot_space}, {global} of a workspace in global memory)"
                )
            }
        },
    ]);
    if code.spilled > 0 {
        lines.push(format!(
            "spills      {} ({} bytes of local memory per thread, stored and loaded where the text says)",
            code.spilled,
            8 * code.spilled
        ));
    }
    let (roles, groups) = (code.execution.roles(), code.execution.warp_groups());
    if groups > 1 {
        lines.push(format!(
            "groups      {groups} of {roles} warps per CTA, each with points and slots of its own; they share barriers"
        ));
    }
    if code.points_per_lane > 1 {
        lines.push(format!("points      {} per lane", code.points_per_lane));
    }
    if code.mirror_bytes > 0 {
        lines.push(format!("broadcasts  {} bytes of shared memory per CTA", code.mirror_bytes));
    }
    lines.iter().map(|line| comment("", line)).collect()
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The named barriers in a part of the tree by their ids, with the threads of one of their uses.
pub(crate) fn barriers(statements: &[Statement]) -> BTreeMap<u32, u32> {
    statements
        .iter()
        .flat_map(|statement| match statement {
            Statement::Barrier { id, threads, .. } => BTreeMap::from([(*id, *threads)]),
            Statement::If { body, .. } | Statement::Loop { body, .. } => barriers(body),
            Statement::Switch { arms, .. } => arms.iter().flat_map(|(_, body)| barriers(body)).collect(),
            _ => BTreeMap::new(),
        })
        .collect()
}

const ALLOW_DYNAMIC_SHARED: &str = "  if (error == cudaSuccess) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_shared_bytes);
  }
";
