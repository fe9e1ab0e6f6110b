//! The canonical form: reading what was written gives the same mechanism, and writing that gives the same text.

use singe::mechanism::{Files, Mechanism, Options, Sources, decode, parse, read_with, write};
use std::path::Path;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/mechanisms");

/// Where reactions stand is no part of what they say.
fn without_spans(mut mechanism: Mechanism) -> Mechanism {
    let nowhere = decode("", b"");
    for reaction in &mut mechanism.reactions {
        reaction.span.source = nowhere.clone();
        (reaction.span.offset, reaction.span.len) = (0, 0);
    }
    mechanism
}

fn reread(mechanism: &Mechanism) -> Mechanism {
    let written = write(mechanism);
    let sources = Sources {
        name: mechanism.name.clone(),
        mechanism: decode("chem.inp", written.mechanism.as_bytes()),
        thermo: Some(decode("therm.dat", written.thermo.as_bytes())),
        transport: written.transport.map(|text| decode("tran.dat", text.as_bytes())),
        reduction: written.reduction.map(|text| decode("reduction.txt", text.as_bytes())),
    };
    match parse(&sources, Options::default()) {
        Ok((mechanism, _)) => mechanism,
        Err(diagnostics) => panic!("{}: {:?}\n{}", mechanism.name, diagnostics, sources.mechanism.text),
    }
}

#[test]
fn every_published_mechanism_survives_the_round_trip() {
    let Ok(folders) = std::fs::read_dir(SHARED) else {
        println!("skipped: ../shared is absent");
        return;
    };
    for folder in folders {
        let mechanism = folder.expect("a readable folder").path().join("chem.inp");
        let (original, _) = read_with(&Files { mechanism, ..Files::default() }, Options { permissive: true })
            .expect("published mechanisms are valid");
        let again = reread(&original);
        assert_eq!(write(&again), write(&original), "{}", original.name);
        // Debug prints floats with all digits and the sign of zero.
        let (again, original) = (without_spans(again), without_spans(original));
        for (again, original) in again.reactions.iter().zip(&original.reactions) {
            assert_eq!(format!("{again:?}"), format!("{original:?}"));
        }
        assert!(format!("{again:?}") == format!("{original:?}"), "{}", original.name);
    }
}

#[test]
fn a_small_mechanism_is_written_as_its_author_would() {
    let folder = Path::new(SHARED).join("zoo_KCAL_MOLE");
    if !folder.exists() {
        println!("skipped: ../shared is absent");
        return;
    }
    let files = Files { mechanism: folder.join("chem.inp"), ..Files::default() };
    let (mechanism, _) = read_with(&files, Options::default()).expect("a valid mechanism");
    assert!(write(&mechanism).mechanism.contains("REACTIONS KCAL/MOLE\n"), "{}", write(&mechanism).mechanism);
}
