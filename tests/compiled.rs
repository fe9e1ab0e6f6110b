//! NVRTC 11.8 and ptxas accept every emitted kernel, in every layout of code.

use singe::dataflow::Form;
use singe::driver::{self, Request};
use singe::emit::overlay::Codegen;
use singe::observer::Observer;
use singe::toolchain;

#[path = "common/request.rs"]
mod request;

fn accepted(name: &str, warps: u32) {
    if let Err(absent) = toolchain::find() {
        println!("skipped: {absent}");
        return;
    }
    let lean = (Codegen::Overlay, Some(Form::Lean));
    let pairwise =
        [Codegen::Overlay, Codegen::Switch, Codegen::DataParallel].map(|codegen| (codegen, Some(Form::Pairwise)));
    for (codegen, form) in pairwise.into_iter().chain([lean, (Codegen::DataParallel, lean.1)]) {
        let plain = request::of(request::shipped(name));
        let request = Request { warps, codegen, form, verify: None, real_compilers: true, ..plain };
        let report = driver::compile(&request, &mut Observer::silent())
            .unwrap_or_else(|f| panic!("{name} {codegen:?}: {:?}", f.diagnostics));
        for k in &report.kernels {
            let c = k.compiled.as_ref().expect("ptxas reports each kernel");
            println!(
                "{name} {warps} warps {codegen:?} {} {}: {} registers, {} + {} bytes spilled, {} bytes shared, {} barriers",
                k.form, k.kernel, c.registers, c.spill_store_bytes, c.spill_load_bytes, c.shared_bytes, c.barriers
            );
            assert!(c.barriers <= 16 && c.registers <= 255);
            let spilled = format!("{}: ptxas spills {} bytes", k.kernel, c.spill_store_bytes);
            let told = report.warnings.iter().any(|warning| warning.starts_with(&spilled));
            assert_eq!(told, c.spill_store_bytes > 0, "{:?}", report.warnings);
            assert!(
                !report.warnings.iter().any(|warning| warning.contains("expect spilling")),
                "{:?}",
                report.warnings
            );
            if codegen != Codegen::DataParallel {
                assert_eq!((c.barriers, c.shared_bytes), (k.named_barriers, k.shared_bytes), "{}", k.kernel);
            }
        }
    }
}

#[test]
fn h2o2() {
    accepted("h2o2", 5);
}

#[test]
fn gri30() {
    accepted("gri30", 8);
}
