//! The arguments: those of `singe`, what to vary, and how to measure.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser};
use singe::cli::CompileArguments;
use singe::driver::{Request, Tuning};
use singe::plan;

use crate::space::{Axis, Candidate};

/// Tries many settings of each kernel, counts what they cost or measures it, writes the best kernels, their configuration
/// (`best.toml`, for `singe --config`), all candidates (`tune.json`) and a picture of them for each kernel
#[derive(Debug, Parser)]
#[command(name = "singe-tune", version)]
struct Words {
    #[command(flatten)]
    compile: CompileArguments,
    /// Values of a flag to try, such as warps=4,8,16; may be given several times. All combinations are tried. Without it, and
    /// for flags that are not given: warps=4,8,12,16, ctas-per-sm=1,2 (but with --occupancy) and points-per-lane=1,2
    #[arg(long, value_name = "FLAG=V,V", value_parser = axis)]
    vary: Vec<Axis>,
    /// Command that runs in a folder with the files of one candidate (add host to --emit for a CMake project with a driver)
    /// and prints nanoseconds per point as its last word; without it, the predicted time decides
    #[arg(long, value_name = "COMMAND")]
    measure: Option<String>,
}

/// What a run of the tuner depends on.
pub struct Arguments {
    pub axes: Vec<Axis>,
    pub measure: Option<String>,
    pub json: bool,
    words: Vec<OsString>,
    compile: CompileArguments,
}

/// What is varied where the user does not say.
const USUAL: [(&str, &[&str]); 3] =
    [("warps", &["4", "8", "12", "16"]), ("ctas-per-sm", &["1", "2"]), ("points-per-lane", &["1", "2"])];

/// Reads a command line, the first word being the program's own name.
pub fn parse(words: &[OsString]) -> Result<Arguments, clap::Error> {
    let matches = Words::command().try_get_matches_from(words)?;
    let Words { compile, vary, measure } = Words::from_arg_matches(&matches)?;
    let given = |flag: &str| matches.value_source(&flag.replace('-', "_")) == Some(ValueSource::CommandLine);
    // where it is not fixed, a candidate finds its own number of CTAs
    let finds_ctas = given("occupancy") || vary.iter().any(|axis| axis.flag == "occupancy");
    let is_left = |flag: &str| {
        !given(flag) && vary.iter().all(|axis| axis.flag != flag) && !(finds_ctas && flag == "ctas-per-sm")
    };
    let usual = USUAL.iter().filter(|(flag, _)| is_left(flag));
    let mut axes: Vec<Axis> = usual.map(|(flag, values)| Axis::new(flag, values)).collect();
    for axis in vary {
        if axes.iter().any(|other| other.flag == axis.flag) {
            return Err(refused(&format!("--vary {} is given twice", axis.flag)));
        }
        axes.push(axis);
    }
    let arguments = Arguments { axes, measure, json: compile.json, words: words.into(), compile };
    // Every value must be one that singe accepts.
    for axis in &arguments.axes {
        for value in &axis.values {
            let alone = Candidate { settings: vec![(axis.flag.clone(), value.clone())] };
            plan::set(&Tuning::default(), &alone.table())
                .map_err(|reason| refused(&format!("--vary {}={value}: {reason}", axis.flag)))?;
        }
    }
    Ok(arguments)
}

impl Arguments {
    /// The request of `singe` with the settings of a candidate.
    pub fn request(&self, candidate: &Candidate) -> Request {
        let tuning = plan::set(&self.compile.tuning, &candidate.table()).expect("each value was accepted before");
        Request { tuning, ..self.plain() }
    }

    /// The request without any setting.
    pub fn plain(&self) -> Request {
        singe::cli::request(&self.compile, self.command())
    }

    /// The command line, for the header of generated files.
    pub fn command(&self) -> String {
        singe::cli::command_line("singe-tune", &self.words)
    }
}

fn axis(text: &str) -> Result<Axis, String> {
    let (flag, values) = text.split_once('=').ok_or("write FLAG=VALUE,VALUE")?;
    let known = plan::names::<Tuning>();
    if known.iter().all(|name| name != flag) {
        return Err(format!("can be varied: {}", known.join(", ")));
    }
    // Weights have commas of their own.
    let separator = if flag == "weights" { ';' } else { ',' };
    let values: Vec<&str> = values.split(separator).filter(|value| !value.is_empty()).collect();
    if values.is_empty() { Err("give at least one value".into()) } else { Ok(Axis::new(flag, &values)) }
}

fn refused(message: &str) -> clap::Error {
    Words::command().error(clap::error::ErrorKind::ArgumentConflict, message)
}
