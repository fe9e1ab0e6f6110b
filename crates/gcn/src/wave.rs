//! The state of a wave (CDNA3 ISA), and what it waits for.

use crate::operand::{EXEC, File, Registers, VCC};
use serde::Serialize;
use std::collections::VecDeque;

/// Lanes of a wave.
pub const LANES: usize = 64;

/// What a wave executed.
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

/// What a load has not yet delivered, or a store not yet done.
#[derive(Debug, Clone)]
pub struct Outstanding {
    pub registers: Option<Registers>,
    /// By the scalar cache, whose loads come back in any order.
    pub scalar: bool,
    /// It writes the LDS.
    pub shares: bool,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Running,
    AtBarrier,
    Ended,
}

#[derive(Debug)]
pub struct Wave {
    pub index: u16,
    pub scalars: [u32; 128],
    pub scalar_defined: [bool; 128],
    pub vectors: Vec<[u32; LANES]>,
    /// By register, a bit per lane.
    pub defined: Vec<u64>,
    pub scc: bool,
    pub next: usize,
    pub state: State,
    pub counts: Counts,
    /// Private memory by word and lane.
    pub scratch: Vec<[Option<u32>; LANES]>,
    /// The line of the load that each register waits for, or 0.
    pending: [Vec<u32>; 2],
    vector_memory: VecDeque<Outstanding>,
    others: VecDeque<Outstanding>,
}

impl Wave {
    pub fn new(index: u16, lanes: usize, scratch_bytes: u64) -> Self {
        let mut wave = Self {
            index,
            scalars: [0; 128],
            scalar_defined: [false; 128],
            vectors: vec![[0; LANES]; 512],
            defined: vec![0; 512],
            scc: false,
            next: 0,
            state: State::Running,
            counts: Counts::default(),
            scratch: vec![[None; LANES]; scratch_bytes.div_ceil(4) as usize],
            pending: [vec![0; 128], vec![0; 512]],
            vector_memory: VecDeque::new(),
            others: VecDeque::new(),
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
        self.scalar_defined[usize::from(register)] = true;
    }

    /// The register has no value from here on.
    pub fn forget(&mut self, register: u16) {
        self.scalar_defined[usize::from(register)] = false;
    }

    pub fn set_wide(&mut self, register: u16, value: u64) {
        self.set(register, value as u32);
        self.set(register + 1, (value >> 32) as u32);
    }

    pub fn exec(&self) -> u64 {
        self.wide(EXEC)
    }

    pub fn vcc(&self) -> Registers {
        Registers { file: File::Scalar, first: VCC, count: 2 }
    }

    fn pending_in(&mut self, file: File) -> &mut Vec<u32> {
        match file {
            File::Scalar => &mut self.pending[0],
            File::Vector => &mut self.pending[1],
        }
    }

    /// Whether none of the registers waits for a load.
    ///
    /// # Errors
    /// The register that does, and the line of the load.
    pub fn arrived(&mut self, registers: Registers) -> Result<(), String> {
        let pending = self.pending_in(registers.file);
        let waits = registers.all().find(|at| pending[usize::from(*at)] != 0);
        waits.map_or(Ok(()), |at| {
            let line = pending[usize::from(at)];
            let name = Registers { first: at, count: 1, ..registers };
            Err(format!("it uses {name} before an `s_waitcnt` covers the load of line {line}"))
        })
    }

    /// Counts a memory instruction (S_WAITCNT).
    pub fn issue(&mut self, by_vectors: bool, entry: Outstanding) {
        if let Some(registers) = entry.registers {
            let line = entry.line;
            let pending = self.pending_in(registers.file);
            registers.all().for_each(|at| pending[usize::from(at)] = line);
        }
        if by_vectors { self.vector_memory.push_back(entry) } else { self.others.push_back(entry) }
    }

    /// Waits until at most so many instructions on vectors are outstanding: these end in their order.
    pub fn wait_for_vectors(&mut self, left: usize) {
        while self.vector_memory.len() > left {
            let done = self.vector_memory.pop_front();
            self.deliver(done);
        }
    }

    /// Waits until at most so many others are outstanding. Those on the LDS end in their order, but scalar loads at any time: unless nothing
    /// is left, none of these is known to have ended.
    pub fn wait_for_others(&mut self, left: usize) {
        if left == 0 {
            while let Some(done) = self.others.pop_front() {
                self.deliver(Some(done));
            }
            return;
        }
        let scalar = self.others.iter().filter(|entry| entry.scalar).count();
        let mut ended = self.others.len().saturating_sub(left + scalar);
        while ended > 0 {
            let Some(at) = self.others.iter().position(|entry| !entry.scalar) else { break };
            let done = self.others.remove(at);
            self.deliver(done);
            ended -= 1;
        }
    }

    fn deliver(&mut self, entry: Option<Outstanding>) {
        if let Some(registers) = entry.and_then(|entry| entry.registers) {
            let pending = self.pending_in(registers.file);
            registers.all().for_each(|at| pending[usize::from(at)] = 0);
        }
    }

    /// The line of a write to the LDS that is not known to have ended.
    pub fn unshared(&self) -> Option<u32> {
        self.others.iter().find(|entry| entry.shares).map(|entry| entry.line)
    }
}
