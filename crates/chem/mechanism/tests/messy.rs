//! Files as people have them: each file of `messy` says in its first comment lines what its reader must make of it.
//!
//! The first line is the number of the case's group and what it shows. Below it stand
//!
//! - `thermo:` and `transport:`, companions beside it, or `none`;
//! - `expect: SEVERITY ID [FILE] LINE:COLUMN MESSAGE`, one for each diagnostic, in their order, with the beginning or a part
//!   of the message; without any, there must be none;
//! - `help:`, a part of the remedy of the last one;
//! - `permissive: forgiven` where `--permissive` makes warnings of the errors;
//! - `terms:`, one for each reaction: species and coefficients of both sides, and the third body;
//! - `composition:`, a species and its atoms;
//! - `transport data: none` where no species has any;
//! - `equals:`, another case that holds the same species and reactions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Severity};
use mechanism::{Collider, Companion, Files, Mechanism, Options, Outcome, Rate, Reaction, decode, read_with};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messy");

#[test]
fn each_file_is_read_as_it_says() {
    let cases: Vec<Case> = cases().iter().map(|path| Case::new(path)).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        let problems = case.problems();
        println!("{:>3} {:<36} {:>3} {}", case.group, case.name, problems.len(), case.title);
        wrong.extend(problems.into_iter().map(|problem| format!("{} {problem}", case.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let groups: BTreeSet<u32> = cases.iter().map(|case| case.group).collect();
    assert_eq!(groups, BTreeSet::from([13, 14, 15, 16, 17, 18, 19]));
}

fn cases() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).expect("the cases are part of the project");
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let is_case = |path: &PathBuf| path.extension().is_some_and(|e| e == "inp" || e == "yaml");
    let mut cases: Vec<PathBuf> = paths.filter(is_case).collect();
    cases.sort();
    cases
}

struct Case {
    name: String,
    group: u32,
    title: String,
    files: Files,
    expected: Vec<Expected>,
    is_forgiven: bool,
    terms: Vec<String>,
    compositions: Vec<String>,
    lacks_transport: bool,
    equals: Option<PathBuf>,
}

struct Expected {
    severity: Severity,
    id: String,
    file: String,
    place: String,
    message: String,
    help: String,
}

impl Case {
    fn new(path: &Path) -> Self {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("a readable case")).into_owned();
        let mut lines = text.lines().map_while(|line| line.strip_prefix("! ").or(line.strip_prefix("# ")));
        let (group, title) = lines.next().and_then(|line| line.split_once(": ")).expect("a title");
        let files = Files { mechanism: path.to_owned(), ..Files::default() };
        let mut case = Self {
            group: group.parse().expect("a number"),
            title: title.to_owned(),
            files,
            expected: Vec::new(),
            is_forgiven: false,
            terms: Vec::new(),
            compositions: Vec::new(),
            lacks_transport: false,
            equals: None,
            name,
        };
        for line in lines {
            let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("{}: {line}", case.name));
            case.says(key, value);
        }
        let lists = [case.expected.len(), case.terms.len(), case.compositions.len()];
        let says_something = lists != [0; 3] || case.equals.is_some() || case.lacks_transport;
        assert!(says_something, "{} expects nothing", case.name);
        case
    }

    fn says(&mut self, key: &str, value: &str) {
        let beside = |name: &str| Path::new(FOLDER).join(name);
        match key {
            "thermo" => self.files.thermo = Some(beside(value)),
            "transport" if value == "none" => self.files.transport = Companion::Ignored,
            "transport" => self.files.transport = Companion::At(beside(value)),
            "expect" => self.expected.push(Expected::new(value, &self.name)),
            "help" => self.expected.last_mut().expect("a diagnostic").help = value.to_owned(),
            "permissive" => self.is_forgiven = value == "forgiven",
            "terms" => self.terms.push(value.to_owned()),
            "composition" => self.compositions.push(value.to_owned()),
            "transport data" => self.lacks_transport = value == "none",
            "equals" => self.equals = Some(beside(value)),
            _ => panic!("{}: what is {key}?", self.name),
        }
    }

    /// Lists the deviations of the reader from the expectation.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let (mechanism, diagnostics) = split(read_with(&self.files, Options::default()));
        let are_expected = diagnostics.len() == self.expected.len()
            && diagnostics.iter().zip(&self.expected).all(|(diagnostic, expected)| expected.is_met_by(diagnostic));
        if !are_expected {
            let told: Vec<String> = diagnostics.iter().map(describe).collect();
            problems.push(format!("gives these diagnostics:\n{}", told.join("\n")));
        }
        let (forgiven, warnings) = split(read_with(&self.files, Options::PERMISSIVE));
        let is_forgiven = mechanism.is_none() && forgiven.is_some() && warnings.len() == diagnostics.len();
        if is_forgiven != self.is_forgiven {
            problems.push(format!("is forgiven: {is_forgiven}"));
        }
        if let Some(mechanism) = mechanism {
            problems.extend(self.differences(&mechanism));
        } else if self.expected.iter().all(|expected| expected.severity == Severity::Warning) {
            problems.push("is refused".to_owned());
        }
        problems
    }

    fn differences(&self, mechanism: &Mechanism) -> Vec<String> {
        let mut problems = Vec::new();
        let terms: Vec<String> = mechanism.reactions.iter().map(|reaction| terms(reaction, mechanism)).collect();
        if !self.terms.is_empty() && terms != self.terms {
            problems.push(format!("has these terms:\n{}", terms.join("\n")));
        }
        let compositions: Vec<String> =
            mechanism.species.iter().map(|species| composition(species, mechanism)).collect();
        if self.compositions.iter().any(|expected| !compositions.contains(expected)) {
            problems.push(format!("has these compositions:\n{}", compositions.join("\n")));
        }
        if self.lacks_transport && mechanism.species.iter().any(|species| species.transport.is_some()) {
            problems.push("has transport data".to_owned());
        }
        if let Some(other) = &self.equals {
            let other = Files { mechanism: other.clone(), ..self.files.clone() };
            let (other, _) = read_with(&other, Options::default()).expect("a tidy case");
            let (found, expected) = (data(mechanism), data(&other));
            let difference = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
            problems.extend(difference.map(|(found, expected)| format!("has {found} instead of {expected}")));
            assert_eq!(difference.is_some(), found != expected, "{}", self.name);
        }
        problems
    }
}

