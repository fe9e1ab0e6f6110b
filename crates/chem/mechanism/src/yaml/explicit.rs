//! The rule `explicit-third-body-duplicates` of a phase.

use super::fields::unsupported;
use super::tree::Node;
use crate::explicit::Rule;
use crate::report::Report;

/// Returns the rule of the phase, or Cantera's default if it has none; absent after an error.
pub fn rule(given: Option<&Node>, report: &mut Report) -> Option<Rule> {
    let Some(given) = given else { return Some(Rule::Warn) };
    match given.place.text() {
        "warn" => Some(Rule::Warn),
        "error" => Some(Rule::Error),
        "mark-duplicate" => Some(Rule::MarkDuplicate),
        "modify-efficiency" => Some(Rule::ModifyEfficiency),
        _ => {
            unsupported(&given.place, "write warn, error, mark-duplicate or modify-efficiency", report);
            None
        }
    }
}
