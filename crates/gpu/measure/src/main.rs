//! `singe-measure pack FOLDER`: an archive for a machine with a GPU; `singe-measure project PACK PROJECT`: the kernels of a project for it;
//! `singe-measure page RESULTS.json`: what it measured there, as a table;
//! `singe-measure mechanisms RESULTS.json`: the kernels of mechanisms alone;
//! `singe-measure entries RESULTS.json`: the entries of the targets' tables that would change. `cargo xtask hardware` runs it.
#![forbid(unsafe_code)]

use machine::target::Target;
use measure::{benchmark, plan, project, results, runner};
use std::path::Path;
use std::process::ExitCode;

/// The targets that the archive has code for.
const TARGETS: [&str; 3] = ["ampere", "hopper", "blackwell"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match &words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["pack", folder] => pack(Path::new(folder)),
        ["project", folder, of] => project::pack(Path::new(of)).and_then(|(pack, _)| pack.write(Path::new(folder))),
        ["page", file] => read(file).map(|results| print!("{}", results::page(&results))),
        ["mechanisms", file] => read(file).map(|results| print!("{}", results::mechanisms_page(&results))),
        ["entries", file] => read(file).map(|results| print!("{}", results::proposals(&results))),
        _ => Err("usage: singe-measure pack FOLDER | project PACK PROJECT | page RESULTS.json | mechanisms RESULTS.json | entries RESULTS.json"
            .to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn pack(folder: &Path) -> Result<(), String> {
    for name in TARGETS {
        let target = Target::by_name(name).map_err(|unknown| format!("{} is no target", unknown.name))?;
        plan::pack(&benchmark::all(), target)?.write(&folder.join("packs").join(name))?;
    }
    for (name, text) in [("runner.c", runner::SOURCE), ("run.sh", runner::SCRIPT)] {
        std::fs::write(folder.join(name), text).map_err(|e| format!("{name} cannot be written: {e}"))?;
    }
    Ok(())
}

fn read(file: &str) -> Result<results::Results, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file} cannot be read: {e}"))?;
    results::read(&text).map_err(|reason| format!("{file}: {reason}"))
}
