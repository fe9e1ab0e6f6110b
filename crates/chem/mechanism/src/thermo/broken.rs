//! Blocks of lines that should be a record and are none: what is off.

use super::field::words;
use crate::names::Names;
use crate::report::{Report, brief};
use crate::syntax::Word;
use crate::unread::is_reaction;

/// Lines from the name of a species to the next record.
#[derive(Debug)]
pub struct Broken<'a> {
    pub block: Word<'a>,
    pub nasa9: bool,
}

impl Broken<'_> {
    /// The first word, where a record has the name of its species.
    pub fn species(&self) -> &str {
        words(&self.block).next().map_or("", |word| word.text())
    }

    /// Says what is wrong with the entry of this species; a permissive reader leaves the species out.
    pub fn explain(&self, report: &mut Report) {
        let (line, message, help) = self.fault();
        report.forgivable("thermo::malformed-entry", message, &line, help);
    }

    /// Says that no entry of any species could be parsed, this being the first one.
    pub fn explain_all(&self, report: &mut Report) {
        let (line, message, help) = self.fault();
        report.error("thermo::malformed-entry", message + ", nor those of the other species", &line, help);
    }

    /// Says the same where another entry of the species is whole.
    pub fn pass_over(&self, report: &mut Report) {
        let (line, message, help) = self.fault();
        report.warning("thermo::malformed-entry", message + ": another entry is taken", &line, help);
    }

    /// The first line that looks like a reaction.
    fn reaction(&self) -> Option<Word<'_>> {
        self.lines().find(|line| is_reaction(line.text()))
    }

    fn lines(&self) -> impl Iterator<Item = Word<'_>> {
        let block = self.block;
        let start = block.text().as_ptr() as usize;
        let word = move |line: &str| {
            let line = line.split('!').next().unwrap_or_default();
            let offset = block.offset + (line.as_ptr() as usize - start);
            Word { offset, len: line.len(), ..block }.trimmed()
        };
        self.block.text().lines().map(word)
    }

    /// The first line, what is wrong, and the remedy.
    fn fault(&self) -> (Word<'_>, String, String) {
        let block = self.block;
        let line = Word { len: block.text().find(['\n', '\r']).unwrap_or(block.len), ..block };
        let kind = if self.nasa9 { "NASA-9" } else { "NASA-7" };
        let message =
            format!("the lines from here on could not be parsed as the {kind} entry of species '{}'", self.species());
        let help =
            tabs(block.text()).unwrap_or_else(|| if self.nasa9 { NASA9.to_owned() } else { nasa7_fault(block.text()) });
        (line, message, help)
    }
}

/// Tells of lines that belong to no entry: reactions among them are errors, and so would be what they lack elsewhere. Blocks that
/// begin like an entry, or with the name of a species, are told where that species lacks its data.
pub fn tell_stray(broken: &[Broken], species: &Names, report: &mut Report) {
    if let Some(line) = broken.iter().find_map(Broken::reaction) {
        let message =
            format!("the reaction '{}' stands among the thermo data, where it is not read", brief(line.text()));
        let help = "close the thermo data by END, and write REACTIONS before the reactions";
        report.error("thermo::stray-reaction", message, &line, help);
        return;
    }
    let begins = |block: &Broken| block.block.text().chars().nth(79) == Some('1');
    let stray = |block: &&Broken| !begins(block) && species.find(block.species()).is_none();
    let mut stray = broken.iter().filter(stray).filter_map(|block| block.lines().next());
    if let Some(first) = stray.next() {
        let message = format!("'{}' belongs to no entry of thermo data and is not read", brief(first.text()));
        let help = match stray.count() {
            0 => "write ! before remarks".to_owned(),
            n => format!("write ! before remarks (likewise {n} other block{})", if n == 1 { "" } else { "s" }),
        };
        report.warning("thermo::stray-line", message, &first, help);
    }
}

/// Shows the first line with tabs, which shift columns.
fn tabs(block: &str) -> Option<String> {
    let line = block.lines().take(4).find(|line| line.contains('\t'))?;
    let shown: String = line.replace('\t', "\u{2192}").chars().take(80).collect();
    Some(format!(
        "the line has {} tabs, shown as \u{2192} in '{shown}': entries are read by columns, so write blanks up to them",
        line.matches('\t').count()
    ))
}

/// Tells which of the four lines is off, and by how many columns.
fn nasa7_fault(block: &str) -> String {
    let lines = block.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('!'));
    let lines: Vec<&str> = lines.take(4).collect();
    for (line, number) in lines.iter().zip('1'..='4') {
        let mark = line.chars().nth(79);
        if mark == Some(number) {
            continue;
        }
        let end = line.trim_end();
        let length = end.chars().count();
        return match mark {
            _ if end.ends_with(number) && (75..=85).contains(&length) => {
                format!(
                    "line {number} of the entry has its digit {number} in column {length} instead of 80: it is shifted"
                )
            }
            Some(other) if !other.is_whitespace() => {
                format!("line {number} of the entry has '{other}' in column 80 where {number} is expected")
            }
            _ => format!("line {number} of the entry lacks the digit {number} in column 80"),
        };
    }
    format!("an entry has four lines with the digits 1 to 4 in column 80; this one has {}", lines.len())
}

const NASA9: &str = "an entry has its name on the first line, the number of ranges and the composition on the second, \
                     and three lines for each range";
