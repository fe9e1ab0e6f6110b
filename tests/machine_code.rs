//! The machine code that ptxas makes of every kernel, in every layout of code, gives the bits of the dataflow graph, as the PTX
//! does, and is counted exactly. Here for one small mechanism on every family of instructions, and for the kernels of a larger one
//! that take the least time; `cargo lab machine-code` does it for all.

use kernels::{Form, Kernel, StateVariables};
use machine::target::Target;
use machine::toolchain;
use overlay::{Codegen, Residence};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::{Multiplier, Unset};
use singe::report::{KernelReport, Report};
use singe::verify::{MachineCode, MachineCodeVerification};
use testkit::request;
use testkit::skip;
use warpsim::machine_code::Cause;

/// The report of some kernels in all layouts, or nothing where tools are absent.
fn report(mechanism: &str, kernels: &[Kernel], target: &str, warps: u32) -> Option<Report> {
    compiled(mechanism, target, |r| {
        r.beside = vec![Codegen::Partial, Codegen::Straight, Codegen::Switch, Codegen::DataParallel];
        r.tuning.warps = warps;
        r.kernels = kernels.to_vec();
    })
}

fn compiled(mechanism: &str, target: &str, change: impl FnOnce(&mut Request)) -> Option<Report> {
    let target = Target::by_name(target).unwrap();
    let tools =
        toolchain::find_for(target.compute_capability).and_then(|_| toolchain::disassembler(target.compute_capability));
    if let Err(absent) = tools {
        skip::skip(absent);
        return None;
    }
    let request = request::new(testkit::shipped(mechanism)).with(|r| {
        r.real_compilers = true;
        r.common.target = target;
        r.tuning.form = None::<Form>;
        change(r);
    });
    let report = driver::compile(&request, &mut Observer::silent());
    Some(report.unwrap_or_else(|failure| panic!("{mechanism}: {:?}", failure.diagnostics)))
}

fn verified(mechanism: &str, kernels: &[Kernel], target: &str, warps: u32) {
    let Some(report) = report(mechanism, kernels, target, warps) else { return };
    assert_eq!(report.kernels.len(), 5 * kernels.len());
    for kernel in &report.kernels {
        let Some(MachineCode::Verified(code)) = &kernel.machine_code else {
            panic!("{target} {} {}: {:?}", kernel.kernel, kernel.codegen, kernel.machine_code);
        };
        assert!(kernel.verdict.contains(&format!("machine code of {}", code.assembler)), "{}", kernel.verdict);
        let name = format!("{target} {} {} {}", report.mechanism, kernel.kernel, kernel.codegen);
        counted(&name, kernel.warps, code);
        if target == "hopper" {
            predicted(&name, kernel, code);
        }
    }
}

/// The time of the machine code is predicted, and all clocks have a cause.
fn predicted(name: &str, kernel: &KernelReport, code: &MachineCodeVerification) {
    let prediction = kernel.prediction.as_ref().unwrap_or_else(|| panic!("{name} has no predicted time"));
    assert_eq!((prediction.ctas, prediction.warps.len()), (kernel.machine.ctas_per_sm, kernel.warps as usize));
    let issued: f64 = prediction.warps.iter().map(|warp| warp.causes[Cause::Issued as usize]).sum();
    let counted: u64 = code.turn.iter().map(|counts| counts.instructions).sum();
    // states differ, and with them the sides of branches
    assert!((issued / counted as f64 - 1.0).abs() < 0.02, "{name}: {issued} issued, {counted} counted");
    let critical: f64 = prediction.warps.iter().map(|warp| warp.critical).sum();
    let shares: f64 = Cause::ALL.into_iter().map(|cause| prediction.share(cause)).sum();
    assert!((critical - 1.0).abs() < 1e-9 && (shares - 1.0).abs() < 1e-9, "{name}: {critical} {shares}");
    let (time, floor) = (kernel.machine.predicted_ns.unwrap(), kernel.machine.floor_ns());
    assert!(time >= floor, "{name}: {time} ns predicted, at least {floor}");
    println!("{name}: {:.2} ns estimated, {time:.2} predicted", kernel.machine.estimated_ns.unwrap());
}

