//! Python wheels, of which only files are wanted.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Installs wheels into a folder, without what they depend on; the error is the reason why they are not there.
pub fn install(wheels: &[&str], folder: &Path) -> Result<(), String> {
    pip(&[OsStr::new("--version")])?;
    eprintln!("Installing {} into {}", wheels.join(" and "), folder.display());
    // Fails soon where there is no network.
    let options =
        "install --quiet --no-input --disable-pip-version-check --retries 1 --timeout 20 --no-deps --upgrade --target";
    let mut arguments: Vec<&OsStr> = options.split(' ').map(OsStr::new).collect();
    arguments.push(folder.as_os_str());
    arguments.extend(wheels.iter().map(OsStr::new));
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
