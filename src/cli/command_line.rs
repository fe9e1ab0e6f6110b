//! The command, as generated files name it.

use std::ffi::OsString;

/// The command for the header of generated files: what decides their contents, not where they go or what is printed.
pub fn command_line(program: &str, words: &[OsString]) -> String {
    let mut kept = vec![program.to_owned()];
    let mut rest = words.iter().skip(1).map(|w| w.to_string_lossy().into_owned());
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-o" | "--output" | "--print-after" | "--report" | "--color" => {
                rest.next();
            }
            "--json" | "--time-passes" | "--no-cache" | "--clean" | "-q" | "--quiet" => {}
            w if w.starts_with("-o") => {}
            w if ["--output=", "--print-after=", "--report=", "--color="].iter().any(|flag| w.starts_with(flag)) => {}
            _ => kept.push(quoted(&word)),
        }
    }
    // A line end would end the comment.
    kept.join(" ").replace(char::is_control, " ")
}

/// The word as a shell must be given it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
