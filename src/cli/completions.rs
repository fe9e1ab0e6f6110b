//! `singe completions SHELL`: what completes commands, flags and their values, made from the definitions of the arguments.

use super::args::CompletionsArguments;
use super::help;
use command::Failure;
use command::print;

pub fn run(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut command = help::whole();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    print(format_args!("{}", String::from_utf8_lossy(&script)))
}
