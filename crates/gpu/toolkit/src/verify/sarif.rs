//! Findings as SARIF 2.1.0 (OASIS Standard, Errata 01), which GitHub, GitLab, editors and viewers read.
//!
//! A violation is an error. What is not decided or rests on a condition is a warning if such a verdict fails; otherwise its
//! kind is `open` or `review`, for which the standard demands the level `none` (3.27.10). The interleaving of a violation is a
//! code flow with a thread flow for each warp.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path};

use serde_json::{Value, json};

use super::finding::Finding;
use super::outcome::FailOn;
use super::proof::Proof;
use super::results::Results;
use super::rules::{self, Rule};
use super::spots::{self, Spot, below};
use command::Failure;
use command::files;
use diagnostics::Diagnostic;
use warpsim::Site;
use warpsim::prove::{Part, Status, Step};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes the findings to a file. One with another content is replaced if it is SARIF of this tool.
pub(super) fn write(path: &Path, results: &Results, fail_on: &FailOn) -> Result<(), Failure> {
    let before = diagnostics::read_file(path).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let own = before.is_some_and(|value| value["runs"][0]["tool"]["driver"]["name"] == "singe");
    let text = format!("{:#}\n", log(results, fail_on));
    files::write_file(path, &text, "--sarif", own).map_err(Failure::input)
}

fn log(results: &Results, fail_on: &FailOn) -> Value {
    let of_proof = |proof| {
        let result = move |finding| result(results, proof, finding, fail_on);
        let findings: &Vec<Finding> = &proof.findings;
        findings.iter().map(result)
    };
    let found: Vec<Value> = results.proofs.iter().flat_map(of_proof).collect();
    let notifications: Vec<Value> = results.refused.iter().map(notification).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "singe",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules::ALL.iter().map(|rule| self::rule(rule)).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": results.refused.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": found,
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    let is_wrong = *rule != rules::NOT_ANALYSED && *rule != rules::CONDITION;
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.text },
        "fullDescription": { "text": rule.text },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": if is_wrong { "error" } else { "warning" } },
    })
}

fn notification(diagnostic: &Diagnostic) -> Value {
    let mut value = json!({
        "level": "error",
        "message": { "text": diagnostic.message },
        "descriptor": { "id": diagnostic.id },
    });
    if let Some(span) = &diagnostic.span
        && let file = Path::new(&span.source.name)
        && file.exists()
    {
        let (line, column) = span.line_column();
        let region = json!({ "startLine": line, "startColumn": column, "snippet": { "text": span.text() } });
        value["locations"] = json!([{ "physicalLocation": physical(&below(file), Some(region)) }]);
    }
    value
}

fn result(results: &Results, proof: &Proof, finding: &Finding, fail_on: &FailOn) -> Value {
    let fails = fail_on.fails(finding.status);
    let (kind, level) = match finding.status {
        Status::Wrong => ("fail", "error"),
        Status::Open if !fails => ("open", "none"),
        Status::ProvenIf if !fails => ("review", "none"),
        _ => ("fail", "warning"),
    };
    let place = Places { results, proof };
    let index = rules::ALL.iter().position(|rule| *rule == finding.rule);
    let mut value = json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "kind": kind,
        "level": level,
        "message": { "text": format!("{}: {}", proof.verdict.kernel, finding.message) },
        "locations": [place.location(finding.line)],
        "partialFingerprints": { "singe/v1": finding.fingerprint },
        "properties": {
            "kernel": proof.verdict.kernel,
            "block": proof.launch.threads,
            "grid": proof.launch.ctas,
            "sharedBytes": proof.launch.shared,
        },
    });
    if results.has_baseline {
        value["baselineState"] = if finding.is_known { "unchanged" } else { "new" }.into();
    }
    let related: Vec<Value> = finding.parts.iter().zip(1..).map(|(part, id)| place.part(part, id)).collect();
    if !related.is_empty() {
        value["relatedLocations"] = related.into();
    }
    if !finding.steps.is_empty() {
        value["codeFlows"] = json!([{
            "message": { "text": "An interleaving that shows it." },
            "threadFlows": place.flows(&finding.steps),
        }]);
    }
    value
}

