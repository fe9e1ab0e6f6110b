//! NVRTC 11.8 and ptxas accept every emitted kernel, in every layout of code.

use kernels::{Form, Kernel};
use machine::toolchain;
use overlay::Codegen;
use singe::driver::Request;
use testkit::request;
use testkit::skip;

fn accepted(name: &str, warps: u32, layouts: &[(Codegen, Form)]) {
    if let Err(absent) = toolchain::find() {
        skip::skip(absent);
        return;
    }
    for &(codegen, form) in layouts {
        let plain = request::new(testkit::shipped(name));
        let request = Request { codegen, verify: None, real_compilers: true, ..plain }.with(|r| {
            r.tuning.warps = warps;
            r.tuning.form = Some(form);
        });
        let report = testkit::request::report(&request);
        for k in &report.kernels {
            let c = k.compiled.as_ref().expect("ptxas reports each kernel");
            println!(
                "{name} {warps} warps {codegen:?} {} {}: {} registers, {} + {} bytes spilled, {} bytes shared, {} barriers",
                k.form, k.kernel, c.registers, c.spill_store_bytes, c.spill_load_bytes, c.shared_bytes, c.barriers
            );
            assert!(c.barriers <= 16 && c.registers <= 255);
            assert!(!report.warnings.iter().any(|warning| warning.contains("spill")), "{:?}", report.warnings);
            if codegen != Codegen::DataParallel {
                assert_eq!(c.spill_store_bytes, 0, "{}", k.kernel);
                assert_eq!((c.barriers, c.shared_bytes), (k.named_barriers, k.shared_bytes), "{}", k.kernel);
            }
        }
    }
}

#[test]
fn h2o2() {
    let layouts = [
        (Codegen::Overlay, Form::LogSpace),
        (Codegen::Partial, Form::Pairwise),
        (Codegen::Switch, Form::Pairwise),
        (Codegen::DataParallel, Form::LogSpace),
    ];
    accepted("h2o2", 5, &layouts);
}

/// One layout with loops and one without: that all are accepted, h2o2 shows.
#[test]
fn gri30() {
    if !skip::sweeps("kernels of gri30 by the compilers") {
        return;
    }
    accepted("gri30", 8, &[(Codegen::Overlay, Form::LogSpace), (Codegen::DataParallel, Form::Pairwise)]);
}

/// Where ptxas was asked, its word replaces the estimate.
#[test]
fn spilling_is_told_as_ptxas_found_it() {
    if let Err(absent) = toolchain::find() {
        skip::skip(absent);
        return;
    }
    let plain = Request { kernels: vec![Kernel::Chemistry], verify: None, ..request::new(testkit::shipped("h2o2")) };
    let crowded = plain.with(|r| {
        r.tuning.warps = 8;
        r.tuning.ctas_per_sm.count = 8;
    });
    let warnings = |real_compilers| {
        let request = Request { real_compilers, ..crowded.clone() };
        testkit::request::report(&request).warnings
    };
    let (measured, estimated) = (warnings(true), warnings(false));
    assert!(measured.iter().any(|warning| warning.contains("ptxas spills")), "{measured:?}");
    assert!(!measured.iter().any(|warning| warning.contains("expect spilling")), "{measured:?}");
    assert!(estimated.iter().any(|warning| warning.contains("our allocator spills")), "{estimated:?}");
}