impl Expected {
    fn new(text: &str, own: &str) -> Self {
        let mut rest = text;
        let mut word = || {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            rest = after;
            word.to_owned()
        };
        let severity = match word().as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            other => panic!("{own}: what is the severity {other}?"),
        };
        let (id, mut file, mut place) = (word(), own.to_owned(), word());
        if !place.contains(':') {
            (file, place) = (place, word());
        }
        Self { severity, id, file, place, message: rest.to_owned(), help: String::new() }
    }

    fn is_met_by(&self, diagnostic: &Diagnostic) -> bool {
        let Some(span) = &diagnostic.span else { return false };
        let (line, column) = span.line_column();
        let folder = format!("{FOLDER}/");
        diagnostic.severity == self.severity
            && diagnostic.id == self.id
            && span.source.name == format!("{folder}{}", self.file)
            && format!("{line}:{column}") == self.place
            && diagnostic.message.replace(&folder, "").contains(&self.message)
            && diagnostic.help.as_ref().is_some_and(|help| help.contains(&self.help))
    }
}

fn split(outcome: Outcome) -> (Option<Mechanism>, Vec<Diagnostic>) {
    match outcome {
        Ok((mechanism, warnings)) => (Some(mechanism), warnings),
        Err(diagnostics) => (None, diagnostics),
    }
}

fn describe(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span.as_ref().map_or((0, 0), |span| span.line_column());
    let file = diagnostic.span.as_ref().map_or("", |span| span.source.name.rsplit('/').next().unwrap_or(""));
    let (id, message, help) = (diagnostic.id, &diagnostic.message, diagnostic.help.as_deref().unwrap_or(""));
    format!("{:?} {id} {file} {}:{} {message}\n  {help}", diagnostic.severity, place.0, place.1)
}

fn terms(reaction: &Reaction, mechanism: &Mechanism) -> String {
    let name = |species: usize| mechanism.species[species].name.as_str();
    let side = |terms: &[(usize, f64)]| {
        terms.iter().map(|(species, nu)| format!("{} {nu}", name(*species))).collect::<Vec<_>>().join(", ")
    };
    let third_body = match (&reaction.rate, &reaction.third_body) {
        (Rate::Falloff { collider: Collider::Species(species), .. }, _) => format!(" (+{})", name(*species)),
        (Rate::Falloff { .. }, _) => " (+M)".to_owned(),
        (_, Some(_)) => " +M".to_owned(),
        _ => String::new(),
    };
    format!("{} -> {}{third_body}", side(&reaction.reactants), side(&reaction.products))
}

fn composition(species: &mechanism::Species, mechanism: &Mechanism) -> String {
    let atoms = species.composition.iter().map(|(k, count)| format!("{} {count}", mechanism.elements[*k].symbol));
    format!("{} {}", species.name, atoms.collect::<Vec<_>>().join(", "))
}

/// All but names and places.
fn data(mechanism: &Mechanism) -> String {
    let mut mechanism = mechanism.clone();
    let nowhere = decode("", b"");
    for reaction in &mut mechanism.reactions {
        (reaction.span.source, reaction.span.offset, reaction.span.len) = (nowhere.clone(), 0, 0);
        reaction.equation.clear();
    }
    mechanism.name.clear();
    mechanism.inputs.clear();
    format!("{mechanism:#?}")
}
