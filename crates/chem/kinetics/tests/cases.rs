//! Published converter test cases: each input loads, or fails with a located diagnostic.
//!
//! `cases/rates.json` holds rate constants that Cantera 3.2.0 computes from the same files.

use diagnostics::Diagnostic;
use kinetics::collision::Integrals;
use kinetics::rates::rates_at;
use kinetics::thermo::{cp_r, h_rt, s_r};
use kinetics::transport::{Molecule, pair};
use kinetics::{self, State};
use mechanism::{
    Companion, Files, Mechanism, Options, Outcome, Polynomials, Reverse, Sources, decode, parse, read, read_with,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::skip;

/// `diagnostics_each`, `mechanism_forms` and `files` ask the same of texts of our own.
#[test]
fn published_cases() {
    let Some(folder) = skip::shared("chemkin_cases") else { return };
    let cases: [fn(&Path); 12] = [
        valid_inputs_load,
        invalid_inputs_fail_at_the_right_place,
        the_permissive_mode_forgives_what_has_an_obvious_repair,
        rate_constants_agree_with_cantera,
        gri_mech_from_its_original_files_has_the_rates_of_the_shipped_one,
        the_conductivity_of_hydrogen_and_oxygen,
        broken_thermo_entries_matter_only_when_they_are_used,
        an_explicit_reverse_rate_of_zero_makes_a_reaction_irreversible,
        a_custom_element_has_its_given_weight,
        nasa_9_ranges_must_be_adjacent,
        one_range_records_need_the_common_default_temperature,
        nasa_9_functions_agree_with_cantera,
    ];
    cases.iter().for_each(|case| case(&folder));
}

fn load(folder: &Path, [mechanism, thermo, transport]: [&str; 3], permissive: bool) -> Outcome {
    let path = |name: &str| -> Option<PathBuf> { (!name.is_empty()).then(|| folder.join(name)) };
    let files = Files {
        mechanism: folder.join(mechanism),
        thermo: path(thermo),
        transport: path(transport).map_or(Companion::Beside, Companion::At),
        ..Files::default()
    };
    read_with(&files, Options { permissive, ..Options::default() })
}

fn describe(diagnostics: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| {
        let place = d.span.as_ref().map_or((0, 0), |span| span.line_column());
        let text = d.span.as_ref().map_or("", |span| span.text());
        format!("{}:{} {} {} [{text}]\n", place.0, place.1, d.id, d.message)
    };
    diagnostics.iter().map(line).collect()
}

fn valid_inputs_load(folder: &Path) {
    let dummy = "dummy-thermo.dat";
    // Files, species, reactions, a warning that must appear.
    for (files, species, reactions, warning) in [
        (["gri30.inp", "gri30_thermo.dat", "gri30_tran.dat"], 53, 325, ""),
        (["pdep-test.inp", "", ""], 21, 7, ""),
        // Cantera's converter wants --permissive; but a name says the same however often it is declared.
        (["duplicate-species.inp", "", ""], 3, 2, "multiple declarations for species 'bar'"),
        (["unterminated-sections.inp", "", ""], 3, 2, "the ELEMENTS section has no END"),
        (["unterminated-sections.inp", "", ""], 3, 2, "the SPECIES section has no END"),
        (["unterminated-sections.inp", "", ""], 3, 2, "the THERMO section has no END"),
        (["unterminated-sections.inp", "", ""], 3, 2, "the REACTIONS section has no END"),
        (["sri-falloff.inp", dummy, ""], 8, 2, ""),
        (["explicit-reverse-rate.inp", dummy, ""], 7, 3, ""),
        (["negative-order.inp", dummy, ""], 5, 3, "negative reaction order -0.5"),
        (["negative-rate.inp", dummy, ""], 6, 6, "the rate constant of 'H+P1=>R1A+R1B' is negative"),
        (["units-default.inp", dummy, ""], 15, 6, ""),
        (["float-stoich.inp", dummy, ""], 4, 2, ""),
        (["h2o2.inp", "", "gri30_tran.dat"], 9, 28, ""),
        (["custom-elements.inp", "", ""], 2, 0, "the mechanism has no reactions"),
        (["blank_line_in_header.inp", "", ""], 3, 1, ""),
        (["nasa9-test-subset.inp", "nasa9-test-therm.dat", ""], 2, 0, "the mechanism has no reactions"),
    ] {
        match load(folder, files, false) {
            Ok((mechanism, warnings)) => {
                assert_eq!((mechanism.species.len(), mechanism.reactions.len()), (species, reactions), "{files:?}");
                assert!(describe(&warnings).contains(warning), "{files:?}\n{}", describe(&warnings));
            }
            Err(diagnostics) => panic!("{files:?}\n{}", describe(&diagnostics)),
        }
    }
}

fn invalid_inputs_fail_at_the_right_place(folder: &Path) {
    let dummy = "dummy-thermo.dat";
    for (files, expected) in [
        (["h2o2_missingThermo.inp", "", ""], "no thermo data found for species 'H2'"),
        (["unrecognized-section.inp", dummy, ""], "8:1 mechanism::unrecognized-section unrecognized keyword 'SPAM'"),
        (
            ["falloff-error.inp", dummy, ""],
            "9:1 mechanism::keyword-conflict the (+M) of 'R1A+R1A(+M)<=>H+P1(+M)' implies",
        ),
        (["invalid-equation.inp", dummy, ""], "13:1 mechanism::unparsable-line unparsable line 'R1A <-> R1B"),
        (["reaction-no-reactants.inp", dummy, ""], "9:1 mechanism::equation no reactant species found"),
        (["bad-chebyshev-params.inp", dummy, ""], "missing TCHEB"),
        (["bad-chebyshev-params.inp", dummy, ""], "missing PCHEB"),
        (["bad-chebyshev-params.inp", dummy, ""], "expected 3*5 = 15 Chebyshev coefficients but got 16"),
        (
            ["photo-reaction.inp", dummy, ""],
            "8:13 mechanism::photon the reversible reaction 'R1A=R1A+HV' contains a product photon",
        ),
        (
            ["h2o2.inp", "", "h2o2-duplicate-species-tran.dat"],
            "transport::repeated-species duplicate transport data for species 'H2O' differs",
        ),
        (["h2o2.inp", "", "h2o2-missing-species-tran.dat"], "no transport data for species 'H2O2'"),
        (
            ["h2o2.inp", "", "h2o2-character-geometry-tran.dat"],
            "6:20 transport::geometry invalid geometry flag 'a' of species 'HO2'",
        ),
        (
            ["h2o2.inp", "", "h2o2-float-arithmetic-error-geometry-tran.dat"],
            "invalid geometry flag '0.9999999999999999'",
        ),
        (["undeclared-duplicate-reactions.inp", dummy, ""], "line 14 repeats the reaction 'R1A+R1B<=>P1+H' of line 12"),
    ] {
        let diagnostics = load(folder, files, false).expect_err(files[0]);
        assert!(describe(&diagnostics).contains(expected), "{files:?}\n{}", describe(&diagnostics));
    }
}

fn the_permissive_mode_forgives_what_has_an_obvious_repair(folder: &Path) {
    let forgiven = |files: [&str; 3]| load(folder, files, true).expect("forgiven");
    let names = |mechanism: &Mechanism| mechanism.species.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    let (mechanism, _) = forgiven(["duplicate-species.inp", "", ""]);
    assert_eq!(names(&mechanism), ["foo", "bar", "baz"]);
    let (mechanism, warnings) = forgiven(["h2o2.inp", "", "h2o2-duplicate-species-tran.dat"]);
    let water = mechanism.species.iter().find(|s| s.name == "H2O").and_then(|s| s.transport.as_ref());
    assert_eq!(water.map(|transport| transport.diameter), Some(2.605));
    let expected = "duplicate transport data for species 'H2O' differs: the first line counts";
    assert!(describe(&warnings).contains(expected), "{}", describe(&warnings));
    let (mechanism, _) = forgiven(["photo-reaction.inp", "dummy-thermo.dat", ""]);
    let [reaction] = mechanism.reactions.as_slice() else { panic!("one reaction") };
    assert_eq!((reaction.equation.as_str(), &reaction.reverse), ("R1A=>R1A", &Reverse::Irreversible));
    let permissive = Options::PERMISSIVE;
    let (mechanism, warnings) =
        with_thermo(folder, "O O2 H H2 H2O OH", "bad-nasa7-formatting.dat", permissive).expect("forgiven");
    assert_eq!(names(&mechanism), ["O", "H", "H2O"]);
    let lines: Vec<usize> = (warnings.iter().filter(|d| d.id == "thermo::malformed-entry"))
        .filter_map(|d| Some(d.span.as_ref()?.line_column().0))
        .collect();
    assert_eq!(lines, [7, 15, 24], "{}", describe(&warnings));
    assert!(load(folder, ["unrecognized-section.inp", "dummy-thermo.dat", ""], true).is_err());
    assert!(load(folder, ["h2o2.inp", "", "h2o2-float-arithmetic-error-geometry-tran.dat"], true).is_err());
}

/// Rate constants at the states of `cases/rates.json`, for equal amounts of all species. Cantera makes two reactions of one
/// with an explicit reverse rate.
fn rate_constants_agree_with_cantera(folder: &Path) {
    let text = include_str!("cases/rates.json");
    let cases: BTreeMap<String, Vec<RatesAt>> = serde_json::from_str(text).expect("a table of rates");
    let mut worst = 0.0f64;
    for (name, states) in &cases {
        let file = format!("{name}.inp");
        let thermo = if ["pdep-test", "unterminated-sections", "blank_line_in_header", "h2o2"].contains(&name.as_str())
        {
            ""
        } else {
            "dummy-thermo.dat"
        };
        let (mechanism, _) = load(folder, [&file, thermo, ""], false).expect("a valid case");
        for expected in states {
            let found = constants(&mechanism, expected.t, expected.p);
            assert_eq!(found.len(), expected.kf.len(), "{name}");
            for (i, (forward, reverse)) in found.iter().enumerate() {
                for (found, expected) in [(forward, expected.kf[i]), (reverse, expected.kr[i])] {
                    let error = if *found == expected { 0.0 } else { ((found - expected) / expected).abs() };
                    worst = worst.max(error);
                    assert!(error <= 1e-8, "{name}, reaction {i}: {found:e} instead of {expected:e}");
                }
            }
        }
    }
    println!("{} cases, largest relative difference {worst:.1e}", cases.len());
}

#[derive(serde::Deserialize)]
struct RatesAt {
    t: f64,
    p: f64,
    kf: Vec<f64>,
    kr: Vec<f64>,
}

/// Forward and reverse rate constants, by direction where the reverse one is explicit.
fn constants(mechanism: &Mechanism, t: f64, pressure: f64) -> Vec<(f64, f64)> {
    let species = mechanism.species.len();
    let c = vec![pressure / (8314.46261815324 * t) / species as f64; species];
    let rates = rates_at(mechanism, t, pressure, &c, &c);
    let pairs = rates.forward.into_iter().zip(rates.reverse).zip(&mechanism.reactions);
    let split = pairs.map(|((forward, reverse), reaction)| match reaction.reverse {
        Reverse::Explicit(..) => vec![(forward, 0.0), (reverse, 0.0)],
        _ => vec![(forward, reverse)],
    });
    split.flatten().collect()
}

fn gri_mech_from_its_original_files_has_the_rates_of_the_shipped_one(folder: &Path) {
    let (original, _) = load(folder, ["gri30.inp", "gri30_thermo.dat", "gri30_tran.dat"], false).expect("valid");
    let shipped = testkit::root().join("mechanisms/gri30/chem.inp");
    let (shipped, _) = read(&Files { mechanism: shipped, ..Files::default() }).expect("valid");
    let equations = |m: &Mechanism| m.reactions.iter().map(|r| r.equation.clone()).collect::<Vec<_>>();
    assert_eq!(equations(&original), equations(&shipped));
    for t in [300.0, 1500.0] {
        for p in [5e3, 1e5, 2e6] {
            for ((a, b), i) in constants(&original, t, p).iter().zip(constants(&shipped, t, p)).zip(1..) {
                approx::assert_relative_eq!(a.0, b.0, max_relative = 1e-8);
                assert!((a.1 - b.1).abs() <= 1e-8 * b.1.abs(), "reaction {i}: {} {}", a.1, b.1);
            }
        }
    }
}

/// 0.07663 W/m/K is what Cantera's own form of the fits gives, the default one: a quartic in ln T of the conductivity over
/// the root of T, with relative weights. Singe's fits are the cubic ones of CHEMKIN, which Cantera's "CK" mode makes; they
/// must agree with that mode. The theory itself is 1.5e-4 below the number of the table.
fn the_conductivity_of_hydrogen_and_oxygen(folder: &Path) {
    let (mechanism, _) = load(folder, ["h2o2.inp", "", "gri30_tran.dat"], false).expect("valid");
    let named = |name: &str| mechanism.species.iter().find(|s| s.name == name).expect("a species of the case");
    let integrals = Integrals::new();
    let [hydrogen, oxygen] = ["H2", "O2"].map(|name| {
        let species = named(name);
        let molecule = Molecule::new(species.weight, species.transport.as_ref().expect("transport data"));
        let profile = integrals.profile(pair(&molecule, &molecule).delta);
        quartic_at(300.0, |t| molecule.conductivity(&profile, cp_r(&species.thermo, t), t))
    });
    let quartic = 0.5 * (0.5 * (hydrogen + oxygen) + 1.0 / (0.5 / hydrogen + 0.5 / oxygen));
    println!("0.07663 W/m/K: {quartic} of quartic fits, {:.1e} off", quartic / 0.07663 - 1.0);
    approx::assert_relative_eq!(quartic, 0.07663, max_relative = 1e-4);
    approx::assert_relative_eq!(quartic, 0.07663728347768714, max_relative = 1e-9);
    let fraction = |name: &str| if name == "H2" || name == "O2" { 0.5 } else { 0.0 };
    let mole_fractions = mechanism.species.iter().map(|s| fraction(&s.name)).collect();
    let state = State { temperature: 300.0, pressure: 101325.0, mole_fractions };
    let model = kinetics::model(mechanism).expect("transport data of all species");
    approx::assert_relative_eq!(kinetics::conductivity(&model, &state), 0.07724874016200356, max_relative = 1e-11);
}

/// A property at `t`, from its quartic: 50 temperatures from 300 to 3500 K, by orthogonal polynomials.
fn quartic_at(t: f64, property: impl Fn(f64) -> f64) -> f64 {
    let points: Vec<f64> = (0..50).map(|n| 300.0 + 3200.0 / 49.0 * f64::from(n)).collect();
    let y: Vec<f64> = points.iter().map(|&t| property(t) / t.sqrt()).collect();
    // Weighted so: the square of the relative error is least.
    let dot = |a: &[f64], b: &[f64]| -> f64 { (0..50).map(|n| a[n] * b[n] / (y[n] * y[n])).sum() };
    // Around 7, so that the powers differ; the last value of each is that at `t`.
    let ln: Vec<f64> = points.iter().chain([&t]).map(|t| t.ln() - 7.0).collect();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for power in 0..=4 {
        let mut column: Vec<f64> = ln.iter().map(|x| x.powi(power)).collect();
        for former in &basis {
            let share = dot(&column, former) / dot(former, former);
            column.iter_mut().zip(former).for_each(|(value, former)| *value -= share * former);
        }
        basis.push(column);
    }
    t.sqrt() * basis.iter().map(|column| dot(&y, column) / dot(column, column) * column[50]).sum::<f64>()
}

/// The thermo-only cases, under a mechanism that declares their species.
fn with_thermo(folder: &Path, species: &str, thermo: &str, options: Options) -> Outcome {
    let text = format!("ELEMENTS H C O E AL BR F END\nSPECIES {species} END\nREACTIONS\nEND\n");
    let bytes = std::fs::read(folder.join(thermo)).expect("a readable case");
    let sources =
        Sources { thermo: Some(decode(thermo, &bytes)), ..Sources::new("case", decode("chem.inp", text.as_bytes())) };
    parse(&sources, options)
}

fn broken_thermo_entries_matter_only_when_they_are_used(folder: &Path) {
    let diagnostics = with_thermo(folder, "O O2 H H2 H2O OH", "bad-nasa7-formatting.dat", Options::default())
        .expect_err("three broken entries");
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let lines: Vec<usize> = errors.iter().filter_map(|d| Some(d.span.as_ref()?.line_column().0)).collect();
    assert_eq!(lines, [7, 15, 24], "{}", describe(&diagnostics));
    assert!(with_thermo(folder, "O H H2O", "bad-nasa7-formatting.dat", Options::default()).is_ok());
    let diagnostics = with_thermo(folder, "H R1A R1B", "bad-nasa7-composition.dat", Options::default())
        .expect_err("a shifted column");
    assert!(describe(&diagnostics).contains("malformed elemental composition"), "{}", describe(&diagnostics));
    assert!(with_thermo(folder, "H R1B", "bad-nasa7-composition.dat", Options::default()).is_ok());
}

fn an_explicit_reverse_rate_of_zero_makes_a_reaction_irreversible(folder: &Path) {
    let (mechanism, _): (Mechanism, _) =
        load(folder, ["explicit-reverse-rate.inp", "dummy-thermo.dat", ""], false).expect("a valid case");
    let explicit = mechanism.reactions.iter().filter(|r| matches!(r.reverse, Reverse::Explicit(..))).count();
    assert_eq!(explicit, 2);
    assert_eq!(mechanism.reactions[2].reverse, Reverse::Irreversible);
}

fn a_custom_element_has_its_given_weight(folder: &Path) {
    let (mechanism, _) = load(folder, ["custom-elements.inp", "", ""], false).expect("a valid case");
    assert_eq!(mechanism.elements.len(), 4);
    assert_eq!(mechanism.elements[2].weight, 13.003);
    assert_eq!(mechanism.species[1].composition, [(0, 6.0), (1, 1.0), (2, 1.0)]);
}

fn nasa_9_ranges_must_be_adjacent(folder: &Path) {
    let diagnostics = with_thermo(folder, "e-", "bad-nasa9-Trange.dat", Options::default()).expect_err("a gap");
    let expected = "8:4 thermo::ranges the NASA-9 polynomials of species 'e-' have non-adjacent temperature ranges: \
                    one ends at 1000 K, the next begins at 1100 K";
    assert!(describe(&diagnostics).contains(expected), "{}", describe(&diagnostics));
}

fn one_range_records_need_the_common_default_temperature(folder: &Path) {
    let species = "AL(cr) ALBr3(L) ALF3(b) ALF3(L)";
    let options = Options { single_intermediate_temperature: true, ..Options::default() };
    let (mechanism, _) = with_thermo(folder, species, "thermo_single_Tint.dat", options).expect("as its option says");
    let found: Vec<_> = (mechanism.species.iter())
        .map(|species| match &species.thermo {
            Polynomials::Nasa7(n) => (n.t_low, n.t_mid, n.t_high, n.low[0], n.high[0]),
            Polynomials::Nasa9(_) => unreachable!("the file is NASA-7"),
        })
        .collect();
    let expected = [
        (200.0, 933.61, 933.61, 1.01040191, 1.01040191),
        (370.6, 1000.0, 5000.0, 15.02975, 15.02975),
        (728.0, 1000.0, 2523.0, 9.50345050, 10.41947),
        (2523.0, 2523.0, 5000.0, 15.096679, 15.096679),
    ];
    assert_eq!(found, expected);
    let diagnostics =
        with_thermo(folder, species, "thermo_single_Tint.dat", Options::default()).expect_err("molecular weights");
    let expected = "3:1 thermo::temperature-order the temperatures 200, 26, 933.61 K of species 'AL(cr)' do not ascend";
    assert!(describe(&diagnostics).contains(expected), "{}", describe(&diagnostics));
}

/// cp/R, h/RT and s/R as Cantera 3.2.0 computes them from the same file.
fn nasa_9_functions_agree_with_cantera(folder: &Path) {
    let (mechanism, _) = load(folder, ["nasa9-test-subset.inp", "nasa9-test-therm.dat", ""], false).expect("valid");
    for (k, t, expected) in [
        (0, 250.0, [8.222880853985156, -282.9034893853, 36.17316471922317]),
        (0, 300.0, [8.61629722140379, -234.34791443713698, 37.709038712970205]),
        (0, 999.0, [9.834425036887172, -63.720532978261986, 49.01549741434405]),
        (0, 1500.0, [9.925242050719309, -39.13505001273825, 53.03368463503166]),
        (0, 5000.0, [9.993184829862251, -4.756333274858358, 65.03917941154228]),
        (1, 300.0, [2.5, 0.015416666666666412, 18.639131096640504]),
        (1, 5000.0, [2.5, 2.350925, 25.6726578885406]),
    ] {
        let thermo = &mechanism.species[k].thermo;
        for (f, expected) in [cp_r, h_rt, s_r].into_iter().zip(expected) {
            approx::assert_relative_eq!(f(thermo, t), expected, max_relative = 1e-12, epsilon = 1e-12);
        }
    }
}
