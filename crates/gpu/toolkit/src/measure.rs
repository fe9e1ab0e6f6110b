//! `singe measure`: kernels and their launches, or a project, as an archive that a machine with a GPU runs; and what it brought back.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::kernel::{bytes, text};
use super::sim::{ELF, chosen, stopped, wrong};
use super::time::code;
use crate::values::target;
use clap::Args;
use command::Failure;
use command::files;
use command::print;
use diagnostics::Diagnostic;
use machine::target::Target;
use measure::launch::{self, Launched};
use measure::pack::Pack;
use measure::{project, results, runner};
use warpsim::setup;

#[derive(Debug, Args)]
pub struct MeasureArguments {
    /// Kernels (.cu, .ptx or a cubin), the folder of a project that this command wrote with --emit cuda,host,report, or the results.json
    /// that came back
    #[arg(value_name = "K.cu|K.ptx|FOLDER|RESULTS.json")]
    pub what: PathBuf,
    /// A launch of one of the kernels: shape and arguments, in TOML; may be given several times
    #[arg(long, value_name = "FILE")]
    pub launch: Vec<PathBuf>,
    /// Architectures that texts are compiled for, such as hopper or ampere,hopper
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "hopper", value_parser = target)]
    pub target: Vec<&'static Target>,
    /// Take a kernel that races, too, and warn of each race
    #[arg(long)]
    pub permit_races: bool,
    /// Folder for the archive [default: singe-measure-NAME]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Replace files in that folder that Singe did not write, or that were changed since
    #[arg(long)]
    pub force: bool,
    /// Print what was measured as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(arguments: &MeasureArguments) -> Result<(), Failure> {
    let what = &arguments.what;
    if what.extension().is_some_and(|extension| extension == "json") {
        return statement(what, arguments.json);
    }
    let packs = if what.is_dir() { of_project(arguments)? } else { of_launches(arguments)? };
    let default = || PathBuf::from(format!("singe-measure-{}", name_of(what)));
    let folder = arguments.output.clone().unwrap_or_else(default);
    write(&folder, packs, arguments.force)?;
    let shown = folder.display();
    diagnostics::to_stderr(format_args!(
        "{shown}: take it to where the GPU is, run `sh run.sh` there, and bring back its results.json\n"
    ));
    diagnostics::to_stderr(format_args!("then: singe measure results.json\n"));
    Ok(())
}

