//! Cache of earlier results, keyed by the content of their inputs: a folder with a file for each key.
//!
//! A file counts only if it is whole and of this key; any other is treated as absent, and is written anew. Files appear
//! under a temporary name and are then renamed, so that no run sees half of one. The folder is made for the user alone,
//! and an entry that another user may have written is treated as absent ([`owner`]).
#![forbid(unsafe_code)]

mod entry;
pub mod owner;
pub mod tool;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// The environment variable that names the folder, or says `off`.
pub const VARIABLE: &str = "SINGE_CACHE";

/// The folder holds at most so many bytes: what was not read for longest goes.
const MOST_BYTES: u64 = 1 << 30;

/// A folder of entries.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// In the folder that `SINGE_CACHE` names; else `singe` in the user's folder for caches: `XDG_CACHE_HOME`, or `.cache` of the home.
    /// `None`: it is off, or there is no such folder.
    pub fn of_user() -> Option<Self> {
        folder(|name| std::env::var_os(name)).map(Self::at)
    }

    /// The texts under a key.
    pub fn read(&self, key: &str) -> Option<Vec<String>> {
        let path = self.path(key);
        let texts = entry::read(&owner::read_own(&path).ok()?, key)?;
        // Read last, removed last; that it cannot be told is no harm.
        let _ = File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(texts)
    }

    /// Keeps the texts. Where that cannot be done the next run makes them anew, which is all that is lost.
    pub fn write(&self, key: &str, texts: &[String]) {
        // Only a sixteenth of the writes looks for what is to go, as that reads the whole folder.
        if self.try_write(key, texts).is_ok() && key.starts_with('0') {
            self.trim(MOST_BYTES);
        }
    }

    fn try_write(&self, key: &str, texts: &[String]) -> io::Result<()> {
        create_private(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        file.write_all(&entry::text(key, texts))?;
        file.persist(self.path(key)).map(|_| ()).map_err(|error| error.error)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.{}", entry::EXTENSION))
    }

    /// Removes entries until at most so many bytes are left, first those that were not read for longest.
    fn trim(&self, most: u64) {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries(&self.folder);
        let mut bytes: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
        entries.sort();
        for (_, size, path) in entries {
            if bytes <= most {
                break;
            }
            // Another run may have removed it.
            let _ = fs::remove_file(path);
            bytes -= size;
        }
    }
}

/// Makes a folder that nobody but the user may enter, unless it is there.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// When each entry was read last, its bytes, and where it lies.
fn entries(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let own = files.filter(|path| path.extension().is_some_and(|extension| extension == entry::EXTENSION));
    own.filter_map(|path| {
        let about = fs::metadata(&path).ok()?;
        Some((about.modified().ok()?, about.len(), path))
    })
    .collect()
}

/// Returns the key of an entry: a digest of everything that the entry was made of.
pub fn key(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    hexadecimal(&digest.finalize())
}

/// Returns the digits of the bytes.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let of = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match of(VARIABLE) {
        Some(off) if off.as_os_str() == "off" => None,
        Some(folder) => Some(folder),
        // The specification of these folders ignores a relative path.
        None => of("XDG_CACHE_HOME")
            .filter(|folder| folder.is_absolute())
            .or_else(|| of("HOME").map(|home| home.join(".cache")))
            .map(|caches| caches.join("singe")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn texts(of: &str) -> Vec<String> {
        vec![of.to_owned(), String::new(), "Größe\n\u{1}".repeat(9)]
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("not/yet/there"));
        assert_eq!(cache.read("k"), None);
        cache.write("k", &texts("first"));
        assert_eq!(cache.read("k"), Some(texts("first")));
        assert_eq!(cache.read("other"), None);
        cache.write("k", &texts("second"));
        assert_eq!(cache.read("k"), Some(texts("second")));
    }

    #[test]
    fn an_entry_that_is_broken_or_of_another_key_is_not_there_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        cache.write("k", &texts("k"));
        let path = cache.path("k");
        let whole = fs::read(&path).unwrap();
        // cut anywhere, and with any byte changed
        for at in 0..whole.len() {
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.read("k"), None, "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 4;
            fs::write(&path, &changed).unwrap();
            assert_eq!(cache.read("k"), None, "changed at {at}");
        }
        fs::copy(cache.path("k"), cache.path("other")).unwrap();
        fs::write(cache.path("other"), &whole).unwrap();
        assert_eq!(cache.read("other"), None);
        cache.write("k", &texts("k"));
        assert_eq!(cache.read("k"), Some(texts("k")));
    }

    #[test]
    fn many_may_write_one_entry_and_none_reads_half_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    for _ in 0..50 {
                        cache.write("k", &vec![writer.to_string(); 2000]);
                        let read = cache.read("k").expect("something whole is there from the first write on");
                        assert!(read.len() == 2000 && read.iter().all(|text| *text == read[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn what_was_not_read_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let now = SystemTime::now();
        for (age, key) in ["new", "old", "middle"].iter().enumerate().map(|(at, key)| ([10, 30, 20][at], key)) {
            cache.write(key, &texts(key));
            let file = File::options().append(true).open(cache.path(key)).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
        }
        fs::write(folder.path().join("of another program"), "x").unwrap();
        assert!(cache.read("old").is_some(), "and now it is the newest");
        let bytes: u64 = entries(folder.path()).iter().map(|(_, bytes, _)| bytes).sum();
        cache.trim(bytes - 1);
        assert_eq!(["new", "old", "middle"].map(|key| cache.read(key).is_some()), [true, true, false]);
        cache.trim(0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the other program's file stays");
    }

    #[cfg(unix)]
    #[test]
    fn it_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("new/cache"));
        cache.write("k", &texts("k"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(["new", "new/cache"].map(|inner| mode(&folder.path().join(inner))), [0o700; 2]);
        assert_eq!(mode(&cache.path("k")), 0o600);
        for others in [0o620, 0o602] {
            fs::set_permissions(cache.path("k"), PermissionsExt::from_mode(others)).unwrap();
            assert_eq!(cache.read("k"), None, "somebody else may have written it: {others:o}");
        }
        cache.write("k", &texts("k"));
        assert_eq!(cache.read("k"), Some(texts("k")), "it is written anew");
        // Only the administrator can give a file away.
        if std::os::unix::fs::chown(cache.path("k"), Some(12345), None).is_ok() {
            assert_eq!(cache.read("k"), None, "it is another user's");
        } else {
            testkit::skip::skip("only root can make a file of another user");
        }
    }

    #[test]
    fn where_it_lies() {
        let of = |given: &[(&str, &str)]| {
            folder(|name| given.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value)))
        };
        assert_eq!(of(&[("SINGE_CACHE", "here"), ("HOME", "/h")]), Some("here".into()));
        assert_eq!(of(&[("SINGE_CACHE", "off"), ("HOME", "/h")]), None);
        assert_eq!(of(&[("SINGE_CACHE", ""), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Some("/x/singe".into()));
        assert_eq!(of(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]), Some("/h/.cache/singe".into()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_key_tells_parts_apart() {
        let keys = [key(&["ab", "c"]), key(&["a", "bc"]), key(&["abc"]), key(&["ab", "c", ""])];
        let different: std::collections::BTreeSet<&String> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }
}
