//! Cantera's formats before YAML: they are told by name, and not read.

use std::path::Path;

use diagnostics::Diagnostic;

/// Returns the refusal of a text in CTI or CTML.
pub fn refusal(path: &Path, text: &str) -> Option<Diagnostic> {
    let (format, program) = named(text)?;
    let path = path.display();
    let message = format!("'{path}' is in {format}, Cantera's format before YAML");
    let help =
        format!("convert it with a program of Cantera, `{program} {path}`, and give the YAML file that it writes");
    Some(Diagnostic::error("mechanism::older-format", message).help(help))
}

/// Returns the name of the format of a text, and that of Cantera's program that converts it.
pub fn named(text: &str) -> Option<(&'static str, &'static str)> {
    let is_cti = || text.lines().any(|line| line.starts_with("ideal_gas("));
    match text.trim_start().starts_with("<") {
        true => text.contains("<ctml").then_some(("CTML", "ctml2yaml")),
        false => is_cti().then_some(("CTI", "cti2yaml")),
    }
}
