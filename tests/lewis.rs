//! Diffusion by Lewis numbers: the reference against the formula by hand, kernels against the reference, and what a file may be.

use kernels::{Form, Kernel, Precision, StateVariables};
use kinetics::constants::GAS_CONSTANT;
use kinetics::flux::{Gradients, fluxes};
use kinetics::{Model, State, verification_states};
use mechanism::{Companion, Diffusion, Files, LewisNumbers, Polynomials, read};
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::Emit;
use std::path::{Path, PathBuf};
use testkit::{request, shipped, verified};

const KERNELS: [Kernel; 3] = [Kernel::Diffusion, Kernel::Transport, Kernel::Flux];

/// h2o2 as a YAML file with another transport model.
fn yaml(folder: &Path, transport: &str) -> PathBuf {
    let (mechanism, _) = read(&Files { mechanism: shipped("h2o2"), ..Files::default() }).expect("a valid mechanism");
    let text = mechanism::write_yaml(&mechanism);
    assert!(text.contains("transport: mixture-averaged\n"));
    let path = folder.join("h2o2.yaml");
    std::fs::write(&path, text.replace("mixture-averaged", transport)).expect("a writable folder");
    path
}

fn model(files: &Files) -> Model {
    kinetics::model(read(files).expect("valid files").0).expect("a model")
}

fn by_file(folder: &Path, lines: &str) -> Files {
    let path = folder.join("lewis.txt");
    std::fs::write(&path, lines).expect("a writable folder");
    Files { mechanism: shipped("h2o2"), lewis: LewisNumbers::At(path), ..Files::default() }
}

/// Other Lewis numbers for each of the species.
fn numbers(species: usize) -> Vec<f64> {
    (0..species).map(|k| 0.2 + 0.17 * k as f64).collect()
}

fn lines(model: &Model) -> String {
    let species = model.species().iter().zip(numbers(model.species().len()));
    species.map(|(species, number)| format!("{} {number} ! a comment\n", species.name)).collect()
}

/// lambda/(rho cp), of molar quantities.
fn by_hand(model: &Model, State { temperature: t, pressure, mole_fractions }: &State) -> f64 {
    let cp = model.species().iter().zip(mole_fractions).map(|(species, x)| {
        let Polynomials::Nasa7(nasa) = &species.thermo else { panic!("h2o2 has NASA-7 polynomials") };
        let a = if *t <= nasa.t_mid { nasa.low } else { nasa.high };
        x * GAS_CONSTANT * (a[0] + a[1] * t + a[2] * t.powi(2) + a[3] * t.powi(3) + a[4] * t.powi(4))
    });
    let lambda = kinetics::species_conductivity(model, *t);
    let arithmetic: f64 = lambda.iter().zip(mole_fractions).map(|(lambda, x)| x * lambda).sum();
    let harmonic: f64 = lambda.iter().zip(mole_fractions).map(|(lambda, x)| x / lambda).sum();
    0.5 * (arithmetic + 1.0 / harmonic) * GAS_CONSTANT * t / (pressure * cp.sum::<f64>())
}

#[test]
fn the_reference_is_the_formula() {
    let folder = tempfile::tempdir().unwrap();
    let unity = model(&Files { mechanism: yaml(folder.path(), "unity-Lewis-number"), ..Files::default() });
    assert_eq!(unity.mechanism.diffusion, Diffusion::UnityLewis);
    let constant = model(&by_file(folder.path(), &lines(&unity)));
    for state in verification_states(&unity, 50) {
        let expected = by_hand(&unity, &state);
        let found = kinetics::diffusion(&unity, &state, 1e-20);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|d| (d / expected - 1.0).abs() < 1e-13), "{found:?} {expected}");
        let found = kinetics::diffusion(&constant, &state, 1e-20);
        let le = found.iter().zip(numbers(10)).map(|(d, number)| d * number / expected);
        assert!(le.clone().all(|ratio| (ratio - 1.0).abs() < 1e-13), "{:?}", le.collect::<Vec<_>>());
    }
}

