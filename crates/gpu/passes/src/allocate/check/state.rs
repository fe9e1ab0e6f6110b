//! Contents that registers and slots surely hold.

use crate::allocate::PhysicalRegister;
use ptx::ir::Reg;
use std::collections::{BTreeMap, BTreeSet};

/// Where something is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    Register(PhysicalRegister),
    /// Bytes of the thread's spill area, and of the warp's.
    Local {
        offset: i64,
        bytes: u32,
    },
    Shared {
        offset: i64,
        bytes: u32,
    },
    /// Bytes of the thread's own slots in shared memory, row after row.
    Own {
        offset: i64,
        bytes: u32,
    },
}

/// Content of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// The current value of an original register.
    Value(Reg),
    /// 0 or 1 for the current value of an original predicate.
    Word(Reg),
    /// The current value of an original register less `stride` times T.
    Uniform { reg: Reg, stride: u64 },
    /// `stride` times T plus `base`; a number where the stride is 0.
    Lane { stride: u64, base: u64 },
    /// The beginning of the warp's part of shared memory.
    Base,
    /// The beginning of the thread's own slots there.
    OwnBase,
    /// A predicate that is true in one lane of each warp.
    Elected,
}

impl Symbol {
    /// The original register that it tells of.
    pub fn of(self) -> Option<Reg> {
        match self {
            Self::Value(reg) | Self::Word(reg) | Self::Uniform { reg, .. } => Some(reg),
            Self::Lane { .. } | Self::Base | Self::OwnBase | Self::Elected => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    held: BTreeMap<Location, BTreeSet<Symbol>>,
}

impl State {
    pub fn at(&self, location: Location) -> BTreeSet<Symbol> {
        self.held.get(&location).cloned().unwrap_or_default()
    }

    pub fn holds(&self, location: Location, symbol: Symbol) -> bool {
        self.held.get(&location).is_some_and(|symbols| symbols.contains(&symbol))
    }

    /// Writes a location; whatever overlaps it is lost.
    pub fn write(&mut self, location: Location, symbols: BTreeSet<Symbol>) {
        self.held.retain(|other, _| !other.overlaps(location));
        self.held.insert(location, symbols);
    }

    /// An original register gets a new value: what was held of the old one is worthless.
    pub fn redefine(&mut self, reg: Reg) {
        for symbols in self.held.values_mut() {
            symbols.retain(|symbol| symbol.of() != Some(reg));
        }
    }

    /// An original register became a copy of another: whatever `is` the other is this too.
    pub fn copy(&mut self, to: Reg, is: impl Fn(&Symbol) -> bool) {
        for symbols in self.held.values_mut().filter(|symbols| symbols.iter().any(&is)) {
            symbols.insert(Symbol::Value(to));
        }
    }

    pub fn forget(&mut self, location: Location) {
        self.held.retain(|other, _| !other.overlaps(location));
    }

    /// Keeps what both hold; whether that changed this one.
    pub fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        self.held.retain(|location, symbols| {
            let before = symbols.len();
            match other.held.get(location) {
                Some(theirs) => symbols.retain(|symbol| theirs.contains(symbol)),
                None => symbols.clear(),
            }
            changed |= symbols.len() != before;
            !symbols.is_empty()
        });
        changed
    }
}

impl Location {
    pub fn overlaps(self, other: Self) -> bool {
        let overlap = |a: i64, n: u32, b: i64, m: u32| a < b + i64::from(m) && b < a + i64::from(n);
        match (self, other) {
            (Self::Register(a), Self::Register(b)) => a.overlaps(b),
            (Self::Local { offset: a, bytes: n }, Self::Local { offset: b, bytes: m })
            | (Self::Shared { offset: a, bytes: n }, Self::Shared { offset: b, bytes: m })
            | (Self::Own { offset: a, bytes: n }, Self::Own { offset: b, bytes: m }) => overlap(a, n, b, m),
            _ => false,
        }
    }
}
