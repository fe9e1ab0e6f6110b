//! The user guide knows every flag and every row of the report, and its pages refer to files that exist.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use singe::cli::Arguments;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(docs().join(name)).unwrap()
}

#[test]
fn every_flag_is_described() {
    let flags = page("guide/flags.md");
    let command = Arguments::command();
    let mut missing = Vec::new();
    let mut seen = 0;
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        let heading = match command.get_name() {
            "singe" => "## `singe MECHANISM`: compile".to_owned(),
            name => format!("## `singe {name}"),
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
    assert!(missing.is_empty(), "not in docs/guide/flags.md: {missing:?}");
    assert!(seen > 30, "{seen}");
}

#[test]
fn every_pass_is_described() {
    let flags = page("guide/flags.md");
    for pass in &ptx::passes::PASSES {
        let row = format!("| `{}` | {} |", pass.name, pass.description);
        assert!(flags.contains(&row), "not in docs/guide/flags.md: {row}");
    }
}

#[test]
fn every_row_of_the_report_is_described() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let output = assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(root.join("mechanisms/h2o2/chem.inp"))
        .args(["--kernel", "conductivity", "--compilers", "off", "--emit", "report", "--report", "full", "-o"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let table = text.split("\n\n").nth(1).unwrap();
    let guide = page("guide/report.md");
    let rows: Vec<&str> = table.lines().skip(1).map(|line| line.trim_start().split("  ").next().unwrap()).collect();
    assert!(rows.len() > 25 && rows[0] == "code", "{rows:?}");
    let missing: Vec<_> = rows.iter().filter(|row| !guide.contains(&format!("| `{row}` |"))).collect();
    assert!(missing.is_empty(), "not in docs/guide/report.md: {missing:?}");
}

#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for name in
        ["SUMMARY.md", "guide/start.md", "guide/flags.md", "guide/report.md", "guide/solver.md", "guide/tuning.md"]
    {
        let text = page(name);
        for rest in text.split("](").skip(1) {
            let link = rest.split([')', '#']).next().unwrap();
            if let Some(anchor) = rest.strip_prefix('#').and_then(|rest| rest.split(')').next()) {
                let heading = |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
                let known = text.lines().filter(|line| line.starts_with('#')).any(|line| heading(line) == anchor);
                assert!(known, "{name}: #{anchor}");
                continue;
            }
            let path = docs().join(name).with_file_name("").join(link);
            assert!(path.is_file(), "{name}: {link}");
            links += 1;
        }
    }
    assert!(links >= 12, "{links}");
}
