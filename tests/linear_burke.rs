//! Linear-Burke rates: what is read, written and refused; kernels and derivatives against the reference; and the reference against Cantera.

use std::path::{Path, PathBuf};
use std::process::Command;

use kernels::{Form, Kernel};
use kinetics::{State, rates};
use mechanism::{Files, Mechanism, Options, PressureRate, Rate, Sources, decode, parse, write, write_yaml};
use overlay::Codegen;
use singe::driver::Request;
use testkit::request;
use testkit::skip;
use testkit::verified::unit;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/mechanisms/linear-burke.yaml");

fn read(text: &str) -> Result<Mechanism, Vec<diagnostics::Diagnostic>> {
    let mechanism = decode("chem.yaml", text.as_bytes());
    let sources = Sources::new("burke", mechanism);
    parse(&sources, Options::default()).map(|(mechanism, _)| mechanism)
}

fn text() -> String {
    std::fs::read_to_string(FILE).unwrap()
}

fn example() -> Mechanism {
    read(&text()).expect("a valid mechanism")
}

#[test]
fn colliders_are_read_and_written() {
    let mechanism = example();
    let Rate::LinearBurke(rate) = &mechanism.reactions[0].rate else { panic!("{:?}", mechanism.reactions[0].rate) };
    assert!(matches!(rate.bath, PressureRate::Falloff { .. }));
    let species: Vec<&str> = rate.colliders.iter().map(|c| mechanism.species[c.species].name.as_str()).collect();
    assert_eq!(species, ["H2O", "AR"]);
    assert!(matches!(rate.colliders[1].rate, Some(PressureRate::Plog(_))));
    // eig0 count in relation to that of M
    let Rate::LinearBurke(rate) = &mechanism.reactions[1].rate else { panic!("{:?}", mechanism.reactions[1].rate) };
    assert_eq!((rate.colliders[1].efficiency.a, rate.colliders[1].efficiency.b), (4.0, -0.25));
    let again = read(&write_yaml(&mechanism)).expect("what was written is read");
    assert_eq!(write_yaml(&again), write_yaml(&mechanism));
    let rates = |mechanism: &Mechanism| mechanism.reactions.iter().map(|r| r.rate.clone()).collect::<Vec<_>>();
    assert_eq!(rates(&again), rates(&mechanism));
    let errors = write(&mechanism).expect_err("CHEMKIN has no such form");
    assert_eq!(errors.iter().map(|d| d.id).collect::<Vec<_>>(), ["fmt::no-chemkin-form"; 3]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (from, to, id, message) in [
        (
            "- name: M\n    type: falloff", "- name: N2\n    type: falloff", "mechanism::linear-burke",
            "the first collider is not M",
        ),
        ("type: falloff\n", "type: elementary\n", "yaml::unsupported", "'elementary' is not supported"),
        ("    Troe: {A: 0.5, T3: 30.0, T1: 90000.0}\n", "", "yaml::missing-key", "this entry has no Troe"),
        (
            "efficiency: {A: 14.0, b: 0, Ea: 0}", "efficiency: {A: 0.0, b: 0, Ea: 0}", "mechanism::linear-burke",
            "is not positive",
        ),
        (
            "efficiency: {A: 14.0, b: 0, Ea: 0}", "eig0: {A: 14.0, b: 0, Ea: 0}", "mechanism::linear-burke",
            "this collider has eig0",
        ),
        ("efficiency: {A: 14.0, b: 0, Ea: 0}", "note: none", "yaml::missing-key", "this entry has no efficiency"),
        ("- name: AR\n", "- name: H2O\n", "mechanism::linear-burke", "this collider is listed twice"),
        (
            "efficiency: {A: 1, b: 0, Ea: 0}", "efficiency: {A: 2, b: 0, Ea: 0}", "mechanism::linear-burke",
            "of M is not 1",
        ),
        ("H + O2 (+M) <=> HO2 (+M)", "H + O2 + M <=> HO2 + M", "mechanism::linear-burke", "names another collider"),
        ("H + O2 (+M) <=> HO2 (+M)", "H + O2 (+AR) <=> HO2 (+AR)", "mechanism::linear-burke", "names another collider"),
        (
            "  colliders:\n  - name: M\n    type: falloff",
            "  efficiencies: {AR: 2}\n  colliders:\n  - name: M\n    type: falloff",
            "mechanism::linear-burke",
            "are those of its colliders",
        ),
        ("- name: AR\n", "- name: AR\n    effciency: 3\n", "yaml::unsupported", "the key 'effciency' of a collider"),
    ] {
        let changed = text().replacen(from, to, 1);
        assert_ne!(changed, text(), "{from:?} is not there");
        let errors = read(&changed).expect_err(to);
        let found = errors.iter().any(|d| d.id == id && d.message.contains(message));
        assert!(found, "{to:?}: {errors:#?}");
    }
}

#[test]
fn a_collider_that_is_no_species_is_told() {
    let changed = text().replacen("- name: AR\n", "- name: XE\n", 1);
    let mechanism = decode("chem.yaml", changed.as_bytes());
    let sources = Sources::new("burke", mechanism);
    let (mechanism, warnings) = parse(&sources, Options::default()).expect("a warning only");
    assert_eq!(warnings.iter().map(|d| d.id).collect::<Vec<_>>(), ["mechanism::unused-efficiency"]);
    let Rate::LinearBurke(rate) = &mechanism.reactions[0].rate else { panic!("{:?}", mechanism.reactions[0].rate) };
    assert_eq!(rate.colliders.len(), 1);
}

/// Every layout, rates and derivatives, against the reference with dual numbers.
#[test]
fn kernels_are_verified() {
    let model = kinetics::model(example()).expect("a model");
    let derivatives =
        [Kernel::Jacobian, Kernel::IsobaricJacobian, Kernel::IsochoricSparseJacobian, Kernel::IsobaricJacobianVector];
    for kernel in [Kernel::Chemistry].into_iter().chain(derivatives) {
        for codegen in [Codegen::Overlay, Codegen::DataParallel, Codegen::Straight] {
            for form in [Form::Pairwise, Form::LogSpace] {
                let request = Request { verify: Some(33), codegen, ..request::new(testkit::shipped("h2o2")) };
                unit(kernel, &model, &request.with(|r| (r.tuning.warps, r.tuning.form) = (4, Some(form))));
            }
        }
    }
}

/// Forward rate constants of files in Cantera, at states of its own choice.
#[test]
fn rate_constants_are_those_of_cantera() {
    let cantera = Path::new(env!("CARGO_MANIFEST_DIR")).join(".toolchain/cantera");
    if !(cantera.join("numpy").is_dir() && cantera.join("cantera/data/gri30.yaml").is_file()) {
        return skip::skip("Cantera is absent (`cargo xtask cantera` installs it)");
    }
    let published = cantera.join("cantera/data/example_data/ammonia-CO-H2-Alzueta-2023.yaml");
    for (file, phase) in [(PathBuf::from(FILE), "gas"), (published, "linear-Burke")] {
        let files = Files { mechanism: file.clone(), phase: Some(phase.to_owned()), ..Files::default() };
        let model = kinetics::model(mechanism::read(&files).expect("a valid mechanism").0).expect("a model");
        let mut script = Command::new("python3");
        script.env("PYTHONPATH", &cantera).env("PYTHONDONTWRITEBYTECODE", "1").args(["-W", "ignore", "-c", SCRIPT]);
        let output = script.arg(&file).arg(phase).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let mut worst = 0.0f64;
        let count = model.species().len();
        for line in text.lines() {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
            let (state, constants) = numbers.split_at(2 + count);
            let state = State { temperature: state[0], pressure: state[1], mole_fractions: state[2..].to_vec() };
            let own = rates::rates(&model, &state).forward;
            assert_eq!(own.len(), constants.len());
            for (own, theirs) in own.iter().zip(constants) {
                worst = worst.max((own - theirs).abs() / theirs.abs());
            }
        }
        println!("{phase}: {} states, largest difference {worst:.1e}", text.lines().count());
        assert!(text.lines().count() == 12 && worst <= 1e-11, "{worst:e}");
    }
}

const SCRIPT: &str = "
import sys
import cantera as ct
ct.suppress_thermo_warnings()
gas = ct.Solution(sys.argv[1], sys.argv[2])
for T in (400.0, 900.0, 1600.0, 2500.0):
    for P in (1e3, 2e5, 5e6):
        gas.TPX = T, P, {name: 1 + (k + int(T)) % 4 for k, name in enumerate(gas.species_names)}
        print(T, P, *(repr(float(x)) for x in gas.X), *(repr(float(k)) for k in gas.forward_rate_constants))
";
