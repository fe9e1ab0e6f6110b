//! Published converter test cases: each input loads, or fails with a located diagnostic.
//!
//! Left out: `nasa9-test-*` and `bad-nasa9-Trange.dat` need NASA-9 polynomials (checked here to be refused clearly),
//! `thermo_single_Tint.dat` needs an option for one-range NASA-7 records. `h2o2-duplicate-species-tran.dat` is refused
//! by the converter that the case comes from; here it loads with a warning, because USC Mech II repeats species too.

use singe::diagnostic::Diagnostic;
use singe::mechanism::{Files, Mechanism, Options, Outcome, Reverse, Sources, decode, parse, read_with};
use std::path::{Path, PathBuf};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/chemkin_cases");

fn folder() -> Option<&'static Path> {
    let folder = Path::new(SHARED);
    if !folder.exists() {
        println!("skipped: ../shared is absent");
        return None;
    }
    Some(folder)
}

fn load(folder: &Path, [mechanism, thermo, transport]: [&str; 3], permissive: bool) -> Outcome {
    let path = |name: &str| -> Option<PathBuf> { (!name.is_empty()).then(|| folder.join(name)) };
    let files = Files {
        mechanism: folder.join(mechanism),
        thermo: path(thermo),
        transport: path(transport),
        ..Files::default()
    };
    read_with(&files, Options { permissive })
}

fn describe(diagnostics: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| {
        let place = d.span.as_ref().map_or((0, 0), |span| span.line_column());
        let text = d.span.as_ref().map_or("", |span| span.text());
        format!("{}:{} {} {} [{text}]\n", place.0, place.1, d.id, d.message)
    };
    diagnostics.iter().map(line).collect()
}

#[test]
fn valid_inputs_load() {
    let Some(folder) = folder() else { return };
    let dummy = "dummy-thermo.dat";
    // Files, species, reactions, a warning that must appear.
    for (files, species, reactions, warning) in [
        (["gri30.inp", "gri30_thermo.dat", "gri30_tran.dat"], 53, 325, ""),
        (["pdep-test.inp", "", ""], 21, 7, ""),
        (["unterminated-sections.inp", "", ""], 3, 2, "the REACTIONS section has no END"),
        (["sri-falloff.inp", dummy, ""], 8, 2, ""),
        (["explicit-reverse-rate.inp", dummy, ""], 7, 3, ""),
        (["negative-order.inp", dummy, ""], 5, 3, "negative reaction order -0.5"),
        (["negative-rate.inp", dummy, ""], 6, 6, "the rate constant of 'H+P1=>R1A+R1B' is negative"),
        (["units-default.inp", dummy, ""], 15, 6, ""),
        (["float-stoich.inp", dummy, ""], 4, 2, ""),
        (["h2o2.inp", "", "gri30_tran.dat"], 9, 28, ""),
        (["h2o2.inp", "", "h2o2-duplicate-species-tran.dat"], 9, 28, "duplicate transport data for species 'H2O'"),
        (["custom-elements.inp", "", ""], 2, 0, "the mechanism has no reactions"),
        (["blank_line_in_header.inp", "", ""], 3, 1, ""),
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

#[test]
fn invalid_inputs_fail_at_the_right_place() {
    let Some(folder) = folder() else { return };
    let dummy = "dummy-thermo.dat";
    for (files, expected) in [
        (["h2o2_missingThermo.inp", "", ""], "no thermo data found for species 'H2'"),
        (["duplicate-species.inp", "", ""], "5:13 mechanism::repeated-species multiple declarations for species 'bar'"),
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
        (["photo-reaction.inp", dummy, ""], "8:13 mechanism::photon"),
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
        (
            ["nasa9-test-subset.inp", "nasa9-test-therm.dat", ""],
            "1:9 thermo::nasa9 NASA-9 polynomials are not supported [NASA9]",
        ),
    ] {
        let diagnostics = load(folder, files, false).expect_err(files[0]);
        assert!(describe(&diagnostics).contains(expected), "{files:?}\n{}", describe(&diagnostics));
    }
}

#[test]
fn the_permissive_mode_forgives_repeated_species_only() {
    let Some(folder) = folder() else { return };
    let (mechanism, _) = load(folder, ["duplicate-species.inp", "", ""], true).expect("forgiven");
    assert_eq!(mechanism.species.len(), 3);
    assert!(load(folder, ["unrecognized-section.inp", "dummy-thermo.dat", ""], true).is_err());
    assert!(load(folder, ["h2o2.inp", "", "h2o2-float-arithmetic-error-geometry-tran.dat"], true).is_err());
}

/// The thermo-only cases, under a mechanism that declares their species.
fn with_thermo(folder: &Path, species: &str, thermo: &str) -> Outcome {
    let text = format!("ELEMENTS H C O END\nSPECIES {species} END\nREACTIONS\nEND\n");
    let bytes = std::fs::read(folder.join(thermo)).expect("a readable case");
    let sources = Sources {
        name: "case".to_owned(),
        mechanism: decode("chem.inp", text.as_bytes()),
        thermo: Some(decode(thermo, &bytes)),
        transport: None,
        reduction: None,
    };
    parse(&sources, Options::default())
}

#[test]
fn broken_thermo_entries_matter_only_when_they_are_used() {
    let Some(folder) = folder() else { return };
    let diagnostics =
        with_thermo(folder, "O O2 H H2 H2O OH", "bad-nasa7-formatting.dat").expect_err("three broken entries");
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let lines: Vec<usize> = errors.iter().filter_map(|d| Some(d.span.as_ref()?.line_column().0)).collect();
    assert_eq!(lines, [7, 15, 24], "{}", describe(&diagnostics));
    assert!(with_thermo(folder, "O H H2O", "bad-nasa7-formatting.dat").is_ok());
    let diagnostics = with_thermo(folder, "H R1A R1B", "bad-nasa7-composition.dat").expect_err("a shifted column");
    assert!(describe(&diagnostics).contains("malformed elemental composition"), "{}", describe(&diagnostics));
    assert!(with_thermo(folder, "H R1B", "bad-nasa7-composition.dat").is_ok());
}

#[test]
fn an_explicit_reverse_rate_of_zero_makes_a_reaction_irreversible() {
    let Some(folder) = folder() else { return };
    let (mechanism, _): (Mechanism, _) =
        load(folder, ["explicit-reverse-rate.inp", "dummy-thermo.dat", ""], false).expect("a valid case");
    let explicit = mechanism.reactions.iter().filter(|r| matches!(r.reverse, Reverse::Explicit(..))).count();
    assert_eq!(explicit, 2);
    assert_eq!(mechanism.reactions[2].reverse, Reverse::Irreversible);
}

#[test]
fn a_custom_element_has_its_given_weight() {
    let Some(folder) = folder() else { return };
    let (mechanism, _) = load(folder, ["custom-elements.inp", "", ""], false).expect("a valid case");
    assert_eq!(mechanism.elements.len(), 4);
    assert_eq!(mechanism.elements[2].weight, 13.003);
    assert_eq!(mechanism.species[1].composition, [(0, 6.0), (1, 1.0), (2, 1.0)]);
}
