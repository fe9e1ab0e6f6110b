//! `docs/diagnostics.md` is what the table of diagnostics says, and the table has every id that the source names; the section of
//! `docs/guide/flags.md` about what goes with what is what its table says.
//! `SINGE_BLESS=1 cargo test --test diagnostics_page` writes both anew.

use std::collections::BTreeSet;
use std::path::Path;

use diagnostics::{entries, page};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(ROOT).join("docs/diagnostics.md");
    if std::env::var_os("SINGE_BLESS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == page(), "docs/diagnostics.md is out of date");
}

/// The section between two marks of the page of flags is made of the table in `src/plan/goes_with.rs`.
#[test]
fn the_guide_says_what_goes_with_what() {
    let path = Path::new(ROOT).join("docs/guide/flags.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once("<!-- combinations -->\n").expect("the first mark");
    let (section, tail) = rest.split_once("<!-- end of combinations -->\n").expect("the last mark");
    let made = singe::plan::combinations();
    if std::env::var_os("SINGE_BLESS").is_some() {
        std::fs::write(&path, format!("{head}<!-- combinations -->\n{made}<!-- end of combinations -->\n{tail}"))
            .unwrap();
    } else {
        assert_eq!(section, made, "docs/guide/flags.md is out of date");
    }
}

#[test]
fn every_id_is_in_the_table() {
    let table: BTreeSet<&str> = entries().map(|entry| entry.id).collect();
    let used = used();
    // parts of opcodes look alike
    let opcode = |id: &str| {
        ["kind::", "wait::", "tensormap::"].iter().any(|start| id.starts_with(start))
            || ["param::entry", "param::func", "shared::cta", "shared::cluster", "multicast::cluster"].contains(&id)
    };
    let missing: Vec<_> = used.iter().filter(|id| !table.contains(id.as_str()) && !opcode(id)).collect();
    assert!(used.len() > 100 && missing.is_empty(), "{} ids, missing: {missing:?}", used.len());
}

#[test]
fn the_table_holds_each_id_once_and_no_id_that_nothing_reports() {
    let used = used();
    let mut seen = BTreeSet::new();
    for entry in entries() {
        assert!(seen.insert(entry.id), "{} stands twice in the table", entry.id);
        assert!(used.contains(entry.id), "nothing reports {}", entry.id);
    }
}

fn used() -> BTreeSet<String> {
    ["src", "crates", "tuner/src"].iter().flat_map(|folder| ids(&Path::new(ROOT).join(folder))).collect()
}

/// The texts of the form `"room::what"` in the Rust files of a folder.
fn ids(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(ids(&path));
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let is_id = |quoted: &&str| {
            let allowed = |part: &str| {
                !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit())
            };
            quoted.split_once("::").is_some_and(|(room, what)| allowed(room) && allowed(what))
        };
        found.extend(text.split('"').filter(is_id).map(str::to_owned));
    }
    found
}
