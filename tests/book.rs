//! The guide as a book: it builds without a warning, its links lead somewhere, and what it tells a reader to type works.
//!
//! A block ```` ```sh ```` is run by bash in an empty folder in which `mechanisms` and `tests` are the project's, and `dme` and `heptane`
//! published mechanisms where they are, after the blocks above it;
//! with `,needs-PROGRAM` behind the language it and those below it are skipped where the program is absent. A block ```` ```c,file=NAME ````
//! is written to that file. Each line of a block ```` ```text,printed ```` must have been printed by the commands above it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::CommandFactory;
use singe::cli::Arguments;

#[path = "common/skip.rs"]
mod skip;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The pages of the book, from its summary.
fn pages() -> Vec<String> {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect()
}

fn text(page: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
}

#[test]
fn every_page_is_in_the_summary() {
    let listed: BTreeSet<String> = pages().into_iter().collect();
    for folder in ["", "guide", "systems"] {
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

/// Of every command in a block of any page, and of the README, the flags exist and take what is given.
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

/// A fenced block: what stands behind the fence, and its lines.
fn fences(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                all.push((info.to_owned(), String::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let last = all.last_mut().expect("a fence was opened");
                last.1 += line;
                last.1.push('\n');
            }
            None => {}
        }
    }
    all
}

/// Runs a page from its top to its end.
fn run(page: &str) {
    let folder = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    for name in ["mechanisms", "tests", "../shared/mechanisms/dme", "../shared/mechanisms/heptane"] {
        let link = folder.path().join(Path::new(name).file_name().unwrap());
        std::os::unix::fs::symlink(root().join(name), link).unwrap();
    }
    let singe = Path::new(env!("CARGO_BIN_EXE_singe"));
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        [singe.parent().unwrap().to_owned(), root().join(".toolchain/book/bin")]
            .into_iter()
            .chain(std::env::split_paths(&old)),
    );
    let modules = std::env::join_paths([root().join("python"), root().join(".toolchain/numpy")]).unwrap();
    let (mut printed, mut ran) = (String::new(), 0);
    for (info, body) in fences(&text(page)) {
        let words: Vec<&str> = info.split(',').collect();
        if let Some(name) = words.iter().find_map(|word| word.strip_prefix("file=")) {
            std::fs::write(folder.path().join(name), body).unwrap();
        } else if info == "text,printed" {
            let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let all = spaced(&printed);
            body.lines().for_each(|line| assert!(all.contains(&spaced(line)), "{page}: {line} is not in\n{printed}"));
        } else if words[0] == "sh" {
            if let Some(absent) = words.iter().filter_map(|word| word.strip_prefix("needs-")).find(|need| !there(need))
            {
                return skip::skip(format!("{page}: {absent} is absent"));
            }
            let mut bash = Command::new("bash");
            bash.args(["-euo", "pipefail", "-c", &body]).current_dir(folder.path()).env("PATH", path.as_ref().unwrap());
            bash.env("PYTHONPATH", &modules).env("PYTHONDONTWRITEBYTECODE", "1").env("SINGE_COMMAND", singe);
            let Output { status, stdout, stderr } = bash.output().expect("bash runs");
            printed = String::from_utf8_lossy(&stdout).into_owned();
            assert!(status.success(), "{page}: {body}{printed}{}", String::from_utf8_lossy(&stderr));
            ran += 1;
        }
    }
    assert!(ran > 0, "{page} has nothing to run");
}

fn there(need: &str) -> bool {
    match need {
        "numpy" => {
            let numpy = root().join(".toolchain/numpy");
            let mut python = Command::new("python3");
            python
                .args(["-c", "import numpy"])
                .env("PYTHONPATH", numpy)
                .output()
                .is_ok_and(|output| output.status.success())
        }
        "dme" => root().join("../shared/mechanisms/dme").exists(),
        program => Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success()),
    }
}

macro_rules! pages {
    ($($test:ident: $page:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            run($page);
        })*

        /// A page with commands that no test runs would be trusted for nothing.
        #[test]
        fn every_page_with_commands_is_run() {
            let run = [$($page),*];
            for page in pages() {
                let has = fences(&text(&page)).iter().any(|(info, _)| info.split(',').next() == Some("sh"));
                assert_eq!(has, run.contains(&page.as_str()), "{page}");
            }
        }
    };
}

pages! {
    from_a_mechanism_to_a_running_solver: "guide/quick.md",
    installing: "guide/install.md",
    python: "guide/python.md",
    gallery: "gallery.md",
    the_paper: "systems/singe.md",
    melding: "systems/darm.md",
    predication: "systems/predication.md",
    affine: "systems/affine.md",
    occupancy: "systems/orion.md",
}
