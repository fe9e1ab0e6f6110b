//! Machine descriptions: one TOML file per architecture, each number with its source beside it.

mod amd;
mod occupancy;
mod pipeline;
mod sweep;

pub use amd::Amd;
pub use occupancy::{Kernel, Limits, Occupancy, most_registers, occupancy};
pub use pipeline::{Constants, Fetch, Fixed, Memory, Pipeline, Translation};
pub use sweep::{Parameter, sweep};

use serde::Deserialize;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

/// Warp shuffles per clock of an SM, in lanes (CUDA C Programming Guide).
pub const SHUFFLES_PER_CLOCK_PER_SM: u32 = 32;

/// One GPU architecture. Per-SM numbers are those that the driver's own occupancy calculator uses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The name on the command line, such as `kepler`.
    pub name: String,
    /// Compute capability of the PTX by which code is simulated, and of the machine itself if it is NVIDIA's.
    pub compute_capability: ComputeCapability,

    pub warps_per_sm: u32,
    pub blocks_per_sm: u32,
    pub threads_per_sm: u32,
    pub threads_per_cta: u32,

    pub registers_per_sm: u32,
    pub registers_per_cta: u32,
    pub max_registers_per_thread: u32,
    /// A warp gets registers in multiples of this number.
    pub register_unit: u32,
    /// Warps are counted in multiples of this number when registers are given out.
    pub warp_granularity: u32,
    /// Schedulers that own an equal share of the registers.
    pub sub_partitions: u32,

    pub shared_bytes_per_sm: u32,
    /// Shared memory that one CTA may ask for (opt-in included), without the reserved bytes.
    pub shared_bytes_per_cta: u32,
    /// Shared memory is given out in multiples of this number of bytes.
    pub shared_unit: u32,
    pub reserved_shared_bytes_per_cta: u32,
    /// Bytes per clock that all banks deliver to accesses without conflicts.
    pub shared_bytes_per_clock_per_sm: u32,
    /// Sizes that the part of the L1 cache used as shared memory can take; empty where it is fixed.
    #[serde(default)]
    pub shared_carve_outs: Vec<u32>,

    pub named_barriers_per_cta: u32,
    /// Named barriers that all CTAs of an SM share, where the number is published.
    pub named_barriers_per_sm: Option<u32>,

    pub shuffle: Shuffle,
    /// Whether there are loads through the read-only cache (`__ldg`).
    pub read_only_loads: bool,
    pub fp64_per_clock_per_sm: u32,
    /// Fused multiply-adds of doubles per clock of an SM in matrix products on tensor cores, where there are such products at a
    /// rate that is worth it.
    pub tensor_fp64_per_clock_per_sm: Option<u32>,
    /// Whether products of 16 rows (`mma.sync.m16n8k4`) are one instruction of the machine.
    #[serde(default)]
    pub tall_matrix_products: bool,
    /// Parameters of the model of time, for targets that it describes.
    pub pipeline: Option<Pipeline>,
    /// A well-known board with this architecture, for predictions of time.
    pub board: Board,
    /// Maker of the machine. For another maker's, the fields above hold the equivalent for warps of 32 threads.
    #[serde(skip)]
    pub vendor: Vendor,
}

/// The maker of a machine, with what only its machines have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Vendor {
    #[default]
    Nvidia,
    Amd(Box<Amd>),
}

/// One product. Its clock is the one for which the maker states peak rates.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    pub name: String,
    pub multiprocessors: u32,
    pub megahertz: u32,
    /// Peak rate of the device memory; a gigabyte is 10^9 bytes.
    pub gigabytes_per_second: u32,
    /// Measured rate of loads and stores of long arrays, for targets with a model of time.
    pub reached_gigabytes_per_second: Option<u32>,
    /// Time from the start of an empty kernel to the start of the next one, for targets with a model of time.
    pub launch_nanoseconds: Option<u32>,
}

impl Board {
    /// Returns the rate at which device memory serves kernels, in 10^9 bytes per second.
    pub fn delivered(&self) -> u32 {
        self.reached_gigabytes_per_second.unwrap_or(self.gigabytes_per_second)
    }

    /// Returns the time per point on the whole board, given the clocks per point of one SM.
    pub fn nanoseconds(&self, clocks_per_point: f64) -> f64 {
        clocks_per_point / (f64::from(self.multiprocessors) * f64::from(self.megahertz) * 1e-3)
    }
}

/// Major and minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct ComputeCapability(pub u32, pub u32);

impl ComputeCapability {
    /// The number of the machine code, such as 35.
    pub fn number(self) -> u32 {
        10 * self.0 + self.1
    }

    /// The name of the machine code, such as `sm_35`.
    pub fn sm(self) -> String {
        format!("sm_{}{}", self.0, self.1)
    }

