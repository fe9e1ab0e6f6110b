//! The arguments: those of `singe`, what to vary, how to search, and how to measure.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, ValueEnum};
use diagnostics::Diagnostic;
use kernels::Kernel;
use singe::cli::{CompileArguments, Layout};
use singe::driver::{Failure, Request, Tuning};
use singe::plan;
use singe::plan::varied::{self, LAYOUT};

use crate::clock::{self, Clock};
use crate::method::Method;
use crate::shard::{self, Shard};
use crate::space::{self, Axis, Candidate};
use crate::work::{self, Work};

/// Tries many settings of each kernel, predicts what they take or measures it, and writes the best kernels, their configuration
/// (best.toml, for singe --config), every candidate with why it lost (tune.json), pictures and a report (tune.html). Candidates are
/// recorded as they finish (candidates.jsonl): the same command goes on where it was stopped
#[derive(Debug, Parser)]
#[command(
    name = "singe-tune",
    version,
    after_help = "singe-tune merge FOLDER... -o FOLDER puts the records of shards together and finishes the search."
)]
struct Words {
    #[command(flatten)]
    compile: CompileArguments,
    /// Values of a flag to try, such as warps=4,8,16; may be given several times. All combinations are tried, behind what singe takes by
    /// itself. What is not given, neither here nor as a flag, is varied as well: all layouts (codegen), and what each of them heeds
    #[arg(long, value_name = "FLAG=V,V", value_parser = axis)]
    vary: Vec<Axis>,
    /// How to search: halving counts every candidate, and compiles or measures a quarter, the best of each layout and way to
    /// multiply and then those that are best by the estimate; exhaustive compiles or measures all
    #[arg(long, value_enum, default_value_t = Method::Halving)]
    search: Method,
    /// Whether to try values beyond the least or the most of a flag where the best candidate has it
    #[arg(long, value_enum, default_value_t = Widen::Auto)]
    widen: Widen,
    /// Command that runs in a folder with the files of one candidate (add host to --emit for a CMake project with a driver)
    /// and prints nanoseconds per point as its last word; without it, the predicted time decides
    #[arg(long, value_name = "COMMAND")]
    measure: Option<String>,
    /// How often the command measures a candidate; the median counts, and the spread is told
    #[arg(long, value_name = "N", default_value = "1", requires = "measure", value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// How long a measurement may take, such as 90s or 10m; then it is ended, and the candidate refused [default: no limit]
    #[arg(long, value_name = "TIME", requires = "measure", value_parser = clock::duration)]
    measure_limit: Option<Duration>,
    /// How long to search, such as 10m or 2h: what is not begun by then is not tried. The same command goes on, with more time or without
    #[arg(long, value_name = "TIME", value_parser = clock::duration)]
    budget: Option<Duration>,
    /// Number of candidates to try, of all kernels together: some of all that there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    trials: Option<u32>,
    /// Try only the i-th of n parts of the candidates, and write nothing but their record
    #[arg(long, value_name = "i/n", value_parser = shard::parse)]
    shard: Option<Shard>,
    /// Into how many shards --emit slurm or worklist divides the candidates
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(1..))]
    shards: u16,
    /// Candidates to try at the same time [default: as many as the machine has cores; 1 with --measure]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Widen {
    Auto,
    Off,
}

/// Arguments that a run of the tuner depends on.
pub struct Arguments {
    pub method: Method,
    pub widen: bool,
    pub clock: Option<Clock>,
    pub budget: Option<Duration>,
    /// Candidates at most.
    pub trials: usize,
    pub shard: Option<Shard>,
    pub shards: u16,
    pub threads: usize,
    pub json: bool,
    /// Work to write instead of a search.
    pub work: Vec<Work>,
    /// The command line without that.
    pub words: Vec<OsString>,
    vary: Vec<Axis>,
    compile: CompileArguments,
    matches: ArgMatches,
}

