//! `singe ptx TOOL`: the tools for PTX, and for the machine code that ptxas makes of it; and `singe measure`, which takes both to a GPU.
#![forbid(unsafe_code)]
// These macros panic where nobody reads.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod analyze;
mod arguments;
pub mod cubin;
pub mod divergence;
mod given;
mod kernel;
mod launched;
mod levels;
pub mod measure;
mod occupancy;
mod opt;
mod opt_arguments;
pub mod picture;
mod sim;
mod time;
pub mod values;
mod verify;

use std::ffi::{OsStr, OsString};

use clap::{Args, Subcommand};

use arguments::{AnalyzeArguments, OccupancyArguments, SimArguments, TimeArguments};
use command::Failure;
use opt_arguments::OptArguments;
use verify::VerifyArguments;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct PtxArguments {
    #[command(subcommand)]
    pub tool: Tool,
}

const EXAMPLES: &str = "\
Examples:
  singe ptx verify k.ptx --threads 256              proof of the synchronisation, for CTAs of 256 threads
  singe ptx verify *.ptx --launch launch.toml       many files, with the launch of each kernel in a file
  singe ptx analyze k.ptx --block 16,16             divergence of its values and branches
  singe ptx opt k.ptx --pass predicate,allocate     passes; the result is PTX
  singe ptx occupancy k.ptx --block 256             registers against CTAs per SM
  singe ptx time k.ptx --launch launch.toml         modelled cycles on one SM

Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 a kernel failed its proof or its simulation.
`singe ptx verify` takes others with --fail-on. `singe ptx TOOL --help` has the options of a tool.";

#[derive(Debug, Subcommand)]
pub enum Tool {
    /// Prove kernels free of deadlocks, unsafe reuse of barriers and races on shared memory
    Verify(VerifyArguments),
    /// Tell which values and branches are uniform, affine or divergent across a warp, and why
    Analyze(AnalyzeArguments),
    /// Run passes of the backend: melding, predication, allocation, occupancy and others
    Opt(OptArguments),
    /// Run a kernel in the simulator; print outputs, counts and hazards
    Sim(SimArguments),
    /// Tell how long one SM takes for a launch of machine code, and what the cycles of each warp go to
    Time(TimeArguments),
    /// Tell how many CTAs of a kernel an SM holds, and which resource limits them
    Occupancy(OccupancyArguments),
}

pub fn run(arguments: &PtxArguments) -> Result<(), Failure> {
    match &arguments.tool {
        Tool::Verify(arguments) => verify::run(arguments),
        Tool::Analyze(arguments) => analyze::run(arguments),
        Tool::Opt(arguments) => opt::run(arguments),
        Tool::Sim(arguments) => sim::run(arguments),
        Tool::Time(arguments) => time::run(arguments),
        Tool::Occupancy(arguments) => occupancy::run(arguments),
    }
}

/// Puts `ptx` in front of a tool's name that stands where it stood up to version 0.2. Returns the name if there was one.
pub fn renamed(words: &mut Vec<OsString>) -> Option<String> {
    let asks_for_help = words.get(1).is_some_and(|word| word == "help");
    let at = if asks_for_help { 2 } else { 1 };
    let name = words.get(at).and_then(|word| word.to_str())?.to_owned();
    if !tools().contains(&name) {
        return None;
    }
    words.insert(at, OsStr::new("ptx").to_owned());
    Some(name)
}

/// Returns the names of the tools.
pub fn tools() -> Vec<String> {
    let command = Tool::augment_subcommands(clap::Command::new("ptx"));
    command.get_subcommands().map(|tool| tool.get_name().to_owned()).collect()
}
