//! Runs of the tuner, and what they leave.

use std::path::{Path, PathBuf};

use serde_json::Value;

pub fn mechanism() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mechanisms/h2o2/chem.inp")
}

pub fn text(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The candidates of a record with their levels and what came of them, in no order: what they took may differ.
#[allow(dead_code, reason = "not every test compares records")]
pub fn recorded(folder: &Path) -> Vec<String> {
    let without_time = |line: &str| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        assert!(entry.as_object_mut().unwrap().remove("seconds").is_some());
        entry.to_string()
    };
    let text = text(folder, "candidates.jsonl");
    let mut lines: Vec<String> = text.lines().skip(1).map(without_time).collect();
    lines.sort();
    lines
}