/// With one coefficient, the correction velocity makes j = -rho D grad Y of the gradients of mole fractions.
#[test]
fn unity_lewis_numbers_obey_ficks_law_of_mass_fractions() {
    let model = model(&Files { mechanism: shipped("h2o2"), lewis: LewisNumbers::Unity, ..Files::default() });
    let weights: Vec<f64> = model.species().iter().map(|species| species.weight).collect();
    for state in verification_states(&model, 20) {
        let x = &state.mole_fractions;
        // Their sum is 0, as that of fractions' gradients.
        let along: Vec<f64> = (0..x.len()).map(|k| if k % 2 == 0 { 3.0 } else { -3.0 }).collect();
        let sum = |of: &[f64]| of.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
        let (mean, slope) = (sum(x), sum(&along));
        let common = by_hand(&model, &state) * kinetics::density(&model, &state);
        let found = fluxes(&model, &state, &Gradients { mole_fractions: along.clone(), temperature: None }, 1e-20).mass;
        for k in 0..x.len() {
            let expected = -common * weights[k] * (along[k] / mean - x[k] * slope / (mean * mean));
            assert!((found[k].value - expected).abs() <= 1e-12 * found[k].scale, "{} {expected}", found[k].value);
        }
    }
}

#[test]
fn kernels_of_every_form_state_and_layout_give_it() {
    let folder = tempfile::tempdir().unwrap();
    let plain = model(&Files { mechanism: shipped("h2o2"), ..Files::default() });
    let constant = model(&by_file(folder.path(), &lines(&plain)));
    let unity = model(&Files { mechanism: shipped("h2o2"), lewis: LewisNumbers::Unity, ..Files::default() });
    for form in Form::ALL {
        let change = |request: &mut Request| request.tuning.form = Some(form);
        verified::each(&constant, &KERNELS, change, [1, 4]);
        let change = |request: &mut Request| {
            (request.tuning.form, request.codegen) = (Some(form), Codegen::DataParallel);
        };
        verified::each(&unity, &KERNELS, change, [4]);
    }
    for state in [StateVariables::Concentrations, StateVariables::Density, StateVariables::Enthalpy] {
        verified::each(&constant, &KERNELS, |request| request.common.state = state, [3]);
    }
    // The kernel of mixture averages is another one.
    let request = Request { verify: Some(33), ..request::new(shipped("h2o2")) };
    let unit = verified::unit(Kernel::Diffusion, &unity, &request);
    let state = &verification_states(&unity, 5)[4];
    let ([lewis, plain], of) = ([&unity, &plain], kinetics::Stiffness::Off);
    let [lewis, plain] =
        [lewis, plain].map(|model| singe::verify::reference(Kernel::Diffusion, model, &unit.graph, of, state).0);
    assert!(lewis.iter().zip(&plain).any(|(a, b)| (a / b - 1.0).abs() > 0.1), "{lewis:?} {plain:?}");
}

#[test]
fn a_compiled_project_tells_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let compiled = |files: Files, codegen: &str| {
        let output = folder.path().join(codegen);
        let request = Request { files, output: Some(output.clone()), ..request::new(shipped("h2o2")) }.with(|r| {
            r.kernels = vec![Kernel::Diffusion, Kernel::Viscosity];
            r.emit = vec![Emit::Cuda];
            r.codegen = Codegen::DataParallel;
        });
        let report = testkit::request::report(&request);
        let text = |name: &str| std::fs::read_to_string(output.join(name)).expect("it is written");
        (report.diffusion.expect("it is told"), text("h2o2.h"), text("h2o2_diffusion.cu"), text("h2o2_viscosity.cu"))
    };
    let unity = Files { mechanism: yaml(folder.path(), "unity-Lewis-number"), ..Files::default() };
    let (told, header, diffusion, viscosity) = compiled(unity, "unity");
    assert_eq!(told, "diffusion by unity Lewis numbers: lambda/(rho cp Le)");
    assert!(header.contains("Diffusion coefficient of each species by unity Lewis numbers."), "{header}");
    assert!(diffusion.contains("unity Lewis numbers") && !viscosity.contains("Lewis"), "{diffusion}");
    let plain = model(&Files { mechanism: shipped("h2o2"), ..Files::default() });
    let (told, _, diffusion, _) = compiled(by_file(folder.path(), &lines(&plain)), "constant");
    assert!(told.contains("lewis.txt") && diffusion.contains("lewis.txt"), "{told}");
}

