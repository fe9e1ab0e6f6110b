//! The user guide knows every flag and every row of the report, and its pages refer to files that exist.

use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use singe::cli::Arguments;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(docs().join(name)).unwrap()
}

#[test]
fn every_flag_is_described() {
    let flags = format!("{}\n{}", page("guide/flags.md"), page("ptx.md"));
    let command = Arguments::command();
    let mut missing = Vec::new();
    let mut seen = 0;
    for (words, command) in all_commands(&command) {
        let heading = match &words[..] {
            [_] => "## `singe MECHANISM`: compile".to_owned(),
            words => format!("## `{}", words.join(" ")),
        };
        // The flags of the input are described once for all commands that read a mechanism.
        let section = |heading: &str| {
            let start = flags.find(heading).unwrap_or_else(|| panic!("no section {heading}"));
            let end = flags[start + 2..].find("\n## ").map_or(flags.len(), |end| start + 2 + end);
            flags[start..end].to_owned()
        };
        let text = section(&heading) + &section("## Which input");
        for flag in command.get_arguments().filter(|a| !a.is_hide_set()).filter_map(|a| a.get_long()) {
            seen += 1;
            if !["help", "version"].contains(&flag) && !text.contains(&format!("`--{flag}")) {
                missing.push(format!("{} --{flag}", command.get_name()));
            }
        }
    }
    assert!(missing.is_empty(), "neither in docs/guide/flags.md nor in docs/ptx.md: {missing:?}");
    assert!(seen > 30, "{seen}");
}

/// Every command with the words that call it; `singe ptx` alone is none, its tools are.
fn all_commands(command: &clap::Command) -> Vec<(Vec<String>, &clap::Command)> {
    let mut all = vec![(vec![command.get_name().to_owned()], command)];
    let mut at = 0;
    while let Some((words, command)) = all.get(at).cloned() {
        let below = command.get_subcommands().map(|one| ([&words[..], &[one.get_name().to_owned()]].concat(), one));
        all.extend(below);
        at += 1;
    }
    all.retain(|(words, _)| words.last().is_none_or(|word| word != "ptx"));
    all
}

#[test]
fn every_pass_is_described() {
    let flags = page("ptx.md");
    for pass in &passes::PASSES {
        let row = format!("| `{}` | {} |", pass.name, pass.description);
        assert!(flags.contains(&row), "not in docs/ptx.md: {row}");
    }
}

#[test]
fn every_row_of_the_report_is_described() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let output = assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(root.join("mechanisms/h2o2/chem.inp"))
        .args(["--kernel", "conductivity", "--verify", "no-compilers", "--emit", "report", "--report", "full", "-o"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let table = text.split("\n\n").nth(1).unwrap();
    let guide = page("report-rows.md");
    let rows: Vec<&str> = table.lines().skip(1).map(|line| line.trim_start().split("  ").next().unwrap()).collect();
    assert!(rows.len() > 25 && rows[0] == "code", "{rows:?}");
    let missing: Vec<_> = rows.iter().filter(|row| !guide.contains(&format!("| `{row}` |"))).collect();
    assert!(missing.is_empty(), "not in docs/report-rows.md: {missing:?}");
}

/// Checks the pages that are not in the book, whose links `tests/book.rs` follows.
#[test]
fn links_into_the_book_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let links: Vec<String> = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/flame/README.md"]
        .iter()
        .flat_map(|name| {
            let text = std::fs::read_to_string(root.join(name)).unwrap();
            let links: Vec<String> =
                text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::to_owned).collect();
            let folder = Path::new(name).parent().unwrap().to_owned();
            links
                .into_iter()
                .filter(|link| !link.contains(':'))
                .map(move |link| folder.join(link).display().to_string())
        })
        .collect();
    let wrong: Vec<&String> = links.iter().filter(|link| !leads_somewhere(root, link)).collect();
    assert!(wrong.is_empty() && links.len() > 40, "{wrong:?} of {}", links.len());
    assert!(!leads_somewhere(root, "docs/guide/absent.md") && !leads_somewhere(root, "docs/guide/flags.md#absent"));
}

