//! Options of an overlay: the layout of the code, where constants live, and what a CTA has.

/// How the warps' code is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Codegen {
    /// One copy where warps agree.
    Overlay,
    /// One copy where that spares much code, copies for each warp where look-ups of addresses and constants would cost more.
    Partial,
    /// Straight code for each warp, which adds up what it makes in its own registers.
    Straight,
    /// The naive form: one copy per warp behind a switch on the warp id.
    Switch,
    /// One thread per point: the baseline of paper section 6. The mapping has one warp; `warps` makes up the CTA.
    DataParallel,
}

impl Codegen {
    /// As the command line and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overlay => "overlay",
            Self::Partial => "partial",
            Self::Straight => "straight",
            Self::Switch => "switch",
            Self::DataParallel => "data-parallel",
        }
    }
}

/// Where the constants live. Data-parallel code has them in a bank, wherever that lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Residence {
    /// Striped over the lanes of registers, broadcast by shuffles (paper, section 5.2).
    #[value(name = "stripe")]
    #[serde(rename = "stripe")]
    Striped,
    /// In constant memory; in global memory where they are too many.
    ConstantBank,
    /// In constant memory as long as it has room, the others striped.
    #[value(skip)]
    #[serde(skip)]
    BankAndStriped,
    /// In shared memory, loaded once per CTA.
    Shared,
    /// In shared memory where they take little of it, else as [`BankAndStriped`](Self::BankAndStriped).
    #[value(skip)]
    #[serde(skip)]
    SharedWhereFew,
}

/// Size of a CTA, what its threads may use, and how many points each has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    pub warps: u32,
    /// As in [`Execution::WarpSpecialized`](super::program::Execution::WarpSpecialized).
    pub groups: u32,
    /// 32-bit registers per thread.
    pub registers: u32,
    pub points_per_lane: u32,
    /// Upper bits of a double that an instruction has room for.
    pub literal_bits: u32,
    /// Bytes of the cache of an SM for code and constants.
    pub cache_bytes: u32,
    /// Bytes of shared memory that the CTA may have.
    pub shared_bytes: u32,
    /// As [`Program::staging_bytes`](super::program::Program::staging_bytes).
    pub staging_bytes: Option<u32>,
    /// Named barriers that a CTA may use so that warps of several groups which run the same straight code meet now and then; 0 where they should
    /// not.
    pub barriers: u32,
}
