//! AMD's machines, in AMD's own terms: one TOML file per product, each number with its source beside it. What the rest of the
//! compiler asks of any GPU, in warps of 32 threads, follows from these.

use super::{Board, ComputeCapability, Shuffle, Target, Vendor};
use serde::Deserialize;
use std::sync::OnceLock;

/// Properties that only AMD's machines have. Sizes are those of one compute unit unless they say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amd {
    /// The name on the command line, such as `mi300x`.
    pub name: String,
    /// The name of the machine code, such as `gfx942`.
    pub gfx: String,

    /// Lanes of a wave.
    pub wavefront: u32,
    pub simds_per_cu: u32,
    pub waves_per_simd: u32,
    pub workgroups_per_cu: u32,
    pub threads_per_workgroup: u32,

    /// Vector registers that each lane of a SIMD has for all of its waves, accumulation registers among them.
    pub vgprs_per_lane: u32,
    /// A wave gets vector registers in multiples of this number.
    pub vgpr_unit: u32,
    /// Vector registers of one thread, accumulation registers included.
    pub max_vgprs: u32,
    /// Number of these that are accumulation registers, which only moves and matrix products name.
    pub accumulation_vgprs: u32,
    /// Scalar registers that a wave can name.
    pub max_sgprs: u32,

    pub lds_bytes_per_cu: u32,
    pub lds_bytes_per_workgroup: u32,
    pub lds_unit: u32,
    pub lds_bytes_per_clock: u32,

    /// The cache for instructions and the one for scalar loads, and how many compute units share each; absent where that is not
    /// published.
    pub instruction_cache_bytes: Option<u32>,
    pub cus_per_instruction_cache: Option<u32>,
    pub scalar_cache_bytes: Option<u32>,
    pub cus_per_scalar_cache: Option<u32>,

    /// Fused multiply-adds of doubles per clock, by vectors and by matrix products; absent where they are not published.
    pub fp64_per_clock_per_cu: Option<u32>,
    pub matrix_fp64_per_clock_per_cu: Option<u32>,
    /// Lanes of vector instructions that are issued per clock; absent where that is not published.
    pub vector_lanes_per_clock_per_cu: Option<u32>,

    pub named_barriers_per_workgroup: u32,
    /// Board of the product; `None` if none is published.
    pub board: Option<Board>,
}

/// Rate assumed for a machine whose rate is not published, to weigh forms: that of CDNA.
const ASSUMED_FP64_PER_CLOCK: u32 = 64;

/// Compute capability of the PTX by which code for AMD is simulated before it is printed: a machine with shuffles and without asynchronous copies.
const SIMULATED: ComputeCapability = ComputeCapability(7, 0);

impl Amd {
    /// Whether waves can meet without all of their workgroup.
    pub fn has_named_barriers(&self) -> bool {
        self.named_barriers_per_workgroup > 0
    }

    /// Waves that a workgroup of so many threads takes.
    pub fn waves(&self, threads: u32) -> u32 {
        threads.div_ceil(self.wavefront).max(1)
    }

    /// Waves that a SIMD holds as far as vector registers go; none where a thread cannot have as many.
    pub fn waves_with(&self, vgprs: u32) -> u32 {
        if vgprs > self.max_vgprs {
            return 0;
        }
        let taken = vgprs.max(1).next_multiple_of(self.vgpr_unit);
        (self.vgprs_per_lane / taken).min(self.waves_per_simd)
    }

    /// Workgroups of so many threads that a compute unit holds as far as vector registers go.
    pub fn workgroups_with(&self, vgprs: u32, threads: u32) -> u32 {
        self.waves_with(vgprs) * self.simds_per_cu / self.waves(threads)
    }

    /// Waves that each SIMD must hold, so that a compute unit has so many workgroups.
    pub fn waves_of(&self, threads: u32, workgroups: u32) -> u32 {
        (self.waves(threads) * workgroups).div_ceil(self.simds_per_cu).max(1)
    }

    /// Returns the ratio of code size to instruction-cache size, if the latter is published.
    pub fn over_instruction_cache(&self, code_bytes: u64) -> Option<f64> {
        self.instruction_cache_bytes.map(|bytes| code_bytes as f64 / f64::from(bytes))
    }

