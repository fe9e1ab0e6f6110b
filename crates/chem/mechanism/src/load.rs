//! Files to texts: what is read, from which bytes, and how long it may take.

use super::older_format;
use super::report::Report;
use diagnostics::{Diagnostic, Source, read_beginning};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that was read, for a record of where results come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The path by which it was opened.
    pub name: String,
    /// Hash of the bytes that were read, in hexadecimal digits.
    pub sha256: String,
    /// The sections inside a mechanism that stand for files of their own, such as `THERMO`.
    pub sections: Vec<&'static str>,
}

impl Input {
    pub fn new(name: String, bytes: &[u8]) -> Self {
        let sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { name, sha256, sections: Vec::new() }
    }
}

/// The files read so far, each once.
#[derive(Debug, Default)]
pub struct Inputs(pub Vec<Input>);

impl Inputs {
    /// Reads a file; absent, with a diagnostic, where it cannot be.
    pub fn load(&mut self, path: &Path, report: &mut Report) -> Option<Arc<Source>> {
        let bytes = load(path, report)?;
        let input = Input::new(path.display().to_string(), &bytes);
        let source = decode(&input.name, &bytes);
        if !self.0.contains(&input) {
            self.0.push(input);
        }
        Some(source)
    }
}

/// A text from the bytes of a file: UTF-16 where its byte order mark says so, else UTF-8. What is neither becomes U+FFFD,
/// but for the no-break space of Latin-1, the mark is dropped, lines end in line feeds, and other control characters
/// become blanks, so that no diagnostic sends them to a terminal.
pub fn decode(name: &str, bytes: &[u8]) -> Arc<Source> {
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes),
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let is_blank = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let text = text.replace(is_blank, " ").replace("\r\n", "\n").replace('\r', "\n");
    Arc::new(Source { name: name.to_owned(), text })
}

fn utf8(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        match chunk.invalid() {
            [] => {}
            [0xA0] => text.push('\u{A0}'),
            _ => text.push(char::REPLACEMENT_CHARACTER),
        }
    }
    text
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// Bytes of a file that is read at all; bounds time and memory.
const LARGEST_FILE: u64 = 32 << 20;

fn load(path: &Path, report: &mut Report) -> Option<Vec<u8>> {
    let read = read_beginning(path, LARGEST_FILE);
    let (id, message, help) = match read {
        Ok(bytes) if bytes.len() as u64 > LARGEST_FILE => (
            "mechanism::file-size",
            format!("'{}' is larger than {} MB", path.display(), LARGEST_FILE >> 20),
            "the largest mechanisms have a tenth of that: check that this is a mechanism".to_owned(),
        ),
        Ok(bytes) if is_text(&bytes) => return Some(bytes),
        Ok(_) => (
            "mechanism::not-a-text",
            format!("'{}' is not a text: it holds bytes that are zero", path.display()),
            "save it as UTF-8, or as UTF-16 with a byte order mark".to_owned(),
        ),
        Err(_) if path.is_dir() => (
            "mechanism::unreadable-file",
            format!("'{}' is a folder, not a mechanism", path.display()),
            mechanism_in(path).map_or("name the file of the mechanism".to_owned(), |file| {
                format!("name the file of the mechanism: {}", file.display())
            }),
        ),
        Err(error) => (
            "mechanism::unreadable-file",
            format!("cannot read '{}': {error}", path.display()),
            "check the path and the permissions".to_owned(),
        ),
    };
    report.push(Diagnostic::error(id, message).help(help));
    None
}

/// The first file of a folder, by name, that looks like a mechanism.
fn mechanism_in(folder: &Path) -> Option<PathBuf> {
    let begins = |line: &str| ["SPECIES", "SPEC ", "PHASES:"].iter().any(|word| line.trim_start().starts_with(word));
    first_in(folder, |text| older_format::named(text).is_none() && text.to_ascii_uppercase().lines().any(begins))
}

/// The first file of a folder, by name, that looks like thermodynamic data.
pub fn thermo_in(folder: &Path) -> Option<PathBuf> {
    first_in(folder, |text| {
        let words = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('!'));
        words.is_some_and(|line| line.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("THERM")))
    })
}

/// The first file of a folder, by name, whose beginning is of a kind.
fn first_in(folder: &Path, is_of_kind: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut files: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().find(|path| {
        let beginning = if path.is_file() { read_beginning(path, 1 << 16).unwrap_or_default() } else { Vec::new() };
        is_of_kind(&String::from_utf8_lossy(&beginning))
    })
}

/// Only UTF-16, which its byte order mark announces, has zeros in it.
fn is_text(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) || !bytes.contains(&0)
}
