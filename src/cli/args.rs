//! The arguments as clap reads them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::opt_arguments::OptArguments;
use crate::dataflow::{Form, Kernel, Units};
use crate::driver::POINTS_PER_LANE;
use crate::emit::overlay::{Codegen, Residence};
use crate::fault::Fault;
use crate::kinetics::Stiffness;
use crate::mapping::{Mapper, Weights};
use crate::observer::PASSES;
use crate::output::Emit;
use crate::schedule::Placement;
use crate::target::{Parameter, Target};

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
}

#[derive(Debug, Args)]
pub struct OccupancyArguments {
    /// Architecture, such as kepler or sm_35
    #[arg(long, value_name = "NAME", default_value = "kepler", value_parser = target)]
    pub target: &'static Target,
    /// Threads per CTA
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,
    /// Registers per thread
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(0..=255))]
    pub registers: u32,
    /// Bytes of shared memory per CTA, static and dynamic
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Named barriers per CTA
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=16))]
    pub barriers: u32,
    /// Print a table over one of the resources
    #[arg(long, value_enum)]
    pub sweep: Option<SweepName>,
    /// Draw the sweep to an SVG file
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub picture: Option<PathBuf>,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SweepName {
    Registers,
    Shared,
    Threads,
}

impl From<SweepName> for Parameter {
    fn from(name: SweepName) -> Self {
        match name {
            SweepName::Registers => Self::Registers,
            SweepName::Shared => Self::Shared,
            SweepName::Threads => Self::Threads,
        }
    }
}

#[derive(Debug, Args)]
pub struct AnalyzeArguments {
    /// The PTX text
    #[arg(value_name = "PTX")]
    pub ptx: PathBuf,
    /// Width, height and depth of the block [default: what the kernel's .reqntid says]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape)]
    pub block: Option<[u32; 3]>,
    /// The width of the block is a multiple of 32
    #[arg(long, conflicts_with = "block")]
    pub whole_warps: bool,
    /// Conversions of indices to 64 bits do not wrap; the claims then rest on it
    #[arg(long)]
    pub assume_index_no_wrap: bool,
    /// The kernel [default: every function of the text]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Draw the control-flow graph, coloured by divergence, to a DOT file
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SimArguments {
    /// The PTX text
    #[arg(value_name = "PTX")]
    pub ptx: PathBuf,
    /// The launch: shape and arguments, in TOML
    #[arg(long, value_name = "FILE")]
    pub launch: PathBuf,
    /// Check at every instruction what the divergence analysis claims of its values
    #[arg(long)]
    pub check_uniformity: bool,
    /// Let the analysis assume that conversions of indices to 64 bits do not wrap; a wrap is then a broken claim
    #[arg(long, requires = "check_uniformity")]
    pub assume_index_no_wrap: bool,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// The PTX text
    #[arg(value_name = "PTX")]
    pub ptx: PathBuf,
    /// Threads per CTA, such as 128 or 16,16,1
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape)]
    pub threads: [u32; 3],
    /// Bytes of shared memory that the launch adds
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u64,
    /// CTAs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub ctas: u32,
    /// The value of every 32-bit parameter
    #[arg(long, value_name = "N", default_value_t = 96)]
    pub integer: u32,
    /// The kernel [default: every kernel of the text]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Args)]