    /// Returns the same machine in terms that do not depend on the maker.
    fn target(self) -> Target {
        let warps_per_wave = self.wavefront / 32;
        let warps_per_cu = self.simds_per_cu * self.waves_per_simd * warps_per_wave;
        Target {
            name: self.name.clone(),
            compute_capability: SIMULATED,
            warps_per_sm: warps_per_cu,
            blocks_per_sm: self.workgroups_per_cu,
            threads_per_sm: 32 * warps_per_cu,
            threads_per_cta: self.threads_per_workgroup,
            registers_per_sm: self.simds_per_cu * self.vgprs_per_lane * self.wavefront,
            registers_per_cta: self.simds_per_cu * self.vgprs_per_lane * self.wavefront,
            max_registers_per_thread: self.max_vgprs,
            register_unit: 32 * self.vgpr_unit,
            warp_granularity: warps_per_wave,
            sub_partitions: self.simds_per_cu,
            shared_bytes_per_sm: self.lds_bytes_per_cu,
            shared_bytes_per_cta: self.lds_bytes_per_workgroup,
            shared_unit: self.lds_unit,
            reserved_shared_bytes_per_cta: 0,
            shared_bytes_per_clock_per_sm: self.lds_bytes_per_clock,
            shared_carve_outs: Vec::new(),
            // The first one is that of all waves, which every machine has.
            named_barriers_per_cta: self.named_barriers_per_workgroup.max(1),
            // Each workgroup has that one for itself.
            named_barriers_per_sm: (!self.has_named_barriers()).then_some(self.workgroups_per_cu),
            shuffle: Shuffle::Permute,
            read_only_loads: false,
            fp64_per_clock_per_sm: self.fp64_per_clock_per_cu.unwrap_or(ASSUMED_FP64_PER_CLOCK),
            tensor_fp64_per_clock_per_sm: None,
            tall_matrix_products: false,
            pipeline: None,
            board: self.board.clone().unwrap_or_else(|| unpublished(&self.name)),
            vendor: Vendor::Amd(Box::new(self)),
        }
    }
}

/// Returns a placeholder for a board that is not published: no time is predicted for it.
fn unpublished(name: &str) -> Board {
    Board {
        name: format!("{name}, of which no board is published"),
        multiprocessors: 1,
        megahertz: 1000,
        gigabytes_per_second: 1,
        reached_gigabytes_per_second: None,
        launch_nanoseconds: None,
    }
}

/// A description, and the names that it is found by.
struct File {
    name: &'static str,
    gfx: &'static str,
    text: &'static str,
}

/// Descriptions of all products. A name of machine code means the first product that has it.
const FILES: [File; 5] = [
    File { name: "mi250x", gfx: "gfx90a", text: include_str!("mi250x.toml") },
    File { name: "mi300x", gfx: "gfx942", text: include_str!("mi300x.toml") },
    File { name: "mi300a", gfx: "gfx942", text: include_str!("mi300a.toml") },
    File { name: "mi355x", gfx: "gfx950", text: include_str!("mi355x.toml") },
    File { name: "gfx1250", gfx: "gfx1250", text: include_str!("gfx1250.toml") },
];

/// The machine of this product (`mi300x`) or machine code (`gfx942`), in small letters.
pub(super) fn by_name(folded: &str) -> Option<&'static Target> {
    FILES.iter().position(|file| file.name == folded || file.gfx == folded).map(described)
}

/// The names of the products.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|file| file.name)
}

/// All machines, oldest first.
pub(super) fn all() -> impl ExactSizeIterator<Item = &'static Target> {
    (0..FILES.len()).map(described)
}

