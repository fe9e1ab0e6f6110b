//! The record of a search, `candidates.jsonl`: a line for what the search depends on, then one for each candidate as it is finished.
//! Lines are only ever added, each by one write, so that a search that was killed goes on where it was: what is not a whole line was not
//! finished. Several searches in one folder share it: each adds under a lock what it finished, and [`claims`](crate::claims) tell what each has in hand.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use diagnostics::Diagnostic;
use kernels::Kernel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claims::Claims;
use crate::level::Level;
use crate::measure::Trial;
use crate::space::Candidate;

/// The name of the file in the output folder.
pub const NAME: &str = "candidates.jsonl";

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Inputs that a candidate's cost depends on, besides its settings.
    pub basis: Value,
    /// The command line.
    pub words: Vec<String>,
}

/// Every other line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    #[serde(flatten)]
    pub trial: Trial,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A candidate of a kernel, looked at so closely.
pub type Key = (String, Candidate, Level);

/// A record that this process and others add to.
pub struct Record {
    path: PathBuf,
    shared: Mutex<Shared>,
}

struct Shared {
    file: File,
    /// Bytes of the file that are known.
    read: u64,
    known: HashMap<Key, Trial>,
    claims: Claims,
}

impl Record {
    /// Opens or begins the record in a folder.
    ///
    /// Errors: the file cannot be written, it is no record, or one of another search.
    pub fn open(folder: &Path, header: &Header) -> Result<Self, Diagnostic> {
        let path = folder.join(NAME);
        let failed = |error: std::io::Error| unwritable(&path, &error);
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (found, entries, whole) = parse(&path, &bytes)?;
        // A line that was cut off by the end of its process.
        file.set_len(whole as u64).map_err(failed)?;
        let mut read = whole as u64;
        match found {
            Some(found) if found.basis != header.basis => return Err(other(&path, &found.basis, &header.basis)),
            Some(_) => {}
            None => {
                let line = line(header);
                file.write_all(line.as_bytes()).map_err(failed)?;
                read += line.len() as u64;
            }
        }
        let claims = Claims::open(folder).map_err(failed)?;
        file.unlock().map_err(failed)?;
        let known = entries.into_iter().map(|entry| (key(&entry.trial), entry.trial)).collect();
        Ok(Self { path, shared: Mutex::new(Shared { file, read, known, claims }) })
    }

    /// Returns the trial of a candidate, if it was finished.
    pub fn known(&self, kernel: Kernel, candidate: &Candidate, level: Level) -> Option<Trial> {
        let key = (kernel.name().to_owned(), candidate.clone(), level);
        self.shared().known.get(&key).cloned()
    }

    /// Whether this process is to try a candidate: it is not finished, and no other process has it in hand.
    ///
    /// Errors: the file cannot be read.
    pub fn claim(&self, kernel: Kernel, candidate: &Candidate, level: Level) -> Result<bool, Diagnostic> {
        let key = (kernel.name().to_owned(), candidate.clone(), level);
        self.locked(|shared| Ok(!shared.known.contains_key(&key) && shared.claims.claim(&key)?))
    }

    /// Adds a candidate that is finished.
    ///
    /// Errors: the file cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<(), Diagnostic> {
        self.locked(|shared| {
            let line = line(entry);
            shared.file.write_all(line.as_bytes()).and_then(|()| shared.file.sync_data())?;
            shared.read += line.len() as u64;
            shared.known.insert(key(&entry.trial), entry.trial.clone());
            Ok(())
        })
    }

    /// Does some work while no other process adds anything.
    ///
    /// Errors: the file cannot be locked.
    pub fn alone<T>(&self, work: impl FnOnce() -> T) -> Result<T, Diagnostic> {
        let failed = |error: std::io::Error| unwritable(&self.path, &error);
        let shared = self.shared();
        shared.file.lock().map_err(failed)?;
        let done = work();
        shared.file.unlock().map_err(failed)?;
        Ok(done)
    }

    /// Does something with the record while no other process does, after what others have added is known.
    fn locked<T>(&self, work: impl FnOnce(&mut Shared) -> std::io::Result<T>) -> Result<T, Diagnostic> {
        let failed = |error: std::io::Error| unwritable(&self.path, &error);
        let mut shared = self.shared();
        shared.file.lock().map_err(failed)?;
        let done = shared.refresh(&self.path).and_then(|()| work(&mut shared).map_err(failed));
        shared.file.unlock().map_err(failed)?;
        done
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no holder panics")
    }
}

impl Shared {
    fn refresh(&mut self, path: &Path) -> Result<(), Diagnostic> {
        let failed = |error: std::io::Error| unwritable(path, &error);
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(self.read)).map_err(failed)?;
        self.file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = whole(&bytes);
        if whole < bytes.len() {
            self.file.set_len(self.read + whole as u64).map_err(failed)?;
        }
        let text = std::str::from_utf8(&bytes[..whole]).map_err(|_| broken(path, 1))?;
        for line in text.lines() {
            let entry: Entry = serde_json::from_str(line).map_err(|_| broken(path, self.known.len() + 2))?;
            self.known.insert(key(&entry.trial), entry.trial);
        }
        self.read += whole as u64;
        Ok(())
    }
}

/// The bytes that are whole lines.
fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1)
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
    let whole = whole(bytes);
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
    fn each_candidate_is_tried_by_one_of_several_searches() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = [(); 2].map(|()| Record::open(folder.path(), &header(1)).unwrap());
        let claim = |record: &Record, warps: u32| {
            record.claim(Kernel::Viscosity, &entry(warps).trial.candidate, Level::Compiled).unwrap()
        };
        assert!(claim(&first, 4) && !claim(&second, 4) && claim(&second, 5) && !claim(&first, 5));
        first.add(&entry(4)).unwrap();
        assert!(!claim(&second, 4));
        assert_eq!(known(&second, 4), Some(entry(4).trial));
        // Claims of an ended search are free again, and its traces are gone.
        drop(second);
        assert!(claim(&first, 5));
        drop(first);
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [NAME]);
        // One that was killed leaves its file, which nobody holds.
        std::fs::write(folder.path().join(".worker-dead"), line(&key(&entry(6).trial))).unwrap();
        let third = Record::open(folder.path(), &header(1)).unwrap();
        assert!(claim(&third, 6));
        assert!(!folder.path().join(".worker-dead").exists());
    }

    #[test]
    fn what_two_have_done_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &header(1), &[entry(4), entry(5), entry(4)]).unwrap();
        assert_eq!(read(folder.path()).unwrap().1, [entry(4), entry(5)]);
        assert_eq!(write(folder.path(), &header(1), &[]).unwrap_err().id, "tune::record");
    }
}
