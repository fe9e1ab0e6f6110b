//! The files of a project are written all or not at all.

use std::path::Path;

use super::manifest;
use diagnostics::Diagnostic;

/// Writes the files of a project and the list of them. What an earlier run of the same project left and this one did not write stays,
/// for another command may have made it, or is removed where that is asked for (`clean`). What became of such files is told.
///
/// Errors: as [`write`].
pub fn write_project(
    folder: &Path,
    project: &str,
    mut files: Vec<(String, String)>,
    clean: bool,
) -> Result<Vec<String>, Diagnostic> {
    let stale = manifest::stale(folder, project, &files);
    let kept = if clean { String::new() } else { manifest::kept(&stale) };
    files.push((manifest::name(project), manifest::text(&files) + &kept));
    write(folder, &files)?;
    if !clean {
        return Ok(manifest::told(&stale, folder));
    }
    Ok(stale.into_iter().map(|file| file.remove(folder)).collect())
}

/// Writes all files, whose names may have folders, into a temporary folder beside the target, then moves them.
///
/// Errors: the folder cannot be made or written; then none of the files is in it.
pub fn write(folder: &Path, files: &[(String, impl AsRef<[u8]>)]) -> Result<(), Diagnostic> {
    let failed = |e: std::io::Error| {
        Diagnostic::error("output::unwritable", format!("cannot write to {}: {e}", folder.display()))
            .help("choose a folder that you may write to with -o")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let staging = tempfile::Builder::new().prefix(".singe-").tempdir_in(folder).map_err(failed)?;
    let parent = |of: &Path, name: &str| of.join(name).parent().map_or(Ok(()), std::fs::create_dir_all);
    for (name, contents) in files {
        parent(staging.path(), name).map_err(failed)?;
        std::fs::write(staging.path().join(name), contents).map_err(failed)?;
    }
    for (name, _) in files {
        parent(folder, name).map_err(failed)?;
        std::fs::rename(staging.path().join(name), folder.join(name)).map_err(failed)?;
    }
    Ok(())
}
