//! Findings that are known: a file that is kept beside the kernels, so that only new findings fail.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::proof::Proof;
use crate::kernel::text;
use command::Failure;
use command::files;
use diagnostics::Diagnostic;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of the format.
    singe_baseline: u32,
    findings: Vec<Known>,
}

/// A known finding. Its fingerprint alone is compared; the rest tells readers what it is.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    fingerprint: String,
    kernel: String,
    rule: String,
    message: String,
}

const VERSION: u32 = 1;

/// Reads a baseline.
///
/// # Errors
/// The file cannot be read, or is no baseline.
pub fn read(path: &Path) -> Result<Baseline, Failure> {
    let refuse = |why: String| {
        let message = format!("{} is no baseline: {why}", path.display());
        let help = "--write-baseline makes one of the present findings";
        Failure::input([Diagnostic::error("verify::baseline", message).help(help)])
    };
    let baseline: Baseline = serde_json::from_str(&text(path)?).map_err(|e| refuse(e.to_string()))?;
    match baseline.singe_baseline {
        VERSION => Ok(baseline),
        other => Err(refuse(format!("version {other}, where this is version {VERSION}"))),
    }
}

impl Baseline {
    /// Marks the findings that are known, each entry once; returns the number of entries that nothing has any longer.
    pub fn mark(&self, proofs: &mut [Proof]) -> usize {
        let mut left: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for known in &self.findings {
            *left.entry((&known.kernel, &known.fingerprint)).or_default() += 1;
        }
        for proof in proofs {
            for finding in &mut proof.findings {
                let count = left.get_mut(&(&*proof.verdict.kernel, &*finding.fingerprint)).filter(|count| **count > 0);
                if let Some(count) = count {
                    *count -= 1;
                    finding.is_known = true;
                }
            }
        }
        left.values().sum()
    }
}

/// Writes the findings as a baseline. A file with another content is replaced if it is a baseline.
pub fn write(path: &Path, proofs: &mut [Proof]) -> Result<usize, Failure> {
    let known = |kernel: &str, finding: &Finding| Known {
        fingerprint: finding.fingerprint.clone(),
        kernel: kernel.to_owned(),
        rule: finding.rule.id.to_owned(),
        message: finding.message.clone(),
    };
    let mut findings = Vec::new();
    for proof in proofs {
        findings.extend(proof.findings.iter().map(|finding| known(&proof.verdict.kernel, finding)));
        proof.findings.iter_mut().for_each(|finding| finding.is_known = true);
    }
    let count = findings.len();
    findings.sort_by(|a, b| (&a.kernel, &a.rule, &a.fingerprint).cmp(&(&b.kernel, &b.rule, &b.fingerprint)));
    let own = path.exists() && read(path).is_ok();
    let baseline = Baseline { singe_baseline: VERSION, findings };
    let text = format!("{:#}\n", serde_json::json!(baseline));
    files::write_file(path, &text, "--baseline", own).map_err(Failure::input)?;
    Ok(count)
}
