//! Standard error.

use std::fmt::Arguments;
use std::io::{Write, stderr};

/// Prints the text. Where nobody can read it, such as on a full disk or behind a closed pipe, the exit code is left to tell.
pub fn to_stderr(text: Arguments) {
    let _ = stderr().lock().write_fmt(text);
}
