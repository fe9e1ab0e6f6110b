//! Imports point one way: a room may use the rooms before it only.

use std::path::Path;

/// Rooms from the ground up. Those on one level do not know each other.
const LEVELS: [&[&str]; 11] = [
    &["diagnostic"],
    &["target", "mechanism"],
    &["kinetics"],
    &["dataflow"],
    &["mapping"],
    &["schedule"],
    &["emit"],
    &["simt"],
    &["sim", "toolchain"],
    &[
        "driver",
        "failure",
        "request",
        "search",
        "forms",
        "compilers",
        "observer",
        "output",
        "report",
        "verify",
        "fault",
    ],
    &["cli"],
];

fn level(room: &str) -> usize {
    LEVELS.iter().position(|rooms| rooms.contains(&room)).unwrap_or_else(|| panic!("room {room} has no level"))
}

fn sources(folder: &Path, out: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, out);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            out.push(entry);
        }
    }
}

#[test]
fn no_arrow_runs_back() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&src).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let room = first.trim_end_matches(".rs").to_owned();
        if room == "main" || room == "lib" {
            continue;
        }
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            let Some((_, rest)) = line.split_once("crate::") else { continue };
            let used: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if line.trim_start().starts_with("//") || used == room || used.is_empty() {
                continue;
            }
            let (from, to) = (level(&room), level(&used));
            if to > from || (to == from && from < LEVELS.len() - 2) {
                wrong.push(format!("{}: {room} uses {used}: {}", relative.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
