//! Reports text behind END, which is not read: never in silence.

use super::number;
use super::report::{Report, brief};
use super::syntax::Word;
use super::unsupported;

/// Reports lines behind the END of the reactions: sections that should be read, and the number of lines and reactions that are not.
pub fn tell(lines: &[Word], report: &mut Report) {
    let (sections, lines): (Vec<Word>, Vec<Word>) = lines.iter().partition(|line| section(line.text()).is_some());
    for line in &sections {
        let section = section(line.text()).unwrap_or_default();
        let message = format!("the section {section} behind the END of the reactions is not read");
        let help = "give it before REACTIONS, or remove it; surfaces are not supported";
        report.forgivable("mechanism::section-behind-end", message, line, help);
    }
    let reactions = lines.iter().filter(|line| is_reaction(line.text())).count();
    warn(&lines, reactions, "reaction", report);
}

/// Tells of lines behind the END of a file of data where some look like entries.
pub fn tell_of_entries(lines: &[Word], is_entry: impl Fn(&str) -> bool, report: &mut Report) {
    let entries = lines.iter().filter(|line| is_entry(line.text())).count();
    if entries > 0 {
        warn(lines, entries, "entry", report);
    }
}

fn warn(lines: &[Word], like: usize, what: &str, report: &mut Report) {
    let Some(first) = lines.first() else { return };
    let count = match lines.len() {
        1 => "a line behind END is not read".to_owned(),
        n => format!("{n} lines behind END are not read"),
    };
    let message = match (like, lines.len()) {
        (0, _) => format!("{count}: '{}'", brief(first.text())),
        (1, 1) => format!("{count}; it looks like a {what}"),
        (1, _) => format!("{count}; one of them looks like a {what}"),
        (like, _) => format!("{count}; {like} of them look like {}", plural(what)),
    };
    let help = "move what is meant before END, and write ! before remarks";
    report.warning("mechanism::behind-end", message, first, help);
}

fn plural(what: &str) -> String {
    what.strip_suffix('y').map_or_else(|| format!("{what}s"), |stem| format!("{stem}ies"))
}

/// The keyword of a line that can only be meant as the head of a section.
fn section(line: &str) -> Option<String> {
    let code = line.split('!').next().unwrap_or_default().trim();
    let key = code.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    let alone = key.len() == code.len();
    let surface = unsupported::section(key) && (alone || code[key.len()..].trim_start().starts_with('/'));
    let known = ["ELEMENTS", "ELEM", "SPECIES", "SPEC", "REACTIONS", "REAC"];
    let second = known.iter().any(|known| known.eq_ignore_ascii_case(key)) && alone;
    (surface || second).then(|| key.to_uppercase())
}

/// An equation with three numbers behind it.
pub fn is_reaction(line: &str) -> bool {
    let code = line.split('!').next().unwrap_or_default();
    let words: Vec<&str> = code.split_whitespace().collect();
    let Some(equation) = words.len().checked_sub(3) else { return false };
    words[..equation].iter().any(|word| word.contains('='))
        && words[equation..].iter().all(|word| number::parse(word).is_some())
}