/// Classes and pipes each add up to all instructions.
fn counted(name: &str, warps: u32, code: &MachineCodeVerification) {
    assert_eq!(code.turn.len(), warps as usize, "{name}");
    for counts in &code.turn {
        let classes: u64 = sass::Class::ALL.iter().map(|class| counts.class(*class)).sum();
        let pipes: u64 = sass::Pipe::ALL.iter().map(|pipe| counts.pipe(*pipe)).sum();
        assert_eq!([classes, pipes], [counts.instructions; 2], "{name}");
    }
    let of = |class| code.per_32_points(|c| c.class(class));
    assert!(of(sass::Class::Arithmetic) > 50.0 && code.code_bytes > 1000, "{name}");
    println!(
        "{name}: {:.0} issued, {:.0} FP64, {:.0} shuffles, {:.0} wavefronts, {:.0} local bytes per point, {} bytes of code",
        code.per_32_points(|c| c.instructions),
        code.per_32_points(|c| c.pipe(sass::Pipe::Double)),
        of(sass::Class::Shuffles),
        code.per_32_points(|c| c.shared_wavefronts),
        code.per_32_points(|c| c.local_bytes) / 32.0,
        code.code_bytes,
    );
}

#[test]
fn h2o2_on_hopper() {
    verified("h2o2", &Kernel::ALL, "hopper", 4);
}

#[test]
fn h2o2_on_kepler() {
    let is_swept = testkit::skip::sweeps("all kernels of h2o2 on kepler");
    let kernels = if is_swept { &Kernel::ALL[..] } else { &[Kernel::Viscosity, Kernel::Chemistry] };
    verified("h2o2", kernels, "kepler", 4);
}

#[test]
fn h2o2_on_ampere_and_blackwell() {
    verified("h2o2", &[Kernel::Diffusion, Kernel::Chemistry], "ampere", 4);
    verified("h2o2", &[Kernel::Viscosity, Kernel::Conductivity], "blackwell", 4);
}

#[test]
fn gri30_on_hopper() {
    verified("gri30", &[Kernel::Conductivity], "hopper", 8);
}

/// Straight-line code that keeps far more numbers than registers brings its own spill code, which compilers leave as it is: text and machine code
/// have the bits.
#[test]
fn spill_code_on_hopper() {
    let report = compiled("ammonia", "hopper", |r| {
        (r.kernels, r.codegen) = (vec![Kernel::IsobaricSparseJacobian], Codegen::DataParallel);
        (r.common.state, r.tuning.warps) = (StateVariables::MassFractions, 8);
    });
    let Some(report) = report else { return };
    let Some(MachineCode::Verified(code)) = &report.kernels[0].machine_code else {
        panic!("{:?}", report.kernels[0].machine_code)
    };
    let local: u64 = code.turn.iter().map(|counts| counts.local_bytes).sum();
    assert!(local > 0, "numbers wait in local memory");
    assert!(report.kernels[0].own_spill_bytes > 0, "the report tells of them");
}

/// A target whose machine code nothing runs: the report says so, and its counts are those of PTX.
#[test]
fn fermi_stays_estimated() {
    let fermi = Target::by_name("fermi").unwrap();
    let Ok(_) = toolchain::find_for(fermi.compute_capability) else { return skip::skip("no compilers for Fermi") };
    let request = Request { real_compilers: true, ..request::new(testkit::shipped("h2o2")) }.with(|r| {
        r.common.target = fermi;
        r.kernels = vec![Kernel::Conductivity];
    });
    let report = testkit::request::report(&request);
    for kernel in &report.kernels {
        assert!(matches!(&kernel.machine_code, Some(MachineCode::NotRun(reason)) if reason.contains("sm_20")));
    }
    let brief = singe::report::brief(&report, &request, std::path::Path::new("out"));
    for printed in [singe::report::table(&report), brief] {
        assert!(printed.contains("proven, text run") && !printed.contains("proven, verified"), "{printed}");
        assert!(printed.contains("machine code of sm_20 is not simulated"), "{printed}");
    }
    assert!(singe::report::table(&report).contains("(PTX)"));
}

