//! The arguments of `singe ptx opt`.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};

use crate::values::{nvidia, shape};
use diagnostics::Source;
use machine::target::Target;
use passes::allocate::Algorithm;
use passes::allocate::spill_location::Rewriting;
use passes::at_level::TargetLevel;
use passes::{PASSES, Pass, allocation, at_level, predication};

#[derive(Debug, Args)]
pub struct OptArguments {
    /// The PTX text
    pub ptx: PathBuf,
    /// Passes to run, in order
    #[arg(long = "pass", value_name = "PASS", value_delimiter = ',', required_unless_present = "check", value_parser = PassParser)]
    pub passes: Vec<Chosen>,
    /// Instead of passes: whether the text is an allocation of this one, which someone else made or edited
    #[arg(long, value_name = "BEFORE", conflicts_with_all = ["passes", "output", "launch"])]
    pub check: Option<PathBuf>,
    /// Print the result of a pass to stderr
    #[arg(long, value_name = "PASS", value_parser = PossibleValuesParser::new(names().chain(["all"])))]
    pub print_after: Option<String>,
    /// Only this kernel, or function
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// meld, branch-fusion: the least share of cycles that a meld must save, from 0.01 to 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    pub threshold: f64,
    /// allocate: 32-bit registers per thread
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=255))]
    pub registers: u32,
    /// allocate, predicate: predicate registers per thread
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=7))]
    pub predicates: u32,
    /// allocate: the allocator
    #[arg(long, value_name = "NAME", value_enum, default_value = "chaitin-briggs")]
    pub allocator: AllocatorName,
    /// allocate: which spilled values stay out of local memory
    #[arg(long, value_name = "NAME", value_enum, default_value = "affine")]
    pub rewriting: RewritingName,
    /// allocate: bytes of shared memory per CTA for spilling [default: what costs no occupancy]
    #[arg(long, value_name = "BYTES")]
    pub shared: Option<u32>,
    /// predicate: branches that all lanes take the same way stay branches (static branch uniformity)
    #[arg(long)]
    pub sbu: bool,
    /// predicate: votes skip sides of branches that no lane takes (run-time branch uniformity)
    #[arg(long)]
    pub rbu: bool,
    /// predicate, diverge=auto, occupancy: a launch of the kernel, in TOML, by which versions are compared; without one estimates compare
    /// them, and predicate compares nothing
    #[arg(long, value_name = "FILE")]
    pub launch: Option<PathBuf>,
    /// occupancy: bytes of shared memory that the launch adds [default: what --launch says, or 0]
    #[arg(long, value_name = "BYTES")]
    pub launch_shared: Option<u32>,
    /// The shape of the CTA, such as 16,16,1, where the kernel does not demand one
    #[arg(long, value_name = "X,Y,Z", value_parser = shape)]
    pub block: Option<[u32; 3]>,
    /// allocate: architecture for occupancy; diverge=auto: whose cycles are compared [default: the one of the PTX text]
    #[arg(long, value_name = "NAME", value_parser = nvidia)]
    pub target: Option<&'static Target>,
    /// Write the PTX here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace that file if it has other bytes
    #[arg(long, requires = "output")]
    pub force: bool,
    /// Print the report as JSON, and the PTX only with -o
    #[arg(long)]
    pub json: bool,
}

impl OptArguments {
    /// Returns the options of the passes.
    pub fn options(&self, source: Arc<Source>) -> passes::Options {
        passes::Options {
            block: self.block,
            target: self.target,
            threshold: self.threshold,
            allocation: allocation::Options {
                registers: self.registers,
                predicates: self.predicates,
                algorithm: self.allocator.into(),
                rewriting: self.rewriting.into(),
                shared: self.shared,
            },
            predication: predication::Options { sbu: self.sbu, rbu: self.rbu, predicates: self.predicates },
            occupancy: at_level::Options {
                launch_shared: self.launch_shared.unwrap_or(0),
                ..at_level::Options::default()
            },
            model: None,
            source: Some(source),
        }
    }
}

/// Reads a threshold: at 0, anything would be melded with anything.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.01..=0.5).contains(share));
    share.ok_or_else(|| "give a number from 0.01 to 0.5".into())
}

/// A pass, and the level of occupancy where it is given.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub pass: &'static Pass,
    pub level: TargetLevel,
}

fn names() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|pass| pass.name)
}

/// Reads the name of a pass, `occupancy` also with `=auto` or `=WARPS` behind it; help shows the table.
#[derive(Debug, Clone)]
struct PassParser;

impl TypedValueParser for PassParser {
    type Value = Chosen;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Chosen, clap::Error> {
        let text = value.to_string_lossy();
        let (name, level) = match text.split_once('=') {
            Some((name @ "occupancy", level)) => (name, level),
            _ => (&*text, "auto"),
        };
        let values = PossibleValuesParser::new(PASSES.iter().map(|pass| pass.name));
        let name = values.parse_ref(command, argument, OsStr::new(name))?;
        let level = match level {
            "auto" => TargetLevel::Auto,
            warps => TargetLevel::Warps(clap::value_parser!(u32).range(1..=64).parse_ref(
                command,
                argument,
                OsStr::new(warps),
            )?),
        };
        Ok(Chosen { pass: Pass::by_name(&name).expect("clap takes no other name"), level })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |pass: &Pass| PossibleValue::new(pass.name).help(pass.description);
        Some(Box::new(PASSES.iter().map(value)))
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum AllocatorName {
    LinearScan,
    ChaitinBriggs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum RewritingName {
    /// All spilled values go to local memory
    None,
    /// Uniform values go to shared memory
    Uniform,
    /// Constants and affine values are computed again
    Rematerialize,
    /// Both, and affine values with an unknown base
    Affine,
}

impl From<AllocatorName> for Algorithm {
    fn from(name: AllocatorName) -> Self {
        match name {
            AllocatorName::LinearScan => Self::LinearScan,
            AllocatorName::ChaitinBriggs => Self::ChaitinBriggs,
        }
    }
}

impl From<RewritingName> for Rewriting {
    fn from(name: RewritingName) -> Self {
        match name {
            RewritingName::None => Self::None,
            RewritingName::Uniform => Self::DivRA,
            RewritingName::Rematerialize => Self::RemRA,
            RewritingName::Affine => Self::AffRA,
        }
    }
}
