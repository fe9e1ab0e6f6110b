//! From files, or from texts in memory, to a checked [`Mechanism`].

use super::names::Names;
use super::report::Report;
use super::syntax::{self, Word};
use super::thermo::Records;
use super::{Element, Mechanism, Reaction, Species, chemkin, elements, reactions, reduction, species, transport, yaml};
use diagnostics::{Diagnostic, Source};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a mechanism. Companions that are not named are sought in the mechanism's own folder, unless sections
/// inside the mechanism make them needless.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    pub mechanism: PathBuf,
    pub thermo: Option<PathBuf>,
    pub transport: Option<PathBuf>,
    pub reduction: Companion,
    /// The phase of a YAML file; its first one of ideal gases when it is left out.
    pub phase: Option<String>,
}

/// Where an optional companion is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Companion {
    /// In the mechanism's folder, if it is there.
    #[default]
    Beside,
    At(PathBuf),
    /// Not to be read even if it is there.
    Ignored,
}

/// The same as texts in memory.
#[derive(Debug, Clone)]
pub struct Sources {
    /// Name of the mechanism; made a C identifier.
    pub name: String,
    pub mechanism: Arc<Source>,
    pub thermo: Option<Arc<Source>>,
    pub transport: Option<Arc<Source>>,
    pub reduction: Option<Arc<Source>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Turns errors that have an obvious repair into warnings.
    pub permissive: bool,
    /// The ranges of all NASA-7 records meet at the default temperature of their section, and columns 66-73 hold
    /// something else, such as the molecular weight. Entries on one side of that temperature have one range.
    pub single_intermediate_temperature: bool,
}

impl Options {
    /// Forgiving where that is possible.
    pub const PERMISSIVE: Self = Self { permissive: true, single_intermediate_temperature: false };
}

/// The mechanism with warnings, or all errors and warnings. Both are ordered by file and place.
pub type Outcome = Result<(Mechanism, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Reads and checks a mechanism.
///
/// # Errors
/// Every problem of every file, gathered: unreadable or missing files, malformed lines, unknown names, missing data,
/// unbalanced reactions, undeclared duplicates.
pub fn read(files: &Files) -> Outcome {
    read_with(files, Options::default())
}

/// The files that [`read`] reads, for a record of where results come from: the mechanism, and companions where they are
/// given or found.
pub fn input_files(files: &Files) -> Vec<PathBuf> {
    if yaml::is_yaml(&files.mechanism.to_string_lossy()) {
        let others = load(&files.mechanism, &mut Report::default())
            .map_or_else(Vec::new, |source| yaml::files(&source, files.phase.as_deref()));
        let others = others.iter().map(|name| beside(&files.mechanism, name));
        let first = [files.mechanism.clone()].into_iter();
        return first.chain(others).chain(reduction_path(files)).collect();
    }
    let folder = files.mechanism.parent().unwrap_or(Path::new(""));
    let thermo = files.thermo.clone().or_else(|| companion(folder, THERMO_NAMES));
    let transport = files.transport.clone().or_else(|| companion(folder, TRANSPORT_NAMES));
    [Some(files.mechanism.clone()), thermo, transport, reduction_path(files)].into_iter().flatten().collect()
}

/// [`read`] with options.
///
/// # Errors
/// As [`read`].
pub fn read_with(files: &Files, options: Options) -> Outcome {
    let mut report = Report::new(options.permissive);
    let Some(source) = load(&files.mechanism, &mut report) else { return Err(report.sorted()) };
    if yaml::is_yaml(&source.name) {
        let companions = [&files.thermo, &files.transport].map(Option::is_some);
        let reduction = reduction_path(files).and_then(|path| load(&path, &mut report));
        let mut other = |name: &str, place: &Word, report: &mut Report| {
            let path = beside(&files.mechanism, name);
            let source = load(&path, &mut Report::default());
            if source.is_none() {
                missing_file(&path.display().to_string(), place, report);
            }
            source
        };
        let phase = files.phase.as_deref();
        let name = name_of(&files.mechanism);
        return check_yaml(name, &source, phase, &mut other, companions, reduction.as_ref(), report);
    }
    let file = chemkin::parse(&source, &mut report);
    let folder = files.mechanism.parent().unwrap_or(Path::new(""));
    let thermo_path = files.thermo.clone().or_else(|| {
        let needed = !covers(inline_thermo(&file).records.iter().map(|r| r.species()), &file.species);
        needed.then(|| companion(folder, THERMO_NAMES)).flatten()
    });
    let transport_path = files.transport.clone().or_else(|| {
        let inline = file.transport.iter().flat_map(transport::parse_section);
        let names: Vec<&str> = inline.map(|entry| entry.name.text()).collect();
        let needed = !covers(names.into_iter(), &file.species);
        needed.then(|| companion(folder, TRANSPORT_NAMES)).flatten()
    });
    let thermo = thermo_path.and_then(|path| load(&path, &mut report));
    let transport = transport_path.and_then(|path| load(&path, &mut report));
    let reduction = reduction_path(files).and_then(|path| load(&path, &mut report));
    let sought = format!("looked for {} beside '{}'", THERMO_NAMES.join(" and "), files.mechanism.display());
    let companions =
        Companions { thermo: thermo.as_ref(), transport: transport.as_ref(), reduction: reduction.as_ref() };
    check(name_of(&files.mechanism), &file, companions, &sought, options, report)
}

/// Reads and checks a mechanism from texts. Touches no file.
///
/// # Errors
/// As [`read`].
pub fn parse(sources: &Sources, options: Options) -> Outcome {
    let mut report = Report::new(options.permissive);
    if yaml::is_yaml(&sources.mechanism.name) {
        let companions = [&sources.thermo, &sources.transport].map(Option::is_some);
        let reduction = sources.reduction.as_ref();
        let mut other = |name: &str, place: &Word, report: &mut Report| {
            missing_file(name, place, report);
            None
        };
        let name = identifier(&sources.name);
        return check_yaml(name, &sources.mechanism, None, &mut other, companions, reduction, report);
    }
    let file = chemkin::parse(&sources.mechanism, &mut report);
    let companions = Companions {
        thermo: sources.thermo.as_ref(),
        transport: sources.transport.as_ref(),
        reduction: sources.reduction.as_ref(),
    };
    check(identifier(&sources.name), &file, companions, "no thermo text is given", options, report)
}

/// A text from the bytes of a file: UTF-16 where its byte order mark says so, else UTF-8. What is neither becomes U+FFFD,
/// the mark is dropped, lines end in line feeds, and other control characters become blanks, so that no diagnostic sends
/// them to a terminal.
pub fn decode(name: &str, bytes: &[u8]) -> Arc<Source> {
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes).into(),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes).into(),
        _ => String::from_utf8_lossy(bytes),
    };
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let is_blank = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let text = text.replace(is_blank, " ").replace("\r\n", "\n").replace('\r', "\n");
    Arc::new(Source { name: name.to_owned(), text })
}

