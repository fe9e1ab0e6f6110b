//! What several integration tests share.

pub mod programs;

use singe::toolchain::{self, Toolchain};

/// The real compilers; where they are absent, says that the test is skipped and why.
pub fn toolchain() -> Option<Toolchain> {
    match toolchain::find() {
        Ok(toolchain) => Some(toolchain),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}
