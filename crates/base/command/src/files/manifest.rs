//! The lists of the files of projects, so that the next run knows what of an earlier one is out of date, and what Singe never wrote.

use std::fs;
use std::path::Path;

use super::write::lies_within;
use sha2::{Digest, Sha256};

/// Extension of a list's file.
const EXTENSION: &str = "manifest";
/// Stands between the files of a run and those of earlier ones.
const EARLIER: &str = "# files of earlier runs\n";

/// The file with the list.
pub fn name(project: &str) -> String {
    format!("{project}.{EXTENSION}")
}

/// One line for each file: SHA-256 and name, as `sha256sum --check` reads them. Behind the files of the run come those of earlier runs
/// that stay and are as these wrote them, so that a later run knows them still.
pub fn text(files: &[(String, impl AsRef<[u8]>)], kept: &[Stale]) -> String {
    let own = files.iter().map(|(name, text)| format!("{}  {name}\n", sha256(text.as_ref())));
    let kept = kept.iter().filter(|file| file.state != State::Changed);
    let kept: String = kept.map(|Stale { name, hash, .. }| format!("{hash}  {name}\n")).collect();
    own.collect::<String>() + if kept.is_empty() { "" } else { EARLIER } + &kept
}

/// Returns the SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// (hash, name) of each line. A list that was changed leads to no other folder.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter_map(|line| line.split_once("  "));
    lines.filter(|(hash, name)| !hash.starts_with('#') && lies_within(name))
}

/// The lists of a folder.
#[derive(Debug, Default)]
pub struct Lists {
    own: String,
    /// (project, list) of the others.
    others: Vec<(String, String)>,
}

/// Owner of a file in the folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// An earlier run wrote it as it is.
    Singe,
    /// So did a run for another project, which has it still.
    Project(&'a str),
    /// Somebody else wrote it, or changed it.
    User,
}

impl Lists {
    /// Reads the lists of a folder, of which a project is the reader's own.
    pub fn read(folder: &Path, project: &str) -> Self {
        let mut all = Self::default();
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in files.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION)) {
            let (Some(stem), Ok(list)) = (path.file_stem(), fs::read_to_string(&path)) else { continue };
            match stem.to_string_lossy() {
                stem if stem == project => all.own = list,
                stem => all.others.push((stem.into_owned(), list)),
            }
        }
        all.others.sort();
        all
    }

    /// The owner of a file with these bytes. Reports tell of the project that was written last, and belong to none.
    pub fn owner(&self, name: &str, bytes: &[u8]) -> Owner<'_> {
        let hash = sha256(bytes);
        let has = |list: &str| lines(list).any(|line| line == (hash.as_str(), name));
        let is_list = Path::new(name).extension().is_some_and(|extension| extension == EXTENSION);
        match self.others.iter().find(|(_, list)| has(list)) {
            Some((project, _)) if !name.starts_with("report.") => Owner::Project(project),
            None if !(has(&self.own) || is_list && is_list_of_files(bytes)) => Owner::User,
            _ => Owner::Singe,
        }
    }

    /// The files that the project's own list has and the new files have not.
    pub fn stale(&self, folder: &Path, files: &[(String, impl AsRef<[u8]>)]) -> Vec<Stale> {
        let left = lines(&self.own).filter(|(_, name)| files.iter().all(|(new, _)| new != name));
        let found = left.filter_map(|(hash, name)| {
            let bytes = fs::read(folder.join(name)).ok()?;
            let shared = self.others.iter().find(|(_, list)| lines(list).any(|line| line == (hash, name)));
            let state = match shared {
                _ if sha256(&bytes) != hash => State::Changed,
                Some((project, _)) => State::Shared(project.clone()),
                None => State::AsWritten,
            };
            Some(Stale { name: name.to_owned(), hash: hash.to_owned(), state })
        });
        found.collect()
    }
}

/// Whether all lines are those of a list.
fn is_list_of_files(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    lines(&text).count() == text.lines().filter(|line| !line.starts_with('#')).count()
}

/// A file of an earlier run that the present one does not write.
#[derive(Debug, PartialEq, Eq)]
pub struct Stale {
    pub name: String,
    /// Its hash in the list.
    hash: String,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    AsWritten,
    /// Somebody changed it since; it stays.
    Changed,
    /// This other project has it, too; it stays.
    Shared(String),
}

/// Tells of files that stay; nothing where there are none.
pub fn stale_files(stale: &[Stale], folder: &Path) -> Vec<String> {
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
    /// Whether it may be removed.
    pub fn goes(&self) -> bool {
        self.state == State::AsWritten
    }

    /// Tells what becomes of it where files of earlier runs are removed.
    pub fn fate(&self, folder: &Path) -> String {
        let path = folder.join(&self.name);
        let path = path.display();
        match &self.state {
            State::AsWritten => format!("{path}, which an earlier run wrote and this one did not, is removed"),
            State::Changed => {
                format!("{path} is of an earlier run and was changed since: it stays, and this run did not write it")
            }
            State::Shared(project) => format!("{path} is of an earlier run and of the project {project}: it stays"),
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
            crate::files::write_project(folder.path(), project, files(project, names), true, false)
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
        let write = |names: &[&str], clean| {
            crate::files::write_project(folder.path(), "a", files("a", names), clean, false).unwrap()
        };
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
        assert_eq!(Lists::read(&inner, "a").stale(&inner, &files("a", &[])), []);
    }
}
