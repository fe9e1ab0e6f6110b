//! The candidates divided for several machines: a job array of Slurm, or a list with a command a line, for HyperQueue or a shell.

use std::ffi::OsString;
use std::path::Path;

use command::files;
use command::print;
use singe::driver::{Failure, Request};

use crate::arguments::{Arguments, without};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Slurm,
    List,
}

impl Work {
    fn named(name: &str) -> Option<Self> {
        match name {
            "slurm" => Some(Self::Slurm),
            "worklist" => Some(Self::List),
            _ => None,
        }
    }
}

/// Returns the work of this kind that `--emit` asks for, and the command line without it.
pub fn asked(words: &[OsString]) -> (Vec<Work>, Vec<OsString>) {
    let mut work = Vec::new();
    let mut others_of = |values: &str| {
        let others = values.split(',').filter(|value| match Work::named(value) {
            Some(found) => {
                work.push(found);
                false
            }
            None => true,
        });
        others.collect::<Vec<_>>().join(",")
    };
    let mut kept: Vec<OsString> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let values = match text.strip_prefix("--emit") {
            Some("") => rest.next().map(|values| values.to_string_lossy().into_owned()),
            Some(values) if values.starts_with('=') => Some(values[1..].to_owned()),
            _ => {
                kept.push(word.clone());
                continue;
            }
        };
        match values.map(|values| others_of(&values)) {
            Some(others) if others.is_empty() => {}
            Some(others) => kept.extend(["--emit".into(), others.into()]),
            None => kept.push(word.clone()),
        }
    }
    (work, kept)
}

/// Writes what is asked for into the output folder, and tells what to do with it.
///
/// Errors: the folder cannot be written.
pub fn write(arguments: &Arguments, request: &Request) -> Result<(), Failure> {
    let folder = request.output.as_ref().expect("a command writes somewhere");
    let program = std::env::current_exe().unwrap_or_else(|_| "singe-tune".into());
    let words = without(&arguments.words[1..], &["-o", "--output", "--shards"]);
    let words: Vec<String> =
        std::iter::once(program.as_os_str()).chain(words.iter().map(OsString::as_os_str)).map(quoted).collect();
    // The paths of the words are those of here.
    let here = std::env::current_dir().unwrap_or_default();
    let (words, shards) = (format!("cd {} && {}", quoted(here.as_os_str()), words.join(" ")), arguments.shards);
    let parts: Vec<String> = (1..=shards).map(|part| quoted(shard_folder(folder, part).as_os_str())).collect();
    let merge = format!(
        "{} merge {} -o {}",
        quoted(program.as_os_str()),
        parts.join(" "),
        quoted(folder.join("merged").as_os_str())
    );
    let files: Vec<(String, String)> = arguments
        .work
        .iter()
        .map(|work| match work {
            Work::Slurm => ("tune.sbatch".to_owned(), slurm(&words, folder, shards, &merge)),
            Work::List => ("worklist.txt".to_owned(), list(&words, folder, shards)),
        })
        .collect();
    files::write_project(folder, "singe-work", files.clone(), false, request.force).map_err(Failure::input)?;
    if arguments.json {
        let names: Vec<_> = files.iter().map(|(name, _)| folder.join(name)).collect();
        let told = serde_json::json!({ "files": names, "shards": shards, "then": merge });
        return print(format_args!("{told:#}\n"));
    }
    for (name, _) in &files {
        let path = quoted(folder.join(name).as_os_str());
        match name.as_str() {
            "tune.sbatch" => print(format_args!("sbatch {path}\n"))?,
            _ => print(format_args!("hq submit --each-line {path} sh -c 'eval \"$HQ_ENTRY\"'   (or: sh {path})\n"))?,
        }
    }
    print(format_args!("and then: {merge}\n"))
}

/// One task of the array for each shard. Slurm copies the script away, so that it names folders, not its own place.
fn slurm(words: &str, folder: &Path, shards: u16, merge: &str) -> String {
    let log = folder.join("shard-%a.log");
    format!(
        "#!/bin/sh\n#SBATCH --job-name=singe-tune\n#SBATCH --array=1-{shards}\n#SBATCH --ntasks=1\n#SBATCH --output={}\n\
         # When all tasks are done: {merge}\n\
         {words} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\" -o {}\"$SLURM_ARRAY_TASK_ID\"\n",
        log.display(),
        quoted(folder.join("shard-").as_os_str()),
    )
}

fn list(words: &str, folder: &Path, shards: u16) -> String {
    let line =
        |part| format!("{words} --shard {part}/{shards} -o {}\n", quoted(shard_folder(folder, part).as_os_str()));
    (1..=shards).map(line).collect()
}

fn shard_folder(folder: &Path, part: u16) -> std::path::PathBuf {
    folder.join(format!("shard-{part}"))
}

/// A word as a shell reads it.
fn quoted(word: &std::ffi::OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:;+@%".contains(c);
    if !word.is_empty() && word.chars().all(|c| plain(c) && c != ';') {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn emit_keeps_what_singe_knows() {
        let of = |text: &str| {
            let (work, rest) = asked(&words(text));
            (work, rest.join(std::ffi::OsStr::new(" ")).into_string().unwrap())
        };
        assert_eq!(of("t m --emit slurm -o x"), (vec![Work::Slurm], "t m -o x".into()));
        assert_eq!(of("t m --emit=cuda,worklist"), (vec![Work::List], "t m --emit cuda".into()));
        assert_eq!(of("t m --emit cuda,report"), (vec![], "t m --emit cuda,report".into()));
        assert_eq!(of("t m --emit"), (vec![], "t m --emit".into()));
    }

    #[test]
    fn a_shell_reads_the_words_back() {
        for word in ["", "a b", "it's", "a=b;c=d", "$HOME", "plain-1.0/x", "ü\"\\"] {
            let line = format!("printf %s {}", quoted(std::ffi::OsStr::new(word)));
            let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
