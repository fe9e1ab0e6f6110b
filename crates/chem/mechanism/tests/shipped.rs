//! The mechanisms that ship with Singe are in canonical form, under a comment that cites their authors.

use mechanism::{Files, Mechanism, Options, Sources, Written, decode, parse, read};
use std::path::{Path, PathBuf};
use testkit::skip;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../mechanisms");

fn write(mechanism: &Mechanism) -> Written {
    mechanism::write(mechanism).expect("a CHEMKIN form")
}

fn body(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a shipped file");
    let (head, body): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| line.starts_with('!'));
    assert!(!head.is_empty(), "{} cites nobody", path.display());
    body.concat()
}

fn check(name: &str, species: usize, reactions: usize) {
    let folder: PathBuf = Path::new(FOLDER).join(name);
    let files = Files { mechanism: folder.join("chem.inp"), ..Files::default() };
    let (mechanism, warnings) = read(&files).expect("a valid mechanism");
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(mechanism.name, name);
    assert_eq!((mechanism.species.len(), mechanism.reactions.len()), (species, reactions));
    let written = write(&mechanism);
    assert_eq!(body(&folder.join("chem.inp")), written.mechanism);
    assert_eq!(body(&folder.join("therm.dat")), written.thermo);
    assert_eq!(Some(body(&folder.join("tran.dat"))), written.transport);
}

#[test]
fn h2o2_is_canonical() {
    check("h2o2", 10, 29);
}

#[test]
fn gri30_is_canonical() {
    check("gri30", 53, 325);
}

#[test]
fn ammonia_is_canonical() {
    check("ammonia", 21, 121);
}

/// Compares the rates of each reaction and the records of each species with Cantera's file of the same paper.
#[test]
fn ammonia_has_the_published_figures() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../.toolchain/cantera/cantera/data/example_data/ammonia-CO-H2-Alzueta-2023.yaml"
    );
    if !Path::new(file).exists() {
        return skip::skip("Cantera's mechanisms are absent (`cargo xtask cantera` installs them)");
    }
    let read = |mechanism: PathBuf| read(&Files { mechanism, ..Files::default() }).expect("a valid mechanism").0;
    let (own, whole) = (read(Path::new(FOLDER).join("ammonia/chem.inp")), read(file.into()));
    let (own, whole) = (write(&own), write(&whole));
    // Collision partners that the part leaves out shorten the lines of efficiencies.
    let figures = |text: &str| -> Vec<String> {
        let kept = |line: &&str| ["<=>", "LOW", "TROE", "PLOG"].iter().any(|word| line.contains(word));
        text.lines().filter(kept).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let published = figures(&whole.mechanism);
    let own_figures = figures(&own.mechanism);
    assert!(own_figures.len() > 140, "{}", own_figures.len());
    for line in own_figures {
        assert!(published.contains(&line), "{line}");
    }
    let records = own.thermo.lines().skip(2).filter(|line| !line.starts_with("END"));
    records.for_each(|line| assert!(whole.thermo.contains(line), "{line}"));
    let transport = own.transport.expect("transport data");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = whole.transport.expect("transport data").lines().map(words).collect();
    transport.lines().for_each(|line| assert!(all.contains(&words(line)), "{line}"));
}

#[test]
fn editors_encodings_and_line_ends_make_no_difference() {
    let folder = Path::new(FOLDER).join("h2o2");
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a shipped file");
    let mechanism = |encode: &dyn Fn(&str) -> Vec<u8>| {
        let source = |file: &str| decode(file, &encode(&text(file)));
        let sources = Sources {
            thermo: Some(source("therm.dat")),
            transport: Some(source("tran.dat")),
            ..Sources::new("h2o2", source("chem.inp"))
        };
        write(&parse(&sources, Options::default()).expect("a valid mechanism").0).mechanism
    };
    let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| {
        let mark = mark.to_vec();
        move |text: &str| mark.iter().copied().chain(text.encode_utf16().flat_map(unit)).collect()
    };
    let plain = mechanism(&|text| text.as_bytes().to_vec());
    assert_eq!(plain, mechanism(&|text| text.replace('\n', "\r\n").into_bytes()));
    assert_eq!(plain, mechanism(&|text| text.replace('\n', "\r").into_bytes()));
    assert_eq!(plain, mechanism(&|text| [b"\xEF\xBB\xBF", text.as_bytes()].concat()));
    assert_eq!(plain, mechanism(&utf16(b"\xFF\xFE", u16::to_le_bytes)));
    assert_eq!(plain, mechanism(&utf16(b"\xFE\xFF", u16::to_be_bytes)));
}
