//! Rows in a file, written one by one, so that a run that was interrupted can go on.

use super::measured::Measured;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

pub struct Rows {
    /// Rows by kernel and target.
    found: Mutex<BTreeMap<(String, String), Measured>>,
    file: Mutex<File>,
}

impl Rows {
    /// Opens the file, with the rows of the run before if it is resumed.
    pub fn open(resume: bool) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/occupancy.jsonl");
        let text = if resume { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Measured>(line).ok());
        let found = rows.map(|row| ((row.name.clone(), row.target.clone()), row)).collect();
        let file = File::create(path).expect("the target directory can be written");
        Self { found: Mutex::new(found), file: Mutex::new(file) }
    }

    /// Takes the row, if the run before came to it.
    pub fn take(&self, name: &str, target: &str) -> Option<Measured> {
        self.found.lock().expect("no thread panicked").remove(&(name.to_owned(), target.to_owned()))
    }

    pub fn keep(&self, row: &Measured) {
        let line = serde_json::to_string(row).expect("a row is plain data");
        let mut file = self.file.lock().expect("no thread panicked");
        writeln!(file, "{line}").expect("the target directory can be written");
    }
}
