//! Partial overlay: what becomes straight code of each warp, and what that saves.

use kernels::Kernel;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::report::KernelReport;
use testkit::request;

fn report(kernel: Kernel, codegen: Codegen, change: impl FnOnce(&mut Request)) -> KernelReport {
    let plain = request::new(testkit::shipped("gri30"));
    let request = Request { codegen, kernels: vec![kernel], ..plain }.with(|r| {
        r.common.target = Target::by_name("ampere").unwrap();
        r.tuning.warps = 8;
        r.tuning.form = None;
        change(r);
    });
    let report = driver::compile(&request, &mut Observer::silent());
    report.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).kernels.remove(0)
}

fn instructions(report: &KernelReport) -> f64 {
    report.verification.as_ref().expect("it was simulated").instructions_per_point
}

#[test]
fn straight_code_looks_less_up_and_is_longer() {
    for kernel in [Kernel::Viscosity, Kernel::Diffusion, Kernel::Chemistry] {
        let [overlay, partial, switch] =
            [Codegen::Overlay, Codegen::Partial, Codegen::Switch].map(|codegen| report(kernel, codegen, |_| {}));
        let counts = [&overlay, &partial, &switch].map(instructions);
        assert!(counts[1] < 0.75 * counts[0] && counts[1] < counts[2], "{kernel:?}: {counts:?} instructions");
        assert!(partial.ptx_instructions > overlay.ptx_instructions, "{kernel:?}: there are copies");
    }
}

/// One warp has nothing to share.
#[test]
fn one_warp_has_straight_code_only() {
    let own = |codegen| report(Kernel::Conductivity, codegen, |r| r.tuning.warps = 1);
    let (partial, overlay) = (own(Codegen::Partial), own(Codegen::Overlay));
    assert!(instructions(&partial) < instructions(&overlay));
}
