//! What the commands on PTX kernels share.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Source};
use crate::driver::{Failure, FailureKind};
use crate::simt::{Module, check, read};

/// Reads a PTX file, and checks what was read.
pub fn module(path: &Path) -> Result<Module, Failure> {
    let source = Source { name: path.display().to_string(), text: text(path)? };
    let module = read::read(&Arc::new(source)).map_err(input)?;
    let faults = check::check(&module);
    let wrong = |fault| Diagnostic::error("ptx::ill-formed", format!("{}: {fault}", path.display()));
    if faults.is_empty() { Ok(module) } else { Err(input(faults.iter().map(wrong).collect())) }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|e| {
        let message = format!("{} cannot be read: {e}", path.display());
        input(vec![Diagnostic::error("cli::unreadable", message).help("check the path")])
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The input is wrong.
pub fn input(diagnostics: Vec<Diagnostic>) -> Failure {
    Failure { kind: FailureKind::Input, diagnostics }
}

/// A kernel failed.
pub fn failed(diagnostics: Vec<Diagnostic>) -> Failure {
    Failure { kind: FailureKind::Verification, diagnostics }
}
