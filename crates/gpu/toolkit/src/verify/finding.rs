//! Findings: violations, what is not analysed, and conditions, as text, JSON and SARIF tell them.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::rules::{self, Rule};
use cache::hexadecimal;
use ptx::Module;
use ptx::inst::Space;
use warpsim::prove::{Part, Status, Step, Verdict};
use warpsim::{Hazard, Kind, Launch};

/// Something that stands between a kernel and its proof.
#[derive(Debug, Clone)]
pub struct Finding {
    pub rule: &'static Rule,
    /// The verdict of a kernel that has no other finding.
    pub status: Status,
    pub message: String,
    pub help: Option<&'static str>,
    /// Line of the PTX text.
    pub line: Option<u32>,
    /// The instructions that take part, the one that showed it first.
    pub parts: Vec<Part>,
    /// An interleaving that shows it.
    pub steps: Vec<Step>,
    /// Name of the finding from one version of the kernel to the next.
    pub fingerprint: String,
    /// Whether the baseline has it.
    pub is_known: bool,
}

/// Returns the findings of a verdict.
pub fn findings(verdict: &Verdict, module: &Module, launch: &Launch) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let witnesses = verdict.witnesses.iter().cloned().map(Some).chain(std::iter::repeat(None));
    for (hazard, witness) in verdict.violations.iter().zip(witnesses) {
        let witness = witness.unwrap_or_default();
        let line = hazard.site.as_ref().and_then(|site| site.line);
        found.push(Finding {
            rule: rules::of_violation(&hazard.kind),
            status: Status::Wrong,
            message: hazard.to_string(),
            help: remedy(hazard, module, launch.shared),
            line: line.or_else(|| witness.parts.first().and_then(|part| part.site.line)),
            parts: witness.parts,
            steps: witness.steps,
            fingerprint: String::new(),
            is_known: false,
        });
    }
    let plain = |rule, status, message: String| Finding {
        rule,
        status,
        line: line_in(&message),
        message,
        help: None,
        parts: Vec::new(),
        steps: Vec::new(),
        fingerprint: String::new(),
        is_known: false,
    };
    found.extend(verdict.not_analysed.iter().map(|what| plain(&rules::NOT_ANALYSED, Status::Open, what.clone())));
    if verdict.status() == Status::ProvenIf {
        let condition = |what: String| {
            let help = "--assume takes it for proven";
            Finding { help: Some(help), ..plain(&rules::CONDITION, Status::ProvenIf, what) }
        };
        found.extend(verdict.conditions().map(|what| condition(what.to_string())));
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for finding in &mut found {
        let name = fingerprint(&verdict.kernel, finding);
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        finding.fingerprint = if *count > 1 { format!("{name}-{count}") } else { name };
    }
    found
}

/// Returns the line that a message names as places in kernels are written.
fn line_in(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once(" at line ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Returns a remedy for a violation that need not be the kernel's fault.
fn remedy(hazard: &Hazard, module: &Module, shared: u64) -> Option<&'static str> {
    let open = module.variables.values().any(|v| v.space == Space::Shared && v.bytes == 0);
    match hazard.kind {
        Kind::OutOfBounds { space: Space::Shared, .. } if open && shared == 0 => {
            Some("the launch sizes an .extern .shared variable: give its bytes with --shared")
        }
        _ => None,
    }
}

/// Returns a name made of the kernel, the rule and the instructions: numbers of lines, registers, warps and addresses, which
/// change with every compilation, are left out.
fn fingerprint(kernel: &str, finding: &Finding) -> String {
    let mut text = format!("{kernel}\n{}\n", finding.rule.id);
    match &finding.parts[..] {
        [] => text += &without_numbers(&finding.message),
        parts => parts.iter().for_each(|part| text += &without_numbers(&part.site.text)),
    }
    hexadecimal(&Sha256::digest(text.as_bytes())[..12])
}

fn without_numbers(text: &str) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if kept.ends_with('#') => {}
            true => kept.push('#'),
            false => kept.push(c),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_their_line() {
        assert_eq!(line_in("warp 0 at line 45 `bra A;`: branches on data"), Some(45));
        assert_eq!(line_in("for some data, CTA 0, warp 1 at line 7 `x`: race"), Some(7));
        assert_eq!(line_in("%smid counts as data"), None);
        assert_eq!(without_numbers("st.shared.f32 [%r12+4], %f3;"), "st.shared.f# [%r#+#], %f#;");
    }
}
