//! Places in the user's own source: CUDA C++, Triton's or Numba's Python.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::texts::Text;
use diagnostics::Source;
use ptx::places::Place;

/// A place in a source, with the source where it can be read.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The file: relative to the current folder if it is below.
    pub file: PathBuf,
    pub line: u32,
    /// Counted from 1; `None` if the compiler does not say.
    pub column: Option<u32>,
    pub source: Option<Arc<Source>>,
}

/// Bytes of a source that is read.
const LARGEST: u64 = 16 << 20;

/// Sources that were read.
#[derive(Default)]
pub struct Sources(RefCell<BTreeMap<PathBuf, Option<Arc<Source>>>>);

impl Sources {
    /// Returns the place of a line of the text, then the places where its function was inlined.
    pub fn spots(&self, text: &Text, line: u32) -> Vec<Spot> {
        text.places.at(line).iter().map(|place| self.spot(text, place)).collect()
    }

    fn spot(&self, text: &Text, place: &Place) -> Spot {
        let given = Path::new(&place.file);
        let beside = text.file.parent().unwrap_or(Path::new(""));
        let name = given.file_name().unwrap_or_default();
        // a text that was compiled elsewhere may lie beside its source
        let candidates = [given.to_owned(), beside.join(given), beside.join(name)];
        let found = candidates.into_iter().find_map(|path| Some((self.source(&path)?, path)));
        let (file, source) = match found {
            Some((source, path)) => (below(&path), Some(source)),
            None => (below(given), None),
        };
        Spot { file, line: place.line, column: Some(place.column).filter(|column| *column > 0), source }
    }

    fn source(&self, path: &Path) -> Option<Arc<Source>> {
        if let Some(known) = self.0.borrow().get(path) {
            return known.clone();
        }
        let is_source = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
        let text = is_source.then(|| diagnostics::read_file(path).ok()).flatten();
        let named = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Arc::new(Source { name: below(path).display().to_string(), text })
        };
        let source = text.map(named);
        self.0.borrow_mut().insert(path.to_owned(), source.clone());
        source
    }
}

impl Spot {
    /// Returns the text of the line without the blanks around it.
    pub fn excerpt(&self) -> Option<&str> {
        let line = self.source.as_ref()?.text.lines().nth(self.line.saturating_sub(1) as usize)?.trim();
        (!line.is_empty()).then_some(line)
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// Returns the place that tells the user most: the innermost one in a file of the user's below the current folder, else elsewhere,
/// else in a file that can be read, else the innermost one.
pub fn own(spots: &[Spot]) -> Option<&Spot> {
    let read = || spots.iter().filter(|spot| spot.source.is_some());
    let below = read().find(|spot| spot.file.is_relative() && !is_library(&spot.file));
    let elsewhere = || read().find(|spot| !is_library(&spot.file));
    below.or_else(elsewhere).or_else(|| read().next()).or(spots.first())
}

/// Whether a file is one of a Python package or of a compiler's headers.
fn is_library(file: &Path) -> bool {
    let has = |name: &str| file.components().any(|part| part.as_os_str() == name);
    has("site-packages") || has("dist-packages") || file.is_absolute() && has("include")
}

/// Returns the path relative to the current folder if it is below.
pub fn below(path: &Path) -> PathBuf {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(current).unwrap_or(path).to_owned()
}