    /// The name of the virtual architecture, such as `compute_35`.
    pub fn compute(self) -> String {
        format!("compute_{}{}", self.0, self.1)
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// Way in which one lane of a warp hands a word to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shuffle {
    /// There is no shuffle: one lane writes to shared memory and the warp, in lock step, reads it back.
    Mirror,
    /// `shfl`
    Shfl,
    /// `shfl.sync`, for warps whose lanes need not be in lock step
    ShflSync,
    /// `ds_bpermute_b32`, for waves of AMD, whose lanes are in lock step
    Permute,
}

/// No architecture has this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownTarget {
    pub name: String,
}

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = FILES.iter().map(|file| file.name).chain(amd::names()).collect();
        write!(f, "unknown target `{}`; known: {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownTarget {}

impl Target {
    /// Passes over shared memory per clock of an SM, in lanes: a pass is 32 words of 32 bits.
    pub fn shared_passes_per_clock_per_sm(&self) -> u32 {
        self.shared_bytes_per_clock_per_sm / 4
    }

    /// The architecture of this name (`kepler`), machine code (`sm_35`, `sm_90a`, `gfx942`) or board (`k20`, `mi300x`), in letters of
    /// any case.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownTarget> {
        let folded = name.to_ascii_lowercase();
        if let Some(target) = amd::by_name(&folded) {
            return Ok(target);
        }
        // No kernel of ours uses features of one architecture (`a`) or family (`f`) only.
        let sm = if folded.starts_with("sm_") { folded.trim_end_matches(['a', 'f']) } else { &folded };
        let board = BOARDS.iter().find(|(board, _)| *board == folded).map_or(folded.as_str(), |(_, name)| name);
        let place = FILES.iter().position(|file| file.name == board || file.sm == sm);
        place.map(described).ok_or_else(|| UnknownTarget { name: name.to_owned() })
    }

    /// Returns the named barriers that the CTAs of an SM share. If that is not published, the number for one CTA (paper, section
    /// 4.3 and footnote 1).
    pub fn barrier_pool(&self) -> u32 {
        self.named_barriers_per_sm.unwrap_or(self.named_barriers_per_cta)
    }

    /// Bytes of shared memory through which a warp broadcasts its constants, which are doubles, integers or both; none where
    /// there are shuffles.
    pub fn mirror_bytes_per_warp(&self, doubles: bool, integers: bool) -> u32 {
        if self.shuffle == Shuffle::Mirror { 8 * u32::from(doubles) + 4 * u32::from(integers) } else { 0 }
    }

    /// Double-precision issue slots that one `mma.sync.m8n8k4` of doubles is worth: it does as much as eight fused multiply-adds
    /// of a warp.
    pub fn slots_per_matrix_product(&self) -> Option<u32> {
        self.tensor_fp64_per_clock_per_sm.map(|rate| (8 * self.fp64_per_clock_per_sm).div_ceil(rate))
    }

    /// Returns variants with other assumptions about recent architectures, which decide between versions of a kernel: instruction
    /// caches of half and of twice the capacity, and instructions that arrive in half the time. If the sub-partition on which
    /// CTAs begin is assumed, there is also the other choice.
    pub fn with_other_assumptions(&self) -> Option<Vec<Self>> {
        let pipeline = self.pipeline.as_ref()?;
        let with = |change: &dyn Fn(&mut Pipeline)| {
            let mut pipeline = pipeline.clone();
            change(&mut pipeline);
            Self { pipeline: Some(pipeline), ..self.clone() }
        };
        let bytes = |fetch: &mut Fetch, of: fn(u32) -> u32| {
            (fetch.l0_bytes, fetch.l1_bytes) = (of(fetch.l0_bytes), of(fetch.l1_bytes));
        };
        let mut all = vec![
            with(&|pipeline| bytes(&mut pipeline.fetch, |bytes| bytes / 2)),
            with(&|pipeline| bytes(&mut pipeline.fetch, |bytes| bytes * 2)),
            with(&|pipeline| pipeline.fetch.l1_latency /= 2),
        ];
        if !pipeline.ctas_rotate_is_known {
            all.push(with(&|pipeline| pipeline.ctas_rotate = !pipeline.ctas_rotate));
        }
        Some(all)
    }

    /// Returns the target with one multiprocessor, which has the L2 cache and the device memory for itself.
    pub fn alone(&self) -> Self {
        self.among(1)
    }

    /// Returns the target with this many active multiprocessors, which share the L2 cache and the device memory.
    pub fn among(&self, multiprocessors: u32) -> Self {
        Self { board: Board { multiprocessors, ..self.board.clone() }, ..self.clone() }
    }

    /// Returns the share of the L1 cache used as shared memory if its CTAs take this many bytes together.
    pub fn carve_out(&self, bytes: u32) -> u32 {
        self.shared_carve_outs.iter().copied().find(|size| *size >= bytes).unwrap_or(self.shared_bytes_per_sm)
    }

    /// A processor that runs data-parallel code, several points at a time. Before code is printed, it answers as a GPU without
    /// shuffles whose threads never lack registers: values without a register lie in the first cache.
    pub fn cpu() -> &'static Self {
        &CPU
    }

    pub fn is_cpu(&self) -> bool {
        self.name == CPU_NAME
    }

    /// Properties that only AMD's machines have.
    pub fn amd(&self) -> Option<&Amd> {
        match &self.vendor {
            Vendor::Nvidia => None,
            Vendor::Amd(amd) => Some(amd),
        }
    }

    /// Returns the number of 32-thread warps in one wave, whose lanes run every instruction together.
    pub fn warps_per_wave(&self) -> u32 {
        self.amd().map_or(1, |amd| amd.wavefront / 32)
    }

    pub fn is_amd(&self) -> bool {
        self.amd().is_some()
    }

    /// Whether it is a GPU of NVIDIA's.
    pub fn is_nvidia(&self) -> bool {
        !self.is_cpu() && !self.is_amd()
    }

    /// The name of the machine code, such as `sm_90` or `gfx942`.
    pub fn machine_code(&self) -> String {
        self.amd().map_or_else(|| self.compute_capability.sm(), |amd| amd.gfx.clone())
    }

    /// AMD's GPUs, oldest first.
    pub fn of_amd() -> impl ExactSizeIterator<Item = &'static Self> {
        amd::all()
    }

    /// NVIDIA's GPU architectures, oldest first.
    pub fn all() -> impl ExactSizeIterator<Item = &'static Self> {
        (0..FILES.len()).map(described)
    }
}

