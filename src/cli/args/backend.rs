//! The arguments of the commands that take no mechanism.

use std::path::PathBuf;

use clap::Args;

use super::values::target;
use machine::target::Target;

#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

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
