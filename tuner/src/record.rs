//! The record of a search, `candidates.jsonl`: a line for what the search depends on, then one for each candidate as it is finished.
//! Lines are only ever added, each by one write, so that a search that was killed goes on where it was: what is not a whole line was not
//! finished.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use diagnostics::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use singe::kernels::Kernel;

use crate::level::Level;
use crate::measure::Trial;
use crate::space::Candidate;

/// The name of the file in the output folder.
pub const NAME: &str = "candidates.jsonl";

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What a candidate's cost depends on, besides its settings.
    pub basis: Value,
    /// The command line.
    pub words: Vec<String>,
}

/// Every other line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    pub trial: Trial,
    /// That it took.
    pub seconds: f64,
}

/// A candidate of a kernel, looked at so closely.
type Key = (String, Candidate, Level);

/// A record that this process alone adds to.
pub struct Record {
    file: Mutex<File>,
    path: PathBuf,
    known: Mutex<HashMap<Key, Trial>>,
}

impl Record {
    /// Opens or begins the record in a folder.
    ///
    /// Errors: the file cannot be written, another process has it, it is no record, or one of another search.
    pub fn open(folder: &Path, header: &Header) -> Result<Self, Diagnostic> {
        let path = folder.join(NAME);
        let failed = |error: std::io::Error| unwritable(&path, &error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(&path).map_err(failed)?;
        lock(&file, &path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (found, entries, whole) = parse(&path, &bytes)?;
        // A line that was cut off by the end of its process.
        file.set_len(whole as u64).map_err(failed)?;
        match found {
            Some(found) if found.basis != header.basis => return Err(other(&path, &found.basis, &header.basis)),
            Some(_) => {}
            None => file.write_all(line(header).as_bytes()).map_err(failed)?,
        }
        let known = entries.into_iter().map(|entry| (key(&entry.trial), entry.trial)).collect();
        Ok(Self { file: Mutex::new(file), path, known: Mutex::new(known) })
    }

    /// What came of a candidate, if it was finished.
    pub fn known(&self, kernel: Kernel, candidate: &Candidate, level: Level) -> Option<Trial> {
        let key = (kernel.name().to_owned(), candidate.clone(), level);
        self.known.lock().expect("no holder panics").get(&key).cloned()
    }

    /// Adds a candidate that is finished.
    ///
    /// Errors: the file cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<(), Diagnostic> {
        let mut file = self.file.lock().expect("no holder panics");
        let written = file.write_all(line(entry).as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| unwritable(&self.path, &error))?;
        self.known.lock().expect("no holder panics").insert(key(&entry.trial), entry.trial.clone());
        Ok(())
    }
}

/// Errors: another process has the file, and keeps it.
fn lock(file: &File, path: &Path) -> Result<(), Diagnostic> {
    // What a process that ended was about to start may have it for a moment longer.
    const TRIES: u32 = 20;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(50)),
            Err(TryLockError::Error(error)) => return Err(unwritable(path, &error)),
        }
    }
    Err(Diagnostic::error("tune::busy", format!("another singe-tune writes {}", path.display()))
        .help("wait for it, or choose another folder with -o"))
}

/// The record in a folder.
///
/// Errors: it cannot be read, or is none.
pub fn read(folder: &Path) -> Result<(Header, Vec<Entry>), Diagnostic> {
    let path = folder.join(NAME);
    let bytes = std::fs::read(&path).map_err(|error| {
        Diagnostic::error("tune::record", format!("{} cannot be read: {error}", path.display()))
            .help("name folders that singe-tune wrote")
    })?;
    let (header, entries, _) = parse(&path, &bytes)?;
    header.map(|header| (header, entries)).ok_or_else(|| broken(&path, 1))
}

/// Begins a record with entries of others; of several for the same candidate it takes the first.
///
/// Errors: the folder has a record, or cannot be written.
pub fn write(folder: &Path, header: &Header, entries: &[Entry]) -> Result<(), Diagnostic> {
    let path = folder.join(NAME);
    let mut seen = std::collections::HashSet::new();
    let once = entries.iter().filter(|entry| seen.insert(key(&entry.trial)));
    let text: String = std::iter::once(line(header)).chain(once.map(line)).collect();
    let new =
        std::fs::create_dir_all(folder).and_then(|()| OpenOptions::new().create_new(true).write(true).open(&path));
    new.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| unwritable(&path, &error))
}

