//! A code in Fortran calls CHEMKIN's routines as it would the library's own; the reference evaluator says what it must get.

use std::path::Path;
use std::process::Command;

use kinetics::constants::GAS_CONSTANT;
use kinetics::{Model, State};
use testkit::project::{run, there};
use testkit::shipped;

/// A caller with implicit interfaces, as old codes have it. `@...@` are sizes and the state.
const CALLER: &str = include_str!("chemkin/caller.f90");

/// Returns the expected values under a name in CGS, the scale of their errors, and the tolerance.
fn expected(model: &Model, state: &State, name: &str) -> (Vec<f64>, Vec<f64>, f64) {
    let species = model.species();
    let exact =
        |values: Vec<f64>, tolerance: f64| (values.clone(), values.into_iter().map(f64::abs).collect(), tolerance);
    let properties = kinetics::properties::properties(model, state);
    let progress = kinetics::progress::progress(model, state);
    let weight = properties.mean_molar_mass;
    let values = |all: &[kinetics::properties::Judged], factor: f64| {
        let (values, scales) = all.iter().map(|judged| (judged.value * factor, judged.scale * factor)).unzip();
        (values, scales, 1e-10)
    };
    // 1 kmol/m3 is 1e-3 mol/cm3, 1 J/kg is 1e4 erg/g.
    match name {
        "weights" => exact(species.iter().map(|s| s.weight).collect(), 1e-15),
        "mass" => exact(species.iter().zip(&state.mole_fractions).map(|(s, x)| x * s.weight / weight).collect(), 1e-13),
        "density" => exact(vec![properties.density * 1e-3], 1e-13),
        "concentrations" => {
            let total = state.pressure / (GAS_CONSTANT * state.temperature);
            exact(state.mole_fractions.iter().map(|x| x * total * 1e-3).collect(), 1e-13)
        }
        "pressure" => exact(vec![state.pressure * 10.0], 1e-13),
        "mean" => exact(vec![weight], 1e-13),
        "cp" => values(&[properties.mixture.cp.per(weight)], 1e4),
        "u" => values(&[properties.mixture.u.per(weight)], 1e4),
        "h" => values(&[properties.mixture.h.per(weight)], 1e4),
        "s" => values(&properties.species.iter().map(|(of, _)| of.s).collect::<Vec<_>>(), 1e4),
        "entropy" => values(&[properties.mixture.s.per(weight)], 1e4),
        "gibbs" => values(&[properties.mixture.g.per(weight)], 1e4),
        "helmholtz" => {
            let gibbs = properties.mixture.g.per(weight);
            let work = state.pressure / properties.density;
            (vec![(gibbs.value - work) * 1e4], vec![(gibbs.scale + work) * 1e4], 1e-10)
        }
        "viscosities" | "conductivities" => {
            let pure = |k: usize| {
                let mole_fractions = (0..species.len()).map(|other| f64::from(u8::from(other == k))).collect();
                State { mole_fractions, ..state.clone() }
            };
            let each = |k: usize| match name {
                "viscosities" => kinetics::viscosity(model, &pure(k)) * 10.0,
                _ => kinetics::conductivity(model, &pure(k)) * 1e5,
            };
            exact((0..species.len()).map(each).collect(), 1e-4)
        }
        "production" => {
            let made = kinetics::production(model, state);
            let cgs = |rates: Vec<f64>| rates.into_iter().map(|rate| rate * 1e-3).collect();
            (cgs(made.net), cgs(made.gross), 1e-10)
        }
        "creation" => values(&progress.creation, 1e-3),
        "forward" => values(&progress.forward, 1e-3),
        "reverse" => values(&progress.reverse, 1e-3),
        "equilibrium" => values(&progress.equilibrium_constants(|power| 10f64.powf(3.0 * power)), 1.0),
        // The forms that are chosen by default have errors of at most 1e-4.
        "viscosity" => exact(vec![kinetics::viscosity(model, state) * 10.0], 1e-4),
        "conductivity" => exact(vec![kinetics::conductivity(model, state) * 1e5], 1e-4),
        "diffusion" => exact(kinetics::diffusion(model, state, 1e-20).into_iter().map(|d| d * 1e4).collect(), 1e-4),
        _ => panic!("the caller says {name}"),
    }
}

