//! Species in the header and the Fortran module: the rows of the arrays, read from the text without a compiler.

use std::path::Path;

use mechanism::Files;
use singe::cli::default_folder;

/// The header and the module of a mechanism.
fn texts(name: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(chem(name))
        .args(["--verify", "off,no-compilers", "--kernel", "conductivity", "--emit", "host", "-o"])
        .arg(folder.path())
        .assert()
        .success();
    let read = |file: String| std::fs::read_to_string(folder.path().join(file)).unwrap();
    (read(format!("{name}.h")), read(format!("{name}_module.f90")))
}

fn chem(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms").join(name).join("chem.inp")
}

/// (name, number) of `NAME = NUMBER` in lines that begin so.
fn constants<'a>(text: &'a str, beginning: &str) -> Vec<(&'a str, usize)> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix(beginning));
    let pairs = lines.filter_map(|line| {
        let (name, rest) = line.split_once(" = ")?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some((name, digits.parse().ok()?))
    });
    pairs.collect()
}

/// The literals between two texts.
fn literals(text: &str, from: &str, quote: char) -> Vec<String> {
    let (_, rest) = text.split_once(from).unwrap();
    let end = rest.find(['}', ']']).unwrap();
    // Names with brackets end the list too early; those of the mechanisms here have parentheses.
    rest[..end].split(quote).skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_species_has_its_row() {
    for name in ["h2o2", "gri30"] {
        let (mechanism, _) = mechanism::read(&Files { mechanism: chem(name), ..Files::default() }).unwrap();
        let species: Vec<&str> = mechanism.species.iter().map(|s| s.name.as_str()).collect();
        let (header, module) = texts(name);
        let upper = name.to_uppercase();
        let same = |constant: &str, species: &str| {
            let letters = |text: &str| text.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "");
            letters(constant) == letters(species)
        };

        // C counts from 0.
        assert_eq!(literals(&header, &format!("{name}_species_names[{}] = {{", species.len()), '"'), species);
        let rows = constants(&header, &format!("{upper}_"));
        let rows = &rows[..rows.len() - 1];
        assert_eq!(rows.len(), species.len());
        for (row, (constant, value)) in rows.iter().enumerate() {
            assert!(*value == row && same(constant, species[row]), "{constant} = {value}");
        }

        // Fortran counts from 1.
        let names = literals(&module, &format!("{name}_species_names({}) = [character(len=", species.len()), '\'');
        assert_eq!(names, species);
        let rows = constants(&module, &format!("integer, parameter :: {name}_"));
        let first = rows.iter().position(|&(constant, _)| constant == "species").unwrap();
        assert_eq!(rows[first].1, species.len());
        let rows = &rows[first + 1..];
        assert_eq!(rows.len(), species.len());
        for (row, (constant, value)) in (1..).zip(rows) {
            assert!(*value == row && same(constant, species[row - 1]), "{constant} = {value}");
            let remark = format!("integer, parameter :: {name}_{constant} = {row} ! {}\n", species[row - 1]);
            assert!(module.contains(&remark), "{remark}");
        }
    }
}

#[test]
fn the_default_folder_is_named_after_the_mechanism() {
    for (mechanism, folder) in [("a/gri30/chem.inp", "singe-gri30"), ("a/butane.yaml", "singe-butane")] {
        assert_eq!(default_folder(Path::new(mechanism)), Path::new(folder));
    }
}
