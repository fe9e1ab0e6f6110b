//! Every warp count and every layout of code: all kernels proven and verified.

use std::path::Path;

use kernels::{Form, Kernel};
use mechanism::Options;
use overlay::Codegen;
use schedule::Placement;
use singe::driver::{self, FailureKind, Request};
use singe::observer::Observer;
use singe::plan::Effort;
use testkit::reference::own;
use testkit::request::new as request;
use testkit::shipped;
use testkit::skip;
use testkit::verified::reports;

/// Shared memory cannot hold every value of the diffusion kernel: one message that names the resource.
fn too_large(request: &Request) {
    let failure = driver::compile(request, &mut Observer::silent()).expect_err("it does not fit");
    assert_eq!(failure.kind, FailureKind::Input);
    assert_eq!(failure.diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(), ["schedule::shared-memory"]);
}

const WARPS: [u32; 5] = [1, 3, 8, 20, 32];
const LAYOUTS: [Codegen; 5] =
    [Codegen::Overlay, Codegen::Partial, Codegen::Straight, Codegen::Switch, Codegen::DataParallel];

fn over_warps_and_codegen(name: &str, pairs: impl Iterator<Item = (u32, Codegen)>) {
    for (warps, codegen) in pairs {
        // Schedules of straight code are made once, and not again to share work better.
        let quick = Request { codegen, effort: Effort::Quick, ..request(shipped(name)) };
        reports(&quick.with(|r| r.tuning.warps = warps));
    }
}

fn all_pairs() -> impl Iterator<Item = (u32, Codegen)> {
    WARPS.into_iter().flat_map(|warps| LAYOUTS.map(|codegen| (warps, codegen)))
}

#[test]
fn h2o2_over_warps_and_codegen() {
    over_warps_and_codegen("h2o2", all_pairs());
}

/// Layouts by turns: the pairs are those of the smaller mechanism, and what is larger here shows in each number of warps and in each layout.
#[test]
fn gri30_over_warps_and_codegen() {
    over_warps_and_codegen("gri30", WARPS.into_iter().zip(LAYOUTS.into_iter().cycle()));
    if skip::sweeps("gri30 with each number of warps in each layout") {
        over_warps_and_codegen("gri30", all_pairs());
    }
}

#[test]
fn h2o2_over_placements_and_ctas() {
    for placement in [Placement::Auto, Placement::Store, Placement::Buffer, Placement::Mixed] {
        for ctas_per_sm in [1, 2, 4] {
            let request = request(shipped("h2o2")).with(|r| {
                r.tuning.placement = placement;
                r.tuning.ctas_per_sm.count = ctas_per_sm;
                r.tuning.warps = 6;
            });
            if placement == Placement::Store && ctas_per_sm == 4 {
                too_large(&request);
            } else {
                reports(&request);
            }
        }
    }
}

#[test]
fn gri30_over_placements() {
    for placement in [Placement::Buffer, Placement::Mixed] {
        for warps in [4, 11] {
            reports(&request(shipped("gri30")).with(|r| {
                r.tuning.placement = placement;
                r.tuning.warps = warps;
            }));
        }
    }
}

/// Every form of a rate, in every layout of code.
#[test]
fn every_form_of_a_rate() {
    in_every_layout(&own("forms").mechanism);
}

fn in_every_layout(mechanism: &Path) {
    for codegen in LAYOUTS {
        for warps in [1, 4, 7, 16] {
            let plain = request(mechanism.to_owned());
            let chemistry =
                Request { codegen, kernels: vec![Kernel::Chemistry], ..plain }.with(|r| r.tuning.warps = warps);
            reports(&chemistry);
            reports(&chemistry.with(|r| r.tuning.form = Some(Form::LogSpace)));
        }
    }
}

#[test]
fn published_mechanisms() {
    let Some(shared) = skip::shared("mechanisms") else { return };
    let chem = |name: &str| shared.join(name).join("chem.inp");
    for name in ["h2_burke", "dme", "usc2"] {
        // USC Mech II has two transport entries for some species.
        reports(&Request { reading: Options::PERMISSIVE, ..request(chem(name)) });
    }
    ["zoo", "zoo_forms"].iter().for_each(|name| in_every_layout(&chem(name)));
    for unit in ["EVOLTS", "JOULES_MOLE", "KCAL_MOLE", "KELVINS", "KJOULES_MOLE", "MOLECULES"] {
        reports(&request(chem(&format!("zoo_{unit}"))));
    }
}