/// Reads a command line, the first word being the program's own name.
pub fn parse(words: &[OsString]) -> Result<Arguments, clap::Error> {
    let (work, words) = work::asked(words);
    let matches = command().try_get_matches_from(&words)?;
    let all = Words::from_arg_matches(&matches)?;
    let Words { compile, vary, search, widen, measure, shard, shards, threads, budget, .. } = all;
    let clock = measure.map(|command| Clock { command, repeats: all.repeats, limit: all.measure_limit });
    for (number, axis) in vary.iter().enumerate() {
        if vary[..number].iter().any(|other| other.flag == axis.flag) {
            return Err(refused(&format!("--vary {} is given twice", axis.flag)));
        }
        // Every value must be one that singe accepts.
        for value in &axis.values {
            accepted(&axis.flag, value)
                .map_err(|reason| refused(&format!("--vary {}={value}: {reason}", axis.flag)))?;
        }
    }
    if !compile.set.is_empty() {
        return Err(refused("kernels of a --set are tuned by themselves: give their --kernel, --state and --outputs"));
    }
    if search != Method::Exhaustive && (shard.is_some() || !work.is_empty()) {
        return Err(refused("which candidates halving compiles depends on all of them: give --search exhaustive"));
    }
    // Candidates that are timed must have the machine for themselves.
    let cores = || if clock.is_some() { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
    Ok(Arguments {
        method: search,
        widen: widen == Widen::Auto,
        threads: threads.map_or_else(cores, usize::from),
        clock,
        budget,
        trials: all.trials.map_or(usize::MAX, |trials| trials as usize),
        shard,
        shards,
        json: compile.json,
        work,
        words,
        vary,
        compile,
        matches,
    })
}

impl Arguments {
    /// The request of `singe` without any candidate's settings.
    ///
    /// Errors: the configuration file is wrong, or the target cannot have what is asked for; no times are known of the target.
    pub fn request(&self) -> Result<Request, Failure> {
        let request = singe::cli::completed(&self.compile, &self.matches, self.command())?;
        // A reason that would refuse every candidate is reported once.
        request
            .check_outputs()
            .and_then(|()| self.check_varied(&request))
            .map_err(|diagnostic| Failure::usage([diagnostic]))?;
        if request.common.target.is_amd() {
            let message =
                format!("no times are known of {}, by which candidates could be ranked", request.common.target.name);
            let help = "compare the reports of singe for it, or name a GPU of NVIDIA or cpu with --target";
            return Err(Failure::usage([Diagnostic::error("tune::no-candidate", message).help(help)]));
        }
        Ok(request)
    }

    /// The candidates of a kernel.
    pub fn candidates(&self, kernel: Kernel, request: &Request) -> Vec<Candidate> {
        space::all(kernel, request, &self.vary, |flag| self.is_given(flag))
    }

    /// Errors: something is to be varied that the target does not heed.
    fn check_varied(&self, request: &Request) -> Result<(), Diagnostic> {
        let is_idle = |axis: &&Axis| match axis.flag.as_str() {
            LAYOUT => varied::layouts(&request.common).len() == 1,
            flag => !varied::is_heeded_on_target(flag, &request.common),
        };
        let Some(Axis { flag, .. }) = self.vary.iter().find(is_idle) else { return Ok(()) };
        let message = format!("there is no {flag} to vary for {}", request.common.target.name);
        Err(Diagnostic::error("target::no-warps", message).help("vary the form alone, or name a GPU with --target"))
    }

    fn is_given(&self, flag: &str) -> bool {
        singe::cli::is_given(flag, &self.compile, &self.matches)
    }

    /// The command line for the header of generated files: what decides their contents.
    pub fn command(&self) -> String {
        let words = without(&self.words, &["--shard", "--shards", "--threads"]);
        singe::cli::command_line("singe-tune", &words)
    }

    /// The folder for everything that is written.
    pub fn folder(&self) -> PathBuf {
        let default = || singe::cli::default_folder(self.compile.input.mechanism.as_ref().expect("clap requires it"));
        self.compile.output.clone().unwrap_or_else(default)
    }
}

/// Words without some flags and their values.
pub fn without(words: &[OsString], flags: &[&str]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if flags.contains(&&*text) {
            rest.next();
        } else if !flags.iter().any(|flag| text.strip_prefix(flag).is_some_and(|end| end.starts_with('='))) {
            kept.push(word.clone());
        }
    }
    kept
}

/// Clap's description, with what `--emit` can do here besides.
fn command() -> clap::Command {
    Words::command().mut_arg("emit", |argument| {
        argument.help("What to write; or, instead of a search, how to divide it: slurm (a job array), worklist (a command a line)")
    })
}

fn axis(text: &str) -> Result<Axis, String> {
    let (flag, values) = text.split_once('=').ok_or("write FLAG=VALUE,VALUE")?;
    let mut known = plan::tuning_keys();
    known.push(LAYOUT.to_owned());
    if known.iter().all(|name| name != flag) {
        return Err(format!("can be varied: {}", known.join(", ")));
    }
    let values: Vec<&str> = values.split(',').filter(|value| !value.is_empty()).collect();
    if values.is_empty() { Err("give at least one value".into()) } else { Ok(Axis::new(flag, &values)) }
}

/// Errors: the flag cannot have this value.
pub fn accepted(flag: &str, value: &str) -> Result<(), String> {
    if flag == LAYOUT {
        return Layout::from_str(value, false).map(|_| ());
    }
    let alone = Candidate { settings: vec![(flag.to_owned(), value.to_owned())] };
    plan::set(&Tuning::default(), &alone.table()).map(|_| ())
}

fn refused(message: &str) -> clap::Error {
    command().error(clap::error::ErrorKind::ArgumentConflict, message)
}
