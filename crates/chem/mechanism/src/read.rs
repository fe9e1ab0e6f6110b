//! From files, or from texts in memory, to a checked [`Mechanism`].

use super::explicit;
use super::foreign::{self, Companions};
use super::load::{self, Inputs};
use super::names::Names;
use super::older_format;
use super::report::Report;
use super::syntax::{self, Word};
use super::thermo::{self as nasa, Records};
use super::unread;
use super::{
    Aside, Diffusion, Element, Mechanism, Phase, Reaction, Species, chemkin, duplicates, elements, lewis, reactions,
    reduction, species, transport, yaml,
};
use diagnostics::{Diagnostic, Source};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The files of a mechanism. Companions that are not named are sought in the mechanism's own folder, unless sections
/// inside the mechanism make them needless.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    pub mechanism: PathBuf,
    pub thermo: Option<PathBuf>,
    /// Transport data. If this is ignored, the transport data inside the mechanism are too.
    pub transport: Companion,
    pub reduction: Companion,
    /// The phase of a YAML file; its first one of ideal gases when it is left out.
    pub phase: Option<String>,
    /// Not read where the transport data are ignored.
    pub lewis: LewisNumbers,
}

/// Source of the species' Lewis numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LewisNumbers {
    /// The transport model of a YAML phase.
    #[default]
    OfPhase,
    /// All of them are 1.
    Unity,
    /// A file with a line `SPECIES VALUE` for each species.
    At(PathBuf),
}

/// Place of an optional companion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Companion {
    /// In the mechanism's folder, if it is there and needed.
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

