//! Gathers diagnostics while the front end goes on after an error.

use super::lookalike;
use super::syntax::Word;
use diagnostics::{Diagnostic, Span};
use std::borrow::Cow;
use std::collections::HashMap;

/// All diagnostics so far.
#[derive(Debug, Default)]
pub struct Report {
    errors: Kept,
    warnings: Kept,
    permissive: bool,
}

/// The diagnostics of one severity, each with the further places that it is true of.
#[derive(Debug, Default)]
struct Kept {
    list: Vec<(Diagnostic, Vec<Span>)>,
    /// Place in the list of an id with its message.
    first: HashMap<(&'static str, String), usize>,
    count: usize,
    dropped: usize,
}

/// More than anybody reads; keeps the work linear for files that are no mechanisms at all. Errors and warnings have each their own.
const MOST_DIAGNOSTICS: usize = 1000;

impl Kept {
    fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        // Names that are met in many places have one cause, and so has what is said of many places in the same words.
        let is_folded = !diagnostic.is_error() || OF_NAMES.contains(&diagnostic.id);
        let key = (diagnostic.id, diagnostic.message.clone());
        if let (true, Some(span), Some(&at)) = (is_folded, &diagnostic.span, self.first.get(&key)) {
            let (known, others) = &mut self.list[at];
            // An entry that several species share by an alias is read several times.
            if known.span.as_ref() != Some(span) && others.last() != Some(span) && others.len() < MOST_PLACES {
                others.push(span.clone());
            }
        } else if self.list.len() < MOST_DIAGNOSTICS {
            self.first.insert(key, self.list.len());
            self.list.push((diagnostic, Vec::new()));
        } else {
            self.dropped += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().map(|(diagnostic, _)| diagnostic)
    }

    /// By file and place; those without a place come first.
    fn sorted(self) -> Vec<Diagnostic> {
        let mut files: Vec<String> = Vec::new();
        for span in self.iter().filter_map(|diagnostic| diagnostic.span.as_ref()) {
            if !files.contains(&span.source.name) {
                files.push(span.source.name.clone());
            }
        }
        let place = |span: &Span| (files.iter().position(|known| *known == span.source.name), span.offset);
        let gathered = |(mut diagnostic, mut others): (Diagnostic, Vec<Span>)| {
            if let Some(first) = diagnostic.span.take() {
                others.push(first);
                others.sort_by_cached_key(place);
                diagnostic.span = Some(others.remove(0));
            }
            likewise(diagnostic, &others)
        };
        let mut list: Vec<Diagnostic> = self.list.into_iter().map(gathered).collect();
        list.sort_by_cached_key(|diagnostic| diagnostic.span.as_ref().map(place));
        list.dedup();
        list
    }
}

/// Places of one message that are counted.
const MOST_PLACES: usize = 100_000;

impl Report {
    /// `permissive` turns errors that have an obvious repair into warnings.
    pub fn new(permissive: bool) -> Self {
        Self { permissive, ..Self::default() }
    }

    pub fn error(&mut self, id: &'static str, message: impl Into<String>, place: &Word, help: impl Into<String>) {
        self.push(Diagnostic::error(id, message).at(place.span()).help(help));
    }

    pub fn warning(&mut self, id: &'static str, message: impl Into<String>, place: &Word, help: impl Into<String>) {
        self.push(Diagnostic::warning(id, message).at(place.span()).help(help));
    }

    /// An error that the permissive mode forgives.
    pub fn forgivable(&mut self, id: &'static str, message: impl Into<String>, place: &Word, help: impl Into<String>) {
        if self.permissive {
            self.warning(id, message, place, help);
        } else {
            self.error(id, message, place, format!("{} (a warning with --permissive)", help.into()));
        }
    }

    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        let kept = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        kept.push(diagnostic);
    }

    /// Number of errors so far.
    pub fn errors(&self) -> usize {
        self.errors.count
    }

    fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        self.errors.iter().chain(self.warnings.iter())
    }

    /// Whether all diagnostics have this id.
    pub fn has_only(&self, id: &str) -> bool {
        self.errors.dropped + self.warnings.dropped == 0 && self.all().all(|diagnostic| diagnostic.id == id)
    }

    /// Whether a diagnostic has this id.
    pub fn has(&self, id: &str) -> bool {
        self.all().any(|diagnostic| diagnostic.id == id)
    }

    /// Whether a file could not be opened: what it would have held is then not missing.
    pub fn has_unreadable_file(&self) -> bool {
        let unread = ["mechanism::unreadable-file", "mechanism::file-size", "mechanism::not-a-text"];
        self.all().any(|diagnostic| unread.contains(&diagnostic.id))
    }

    /// All diagnostics: the errors, then the warnings, each by file and place.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        let has_errors = self.errors.count > 0;
        // A file that is absent may declare what is unknown without it.
        if self.has("yaml::missing-file") {
            for kept in [&mut self.errors, &mut self.warnings] {
                kept.list.retain(|(diagnostic, _)| !NEED_SPECIES.contains(&diagnostic.id));
            }
        }
        let dropped = [(self.errors.dropped, "error"), (self.warnings.dropped, "warning")];
        let mut all = self.errors.sorted();
        all.iter_mut().for_each(name_lookalikes);
        all.extend(self.warnings.sorted());
        for (count, what) in dropped.into_iter().filter(|(count, _)| *count > 0) {
            let message = format!("{count} further {what}s are not shown");
            let last = if has_errors { Diagnostic::error } else { Diagnostic::warning };
            all.push(last("mechanism::too-many-problems", message).help("repair those above first"));
        }
        all
    }
}

fn name_lookalikes(diagnostic: &mut Diagnostic) {
    let note = diagnostic.span.as_ref().and_then(lookalike::note);
    if let (Some(help), Some(note)) = (&mut diagnostic.help, note) {
        *help += &format!("; {note}");
    }
}

/// The first place, with the other lines in the remedy.
fn likewise(mut diagnostic: Diagnostic, others: &[Span]) -> Diagnostic {
    let (Some(first), Some(help)) = (&diagnostic.span, &mut diagnostic.help) else { return diagnostic };
    let mut named: Vec<usize> = Vec::new();
    let mut rest = others.iter();
    // Each line is counted from the beginning of the file, so that only those are that may be named.
    for line in rest.by_ref().take(MOST_COUNTED).map(|span| span.line_column().0) {
        if named.last().map_or(first.line_column().0, |last| *last) != line {
            named.push(line);
        }
        if named.len() == MOST_LINES {
            break;
        }
    }
    let mut lines: Vec<String> = named.iter().map(usize::to_string).collect();
    if rest.len() > 0 {
        lines.push(format!("and {} more", rest.len()));
    }
    *help += &match (named.len(), others.len()) {
        (0, 0) => String::new(),
        (0, 1) => " (likewise at another place of the line)".to_owned(),
        (0, n) => format!(" (likewise at {n} other places)"),
        _ => format!(" (likewise in line{} {})", if lines.len() == 1 { "" } else { "s" }, lines.join(", ")),
    };
    diagnostic
}

/// Places whose lines are looked for.
const MOST_COUNTED: usize = 100;

/// Ids of diagnostics about a name, not about the place where it stands.
const OF_NAMES: [&str; 3] =
    ["mechanism::unknown-species", "mechanism::unused-efficiency", "thermo::undeclared-element"];

/// Ids of diagnostics about species that are not declared.
const NEED_SPECIES: [&str; 2] = ["mechanism::unknown-species", "mechanism::unused-efficiency"];

const MOST_LINES: usize = 10;

/// The beginning of a text that may be long, for messages.
pub fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::Source;
    use std::sync::Arc;

    fn source() -> Arc<Source> {
        Arc::new(Source { name: "chem.inp".into(), text: "line\n".repeat(5000) })
    }

    fn at(source: &Arc<Source>, line: usize) -> Span {
        Span { source: Arc::clone(source), offset: 5 * (line - 1), len: 4 }
    }

    #[test]
    fn an_error_is_shown_behind_any_number_of_warnings() {
        let (source, mut report) = (source(), Report::default());
        for line in 1..=3000 {
            report.push(Diagnostic::warning("w", format!("warning {line}")).at(at(&source, line)).help("mend it"));
        }
        report.push(Diagnostic::error("e", "the error").at(at(&source, 4000)).help("mend it"));
        let told = report.sorted();
        assert_eq!(told[0].message, "the error");
        assert_eq!(told.len(), 1 + MOST_DIAGNOSTICS + 1);
        assert_eq!(told.last().map(|last| last.message.as_str()), Some("2000 further warnings are not shown"));
    }

    #[test]
    fn warnings_in_the_same_words_are_one() {
        let (source, mut report) = (source(), Report::default());
        for line in [7, 7, 5, 9].into_iter().chain(1001..=3000) {
            report.push(Diagnostic::warning("w", "the same").at(at(&source, line)).help("mend it"));
        }
        let told = report.sorted();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].span.as_ref().map(|span| span.line_column().0), Some(5));
        let lines = "7, 9, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, and 1992 more";
        assert_eq!(told[0].help, Some(format!("mend it (likewise in lines {lines})")));
    }
}