#[test]
fn a_code_in_fortran_gets_what_the_reference_says() {
    if !there("g++") || !there("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_library(folder.path(), "h2o2");
    let files = mechanism::Files { mechanism: shipped("h2o2"), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let state = testkit::uneven_state(&model);
    let number = |x: f64| format!("{x:e}").replace('e', "d");
    let fractions: Vec<String> = state.mole_fractions.iter().map(|&x| number(x)).collect();
    let text = CALLER
        .replace("@species@", &model.species().len().to_string())
        .replace("@reactions@", &model.mechanism.reactions.len().to_string())
        .replace("@elements@", &model.mechanism.elements.len().to_string())
        .replace("@pressure@", &number(state.pressure * 10.0))
        .replace("@temperature@", &number(state.temperature))
        .replace("@fractions@", &fractions.join(", &\n         "));
    std::fs::write(folder.path().join("caller.f90"), text).unwrap();
    let strict = ["-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "-c", "h2o2_chemkin.cpp"];
    run(Command::new("g++").current_dir(folder.path()).args(strict));
    // Functions called without an interface take whole arrays and sections alike.
    let link = ["-fallow-argument-mismatch", "caller.f90", "h2o2_chemkin.o", "-lstdc++", "-o", "caller"];
    run(Command::new("gfortran").current_dir(folder.path()).args(link));
    let said = String::from_utf8(run(&mut Command::new(folder.path().join("caller"))).stdout).unwrap();
    assert_eq!(said.lines().count(), 34, "{said}");
    for line in said.lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let found: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let (values, scales, tolerance) = expected(&model, &state, name);
        assert_eq!(found.len(), values.len(), "{name}");
        for (i, (found, (value, scale))) in found.iter().zip(values.iter().zip(&scales)).enumerate() {
            assert!((found - value).abs() <= tolerance * scale, "{name} {i}: {found:e}, {value:e}");
        }
    }
}

/// A program of the kind that came with the library: work arrays, link files and lines of input.
const LEGACY: &str = include_str!("chemkin/legacy.f");

#[test]
fn a_legacy_program_links_and_stops_at_what_cannot_be_had() {
    if !there("g++") || !there("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_library(folder.path(), "h2o2");
    std::fs::write(folder.path().join("legacy.f"), LEGACY).unwrap();
    run(Command::new("g++").current_dir(folder.path()).args(["-O1", "-c", "h2o2_chemkin.cpp"]));
    let link = ["-fallow-argument-mismatch", "legacy.f", "h2o2_chemkin.o", "-lstdc++", "-o", "legacy"];
    run(Command::new("gfortran").current_dir(folder.path()).args(link));
    let ran = Command::new(folder.path().join("legacy")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "HYDROGEN 0.296 T");
    assert_eq!(ran.status.code(), Some(1));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(
        said.trim(),
        "ckabe of CHEMKIN is not there: coefficients of species and reactions are code here, and no data"
    );
}

/// The page lists every routine that ends the program.
#[test]
fn routines_that_stop_are_on_the_page() {
    let page = include_str!("../docs/guide/chemkin.md");
    for routine in emit_c::cpu::MISSING {
        assert!(page.contains(&format!("`{}`", routine.name)), "{}", routine.name);
    }
}

/// The names that a code in C sees are declared in the header, which is valid C.
#[test]
fn the_header_is_valid_c() {
    if !there("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_library(folder.path(), "h2o2");
    std::fs::write(
        folder.path().join("main.c"),
        "#include \"h2o2_chemkin.h\"\nint main(void) { return ckwyp_ == 0; }\n",
    )
    .unwrap();
    let strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wno-address", "-Werror", "-c", "main.c"];
    run(Command::new("gcc").current_dir(folder.path()).args(strict));
}

/// Sums coefficients of the library's species over all reactions, then prints production rates.
const REDUCED: &str = include_str!("chemkin/reduced.c");

/// Quasi-steady species are none of the library's, and there are no functions of rates of reactions one by one.
#[test]
fn a_reduced_mechanism_has_the_species_that_are_not_quasi_steady() {
    if !there("gcc") || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write_library(folder.path(), "methane");
    assert!(!std::fs::read_to_string(path("methane_chemkin.h")).unwrap().contains("ckqyp_"));
    std::fs::write(path("main.c"), REDUCED).unwrap();
    let strict = ["-Wall", "-Wextra", "-Werror", "-O1", "-c"];
    run(Command::new("gcc").current_dir(folder.path()).args(strict).args(["-std=c99", "main.c"]));
    run(Command::new("g++").current_dir(folder.path()).args(strict).args(["-std=c++17", "methane_chemkin.cpp"]));
    run(Command::new("g++").current_dir(folder.path()).args(["main.o", "methane_chemkin.o", "-o", "main"]));
    let said = String::from_utf8(run(&mut Command::new(path("main"))).stdout).unwrap();
    let found: Vec<f64> = said.lines().map(|line| line.parse().unwrap()).collect();

    let files = mechanism::Files { mechanism: shipped("methane"), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let state = State { temperature: 1350.0, pressure: 2.5e5, mole_fractions: vec![1.0 / 19.0; 19] };
    let surroundings = kinetics::Surroundings { transport_source: Vec::new(), time_step: 0.0 };
    let made = kinetics::reduced(&model, &state, &surroundings, kinetics::Stiffness::Off).production;
    assert_eq!((found.len(), made.net.len()), (19, 19));
    // 1 kmol/m3 is 1e-3 mol/cm3.
    for (k, (found, (net, gross))) in found.iter().zip(made.net.iter().zip(&made.gross)).enumerate() {
        assert!((found - net * 1e-3).abs() <= 1e-10 * gross * 1e-3, "{k}: {found}, {net}");
    }
}

fn write_library(folder: &Path, name: &str) {
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(shipped(name))
        .args(["--target", "cpu", "--units", "cgs", "--emit", "chemkin", "--verify", "off", "--stiffness", "off", "-o"])
        .arg(folder)
        .assert()
        .success();
}
