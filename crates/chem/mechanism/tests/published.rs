//! Published mechanisms, as they are distributed, load with the numbers of species and reactions that their authors state.

use mechanism::{Files, Mechanism, Options, Reverse, read_with};
use testkit::skip;

fn load(name: &str) -> Option<Mechanism> {
    let mechanism = skip::shared(&format!("mechanisms/{name}/chem.inp"))?;
    let is_forgiven = AMBIGUOUS.iter().any(|(ambiguous, _)| *ambiguous == name);
    let options = if is_forgiven { Options::PERMISSIVE } else { Options::default() };
    match read_with(&Files { mechanism, ..Files::default() }, options) {
        Ok((mechanism, warnings)) => {
            for warning in warnings {
                let place = warning.span.as_ref().map(|span| span.line_column());
                println!("{name}: {place:?} {}", warning.message);
            }
            Some(mechanism)
        }
        Err(diagnostics) => {
            for diagnostic in &diagnostics {
                let place =
                    diagnostic.span.as_ref().map(|s| (s.source.name.clone(), s.line_column(), s.text().to_owned()));
                println!("{name}: {} {place:?} {}", diagnostic.id, diagnostic.message);
            }
            panic!("{name} has {} diagnostics", diagnostics.len());
        }
    }
}

/// Species that need `--permissive`: they have two different transport lines, of which CHEMKIN takes the last and Cantera
/// the first.
const AMBIGUOUS: [(&str, &[&str]); 2] = [
    ("llnl_nheptane", &["C4H6CHO1-43", "C4H6CHO1-44", "C5H11-1", "C5H11-2", "C5H11-3", "NC4H9COCH3"]),
    ("usc2", &["C4H6", "CH3CHOCH2", "iC4H5"]),
];

#[test]
fn the_strict_mode_refuses_only_what_is_ambiguous() {
    let Some(folder) = skip::shared("mechanisms") else { return };
    let folders = std::fs::read_dir(folder).expect("a folder");
    for folder in folders.map(|folder| folder.expect("a readable folder").path()) {
        let name = folder.file_name().expect("a folder").to_string_lossy().into_owned();
        let files = Files { mechanism: folder.join("chem.inp"), ..Files::default() };
        let diagnostics = read_with(&files, Options::default()).err().unwrap_or_default();
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        let mut refused: Vec<&str> = errors
            .map(|error| {
                assert_eq!(error.id, "transport::repeated-species", "{name}: {}", error.message);
                error.span.as_ref().expect("a line").text()
            })
            .collect();
        refused.sort_unstable();
        println!("{name}: {}", if refused.is_empty() { "strict".to_owned() } else { refused.join(", ") });
        let expected =
            AMBIGUOUS.iter().find(|(ambiguous, _)| *ambiguous == name).map_or(&[][..], |(_, species)| species);
        assert_eq!(refused, expected, "{name}");
    }
}

#[test]
fn sizes_agree_with_the_literature() {
    for (name, species, reactions) in [
        ("h2_burke", 13, 27),
        ("dme", 39, 175),
        ("gri30", 53, 325),
        ("heptane", 68, 283),
        ("usc2", 111, 784),
        ("llnl_nheptane", 631, 2827),
        ("fig4", 7, 3),
        ("zoo", 28, 24),
        ("zoo_forms", 18, 12),
        ("zoo_EVOLTS", 13, 5),
        ("zoo_JOULES_MOLE", 13, 5),
        ("zoo_KCAL_MOLE", 13, 5),
        ("zoo_KELVINS", 13, 5),
        ("zoo_KJOULES_MOLE", 13, 5),
        ("zoo_MOLECULES", 13, 5),
    ] {
        let Some(mechanism) = load(name) else { return };
        assert_eq!((mechanism.species.len(), mechanism.reactions.len()), (species, reactions), "{name}");
        assert_eq!(mechanism.name, name.to_lowercase());
        assert!(mechanism.species.iter().all(|species| species.transport.is_some()), "{name}");
        if name == "heptane" {
            zero_reverse_rates_make_reactions_irreversible(&mechanism);
        }
    }
}

/// Heptane has sixteen explicit reverse rates of zero.
fn zero_reverse_rates_make_reactions_irreversible(mechanism: &Mechanism) {
    let irreversible = mechanism.reactions.iter().filter(|r| r.reverse == Reverse::Irreversible);
    assert_eq!(irreversible.filter(|r| r.equation.contains('=') && !r.equation.contains("=>")).count(), 16);
}
