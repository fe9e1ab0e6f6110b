//! Dynamic counts of warp instructions.

use std::ops::AddAssign;

use machine::cost::DIVISION_SLOTS;
use machine::cost::latency::Executed;

/// Class of an instruction in the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Double,
    DoubleLong,
    Single,
    Integer,
    Move,
    Shuffle,
    Vote,
    /// Products of matrices of 8 rows.
    Matrix {
        blocks: u64,
    },
    Barrier,
    Global,
    Shared,
    Local,
    Const,
    Branch,
    /// A branch to the next instruction, which the text does not show.
    Free,
}

/// Warp instructions and traffic of one warp, or of all. An instruction counts once per warp, whatever its active lanes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// All warp instructions.
    pub instructions: u64,
    /// Double-precision issue slots; divisions and square roots count [`DIVISION_SLOTS`].
    pub double_slots: u64,
    /// Divisions and square roots.
    pub long_doubles: u64,
    /// Single-precision arithmetic.
    pub singles: u64,
    pub integer: u64,
    /// Moves, selections of words, packs and unpacks, predicate logic.
    pub moves: u64,
    pub shuffles: u64,
    pub votes: u64,
    /// Products of matrices of doubles on tensor cores, 8 rows each; they are none of the `double_slots`.
    pub matrix_products: u64,
    pub branches: u64,
    /// `bar.sync` and `bar.arrive`.
    pub barriers: u64,
    /// Number of waits of a warp at a barrier. Depends on the interleaving.
    pub barrier_waits: u64,
    /// Loads and stores of shared memory.
    pub shared: u64,
    /// Passes over the banks that these took.
    pub shared_passes: u64,
    pub constant_loads: u64,
    pub global: u64,
    /// Bytes that active lanes loaded and stored in global memory.
    pub global_load_bytes: u64,
    pub global_store_bytes: u64,
    pub local: u64,
    pub local_bytes: u64,
    /// Instructions of the arithmetic units: real and integer arithmetic and moves.
    #[serde(skip)]
    pub arithmetic: u64,
    /// Lanes that executed arithmetic instructions.
    #[serde(skip)]
    pub arithmetic_lanes: u64,
}

impl Counts {
    /// Returns the share of the lanes of arithmetic instructions that executed them.
    pub fn utilization(&self) -> f64 {
        self.arithmetic_lanes as f64 / (32 * self.arithmetic.max(1)) as f64
    }

    /// Returns the executed warp instructions, by the latency of their results.
    pub fn executed(&self) -> Executed {
        let memory = self.global + self.local;
        let double_instructions = self.double_slots - u64::from(DIVISION_SLOTS - 1) * self.long_doubles;
        let others = self.branches + self.constant_loads + self.shared + memory + double_instructions;
        Executed {
            simple: self.instructions - others,
            branches: self.branches,
            constants: self.constant_loads,
            doubles: self.double_slots,
            shared: self.shared,
            memory,
        }
    }

    /// Counts the lanes that execute an instruction.
    pub(super) fn lanes(&mut self, class: Class, mask: u32) {
        if matches!(class, Class::Double | Class::DoubleLong | Class::Single | Class::Integer | Class::Move) {
            self.arithmetic += 1;
            self.arithmetic_lanes += u64::from(mask.count_ones());
        }
    }

    pub(super) fn count(&mut self, class: Class) {
        self.instructions += 1;
        match class {
            Class::Double => self.double_slots += 1,
            Class::DoubleLong => {
                self.double_slots += u64::from(DIVISION_SLOTS);
                self.long_doubles += 1;
            }
            Class::Single => self.singles += 1,
            Class::Integer => self.integer += 1,
            Class::Move => self.moves += 1,
            Class::Shuffle => self.shuffles += 1,
            Class::Vote => self.votes += 1,
            Class::Matrix { blocks } => self.matrix_products += blocks,
            Class::Barrier => self.barriers += 1,
            Class::Global => self.global += 1,
            Class::Shared => self.shared += 1,
            Class::Local => self.local += 1,
            Class::Const => self.constant_loads += 1,
            Class::Branch => self.branches += 1,
            Class::Free => self.instructions -= 1,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.double_slots += other.double_slots;
        self.long_doubles += other.long_doubles;
        self.singles += other.singles;
        self.integer += other.integer;
        self.moves += other.moves;
        self.shuffles += other.shuffles;
        self.votes += other.votes;
        self.matrix_products += other.matrix_products;
        self.branches += other.branches;
        self.barriers += other.barriers;
        self.barrier_waits += other.barrier_waits;
        self.shared += other.shared;
        self.shared_passes += other.shared_passes;
        self.constant_loads += other.constant_loads;
        self.global += other.global;
        self.global_load_bytes += other.global_load_bytes;
        self.global_store_bytes += other.global_store_bytes;
        self.local += other.local;
        self.local_bytes += other.local_bytes;
        self.arithmetic += other.arithmetic;
        self.arithmetic_lanes += other.arithmetic_lanes;
    }
}
