//! The PTX that is written is for the target: its `.target`, its shuffles, and what each release of ptxas that knows the machine
//! says of it.

use std::path::PathBuf;
use std::process::Command;

use kernels::{Form, Kernel};
use machine::target::{Shuffle, Target};
use machine::toolchain::installations;
use overlay::Codegen;
use ptx::ir::Module;
use singe::driver::{Multiplier, Request};
use testkit::request;
use testkit::skip;

/// All kernels of h2o2 in both layouts, and a product of matrices where the target has them. Verified: from sm_70 on, the lanes
/// of a simulated warp go on one by one.
fn modules(target: &'static Target) -> Vec<(String, Module)> {
    let shipped =
        Request { verify: Some(40), ..request::new(testkit::shipped("h2o2")) }.with(|r| r.common.target = target);
    let model = request::model(&shipped);
    let plain = Kernel::ALL.into_iter().flat_map(|kernel| {
        [Codegen::Overlay, Codegen::DataParallel].map(|codegen| (kernel, Request { codegen, ..shipped.clone() }))
    });
    let matrices = target.slots_per_matrix_product().map(|_| {
        let form = Some(Form::Symmetric);
        (
            Kernel::Viscosity,
            shipped.clone().with(|r| {
                r.tuning.matrix = Some(Multiplier::Dmma);
                r.tuning.form = form;
            }),
        )
    });
    let compile = |(kernel, request): (Kernel, Request)| {
        let unit = testkit::request::unit(kernel, &model, &request);
        (format!("{kernel} {:?} {:?}", request.codegen, request.tuning.matrix), unit.ptx)
    };
    plain.chain(matrices).map(compile).collect()
}

#[test]
fn the_text_is_that_of_the_target_and_every_ptxas_takes_it_without_a_remark() {
    let are_swept = skip::sweeps("each text by each ptxas, not by one of them in turn");
    let mut taken = 0;
    for target in Target::all().filter(|target| target.shuffle != Shuffle::Mirror) {
        let folder = tempfile::tempdir().unwrap();
        let sm = target.compute_capability.sm();
        let mut files: Vec<PathBuf> = Vec::new();
        for (name, module) in modules(target) {
            let text = module.to_string();
            assert!(text.contains(&format!("\n.target {sm}\n")), "{sm} {name}");
            // Lanes that go on one by one meet where they exchange values.
            assert_eq!(text.matches("shfl.").count(), text.matches("shfl.sync.idx.b32").count(), "{sm} {name}");
            files.push(folder.path().join(format!("{}.ptx", files.len())));
            std::fs::write(files.last().unwrap(), text).unwrap();
        }
        let mut releases = Vec::new();
        let knowing = installations().iter().filter(|found| found.architectures.contains(&target.compute_capability));
        let knowing: Vec<_> = knowing.collect();
        for (at, found) in knowing.iter().enumerate() {
            let own = files.iter().zip(0..).filter(|(_, number)| are_swept || number % knowing.len() == at);
            for (file, _) in own {
                let output = Command::new(&found.ptxas)
                    .args(["--warning-as-error", "-O0", &format!("-arch={sm}"), "-o"])
                    .arg(folder.path().join("out.cubin"))
                    .arg(file)
                    .output()
                    .unwrap();
                let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success() && remarks.is_empty(), "ptxas {} {sm}: {remarks}", found.version());
                taken += 1;
            }
            releases.push(found.version());
        }
        println!("{sm}: {} texts; ptxas {}", files.len(), releases.join(", "));
    }
    if taken == 0 {
        skip::skip("ptxas is absent (`cargo xtask toolchain` installs it)");
    }
}
