//! Constants in constant, global and shared memory: proven, verified, accepted by the real compilers.

use kernels::Kernel;
use machine::target::Target;
use overlay::{Codegen, Residence};
use singe::driver::{self, FailureKind, Request};
use singe::observer::Observer;
use testkit::request;
use testkit::skip;
use testkit::verified::reports;

fn with(name: &str, target: &str, constants: Residence) -> Request {
    request::new(testkit::shipped(name)).with(|r| {
        r.tuning.constants = Some(constants);
        r.common.target = Target::by_name(target).unwrap();
    })
}

#[test]
fn no_residence_but_stripes_shuffles() {
    for (name, target) in [("h2o2", "kepler"), ("gri30", "hopper")] {
        for constants in [Residence::ConstantBank, Residence::Shared] {
            for k in reports(&with(name, target, constants)) {
                // But one of each warp, by which compilers see that it has one number.
                let most = if target == "hopper" { k.warps.into() } else { 0.0 };
                assert!(k.verification.as_ref().unwrap().shuffles_per_point <= most, "{}", k.kernel);
                assert_eq!((k.real_constants_per_thread, k.index_constants_per_thread), (0, 0));
                let place = if constants == Residence::Shared { "shared, " } else { "constant bank, " };
                let place = if k.constants.starts_with("global") { "global memory, " } else { place };
                assert!(k.constants.starts_with(place), "{}", k.constants);
            }
        }
    }
}

#[test]
fn every_layout_and_many_warp_counts() {
    let are_swept = testkit::skip::sweeps("constants with further numbers of warps");
    for constants in [Residence::ConstantBank, Residence::Shared] {
        for codegen in [Codegen::Overlay, Codegen::Partial, Codegen::Straight, Codegen::Switch] {
            for warps in [1, 2, 5, 13, 32].into_iter().filter(|warps| [2, 13].contains(warps) || are_swept) {
                reports(&Request { codegen, ..with("h2o2", "ampere", constants) }.with(|r| r.tuning.warps = warps));
            }
        }
    }
}

/// Slots and constants share what a CTA may have: the schedule gives way.
#[test]
fn slots_make_room_for_constants() {
    let request = |constants| Request { kernels: vec![Kernel::Diffusion], ..with("gri30", "ampere-ga10x", constants) };
    let striped = reports(&request(Residence::Striped));
    let shared = reports(&request(Residence::Shared));
    assert!(striped[0].shared_bytes > 101_376 - 60_000 && shared[0].shared_bytes <= 101_376);
    assert!(shared[0].barriers > striped[0].barriers);
}

#[test]
fn constants_that_do_not_fit_are_refused() {
    let request = Request { kernels: vec![Kernel::Viscosity], ..with("gri30", "kepler", Residence::Shared) }
        .with(|r| r.tuning.ctas_per_sm.count = 4);
    let failure = driver::compile(&request, &mut Observer::silent()).expect_err("it does not fit");
    assert_eq!(failure.kind, FailureKind::Input);
    let ids: Vec<_> = failure.diagnostics.iter().map(|d| d.id).collect();
    assert!(ids == ["schedule::constants"] || ids == ["schedule::shared-memory"], "{ids:?}");
}

#[test]
fn real_compilers_accept_each_residence() {
    let name = if skip::sweeps("constants of gri30 by the compilers") { "gri30" } else { "h2o2" };
    for (target, constants) in
        [("kepler", Residence::ConstantBank), ("hopper", Residence::ConstantBank), ("hopper", Residence::Shared)]
    {
        let request = Request { real_compilers: true, verify: None, ..with(name, target, constants) };
        let report = testkit::request::report(&request);
        for k in &report.kernels {
            match &k.compiled {
                None => skip::skip(format!("no compilers for {target}")),
                Some(c) => {
                    println!(
                        "{target} {constants:?} {}: {} registers, {} B spilled",
                        k.kernel, c.registers, c.spill_store_bytes
                    );
                    assert!(c.barriers <= 16 && c.registers <= 255);
                }
            }
        }
    }
}
