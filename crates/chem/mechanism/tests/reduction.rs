//! Reduction files: what they may say, and what is told about the rest.

use mechanism::{Mechanism, Options, Reduction, Sources, decode, parse};

const MECHANISM: &str = "ELEMENTS H O END
SPECIES H2 O2 H2O OH HO2 END
REACTIONS
H2+O2=2OH 1E13 0 0
OH+H2O=>H2O+OH 1E13 0 0
HO2+HO2=>O2+O2+H2 1E13 0 0
END
";

/// The mechanism with thermo records made for it.
fn read(reduction: &str) -> Result<Mechanism, Vec<String>> {
    let record = |(name, h, o): (&str, u32, u32)| {
        let composition = format!("H{h:>4}O{o:>4}");
        let first = format!("{name:<24}{composition:<20}G{:>10.3}{:>10.3}{:>8.2}", 300.0, 5000.0, 1000.0);
        let zeros = " 0.00000000E+00".repeat(5);
        format!("{first:<79}1\n{zeros:<79}2\n{zeros:<79}3\n{:<79}4\n", " 0.00000000E+00".repeat(4))
    };
    let species = [("H2", 2, 0), ("O2", 0, 2), ("H2O", 2, 1), ("OH", 1, 1), ("HO2", 1, 2)];
    let thermo: String = species.into_iter().map(record).collect();
    let thermo = format!("THERMO\n   300.000  1000.000  5000.000\n{thermo}END\n");
    let sources = Sources {
        thermo: Some(decode("therm.dat", thermo.as_bytes())),
        reduction: Some(decode("reduction.txt", reduction.as_bytes())),
        ..Sources::new("case", decode("chem.inp", MECHANISM.as_bytes()))
    };
    let told = |d: &diagnostics::Diagnostic| {
        let line = d.span.as_ref().map_or(0, |span| span.line_column().0);
        format!("{}@{line}: {} ({})", d.id, d.message, d.help.as_deref().unwrap_or(""))
    };
    parse(&sources, Options::default()).map(|(m, _)| m).map_err(|list| list.iter().map(told).collect())
}

#[test]
fn lists_keep_their_order_and_names_their_case() {
    let m = read("! published\nqssa\nh2 END\nSTIFF OH ! the radical\nO2\nEND\n").unwrap();
    assert_eq!(m.reduction, Some(Reduction { qssa: vec![0], stiff: vec![3, 1] }));
    let m = m.quasi_steady_last();
    assert_eq!(m.species.last().unwrap().name, "H2");
    assert_eq!(m.reactions[0].reactants, [(4, 1.0), (0, 1.0)]);
    assert_eq!(m.reduction, Some(Reduction { qssa: vec![4], stiff: vec![2, 0] }));
    assert_eq!(read("").unwrap().reduction, Some(Reduction::default()));
}

fn warnings(reduction: &str, expected: &[&str]) {
    let found = read(reduction).unwrap_err();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found} should contain {expected}");
    }
}

#[test]
fn problems_are_told_with_their_place() {
    warnings(
        "STIFF\nH20 XX\nEND",
        &["unknown-species@2: unknown species 'H20' (did you mean 'H2O'", "unknown species 'XX'"],
    );
    warnings("STIFF OH\nOH END", &["reduction::repeated-species@2"]);
    warnings("QSSA H2 END\nSTIFF H2 END", &["reduction::qssa-and-stiff@2"]);
    warnings("OH\nQSSA H2 END", &["reduction::stray@1"]);
    warnings("QSSA H2\nSTIFF OH END", &["reduction::unclosed@1"]);
    warnings("QSSA H2 END STIFF OH END END", &["reduction::stray@1"]);
}

#[test]
fn a_species_that_nothing_consumes_linearly_cannot_be_solved_for() {
    warnings("QSSA H2 HO2 END", &["reduction::singular@0: no reaction consumes the quasi-steady species 'HO2'"]);
}
