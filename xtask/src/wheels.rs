//! Python wheels, of which only files are wanted.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file of `xtask/wheels` that lists wheels with their versions and the SHA-256 of each file that may be installed, as
/// `pip-compile --generate-hashes` writes it.
pub fn list(root: &Path, name: &str) -> PathBuf {
    root.join(format!("xtask/wheels/{name}.txt"))
}

/// Installs the wheels of a list into a folder, without what they depend on; the error is the reason why they are not there.
pub fn install(root: &Path, name: &str, folder: &Path) -> Result<(), String> {
    pip(&[OsStr::new("--version")])?;
    eprintln!("Installing the wheels of {name} into {}", folder.display());
    // Fails soon where there is no network.
    let options = "install --quiet --no-input --disable-pip-version-check --retries 1 --timeout 20 --no-deps --upgrade \
                   --only-binary :all: --require-hashes --target";
    let mut arguments: Vec<&OsStr> = options.split(' ').map(OsStr::new).collect();
    let list = list(root, name);
    arguments.extend([folder.as_os_str(), OsStr::new("--requirement"), list.as_os_str()]);
    pip(&arguments)
}

fn pip(arguments: &[&OsStr]) -> Result<(), String> {
    let output = Command::new("python3")
        .args(["-m", "pip"])
        .args(arguments)
        .output()
        .map_err(|e| format!("python3 cannot be run: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    // The last line that pip prints says what went wrong.
    let messages = String::from_utf8_lossy(&output.stderr);
    let last = messages.lines().rev().find(|line| line.contains("ERROR") || line.contains("No module"));
    Err(last.unwrap_or("pip failed").trim().to_owned())
}
