//! Changes to the files of a folder that happen all or not at all: a lock, and a journal.
//!
//! New files, and links to those that they replace, are first put into [`STAGING`], a folder within the folder itself; then the journal
//! is; then files are moved one by one. If one cannot be moved, or the run is killed meanwhile, the journal tells how all of it is undone:
//! at once, or when the next run writes to the folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::manifest::{self, sha256};

/// The folder of a run that is writing. What is left of a killed run goes by the next one.
const STAGING: &str = ".singe-writing";
/// One line for each change: the SHA-256 of the new file, or [`REMOVED`], and the name.
const JOURNAL: &str = "journal";
const REMOVED: &str = "-";

/// One change: the file's name, and its new bytes; `None` removes it.
pub type Change<'a> = (&'a str, Option<&'a [u8]>);

/// Waits until no other run writes to the folder, and keeps them waiting as long as the answer lives. `None`: this file system has no locks.
///
/// # Errors
/// The folder cannot be made, or what a killed run left cannot be undone.
pub fn begin(folder: &Path) -> io::Result<Option<File>> {
    fs::create_dir_all(folder)?;
    let lock = File::open(folder).ok().filter(|folder| folder.lock().is_ok());
    undo(folder)?;
    Ok(lock)
}

/// Makes all changes.
///
/// # Errors
/// One of them cannot be made; then none is.
pub fn commit(folder: &Path, changes: &[Change]) -> io::Result<()> {
    let made = stage(folder, changes).and_then(|()| {
        for &(name, contents) in changes {
            match contents {
                Some(_) => place(&folder.join(STAGING).join("new"), folder, name)?,
                None => fs::remove_file(folder.join(name))?,
            }
        }
        // From here on nothing is undone.
        fs::remove_file(folder.join(STAGING).join(JOURNAL))
    });
    if made.is_err() {
        undo(folder)?;
    }
    fs::remove_dir_all(folder.join(STAGING)).or_else(missing)?;
    made
}

/// Writes the new files, links to the old ones, and then the journal.
fn stage(folder: &Path, changes: &[Change]) -> io::Result<()> {
    let staging = folder.join(STAGING);
    let (new, old) = (staging.join("new"), staging.join("old"));
    fs::create_dir(&staging)?;
    for &(name, contents) in changes {
        if let Some(contents) = contents {
            make_parent(&new.join(name))?;
            fs::write(new.join(name), contents)?;
        }
        if folder.join(name).symlink_metadata().is_ok() {
            make_parent(&old.join(name))?;
            // Some file systems have no links.
            fs::hard_link(folder.join(name), old.join(name))
                .or_else(|_| fs::copy(folder.join(name), old.join(name)).map(|_| ()))?;
        }
    }
    let line = |&(name, contents): &Change| format!("{}  {name}\n", contents.map_or(REMOVED.into(), sha256));
    fs::write(staging.join("lines"), changes.iter().map(line).collect::<String>())?;
    fs::rename(staging.join("lines"), staging.join(JOURNAL))
}

/// Gives the files that a run changed and did not finish their former bytes, unless somebody has changed them since.
fn undo(folder: &Path) -> io::Result<()> {
    let staging = folder.join(STAGING);
    let journal = fs::read_to_string(staging.join(JOURNAL)).or_else(missing)?;
    for (hash, name) in manifest::lines(&journal) {
        let now = fs::read(folder.join(name)).ok().map(|bytes| sha256(&bytes));
        let (is_ours, had_one) = (now.as_deref().unwrap_or(REMOVED) == hash, staging.join("old").join(name).exists());
        match (is_ours, had_one) {
            (true, true) => place(&staging.join("old"), folder, name)?,
            (true, false) => fs::remove_file(folder.join(name)).or_else(missing)?,
            (false, _) => {}
        }
    }
    fs::remove_dir_all(staging).or_else(missing)
}

fn place(from: &Path, to: &Path, name: &str) -> io::Result<()> {
    make_parent(&to.join(name))?;
    fs::rename(from.join(name), to.join(name))
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// That a file is not there is what was to be reached.
fn missing<T: Default>(error: io::Error) -> io::Result<T> {
    if error.kind() == io::ErrorKind::NotFound { Ok(T::default()) } else { Err(error) }
}