pub struct InputArguments {
    /// The CHEMKIN mechanism, or a Cantera YAML file
    #[arg(value_name = "MECHANISM", required = true)]
    pub mechanism: Option<PathBuf>,
    /// THERMO file [default: therm.dat or thermo.dat beside the mechanism, or its THERMO section]
    #[arg(long, value_name = "FILE")]
    pub thermo: Option<PathBuf>,
    /// TRANSPORT file [default: tran.dat or transport.dat beside the mechanism, or its TRANS section]
    #[arg(long, value_name = "FILE")]
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
    /// Architecture, such as kepler or sm_35
    #[arg(long, value_name = "NAME", default_value = "kepler", value_parser = target)]
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
    /// Whether to try the generated code on NVRTC and ptxas, where `cargo xtask toolchain` installed them
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compilers {
    Auto,
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MapperName {
    Greedy,
    Ilp,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PlacementName {
    Auto,
    Store,
    Buffer,
    Mixed,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CodegenName {
    Overlay,
    Switch,
    DataParallel,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ConstantsName {
    /// In registers, striped over the lanes of each warp and broadcast by shuffles
    Stripe,
    /// In constant memory, or in global memory where they exceed its 64 KiB
    ConstantBank,
    /// In shared memory, loaded once per CTA
    Shared,
}

impl From<ConstantsName> for Residence {
    fn from(name: ConstantsName) -> Self {
        match name {
            ConstantsName::Stripe => Self::Striped,
            ConstantsName::ConstantBank => Self::ConstantBank,
            ConstantsName::Shared => Self::Shared,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum UnitsName {
    /// K, Pa, Pa s, W/m/K, m^2/s, kmol/m^3/s
    Si,
    /// K, dyn/cm^2, g/cm/s, erg/cm/s/K, cm^2/s, mol/cm^3/s
    Cgs,
}

impl From<UnitsName> for Units {
    fn from(name: UnitsName) -> Self {
        match name {
            UnitsName::Si => Self::Si,
            UnitsName::Cgs => Self::Cgs,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum StiffnessName {
    /// One after the other, each seeing what the ones before scaled
    Sequential,
    /// All at once
    Jacobi,
    /// Not at all
    Off,
}

impl From<StiffnessName> for Stiffness {
    fn from(name: StiffnessName) -> Self {
        match name {
            StiffnessName::Sequential => Self::Sequential,
            StiffnessName::Jacobi => Self::Jacobi,
            StiffnessName::Off => Self::Off,
        }
    }
}

impl From<MapperName> for Mapper {
    fn from(name: MapperName) -> Self {
        match name {
            MapperName::Greedy => Self::Greedy,
            MapperName::Ilp => Self::Ilp,
        }
    }
}

impl From<PlacementName> for Placement {
    fn from(name: PlacementName) -> Self {
        match name {
            PlacementName::Auto => Self::Auto,
            PlacementName::Store => Self::Store,
            PlacementName::Buffer => Self::Buffer,
            PlacementName::Mixed => Self::Mixed,
        }
    }
}

impl From<CodegenName> for Codegen {
    fn from(name: CodegenName) -> Self {
        match name {
            CodegenName::Overlay => Self::Overlay,
            CodegenName::Switch => Self::Switch,
            CodegenName::DataParallel => Self::DataParallel,
        }
    }
}

/// `--verify N|off`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    Off,
    States(usize),
}

fn verify(text: &str) -> Result<Verify, String> {
    match text {
        "off" => Ok(Verify::Off),
        _ => match text.parse() {
            Ok(n) if (1..=100_000).contains(&n) => Ok(Verify::States(n)),
            _ => Err("give a number of states from 1 to 100000, or off".into()),
        },
    }
}

/// `--matrix`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MatrixName {
    #[value(alias = "off")]
    Dfma,
    Dmma,
    Auto,
}

/// `--form auto|FORM`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormName {
    Auto,
    Form(Form),
}

/// `--fit-tolerance X|exact`
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FitTolerance {
    Exact,
    Within(f64),
}

/// `--points-per-lane 1|2|4|auto`; `None` is auto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsPerLane(pub Option<u32>);

fn points_per_lane(text: &str) -> Result<PointsPerLane, String> {
    match text.parse() {
        _ if text == "auto" => Ok(PointsPerLane(None)),
        Ok(points) if POINTS_PER_LANE.contains(&points) => Ok(PointsPerLane(Some(points))),
        _ => Err("give 1, 2, 4 or auto".into()),
    }
}

fn form(text: &str) -> Result<FormName, String> {
    if text == "auto" {
        return Ok(FormName::Auto);
    }
    let found = Form::ALL.into_iter().find(|f| f.name() == text);
    found.map(FormName::Form).ok_or_else(|| format!("known forms: auto, {}", Form::ALL.map(Form::name).join(", ")))
}

fn fit_tolerance(text: &str) -> Result<FitTolerance, String> {
    match text.parse() {
        _ if text == "exact" => Ok(FitTolerance::Exact),
        Ok(x) if (1e-9..=1e-2).contains(&x) => Ok(FitTolerance::Within(x)),
        _ => Err("give a relative error from 1e-9 to 1e-2, or exact".into()),
    }
}

fn kernel(text: &str) -> Result<Kernel, String> {
    Kernel::ALL
        .into_iter()
        .find(|k| k.name() == text)
        .ok_or_else(|| "known kernels: viscosity, conductivity, diffusion, chemistry".into())
}

pub(super) fn target(text: &str) -> Result<&'static Target, String> {
    Target::by_name(text).map_err(|e| e.to_string())
}

/// Width, height and depth of a CTA; missing ones are 1.
pub(super) fn shape(text: &str) -> Result<[u32; 3], String> {
    let extents: Vec<u32> = text.split(',').map_while(|part| part.parse().ok()).collect();
    let whole = extents.len() == text.split(',').count() && extents.len() <= 3;
    match whole && extents.iter().all(|extent| (1..=1024).contains(extent)) {
        true => Ok(std::array::from_fn(|i| extents.get(i).copied().unwrap_or(1))),
        false => Err("give one to three numbers from 1 to 1024, such as 16,16".into()),
    }
}

fn floor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (1e-300..=1e-3).contains(&x) => Ok(x),
        _ => Err("give a mole fraction from 1e-300 to 1e-3".into()),
    }
}

fn fault(text: &str) -> Result<Fault, String> {
    let found = Fault::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, f)| *f).ok_or_else(|| format!("known faults: {}", Fault::ALL.map(|(name, _)| name).join(", ")))
}

fn weights(text: &str) -> Result<Weights, String> {
    let mut weights = Weights::default();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or("write weights as flops=1,registers=1,locality=1")?;
        let value = match value.parse::<f64>() {
            Ok(v) if (0.0..=1e6).contains(&v) => v,
            _ => return Err(format!("the weight of {name} must be a number from 0 to 1000000")),
        };
        match name {
            "flops" => weights.flops = value,
            "registers" => weights.registers = value,
            "locality" => weights.locality = value,
            _ => return Err(format!("unknown metric {name}; known: flops, registers, locality")),
        }
    }
    Ok(weights)
}
