//! Claims of searches that share a folder: each has a file of its own there, which it holds locked as long as it lives.

use std::fs::{File, TryLockError};
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::record::Key;

/// Prefix of the files' names.
const PREFIX: &str = ".worker-";

/// The candidates of this process, and where those of others stand. Whoever asks holds the lock of the record.
pub struct Claims {
    folder: PathBuf,
    own: NamedTempFile,
}

impl Claims {
    /// Errors: the folder cannot be written.
    pub fn open(folder: &Path) -> Result<Self> {
        let own = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
        own.as_file().lock()?;
        Ok(Self { folder: folder.to_owned(), own })
    }

    /// Takes a candidate, and tells whether nobody else who lives has it. Files of those who do not are removed.
    ///
    /// Errors: the folder cannot be read, or the own file not written.
    pub fn claim(&mut self, key: &Key) -> Result<bool> {
        let line = serde_json::to_string(key).expect("a candidate is plain data");
        for entry in std::fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let is_claims = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
            if is_claims && path != self.own.path() && held_by(&path)?.lines().any(|other| other == line) {
                return Ok(false);
            }
        }
        writeln!(self.own, "{line}")?;
        Ok(true)
    }
}

/// The claims in another's file; none where nobody holds it.
fn held_by(path: &Path) -> Result<String> {
    let Ok(file) = File::open(path) else { return Ok(String::new()) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => std::fs::read_to_string(path),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => {
            // Another one may have removed it.
            let _ = std::fs::remove_file(path);
            Ok(String::new())
        }
    }
}
