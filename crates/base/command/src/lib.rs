//! The frame of a command: why it fails, its exit code, standard output, and files that are written all or not at all.
#![forbid(unsafe_code)]
// These macros panic where nobody reads.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod exit;
pub mod failure;
pub mod files;
mod out;

pub use failure::{Failure, FailureKind};
pub use out::print;
