//! The loop is closed: what NVRTC makes of the emitted text is read back, simulated and compared with the reference.

use kernels::{Form, Kernel};
use machine::target::Target;
use machine::toolchain::{self, Job};
use overlay::{Codegen, Residence};
use ptx::inst::Space;
use ptx::ir::Linkage;
use ptx::{Module, read};
use singe::driver::Request;
use singe::verify;
use testkit::request;
use testkit::skip;
use warpsim::Launch;
use warpsim::prove;

fn closed_with(name: &str, target: &str, codegen: Codegen, form: Form, constants: Residence) {
    let (target, plain) = (Target::by_name(target).unwrap(), request::new(testkit::shipped(name)));
    closes(Request { codegen, ..plain }.with(|r| {
        r.common.target = target;
        r.tuning.form = Some(form);
        r.tuning.constants = Some(constants);
    }));
}

fn closes(request: Request) {
    let arch = request.common.target.compute_capability;
    let toolchain = match toolchain::find_for(arch) {
        Ok(toolchain) => toolchain,
        Err(absent) => return skip::skip(format!("{}: {absent}", arch.sm())),
    };
    let request = Request { verify: None, ..request };
    let (codegen, constants) = (request.codegen, request.of_kernel(request.kernels[0]).residence());
    let model = testkit::request::model(&request);
    let states = kinetics::verification_states(&model, 38 + 32 * request.tuning.points_per_lane.unwrap_or(1) as usize);
    let stride = states.len() + 5;
    let compile = |kernel: &_| testkit::request::unit(*kernel, &model, &request);
    let units: Vec<_> = request.kernels.iter().map(compile).collect();
    for unit in &units {
        let symbol = &unit.program.symbol;
        let printed = unit.ptx.to_string();
        let again = read::text(symbol, &printed).unwrap();
        assert_eq!(again, unit.ptx.canonical(), "{symbol}: reading what was printed changes it");

        let dynamic = dynamic_shared_bytes(&unit.source);
        let job = Job { name: format!("{symbol}.cu"), source: unit.source.clone(), arch, options: vec![] };
        let text = toolchain.compile_to_ptx(&job).unwrap().text;
        let mut module = read::text(&format!("{symbol}.ptx"), &text).unwrap();
        let printed = module.to_string();
        toolchain.assemble(&printed, arch).unwrap_or_else(|e| panic!("{symbol}: {e}"));
        for slots in module.variables.values_mut().filter(|v| v.space == Space::Shared && v.linkage == Linkage::Extern)
        {
            slots.bytes = dynamic.unwrap_or_default();
        }
        let warps = unit.program.execution.warps();
        let (outputs, counts) = verify::simulate(&module, symbol, (&model, &unit.graph), warps, &states, stride)
            .unwrap_or_else(|d| panic!("{symbol}: {d:?}"));
        let stored = counts.total().global_store_bytes as usize;
        assert_eq!(stored, 8 * outputs.len() / stride * states.len(), "{symbol}: each output is stored once");
        let own = verify::simulate(&unit.ptx, symbol, (&model, &unit.graph), warps, &states, stride).unwrap().0;
        assert!(outputs.iter().zip(&own).all(|(a, b)| a == b || a.is_nan()), "{symbol}: the compiled text differs");
        let error = verify::largest_error(
            unit.kernel, &model, &unit.graph, request.common.stiffness, &states, stride, &outputs,
        );
        let instructions = counts.per_point(|c| c.instructions, unit.program.padded(states.len() as u32));
        println!(
            "{symbol} {codegen:?} {:?}, {}: error {error:.1e}, {instructions:.0} instructions per point",
            request.tuning.form, toolchain.name
        );
        // Indices that come from shared memory are data to the proof of PTX; the schedule's own proof knows them.
        if constants != Residence::Shared {
            proven(&module, symbol, 32 * warps);
        }
        assert!(error <= unit.kernel.tolerance(), "{symbol} {codegen:?}: error {error:e}");
    }
}

/// The shared memory that the emitted launch function asks for.
fn dynamic_shared_bytes(source: &str) -> Option<u64> {
    let (_, number) = source.split_once("dynamic_shared_bytes = ")?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Three groups of points.
fn proven(module: &Module, symbol: &str, threads: u32) {
    let func = module.func(symbol).unwrap();
    let launch = Launch::linear(1, threads, prove::arguments(func, 96));
    let begin = std::time::Instant::now();
    let verdict = prove::prove(module, symbol, &launch).unwrap();
    println!(
        "{symbol}: {} of {} instructions, {} arrivals, {:?}; assumed {:?}",
        verdict.instructions,
        func.insts.len(),
        verdict.arrivals,
        begin.elapsed(),
        verdict.assumed
    );
    assert!(verdict.proven(), "{symbol}: {:?} {:?}", verdict.violations, verdict.not_analysed);
}

/// NVRTC 11.8 serves Kepler, and only 12.9 knows Blackwell.
#[test]
fn h2o2_in_each_layout() {
    for (target, codegen, form) in [
        ("kepler", Codegen::Overlay, Form::Pairwise),
        ("blackwell", Codegen::Overlay, Form::LogSpace),
        ("kepler", Codegen::Partial, Form::Pairwise),
        ("blackwell", Codegen::Switch, Form::Pairwise),
        ("kepler", Codegen::DataParallel, Form::LogSpace),
        ("blackwell", Codegen::DataParallel, Form::Pairwise),
    ] {
        closed_with("h2o2", target, codegen, form, Residence::Striped);
    }
}

#[test]
fn gri30_in_each_form() {
    if skip::sweeps("gri30 by the compilers and back") {
        closed_with("gri30", "blackwell", Codegen::Overlay, Form::Pairwise, Residence::Striped);
        closed_with("gri30", "kepler", Codegen::Overlay, Form::LogSpace, Residence::Striped);
    }
}

#[test]
fn h2o2_with_constants_in_a_bank() {
    closed_with("h2o2", "kepler", Codegen::Overlay, Form::Pairwise, Residence::ConstantBank);
}

#[test]
fn h2o2_with_constants_in_shared_memory() {
    closed_with("h2o2", "kepler", Codegen::Overlay, Form::Pairwise, Residence::Shared);
}

#[test]
fn h2o2_with_several_points_per_lane() {
    for (codegen, points_per_lane) in
        [(Codegen::Overlay, 2), (Codegen::Straight, 2), (Codegen::Switch, 2), (Codegen::DataParallel, 4)]
    {
        closes(
            Request { codegen, ..request::new(testkit::shipped("h2o2")) }
                .with(|r| r.tuning.points_per_lane = Some(points_per_lane)),
        );
    }
}

#[test]
fn gri30_chemistry_with_two_points_per_lane() {
    let kernels = vec![Kernel::Chemistry];
    let form = Some(Form::LogSpace);
    closes(Request { kernels, ..request::new(testkit::shipped("gri30")) }.with(|r| {
        r.tuning.points_per_lane = Some(2);
        r.tuning.form = form;
    }));
}
