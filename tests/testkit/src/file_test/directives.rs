//! The comments of a file that are meant for the runner.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Run,
    Exit,
    Check,
    Not,
    Error,
    Warning,
}

const KINDS: [(&str, Kind); 6] = [
    ("run", Kind::Run),
    ("exit", Kind::Exit),
    ("check", Kind::Check),
    ("not", Kind::Not),
    ("error", Kind::Error),
    ("warning", Kind::Warning),
];

/// `KIND: TEXT` or `KIND[LABEL]: TEXT` in a comment.
#[derive(Debug)]
pub struct Directive {
    pub kind: Kind,
    pub label: String,
    pub text: String,
    /// Counted from 1.
    pub line: usize,
    /// Stands behind something on its line.
    pub trailing: bool,
}

/// A command, with its complete output where the file gives it: the comment lines `> TEXT` right behind it.
#[derive(Debug)]
pub struct Run {
    pub command: String,
    pub label: String,
    pub output: Option<String>,
    /// The `run:`, counted from 1.
    line: usize,
    /// Lines of the output.
    count: usize,
}

pub struct Directives {
    pub path: PathBuf,
    /// The file.
    pub text: String,
    pub runs: Vec<Run>,
    pub all: Vec<Directive>,
    /// Faults of the comments themselves.
    pub faults: Vec<String>,
}

/// Returns the mark that begins a comment in a file of this extension.
pub fn comment(extension: &str) -> Option<&'static str> {
    [("ptx", "//"), ("inp", "!"), ("yaml", "#")].into_iter().find(|(e, _)| *e == extension).map(|(_, mark)| mark)
}

pub fn comment_of(path: &Path) -> &'static str {
    path.extension().and_then(|e| comment(e.to_str()?)).expect("a file of a kind that is run")
}

impl Directives {
    pub fn parse(path: &Path, text: &str) -> Directives {
        let mark = comment_of(path);
        let (mut all, mut runs, mut faults): (Vec<Directive>, Vec<Run>, Vec<String>) = Default::default();
        for (at, line) in text.lines().enumerate().map(|(i, line)| (i + 1, line)) {
            let Some((code, comment)) = line.split_once(mark) else { continue };
            let trailing = !code.trim().is_empty();
            if let Some(output) = comment.strip_prefix(" >") {
                match runs.last_mut() {
                    Some(run) if run.line + run.count + 1 == at => {
                        run.count += 1;
                        let output = output.strip_prefix(' ').unwrap_or(output);
                        run.output.get_or_insert_default().push_str(&format!("{output}\n"));
                    }
                    _ => faults.push(format!("line {at}: output that stands behind no `run:`")),
                }
            } else if let Some((word, text)) = comment.trim().split_once(':').filter(|(word, _)| is_directive(word)) {
                let (word, label) = word.strip_suffix(']').and_then(|w| w.split_once('[')).unwrap_or((word, ""));
                let (label, text) = (label.to_owned(), text.trim().to_owned());
                match KINDS.iter().find(|(name, _)| *name == word) {
                    Some((_, Kind::Run)) => runs.push(Run { command: text, label, output: None, line: at, count: 0 }),
                    Some(&(_, kind)) => all.push(Directive { kind, label, text, line: at, trailing }),
                    None => faults.push(format!("line {at}: there is no directive `{word}:`")),
                }
            }
        }
        for directive in &all {
            if !runs.iter().any(|run| run.label == directive.label) {
                faults.push(format!("line {}: no run has the label '{}'", directive.line, directive.label));
            }
        }
        Directives { path: path.to_owned(), text: text.to_owned(), runs, all, faults }
    }

    /// Returns all directives attached to the label of a run.
    pub fn for_run(&self, run: &Run) -> impl Iterator<Item = &Directive> {
        self.all.iter().filter(|d| d.label == run.label)
    }

    pub fn expects_nothing(&self, run: &Run) -> bool {
        run.output.is_none() && self.for_run(run).next().is_none()
    }
}

/// One word in lower case, with a label or without: other comments are not for the runner.
fn is_directive(word: &str) -> bool {
    let (name, label) = word.split_once('[').unwrap_or((word, "]"));
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase()) && label.ends_with(']')
}

impl Run {
    /// The text of the file with another output behind this run.
    pub fn with_output(&self, text: &str, mark: &str, output: &str) -> String {
        let quoted = |line: &str| format!("{mark} > {line}").trim_end().to_owned() + "\n";
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (before, behind) = (&lines[..self.line], &lines[self.line + self.count..]);
        before.concat() + &output.lines().map(quoted).collect::<String>() + &behind.concat()
    }
}