/// Whether the bytes are a text: only UTF-16, which its byte order mark announces, has zeros in it.
fn without_zeros(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) || !bytes.contains(&0)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

const THERMO_NAMES: [&str; 2] = ["therm.dat", "thermo.dat"];
const TRANSPORT_NAMES: [&str; 2] = ["tran.dat", "transport.dat"];

const REDUCTION_NAME: &str = "reduction.txt";

struct Companions<'a> {
    thermo: Option<&'a Arc<Source>>,
    transport: Option<&'a Arc<Source>>,
    reduction: Option<&'a Arc<Source>>,
}

fn check<'a>(
    name: String,
    file: &syntax::File<'a>,
    Companions { thermo, transport, reduction }: Companions<'a>,
    sought: &str,
    options: Options,
    mut report: Report,
) -> Outcome {
    let elements = elements::read(&file.elements, &mut report);
    let mut records = Records::new(options.single_intermediate_temperature);
    file.thermo.iter().for_each(|section| records.add_section(section));
    thermo.into_iter().for_each(|source| records.add_file(source));
    let declared = species::declared(&file.species, &mut report);
    let declared = species::without_broken(declared, &records, &mut report);
    let mut entries = Vec::new();
    file.transport.iter().for_each(|body| entries.extend(transport::parse_section(body)));
    transport.into_iter().for_each(|source| entries.extend(transport::parse_file(source)));
    let transport_exists = !file.transport.is_empty() || transport.is_some();
    let names = Names::new(declared.iter().map(Word::text));
    // Without declarations every species would be unknown.
    let reactions = if declared.is_empty() { Vec::new() } else { reactions::read(file, &names, &mut report) };

    check_presence(file, &mut report);
    let thermo_is_absent = file.thermo.is_empty() && thermo.is_none();
    if thermo_is_absent && !report.has_unreadable_file() && !declared.is_empty() {
        let message = format!("there is no thermodynamic data: {sought}");
        let help = "name the file with --thermo, or put a THERMO section into the mechanism";
        report.push(Diagnostic::error("thermo::missing-file", message).help(help));
    }
    let species = if thermo_is_absent {
        Vec::new()
    } else {
        let entries = transport_exists.then_some(entries.as_slice());
        species::assemble(&declared, &elements, &records, entries, &mut report)
    };
    let parts = Parts { elements, species, reactions, declared: declared.len() };
    conclude(name, parts, reduction, report)
}

/// A YAML file has no companions but a reduction: `[thermo, transport]` says which others were given all the same.
fn check_yaml(
    name: String,
    source: &Arc<Source>,
    phase: Option<&str>,
    other: &mut yaml::Load,
    companions: [bool; 2],
    reduction: Option<&Arc<Source>>,
    mut report: Report,
) -> Outcome {
    for (_, what) in companions.iter().zip(["thermo", "transport"]).filter(|(given, _)| **given) {
        let message = format!("a {what} file is given beside a YAML file, which holds these data itself");
        report.push(Diagnostic::error("yaml::companion", message).help(format!("leave --{what} out")));
    }
    let Some(contents) = yaml::read(source, phase, other, &mut report) else { return Err(report.sorted()) };
    let yaml::Contents { elements, species, reactions } = contents;
    let declared = species.len();
    let parts = Parts { elements, species, reactions, declared };
    conclude(name, parts, reduction, report)
}

