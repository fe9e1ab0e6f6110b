//! All kernels, one compiled at a time, for pages about them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sweep;

/// Kernels, with the variables of the state that they are compiled for.
pub const KERNELS: [(&str, &str); 16] = [
    ("viscosity", "TPX"),
    ("conductivity", "TPX"),
    ("diffusion", "TPX"),
    ("transport", "TPX"),
    ("flux", "TPX"),
    ("thermodynamics", "TPX"),
    ("temperature", "HPY"),
    ("temperature", "ERY"),
    ("chemistry", "TPX"),
    ("isobaric", "TPY"),
    ("isochoric", "TRY"),
    ("jacobian", "TPX"),
    ("isobaric-jacobian", "TPY"),
    ("isochoric-jacobian", "TPY"),
    ("isobaric-jacobian-vector", "TPY"),
    ("isochoric-jacobian-vector", "TPY"),
];

/// Exit code of a command that refuses its input.
pub const REFUSED: i32 = 1;

/// Result of a kernel.
pub enum Outcome {
    /// Entry of the report.
    Verified(Value),
    /// The id of the diagnostic.
    Refused(String),
}

/// Compiles a kernel of a mechanism that ships, as lowered text only: proven and verified, or refused.
///
/// Errors: the compiler cannot be run, or the kernel is not proven or not exact.
pub fn compiled(
    root: &Path,
    compiler: &Path,
    mechanism: &str,
    kernel: &str,
    state: &str,
    flags: &[&str],
) -> Result<Outcome, String> {
    let folder = compiler.with_file_name("kernels").join(format!("{mechanism}-{kernel}-{state}"));
    let output = Command::new(compiler)
        .arg(root.join("mechanisms").join(mechanism).join("chem.inp"))
        .args(["--kernel", kernel, "--state", state, "--reduction", "none"])
        .args(flags)
        .args(["--emit", "report", "--verify", "no-compilers", "--json", "-o"])
        .arg(folder)
        .output()
        .map_err(|e| format!("singe cannot be run: {e}"))?;
    let what = format!("{mechanism} {kernel} {state} {}", flags.join(" "));
    if !output.status.success() {
        let message = sweep::message(&output.stderr);
        return match message["id"].as_str() {
            Some(id) if output.status.code() == Some(REFUSED) => Ok(Outcome::Refused(id.to_owned())),
            _ => Err(format!("{what}: {message}")),
        };
    }
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("the report is no JSON: {e}"))?;
    let found = &report["kernels"][0];
    match found["verdict"].as_str() {
        Some(verdict) if verdict.starts_with("proven, verified") => Ok(Outcome::Verified(found.clone())),
        _ => Err(format!("{what}: {}", found["verdict"])),
    }
}