impl Sources {
    /// A mechanism without companions.
    pub fn new(name: &str, mechanism: Arc<Source>) -> Self {
        Self { name: name.to_owned(), mechanism, thermo: None, transport: None, reduction: None }
    }
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

/// The mechanism with warnings, or all errors and then all warnings, each ordered by file and place.
pub type Outcome = Result<(Mechanism, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Reads and checks a mechanism.
///
/// # Errors
/// Every problem of every file, gathered: unreadable or missing files, malformed lines, unknown names, missing data,
/// unbalanced reactions, undeclared duplicates.
pub fn read(files: &Files) -> Outcome {
    read_with(files, Options::default())
}

/// [`read`] with options.
///
/// # Errors
/// As [`read`].
pub fn read_with(files: &Files, options: Options) -> Outcome {
    let mut inputs = Inputs::default();
    let (mut mechanism, mut warnings) = outcome(files, options, &mut inputs)?;
    if files.transport != Companion::Ignored {
        let mut report = Report::new(options.permissive);
        let diffusion = of_lewis_numbers(&files.lewis, &mechanism, &mut inputs, &mut report);
        let is_wrong = report.errors() > 0;
        let told = report.sorted();
        if is_wrong {
            return Err(told.into_iter().chain(warnings).collect());
        }
        warnings.extend(told);
        mechanism.diffusion = diffusion.unwrap_or(mechanism.diffusion);
    }
    Ok((Mechanism { inputs: inputs.0, ..mechanism }, warnings))
}

/// The diffusion model that replaces the phase's, if any.
fn of_lewis_numbers(
    lewis: &LewisNumbers,
    mechanism: &Mechanism,
    inputs: &mut Inputs,
    report: &mut Report,
) -> Option<Diffusion> {
    match lewis {
        LewisNumbers::OfPhase => None,
        LewisNumbers::Unity => Some(Diffusion::UnityLewis),
        LewisNumbers::At(path) => {
            let source = inputs.load(path, report)?;
            let numbers = lewis::read(&source, &mechanism.species, mechanism.quasi_steady(), report);
            Some(Diffusion::ConstantLewis { file: source.name.clone(), numbers })
        }
    }
}

fn outcome(files: &Files, options: Options, inputs: &mut Inputs) -> Outcome {
    let mut report = Report::new(options.permissive);
    let Some(source) = inputs.load(&files.mechanism, &mut report) else { return Err(report.sorted()) };
    if let Some(refusal) = older_format::refusal(&files.mechanism, &source.text) {
        report.push(refusal);
        return Err(report.sorted());
    }
    let name = name_of(&files.mechanism);
    let wants_transport = files.transport != Companion::Ignored;
    if yaml::is_yaml(&source.name) {
        let companions = [files.thermo.is_some(), matches!(files.transport, Companion::At(_))];
        let reduction = reduction_path(files).and_then(|path| inputs.load(&path, &mut report));
        let mut other = |name: &str, place: &Word, report: &mut Report| {
            let Some(path) = beside(&files.mechanism, name) else {
                let message = format!("'{name}' is not in the folder of the file");
                let help = "put the file there: others are not read, whatever a mechanism says";
                report.error("yaml::outside-folder", message, place, help);
                return None;
            };
            let source = inputs.load(&path, &mut Report::default());
            if source.is_none() {
                missing_file(&path.display().to_string(), place, report);
            }
            source
        };
        let selection = yaml::Selection { phase: files.phase.as_deref(), wants_transport };
        return check_yaml(name, &source, selection, &mut other, companions, reduction.as_ref(), report);
    }
    let mut file = chemkin::parse(&source, &mut report);
    if !wants_transport {
        file.transport.clear();
    }
    let sections = [("THERMO", file.thermo.is_empty()), ("TRANSPORT", file.transport.is_empty())];
    inputs.0[0].sections.extend(sections.into_iter().filter(|(_, is_empty)| !is_empty).map(|(section, _)| section));
    let folder = files.mechanism.parent().unwrap_or(Path::new(""));
    let thermo_path = files.thermo.clone().or_else(|| {
        let needed = !covers(inline_thermo(&file).records.iter().map(|r| r.species()), &file.species);
        needed.then(|| companion(folder, &THERMO_NAMES)).flatten()
    });
    let transport_path = match &files.transport {
        Companion::Beside => {
            let inline = file.transport.iter().flat_map(transport::parse_section);
            let names: Vec<&str> = inline.map(|entry| entry.name.text()).collect();
            let needed = !covers(names.into_iter(), &file.species);
            needed.then(|| companion(folder, &TRANSPORT_NAMES)).flatten()
        }
        Companion::At(path) => Some(path.clone()),
        Companion::Ignored => None,
    };
    let mut load = |path: Option<PathBuf>| path.and_then(|path| inputs.load(&path, &mut report));
    let (thermo, transport, reduction) = (load(thermo_path), load(transport_path), load(reduction_path(files)));
    let absent = Absent {
        thermo: format!("looked for {} beside '{}'", THERMO_NAMES.join(" and "), files.mechanism.display()),
        candidate: (thermo.is_none() && file.thermo.is_empty()).then(|| load::thermo_in(folder)).flatten(),
    };
    let companions = Companions { thermo: thermo.as_ref(), transport: transport.as_ref() };
    check(name, &file, companions, reduction.as_ref(), &absent, options, report)
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
        let selection = yaml::Selection { phase: None, wants_transport: true };
        return check_yaml(name, &sources.mechanism, selection, &mut other, companions, reduction, report);
    }
    let file = chemkin::parse(&sources.mechanism, &mut report);
    let companions = Companions { thermo: sources.thermo.as_ref(), transport: sources.transport.as_ref() };
    let (name, reduction) = (identifier(&sources.name), sources.reduction.as_ref());
    let absent = Absent { thermo: "no thermo text is given".to_owned(), candidate: None };
    check(name, &file, companions, reduction, &absent, options, report)
}

const THERMO_NAMES: [&str; 2] = ["therm.dat", "thermo.dat"];
const TRANSPORT_NAMES: [&str; 3] = ["tran.dat", "trans.dat", "transport.dat"];

/// Where data that are absent were looked for.
struct Absent {
    thermo: String,
    /// Another file of the folder that may have them.
    candidate: Option<PathBuf>,
}

const REDUCTION_NAME: &str = "reduction.txt";

fn check<'a>(
    name: String,
    file: &syntax::File<'a>,
    companions: Companions<'a>,
    reduction: Option<&Arc<Source>>,
    absent: &Absent,
    options: Options,
    mut report: Report,
) -> Outcome {
    let Companions { thermo, transport } = companions;
    let elements = elements::read(&file.elements, &mut report);
    let mut records = Records::new(options.single_intermediate_temperature);
    file.thermo.iter().for_each(|section| records.add_section(section));
    thermo.into_iter().for_each(|source| records.add_file(source));
    unread::tell_of_entries(&records.unread, nasa::begins_entry, &mut report);
    let declared = species::declared(&file.species, &mut report);
    let thermo_is_absent = file.thermo.is_empty() && thermo.is_none();
    let has_thermo = !thermo_is_absent && foreign::has_thermo(&declared, &records, companions, &mut report);
    if has_thermo {
        nasa::tell_stray(&records.broken, &Names::new(declared.iter().map(Word::text)), &mut report);
    }
    let declared = if has_thermo { species::without_broken(declared, &records, &mut report) } else { declared };
    let mut entries = Vec::new();
    file.transport.iter().for_each(|body| entries.extend(transport::parse_section(body)));
    if let Some(source) = transport {
        entries.extend(transport::parse_file(source));
        unread::tell_of_entries(&transport::behind_end(source), transport::is_entry, &mut report);
    }
    let transport_exists = !file.transport.is_empty() || transport.is_some();
    let names = Names::of_species(declared.iter().map(Word::text));
    // Without declarations every species would be unknown.
    let mut reactions = if declared.is_empty() { Vec::new() } else { reactions::read(file, &names, &mut report) };
    explicit::check(explicit::Rule::Warn, &mut reactions, &mut report);

    check_presence(file, &mut report);
    if thermo_is_absent && !report.has_unreadable_file() && !declared.is_empty() {
        let message = format!("there is no thermodynamic data: {}", absent.thermo);
        let help = match &absent.candidate {
            Some(file) => format!("'{0}' looks like it: --thermo '{0}'", file.display()),
            None => "name the file with --thermo, or put a THERMO section into the mechanism".to_owned(),
        };
        report.push(Diagnostic::error("thermo::missing-file", message).help(help));
    }
    let species = if has_thermo {
        let has_transport = transport_exists && foreign::has_transport(&declared, &entries, companions, &mut report);
        let entries = has_transport.then_some(entries.as_slice());
        species::assemble(&declared, &elements, &records, entries, &mut report)
    } else {
        Vec::new()
    };
    let parts = Parts { elements, species, reactions, declared: declared.len() };
    conclude(name, Default::default(), parts, reduction, report)
}

