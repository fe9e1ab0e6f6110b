//! Results of passes, and reasons why one makes nothing.

use diagnostics::Diagnostic;
use ptx::ir::{Func, Module};
use serde::Serialize;
use std::fmt::Debug;
use std::sync::Arc;

/// Result of a pass.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub module: Module,
    pub report: Report,
}

/// Report on the work of a pass.
#[derive(Debug, Clone)]
pub struct Report {
    /// For people: one line, or several.
    pub summary: String,
    data: Arc<dyn Data>,
}

impl Report {
    pub fn new(summary: String, data: impl Serialize + Debug + Send + Sync + 'static) -> Self {
        Self { summary, data: Arc::new(data) }
    }

    /// For programs: made when it is asked for.
    pub fn data(&self) -> serde_json::Value {
        self.data.json()
    }
}

/// Data of a report that can be told as JSON.
trait Data: Debug + Send + Sync {
    fn json(&self) -> serde_json::Value;
}

impl<T: Serialize + Debug + Send + Sync> Data for T {
    fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Why a pass made nothing.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The kernel is none that the pass can work on.
    Refused(Vec<Diagnostic>),
    /// The result of the pass is wrong: a defect of the pass.
    Unproven(Vec<Diagnostic>),
}

/// Returns the diagnostic for a defect that a checker found.
pub(crate) fn unproven(pass: &str, kernel: &str, what: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("opt::unproven", format!("{kernel}: the result of {pass} is wrong: {what}"))
        .help("this is a defect of the pass; please report it with the text and the command")
}

/// The module with another function in the place of one, which is not copied.
pub(crate) fn with_func(module: &Module, index: usize, func: Func) -> Module {
    let (before, behind) = (&module.funcs[..index], &module.funcs[index + 1..]);
    Module {
        sm: module.sm,
        target_options: module.target_options.clone(),
        version: module.version,
        address_size: module.address_size,
        directives: module.directives.clone(),
        variables: module.variables.clone(),
        funcs: before.iter().cloned().chain([func]).chain(behind.iter().cloned()).collect(),
        sections: module.sections.clone(),
    }
}

/// "1 block", "2 blocks"
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
