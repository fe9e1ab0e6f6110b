//! How long the fastest version is looked for: less effort compiles fewer versions, and what is kept was verified all the same.

use kernels::Kernel;
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::{Effort, Unset};
use singe::report::KernelReport;
use testkit::request;
use testkit::skip;

/// Whether machine code for a target can be made, and read.
fn has_compilers(target: &str) -> bool {
    let arch = Target::by_name(target).unwrap().compute_capability;
    toolchain::find_for(arch).is_ok() && toolchain::disassembler(arch).is_ok()
}

fn kernels(effort: Effort) -> Vec<KernelReport> {
    let request = Request { real_compilers: true, effort, ..request::new(testkit::shipped("h2o2")) }.with(|r| {
        r.common.target = Target::by_name("hopper").unwrap();
        r.tuning.form = None;
        r.kernels = vec![Kernel::Diffusion, Kernel::Chemistry];
        (r.codegen, r.beside, r.keep_fastest) = (Codegen::DataParallel, vec![Codegen::Overlay], true);
        r.unset = Unset { warps: true, matrix: true, layout: false };
    });
    let report = driver::compile(&request, &mut Observer::silent());
    report.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).kernels
}

fn compiled(kernel: &KernelReport) -> usize {
    kernel.layouts.iter().filter(|layout| layout.predicted_ns.is_some()).count()
}

#[test]
fn less_effort_compiles_less_and_verifies_what_it_keeps() {
    if !has_compilers("hopper") {
        return skip::skip("NVRTC, ptxas or nvdisasm for sm_90 is absent (`cargo xtask toolchain` installs them)");
    }
    let [quick, normal, thorough] = [Effort::Quick, Effort::Normal, Effort::Thorough].map(kernels);
    for ((quick, normal), thorough) in quick.iter().zip(&normal).zip(&thorough) {
        let name = &quick.kernel;
        println!("{name}: {} {} {} versions", compiled(quick), compiled(normal), compiled(thorough));
        assert_eq!(compiled(quick), 1, "{name}");
        assert!(compiled(normal) <= compiled(thorough) && compiled(normal) >= 1, "{name}");
        for kernel in [quick, normal, thorough] {
            assert!(kernel.text.is_some() && kernel.machine_code.is_some(), "{name}: what is kept is verified");
            assert!(kernel.verdict.contains("machine code"), "{name}: {}", kernel.verdict);
            let own = kernel.machine.predicted_ns.unwrap();
            for layout in &kernel.layouts {
                assert_ne!(layout.left_out, layout.predicted_ns.is_some(), "{name}: {layout:?}");
                assert!(layout.predicted_ns.is_none_or(|time| time >= own), "{name}: the fastest is kept");
            }
        }
        assert!(thorough.layouts.iter().all(|layout| !layout.left_out), "{name}");
        // The bound of the machine code follows from the same counts, whichever run has them.
        if quick.codegen == thorough.codegen && quick.tuning == thorough.tuning && quick.constants == thorough.constants
        {
            assert_eq!(quick.machine, thorough.machine, "{name}");
        }
        let [normal, thorough] = [normal, thorough].map(|kernel| kernel.machine.predicted_ns.unwrap());
        assert!(normal <= 1.1 * thorough, "{name}: {normal} ns, and {thorough} with all effort");
    }
    assert!(compiled(&normal[0]) + compiled(&normal[1]) < compiled(&thorough[0]) + compiled(&thorough[1]));
}

/// Data-parallel code that is named is made with other warps where all effort is asked for, and as the flags say where it is not.
#[test]
fn all_effort_varies_the_layout_that_is_named() {
    if !has_compilers("blackwell") {
        return skip::skip("NVRTC, ptxas or nvdisasm for sm_100 is absent (`cargo xtask toolchain` installs them)");
    }
    let made = |effort| {
        let request = Request { real_compilers: true, effort, ..request::new(testkit::shipped("h2o2")) }.with(|r| {
            r.common.target = Target::by_name("blackwell").unwrap();
            r.kernels = vec![Kernel::Chemistry];
            r.codegen = Codegen::DataParallel;
            r.unset = Unset { warps: true, matrix: true, layout: false };
        });
        let report = driver::compile(&request, &mut Observer::silent());
        report.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).kernels.remove(0)
    };
    let [once, varied] = [Effort::Normal, Effort::Thorough].map(made);
    assert!(once.layouts.len() <= 1, "{:?}", once.layouts);
    assert!(varied.layouts.len() > 1, "{:?}", varied.layouts);
    assert!(varied.layouts.iter().all(|layout| layout.codegen == "data-parallel"));
    let time = |kernel: &KernelReport| kernel.machine.predicted_ns.unwrap();
    let least = varied.layouts.iter().filter_map(|layout| layout.predicted_ns).fold(f64::INFINITY, f64::min);
    assert_eq!(time(&varied), least);
    assert!(time(&varied) <= time(&once));
}