/// Whether a link is a file, and the place behind `#` one of its headings.
fn leads_somewhere(root: &Path, link: &str) -> bool {
    let (file, place) = link.split_once('#').unwrap_or((link, ""));
    let own = if file.is_empty() { "README.md" } else { file };
    let slug = |line: &str| {
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        line.trim_start_matches('#').trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    let has = |text: String| text.lines().any(|line| line.starts_with('#') && slug(line) == place);
    let path = root.join(own);
    if place.is_empty() { path.exists() } else { std::fs::read_to_string(path).is_ok_and(has) }
}

/// Words that follow a flag where a sentence goes on.
const PROSE: [&str; 13] =
    ["a", "and", "or", "where", "whether", "says", "does", "has", "bounds", "alone", "kernels", "are", "that"];

/// Targets of CMake and of Clang.
const OF_OTHERS: [&str; 3] = ["h2o2_ignition", "amdgcn-amd-amdhsa", "flame"];

/// Flags with their values as a text names them, but for placeholders in capitals.
fn named_flags(text: &str) -> Vec<(String, Option<String>)> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    let is_value = |c: char| c.is_ascii_alphanumeric() || "-_.,=:".contains(c);
    let taken = |text: &str, is: &dyn Fn(char) -> bool| text.chars().take_while(|&c| is(c)).collect::<String>();
    let places = text.match_indices("--").filter(|(at, _)| {
        let before = text[..*at].chars().next_back().unwrap_or(' ');
        before.is_whitespace() || "\"`'(".contains(before)
    });
    let flags = places.filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        let name = taken(rest, &is_name);
        let value = rest[name.len()..].strip_prefix([' ', '=']).map(|rest| taken(rest, &is_value));
        let value = value.map(|value| value.trim_end_matches(['.', ',', '-', ':']).to_owned());
        let is_placeholder = |part: &str| part.chars().all(|c| c.is_ascii_uppercase());
        let value = value.filter(|value| !value.split(['=', ':', ',']).any(is_placeholder));
        name.starts_with(|c: char| c.is_ascii_lowercase()).then_some((name, value))
    });
    flags.collect()
}

/// Files with text for people: messages, comments and pages. The tuner has flags and pages of its own.
fn texts(root: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = ["src", "crates", "docs", "templates"].map(|name| root.join(name)).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_text = path.extension().is_some_and(|e| ["rs", "md", "hbs"].iter().any(|known| e == *known));
            if path.is_dir() {
                folders.push(path);
            } else if is_text && !path.ends_with("tuning.md") {
                found.push((path.clone(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// A flag that a message, a comment or a page names takes the value that stands behind it.
#[test]
fn every_flag_that_is_named_takes_its_value() {
    use clap::error::ErrorKind;

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let command = Arguments::command();
    let all = all_commands(&command);
    let has = |command: &clap::Command, flag: &str| {
        command.get_arguments().any(|a| a.get_long() == Some(flag) && a.get_action().takes_values())
    };
    let takes = |flag: &str, value: &str| {
        let mut with_flag = all.iter().filter(|(_, command)| has(command, flag)).peekable();
        with_flag.peek().is_none()
            || with_flag.any(|(words, _)| {
                let line = words.iter().cloned().chain([format!("--{flag}={value}")]);
                let refused = Arguments::try_parse_from(line).err().map(|error| error.kind());
                !matches!(refused, Some(ErrorKind::InvalidValue | ErrorKind::ValueValidation))
            })
    };
    assert!(!takes("verify", "none") && takes("verify", "off") && takes("target", "hopper"));
    let mut seen = 0;
    let mut wrong = Vec::new();
    for (path, text) in texts(root) {
        for (flag, value) in named_flags(&text) {
            let Some(value) = value.filter(|value| ![&PROSE[..], &OF_OTHERS].concat().contains(&value.as_str())) else {
                continue;
            };
            seen += 1;
            if !takes(&flag, &value) {
                wrong.push(format!("{}: --{flag} {value}", path.strip_prefix(root).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "no such value:\n{}", wrong.join("\n"));
    assert!(seen > 500, "{seen}");
}
