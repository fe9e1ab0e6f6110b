//! The guide as a book: it builds without a warning, its links lead somewhere, and what it tells a reader to type works
//! (`crates/base/testkit/src/page.rs` says how a page names what a command needs).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::CommandFactory;
use singe::cli::Arguments;
use testkit::page::{self, fences, text};
use testkit::root;
use testkit::skip;

/// The pages of the book, from its summary.
fn pages() -> Vec<String> {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
}

#[test]
fn every_page_is_in_the_summary() {
    let listed: BTreeSet<String> = pages().into_iter().collect();
    for folder in ["", "guide", "lab", "systems"] {
        for entry in std::fs::read_dir(root().join("docs").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let page = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            assert!(
                !page.ends_with(".md") || page == "SUMMARY.md" || listed.contains(&page),
                "{page} is not in the summary"
            );
        }
    }
}

#[test]
fn the_book_builds_without_a_warning_and_its_links_lead_somewhere() {
    let out = tempfile::tempdir().unwrap();
    let own = root().join(".toolchain/book/bin/mdbook");
    let program = if own.exists() { own } else { "mdbook".into() };
    let Ok(Output { status, stderr, .. }) =
        Command::new(program).arg("build").arg(root()).arg("-d").arg(out.path()).output()
    else {
        return skip::skip("mdbook is absent (`cargo xtask toolchain` installs it)");
    };
    let log = String::from_utf8_lossy(&stderr);
    assert!(status.success() && !log.contains("WARN") && !log.contains("ERROR"), "{log}");
    let mut names: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let mut html: BTreeMap<PathBuf, String> = BTreeMap::new();
    for page in pages() {
        let path = PathBuf::from(page).with_extension("html");
        let text =
            std::fs::read_to_string(out.path().join(&path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        names.insert(path.clone(), attribute(&text, " id=\"").collect());
        html.insert(path, text);
    }
    let mut links = 0;
    for (page, text) in &html {
        for link in attribute(text, "href=\"").chain(attribute(text, "src=\"")).filter(|link| !link.contains(':')) {
            links += 1;
            let (file, name) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { normal(&page.with_file_name(file)) };
            assert!(out.path().join(&target).exists(), "{}: {link} leads nowhere", page.display());
            let known = names.get(&target).is_none_or(|names| name.is_empty() || names.contains(name));
            assert!(known, "{}: {link} has no such place", page.display());
        }
    }
    assert!(links > 500, "{links}");
}

/// The values of an attribute.
fn attribute<'a>(html: &'a str, start: &'a str) -> impl Iterator<Item = String> + 'a {
    html.split(start).skip(1).filter_map(|rest| rest.split('"').next()).map(|value| value.replace("&amp;", "&"))
}

/// Without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts
}

/// Checks that the flags of every command exist and take what is given, in blocks of any page and of the README.
#[test]
fn every_command_is_understood() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let all = pages().into_iter().map(|page| (text(&page), page)).chain([(readme, "README.md".to_owned())]);
    let (mut seen, mut wrong) = (0, Vec::new());
    for (text, page) in all {
        for line in blocks(&text) {
            let line = line.trim_start_matches("$ ").replacen("cargo run --release -- ", "singe ", 1);
            let Some(words) = line.starts_with("singe ").then(|| words(&line)) else { continue };
            seen += 1;
            if let Err(error) = Arguments::command().try_get_matches_from(&words)
                && error.use_stderr()
            {
                wrong.push(format!("{page}: {line}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 40, "{seen}");
}

/// The lines of all blocks of code, indented or fenced.
fn blocks(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            match lines.last_mut() {
                Some(last) if last.ends_with('\\') => {
                    last.pop();
                    *last += line.trim();
                }
                _ => lines.push(line.trim().to_owned()),
            }
        }
    }
    lines
}

/// The words of the first command of a line, as a shell has them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if q == c => quote = None,
            (None, ' ') => words.push(String::new()),
            (None, '#' | '|' | '>' | '&' | ';') if words.last().is_some_and(String::is_empty) => break,
            _ => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A command that stands in another block would be run by no test.
#[test]
fn commands_stand_in_blocks_that_are_run() {
    let is_command = |line: &str| {
        let first = line.trim().trim_start_matches("$ ").split(' ').next().unwrap_or_default();
        ["singe", "singe-tune", "cargo", "cmake", "pip", "docker", "sbatch", "mdbook", "build/"]
            .iter()
            .any(|name| first == *name || name.ends_with('/') && first.starts_with(name))
    };
    for page in pages() {
        let (mut fence, text) = (None, text(&page));
        for line in text.lines() {
            match line.strip_prefix("```") {
                Some(info) => fence = if fence.is_none() { Some(info) } else { None },
                None => {
                    let is_run = fence.is_some_and(|info| info.split(',').next() == Some("sh"));
                    let is_block = fence.is_some() || line.starts_with("    ");
                    assert!(is_run || !is_block || !is_command(line), "{page}: {line}");
                }
            }
        }
    }
}

/// Pages that the tuner's tests run.
const OTHERS: [&str; 1] = ["guide/tuning.md"];

macro_rules! pages {
    ($($test:ident: $($page:literal)+),* $(,)?) => {
        $(#[test]
        fn $test() {
            page::run(&[$($page),+], env!("CARGO_BIN_EXE_singe"));
        })*

        /// A page with commands that no test runs would be trusted for nothing.
        #[test]
        fn every_page_with_commands_is_run() {
            let run = [$($($page),+),*];
            for page in pages() {
                let has = fences(&text(&page)).iter().any(|(info, _)| info.split(',').next() == Some("sh"));
                assert_eq!(has, run.iter().chain(&OTHERS).any(|known| *known == page), "{page}");
            }
        }
    };
}

// The commands of a line are read, and run, one after the other.
pages! {
    from_a_mechanism_to_a_running_solver: "guide/start.md",
    installing: "guide/install.md",
    flow_solvers: "guide/solver.md",
    processors: "guide/cpu.md",
    on_a_gpu: "guide/gpu.md",
    chemkin: "guide/chemkin.md",
    pelephysics: "guide/pelephysics.md",
    kinetix: "guide/kinetix.md",
    openfoam: "guide/openfoam.md",
    reactors: "guide/reactors.md",
    parallel: "guide/parallel.md",
    times: "lab/performance.md",
    measuring: "guide/measure.md",
    checking: "guide/check.md",
    report: "guide/report.md",
    rows: "report-rows.md",
    python: "guide/python.md",
    cookbook: "guide/cookbook.md",
    gallery: "lab/gallery.md",
    the_paper: "systems/singe.md",
    melding: "systems/darm.md",
    predication: "systems/predication.md",
    affine: "systems/affine.md",
    occupancy: "systems/orion.md",
}
