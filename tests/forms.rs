//! Every form of every kernel: its graph is within the form's bound of the reference evaluator, the whole pipeline proves
//! and verifies it, and the cheapest is the one that `auto` takes.

use std::path::{Path, PathBuf};

use graph::interpret;
use kernels::{FLOOR, Form, Kernel, Matrix, Options, build};
use kinetics::{self, Model, State};
use machine::target::Target;
use mechanism::{self, Companion, Files};
use overlay::{Codegen, Residence};
use singe::driver::Request;
use singe::forms::{self, Count, Rates, Variant};
use singe::verify;
use testkit::request;
use testkit::skip;

fn shipped() -> Vec<PathBuf> {
    ["h2o2", "gri30"].map(testkit::shipped).to_vec()
}

/// Checks the published mechanisms like those that ship.
#[test]
fn published_mechanisms() {
    for name in ["dme", "heptane", "usc2"] {
        let Some(path) = skip::shared(&format!("mechanisms/{name}/chem.inp")) else { return };
        graphs_are_within_their_bounds(&path);
        if name == "dme" || skip::sweeps(format!("every form of {name} by the whole compiler")) {
            the_pipeline_verifies_every_form(&path);
        }
        log_space_chemistry_takes_few_slots(&path);
        if name == "dme" {
            low_rank_diffusion_is_right_for_nearly_pure_species(&path);
        }
    }
    let Some(largest) = skip::shared("mechanisms/llnl_nheptane/chem.inp") else { return };
    the_viscosity_of_hundreds_of_species_fits_into_shared_memory(largest);
}

fn name(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap().to_string_lossy().into_owned()
}

/// Largest relative error of a kernel's graph over some states, and what is allowed.
fn error(kernel: Kernel, model: &Model, options: &Options) -> (f64, f64) {
    error_on(&kinetics::verification_states(model, 24), kernel, model, options)
}

fn error_on(states: &[State], kernel: Kernel, model: &Model, options: &Options) -> (f64, f64) {
    let graph = build(kernel, model, options).unwrap();
    let mut worst = 0.0f64;
    for state in states {
        let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
        fields[0][0] = state.temperature;
        fields[1][0] = state.pressure;
        fields[2].clone_from(&state.mole_fractions);
        interpret::run(&graph, &mut fields);
        let (expected, scale) = match kernel {
            Kernel::Viscosity => (vec![kinetics::viscosity(model, state)], None),
            Kernel::Conductivity => (vec![kinetics::conductivity(model, state)], None),
            Kernel::Diffusion => (kinetics::diffusion(model, state, FLOOR), None),
            Kernel::Chemistry => {
                let p = kinetics::production(model, state);
                (p.net, Some(p.gross))
            }
            _ => unreachable!("{kernel} has tests of its own"),
        };
        let scale = scale.unwrap_or_else(|| expected.clone());
        for ((found, expected), scale) in fields[3].iter().zip(&expected).zip(&scale) {
            let e = if found == expected { 0.0 } else { ((found - expected) / scale).abs() };
            worst = if e.is_nan() { f64::INFINITY } else { worst.max(e) };
        }
    }
    (worst, verify::tolerance(kernel, &graph))
}

#[test]
fn shipped_graphs() {
    shipped().iter().for_each(|path| graphs_are_within_their_bounds(path));
}

fn graphs_are_within_their_bounds(path: &Path) {
    let model = testkit::detailed(path);
    for kernel in Kernel::ALL {
        for form in Form::allowed(kernel, Some(1e-4)) {
            for (warps, stage_inputs, tolerance) in [(8, true, 1e-4), (3, false, 1e-6), (1, true, 1e-4)] {
                let options =
                    Options { warps, stage_inputs, form, fit_tolerance: Some(tolerance), ..Options::default() };
                let (found, allowed) = error(kernel, &model, &options);
                let what = format!("{} {kernel} {form} {warps} warps", name(path));
                println!("{what}: {found:.1e} (<= {allowed:.1e})");
                let most = most_allowed(kernel, form, tolerance);
                assert!(found <= allowed && allowed <= most, "{what}: {found:e}, {allowed:e}");
            }
        }
    }
}

/// Low-rank diffusion does not come below about 1e-6, the error where a species begins to be nearly pure.
fn most_allowed(kernel: Kernel, form: Form, tolerance: f64) -> f64 {
    let floor = if (kernel, form) == (Kernel::Diffusion, Form::LowRank) { 5e-6 } else { 0.0f64 };
    floor.max(1.1 * tolerance)
}

