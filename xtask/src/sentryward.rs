//! Runs SentryWard 0.1.1 and `singe verify` on the small kernels of `crates/gpu/warpsim/tests/verdicts`, whose first lines say
//! what the PTX memory model says of them, and writes the table of `docs/lab/verdicts.md`.
//!
//! SentryWard is installed with pip into a temporary folder and only run; nothing of it is kept.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::lab;

const VERSION: &str = "0.1.1";

/// Verdict of a tool on a kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Proven,
    ProvenIf,
    Violation,
    Open,
}

impl Word {
    fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::ProvenIf => "proven if",
            Self::Violation => "violation",
            Self::Open => "undecided",
        }
    }
}

struct Kernel {
    name: String,
    path: PathBuf,
    threads: u32,
    ctas: u32,
    wanted: Word,
    reason: String,
}

/// # Errors
/// SentryWard cannot be installed, `singe` is not built, or the page cannot be written.
pub fn write(root: &Path) -> Result<(), String> {
    let singe = ["release", "debug"].map(|profile| root.join("target").join(profile).join("singe"));
    let singe = singe.into_iter().find(|path| path.exists()).ok_or("build singe first: cargo build --release")?;
    let folder = std::env::temp_dir().join(format!("sentryward-{}", std::process::id()));
    let result = install(&folder).and_then(|tool| compare(root, &singe, &tool, &folder));
    // the folder may not be there
    let _ = std::fs::remove_dir_all(&folder);
    let page = result?;
    print!("{page}");
    lab::write(root, "verdicts.md", &page)
}

fn install(folder: &Path) -> Result<PathBuf, String> {
    let run = |program: &Path, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("SentryWard is not installed: {} ends with {status}", program.display())),
            Err(e) => Err(format!("SentryWard is not installed: {}: {e}", program.display())),
        }
    };
    run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()])?;
    run(&folder.join("bin/pip"), &["install", "--quiet", &format!("sentryward=={VERSION}")])?;
    Ok(folder.join("bin/sentryward"))
}

fn compare(root: &Path, singe: &Path, tool: &Path, folder: &Path) -> Result<String, String> {
    let kernels = kernels(&root.join("crates/gpu/warpsim/tests/verdicts"))?;
    let (mut rows, mut ours, mut theirs) = (String::new(), Tally::default(), Tally::default());
    for kernel in &kernels {
        let begin = Instant::now();
        let own = singe_says(singe, kernel)?;
        ours.count(own, kernel.wanted, begin.elapsed());
        let begin = Instant::now();
        let (other, code) = sentryward_says(tool, kernel, folder)?;
        theirs.count(other, kernel.wanted, begin.elapsed());
        let Kernel { name, wanted, reason, .. } = kernel;
        // Writing to a String cannot fail.
        let _ = writeln!(rows, "| {name} | {reason} | {} | {} | {}{code} |", wanted.name(), own.name(), other.name());
    }
    let total = kernels.len();
    let row = |name: &str, tally: &Tally| {
        format!(
            "| {name} | {} of {total} | {} | {} | {:.1} |\n",
            tally.decided,
            tally.right,
            tally.decided - tally.right,
            tally.time.as_secs_f64()
        )
    };
    Ok(format!(
        "# Verdicts on small kernels\n\nWhat `singe verify` and SentryWard {VERSION} say of the kernels in `crates/gpu/warpsim/tests/verdicts`, each \
         in a process of its own, with the verdict that the PTX memory model gives. `cargo xtask sentryward` fills this \
         page; [what the differences come from](../proofs.md#beside-other-tools).\n\n| tool | decided | as the model says | \
         otherwise | time (s) |\n|---|---:|---:|---:|---:|\n{}{}\n| kernel | why | model | singe | SentryWard |\n|---|---|---|---|---|\n{rows}",
        row("singe", &ours),
        row("SentryWard", &theirs)
    ))
}

#[derive(Default)]
struct Tally {
    decided: usize,
    right: usize,
    time: Duration,
}

impl Tally {
    fn count(&mut self, word: Word, wanted: Word, time: Duration) {
        self.decided += usize::from(word != Word::Open);
        self.right += usize::from(word != Word::Open && word == wanted);
        self.time += time;
    }
}

fn kernels(folder: &Path) -> Result<Vec<Kernel>, String> {
    let list = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = list.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.into_iter().map(kernel).collect()
}

/// The first lines say why, how many threads there are, and the verdict; a fourth one CTAs, which are one cluster.
fn kernel(path: PathBuf) -> Result<Kernel, String> {
    let wrong = || format!("{}: no head", path.display());
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines().map(|line| line.trim_start_matches("// "));
    let reason = lines.next().ok_or_else(wrong)?.to_owned();
    let threads = lines.next().and_then(|line| line.strip_prefix("threads: ")?.parse().ok()).ok_or_else(wrong)?;
    let verdict = lines.next().and_then(|line| line.strip_prefix("verdict: ")).ok_or_else(wrong)?;
    let wanted = match verdict.split(' ').next() {
        Some("proven") => Word::Proven,
        Some("conditional") => Word::ProvenIf,
        Some("violation") => Word::Violation,
        _ => Word::Open,
    };
    let ctas = lines.next().and_then(|line| line.strip_prefix("ctas: ")?.parse().ok()).unwrap_or(1);
    let name = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    Ok(Kernel { name, threads, ctas, wanted, reason, path })
}

fn singe_says(singe: &Path, kernel: &Kernel) -> Result<Word, String> {
    let output = Command::new(singe)
        .arg("verify")
        .arg(&kernel.path)
        .args(["--threads", &kernel.threads.to_string(), "--ctas", &kernel.ctas.to_string()])
        .args(["--integer", "0", "--json"])
        .output()
        .map_err(|e| format!("{}: {e}", singe.display()))?;
    let list: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{}: {e}", kernel.name))?;
    let verdict = &list[0];
    Ok(match verdict["status"].as_str() {
        Some("proven") => Word::Proven,
        Some("proven_if") => Word::ProvenIf,
        Some("wrong") => Word::Violation,
        _ => Word::Open,
    })
}

/// The verdict, and the code of what kept the tool from one.
fn sentryward_says(tool: &Path, kernel: &Kernel, folder: &Path) -> Result<(Word, String), String> {
    let input = folder.join("input.json");
    let launch = json!({
        "grid_dim": [kernel.ctas, 1, 1], "block_dim": [kernel.threads, 1, 1], "cluster_dim": [kernel.ctas, 1, 1],
        "dynamic_shared_bytes": 0
    });
    let text = json!({ "schema": "spverify.kernel-input/v1", "entry": "k", "launch": launch }).to_string();
    std::fs::write(&input, text).map_err(|e| format!("{}: {e}", input.display()))?;
    let output = Command::new(tool).arg(&kernel.path).arg("--input").arg(&input).args(["--timeout", "60"]).output();
    let output = output.map_err(|e| format!("{}: {e}", tool.display()))?;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Ok(match report["result"].as_str() {
        Some("race_free" | "verified") => (Word::Proven, String::new()),
        Some("not_wellsynced" | "potential_race" | "invalid_lifecycle") => (Word::Violation, String::new()),
        _ => {
            let code = report["diagnostics"][0]["code"].as_str().unwrap_or("no result").replace(['_', '-'], " ");
            (Word::Open, format!(" ({code})"))
        }
    })
}
