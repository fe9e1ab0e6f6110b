//! Verdicts for people: their lines on standard output, and diagnostics.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::outcome::FailOn;
use super::proof::Proof;
use super::results::Results;
use super::spots;
use crate::kernel::quoting;
use command::Failure;
use command::print as out;
use diagnostics::{Diagnostic, Span};
use warpsim::Site;
use warpsim::prove::{Part, Status, Verdict, Who};

/// Properties that no verdict covers.
pub const NOT_COVERED: [&str; 1] = ["races on global memory"];

/// Prints the verdicts.
pub(super) fn print(results: &Results) -> Result<(), Failure> {
    let mut text = None;
    for proof in &results.proofs {
        if results.texts.len() > 1 && text != Some(proof.text) {
            out(format_args!("{}:\n", results.texts[proof.text].source.name))?;
            text = Some(proof.text);
        }
        out(format_args!("{}", verdict_text(results, proof)))?;
    }
    Ok(())
}

fn verdict_text(results: &Results, proof: &Proof) -> String {
    let Verdict { kernel, instructions, arrivals, .. } = &proof.verdict;
    let threads = proof.launch.size();
    let of = format!("with {threads} threads ({instructions} warp instructions, {arrivals} arrivals at barriers)");
    let mut lines = vec![match proof.verdict.status() {
        Status::Proven => format!("{kernel}: proven free of deadlocks, unsafe reuse of barriers and races {of}"),
        Status::ProvenIf => format!("{kernel}: proven if the conditions below hold, {of}"),
        Status::Wrong => format!("{kernel}: wrong {of}"),
        Status::Open => format!("{kernel}: neither proven nor wrong {of}"),
    }];
    if proof.verdict.holds() {
        lines.extend(proof.verdict.conditions().map(|what| format!("  if: {what}")));
        lines.extend(assumed(&proof.verdict).iter().map(|what| format!("  assumed: {what}")));
    }
    let known = proof.findings.iter().filter(|finding| finding.is_known).count();
    if known > 0 {
        lines.push(format!("  known: {known} of {} findings, from the baseline", proof.findings.len()));
    }
    // a loop that was unrolled has one race at each of its copies
    let mut seen = BTreeSet::new();
    for finding in proof.findings.iter().filter(|finding| !finding.is_known && !finding.steps.is_empty()) {
        let places: Vec<String> = finding.parts.iter().map(|part| place(results, proof, &part.site)).collect();
        if seen.insert((finding.rule.id, places)) {
            lines.extend(shown(results, proof, finding));
        }
    }
    lines.extend(NOT_COVERED.iter().map(|what| format!("  not analysed: {what}")));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Lists the assumptions beside the conditions.
pub fn assumed(verdict: &Verdict) -> Vec<String> {
    verdict.assumed.iter().filter(|what| !what.is_condition()).map(ToString::to_string).collect()
}

/// Returns the instructions of a violation with their source, and the interleaving that shows it.
fn shown(results: &Results, proof: &Proof, finding: &Finding) -> Vec<String> {
    let mut lines = vec![format!("  {}:", finding.rule.id)];
    for part in &finding.parts {
        lines.push(format!("    {}", described(results, proof, part)));
        let spots = site_spots(results, proof, &part.site);
        let own = spots::own(&spots).into_iter().filter_map(|spot| Some((spot, spot.excerpt()?)));
        lines.extend(own.map(|(spot, excerpt)| format!("      {spot}: {excerpt}")));
    }
    lines.push("    shown by:".to_owned());
    let place = |site: &Site| place(results, proof, site);
    lines.extend(finding.steps.iter().map(|step| format!("      {step} ({})", place(&step.site))));
    lines
}

/// Describes what an instruction of a violation does, and when.
pub(super) fn described(results: &Results, proof: &Proof, part: &Part) -> String {
    let who = Who { warp: part.site.warp, lanes: part.lanes };
    let does = part.access.map_or(String::new(), |access| format!(" {access}s"));
    let interval = part.interval.as_ref().map_or(String::new(), |interval| match (&interval.last, interval.passed) {
        (_, 0) => ", before its first barrier".to_owned(),
        (Some(last), n) => format!(", behind barrier number {n} of the warp ({})", place(results, proof, last)),
        (None, n) => format!(", behind barrier number {n} of the warp"),
    });
    format!("{who}{does}: `{}`{interval}", part.site.text)
}

/// Returns the line of an instruction in the user's source, else in the text.
fn place(results: &Results, proof: &Proof, site: &Site) -> String {
    match (spots::own(&site_spots(results, proof, site)), site.line) {
        (Some(spot), _) => spot.to_string(),
        (None, Some(line)) => format!("line {line}"),
        (None, None) => format!("instruction {}", site.pc),
    }
}

fn site_spots(results: &Results, proof: &Proof, site: &Site) -> Vec<spots::Spot> {
    let text = &results.texts[proof.text];
    site.line.map_or(Vec::new(), |line| results.sources.spots(text, line))
}

/// Returns the diagnostics of what fails or could not be read; what does not fail is a warning.
pub(super) fn diagnostics(results: &Results, fail_on: &FailOn) -> Vec<Diagnostic> {
    let mut all = results.refused.clone();
    for proof in &results.proofs {
        for finding in proof.findings.iter().filter(|finding| !finding.is_known) {
            let is_said = finding.status == Status::ProvenIf && !fail_on.fails(Status::ProvenIf);
            if !is_said {
                all.push(diagnostic(results, proof, finding, fail_on));
            }
        }
    }
    all
}

fn diagnostic(results: &Results, proof: &Proof, finding: &Finding, fail_on: &FailOn) -> Diagnostic {
    let kernel = &proof.verdict.kernel;
    let (id, message) = match finding.status {
        Status::Wrong => ("verify::violation", format!("{kernel}, {}", finding.message)),
        Status::ProvenIf => {
            ("verify::condition", format!("{kernel} is proven only if this holds: {}", finding.message))
        }
        _ => ("verify::not-analysed", format!("{kernel}, {}", finding.message)),
    };
    let made = if fail_on.fails(finding.status) { Diagnostic::error } else { Diagnostic::warning };
    let mut diagnostic = made(id, message);
    let text = &results.texts[proof.text];
    let spots = finding.line.map_or(Vec::new(), |line| results.sources.spots(text, line));
    let own = spots::own(&spots).and_then(|spot| Some((spot.source.as_ref()?, spot.line)));
    diagnostic = match own {
        Some((source, line)) => diagnostic.at(Span::of_line(source, line)),
        // an obstacle's message has the instruction
        None if finding.status == Status::Wrong => quoting(diagnostic, &text.source, finding.line),
        None => diagnostic,
    };
    match finding.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}
