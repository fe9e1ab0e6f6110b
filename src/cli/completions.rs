//! `singe completions SHELL`: what completes commands, flags and their values, made from the definitions of the arguments.

use clap::CommandFactory;

use super::Arguments;
use super::args::CompletionsArguments;
use super::out::print;
use crate::failure::Failure;

pub fn run(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    print(format_args!("{}", String::from_utf8_lossy(&script)))
}
