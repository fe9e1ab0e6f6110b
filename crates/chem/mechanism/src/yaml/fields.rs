//! Readers for the fields of a map, and messages about fields that are missing or not known.

use super::tree::{Content, Node};
use crate::auxiliary::report_number;
use crate::names::Names;
use crate::number as reals;
use crate::report::Report;
use crate::syntax::Word;

/// Says that a map lacks a key, and which of its keys may be a misspelt one.
pub fn missing<T>(node: &Node, key: &str, report: &mut Report) -> Option<T> {
    let near = Names::new([key]);
    let misspelt = node.entries().iter().map(|(other, _)| other).find(|other| near.is_near(other.text()));
    let help = match misspelt {
        Some(other) => format!("it has {}: did you mean '{key}'?", other.text()),
        None => format!("add {key}"),
    };
    report.error("yaml::missing-key", format!("this entry has no {key}"), &node.place, help);
    None
}

/// Says that Singe does not know what a word stands for.
pub fn unsupported(word: &Word, help: &str, report: &mut Report) {
    report.error("yaml::unsupported", format!("'{}' is not supported", word.text()), word, help);
}

/// The number that a node is.
pub fn number(node: &Node, report: &mut Report) -> Option<f64> {
    let value = match node.content {
        Content::Scalar => reals::parse(node.place.text()),
        _ => None,
    };
    if value.is_none() {
        report_number(&node.place, report);
    }
    value
}

/// The numbers that a node lists.
pub fn numbers(node: &Node, report: &mut Report) -> Option<Vec<f64>> {
    let Some(items) = node.items() else {
        report_number(&node.place, report);
        return None;
    };
    let values: Vec<Option<f64>> = items.iter().map(|item| number(item, report)).collect();
    values.into_iter().collect()
}
