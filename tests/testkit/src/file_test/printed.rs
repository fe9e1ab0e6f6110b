//! The diagnostics in what a command printed.

use super::directives::Directive;

#[derive(Debug, Clone, PartialEq)]
pub struct PrintedDiagnostic {
    pub id: String,
    /// Place in the file itself, if it has one: the line, and the marked text.
    pub place: Option<(usize, String)>,
}

/// All diagnostics of an output about a file: each has its id alone on a line, below it the place, if it has one, and carets
/// under what is marked.
pub fn all(output: &str, name: &str, file: &str) -> Vec<PrintedDiagnostic> {
    let mut found: Vec<PrintedDiagnostic> = Vec::new();
    let mut column = 0;
    for line in output.lines() {
        let Some(last) = found.last_mut().filter(|_| !is_id(line)) else {
            if is_id(line) {
                found.push(PrintedDiagnostic { id: line.to_owned(), place: None });
            }
            continue;
        };
        if let Some((line, at)) = line.split_once(",-[").and_then(|(_, place)| position(place, name)) {
            last.place = Some((line, String::new()));
            column = at;
        } else if let (Some((number, marked)), Some(carets)) = (&mut last.place, carets(line))
            && marked.is_empty()
        {
            let line = file.lines().nth(*number - 1).unwrap_or("");
            *marked = line.chars().skip(column - 1).take(carets).collect();
        }
    }
    found
}

fn is_id(line: &str) -> bool {
    let (room, name) = line.split_once("::").unwrap_or(("", ""));
    [room, name].iter().all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
}

/// Line and column, counted from 1, of `NAME:LINE:COLUMN]`.
fn position(place: &str, name: &str) -> Option<(usize, usize)> {
    let (line, column) = place.strip_prefix(name)?.strip_prefix(':')?.strip_suffix(']')?.split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// Counts the carets in a line that marks what is above it.
fn carets(line: &str) -> Option<usize> {
    let count = line.trim().strip_prefix(':')?.trim_start().chars().take_while(|c| *c == '^').count();
    (count > 0).then_some(count)
}

/// Lists the diagnostics that were expected and not told, and those told and not expected. A directive is `ID`, or `ID TEXT` where TEXT must be
/// the marked text. Behind code it means its own line; one that stands alone means a diagnostic without a place in the file.
pub fn differences(expected: &[&Directive], found: &[PrintedDiagnostic]) -> Vec<String> {
    let mut rest = found.to_vec();
    let mut differences = Vec::new();
    for directive in expected {
        let (id, text) = directive.text.split_once(' ').unwrap_or((&directive.text, ""));
        let fits = |told: &PrintedDiagnostic| {
            told.id == id
                && match &told.place {
                    Some((line, marked)) => {
                        directive.trailing && *line == directive.line && (text.is_empty() || text == marked)
                    }
                    None => !directive.trailing,
                }
        };
        match rest.iter().position(fits) {
            Some(at) => drop(rest.remove(at)),
            None => differences.push(format!("line {}: {} is not told", directive.line, directive.text)),
        }
    }
    differences.extend(rest.iter().map(|told| match &told.place {
        Some((line, marked)) => format!("line {line}: {} {marked} is told, which no comment expects", told.id),
        None => format!("{} is told, which no comment expects", told.id),
    }));
    differences
}
