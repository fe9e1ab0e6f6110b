//! The list of the files of a project, so that the next run knows what of an earlier one is out of date.

use std::path::Path;

use sha2::{Digest, Sha256};

/// The file with the list.
pub fn name(project: &str) -> String {
    format!("{project}.manifest")
}

/// One line for each file: SHA-256 and name, as `sha256sum --check` reads them.
pub fn text(files: &[(String, String)]) -> String {
    files.iter().map(|(name, text)| format!("{}  {name}\n", sha256(text.as_bytes()))).collect()
}

/// In hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// A file of an earlier run that the present one does not write.
#[derive(Debug, PartialEq, Eq)]
pub struct Stale {
    name: String,
    /// What the list says of it.
    hash: String,
    /// Somebody changed it since; it stays.
    changed: bool,
}

/// What the list in the folder has and the new files have not.
pub fn stale(folder: &Path, project: &str, files: &[(String, String)]) -> Vec<Stale> {
    let list = std::fs::read_to_string(folder.join(name(project))).unwrap_or_default();
    let left = list.lines().filter_map(|line| line.split_once("  ")).filter(|(_, name)| {
        // A list that was changed leads to no other folder.
        Path::new(name).file_name().is_some_and(|plain| plain == *name) && files.iter().all(|(new, _)| new != name)
    });
    let found = left.filter_map(|(hash, name)| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        Some(Stale { name: name.to_owned(), hash: hash.to_owned(), changed: sha256(&bytes) != hash })
    });
    found.collect()
}

/// The lines of files that stay and are as an earlier run wrote them, so that a later run knows them still.
pub fn kept(stale: &[Stale]) -> String {
    let unchanged = stale.iter().filter(|file| !file.changed);
    unchanged.map(|Stale { name, hash, .. }| format!("{hash}  {name}\n")).collect()
}

/// Tells of files that stay; nothing where there are none.
pub fn told(stale: &[Stale], folder: &Path) -> Vec<String> {
    let names: Vec<&str> = stale.iter().map(|file| file.name.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "in {} stay files of earlier runs that this one did not write: {}; --clean removes those that nobody changed",
        folder.display(),
        names.join(", ")
    )]
}

impl Stale {
    /// Removes the file where nobody changed it, and tells what became of it.
    pub fn remove(self, folder: &Path) -> String {
        let Self { name, changed, .. } = self;
        let path = folder.join(&name);
        if changed {
            return format!(
                "{} is of an earlier run and was changed since: it stays, and this run did not write it",
                path.display()
            );
        }
        match std::fs::remove_file(&path) {
            Ok(()) => format!("{}, which an earlier run wrote and this one did not, is removed", path.display()),
            Err(error) => format!("{} is of an earlier run and cannot be removed: {error}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(project: &str, names: &[&str]) -> Vec<(String, String)> {
        names.iter().map(|name| ((*name).to_owned(), format!("{name} of {project}"))).collect()
    }

    #[test]
    fn what_is_listed_and_not_written_again_is_removed_unless_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let exists = |name: &str| folder.path().join(name).exists();
        let write = |project: &str, names: &[&str]| {
            crate::output::write_project(folder.path(), project, files(project, names), true)
        };
        assert_eq!(write("a", &["a.cu", "a.ptx", "a.svg", "report.txt"]), Ok(vec![]));
        assert_eq!(write("b", &["b.cu", "report.txt"]), Ok(vec![]), "another project in the same folder");
        std::fs::write(folder.path().join("a.svg"), "mine").unwrap();
        std::fs::write(folder.path().join("own.cu"), "mine").unwrap();
        let notes = write("a", &["a.cu"]).unwrap();
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[0].contains("a.ptx") && notes[0].ends_with("is removed"), "{notes:?}");
        assert!(notes[1].contains("a.svg") && notes[1].contains("it stays"), "{notes:?}");
        assert!(notes[2].contains("report.txt") && notes[2].contains("it stays"), "{notes:?}");
        assert!(["a.cu", "a.svg", "own.cu", "b.cu", "report.txt", "a.manifest", "b.manifest"].into_iter().all(exists));
        assert!(!exists("a.ptx"));
    }

    #[test]
    fn what_another_run_wrote_stays_and_is_known_until_it_is_cleaned() {
        let folder = tempfile::tempdir().unwrap();
        let exists = |name: &str| folder.path().join(name).exists();
        let write =
            |names: &[&str], clean| crate::output::write_project(folder.path(), "a", files("a", names), clean).unwrap();
        assert_eq!(write(&["a.cu", "old.cu"], false), Vec::<String>::new());
        for _ in 0..2 {
            let notes = write(&["a.cu"], false);
            assert!(notes.len() == 1 && notes[0].contains("old.cu;") && exists("old.cu"), "{notes:?}");
        }
        let notes = write(&["a.cu"], true);
        assert!(notes.len() == 1 && notes[0].ends_with("is removed") && !exists("old.cu"), "{notes:?}");
        assert_eq!(write(&["a.cu"], true), Vec::<String>::new());
    }

    #[test]
    fn a_changed_list_reaches_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(folder.path().join("other"), "text").unwrap();
        std::fs::write(inner.join("a.manifest"), format!("{}  ../other\n", sha256(b"text"))).unwrap();
        assert_eq!(stale(&inner, "a", &[]), []);
    }
}
