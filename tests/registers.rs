//! Kernels fit into the registers that their launch bounds leave.

use kernels::{Form, Kernel};
use machine::toolchain;
use overlay::Codegen;
use ptx::analysis::pressure;
use singe::driver::Request;
use testkit::request;
use testkit::skip;

/// A kernel of a reduced mechanism.
struct Tight {
    mechanism: &'static str,
    kernel: Kernel,
    warps: u32,
    form: Option<Form>,
    /// Registers that the launch bounds leave.
    registers: u32,
    /// Bytes that the assembler may spill.
    spills: u32,
}

const PAIRWISE: Option<Form> = Some(Form::Pairwise);

/// The published kernels spill as much as stands here.
#[rustfmt::skip]
const TIGHT: [Tight; 6] = [
    Tight { mechanism: "heptane", kernel: Kernel::Viscosity, warps: 13, form: PAIRWISE, registers: 48, spills: 0 },
    Tight { mechanism: "heptane", kernel: Kernel::Viscosity, warps: 13, form: None, registers: 48, spills: 0 },
    Tight { mechanism: "heptane", kernel: Kernel::Diffusion, warps: 13, form: PAIRWISE, registers: 48, spills: 8 },
    // With fits over the range of the whole mechanism the low-rank form would spill 152 bytes here, and the pairwise one is taken.
    Tight { mechanism: "heptane", kernel: Kernel::Diffusion, warps: 13, form: None, registers: 48, spills: 8 },
    Tight { mechanism: "dme", kernel: Kernel::Diffusion, warps: 10, form: PAIRWISE, registers: 64, spills: 0 },
    Tight { mechanism: "dme", kernel: Kernel::Diffusion, warps: 10, form: None, registers: 64, spills: 0 },
];

/// Registers of the lowered program that hold a thread's place and addresses; the emitted text computes these again.
const PLACES: u32 = 10;

impl Tight {
    fn request(&self) -> Option<Request> {
        let plain = request::new(skip::shared(&format!("mechanisms/{}/chem.inp", self.mechanism))?);
        let &Tight { kernel, warps, form, .. } = self;
        Some(Request { kernels: vec![kernel], verify: None, ..plain }.with(|r| {
            r.tuning.warps = warps;
            r.tuning.ctas_per_sm.count = 3;
            r.tuning.form = form;
        }))
    }
}

#[test]
fn what_passes_from_block_to_block_fits() {
    for case in TIGHT.into_iter().filter(|case| case.form.is_some()) {
        let Some(request) = case.request() else { return };
        let Tight { mechanism: name, kernel, form, registers, .. } = case;
        let model = testkit::request::model(&request);
        let unit = testkit::request::unit(kernel, &model, &request);
        let needed = unit.ptx.entries().map(pressure::compute).max().unwrap();
        println!("{name} {kernel} {form:?}: {needed} registers from block to block, of {registers}");
        assert!(needed <= registers + PLACES, "{name} {kernel} {form:?}: {needed} registers, of {registers}");
    }
}

#[test]
fn the_assembler_spills_no_more_than_the_published_kernels() {
    if let Err(absent) = toolchain::find() {
        skip::skip(absent);
        return;
    }
    let mut worse = Vec::new();
    let step = if skip::sweeps("every second kernel of the published ones") { 1 } else { 2 };
    for case in TIGHT.into_iter().skip(step - 1).step_by(step) {
        let Some(request) = case.request() else { return };
        let Tight { mechanism: name, kernel, form, registers, spills: most, .. } = case;
        let request = Request { real_compilers: true, ..request };
        let report = testkit::request::report(&request);
        let compiled = report.kernels[0].compiled.as_ref().expect("ptxas reports each kernel");
        let spilled = compiled.spill_store_bytes;
        println!("{name} {kernel} {form:?}: {} registers, {spilled} bytes spilled", compiled.registers);
        if compiled.registers > registers || spilled > most {
            worse.push(format!("{name} {kernel} {form:?}: {compiled:?}"));
        }
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

/// Most values of data-parallel code live and die in registers: its stack is smaller than an array of all of them.
#[test]
fn data_parallel_code_keeps_most_values_in_registers() {
    if let Err(absent) = toolchain::find() {
        skip::skip(absent);
        return;
    }
    let diffusion = Request { kernels: vec![Kernel::Diffusion], ..request::new(testkit::shipped("gri30")) }
        .with(|r| r.tuning.form = Some(Form::LowRank));
    let reduced = TIGHT.iter().filter_map(|case| case.request()).map(|plain| {
        Request { kernels: vec![Kernel::Chemistry], ..plain }.with(|r| {
            r.tuning.form = Some(Form::LogSpace);
            r.tuning.warps = 8;
            r.tuning.ctas_per_sm.count = 1;
        })
    });
    for request in [diffusion].into_iter().chain(reduced.step_by(4)) {
        let request = Request { codegen: Codegen::DataParallel, verify: None, real_compilers: true, ..request };
        let model = testkit::request::model(&request);
        let unit = testkit::request::unit(request.kernels[0], &model, &request);
        let values = unit.graph.values.len() as u32;
        let report = testkit::request::report(&request);
        let compiled = report.kernels[0].compiled.as_ref().expect("ptxas reports each kernel");
        println!(
            "{} {}: {} registers, {} bytes of stack, {values} values",
            report.mechanism, report.kernels[0].kernel, compiled.registers, compiled.stack_bytes
        );
        assert!(compiled.stack_bytes < 8 * values, "{}: {compiled:?}", report.mechanism);
    }
}