/// Places of one kernel.
struct Places<'r> {
    results: &'r Results,
    proof: &'r Proof,
}

impl Places<'_> {
    /// Returns the place of a line of the PTX: in the user's source, else in the text.
    fn location(&self, line: Option<u32>) -> Value {
        let text = &self.results.texts[self.proof.text];
        let spots = line.map_or(Vec::new(), |line| self.results.sources.spots(text, line));
        let physical = match (spots::own(&spots), line) {
            (Some(spot), _) => physical(&spot.file, Some(region(spot))),
            (None, Some(line)) if text.is_file => {
                let lines = text.source.text.lines().nth(line.saturating_sub(1) as usize);
                let snippet = lines.unwrap_or_default().trim();
                physical(&below(&text.file), Some(json!({ "startLine": line, "snippet": { "text": snippet } })))
            }
            _ => physical(&below(&text.file), None),
        };
        let kernel = &self.proof.verdict.kernel;
        let name = warpsim::launches::function(kernel).unwrap_or(kernel);
        json!({
            "physicalLocation": physical,
            "logicalLocations": [{ "name": name, "decoratedName": kernel, "kind": "function" }],
        })
    }

    fn part(&self, part: &Part, id: u32) -> Value {
        let mut value = self.at(&part.site, &super::text::described(self.results, self.proof, part));
        value["id"] = id.into();
        value
    }

    fn at(&self, site: &Site, message: &str) -> Value {
        let mut value = self.location(site.line);
        value["message"] = json!({ "text": message });
        value
    }

    /// Returns the steps of each warp, which know their order among all.
    fn flows(&self, steps: &[Step]) -> Vec<Value> {
        let mut warps: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
        for (order, step) in steps.iter().enumerate() {
            let location = self.at(&step.site, &step.to_string());
            warps.entry(step.site.warp).or_default().push(json!({ "location": location, "executionOrder": order }));
        }
        warps
            .into_iter()
            .map(|(warp, locations)| json!({ "id": format!("warp {warp}"), "locations": locations }))
            .collect()
    }
}

fn region(spot: &Spot) -> Value {
    let mut region = json!({ "startLine": spot.line });
    if let Some(column) = spot.column {
        region["startColumn"] = column.into();
    }
    if let Some(excerpt) = spot.excerpt() {
        region["snippet"] = json!({ "text": excerpt });
    }
    region
}

fn physical(file: &Path, region: Option<Value>) -> Value {
    let mut value = json!({ "artifactLocation": artifact(file) });
    if let Some(region) = region {
        value["region"] = region;
    }
    value
}

/// Returns the address of a file: relative to the root of the sources if it is below the current folder.
fn artifact(file: &Path) -> Value {
    let leaves = file.components().any(|part| part == Component::ParentDir);
    let whole = if leaves { file.canonicalize().unwrap_or_else(|_| file.to_owned()) } else { file.to_owned() };
    let path = encoded(&whole.display().to_string().replace('\\', "/"));
    match whole.is_absolute() {
        true => json!({ "uri": format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" }) }),
        false => json!({ "uri": path, "uriBaseId": "%SRCROOT%" }),
    }
}

/// Returns the path with all bytes that no address has as they are replaced (RFC 3986, section 2.1).
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(byte.into());
        } else {
            write!(text, "%{byte:02X}").expect("a string takes all");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_addresses() {
        let artifact = |path: &str| artifact(Path::new(path));
        assert_eq!(artifact("a b/k#1.cu"), json!({ "uri": "a%20b/k%231.cu", "uriBaseId": "%SRCROOT%" }));
        assert_eq!(artifact("/src/k.cu"), json!({ "uri": "file:///src/k.cu" }));
    }
}
