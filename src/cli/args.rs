//! The arguments as clap reads them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::opt_arguments::OptArguments;
use crate::fault::Fault;
use crate::kernels::Kernel;
use crate::mapping::Weights;
use crate::observer::PASSES;
use crate::output::Emit;
use backend::{AnalyzeArguments, DoctorArguments, OccupancyArguments, SimArguments, VerifyArguments};
use machine::target::Target;
use values::{
    CodegenName, Compilers, ConstantsName, FitTolerance, FormName, MapperName, MatrixName, PlacementName,
    PointsPerLane, StiffnessName, UnitsName, Verify, fault, fit_tolerance, floor, form, kernel, name, points_per_lane,
    target, verify, weights,
};

pub mod backend;
pub mod values;

/// Compiles a combustion mechanism to warp-specialized CUDA kernels, proves and verifies them.
#[derive(Debug, Parser)]
#[command(name = "singe", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub compile: CompileArguments,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Report everything that is wrong with a mechanism, and write nothing
    Check(CheckArguments),
    /// Write a mechanism as canonical CHEMKIN files
    Fmt(FmtArguments),
    /// Tell which values and branches of a PTX kernel are uniform, affine or divergent across a warp, and why
    Analyze(AnalyzeArguments),
    /// Run a PTX kernel in the simulator; print outputs, counts and hazards
    Sim(SimArguments),
    /// Prove a PTX kernel free of deadlocks, unsafe reuse of barriers and races on shared memory
    Verify(VerifyArguments),
    /// Run passes of the backend on a PTX file
    Opt(OptArguments),
    /// Tell how many CTAs of a kernel an SM holds, and which resource limits them
    Occupancy(OccupancyArguments),
    /// Tell which compilers are there, for which targets, and what is missing
    Doctor(DoctorArguments),
}

#[derive(Debug, Clone, Args)]
pub struct InputArguments {
    /// The CHEMKIN mechanism, or a Cantera YAML file
    #[arg(value_name = "MECHANISM", required = true)]
    pub mechanism: Option<PathBuf>,
    /// THERMO file [default: therm.dat or thermo.dat beside the mechanism, or its THERMO section]
    #[arg(long, value_name = "FILE")]
    pub thermo: Option<PathBuf>,
    /// TRANSPORT file, or none [default: tran.dat or transport.dat beside the mechanism, or its TRANS section]
    #[arg(long, value_name = "FILE|none")]
    pub transport: Option<PathBuf>,
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
    /// What files, symbols, include guards and the Fortran module begin with, so that several projects of one mechanism fit into
    /// one program: a C identifier of at most 27 characters [default: the mechanism's name]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// TOML file with values of flags, for all kernels or for each; flags that stand here too have precedence
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Kernels to compile
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = kernel, default_values = ["viscosity", "conductivity", "diffusion", "chemistry"])]
    pub kernel: Vec<Kernel>,
    /// Warps per CTA, 1 to 32
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub warps: u32,
    /// Grid points that each lane works on at once: constants are fetched once for all of them; auto takes more than one
    /// where that saves shuffles that take longest, and registers suffice
    #[arg(long, value_name = "1|2|4|auto", default_value = "1", value_parser = points_per_lane)]
    pub points_per_lane: PointsPerLane,
    /// Architecture, such as hopper or sm_90
    #[arg(long, value_name = "NAME", default_value = "ampere", value_parser = target)]
    pub target: &'static Target,
    /// CTAs that must fit on one SM, 1 to 32
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub ctas_per_sm: u32,
    /// How operations are assigned to warps
    #[arg(long, value_enum, default_value_t = MapperName::Greedy)]
    pub mapper: MapperName,
    /// Weights of the mapper's metrics
    #[arg(long, value_name = "LIST", default_value = "flops=1,registers=1,locality=1", value_parser = weights)]
    pub weights: Weights,
    /// How shared memory is used
    #[arg(long, value_enum, default_value_t = PlacementName::Auto)]
    pub placement: PlacementName,
    /// Values of a group of points that shared memory holds at most: the size of the buffer through which warps exchange them
    #[arg(long, value_name = "SLOTS", value_parser = clap::value_parser!(u32).range(1..))]
    pub buffer: Option<u32>,
    /// In how many passes, at least, values go through shared memory: a phase makes at most so large a share of them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub passes: Option<u32>,
    /// How the warps' code is laid out; several layouts are written side by side, with the layout's name in their symbols
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',', default_value = "overlay")]
    pub codegen: Vec<CodegenName>,
    /// Where the constants of warp-specialized code live
    #[arg(long, value_enum, default_value_t = ConstantsName::Stripe)]
    pub constants: ConstantsName,
    /// Units of the kernels' arrays: SI with kmol, or CGS with mol
    #[arg(long, value_enum, default_value_t = UnitsName::Si)]
    pub units: UnitsName,
    /// Smallest mole fraction in the diffusion kernel
    #[arg(long, value_name = "X", default_value_t = 1e-20, value_parser = floor)]
    pub floor: f64,
    /// Algebra of the kernels: auto (the cheapest that meets --fit-tolerance), pairwise (the paper's), symmetric, low-rank,
    /// polynomial, lean; a kernel without the form takes the pairwise form
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = form)]
    pub form: FormName,
    /// What multiplies with the constant matrices of the symmetric and the low-rank viscosity and the low-rank diffusion:
    /// fused multiply-adds (dfma or off), tensor cores (on ampere, hopper and blackwell; not in data-parallel code), or the
    /// cheaper of both
    #[arg(long, value_enum, default_value_t = MatrixName::Dfma)]
    pub matrix: MatrixName,
    /// Largest relative error of polynomial forms against the exact form from 300 to 3000 K, or exact for exact forms only
    #[arg(long, value_name = "X|exact", default_value = "1e-4", value_parser = fit_tolerance)]
    pub fit_tolerance: FitTolerance,
    /// How the chemistry kernel treats the stiff species of the reduction
    #[arg(long, value_enum, default_value_t = StiffnessName::Sequential)]
    pub stiffness: StiffnessName,
    /// Keep the solution for quasi-steady species to this many warps, while the others compute the remaining rates
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub qssa_warps: Option<u32>,
    /// States to verify each kernel on (at least 1), or off
    #[arg(long, value_name = "N|off", default_value = "70", value_parser = verify)]
    pub verify: Verify,
    /// Whether to try the generated code on NVRTC and ptxas, where they are found: in .toolchain, CUDA_HOME, the PATH or
    /// /usr/local/cuda*, or in SINGE_TOOLCHAIN alone where that is set (singe doctor tells)
    #[arg(long, value_enum, default_value_t = Compilers::Auto)]
    pub compilers: Compilers,
    /// What to write
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Emit::Cuda, Emit::Report, Emit::Picture])]
    pub emit: Vec<Emit>,
    /// Print the result of a pass to stderr
    #[arg(long, value_name = "PASS", value_parser = clap::builder::PossibleValuesParser::new(PASSES))]
    pub print_after: Option<String>,
    /// Print the time that each pass took to stderr
    #[arg(long)]
    pub time_passes: bool,
    /// Print the report as JSON instead of a table
    #[arg(long)]
    pub json: bool,
    /// Folder for the generated files [default: singe-MECHANISM]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Break the compiler on purpose, to see that the checks notice
    #[arg(long, value_name = "FAULT", hide = true, value_parser = fault)]
    pub inject_fault: Option<Fault>,
}