/// Returns the target of a file, read on first use: a command needs one or two of them.
fn described(place: usize) -> &'static Target {
    static TARGETS: [OnceLock<Target>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    TARGETS[place]
        .get_or_init(|| toml::from_str(FILES[place].text).expect("a test parses every description in this folder"))
}

const CPU_NAME: &str = "cpu";

static CPU: LazyLock<Target> = LazyLock::new(|| {
    let gpu = Target::by_name("fermi").expect("there is a description of fermi");
    let registers = MOST_REGISTERS;
    Target {
        name: CPU_NAME.to_owned(),
        registers_per_sm: registers,
        registers_per_cta: registers,
        max_registers_per_thread: registers,
        ..gpu.clone()
    }
});

/// More than any kernel asks for.
const MOST_REGISTERS: u32 = 1 << 30;

/// A description, and the names that it is found by.
struct File {
    name: &'static str,
    sm: &'static str,
    text: &'static str,
}

/// Boards by the names that people call them, and their architectures (NVIDIA, CUDA GPUs: compute capability).
const BOARDS: [(&str, &str); 38] = [
    ("c2070", "fermi"),
    ("m2090", "fermi"),
    ("k20", "kepler"),
    ("k20c", "kepler"),
    ("k20x", "kepler"),
    ("k40", "kepler"),
    ("k80", "kepler-gk210"),
    ("m40", "maxwell"),
    ("m60", "maxwell"),
    ("p100", "pascal"),
    ("v100", "volta"),
    ("t4", "turing"),
    ("rtx2080", "turing"),
    ("rtx2080ti", "turing"),
    ("rtx6000", "turing"),
    ("a100", "ampere"),
    ("a30", "ampere"),
    ("a10", "ampere-ga10x"),
    ("a40", "ampere-ga10x"),
    ("a6000", "ampere-ga10x"),
    ("rtx3080", "ampere-ga10x"),
    ("rtx3090", "ampere-ga10x"),
    ("l4", "ada"),
    ("l40", "ada"),
    ("l40s", "ada"),
    ("rtx4080", "ada"),
    ("rtx4090", "ada"),
    ("h100", "hopper"),
    ("h200", "hopper"),
    ("gh200", "hopper"),
    ("h800", "hopper"),
    ("b100", "blackwell"),
    ("b200", "blackwell"),
    ("gb200", "blackwell"),
    ("b300", "blackwell-ultra"),
    ("gb300", "blackwell-ultra"),
    ("rtx5080", "blackwell-gb20x"),
    ("rtx5090", "blackwell-gb20x"),
];

