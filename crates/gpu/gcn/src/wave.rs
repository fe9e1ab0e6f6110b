//! The state of a wave (CDNA3 ISA), and what it waits for.

use crate::barriers::Id;
use crate::exec::Index;
use crate::family::Family;
use crate::operand::{EXEC, File, Registers, VCC, VECTORS};
use crate::waits::Waiting;
use serde::Serialize;

/// Most lanes of a wave.
pub const LANES: usize = 64;

/// Counts of what a wave executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub instructions: u64,
    /// On vectors of lanes, arithmetic and moves.
    pub vector: u64,
    /// Those of them that compute with doubles.
    pub doubles: u64,
    pub scalar: u64,
    pub scalar_loads: u64,
    /// On the LDS, permutations of lanes among them.
    pub lds: u64,
    pub global: u64,
    pub scratch: u64,
    pub barriers: u64,
}

impl Counts {
    /// Both with each count of one and of the other.
    fn with(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            instructions: of(self.instructions, other.instructions),
            vector: of(self.vector, other.vector),
            doubles: of(self.doubles, other.doubles),
            scalar: of(self.scalar, other.scalar),
            scalar_loads: of(self.scalar_loads, other.scalar_loads),
            lds: of(self.lds, other.lds),
            global: of(self.global, other.global),
            scratch: of(self.scratch, other.scratch),
            barriers: of(self.barriers, other.barriers),
        }
    }

    /// Those of all waves, shared by so many.
    pub fn shared(waves: &[Self], by: u64) -> Self {
        let all = waves.iter().fold(Self::default(), |all, wave| all.with(*wave, |a, b| a + b));
        all.with(Self::default(), |a, _| a / by)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Running,
    /// It waits at a barrier.
    At(Id),
    Ended,
}

#[derive(Debug)]
pub struct Wave {
    pub index: u16,
    pub family: Family,
    pub scalars: [u32; 128],
    /// Bits that have a value, by register.
    pub scalar_defined: [u32; 128],
    pub vectors: Vec<[u32; LANES]>,
    /// Whether a register has a value: by register, a bit per lane.
    pub defined: Vec<u64>,
    /// Nothing while it has no value.
    pub scc: Option<bool>,
    pub next: usize,
    /// Index of moves, while that is on.
    pub indexed: Option<Index>,
    pub state: State,
    pub counts: Counts,
    /// Private memory by word and lane.
    pub scratch: Vec<[Option<u32>; LANES]>,
    pub waiting: Waiting,
}

impl Wave {
    /// `lanes` of it are on.
    pub fn new(index: u16, family: Family, lanes: usize, scratch_bytes: u64) -> Self {
        let mut wave = Self {
            index,
            family,
            scalars: [0; 128],
            scalar_defined: [0; 128],
            vectors: vec![[0; LANES]; VECTORS],
            defined: vec![0; VECTORS],
            scc: None,
            next: 0,
            indexed: None,
            state: State::Running,
            counts: Counts::default(),
            scratch: vec![[None; LANES]; scratch_bytes.div_ceil(4) as usize],
            waiting: Waiting::new(),
        };
        wave.set_wide(EXEC, u64::MAX >> (LANES - lanes));
        wave
    }

    pub fn wide(&self, register: u16) -> u64 {
        let at = usize::from(register);
        u64::from(self.scalars[at + 1]) << 32 | u64::from(self.scalars[at])
    }

    pub fn set(&mut self, register: u16, value: u32) {
        self.scalars[usize::from(register)] = value;
        self.scalar_defined[usize::from(register)] = u32::MAX;
    }

    /// The register has no value from here on.
    pub fn forget(&mut self, register: u16) {
        self.scalar_defined[usize::from(register)] = 0;
    }

    pub fn set_wide(&mut self, register: u16, value: u64) {
        self.set(register, value as u32);
        self.set(register + 1, (value >> 32) as u32);
    }

    /// A mask of lanes.
    pub fn mask(&self, register: u16) -> u64 {
        self.wide(register) & (u64::MAX >> (64 - self.family.lanes()))
    }

    pub fn set_mask(&mut self, register: u16, value: u64) {
        self.set(register, value as u32);
        if self.family.mask().registers() == 2 {
            self.set(register + 1, (value >> 32) as u32);
        }
    }

    pub fn exec(&self) -> u64 {
        self.mask(EXEC)
    }

    pub fn vcc(&self) -> Registers {
        Registers { file: File::Scalar, first: VCC, count: self.family.mask().registers() }
    }
}
