//! The files of a project are written all or not at all, and nothing of somebody else's is replaced without being asked.

use std::fs;
use std::io;
use std::path::Path;

use super::manifest::{self, Lists, Owner};
use super::transaction::{self, Change};
use diagnostics::Diagnostic;

/// Writes the files of a project and the list of them. What an earlier run of the same project left and this one did not write stays,
/// for another command may have made it, or is removed where that is asked for (`clean`). What became of such files is told.
///
/// Errors: the folder cannot be made or written; a file that another project has, or that Singe did not write as it is, would be replaced,
/// and that was not asked for (`force`). Then nothing is changed.
pub fn write_project<Bytes: AsRef<[u8]> + From<String>>(
    folder: &Path,
    project: &str,
    mut files: Vec<(String, Bytes)>,
    clean: bool,
    force: bool,
) -> Result<Vec<String>, Vec<Diagnostic>> {
    let failed = |e| vec![unwritable(folder, &e)];
    let _lock = transaction::begin(folder).map_err(failed)?;
    let lists = Lists::read(folder, project);
    let stale = lists.stale(folder, &files);
    files.push((manifest::name(project), manifest::text(&files, if clean { &[] } else { &stale }).into()));
    let mut changes = changes(folder, &files)?;
    if !force {
        refuse(folder, &changes, |name, bytes| lists.owner(name, bytes))?;
    }
    if !clean {
        transaction::commit(folder, &changes).map_err(failed)?;
        return Ok(manifest::stale_files(&stale, folder));
    }
    changes.extend(stale.iter().filter(|file| file.goes()).map(|file| (file.name.as_str(), None)));
    transaction::commit(folder, &changes).map_err(failed)?;
    Ok(stale.iter().map(|file| file.fate(folder)).collect())
}

/// Writes files, whose names may have folders.
///
/// Errors: as [`write_project`]; no file is known as Singe's.
pub fn write(folder: &Path, files: &[(String, impl AsRef<[u8]>)], force: bool) -> Result<(), Vec<Diagnostic>> {
    let failed = |e| vec![unwritable(folder, &e)];
    let _lock = transaction::begin(folder).map_err(failed)?;
    let changes = changes(folder, files)?;
    if !force {
        refuse(folder, &changes, |_, _| Owner::User)?;
    }
    transaction::commit(folder, &changes).map_err(failed)
}

/// Writes the one file that a flag names; what is no plain file, such as `/dev/stdout` or a pipe, has nothing to lose.
///
/// Errors: the file cannot be written, or has other bytes, and shall not be replaced (`force`).
pub fn write_file(path: &Path, text: &str, flag: &str, force: bool) -> Result<(), Vec<Diagnostic>> {
    let is_kept = path.is_file() && !path.starts_with("/dev");
    if is_kept && fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()) {
        return Ok(());
    }
    if is_kept && !force {
        let help = format!("choose another file with {flag}, or replace the file with --force");
        let message = format!("{} is not replaced: it has other bytes", path.display());
        return Err(vec![Diagnostic::error("output::not-ours", message).help(help)]);
    }
    fs::write(path, text).map_err(|e| {
        let message = format!("cannot write to {}: {e}", path.display());
        vec![Diagnostic::error("output::unwritable", message).help(format!("choose another file with {flag}"))]
    })
}

/// Whether a name stays within the folder that it is joined to, and is spelt in one way.
pub fn lies_within(name: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    name.split(['/', '\\']).all(is_plain) && Path::new(name).is_relative()
}

/// The files that are not there yet, or with other bytes.
fn changes<'a>(folder: &Path, files: &'a [(String, impl AsRef<[u8]>)]) -> Result<Vec<Change<'a>>, Vec<Diagnostic>> {
    let is_folder = |name: &&str| folder.join(name).is_dir();
    let folders = files.iter().map(|(name, _)| name.as_str()).filter(is_folder);
    let refused: Vec<Diagnostic> =
        folders.map(|name| unwritable(&folder.join(name), &io::ErrorKind::IsADirectory.into())).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let all = files.iter().map(|(name, contents)| (name.as_str(), contents.as_ref()));
    let changed = all.filter(|(name, contents)| fs::read(folder.join(name)).ok().as_deref() != Some(*contents));
    Ok(changed.map(|(name, contents)| (name, Some(contents))).collect())
}

/// Errors: the files to be replaced that are not Singe's to replace.
fn refuse<'a>(
    folder: &Path,
    changes: &[Change],
    owner: impl Fn(&str, &[u8]) -> Owner<'a>,
) -> Result<(), Vec<Diagnostic>> {
    let refused: Vec<Diagnostic> = changes
        .iter()
        .filter_map(|(name, _)| {
            let path = folder.join(name);
            path.symlink_metadata().ok()?;
            let whose = match fs::read(&path).map_or(Owner::User, |bytes| owner(name, &bytes)) {
                Owner::Singe => return None,
                Owner::Project(project) => format!("the project {project} has it, and needs it as it is"),
                Owner::User => "Singe did not write it, or somebody changed it since".to_owned(),
            };
            let help = "choose another folder with -o, or replace the file with --force";
            Some(
                Diagnostic::error("output::not-ours", format!("{} is not replaced: {whose}", path.display()))
                    .help(help),
            )
        })
        .collect();
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}

fn unwritable(folder: &Path, e: &io::Error) -> Diagnostic {
    Diagnostic::error("output::unwritable", format!("cannot write to {}: {e}", folder.display()))
        .help("choose a folder that you may write to with -o")
}