const FILES: [File; 14] = [
    File { name: "fermi", sm: "sm_20", text: include_str!("fermi.toml") },
    File { name: "kepler", sm: "sm_35", text: include_str!("kepler.toml") },
    File { name: "kepler-gk210", sm: "sm_37", text: include_str!("kepler-gk210.toml") },
    File { name: "maxwell", sm: "sm_52", text: include_str!("maxwell.toml") },
    File { name: "pascal", sm: "sm_60", text: include_str!("pascal.toml") },
    File { name: "volta", sm: "sm_70", text: include_str!("volta.toml") },
    File { name: "turing", sm: "sm_75", text: include_str!("turing.toml") },
    File { name: "ampere", sm: "sm_80", text: include_str!("ampere.toml") },
    File { name: "ampere-ga10x", sm: "sm_86", text: include_str!("ampere-ga10x.toml") },
    File { name: "ada", sm: "sm_89", text: include_str!("ada.toml") },
    File { name: "hopper", sm: "sm_90", text: include_str!("hopper.toml") },
    File { name: "blackwell", sm: "sm_100", text: include_str!("blackwell.toml") },
    File { name: "blackwell-ultra", sm: "sm_103", text: include_str!("blackwell-ultra.toml") },
    File { name: "blackwell-gb20x", sm: "sm_120", text: include_str!("blackwell-gb20x.toml") },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_assumed_may_be_otherwise() {
        let of = |name: &str| Target::by_name(name).unwrap().with_other_assumptions();
        let count = |name: &str| of(name).map(|all| all.len());
        assert_eq!((count("hopper"), count("ampere"), count("fermi")), (Some(4), Some(4), None));
        // there it is known where CTAs begin
        assert_eq!(["ampere-ga10x", "blackwell"].map(count), [Some(3); 2]);
        let own = Target::by_name("hopper").unwrap().pipeline.as_ref().unwrap();
        let others: Vec<Pipeline> = of("hopper").unwrap().into_iter().filter_map(|target| target.pipeline).collect();
        let bytes = |at: usize| (others[at].fetch.l0_bytes, others[at].fetch.l1_bytes);
        assert_eq!(bytes(0), (own.fetch.l0_bytes / 2, own.fetch.l1_bytes / 2));
        assert_eq!(bytes(1), (own.fetch.l0_bytes * 2, own.fetch.l1_bytes * 2));
        assert_eq!(others[2].fetch.l1_latency, own.fetch.l1_latency / 2);
        assert!(others[3].ctas_rotate && !others[2].ctas_rotate && bytes(3) == bytes(2));
    }

    #[test]
    fn every_description_is_read_and_found() {
        assert_eq!(Target::all().len(), FILES.len());
        assert!(Target::all().is_sorted_by_key(|t| t.compute_capability));
        for target in Target::all() {
            assert_eq!(Target::by_name(&target.name), Ok(target));
            assert_eq!(Target::by_name(&target.compute_capability.sm()), Ok(target));
        }
    }

    #[test]
    fn boards_and_variants_of_machine_code_name_architectures_in_any_case() {
        for (name, expected) in
            [("H100", "hopper"), ("sm_90a", "hopper"), ("SM_100f", "blackwell"), ("K20", "kepler"), ("Volta", "volta")]
        {
            assert_eq!(Target::by_name(name).map(|target| target.name.as_str()), Ok(expected), "{name}");
        }
        assert!(BOARDS.iter().all(|(board, name)| Target::by_name(board) == Target::by_name(name)));
        assert!(["sm_", "90a", "h10", "sm_90b"].into_iter().all(|name| Target::by_name(name).is_err()));
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/target");
        let files = std::fs::read_dir(folder).unwrap();
        let count = files.filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|e| e == "toml")).count();
        assert_eq!(count, FILES.len());
    }

    #[test]
    fn a_cpu_is_no_gpu() {
        assert!(Target::cpu().is_cpu() && Target::all().all(|target| !target.is_cpu()));
        assert_eq!(Target::cpu().shuffle, Shuffle::Mirror, "tables are read from memory");
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = Target::by_name("kelper").unwrap_err().to_string();
        assert!(error.starts_with("unknown target `kelper`; known: fermi, kepler, "), "{error}");
    }

    #[test]
    fn matrix_products_are_worth_their_share_of_the_peak_rate() {
        let slots = |name| Target::by_name(name).unwrap().slots_per_matrix_product();
        assert_eq!(["volta", "ampere", "ada"].map(slots), [None, Some(4), None]);
        assert_eq!(["hopper", "blackwell"].map(slots), [Some(4), Some(8)]);
    }

    #[test]
    fn shuffles_follow_the_compute_capability() {
        let kind = |name| Target::by_name(name).unwrap().shuffle;
        assert_eq!([kind("fermi"), kind("kepler"), kind("volta")], [Shuffle::Mirror, Shuffle::Shfl, Shuffle::ShflSync]);
    }
}
