//! The pages of `docs/lab` that chores make, with their rows as JSON beside them.

use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

/// Writes a file of the folder.
///
/// Errors: it cannot be written.
pub fn write(root: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = file(root, name);
    std::fs::write(&path, text).map_err(|e| format!("{} cannot be written: {e}", path.display()))
}

/// A file of the folder as it is.
///
/// Errors: it cannot be read.
pub fn text(root: &Path, name: &str) -> Result<String, String> {
    let path = file(root, name);
    std::fs::read_to_string(&path).map_err(|e| format!("{} cannot be read: {e}", path.display()))
}

/// Reads the JSON file that the last run left in the folder; null where there was none.
pub fn last(root: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(file(root, name)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// The progress of so many steps.
pub fn bar(steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:26} {pos}/{len} [{elapsed}] {msg}").expect("the template is valid");
    ProgressBar::new(steps as u64).with_style(style)
}

fn file(root: &Path, name: &str) -> PathBuf {
    root.join("docs/lab").join(name)
}
