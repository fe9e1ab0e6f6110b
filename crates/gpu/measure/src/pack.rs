//! The files of a pack, which are all made before one is written.

use std::collections::BTreeMap;
use std::path::Path;

/// Contents by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pack(pub BTreeMap<String, Vec<u8>>);

impl Pack {
    /// Puts a file into the pack; returns its name.
    pub(crate) fn keep(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> String {
        let name = name.into();
        self.0.insert(name.clone(), bytes.into());
        name
    }

    /// Writes the files.
    ///
    /// # Errors
    /// The folder cannot be made, or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let unwritable = |error: std::io::Error| format!("{} cannot be written: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        self.0.iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes)).map_err(unwritable)
    }
}