/// What was read; a species is absent where its data are wrong.
struct Parts {
    elements: Vec<Element>,
    species: Vec<Option<Species>>,
    reactions: Vec<Reaction>,
    /// Number of species that were declared.
    declared: usize,
}

/// The checks that need all parts.
fn conclude(name: String, parts: Parts, reduction: Option<&Arc<Source>>, mut report: Report) -> Outcome {
    let Parts { elements, species, reactions, declared } = parts;
    reactions::check_duplicates(&reactions, declared, &mut report);
    // The balance needs every composition; without one the cause is already reported.
    if let Some(species) = species.into_iter().collect::<Option<Vec<_>>>().filter(|s| s.len() == declared) {
        reactions::check_balance(&reactions, &species, &elements, &mut report);
        let reduction = reduction.map(|source| reduction::read(source, &species, &reactions, &mut report));
        if report.errors() == 0 {
            return Ok((Mechanism { name, elements, species, reactions, reduction }, report.sorted()));
        }
    }
    Err(report.sorted())
}

fn check_presence(file: &syntax::File, report: &mut Report) {
    let empty = [("ELEMENTS", file.elements.is_empty()), ("SPECIES", file.species.is_empty())];
    for (section, _) in empty.iter().filter(|(_, is_empty)| *is_empty) {
        let message = format!("the mechanism declares no {}", section.to_lowercase());
        let diagnostic = Diagnostic::error("mechanism::missing-section", message);
        report.push(diagnostic.help(format!("add a section {section} ... END")));
    }
    if file.reactions.iter().all(|section| section.reactions.is_empty()) {
        let mut diagnostic = Diagnostic::warning("mechanism::no-reactions", "the mechanism has no reactions")
            .help("add a section REACTIONS ... END, unless only transport is wanted");
        diagnostic.span = file.reactions.first().map(|section| section.key.span());
        report.push(diagnostic);
    }
}

/// The records inside the mechanism file; problems in them are reported when they are read for good.
fn inline_thermo<'a>(file: &syntax::File<'a>) -> Records<'a> {
    let mut records = Records::default();
    file.thermo.iter().for_each(|section| records.add_section(section));
    records
}

fn covers<'a>(given: impl Iterator<Item = &'a str>, species: &[Word]) -> bool {
    let given = Names::new(given);
    !species.is_empty() && species.iter().all(|word| given.find(word.text()).is_some())
}

fn companion(folder: &Path, names: [&str; 2]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Where a YAML file finds another one that it names.
fn beside(mechanism: &Path, name: &str) -> PathBuf {
    mechanism.parent().unwrap_or(Path::new("")).join(name)
}

fn missing_file(name: &str, place: &Word, report: &mut Report) {
    let message = format!("cannot read '{name}', to which the phase refers");
    report.error("yaml::missing-file", message, place, "put the file beside the mechanism, or copy its entries");
}

fn reduction_path(files: &Files) -> Option<PathBuf> {
    match &files.reduction {
        Companion::Beside => {
            let folder = files.mechanism.parent().unwrap_or(Path::new(""));
            Some(folder.join(REDUCTION_NAME)).filter(|path| path.is_file())
        }
        Companion::At(path) => Some(path.clone()),
        Companion::Ignored => None,
    }
}

/// Bytes of a file that is read at all; bounds time and memory.
const LARGEST_FILE: u64 = 32 << 20;

fn load(path: &Path, report: &mut Report) -> Option<Arc<Source>> {
    let mut bytes = Vec::new();
    // Devices and pipes have no size, so that only reading tells.
    let read = File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 > LARGEST_FILE => {
            let message = format!("'{}' is larger than {} MB", path.display(), LARGEST_FILE >> 20);
            let help = "the largest mechanisms have a tenth of that: check that this is a mechanism";
            report.push(Diagnostic::error("mechanism::file-size", message).help(help));
            None
        }
        Ok(_) => match without_zeros(&bytes) {
            true => Some(decode(&path.display().to_string(), &bytes)),
            false => {
                let message = format!("'{}' is not a text: it holds bytes that are zero", path.display());
                let help = "save it as UTF-8, or as UTF-16 with a byte order mark";
                report.push(Diagnostic::error("mechanism::not-a-text", message).help(help));
                None
            }
        },
        Err(error) => {
            let message = format!("cannot read '{}': {error}", path.display());
            let help = "check the path and the permissions";
            report.push(Diagnostic::error("mechanism::unreadable-file", message).help(help));
            None
        }
    }
}

/// The folder's name for `chem.inp`, which says nothing; the file's own otherwise.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder =
        path.canonicalize().ok().and_then(|path| Some(path.parent()?.file_name()?.to_string_lossy().into_owned()));
    match folder {
        Some(folder) if stem.eq_ignore_ascii_case("chem") => identifier(&folder),
        _ => identifier(&stem),
    }
}

/// Lower case; what no C identifier may hold becomes `_`, and an `m` precedes a digit at the beginning.
fn identifier(name: &str) -> String {
    let lower = name.to_lowercase();
    let plain: String = lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("m{plain}") }
}