/// Header, entries, and the bytes that are whole lines.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Option<Header>, Vec<Entry>, usize), Diagnostic> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let text = std::str::from_utf8(&bytes[..whole]).map_err(|_| broken(path, 1))?;
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return Ok((None, Vec::new(), 0)) };
    let header = serde_json::from_str(first).map_err(|_| broken(path, 1))?;
    let entry = |(number, line)| serde_json::from_str(line).map_err(|_| broken(path, number));
    Ok((Some(header), (2..).zip(lines).map(entry).collect::<Result<_, _>>()?, whole))
}

fn key(trial: &Trial) -> Key {
    (trial.kernel.clone(), trial.candidate.clone(), trial.level)
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a record is plain data") + "\n"
}

fn unwritable(path: &Path, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("tune::record", format!("{} cannot be written: {error}", path.display()))
        .help("choose a folder that you may write to, and that has no record of another search, with -o")
}

fn broken(path: &Path, line: usize) -> Diagnostic {
    Diagnostic::error("tune::record", format!("{}, line {line}: this is no record of singe-tune", path.display()))
        .help("remove the file, or choose another folder with -o")
}

fn other(path: &Path, found: &Value, wanted: &Value) -> Diagnostic {
    let names = found.as_object().into_iter().chain(wanted.as_object()).flat_map(|object| object.keys());
    let mut differ: Vec<&str> = names.filter(|name| found[*name] != wanted[*name]).map(String::as_str).collect();
    differ.dedup();
    let message = format!("{} is the record of a search with another {}", path.display(), differ.join(", "));
    Diagnostic::error("tune::other-search", message).help("choose another folder with -o, or remove the file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Outcome;

    fn header(basis: u32) -> Header {
        Header { basis: serde_json::json!({ "target": basis }), words: vec!["singe-tune".into()] }
    }

    fn entry(warps: u32) -> Entry {
        let candidate = Candidate { settings: vec![("warps".into(), warps.to_string())] };
        let outcome = Outcome::Refused { id: "tune::measure".into(), message: "\"ü\"\n".into() };
        Entry { trial: Trial { kernel: "viscosity".into(), candidate, level: Level::Compiled, outcome }, seconds: 0.5 }
    }

    fn known(record: &Record, warps: u32) -> Option<Trial> {
        record.known(Kernel::Viscosity, &entry(warps).trial.candidate, Level::Compiled)
    }

    #[test]
    fn a_line_that_was_cut_off_is_done_again_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let record = Record::open(folder.path(), &header(1)).unwrap();
        (4..6).for_each(|warps| record.add(&entry(warps)).unwrap());
        drop(record);
        let path = folder.path().join(NAME);
        let whole = std::fs::read(&path).unwrap();
        let second = whole.len() - line(&entry(5)).len();
        for cut in second..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let record = Record::open(folder.path(), &header(1)).unwrap();
            assert_eq!(known(&record, 4), Some(entry(4).trial));
            assert_eq!(known(&record, 5), None);
            record.add(&entry(5)).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn even_a_cut_off_first_line_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(NAME), "{\"basis\":").unwrap();
        Record::open(folder.path(), &header(1)).unwrap();
        assert_eq!(read(folder.path()).unwrap(), (header(1), Vec::new()));
    }

    #[test]
    fn what_is_not_this_record_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let open = |basis| Record::open(folder.path(), &header(basis)).map(|_| ()).map_err(|d| (d.id, d.message));
        open(1).unwrap();
        let (id, message) = open(2).unwrap_err();
        assert!(id == "tune::other-search" && message.ends_with("another target"), "{message}");
        std::fs::write(folder.path().join(NAME), "{}\nno\n").unwrap();
        assert_eq!(open(1).unwrap_err().0, "tune::record");
        assert_eq!(std::fs::read_to_string(folder.path().join(NAME)).unwrap(), "{}\nno\n");
    }

    #[test]
    fn one_process_writes() {
        let folder = tempfile::tempdir().unwrap();
        let first = Record::open(folder.path(), &header(1)).unwrap();
        assert_eq!(Record::open(folder.path(), &header(1)).err().map(|d| d.id), Some("tune::busy"));
        drop(first);
        Record::open(folder.path(), &header(1)).unwrap();
    }

    #[test]
    fn what_two_have_done_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &header(1), &[entry(4), entry(5), entry(4)]).unwrap();
        assert_eq!(read(folder.path()).unwrap().1, [entry(4), entry(5)]);
        assert_eq!(write(folder.path(), &header(1), &[]).unwrap_err().id, "tune::record");
    }
}