/// A YAML file has no companions but a reduction: `[thermo, transport]` says which others were given all the same.
fn check_yaml(
    name: String,
    source: &Arc<Source>,
    selection: yaml::Selection,
    other: &mut yaml::Load,
    companions: [bool; 2],
    reduction: Option<&Arc<Source>>,
    mut report: Report,
) -> Outcome {
    for (_, what) in companions.iter().zip(["thermo", "transport"]).filter(|(given, _)| **given) {
        let message = format!("a {what} file is given beside a YAML file, which holds these data itself");
        report.push(Diagnostic::error("yaml::companion", message).help(format!("leave --{what} out")));
    }
    let Some(contents) = yaml::read(source, selection, other, &mut report) else { return Err(report.sorted()) };
    let yaml::Contents { phase, diffusion, elements, species, reactions } = contents;
    let declared = species.len();
    let parts = Parts { elements, species, reactions, declared };
    conclude(name, (phase, diffusion), parts, reduction, report)
}

/// Parts that were read; a species is absent if its data are wrong.
struct Parts {
    elements: Vec<Element>,
    species: Vec<Option<Species>>,
    reactions: Vec<Reaction>,
    /// Number of species that were declared.
    declared: usize,
}

/// The checks that need all parts.
fn conclude(
    name: String,
    (phase, diffusion): (Phase, Diffusion),
    parts: Parts,
    reduction: Option<&Arc<Source>>,
    mut report: Report,
) -> Outcome {
    let Parts { elements, species, mut reactions, declared } = parts;
    duplicates::check(&mut reactions, declared, &mut report);
    // The balance needs every composition; without one the cause is already reported.
    if let Some(species) = species.into_iter().collect::<Option<Vec<_>>>().filter(|s| s.len() == declared) {
        reactions::check_balance(&reactions, &species, &elements, &mut report);
        let reduction = reduction.map(|source| reduction::read(source, &species, &reactions, &mut report));
        if report.errors() == 0 {
            let inputs = Vec::new();
            return Ok((
                Mechanism { name, phase: Aside(phase), elements, species, reactions, reduction, diffusion, inputs },
                report.sorted(),
            ));
        }
    }
    Err(report.sorted())
}

fn check_presence(file: &syntax::File, report: &mut Report) {
    if report.has("mechanism::unsupported-section") {
        // A surface mechanism lacks much, for one reason.
        return;
    }
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

fn companion(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Finds another file that a YAML file names; absent if that is outside its own folder.
fn beside(mechanism: &Path, name: &str) -> Option<PathBuf> {
    let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    inside.then(|| mechanism.parent().unwrap_or(Path::new("")).join(name))
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

/// The folder's name for `chem.inp`, which says nothing; the file's own otherwise, so that `chem.yaml` gives `chem`.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder =
        path.canonicalize().ok().and_then(|path| Some(path.parent()?.file_name()?.to_string_lossy().into_owned()));
    let is_yaml = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"));
    match folder {
        Some(folder) if stem.eq_ignore_ascii_case("chem") && !is_yaml => identifier(&folder),
        _ => identifier(&stem),
    }
}

/// Lower case; what no C identifier may hold becomes `_`, and an `m` precedes a digit at the beginning.
fn identifier(name: &str) -> String {
    let lower = name.to_lowercase();
    let plain: String = lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("m{plain}") }
}
