//! What the commands on PTX kernels share.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Source};
use crate::failure::Failure;
use crate::simt::{Module, check, read};

/// Reads a PTX file, and checks what was read.
pub fn module(path: &Path) -> Result<Module, Failure> {
    let source = Source { name: path.display().to_string(), text: text(path)? };
    let module = read::read(&Arc::new(source)).map_err(Failure::input)?;
    let faults = check::check(&module);
    let wrong = |fault| Diagnostic::error("ptx::ill-formed", format!("{}: {fault}", path.display()));
    if faults.is_empty() { Ok(module) } else { Err(Failure::input(faults.iter().map(wrong))) }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path).map_err(|e| {
        let message = format!("{} cannot be read: {e}", path.display());
        Failure::input([Diagnostic::error("cli::unreadable", message).help("check the path")])
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
