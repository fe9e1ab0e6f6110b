//! Settings that may differ from kernel to kernel.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::{CtasPerSm, values};
use kernels::Form;
use overlay::Residence;
use schedule::Placement;

/// Numbers of grid points that a lane may work on at once.
pub const POINTS_PER_LANE: [u32; 3] = [1, 2, 4];

/// Settings that make a kernel faster or slower, with the same results. The fields are flags or keys of `--layout`, keys of a configuration
/// and of the report's JSON, by the same names.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Tuning {
    /// Warps per CTA, 1 to 32
    #[arg(long, value_name = "N", default_value = "8", value_parser = values::count::parse)]
    #[serde(with = "super::values::count")]
    pub warps: u32,
    /// Groups of warps in a CTA, 1 to 32. Each has its own points and shared memory, and all go through the code together; not in
    /// data-parallel code
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::count::parse)]
    #[serde(with = "super::values::count")]
    pub groups_per_cta: u32,
    /// Grid points of each lane; `None` takes more than one where that saves shuffles that take longest, and registers suffice.
    #[arg(skip = Some(1))]
    #[serde(with = "super::values::points_per_lane")]
    pub points_per_lane: Option<u32>,
    /// CTAs that must fit on one SM, 1 to 32; auto tries up to five numbers from 1, N,auto from N
    #[arg(long, value_name = "N|auto|N,auto", default_value = "1", value_parser = values::ctas_per_sm::parse)]
    #[serde(with = "super::values::ctas_per_sm")]
    pub ctas_per_sm: CtasPerSm,
    /// Use of shared memory.
    #[arg(skip = Placement::Auto)]
    pub placement: Placement,
    /// Memory of the values that warps hand over in the kernels of one step. Global memory is a workspace, for which the launch function
    /// has an argument.
    #[arg(skip = SlotMemory::Auto)]
    #[serde(skip_serializing_if = "SlotMemory::is_auto")]
    pub slots: SlotMemory,
    /// Memory of the constants; `None` takes that of the target (paper, section 5.2).
    #[arg(skip)]
    #[serde(with = "super::values::constants")]
    pub constants: Option<Residence>,
    /// Whether data-parallel code copies a warp's next inputs while it computes, where shared memory has room.
    #[arg(skip = Prefetch::On)]
    pub prefetch: Prefetch,
    /// Algebra of the kernels: auto (the cheapest that meets --error), pairwise (the paper's), symmetric, low-rank,
    /// polynomial, log-space; a kernel without the form takes the pairwise form
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = values::form::parse)]
    #[serde(with = "super::values::form")]
    pub form: std::option::Option<Form>,
    /// Way to multiply with the constant matrices of the symmetric and low-rank viscosity and the low-rank diffusion; `None` takes the
    /// cheaper one.
    #[arg(skip = Some(Multiplier::Dfma))]
    #[serde(with = "super::values::matrix")]
    pub matrix: Option<Multiplier>,
    /// Warps that solve for quasi-steady species, while the others compute the remaining rates.
    #[arg(skip)]
    #[serde(with = "super::values::some_count", skip_serializing_if = "Option::is_none")]
    pub qssa_warps: Option<u32>,
}

impl Tuning {
    /// The same with another number of CTAs per SM.
    pub fn with_ctas(self, count: u32) -> Self {
        Self { ctas_per_sm: CtasPerSm { count, ..self.ctas_per_sm }, ..self }
    }
}

/// The memory of the values that pass between warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotMemory {
    Auto,
    Shared,
    Global,
}

impl SlotMemory {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// Whether inputs are copied ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prefetch {
    On,
    Off,
}

/// Way to multiply doubles with constant matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Multiplier {
    /// Fused multiply-adds of each point.
    #[value(alias = "off")]
    Dfma,
    /// Matrix products on tensor cores, in the kernels and forms that have constant matrices.
    Dmma,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            warps: 8,
            groups_per_cta: 1,
            points_per_lane: Some(1),
            ctas_per_sm: CtasPerSm::fixed(1),
            placement: Placement::Auto,
            slots: SlotMemory::Auto,
            constants: None,
            prefetch: Prefetch::On,
            form: None,
            matrix: Some(Multiplier::Dfma),
            qssa_warps: None,
        }
    }
}
