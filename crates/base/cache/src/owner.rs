//! Ownership of files: a file that another user may have written is neither run nor trusted.
//!
//! Windows gives no number of an owner; there, every file passes.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Reads a file that belongs to the user, and that nobody else may write.
///
/// # Errors
/// It cannot be read, or it is another user's.
pub fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    // The file that is looked at is the one that is read, whatever its name leads to by then.
    let mut file = File::open(path)?;
    if !is_own(&file.metadata()?) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_own(about: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    about.uid() == rustix::process::geteuid().as_raw() && about.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

/// The reason why programs of a folder are not run: it belongs to somebody other than the user, the administrator and the owner of the
/// running program, or everybody may write to it. `None`: they may be run.
#[cfg(unix)]
pub fn why_not_run(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let program = std::env::current_exe().and_then(std::fs::metadata).ok().map(|about| about.uid());
    let known = |uid: u32| uid == 0 || uid == rustix::process::geteuid().as_raw() || Some(uid) == program;
    // A link has an owner of its own.
    let both = [std::fs::symlink_metadata(folder), std::fs::metadata(folder)];
    both.into_iter().find_map(|about| match about {
        Err(e) => Some(format!("it cannot be looked at: {e}")),
        Ok(about) if !known(about.uid()) => Some(format!("it belongs to another user ({})", about.uid())),
        Ok(about) if about.is_dir() && about.mode() & 0o002 != 0 => Some("everybody may write to it".to_owned()),
        Ok(_) => None,
    })
}

#[cfg(not(unix))]
pub fn why_not_run(_: &Path) -> Option<String> {
    None
}
