//! Files that say in comments how the command is run on them and what it must answer: see `tests/README.md`.

use std::path::Path;
use std::process::Command;

use directives::{Directives, Kind, Run};

mod difference;
mod directives;
mod printed;

/// Runs every file of a folder under `tests`, and fails with all differences from the files' expectations. Where `SINGE_BLESS` is set,
/// complete outputs are written into the files instead, and the differences printed.
pub fn folder(name: &str) {
    let folder = crate::root().join("tests").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().and_then(|e| directives::comment(e.to_str()?)).is_some());
    paths.sort();
    assert!(!paths.is_empty(), "{} has no files", folder.display());
    let bless = std::env::var_os("SINGE_BLESS").is_some();
    let failures: Vec<String> = paths.iter().flat_map(|path| file(path, bless)).collect();
    println!("{name}: {} files", paths.len());
    assert!(failures.is_empty(), "\n{}\n{} failures", failures.join("\n"), failures.len());
}

/// Lists the differences from the expectations of a file.
pub fn file(path: &Path, bless: bool) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let parsed = Directives::parse(path, &text);
    let mut failures = parsed.faults.clone();
    if parsed.runs.is_empty() {
        failures.push("has no `run:`".to_owned());
    }
    for (number, run) in parsed.runs.iter().enumerate() {
        let answer = answer(path, run);
        if bless && (run.output.is_some() || parsed.expects_nothing(run)) {
            write_output(path, number, &answer);
        } else if parsed.expects_nothing(run) {
            failures.push(format!("`{}` expects nothing: SINGE_BLESS=1 writes its output here", run.command));
        } else {
            failures.extend(compare(&parsed, run, &answer).into_iter().map(|f| format!("`{}`: {f}", run.command)));
        }
    }
    let name = format!("{}/{}", parent(path), name(path));
    failures.iter().map(|failure| format!("{name}: {failure}")).collect()
}

/// Answer of a run.
struct Answer {
    code: i32,
    /// Standard output, then standard error, without blanks at the ends of lines.
    text: String,
}

/// Runs the commands one after the other in the folder of the file, up to one that fails. `%s` is the file, `%t` an empty
/// folder.
fn answer(path: &Path, run: &Run) -> Answer {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().display().to_string();
    let mut answer = Answer { code: 0, text: String::new() };
    for command in run.command.split(" && ") {
        let arguments = command.split_whitespace().map(|word| word.replace("%s", name(path)).replace("%t", &folder));
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("singe"));
        let output = command.current_dir(path.parent().unwrap()).args(arguments).output().unwrap();
        answer.code = output.status.code().unwrap_or(-1);
        for text in [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).replace(&folder, "%t")) {
            answer.text.extend(text.lines().map(|line| format!("{}\n", line.trim_end())));
        }
        if answer.code != 0 {
            break;
        }
    }
    answer
}

fn compare(parsed: &Directives, run: &Run, answer: &Answer) -> Vec<String> {
    let mut failures = Vec::new();
    let of = |kind: Kind| parsed.for_run(run).filter(move |d| d.kind == kind);
    let refused = i32::from(of(Kind::Error).next().is_some());
    let code = of(Kind::Exit).next().map_or(refused, |d| d.text.parse().unwrap_or(-1));
    if answer.code != code {
        failures.push(format!("exit code {} instead of {code}", answer.code));
    }
    if let Some(output) = &run.output
        && *output != answer.text
    {
        failures.push(format!("another output:\n{}", difference::lines(output, &answer.text)));
    }
    failures.extend(out_of_order(of(Kind::Check).map(|d| (d.line, d.text.as_str())), &answer.text));
    let text = words(&answer.text);
    failures.extend(
        of(Kind::Not).filter(|d| text.contains(&words(&d.text))).map(|d| format!("`{}` is in the output", d.text)),
    );
    let expected: Vec<_> = of(Kind::Error).chain(of(Kind::Warning)).collect();
    if !expected.is_empty() {
        failures.extend(printed::differences(&expected, &printed::all(&answer.text, name(&parsed.path), &parsed.text)));
    }
    if !failures.is_empty() && run.output.is_none() {
        failures.push(format!("it printed\n{}", answer.text));
    }
    failures
}

/// The first check that the output does not have behind the one before it.
fn out_of_order<'a>(checks: impl Iterator<Item = (usize, &'a str)>, output: &str) -> Option<String> {
    let output = words(output);
    let mut rest = output.as_str();
    for (line, check) in checks {
        let check = words(check);
        match rest.split_once(&check) {
            Some((_, behind)) => rest = behind,
            None if output.contains(&check) => {
                return Some(format!("line {line}: `{check}` comes before the check above"));
            }
            None => return Some(format!("line {line}: no `{check}`")),
        }
    }
    None
}

/// Without the places of line breaks, and without the bars that diagnostics have at their left.
fn words(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ")
}

/// Writes what a run answered behind its `run:`, and prints what that changes. Lines that the output names move with it:
/// a second pass settles them.
fn write_output(path: &Path, number: usize, first: &Answer) {
    let mut answer = first.text.clone();
    for _ in 0..2 {
        let text = std::fs::read_to_string(path).unwrap();
        let parsed = Directives::parse(path, &text);
        let run = &parsed.runs[number];
        let changed = run.with_output(&text, directives::comment_of(path), &answer);
        print!("{}", difference::lines(&text, &changed));
        std::fs::write(path, changed).unwrap();
        answer = self::answer(path, run).text;
    }
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a file with a name")
}

fn parent(path: &Path) -> &str {
    name(path.parent().expect("a folder"))
}