/// Packs with the name of their target, and the sources for people who look into the archive.
struct Packs {
    packs: Vec<(&'static Target, Pack)>,
    sources: Vec<(String, Vec<u8>)>,
}

fn of_project(arguments: &MeasureArguments) -> Result<Packs, Failure> {
    if !arguments.launch.is_empty() {
        return Err(usage("a project knows how its kernels are launched", "leave --launch out"));
    }
    let (pack, target) = project::pack(&arguments.what).map_err(|reason| {
        let text = format!("{}: {reason}", arguments.what.display());
        let help = "it takes what `singe MECHANISM --emit cuda,host,report` writes for a GPU, and compilers for that";
        Failure::input([Diagnostic::error("measure::project", text).help(help)])
    })?;
    Ok(Packs { packs: vec![(target, pack)], sources: Vec::new() })
}

fn of_launches(arguments: &MeasureArguments) -> Result<Packs, Failure> {
    let given = bytes(&arguments.what)?;
    if arguments.launch.is_empty() {
        return Err(usage("nothing says how the kernel is launched", "give --launch FILE, as for `singe ptx time`"));
    }
    let mut packs = Vec::new();
    for target in &arguments.target {
        let (made, cubin) = code(&arguments.what, target)?;
        let names: Vec<&str> = cubin.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        // a cubin has a target of its own
        let own = Target::by_name(&format!("sm_{}", cubin.sm)).unwrap_or(target);
        if packs.iter().any(|(target, _): &(&Target, Pack)| target.name == own.name) {
            continue;
        }
        let mut launches = Vec::new();
        for (name, path) in arguments.launch.iter().zip(names_of(&arguments.launch)) {
            let folder = name.parent().unwrap_or(Path::new(""));
            let setup = setup::read(&text(name)?, folder).map_err(|e| wrong(name, &e))?;
            let kernel = chosen(setup.kernel.clone(), &names, name)?;
            let permits_races = arguments.permit_races;
            launches.push(Launched { name: path, cubin: &cubin, bytes: &made, kernel, setup, permits_races });
        }
        let packed = launch::pack(&launches, own);
        let (pack, raced) = packed.map_err(|(kernel, failure)| stopped(&kernel, failure))?;
        for found in raced {
            diagnostics::to_stderr(format_args!(
                "warning: {}, {}; on a GPU its results may be others\n",
                found.kernel, found.race
            ));
        }
        packs.push((own, pack));
    }
    let mut sources = Vec::new();
    if !given.starts_with(ELF) {
        sources.push((file_name(&arguments.what), given));
    }
    for (path, name) in arguments.launch.iter().zip(names_of(&arguments.launch)) {
        sources.push((format!("{name}.toml"), bytes(path)?));
    }
    Ok(Packs { packs, sources })
}

/// Writes the archive; the files of an earlier one that nobody changed go, and the folders that they leave empty.
fn write(folder: &Path, packs: Packs, force: bool) -> Result<(), Failure> {
    let mut files = packs.sources;
    files.push(("runner.c".to_owned(), runner::SOURCE.into()));
    files.push(("run.sh".to_owned(), runner::SCRIPT.into()));
    let mut names = BTreeSet::new();
    for (target, Pack(of_pack)) in packs.packs {
        names.insert(target.name.clone());
        files.extend(of_pack.into_iter().map(|(name, bytes)| (format!("packs/{}/{name}", target.name), bytes)));
    }
    for note in files::write_project(folder, "singe-measure", files, true, force).map_err(Failure::input)? {
        diagnostics::to_stderr(format_args!("{note}\n"));
    }
    let earlier = std::fs::read_dir(folder.join("packs")).into_iter().flatten().flatten();
    for pack in earlier.filter(|pack| !names.contains(&*pack.file_name().to_string_lossy())) {
        // what is not empty has files of somebody else
        let _ = std::fs::remove_dir(pack.path());
    }
    Ok(())
}

/// Prints the times that a GPU took, beside the predicted ones; fails if its values are wrong.
fn statement(path: &Path, json: bool) -> Result<(), Failure> {
    let read = results::read(&text(path)?).map_err(|reason| {
        let text = format!("{} is not what the archive's runner writes: {reason}", path.display());
        Failure::input([Diagnostic::error("measure::results", text).help("give the results.json that came back")])
    })?;
    if json {
        let with = |target: &str, entry: serde_json::Value| serde_json::json!({ "target": target, "is": entry });
        let kernels: Vec<_> = results::kernels(&read).map(|(of, it)| with(of, serde_json::json!(it))).collect();
        let launches: Vec<_> = results::launches(&read).map(|(of, it)| with(of, serde_json::json!(it))).collect();
        let all = serde_json::json!({ "device": read.device, "kernels": kernels, "launches": launches });
        print(format_args!("{all:#}\n"))?;
    } else {
        print(format_args!("{}", results::page(&read)))?;
    }
    let error = |what: &dyn Display| Diagnostic::error("measure::wrong", format!("{what}: the GPU has other values"));
    let kernels = results::kernels(&read).filter(|(_, kernel)| !kernel.is_right());
    let mut found: Vec<Diagnostic> =
        kernels.map(|(_, kernel)| error(&format_args!("{} {}", kernel.mechanism, kernel.kernel))).collect();
    let launches = results::launches(&read).filter(|(_, launch)| launch.wrong > 0);
    found.extend(launches.map(|(_, launch)| error(&format_args!("{}, launch {}", launch.kernel, launch.launch))));
    match found.is_empty() {
        true => Ok(()),
        // the JSON has it
        false if json => Err(Failure::verification([])),
        false => Err(Failure::verification(found)),
    }
}

fn usage(message: &str, help: &str) -> Failure {
    Failure::usage([Diagnostic::error("measure::launch", message).help(help)])
}

/// The names of launches: those of their files, told apart by numbers.
fn names_of(launches: &[PathBuf]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |path: &PathBuf| {
        let stem = name_of(path);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let name = std::iter::once(stem.clone()).chain(numbered).find(|name| !taken.contains(name));
        let name = name.unwrap_or(stem);
        taken.insert(name.clone());
        name
    };
    launches.iter().map(name).collect()
}

/// The name of a file without its ending, or of a folder, in letters that a plan may have.
fn name_of(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let stem = absolute.file_stem().map_or("launch".to_owned(), |stem| stem.to_string_lossy().into_owned());
    stem.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).take(60).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| "kernel".to_owned(), |name| name.to_string_lossy().into_owned())
}