/// The target of a file, which is read when it is first asked for.
fn described(place: usize) -> &'static Target {
    static TARGETS: [OnceLock<Target>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    TARGETS[place].get_or_init(|| {
        let amd: Amd = toml::from_str(FILES[place].text).expect("a test parses every description in this folder");
        amd.target()
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, most_registers, occupancy};
    use super::*;

    fn amd(name: &str) -> &'static Amd {
        Target::by_name(name).unwrap().amd().unwrap()
    }

    #[test]
    fn every_description_is_read_and_found() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/target/amd");
        let files = std::fs::read_dir(folder).unwrap();
        let count = files.filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|e| e == "toml")).count();
        assert_eq!(count, FILES.len());
        for target in Target::of_amd() {
            assert_eq!(Target::by_name(&target.name), Ok(target));
            assert!(target.is_amd() && !target.is_cpu());
            assert_eq!(target.machine_code(), target.amd().unwrap().gfx);
        }
        assert_eq!(Target::by_name("GFX942").map(|target| target.name.as_str()), Ok("mi300x"));
        assert!(Target::all().all(|target| !target.is_amd()));
    }

    #[test]
    fn waves_by_registers_are_those_that_clang_remarks() {
        // Registers of small kernels, and the occupancy that clang 22 remarked for them.
        let cdna = [(23, 8), (67, 7), (79, 6), (101, 4), (113, 4), (130, 3), (169, 2), (259, 1), (512, 1), (513, 0)];
        for name in ["mi250x", "mi300x", "mi355x"] {
            assert_eq!(cdna.map(|(vgprs, _)| (vgprs, amd(name).waves_with(vgprs))), cdna, "{name}");
        }
        let gfx1250 = [(30, 16), (121, 8), (151, 6), (161, 5), (231, 4), (336, 3), (512, 2)];
        assert_eq!(gfx1250.map(|(vgprs, _)| (vgprs, amd("gfx1250").waves_with(vgprs))), gfx1250);
    }

    #[test]
    fn workgroups_follow_from_waves_registers_and_lds() {
        let with = |name: &str, threads, registers_per_thread, shared_bytes| {
            let kernel = Kernel { threads, registers_per_thread, shared_bytes, named_barriers: 0 };
            occupancy(Target::by_name(name).unwrap(), kernel).blocks
        };
        // 256 threads are four waves of 64, one for each SIMD
        assert_eq!(with("mi300x", 256, 512, 0), 1);
        assert_eq!(with("mi300x", 256, 128, 0), 4);
        // Each workgroup has the barrier of all its waves.
        let meeting = Kernel { threads: 256, registers_per_thread: 128, shared_bytes: 0, named_barriers: 1 };
        assert_eq!(occupancy(Target::by_name("mi300x").unwrap(), meeting).blocks, 4);
        assert_eq!(occupancy(Target::by_name("mi300x").unwrap(), Kernel { named_barriers: 2, ..meeting }).blocks, 0);
        // three warps are two waves
        assert_eq!(with("mi300x", 96, 512, 0), 2);
        // in units of 512 and of 1280 bytes
        assert_eq!(with("mi300x", 64, 128, 32_000), 2);
        assert_eq!([32_000, 32 << 10].map(|bytes| with("mi355x", 64, 128, bytes)), [5, 4]);
        assert_eq!(with("mi300x", 64, 64, (64 << 10) + 1), 0);
        assert_eq!(with("mi250x", 2048, 32, 0), 0);
        // 256 threads of gfx1250 are eight waves
        assert_eq!(with("gfx1250", 256, 512, 0), 1);
    }

    #[test]
    fn threads_have_all_registers_where_a_simd_has_one_wave() {
        let most = |name: &str, threads, groups| most_registers(Target::by_name(name).unwrap(), threads, groups);
        assert_eq!([1, 2, 4].map(|groups| most("mi300x", 256, groups)), [512, 256, 128]);
        assert_eq!(most("mi300x", 512, 1), 256);
        assert_eq!(most("gfx1250", 128, 1), 1024);
        assert_eq!(amd("mi300x").waves_of(256, 2), 2);
    }

    #[test]
    fn peak_rates_are_those_of_the_data_sheets() {
        // TFLOPS of doubles by vectors
        for (name, peak) in [("mi250x", 23.9), ("mi300a", 61.3), ("mi300x", 81.7), ("mi355x", 78.6)] {
            let board = amd(name).board.as_ref().unwrap();
            let rate =
                f64::from(2 * amd(name).fp64_per_clock_per_cu.unwrap() * board.multiprocessors * board.megahertz);
            assert!((rate * 1e-6 - peak).abs() < 0.06, "{name}: {rate}");
        }
    }
}
