//! The compiler that a page is made with, and the commit that it is of.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program;

/// Sources of the compiler.
const SOURCES: [&str; 6] = ["src", "crates", "templates", "mechanisms", "Cargo.toml", "Cargo.lock"];

/// Builds the compiler, and copies it to `target/compilers/COMMIT/singe`: builds during a long run leave the copy alone. A copy of other
/// bytes goes, with all that lies beside it.
///
/// Errors: the compiler cannot be built or copied.
pub fn built(root: &Path) -> Result<PathBuf, String> {
    program::cargo_runs(root, &["build", "--release", "--workspace", "--bin", "singe"])?;
    let folder = root.join("target/compilers").join(commit(root));
    copied(&root.join("target/release/singe"), &folder).map_err(|e| format!("{}: {e}", folder.display()))
}

fn copied(compiler: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let copy = folder.join("singe");
    if std::fs::read(&copy).ok() != Some(std::fs::read(compiler)?) {
        if folder.is_dir() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        std::fs::copy(compiler, &copy)?;
    }
    Ok(copy)
}

/// The last commit that changed the compiler, with a plus where its sources differ from the clone's.
pub fn commit(root: &Path) -> String {
    let git = |words: &[&str]| {
        let output = Command::new("git").current_dir(root).args(words).arg("--").args(SOURCES).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
    };
    let differs = !git(&["status", "--porcelain"]).is_empty();
    git(&["log", "-1", "--format=%h"]) + if differs { "+" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::copied;

    #[test]
    fn a_record_stays_beside_its_compiler_and_goes_with_another() {
        let folder = std::env::temp_dir().join(format!("singe-compiler-{}", std::process::id()));
        let (built, copies) = (folder.join("built"), folder.join("copies"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&built, "one").unwrap();
        let copy = copied(&built, &copies).unwrap();
        let record = copy.with_file_name("record.jsonl");
        std::fs::write(&record, "1\n").unwrap();
        copied(&built, &copies).unwrap();
        assert!(record.is_file());
        std::fs::write(&built, "two").unwrap();
        copied(&built, &copies).unwrap();
        assert!(!record.exists());
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "two");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
