//! The arguments as clap reads them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::fault::Fault;
use crate::observer::PASSES;
use crate::plan::{Common, Effort, Emit, KernelChoice, Set, Tuning, layout_help, layout_setting};
use backend::DoctorArguments;
use kernels::Kernel;
use toml::Value;
use toolkit::PtxArguments;
use toolkit::measure::MeasureArguments;
use values::{Check, Color, Layout, ReportForm, fault, name, verify};

pub mod backend;
pub mod values;

/// Compiles a combustion mechanism to C++, CUDA or HIP code, proves and verifies it.
#[derive(Debug, Parser)]
#[command(name = "singe", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub compile: CompileArguments,
    /// When to colour the output [default: auto, on a terminal]
    #[arg(long, global = true, value_name = "auto|always|never", value_enum, hide_default_value = true, default_value_t = Color::Auto)]
    pub color: Color,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report every error of a mechanism, and write nothing
    Check(CheckArguments),
    /// Write a mechanism as canonical CHEMKIN files
    Fmt(FmtArguments),
    /// Check, analyze, transform, simulate and time PTX: singe ptx verify, opt, ...
    Ptx(PtxArguments),
    /// Make an archive that times kernels on a GPU with its driver alone, or compare its measurements with predictions
    Measure(MeasureArguments),
    /// List the installed compilers, their targets, and what is missing
    Doctor(DoctorArguments),
    /// Print the completion script of a shell
    Completions(CompletionsArguments),
    /// Print the manual page, or write the pages of all commands
    Man(ManArguments),
}

#[derive(Debug, Clone, Args)]
pub struct InputArguments {
    /// The CHEMKIN mechanism, or a Cantera YAML file
    #[arg(value_name = "MECHANISM", required = true)]
    pub mechanism: Option<PathBuf>,
    /// THERMO file [default: therm.dat or thermo.dat beside the mechanism, or its THERMO section]
    #[arg(long, value_name = "FILE")]
    pub thermo: Option<PathBuf>,
    /// TRANSPORT file, or none [default: tran.dat, trans.dat or transport.dat beside the mechanism, or its TRANS section]
    #[arg(long, value_name = "FILE|none")]
    pub transport: Option<PathBuf>,
    /// Diffusion by Lewis numbers: 1 for all species (unity), or a file with a line SPECIES VALUE for each [default: mixture-averaged, or
    /// the transport model of a YAML phase]
    #[arg(long, value_name = "FILE|unity")]
    pub lewis_numbers: Option<PathBuf>,
    /// Quasi-steady and stiff species, or none [default: reduction.txt beside the mechanism, if it exists]
    #[arg(long, value_name = "FILE|none")]
    pub reduction: Option<PathBuf>,
    /// Phase of a YAML file [default: its first phase of the type ideal-gas]
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// Repair errors that have one obvious remedy, with a warning
    #[arg(long)]
    pub permissive: bool,
    /// Take the default temperature as the middle one of all NASA-7 records, and ignore columns 66-73
    #[arg(long)]
    pub single_intermediate_temperature: bool,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// Print the diagnostics as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct FmtArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// Format to write: CHEMKIN files, or one Cantera YAML file
    #[arg(long, value_enum, default_value_t = Format::Chemkin)]
    pub to: Format,
    /// Write nothing; exit with 1 when a file is not in canonical form
    #[arg(long, conflicts_with = "output")]
    pub check: bool,
    /// Folder for chem.inp, therm.dat and tran.dat, or for chem.yaml [default: the mechanism alone goes to stdout]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Replace files in that folder that have other bytes
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell that reads the script
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct ManArguments {
    /// Folder for singe.1 and a page for each command [default: singe.1 goes to stdout]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Replace files in that folder that have other bytes
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Chemkin,
    Yaml,
}

#[derive(Debug, Clone, Args)]
pub struct CompileArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// Prefix of files, symbols, include guards and the Fortran module, a C identifier of at most 27 characters. Several projects of one
    /// mechanism in one program need different ones [default: the mechanism's name]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// TOML file with values of flags, for all kernels or for each; the command line has precedence
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Kernels to compile
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = Kernel::ALL.map(KernelChoice::Kernel))]
    pub kernel: Vec<KernelChoice>,
    /// Further kernels in the same project, with their own state and outputs; may be repeated. NAME becomes a prefix of the kernels:
    /// --set rho=chemistry:TRY makes rho-chemistry
    #[arg(long, value_name = "NAME=KERNELS[:STATE[:OUTPUTS]]", value_parser = Set::parse)]
    pub set: Vec<Set>,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub tuning: Tuning,
    #[arg(long, value_name = "KEY=VALUE", help = layout_help(), value_parser = layout_setting)]
    pub layout: Vec<(String, Value)>,
    /// Layout of the code. Several layouts are written side by side, with the layout's name in their symbols. With
    /// auto among them only the fastest of each kernel is kept
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = [Layout::Auto])]
    pub codegen: Vec<Layout>,
    /// How long to look for the fastest version
    #[arg(long, value_enum, default_value_t = Effort::Normal)]
    pub effort: Effort,
    /// Number of states to verify each kernel on (70 by default), or off; and checks to leave out. no-compilers skips NVRTC and ptxas, which are
    /// found in .toolchain beside the program, CUDA_HOME, the PATH or /usr/local/cuda*, or in SINGE_TOOLCHAIN alone. no-machine-code skips the
    /// run of their machine code and its comparison in bits; no-time skips the prediction of its time. For a CPU, measure times the
    /// kernels on this machine
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = verify)]
    pub verify: Vec<Check>,
    /// Kinds of files to write
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Emit::Cuda, Emit::Report, Emit::Picture])]
    pub emit: Vec<Emit>,
    /// Print the result of a pass to stderr
    #[arg(long, value_name = "PASS", value_parser = clap::builder::PossibleValuesParser::new(PASSES))]
    pub print_after: Option<String>,
    /// Print the time that each pass took to stderr
    #[arg(long)]
    pub time_passes: bool,
    /// How much of the report to print: about ten rows, or every figure
    #[arg(long, value_name = "brief|full", value_enum, default_value_t = ReportForm::Brief)]
    pub report: ReportForm,
    /// Print nothing but warnings and errors
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,
    /// Print the report as JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// Folder for the generated files [default: singe-MECHANISM]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Remove unchanged files of earlier runs of the same project that this run does not write
    #[arg(long)]
    pub clean: bool,
    /// Replace files in that folder even if Singe did not write them, they were changed since, or they belong to another project
    #[arg(long)]
    pub force: bool,
    /// Neither read nor write the cache of earlier results
    #[arg(long)]
    pub no_cache: bool,
    /// Break the compiler on purpose, to see that the checks notice
    #[arg(long, value_name = "FAULT", hide = true, value_parser = fault)]
    pub inject_fault: Option<Fault>,
}
