//! Registers that a wave waits for: those whose loads have not come, and those that an instruction on memory may read again.

use crate::instruction::{Counter, Waits};
use crate::operand::{File, Registers, VECTORS};
use std::collections::VecDeque;

/// A load that has not been delivered yet, or a store that is not done yet.
#[derive(Debug, Clone)]
pub struct Outstanding {
    pub registers: Option<Registers>,
    /// Whether it goes by the scalar cache, whose loads come back in any order.
    pub scalar: bool,
    /// It writes the LDS.
    pub shares: bool,
    pub line: u32,
}

/// An instruction on global or private memory, or a scalar load, that may be begun again as long as its addresses are not translated: until
/// then what it reads must stay.
#[derive(Debug, Clone)]
struct Translation {
    sources: Vec<Registers>,
    scalar: bool,
    line: u32,
}

impl Translation {
    fn reads(&self, registers: Registers) -> bool {
        self.sources.iter().any(|source| source.overlaps(registers))
    }
}

#[derive(Debug)]
pub struct Waiting {
    /// The line of the load that each register waits for, or 0.
    pending: [Vec<u32>; 2],
    /// By [`Counter`].
    outstanding: [VecDeque<Outstanding>; 4],
    translations: VecDeque<Translation>,
}

impl Waiting {
    pub fn new() -> Self {
        Self {
            pending: [vec![0; 128], vec![0; VECTORS]],
            outstanding: Default::default(),
            translations: VecDeque::new(),
        }
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
            Err(format!("it uses {name} before an `s_wait…` covers the load of line {line}"))
        })
    }

    /// Whether none of the registers waits for a load but such as this counter waits for, in whose order the next one comes behind.
    ///
    /// # Errors
    /// As of [`Self::arrived`].
    pub fn arrives_before(&mut self, registers: Registers, counter: Counter) -> Result<(), String> {
        let waits_elsewhere = self.outstanding.iter().enumerate().any(|(at, queue)| {
            let comes_before = |entry: &Outstanding| at == counter as usize && !entry.scalar;
            queue.iter().any(|entry| entry.registers.is_some_and(|own| own.overlaps(registers)) && !comes_before(entry))
        });
        if waits_elsewhere { self.arrived(registers) } else { Ok(()) }
    }

    /// Whether no instruction may still read one of the registers to begin again.
    ///
    /// # Errors
    /// The line of one that may.
    pub fn translated(&self, registers: Registers) -> Result<(), String> {
        match self.translations.iter().find(|one| one.reads(registers)) {
            None => Ok(()),
            Some(Translation { line, .. }) => Err(format!(
                "it writes {registers} before an `s_wait_xcnt` covers line {line}, which may read it again"
            )),
        }
    }

    /// A vector load into registers that ones before it may read again comes behind these, as addresses of vectors are translated in their
    /// order. Clang takes them for translated then, and so they are here.
    pub fn overtakes(&mut self, registers: Registers) {
        if let Some(last) = self.translations.iter().rposition(|one| !one.scalar && one.reads(registers)) {
            self.translations.drain(..=last);
        }
    }

    /// Counts a memory instruction (S_WAITCNT).
    pub fn issue(&mut self, counter: Counter, entry: Outstanding) {
        if let Some(registers) = entry.registers {
            let line = entry.line;
            let pending = self.pending_in(registers.file);
            registers.all().for_each(|at| pending[usize::from(at)] = line);
        }
        self.outstanding[counter as usize].push_back(entry);
    }

    /// Counts an instruction whose addresses are to be translated. Scalar and vector instructions wait for each other's.
    pub fn translate(&mut self, sources: Vec<Registers>, scalar: bool, line: u32) {
        self.translations.retain(|one| one.scalar == scalar);
        self.translations.push_back(Translation { sources, scalar, line });
    }

    pub fn wait(&mut self, waits: Waits) {
        for (counter, left) in waits.left.into_iter().enumerate() {
            if let Some(left) = left {
                self.wait_for(counter, left.into());
            }
        }
        match waits.addresses {
            // Scalar loads are translated in any order.
            Some(left) if left > 0 && self.translations.iter().any(|one| one.scalar) => {}
            Some(left) => {
                let ended = self.translations.len().saturating_sub(left.into());
                self.translations.drain(..ended);
            }
            None => {}
        }
    }

    /// Waits until at most so many are outstanding. They end in their order, but scalar loads at any time: unless nothing is left, none of
    /// these is known to have ended.
    fn wait_for(&mut self, counter: usize, left: usize) {
        let queue = &self.outstanding[counter];
        let scalar = if left == 0 { 0 } else { queue.iter().filter(|entry| entry.scalar).count() };
        let mut ended = queue.len().saturating_sub(left + scalar);
        while ended > 0 {
            let queue = &mut self.outstanding[counter];
            let Some(at) = queue.iter().position(|entry| left == 0 || !entry.scalar) else { break };
            if let Some(done) = queue.remove(at) {
                self.deliver(done);
            }
            ended -= 1;
        }
    }

    fn deliver(&mut self, done: Outstanding) {
        if let Some(registers) = done.registers {
            for at in registers.all() {
                let own = Registers { first: at, count: 1, ..registers };
                let covers = |entry: &&Outstanding| entry.registers.is_some_and(|later| later.overlaps(own));
                let later = self.outstanding.iter().flatten().rfind(covers).map_or(0, |entry| entry.line);
                self.pending_in(registers.file)[usize::from(at)] = later;
            }
        }
        // An instruction that has ended was translated; behind a vector one, all before it were too.
        match done.scalar {
            true => self.translations.retain(|one| one.line != done.line),
            false => {
                if let Some(last) = self.translations.iter().rposition(|one| !one.scalar && one.line == done.line) {
                    self.translations.drain(..=last);
                }
            }
        }
    }

    /// The line of a write to the LDS that is not known to have ended.
    pub fn unshared(&self) -> Option<u32> {
        self.outstanding[Counter::Lds as usize].iter().find(|entry| entry.shares).map(|entry| entry.line)
    }
}