/// One species is all but 1e-2 to 1e-24 of the mixture, the rest is equal traces or one trace alone.
fn nearly_pure(model: &Model) -> Vec<State> {
    let size = model.species().len();
    let mut states = Vec::new();
    for most in 0..size {
        for exponent in 2..=24 {
            let rest = 10f64.powi(-exponent);
            let other = (most + 1 + exponent as usize) % size;
            let alone = (most + exponent as usize).is_multiple_of(2);
            let mut x = vec![if alone { 0.0 } else { rest / (size - 1) as f64 }; size];
            if alone {
                x[other] = rest;
            }
            x[most] = 1.0 - rest;
            let temperature = 200.0 + 3800.0 * f64::from((7 * exponent + most as i32) % 24) / 23.0;
            states.push(State { temperature, pressure: 101325.0, mole_fractions: x });
        }
    }
    states
}

#[test]
fn shipped_low_rank_diffusion() {
    shipped().iter().for_each(|path| low_rank_diffusion_is_right_for_nearly_pure_species(path));
}

fn low_rank_diffusion_is_right_for_nearly_pure_species(path: &Path) {
    let model = testkit::detailed(path);
    for (warps, tolerance) in [(8, 1e-4), (1, 1e-6)] {
        let fit_tolerance = Some(tolerance);
        let options = Options { warps, form: Form::LowRank, fit_tolerance, ..Options::default() };
        let (found, allowed) = error_on(&nearly_pure(&model), Kernel::Diffusion, &model, &options);
        println!("{} tolerance {tolerance:.0e}: {found:.1e} (<= {allowed:.1e})", name(path));
        let most = most_allowed(Kernel::Diffusion, Form::LowRank, tolerance);
        assert!(found <= allowed && allowed <= most, "{}: {found:e}, {allowed:e}", name(path));
    }
}

fn request(mechanism: PathBuf, form: Option<Form>) -> Request {
    let files = Files { mechanism: mechanism.clone(), reduction: Companion::Ignored, ..Files::default() };
    // USC Mech II has two transport entries for some species.
    let reading = mechanism::Options::PERMISSIVE;
    Request { files, reading, verify: Some(40), ..request::new(mechanism) }.with(|r| r.tuning.form = form)
}

/// Prints the table of slots beside the goals.
#[test]
fn shipped_forms() {
    shipped().iter().for_each(|path| the_pipeline_verifies_every_form(path));
}

fn the_pipeline_verifies_every_form(path: &Path) {
    for form in Form::ALL {
        let kernels: Vec<Kernel> =
            Kernel::ALL.into_iter().filter(|&k| Form::allowed(k, Some(1e-4)).contains(&form)).collect();
        let request = Request { kernels, ..request(path.to_owned(), Some(form)) };
        let report = testkit::request::report(&request);
        for k in &report.kernels {
            let v = k.verification.as_ref().unwrap();
            assert_eq!(k.form, form.name());
            println!(
                "{:8} {:12} {:10} {:>7.0} slots {:>7.0} shuffles {:>7.0} shared passes {:>3} phases, error {:.1e}",
                name(path),
                k.kernel,
                k.form,
                v.slots_per_point,
                v.shuffles_per_point,
                v.shared_passes_per_point,
                k.phases,
                v.largest_error
            );
        }
    }
}

#[test]
fn auto_takes_the_form_of_fewest_clocks() {
    let path = testkit::shipped("gri30");
    let mut taken = Vec::new();
    let residences = [Residence::Striped, Residence::ConstantBank];
    for (codegen, constants) in
        [Codegen::Overlay, Codegen::DataParallel].into_iter().flat_map(|c| residences.map(|r| (c, r)))
    {
        let request = Request { codegen, ..request(path.clone(), None) }.with(|r| r.tuning.constants = Some(constants));
        let striped = (codegen, constants) == (Codegen::Overlay, Residence::Striped);
        let report = testkit::request::report(&request);
        for k in &report.kernels {
            // Kepler issues 64 slots or 32 shuffles per clock.
            let clocks = |f: &&Count| (f.slots.max(2 * f.shuffles), f.slots);
            let least = k.forms.iter().min_by_key(clocks).unwrap();
            assert_eq!(k.form, least.form, "{}", k.kernel);
            assert!(k.forms.len() >= 2);
            assert!(k.forms.iter().all(|f| (f.shuffles > 0) == striped), "only striped constants are shuffled");
            taken.push((k.kernel.clone(), striped, k.form.clone()));
        }
    }
    let conductivity = |form: &str, striped| taken.contains(&("conductivity".into(), striped, form.into()));
    // Shuffles of many striped constants cost more than a few exponentials.
    assert!(conductivity("log-space", true) && conductivity("low-rank", false), "{taken:?}");
}

