//! Standard output.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write, stdout};

use crate::failure::Failure;
use diagnostics::Diagnostic;

/// Prints the text. That nobody reads it to its end is no error: `singe ptx analyze K.ptx | head`.
///
/// # Errors
/// Standard output cannot be written, such as to a full disk.
pub fn print(text: Arguments) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let message = format!("standard output cannot be written: {e}");
            Err(Failure::input([Diagnostic::error("output::unwritable", message).help("choose another place for it")]))
        }
        _ => Ok(()),
    }
}
