//! The files and folders that a page names.

use std::path::Path;

/// Counts the places that a page names, and lists those that are not there. A place is named from the root of the
/// project, or from a place (or folder above it) in the same paragraph, point or row.
pub fn missing(project: &Path, page: &str) -> (usize, Vec<String>) {
    let mut missing = Vec::new();
    let mut count = 0;
    for paragraph in paragraphs(page) {
        let places: Vec<&str> = paragraph.split('`').skip(1).step_by(2).filter(|code| is_place(code)).collect();
        let folders: Vec<&Path> = places.iter().flat_map(|place| Path::new(place).ancestors()).collect();
        let is_there = |place: &str| {
            let below = |folder: &&Path| {
                project.join(folder).join(place).exists() || project.join(folder).join("src").join(place).exists()
            };
            folders.iter().any(below)
        };
        count += places.len();
        missing.extend(places.iter().filter(|place| !is_there(place)).map(|place| (*place).to_owned()));
    }
    (count, missing)
}

/// Paths have folders, or the ending of a file that the project is made of.
fn is_place(code: &str) -> bool {
    let is_path = code.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let is_file = [".rs", ".toml", ".md"].iter().any(|ending| code.ends_with(ending));
    is_path && !code.starts_with(['.', '/']) && (code.contains('/') || is_file)
}

/// Lines until a blank one, or until the next point or row begins.
fn paragraphs(page: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in page.lines() {
        let begins =
            line.is_empty() || line.starts_with(['-', '|', '#']) || line.starts_with(|c: char| c.is_ascii_digit());
        match all.last_mut() {
            Some(last) if !begins => {
                last.push('\n');
                last.push_str(line);
            }
            _ => all.push(line.to_owned()),
        }
    }
    all
}

#[test]
fn a_place_that_is_gone_is_told() {
    let page = "- `crates/ir/kernels/src/lib.rs` and `rates/`, no `place` but `gone.rs`\n\n`rates/`";
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(missing(project, page), (4, vec!["gone.rs".to_owned(), "rates/".to_owned()]));
}