/// Many of the 631 species have equal weights; the sums over them are taken as room allows.
fn the_viscosity_of_hundreds_of_species_fits_into_shared_memory(path: PathBuf) {
    let request = Request { kernels: vec![Kernel::Viscosity], verify: Some(2), ..request(path, Some(Form::LowRank)) };
    let report = testkit::request::report(&request);
    let verification = report.kernels[0].verification.as_ref().unwrap();
    println!("{} slots in {} phases", verification.slots_per_point, report.kernels[0].phases);
    assert!(verification.slots_per_point < 36_000.0 && report.kernels[0].shared_bytes <= 49_152);
}

/// The estimate of a form that does not fit as it was counted gives way to what was scheduled.
#[test]
fn a_form_that_turns_out_dearer_is_compared_again() {
    let path = testkit::shipped("gri30");
    let model = testkit::detailed(&path);
    let options = Options::default();
    let rates = Rates::new(Target::by_name("kepler").unwrap(), false, 255, 1);
    let mut choice = forms::choose(Kernel::Viscosity, &model, &options, None, &[Matrix::Dfma], rates).unwrap();
    let built = |form| build(Kernel::Viscosity, &model, &Options { form, ..options }).unwrap();
    let dfma = |form| Variant { form, matrix: Matrix::Dfma };
    assert_eq!(choice.variant, dfma(Form::LowRank));
    choice.recount(dfma(Form::LowRank), &built(Form::LowRank), 8);
    assert_eq!(choice.next(&[(dfma(Form::LowRank), 0)]), None);
    // Where registers do not suffice, the next form is tried.
    assert_eq!(choice.next(&[(dfma(Form::LowRank), 1)]), Some(dfma(Form::Symmetric)));
    assert_eq!(choice.next(&[(dfma(Form::LowRank), 1), (dfma(Form::Symmetric), 0)]), None);
    let dear = built(Form::Pairwise);
    choice.recount(dfma(Form::LowRank), &dear, 8);
    assert_eq!(choice.next(&[(dfma(Form::LowRank), 0)]), Some(dfma(Form::Symmetric)));
    assert!(choice.is_cheaper(dfma(Form::Symmetric), dfma(Form::LowRank)));
    let count = choice.considered.iter().find(|c| c.form == "low-rank").unwrap();
    assert_eq!(count.slots, dear.slots(8));
}

/// The most slots of the log-space chemistry.
const MOST: [(&str, f64); 5] =
    [("h2o2", 1_100.0), ("gri30", 9_250.0), ("dme", 4_600.0), ("heptane", 8_600.0), ("usc2", 19_400.0)];

/// Slots of the log-space chemistry per point of the data-parallel kernel: what is reached today, so that none is lost.
#[test]
fn shipped_log_space_chemistry() {
    shipped().iter().for_each(|path| log_space_chemistry_takes_few_slots(path));
}

fn log_space_chemistry_takes_few_slots(path: &Path) {
    let kernels = vec![Kernel::Chemistry];
    let request = Request { codegen: Codegen::DataParallel, kernels, ..request(path.to_owned(), None) };
    let report = testkit::request::report(&request);
    let chemistry = &report.kernels[0];
    for form in &chemistry.forms {
        println!("{:8} {:9} {:>6} slots: {:?}", name(path), form.form, form.slots, form.tally);
    }
    let slots = chemistry.verification.as_ref().unwrap().slots_per_point;
    let (_, most) = MOST.iter().find(|(known, _)| *known == name(path)).unwrap();
    assert!(slots <= *most, "{}: {slots}", name(path));
}

#[test]
fn exact_leaves_polynomials_out() {
    for kernel in Kernel::ALL {
        assert!(!Form::allowed(kernel, None).contains(&Form::Polynomial));
        assert_eq!(Form::Polynomial.for_kernel(kernel, None), Form::Pairwise);
    }
}
