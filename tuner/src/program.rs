//! Build of the compiler that tries the candidates: between releases its version stays the same, and its kernels do not.

use std::fmt::Write as _;

use diagnostics::Diagnostic;
use sha2::{Digest, Sha256};

/// SHA-256 of the running program, which has the compiler in it.
///
/// Errors: its file cannot be read.
pub fn fingerprint() -> Result<String, Diagnostic> {
    // Also where the file was replaced since the program started.
    let link = std::path::Path::new("/proc/self/exe");
    let path = if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() };
    let bytes = path.and_then(std::fs::read).map_err(|error| {
        Diagnostic::error("tune::record", format!("the program's own file cannot be read: {error}"))
            .help("install singe-tune where it may read itself: records name the build that made them")
    })?;
    Ok(Sha256::digest(&bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_what_sha256sum_says() {
        let own = std::env::current_exe().unwrap();
        let output = std::process::Command::new("sha256sum").arg(own).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.split(' ').next(), super::fingerprint().ok().as_deref());
    }
}
