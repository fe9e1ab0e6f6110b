//! The arguments of the tools for PTX.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::values::{nvidia, shape, target};
use machine::target::{Parameter, Target};

#[derive(Debug, Args)]
pub struct OccupancyArguments {
    /// PTX text, whose kernel is made for every level of occupancy
    #[arg(value_name = "PTX", group = "drawn", conflicts_with_all = ["threads", "sweep"])]
    pub ptx: Option<PathBuf>,
    /// The default with a PTX text, accepted for one more version
    #[arg(long, value_enum, requires = "ptx", hide = true)]
    pub levels: Option<LevelsName>,
    /// The launch that each level is timed with, in TOML; without it, or without the compilers for the target, times are estimated
    #[arg(long, value_name = "FILE", requires = "ptx")]
    pub launch: Option<PathBuf>,
    /// Bytes of shared memory that the launch adds [default: what --launch says, or 0]
    #[arg(long, value_name = "BYTES", requires = "ptx")]
    pub launch_shared: Option<u32>,
    /// The shape of the CTA, such as 16,16,1, where the kernel does not demand one
    #[arg(long, value_name = "X,Y,Z", requires = "ptx", value_parser = shape)]
    pub block: Option<[u32; 3]>,
    /// Write the versions that --pass occupancy=auto tries to a C++ header, which finds the best one while the application runs
    #[arg(long, value_name = "FILE", requires = "ptx")]
    pub header: Option<PathBuf>,
    /// The kernel [default: every kernel of the text]
    #[arg(long, value_name = "NAME", requires = "ptx")]
    pub kernel: Option<String>,
    /// Architecture, such as hopper or sm_90 [default: ampere, or the one of the PTX text]
    #[arg(long, value_name = "NAME", value_parser = target)]
    pub target: Option<&'static Target>,
    /// Threads per CTA
    #[arg(long, value_name = "N", required_unless_present = "ptx", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Registers per thread
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub registers: u32,
    /// Bytes of shared memory per CTA, static and dynamic
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u32,
    /// Named barriers per CTA
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=16))]
    pub barriers: u32,
    /// Print a table over one of the resources
    #[arg(long, value_enum, group = "drawn")]
    pub sweep: Option<SweepName>,
    /// Draw the sweep, or the time of every level, to an SVG file
    #[arg(long, value_name = "FILE", requires = "drawn")]
    pub picture: Option<PathBuf>,
    /// Replace the files of --picture and --header if they have other bytes
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LevelsName {
    All,
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
    /// Replace that file if it has other bytes
    #[arg(long, requires = "picture")]
    pub force: bool,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SimArguments {
    /// PTX text, or machine code as ptxas makes it (a cubin; nvdisasm must be there)
    #[arg(value_name = "CODE")]
    pub code: PathBuf,
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
pub struct TimeArguments {
    /// Machine code (a cubin), or PTX (.ptx) or CUDA C++ (.cu) that the compilers make some of for the target
    #[arg(value_name = "CODE")]
    pub code: PathBuf,
    /// The launch: shape and arguments, in TOML; as many of its CTAs share one SM as fit
    #[arg(long, value_name = "FILE")]
    pub launch: PathBuf,
    /// Architecture whose pipeline is modelled, such as hopper or volta
    #[arg(long, value_name = "NAME", default_value = "hopper", value_parser = nvidia)]
    pub target: &'static Target,
    /// Draw what each warp did when (timeline.svg) and what its clocks went to in all (causes.svg) to a folder
    #[arg(long, value_name = "FOLDER")]
    pub picture: Option<PathBuf>,
    /// Replace files in that folder that have other bytes
    #[arg(long, requires = "picture")]
    pub force: bool,
    /// Time a kernel that races, too, as its warps interleave in the simulator, and warn of each race
    #[arg(long)]
    pub permit_races: bool,
    /// Nothing else runs on the GPU: the SM has all of the L2 cache and of the device memory's rate
    #[arg(long)]
    pub alone: bool,
    /// Turns of the loop in which the launch spends its time, if it has more than the launch's own; prints the mean of a turn
    #[arg(long, value_name = "N")]
    pub turns: Option<NonZeroU32>,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}
