//! Settings that may differ from kernel to kernel.

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::values;
use kernels::Form;
use mapping::{Mapper, Weights};
use overlay::Residence;
use schedule::Placement;

/// Numbers of grid points that a lane may work on at once.
pub const POINTS_PER_LANE: [u32; 3] = [1, 2, 4];

/// Settings that make a kernel faster or slower, with the same results. The fields are flags, keys of a configuration
/// and of the report's JSON, by the same names.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Tuning {
    /// Warps per CTA, 1 to 32
    #[arg(long, value_name = "N", default_value = "8", value_parser = values::count::parse)]
    #[serde(with = "super::values::count")]
    pub warps: u32,
    /// Groups of so many warps in a CTA, 1 to 32: each works on points of its own in shared memory of its own, and all go through the
    /// code together; not in data-parallel code
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::count::parse)]
    #[serde(with = "super::values::count")]
    pub groups_per_cta: u32,
    /// Grid points that each lane works on at once: constants are fetched once for all of them; auto takes more than one
    /// where that saves shuffles that take longest, and registers suffice
    #[arg(long, value_name = "1|2|4|auto", default_value = "1", value_parser = values::points_per_lane::parse)]
    #[serde(with = "super::values::points_per_lane")]
    pub points_per_lane: std::option::Option<u32>,
    /// CTAs that must fit on one SM, 1 to 32
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::count::parse)]
    #[serde(with = "super::values::count")]
    pub ctas_per_sm: u32,
    /// CTAs that an SM is to hold: as many as --ctas-per-sm says (fixed), or the fastest of up to five numbers from
    /// that one on (auto)
    #[arg(long, value_enum, default_value_t = Occupancy::Fixed)]
    pub occupancy: Occupancy,
    /// How operations are assigned to warps
    #[arg(long, value_enum, default_value_t = Mapper::Greedy)]
    pub mapper: Mapper,
    /// Weights of the mapper's metrics
    #[arg(long, value_name = "LIST", default_value = "flops=1,registers=1,locality=1", value_parser = values::weights::parse)]
    #[serde(with = "super::values::weights")]
    pub weights: Weights,
    /// How shared memory is used
    #[arg(long, value_enum, default_value_t = Placement::Auto)]
    pub placement: Placement,
    /// Values of a group of points that shared memory holds at most: the size of the buffer through which warps exchange them
    #[arg(long, value_name = "SLOTS", value_parser = values::from_1)]
    #[serde(with = "super::values::some_number", skip_serializing_if = "Option::is_none")]
    pub buffer: Option<u32>,
    /// Where values lie that warps hand over in the kernels of one step: in shared memory, in global memory (a workspace, for which the launch
    /// function has an argument), or in shared memory as long as it has room (auto)
    #[arg(long, value_enum, default_value_t = SlotMemory::Auto)]
    #[serde(skip_serializing_if = "SlotMemory::is_auto")]
    pub slots: SlotMemory,
    /// In how many passes, at least, values go through shared memory: a phase makes at most so large a share of them
    #[arg(long, value_name = "N", value_parser = values::from_1)]
    #[serde(with = "super::values::some_number", skip_serializing_if = "Option::is_none")]
    pub passes: Option<u32>,
    /// Where the constants of warp-specialized code live: stripe (over the lanes of registers, broadcast by shuffles; paper,
    /// section 5.2), constant-bank (in global memory where they are too many for constant memory), shared (loaded once per
    /// CTA), or auto (from volta on in constant memory what has room there; else striped)
    #[arg(long, value_name = "stripe|constant-bank|shared|auto", default_value = "auto", value_parser = values::constants::parse)]
    #[serde(with = "super::values::constants")]
    pub constants: std::option::Option<Residence>,
    /// Copy the inputs of a warp's next points to shared memory while it computes: in data-parallel code, from ampere on, where
    /// shared memory has room
    #[arg(long, value_enum, default_value_t = Prefetch::On)]
    pub prefetch: Prefetch,
    /// Algebra of the kernels: auto (the cheapest that meets --fit-tolerance), pairwise (the paper's), symmetric, low-rank,
    /// polynomial, log-space; a kernel without the form takes the pairwise form
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = values::form::parse)]
    #[serde(with = "super::values::form")]
    pub form: std::option::Option<Form>,
    /// Way to multiply with the constant matrices of the symmetric and the low-rank viscosity and the low-rank
    /// diffusion: fused multiply-adds (dfma or off), tensor cores (dmma; on ampere, hopper and blackwell; not in
    /// data-parallel code), or the cheaper of both (auto)
    #[arg(long, value_name = "dfma|off|dmma|auto", default_value = "dfma", value_parser = values::matrix::parse)]
    #[serde(with = "super::values::matrix")]
    pub matrix: std::option::Option<Multiplier>,
    /// Keep the solution for quasi-steady species to this many warps, while the others compute the remaining rates
    #[arg(long, value_name = "N", value_parser = values::count::parse)]
    #[serde(with = "super::values::some_count", skip_serializing_if = "Option::is_none")]
    pub qssa_warps: Option<u32>,
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

/// Who chooses the CTAs of an SM, and with them the registers of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occupancy {
    /// The user.
    Fixed,
    /// The time that each number of them takes.
    Auto,
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
            ctas_per_sm: 1,
            occupancy: Occupancy::Fixed,
            mapper: Mapper::Greedy,
            weights: Weights::default(),
            placement: Placement::Auto,
            buffer: None,
            slots: SlotMemory::Auto,
            passes: None,
            constants: None,
            prefetch: Prefetch::On,
            form: None,
            matrix: Some(Multiplier::Dfma),
            qssa_warps: None,
        }
    }
}
