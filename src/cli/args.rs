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
    /// When to colour what is printed [default: auto, on a terminal]
    #[arg(long, global = true, value_name = "auto|always|never", value_enum, hide_default_value = true, default_value_t = Color::Auto)]
    pub color: Color,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report everything that is wrong with a mechanism, and write nothing
    Check(CheckArguments),
    /// Write a mechanism as canonical CHEMKIN files
    Fmt(FmtArguments),
    /// Check, analyze, transform, simulate and time PTX: singe ptx verify, opt, ...
    Ptx(PtxArguments),
    /// Make an archive that times kernels on a GPU with nothing but its driver, or tell what it measured there beside what is predicted
    Measure(MeasureArguments),
    /// Tell which compilers are there, for which targets, and what is missing
    Doctor(DoctorArguments),
    /// Print what completes the words of this command in a shell
    Completions(CompletionsArguments),
    /// Print the manual page of this command, or write those of all commands
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
    /// Diffusion by Lewis numbers: all of them 1 (unity), or a file with a line SPECIES VALUE for each species [default: mixture-averaged, or
    /// by the transport model of a YAML phase]
    #[arg(long, value_name = "FILE|unity")]
    pub lewis_numbers: Option<PathBuf>,
    /// Quasi-steady and stiff species, or none [default: reduction.txt beside the mechanism, if it is there]
    #[arg(long, value_name = "FILE|none")]
    pub reduction: Option<PathBuf>,
    /// Phase of a YAML file [default: its first phase of the type ideal-gas]
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// Turn errors that have an obvious repair into warnings
    #[arg(long)]
    pub permissive: bool,
    /// The ranges of all NASA-7 records meet at the default temperature; columns 66-73 hold something else
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
    /// The shell that reads it
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
    /// Prefix of files, symbols, include guards and the Fortran module, so that several projects of one mechanism fit
    /// into one program: a C identifier of at most 27 characters [default: the mechanism's name]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// TOML file with values of flags, for all kernels or for each; flags that stand here too have precedence
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Kernels to compile
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = Kernel::ALL.map(KernelChoice::Kernel))]
    pub kernel: Vec<KernelChoice>,
    /// Further kernels in the same project, with a state and outputs of their own; may be given several times. The name stands before
    /// each kernel's: --set rho=chemistry:TRY makes rho-chemistry
    #[arg(long, value_name = "NAME=KERNELS[:STATE[:OUTPUTS]]", value_parser = Set::parse)]
    pub set: Vec<Set>,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub tuning: Tuning,
    #[arg(long, value_name = "KEY=VALUE", help = layout_help(), value_parser = layout_setting)]
    pub layout: Vec<(String, Value)>,
    /// How the code is laid out; several layouts are written side by side, with the layout's name in their symbols. With
    /// auto among them only the fastest is kept, kernel by kernel
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_values_t = [Layout::Auto])]
    pub codegen: Vec<Layout>,
    /// How long to look for the fastest version
    #[arg(long, value_enum, default_value_t = Effort::Normal)]
    pub effort: Effort,
    /// States to verify each kernel on (70 by default), or off; and checks to leave out: no-compilers (NVRTC and ptxas on the code; they are
    /// found in .toolchain beside the program, CUDA_HOME, the PATH or /usr/local/cuda*, or in SINGE_TOOLCHAIN alone), no-machine-code (run
    /// what they make, and compare it in bits) and no-time (predict its time by the model of the target). For a CPU, measure times the
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
    /// Remove the files that earlier runs wrote for the same project and this one does not, but for those that were changed since
    #[arg(long)]
    pub clean: bool,
    /// Replace files in that folder that Singe did not write, that were changed since, or that another project has
    #[arg(long)]
    pub force: bool,
    /// Make everything anew, and keep nothing: neither read nor write the folder where outcomes of earlier runs are kept
    #[arg(long)]
    pub no_cache: bool,
    /// Break the compiler on purpose, to see that the checks notice
    #[arg(long, value_name = "FAULT", hide = true, value_parser = fault)]
    pub inject_fault: Option<Fault>,
}