/// The cache for constants has 2 KiB, and the kernel has more of them, as a tolerance as tight as this takes long coefficients: in the
/// order of the text it misses that cache again and again, in the order in which the machine code reads them less, in shared memory never.
#[test]
fn constants_lie_elsewhere_than_in_the_order_of_the_text() {
    let auto = |r: &mut Request| {
        (r.codegen, r.keep_fastest) = (Codegen::DataParallel, true);
        r.kernels = vec![Kernel::Diffusion];
        r.common.error.largest = Some(1e-7);
    };
    let Some(report) = compiled("h2o2", "ampere", auto) else { return };
    let kernel = &report.kernels[0];
    let times: Vec<f64> = kernel.layouts.iter().map(|layout| layout.predicted_ns.unwrap()).collect();
    assert_eq!(times.len(), 3, "{:?}", kernel.layouts);
    assert!(kernel.layouts[1].constants.ends_with("as the machine code reads them"), "{:?}", kernel.layouts);
    assert!(kernel.layouts[2].constants.starts_with("shared"), "{:?}", kernel.layouts);
    assert!(times[1] < times[0] && times[2] < times[0], "{:?}", kernel.layouts);
    assert_eq!(kernel.machine.predicted_ns, Some(times[1].min(times[2])));
}

/// Data-parallel code that waits for its instructions is faster with more warps, which fetch them together; a number of warps that was
/// asked for stays.
#[test]
fn code_that_waits_for_instructions_has_more_warps_where_these_are_free() {
    let given = testkit::skip::sweeps("a given number of warps where more are faster");
    for free in [true, false].into_iter().filter(|free| *free || given) {
        let auto = |r: &mut Request| {
            (r.codegen, r.keep_fastest, r.unset.warps) = (Codegen::DataParallel, true, free);
            r.kernels = vec![Kernel::Chemistry];
        };
        let Some(report) = compiled("gri30", "hopper", auto) else { return };
        let kernel = &report.kernels[0];
        let warps: Vec<u32> = kernel.layouts.iter().map(|layout| layout.warps).collect();
        assert_eq!(warps.contains(&12), free, "{:?}", kernel.layouts);
        assert_eq!(kernel.warps, if free { 12 } else { 8 }, "{:?}", kernel.layouts);
    }
}

/// Four warps of which several CTAs share an SM: what `auto` finds for GRI-Mech's diffusion on Ampere where no number of warps was asked
/// for.
#[test]
fn fewer_warps_are_tried_where_they_are_free() {
    if !testkit::skip::sweeps("fewer warps for gri30's diffusion on ampere") {
        return;
    }
    let auto = |r: &mut Request| {
        r.beside = vec![Codegen::DataParallel];
        (r.keep_fastest, r.unset) = (true, Unset { warps: true, matrix: true, layout: false });
        r.kernels = vec![Kernel::Diffusion];
    };
    let Some(report) = compiled("gri30", "ampere", auto) else { return };
    let kernel = &report.kernels[0];
    assert_eq!((kernel.codegen.as_str(), kernel.warps), ("partial", 4), "{:?}", kernel.layouts);
    assert!(kernel.machine.ctas_per_sm > 1, "{:?}", kernel.layouts);
    assert!(matches!(kernel.machine_code, Some(MachineCode::Verified(_))), "{:?}", kernel.machine_code);
}

/// On Hopper some warps of this kernel begin their sums anew where others go on with theirs, in the same instructions: a uniform predicate
/// tells which.
#[test]
fn products_that_add_where_a_predicate_holds() {
    let partial = |r: &mut Request| {
        (r.codegen, r.tuning.warps, r.tuning.matrix) = (Codegen::Partial, 4, Some(Multiplier::Dmma));
        r.kernels = vec![Kernel::Diffusion];
    };
    let Some(report) = compiled("gri30", "hopper", partial) else { return };
    let machine_code = &report.kernels[0].machine_code;
    assert!(matches!(machine_code, Some(MachineCode::Verified(_))), "{machine_code:?}");
}

/// Here coefficients are looked up by range all through the kernel, between copies of the next inputs to other rows of the same array.
#[test]
fn look_ups_in_shared_memory_and_copies_are_ordered() {
    let Some(mechanism) = skip::shared("mechanisms/usc2/chem.inp") else { return };
    let four_warps = |r: &mut Request| {
        r.files.mechanism = mechanism;
        r.reading = mechanism::Options::PERMISSIVE;
        r.codegen = Codegen::DataParallel;
        (r.tuning.warps, r.tuning.constants) = (4, Some(Residence::Shared));
        r.kernels = vec![Kernel::Chemistry];
        // the text is what is proven
        r.verify_machine_code = false;
    };
    let Some(report) = compiled("gri30", "hopper", four_warps) else { return };
    assert!(report.kernels[0].prefetch);
    assert!(report.kernels[0].text.is_some());
}
