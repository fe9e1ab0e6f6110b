//! Several points per lane: all kernels verified in every layout, any number of points, and what is fetched for the constants
//! is shared.

use kernels::{Form, Kernel};
use machine::target::Target;
use overlay::{Codegen, Residence};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::verify::Verification;
use testkit::request;
use testkit::verified::{outputs, reports};

const LAYOUTS: [Codegen; 5] =
    [Codegen::Overlay, Codegen::Partial, Codegen::Straight, Codegen::Switch, Codegen::DataParallel];

/// On a target whose shared memory holds the values of four points.
fn with(points_per_lane: u32, name: &str) -> Request {
    let (points_per_lane, target) = (Some(points_per_lane), Target::by_name("ampere").unwrap());
    request::new(testkit::shipped(name)).with(|r| {
        r.tuning.points_per_lane = points_per_lane;
        r.common.target = target;
    })
}

fn verified(request: &Request) -> Vec<Verification> {
    let verified = reports(request).into_iter().map(|kernel| {
        assert!(request.tuning.points_per_lane.is_none_or(|points| points == kernel.points_per_lane));
        let found = kernel.verification.expect("it is verified");
        assert!(found.states as u32 > 32 * kernel.points_per_lane, "the streaming loop runs twice");
        assert!(!found.states.is_multiple_of(32), "a tail");
        found
    });
    verified.collect()
}

fn in_layout(name: &str, points: u32, codegen: Codegen, form: Option<Form>) {
    verified(&Request { codegen, ..with(points, name) }.with(|r| r.tuning.form = form));
}

fn all_layouts(name: &str, forms: &[Option<Form>]) {
    for points in [2, 4] {
        LAYOUTS.into_iter().for_each(|codegen| forms.iter().for_each(|&form| in_layout(name, points, codegen, form)));
    }
}

#[test]
fn h2o2_in_all_layouts() {
    all_layouts("h2o2", &[Some(Form::Pairwise), None]);
}

#[test]
fn gri30_in_all_layouts() {
    LAYOUTS
        .into_iter()
        .zip([2, 4].into_iter().cycle())
        .for_each(|(codegen, points)| in_layout("gri30", points, codegen, None));
    if testkit::skip::sweeps("gri30 in all layouts, forms and numbers of points") {
        all_layouts("gri30", &[Some(Form::Pairwise), None]);
    }
}

#[test]
fn constants_are_fetched_once_for_all_points() {
    let counts = |points, constants| verified(&with(points, "h2o2").with(|r| r.tuning.constants = Some(constants)));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
    for constants in [Residence::Striped, Residence::ConstantBank, Residence::Shared] {
        let one = counts(1, constants);
        for points in [2, 4] {
            for (v, one) in counts(points, constants).iter().zip(&one) {
                let p = f64::from(points);
                assert!(near(v.slots_per_point, one.slots_per_point), "{v:?} {one:?}");
                // Or less: an index with a name is not fetched again in an inner block. Each of 8 warps has one more, by which
                // compilers see that it has one number.
                let padded = (v.states as u32).next_multiple_of(32 * points);
                let own = p * f64::from(8 * 32) / f64::from(padded);
                assert!(p * v.shuffles_per_point <= one.shuffles_per_point * (1.0 + 1e-9) + own, "{v:?} {one:?}");
                assert!(v.instructions_per_point < one.instructions_per_point, "{v:?} {one:?}");
                match constants {
                    Residence::Shared => assert!(v.shared_passes_per_point < one.shared_passes_per_point),
                    _ => assert!(near(v.shared_passes_per_point, one.shared_passes_per_point), "{v:?} {one:?}"),
                }
            }
        }
    }
}

/// Nothing is left out and nothing is written beyond the last point, which the simulation checks; each point is the same.
#[test]
fn any_number_of_points() {
    for codegen in LAYOUTS {
        for points in [2, 4] {
            let (model, units) = request::units(&Request { codegen, verify: None, ..with(points, "h2o2") });
            let states = kinetics::verification_states(&model, 260);
            for unit in &units {
                let all = outputs(unit, &model, &states, 200);
                for count in [1, 31, 32, 33, 64, 65, 97, 127, 128, 129, 257] {
                    let some = outputs(unit, &model, &states[..count], 200);
                    assert_eq!(some, all[..count], "{} {codegen:?}: {count} points", unit.program.symbol);
                }
            }
        }
    }
}

#[test]
fn too_many_points_for_the_shared_memory_are_refused() {
    let kernels = vec![Kernel::Chemistry];
    let kepler = Target::by_name("kepler").unwrap();
    let request = Request { kernels, ..with(4, "gri30") }.with(|r| r.common.target = kepler);
    let failure = driver::compile(&request, &mut Observer::silent()).unwrap_err();
    let diagnostic = &failure.diagnostics[0];
    assert_eq!(diagnostic.id, "schedule::shared-memory");
    assert!(diagnostic.help.iter().any(|help| help.contains("points-per-lane")), "{diagnostic:?}");
}

/// Only where shuffles are what takes longest, and as long as registers suffice.
#[test]
fn auto_takes_more_points_where_that_saves_clocks() {
    let points = |constants| {
        let request = with(1, "gri30").with(|r| {
            r.tuning.points_per_lane = None;
            r.tuning.form = None;
            r.tuning.constants = Some(constants);
        });
        let report = testkit::request::report(&request);
        for k in &report.kernels {
            assert!(k.points_per_lane == 1 || k.registers_estimated <= k.registers_available, "{}", k.kernel);
        }
        report.kernels.iter().map(|k| (k.kernel.clone(), k.points_per_lane)).collect::<Vec<_>>()
    };
    let striped = points(Residence::Striped);
    println!("{striped:?}");
    assert!(striped.contains(&("diffusion".into(), 2)) && striped.contains(&("chemistry".into(), 1)), "{striped:?}");
    assert!(points(Residence::ConstantBank).iter().all(|(_, points)| *points == 1));
}
