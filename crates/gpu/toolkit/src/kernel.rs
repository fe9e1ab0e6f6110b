//! Code that the commands on PTX kernels share.

use std::path::Path;
use std::sync::Arc;

use command::Failure;
use diagnostics::{Diagnostic, Source, Span};
use ptx::{Module, check, read};

/// Reads a PTX file, and checks what was read; the text is for messages that quote it.
pub fn module(path: &Path) -> Result<(Module, Arc<Source>), Failure> {
    let source = Arc::new(Source { name: path.display().to_string(), text: text(path)? });
    let module = checked(&source).map_err(Failure::input)?;
    Ok((module, source))
}

/// Reads a PTX text, and checks what was read.
pub fn checked(source: &Arc<Source>) -> Result<Module, Vec<Diagnostic>> {
    let module = read::read(source)?;
    let faults = check::check(&module);
    let wrong = |fault: &check::Fault| {
        let help = "registers have the names of the print, %r for 32 bits, %rd for 64, %f, %fd and %p";
        quoting(Diagnostic::error("ptx::ill-formed", format!("{}: {fault}", source.name)), source, fault.line)
            .help(help)
    };
    if faults.is_empty() { Ok(module) } else { Err(faults.iter().map(wrong).collect()) }
}

/// Quotes the line where it is known.
pub fn quoting(diagnostic: Diagnostic, source: &Arc<Source>, line: Option<u32>) -> Diagnostic {
    match line {
        Some(line) => diagnostic.at(Span::of_line(source, line)),
        None => diagnostic,
    }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// Reads the bytes of a file or a pipe.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    diagnostics::read_file(path).map_err(|e| {
        let message = format!("{} cannot be read: {e}", path.display());
        Failure::input([Diagnostic::error("cli::unreadable", message).help("check the path")])
    })
}
