//! Transport kernels fit into the registers that their launch bounds leave.

use singe::dataflow::{Form, Kernel};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::simt::analysis::pressure;
use singe::toolchain;

#[path = "common/request.rs"]
mod request;

/// The reduced mechanism, its kernel, warps, CTAs per SM and form, the registers that this leaves, and the most bytes that
/// the assembler may spill.
const TIGHT: [(&str, Kernel, u32, u32, Option<Form>, u32, u32); 6] = [
    ("heptane", Kernel::Viscosity, 13, 3, Some(Form::Pairwise), 48, 0),
    ("heptane", Kernel::Viscosity, 13, 3, None, 48, 0),
    ("heptane", Kernel::Diffusion, 13, 3, Some(Form::Pairwise), 48, 12),
    ("heptane", Kernel::Diffusion, 13, 3, None, 48, 8),
    ("dme", Kernel::Diffusion, 10, 3, Some(Form::Pairwise), 64, 0),
    ("dme", Kernel::Diffusion, 10, 3, None, 64, 0),
];

fn tight(
    (name, kernel, warps, ctas_per_sm, form, _, _): (&str, Kernel, u32, u32, Option<Form>, u32, u32),
) -> Option<Request> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/mechanisms");
    let path = std::path::Path::new(path).join(name).join("chem.inp");
    if !path.is_file() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    Some(Request { kernels: vec![kernel], warps, ctas_per_sm, form, verify: None, ..request::of(path) })
}

#[test]
fn what_passes_from_block_to_block_fits() {
    for case in TIGHT {
        let Some(request) = tight(case) else { return };
        let (name, kernel, .., form, registers, _) = case;
        let model = driver::read(&request, &mut Observer::silent()).unwrap().0;
        let unit = driver::compile_kernel(kernel, &model, &request, &mut Observer::silent()).unwrap();
        let needed = unit.ptx.entries().map(pressure::compute).max().unwrap();
        println!("{name} {kernel} {form:?}: {needed} of {registers} registers from block to block");
        assert!(needed <= registers, "{name} {kernel} {form:?}: {needed} of {registers} registers");
    }
}

#[test]
fn the_assembler_spills_no_more_than_the_published_kernels() {
    if let Err(absent) = toolchain::find() {
        println!("skipped: {absent}");
        return;
    }
    for case in TIGHT {
        let Some(request) = tight(case) else { return };
        let (name, kernel, .., form, registers, most) = case;
        let request = Request { real_compilers: true, ..request };
        let report = driver::compile(&request, &mut Observer::silent()).unwrap();
        let compiled = report.kernels[0].compiled.as_ref().expect("ptxas reports each kernel");
        let spilled = compiled.spill_store_bytes;
        println!("{name} {kernel} {form:?}: {} registers, {spilled} bytes spilled", compiled.registers);
        assert!(compiled.registers <= registers && spilled <= most, "{name} {kernel} {form:?}: {compiled:?}");
    }
}
