//! The arguments of `singe ptx verify`.

use std::path::PathBuf;

use clap::Args;

use super::outcome::FailOn;
use crate::values::{assignment, shape};

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// PTX texts, and fat binaries, objects, libraries or programs that have some
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Launches by the names of kernels, in TOML [default: --threads and the other flags, or .reqntid]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["threads", "shared", "ctas", "cluster", "given"])]
    pub launch: Option<PathBuf>,
    /// Threads per CTA, such as 128 or 16,16,1 [default: what the kernel's .reqntid says]
    #[arg(long, visible_alias = "block", value_name = "X[,Y[,Z]]", value_parser = shape)]
    pub threads: Option<[u32; 3]>,
    /// Bytes of shared memory that the launch adds
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub shared: u64,
    /// CTAs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub ctas: u32,
    /// CTAs of a cluster, such as 2 or 2,1,1 [default: what the kernel's .reqnctapercluster says, or 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = shape)]
    pub cluster: Option<[u32; 3]>,
    /// The value of every 32-bit parameter, and of every 64-bit one that is no pointer, that nothing else gives
    #[arg(long, value_name = "N", default_value_t = warpsim::launches::INTEGER)]
    pub integer: u32,
    /// A parameter: a number, pointer, hex: and the bytes of a structure, or ANY when the proof must do without
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = assignment)]
    pub given: Vec<(String, String)>,
    /// The kernel, where * stands for any characters [default: every kernel]
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Work after which the analysis gives up: 1 for a warp instruction, 8 where threads meet or share memory, 64 for an atomic
    #[arg(long, value_name = "N", default_value_t = warpsim::prove::BUDGET, value_parser = clap::value_parser!(u64).range(1..))]
    pub budget: u64,
    /// Kernels that are proven at the same time [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Verdicts that fail: wrong, open (not decided), conditional (proven if …), or none; an exit code other than 3 may stand
    /// behind each, as in wrong=1,open=2 [default: wrong,open,conditional]
    #[arg(long, value_name = "LIST", value_parser = FailOn::parse)]
    pub fail_on: Option<FailOn>,
    /// As --fail-on wrong,open: a proof that rests on conditions (a loop on data ends, all threads load one value) is enough
    #[arg(long, conflicts_with = "fail_on")]
    pub assume: bool,
    /// Findings that are known: only others fail
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the present findings to the file of --baseline, and fail for none of them
    #[arg(long, requires = "baseline")]
    pub write_baseline: bool,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Print the result as JSON on stdout
    #[arg(long)]
    pub json: bool,
}
