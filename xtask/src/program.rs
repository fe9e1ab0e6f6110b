//! Programs that chores run.

use std::path::Path;
use std::process::{Command, Output};

/// Runs a program and returns what it prints; the error says how it ended, and all that it printed.
pub fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name} cannot be run: {e}"))?;
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(failure(&name, &output)) }
}

/// Says how a program ended, and all that it printed.
pub fn failure(name: &str, output: &Output) -> String {
    format!("{name} ended with {}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Whether a program is there and ends well.
pub fn runs(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// The cargo that runs this chore, in the folder of the workspace.
pub fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Runs cargo, whose messages are seen; the error is that it failed.
pub fn cargo_runs(root: &Path, arguments: &[&str]) -> Result<(), String> {
    succeeds(cargo(root).args(arguments))
}

/// Runs a program, whose messages are seen; the error is that it failed.
pub fn succeeds(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(e) => Err(format!("{name} cannot be run: {e}")),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
