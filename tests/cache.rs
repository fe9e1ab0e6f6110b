//! A command that was run before takes what it made then: the same bytes, whatever became of the entry meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Output of a run on both channels, and the files that it writes.
#[derive(Debug, PartialEq)]
struct Outcome {
    printed: [String; 2],
    files: BTreeMap<String, Vec<u8>>,
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn entries(&self) -> Vec<PathBuf> {
        fs::read_dir(self.cache()).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
    }

    fn command(&self, mechanism: &Path, words: &[&str]) -> Command {
        let mut command = Command::cargo_bin("singe").unwrap();
        command.env("SINGE_CACHE", self.cache()).arg(mechanism).args(words).arg("-o").arg(self.folder.path().join("o"));
        command
    }

    /// A run into a folder that is empty before.
    fn run(&self, mechanism: &Path, words: &[&str]) -> Outcome {
        let output = self.folder.path().join("o");
        let _ = fs::remove_dir_all(&output);
        let done = self.command(mechanism, words).assert().success();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let printed = [text(&done.get_output().stdout), text(&done.get_output().stderr)];
        let files = fs::read_dir(&output).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())
        });
        Outcome { printed, files: files.collect() }
    }
}

/// Without compilers, as what these say of a text has an entry of its own.
const WORDS: [&str; 6] = ["--kernel", "conductivity,chemistry", "--target", "cpu", "--verify", "no-compilers"];

#[test]
fn the_second_run_gives_the_same_bytes() {
    let (place, mechanism) = (Place::new(), testkit::shipped("h2o2"));
    let without = place.run(&mechanism, &[&WORDS[..], &["--no-cache"]].concat());
    assert!(place.entries().is_empty(), "--no-cache keeps nothing");
    let first = place.run(&mechanism, &WORDS);
    assert_eq!(place.entries().len(), 1);
    let second = place.run(&mechanism, &WORDS);
    assert_eq!((&first, &second), (&without, &without));
    assert!(first.files.len() > 5, "{:?}", first.files.keys());
    // Other kinds of report, and other folders, share the entry.
    let full = place.run(&mechanism, &[&WORDS[..], &["--report", "full"]].concat());
    let json = place.run(&mechanism, &[&WORDS[..], &["--json"]].concat());
    assert_eq!(place.entries().len(), 1);
    assert!(full.printed[0].starts_with(std::str::from_utf8(&full.files["report.txt"]).unwrap()));
    assert_eq!(json.printed[0].as_bytes(), json.files["report.json"]);
}

#[test]
fn what_decides_the_outcome_decides_the_entry() {
    let place = Place::new();
    let mechanism = place.folder.path().join("m.inp");
    let text = fs::read_to_string(testkit::shipped("h2o2")).unwrap();
    let thermo = testkit::shipped("h2o2").with_file_name("therm.dat");
    fs::write(&mechanism, &text).unwrap();
    let given = ["--thermo", thermo.to_str().unwrap(), "--transport", "none", "--verify", "no-compilers"];
    let given = [&given[..], &["--target", "cpu", "--kernel"]].concat();
    let run = |kernel: &str| place.run(&mechanism, &[&given[..], &[kernel]].concat());
    let first = run("chemistry");
    let entry = place.entries().remove(0);
    run("thermodynamics");
    assert_eq!(place.entries().len(), 2, "another flag");
    fs::write(&mechanism, text.replace("\nEND", "\nEND ")).unwrap();
    assert_ne!(run("chemistry"), first, "another file, by its hash in the header");
    assert_eq!(place.entries().len(), 3);
    // An entry that is taken is taken as it is, so that what was not made anew shows.
    fs::write(&mechanism, &text).unwrap();
    let whole = fs::read(&entry).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for broken in [Vec::new(), whole[..whole.len() / 2].to_owned(), changed] {
        fs::write(&entry, broken).unwrap();
        assert_eq!(run("chemistry"), first);
        assert!(fs::read(&entry).unwrap() == whole, "it is written anew");
    }
}

#[test]
fn a_refusal_is_not_kept_and_a_fault_is_not_hidden() {
    let (place, mechanism) = (Place::new(), testkit::shipped("h2o2"));
    let words = ["--kernel", "viscosity", "--codegen", "overlay", "--verify", "no-compilers"];
    place.run(&mechanism, &words);
    let broken = [&words[..], &["--inject-fault", "constant"]].concat();
    place.command(&mechanism, &broken).assert().code(3);
    place.command(&mechanism, &["--warps", "33"]).assert().code(2);
    assert_eq!(place.entries().len(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_no_hindrance() {
    let (place, mechanism) = (Place::new(), testkit::shipped("h2o2"));
    fs::write(place.cache(), "a file where the folder would be").unwrap();
    let first = place.run(&mechanism, &WORDS);
    assert_eq!(place.run(&mechanism, &WORDS), first);
}
