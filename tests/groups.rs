//! Several groups of warps in a CTA: every kernel in every layout, any number of points, and groups that share no slot.

use emit_c::base::Provenance;
use emit_c::cuda;
use lower::code::Code;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request, Unit};
use singe::observer::Observer;
use testkit::request;
use testkit::verified::outputs;
use warpsim::{Launch, prove};

const LAYOUTS: [Codegen; 4] = [Codegen::Overlay, Codegen::Partial, Codegen::Straight, Codegen::Switch];

/// Three warps in a group: no power of two.
fn with((warps, groups): (u32, u32), target: &str, codegen: Codegen) -> Request {
    let request = Request { codegen, ..request::new(testkit::shipped("h2o2")) };
    request.with(|r| {
        (r.tuning.warps, r.tuning.groups_per_cta) = (warps, groups);
        r.common.target = Target::by_name(target).unwrap();
    })
}

#[test]
fn all_kernels_in_all_layouts() {
    for codegen in LAYOUTS {
        for (shape, target) in [((3, 2), "hopper"), ((4, 4), "ampere"), ((5, 2), "kepler")] {
            let report = testkit::request::report(&with(shape, target, codegen));
            for kernel in report.kernels {
                assert_eq!((kernel.warps, kernel.groups_per_cta), shape);
                let states = kernel.verification.unwrap().states as u32;
                assert!(states > 32 * shape.1 && !states.is_multiple_of(32), "a second turn without points for all");
            }
        }
    }
}

#[test]
fn several_points_per_lane_and_constants_in_shared_memory() {
    for constants in ["stripe", "constant-bank", "shared"] {
        let request = with((4, 2), "hopper", Codegen::Overlay).with(|r| {
            r.tuning.points_per_lane = Some(2);
            r.tuning.constants = clap::ValueEnum::from_str(constants, false).ok();
            assert!(r.tuning.constants.is_some());
        });
        let report = driver::compile(&request, &mut Observer::silent());
        assert!(report.is_ok_and(|r| r.kernels.iter().all(|k| k.verification.is_some())), "{constants}");
    }
}

/// Nothing is left out and nothing is written beyond the last point, which the simulation checks; each point is the same.
#[test]
fn any_number_of_points() {
    for codegen in LAYOUTS {
        for groups in [2, 4, 8] {
            let (model, units) = request::units(&Request { verify: None, ..with((4, groups), "hopper", codegen) });
            let states = kinetics::verification_states(&model, 260);
            for unit in &units {
                let all = outputs(unit, &model, &states, 70);
                for count in [1, 33, 64, 65, 127, 129, 160, 257] {
                    let some = outputs(unit, &model, &states[..count], 70);
                    assert_eq!(some, all[..count], "{} {codegen:?}, {groups} groups, {count} points", unit.kernel);
                }
            }
        }
    }
}

/// Proves the PTX for all warps of a CTA, where the last group of points is not full and others are missing.
fn proof(unit: &Unit, code: &Code, target: &Target) -> prove::Verdict {
    let module = emit_ptx::print(code, target.compute_capability);
    let points = 32 * code.stream.groups_per_cta + 6;
    let launch = Launch::fields(1, code.execution.warps(), unit.graph.arrays.len(), points, points);
    prove::prove(&module, &code.symbol, &launch).unwrap()
}

#[test]
fn all_warps_of_a_cta_are_proven_and_groups_that_share_a_slot_are_not() {
    let target = Target::by_name("hopper").unwrap();
    for codegen in LAYOUTS {
        for groups in [2, 4] {
            for unit in request::units(&Request { verify: None, ..with((4, groups), &target.name, codegen) }).1 {
                let what = format!("{} {codegen:?}, {groups} groups", unit.kernel);
                let mut code = lower::lower(&unit.program, target);
                let verdict = proof(&unit, &code, target);
                assert!(verdict.proven(), "{what}: {:?}", verdict.violations);
                assert!(code.slots.count >= 2 * groups, "{what} has slots");
                // The first slot of a group is the last one of the group before.
                code.slots.count -= groups;
                let verdict = proof(&unit, &code, target);
                // Where tables lie in shared memory, too, it may be found for some data alone.
                assert!(!verdict.proven(), "{what} is proven with slots that overlap");
            }
        }
    }
}

#[test]
fn the_text_counts_the_threads_of_all_groups() {
    let (_, units) = request::units(&Request { verify: None, ..with((4, 2), "hopper", Codegen::Overlay) });
    let target = Target::by_name("hopper").unwrap();
    for unit in units {
        let provenance = Provenance {
            command_line: "singe".into(),
            inputs: Vec::new(),
            mechanism: "h2o2".into(),
            ctas_per_sm: 1,
            form: None,
            precision: None,
        };
        let text = cuda::print(&unit.code, &provenance, target);
        assert!(text.contains("__launch_bounds__(256,") && text.contains("const int groups_per_cta = 2;"), "{text}");
        assert!(text.contains("groups      2 of 4 warps per CTA"), "{text}");
    }
}
