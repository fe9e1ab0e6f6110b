//! Verdicts as JSON.

use serde_json::{Value, json};

use super::finding::Finding;
use super::proof::Proof;
use super::results::Results;
use super::spots::{self, Spot};
use super::text::{NOT_COVERED, assumed};
use command::Failure;
use warpsim::Site;
use warpsim::prove::{Part, Status, Step};

/// Prints a list with an entry for each kernel and launch, and one for each file or kernel that was refused.
pub(super) fn print(results: &Results) -> Result<(), Failure> {
    let mut list: Vec<Value> = results.proofs.iter().map(|proof| verdict(results, proof)).collect();
    let refused = diagnostics::to_json(&results.refused);
    list.extend(
        refused
            .as_array()
            .into_iter()
            .flatten()
            .map(|diagnostic| json!({ "status": "refused", "diagnostic": diagnostic })),
    );
    command::print(format_args!("{:#}\n", json!(list)))
}

/// Returns the name of a status.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Proven => "proven",
        Status::ProvenIf => "proven_if",
        Status::Wrong => "wrong",
        Status::Open => "open",
    }
}

fn verdict(results: &Results, proof: &Proof) -> Value {
    let verdict = &proof.verdict;
    let text = &results.texts[proof.text];
    json!({
        "file": text.source.name,
        "kernel": verdict.kernel,
        "launch": {
            "grid": proof.launch.ctas,
            "block": proof.launch.threads,
            "shared": proof.launch.shared,
        },
        "status": status(verdict.status()),
        "status_of_new": status(proof.status()),
        "proven": verdict.proven(),
        "conditions": verdict.conditions().map(ToString::to_string).collect::<Vec<_>>(),
        "not_covered": NOT_COVERED,
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "not_analysed": verdict.not_analysed,
        "assumed": assumed(verdict),
        "warnings": verdict.warnings,
        "instructions": verdict.instructions,
        "arrivals": verdict.arrivals,
        "findings": proof.findings.iter().map(|one| finding(results, proof, one)).collect::<Vec<_>>(),
    })
}

fn finding(results: &Results, proof: &Proof, finding: &Finding) -> Value {
    let places = |line: Option<u32>| places(results, proof, line);
    let at = |site: &Site| {
        let mut value = json!({ "line": site.line, "instruction": site.text, "warp": site.warp });
        value["source"] = places(site.line);
        value
    };
    let part = |part: &Part| {
        let mut value = at(&part.site);
        value["lanes"] = lanes(part.lanes);
        value["threads"] = threads(proof, part.site.warp, part.lanes);
        value["access"] = part.access.map_or(Value::Null, |access| access.to_string().into());
        if let Some(interval) = &part.interval {
            value["barriers_before"] = interval.passed.into();
            value["last_barrier"] = interval.last.as_ref().map_or(Value::Null, at);
        }
        value
    };
    let step = |step: &Step| {
        let mut value = at(&step.site);
        value["lanes"] = lanes(step.lanes);
        value["what"] = step.to_string().into();
        value
    };
    json!({
        "rule": finding.rule.id,
        "status": status(finding.status),
        "message": finding.message,
        "help": finding.help,
        "line": finding.line,
        "source": places(finding.line),
        "fingerprint": finding.fingerprint,
        "known": finding.is_known,
        "accesses": finding.parts.iter().map(part).collect::<Vec<_>>(),
        "interleaving": finding.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// Returns the places of a line in the user's sources, from inside to outside, the one that is shown marked.
fn places(results: &Results, proof: &Proof, line: Option<u32>) -> Value {
    let text = &results.texts[proof.text];
    let spots = line.map_or(Vec::new(), |line| results.sources.spots(text, line));
    let own = spots::own(&spots).map(ToString::to_string);
    let place = |spot: &Spot| {
        json!({
            "file": spot.file,
            "line": spot.line,
            "column": spot.column,
            "excerpt": spot.excerpt(),
            "shown": own == Some(spot.to_string()),
        })
    };
    spots.iter().map(place).collect()
}

fn lanes(mask: u32) -> Value {
    (0..32).filter(|lane| mask >> lane & 1 == 1).collect()
}

/// Returns the numbers of threads in their CTA.
fn threads(proof: &Proof, warp: u32, mask: u32) -> Value {
    let warp = warp % proof.launch.size().div_ceil(32).max(1);
    (0..32).filter(|lane| mask >> lane & 1 == 1).map(|lane| 32 * warp + lane).collect()
}
