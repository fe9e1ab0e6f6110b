//! `singe man`: manual pages, made from the definitions of the arguments.

use clap::Command;
use clap_mangen::Man;

use super::args::ManArguments;
use super::help;
use command::Failure;
use command::files;
use command::print;
use diagnostics::Diagnostic;

pub fn run(arguments: &ManArguments) -> Result<(), Failure> {
    let command = help::whole();
    let Some(folder) = &arguments.output else {
        return print(format_args!("{}", page(command)?));
    };
    files::write(folder, &pages(command)?, arguments.force).map_err(Failure::input)
}

/// The name and the text of each page: `singe.1`, `singe-check.1` and so on.
fn pages(mut command: Command) -> Result<Vec<(String, String)>, Failure> {
    // The commands learn that they stand behind `singe`.
    command.build();
    let mut commands = vec![command];
    let mut at = 0;
    while let Some(known) = commands.get(at) {
        let below: Vec<Command> = known.get_subcommands().filter(|c| c.get_name() != "help").cloned().collect();
        commands.extend(below);
        at += 1;
    }
    let page_of = |called: Command| {
        let name = called.get_display_name().unwrap_or(called.get_name()).to_owned();
        Ok((format!("{name}.1"), page(called)?))
    };
    commands.into_iter().map(page_of).collect()
}

/// In troff.
fn page(command: Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    let written = Man::new(command).source(format!("Singe {}", env!("CARGO_PKG_VERSION"))).render(&mut text);
    let failed = |error| Diagnostic::error("output::unwritable", format!("a manual page cannot be made: {error}"));
    written.map_err(|error| Failure::input([failed(error)]))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
