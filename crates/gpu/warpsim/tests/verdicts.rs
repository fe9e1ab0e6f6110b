//! Small kernels, each with the verdict that the PTX memory model gives and the reason in its first lines:
//!
//! ```text
//! // threads: 64
//! // verdict: proven                  or: conditional WORDS, or: violation WORDS, or: open WORDS
//! // ctas: 2                          may be left out: 1
//! ```
//!
//! `WORDS` are part of the first violation, of the first operation that is not analysed, or of the first condition.

use ptx::Module;
use std::path::Path;
use warpsim::prove::{self, Verdict};
use warpsim::{Buffer, Hazard, Kind, Launch, Options};

/// Returns the name, launch, wanted verdict and module of every file.
fn kernels() -> Vec<(String, Launch, String, Module)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let line =
            |key: &str| text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
        let must = |key: &str| line(key).unwrap_or_else(|| panic!("{}: no {key}", path.display()));
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let module = ptx::read::text(&name, &text).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        let [ctas, threads] = [line("ctas").unwrap_or("1"), must("threads")].map(|n| n.parse().unwrap());
        let launch = Launch::linear(ctas, threads, prove::arguments(module.func("k").unwrap(), 0));
        (name, launch, must("verdict").to_owned(), module)
    };
    files.iter().map(read).collect()
}

fn said(verdict: &Verdict) -> String {
    match (&verdict.violations[..], &verdict.not_analysed[..]) {
        ([], []) => verdict.conditions().next().map_or("proven".to_owned(), |what| format!("conditional {what}")),
        ([first, ..], _) => format!("violation {first}"),
        ([], [first, ..]) => format!("open {first}"),
    }
}

/// A warning of the prover.
#[test]
fn arrivals_that_nobody_waits_for_are_told() {
    let warned = kernels().into_iter().filter(|(_, launch, _, module)| {
        let verdict = prove::prove(module, "k", launch).unwrap();
        verdict.holds() && !verdict.warnings.is_empty()
    });
    let names: Vec<String> = warned.map(|(name, ..)| name).collect();
    assert_eq!(names, ["mbarrier-arrival-of-one", "mbarrier-nobody-waits", "nobody-waits"]);
}

#[test]
fn every_kernel_gets_its_verdict() {
    let mut wrong = Vec::new();
    for (name, launch, wanted, module) in kernels() {
        let found = prove::prove(&module, "k", &launch).unwrap();
        let alone = prove::prove_launch(&module, "k", &launch).unwrap();
        assert_eq!((said(&alone), &alone.witnesses), (said(&found), &found.witnesses), "{name}");
        let said = said(&found);
        let (kind, words) = wanted.split_once(' ').unwrap_or((&wanted, ""));
        if !said.starts_with(kind) || !said.contains(words) {
            wrong.push(format!("{name}: wanted {wanted}, got {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Proven kernels run without a hazard, whatever the interleaving and whichever copy ends first. Copies of tensors, those between
/// CTAs, reductions by copies, and products of warp groups and in tensor memory do not run.
#[test]
fn what_is_proven_runs() {
    for (name, launch, wanted, module) in kernels() {
        for seed in 0..8 {
            let options = Options { schedule: warpsim::Schedule::Random { seed }, ..Options::default() };
            let run = warpsim::run(
                &module,
                "k",
                &launch,
                &mut [Buffer::in_out(&[1.0; 64]), Buffer::in_out(&[1.0; 64])],
                &options,
            );
            let holds = wanted == "proven" || wanted.starts_with("conditional");
            if let (true, Err(hazards)) = (holds, run) {
                let not_run = [
                    "wgmma.",
                    "st.async.",
                    "red.async.",
                    "cp.reduce.",
                    "tcgen05.",
                    "tensormap.",
                    "cp.async.bulk.shared::cluster.shared::cta.",
                ];
                let unsupported =
                    |what: &str| what.contains(".tensor.") || not_run.iter().any(|name| what.contains(name));
                let known =
                    matches!(&hazards.list[..], [Hazard { kind: Kind::Unsupported(what), .. }] if unsupported(what));
                assert!(known, "{name}: {hazards}");
            }
        }
    }
}