#[test]
fn single_precision_and_hosts_with_own_coefficients_are_refused() {
    let unity = Files { mechanism: shipped("h2o2"), lewis: LewisNumbers::Unity, ..Files::default() };
    let refused = |change: fn(&mut Request)| {
        let (kernels, codegen) = (vec![Kernel::Diffusion], Codegen::DataParallel);
        let request = Request { files: unity.clone(), kernels, codegen, ..Request::default() };
        let request = request.with(change).for_target().expect("the target can have it");
        let failure = driver::compile(&request, &mut Observer::silent()).expect_err("it is refused");
        failure.diagnostics[0].id
    };
    assert_eq!(refused(|r| r.common.precision.kernels = Precision::Single), "precision::not-offered");
    assert_eq!(refused(|r| r.common.precision.kernels = Precision::Mixed), "precision::not-offered");
    let of_host = |r: &mut Request| {
        r.common.target = machine::target::Target::cpu();
        r.common.units = graph::Units::Cgs;
        r.emit = vec![Emit::Pelephysics];
        r.tuning.points_per_lane = Some(1);
    };
    assert_eq!(refused(of_host), "emit::no-lewis-numbers");
}

#[test]
fn a_file_has_a_number_for_each_transported_species() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reduction.txt");
    std::fs::write(&path, "QSSA HO2 END STIFF END\n").unwrap();
    let reduced = |files: Files| Files { reduction: Companion::At(path.clone()), ..files };
    let plain = model(&reduced(Files { mechanism: shipped("h2o2"), ..Files::default() }));
    let files = reduced(by_file(folder.path(), &("# numbers\n\n".to_owned() + &lines(&plain) + "CH4 1\n")));
    let (mechanism, warnings) = read(&files).expect("HO2 needs none");
    assert!(warnings.iter().any(|d| d.message.starts_with("unknown species 'CH4'")), "{warnings:?}");
    assert!(mechanism.inputs.iter().any(|input| input.name.ends_with("lewis.txt")));
    let constant = kinetics::model(mechanism).expect("a model");
    assert_eq!(constant.lewis_numbers(), Some(numbers(9)));
    verified::each(&constant, &[Kernel::Diffusion], |_| {}, [2]);
    for (lines, expected) in [
        ("H2 1\n", "lacks the Lewis numbers of 8 species: H, O, O2, OH, H2O, H2O2, AR, N2"),
        ("H2 1\nH2 2\n", "species 'H2' has two Lewis numbers"),
        ("H2 0\n", "'0' is no Lewis number of species 'H2'"),
        ("H2 1e-320\n", "'1e-320' is no Lewis number"),
        ("H2 inf\n", "'inf' is no Lewis number"),
        ("H2 nan\n", "'nan' is no Lewis number"),
        ("H2\n", "this is no species with its Lewis number"),
        ("H2 1 2\n", "this is no species with its Lewis number"),
    ] {
        let errors = read(&reduced(by_file(folder.path(), lines))).expect_err(lines);
        assert!(errors.iter().any(|d| d.message.contains(expected)), "{lines}: {errors:?}");
    }
    let mut absent = by_file(folder.path(), "");
    absent.lewis = LewisNumbers::At(folder.path().join("absent.txt"));
    assert_eq!(read(&absent).expect_err("there is no such file")[0].id, "mechanism::unreadable-file");
}

#[test]
fn writers_keep_the_model() {
    let folder = tempfile::tempdir().unwrap();
    for (given, kept) in [("unity-Lewis-number", "unity-Lewis-number"), ("mixture-averaged-CK", "mixture-averaged-CK")]
    {
        let (mechanism, _) =
            read(&Files { mechanism: yaml(folder.path(), given), ..Files::default() }).expect("a valid mechanism");
        let text = mechanism::write_yaml(&mechanism);
        assert!(text.contains(&format!("transport: {kept}\n")), "{text}");
        let is_told = mechanism::write(&mechanism).unwrap().warnings.iter().any(|d| d.id == "fmt::lewis-numbers");
        assert_eq!(is_told, given.starts_with("unity"));
    }
}
