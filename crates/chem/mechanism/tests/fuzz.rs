//! No input makes the front end panic or take more than linear time, and what it accepts survives the round trip.
//! The same entry points are fuzzed for longer by the targets in `fuzz/`.

use diagnostics::{Style, render, to_json};
use mechanism::{Options, Sources, decode, parse, write};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::time::{Duration, Instant};

const MECHANISM: &str = include_str!("../../../../mechanisms/h2o2/chem.inp");
const THERMO: &str = include_str!("../../../../mechanisms/h2o2/therm.dat");
const TRANSPORT: &str = include_str!("../../../../mechanisms/h2o2/tran.dat");

/// Pieces from which the grammars are made, and pieces that they must refuse.
const PIECES: [&str; 64] = [
    "END", "ELEMENTS", "SPECIES", "REACTIONS", "THERMO", "THERMO ALL", "TRANS ALL", "NASA9", "H", "O2", "H2O", "M",
    "HV", "+", "(+M)", "(+H2O)", "=", "=>", "<=>", "/", "!", "&", "\n", "\r\n", "\r", "\t", " ", "1", "0", "-1.5",
    "2.", ".5", "1E999", "1D10", "3E", "nan", "LOW/", "HIGH/", "TROE/", "SRI/", "REV/", "LT/", "RLT/", "FORD/",
    "RORD/", "PLOG/", "TCHEB/", "PCHEB/", "CHEB/", "UNITS/", "KCAL/MOLE", "DUP", "2OH", "H+O2(+M)=HO2(+M) 1 0 0",
    "\u{e9}", "\u{fffd}", "\u{feff}", "\0", "300.000  1000.000  5000.000", "G   200.000", "                    ",
    "1\n", "2\n", "4\n",
];

fn outcome(mechanism: &[u8], thermo: &[u8], transport: &[u8]) {
    let sources = Sources {
        thermo: Some(decode("therm.dat", thermo)),
        transport: Some(decode("tran.dat", transport)),
        ..Sources::new("fuzz", decode("chem.inp", mechanism))
    };
    match parse(&sources, Options::PERMISSIVE) {
        Ok((mechanism, _)) => {
            let written = write(&mechanism).expect("a CHEMKIN form");
            let again = Sources {
                thermo: Some(decode("therm.dat", written.thermo.as_bytes())),
                transport: written.transport.as_ref().map(|text| decode("tran.dat", text.as_bytes())),
                ..Sources::new(&mechanism.name, decode("chem.inp", written.mechanism.as_bytes()))
            };
            let (again, _) = parse(&again, Options::default()).expect("the canonical form is valid");
            assert_eq!(write(&again).expect("a CHEMKIN form"), written);
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            render(&diagnostics, Style::Plain);
            to_json(&diagnostics);
        }
    }
}

/// Random bytes, random pieces, and a valid text with a few places overwritten.
fn texts(valid: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..400);
    let pieces = proptest::collection::vec(select(&PIECES[..]), 0..120).prop_map(|pieces| pieces.concat().into_bytes());
    let edits = proptest::collection::vec((any::<Index>(), 0usize..12, select(&PIECES[..])), 1..6);
    let edited = edits.prop_map(move |edits| {
        let mut text = valid.as_bytes().to_vec();
        for (at, removed, piece) in edits {
            let at = at.index(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, piece.bytes());
        }
        text
    });
    prop_oneof![1 => bytes, 2 => pieces, 4 => edited]
}

fn for_a_second(valid: &'static str, run: impl Fn(&[u8])) {
    let mut runner = TestRunner::deterministic();
    let strategy = texts(valid);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        run(&strategy.new_tree(&mut runner).expect("the strategy never refuses").current());
    }
}

#[test]
fn any_mechanism_is_read_or_refused() {
    for_a_second(MECHANISM, |text| outcome(text, THERMO.as_bytes(), TRANSPORT.as_bytes()));
}

#[test]
fn any_thermo_data_is_read_or_refused() {
    for_a_second(THERMO, |text| outcome(MECHANISM.as_bytes(), text, TRANSPORT.as_bytes()));
}

#[test]
fn any_transport_data_is_read_or_refused() {
    for_a_second(TRANSPORT, |text| outcome(MECHANISM.as_bytes(), THERMO.as_bytes(), text));
}

#[test]
fn long_inputs_take_linear_time() {
    let start = Instant::now();
    let first_line = format!("{:<79}1&\n", "H");
    for (prefix, piece) in [
        ("", "x"),
        ("", "REACTIONS "),
        ("ELEMENTS ", "H/"),
        ("SPECIES ", "A "),
        ("ELEMENTS H END SPECIES H H2 END REACTIONS\n", "H=H2 1 0 0\n"),
        ("ELEMENTS H END SPECIES H H2 END REACTIONS\n", "H=>H2 1 0 0\nDUP\n"),
        ("ELEMENTS H END SPECIES H H2 END REACTIONS\nH=H2", "+"),
        ("ELEMENTS H END SPECIES H H2 END REACTIONS\nH=H2", "(+"),
        ("ELEMENTS H END SPECIES H H2 END REACTIONS\n2H=H2 1 0 0\n", "H2/"),
        ("ELEMENTS H END SPECIES H H2 END REACTIONS\n2H=H2 1 0 0\n", "UNITS/"),
        ("SPECIES H END THERMO\n", "! comment\n"),
        ("SPECIES H END THERMO\n", &first_line),
        ("SPECIES H END TRANS\n", "H 0 1 1 1 1 1\n"),
    ] {
        let text = prefix.to_owned() + &piece.repeat(300_000 / piece.len());
        let bytes = text.as_bytes();
        let sources = Sources::new("", decode("chem.inp", bytes));
        let before = Instant::now();
        assert!(parse(&sources, Options::default()).is_err());
        println!("{:?} {piece:?}", before.elapsed());
    }
    // Quadratic time would be minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}
