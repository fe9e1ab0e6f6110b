//! The mechanisms that ship with Singe are in canonical form, under a comment that cites their authors.

use singe::mechanism::{Files, read, write};
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms");

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
