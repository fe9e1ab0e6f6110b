//! Contents that registers and slots surely hold.

use crate::allocate::PhysicalRegister;
use ptx::ir::Reg;
use smallvec::SmallVec;
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
    /// The current value that some lane of the warp has of an original register.
    SomeLane(Reg),
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
    pub fn register(self) -> Option<Reg> {
        match self {
            Self::Value(reg) | Self::SomeLane(reg) | Self::Word(reg) | Self::Uniform { reg, .. } => Some(reg),
            Self::Lane { .. } | Self::Base | Self::OwnBase | Self::Elected => None,
        }
    }
}

/// The symbols of each location. Overlapping locations lie next to each other in the order of the map.
#[derive(Debug, Clone, Default)]
pub struct State {
    held: BTreeMap<Location, BTreeSet<Symbol>>,
    /// Locations that hold a symbol of each original register, and perhaps some that did.
    places: BTreeMap<Reg, BTreeSet<Location>>,
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
        self.forget(location);
        for reg in symbols.iter().filter_map(|symbol| symbol.register()) {
            self.places.entry(reg).or_default().insert(location);
        }
        self.held.insert(location, symbols);
    }

    /// An original register gets a new value: what was held of the old one is worthless.
    pub fn redefine(&mut self, reg: Reg) {
        for place in self.places.remove(&reg).unwrap_or_default() {
            if let Some(symbols) = self.held.get_mut(&place) {
                symbols.retain(|symbol| symbol.register() != Some(reg));
            }
        }
    }

    /// An original register became a copy of another: where a symbol `is` that one's value, it is the copy's too. Only a `number` may
    /// stand for the value under another name.
    pub fn copy(&mut self, to: Reg, from: Reg, number: bool, is: impl Fn(&Symbol) -> bool) {
        let places: Vec<Location> = match number {
            true => self.held.keys().copied().collect(),
            false => self.places.get(&from).into_iter().flatten().copied().collect(),
        };
        for place in places {
            if let Some(held) = self.held.get_mut(&place).filter(|held| held.iter().any(&is)) {
                held.insert(Symbol::Value(to));
                self.places.entry(to).or_default().insert(place);
            }
        }
    }

    pub fn forget(&mut self, location: Location) {
        let (first, last) = location.neighbourhood();
        let near = self.held.range(first..=last).map(|(other, _)| *other);
        let lost: Vec<Location> = near.filter(|other| other.overlaps(location)).collect();
        for other in lost {
            for reg in self.held.remove(&other).into_iter().flatten().filter_map(Symbol::register) {
                leave(&mut self.places, reg, &other);
            }
        }
    }

    /// Keeps what both hold; whether that changed this one.
    pub fn meet(&mut self, other: &Self) -> bool {
        let (mut changed, Self { held, places }) = (false, self);
        held.retain(|location, symbols| {
            let theirs = other.held.get(location);
            let mut lost: SmallVec<[Symbol; 2]> = SmallVec::new();
            symbols.retain(|symbol| {
                let stays = theirs.is_some_and(|theirs| theirs.contains(symbol));
                lost.extend((!stays).then_some(*symbol));
                stays
            });
            changed |= !lost.is_empty();
            for reg in lost.into_iter().filter_map(Symbol::register) {
                if !symbols.iter().any(|symbol| symbol.register() == Some(reg)) {
                    leave(places, reg, location);
                }
            }
            !symbols.is_empty()
        });
        changed
    }
}

/// No symbol of the register is at the location any more.
fn leave(places: &mut BTreeMap<Reg, BTreeSet<Location>>, reg: Reg, location: &Location) {
    if let Some(of_reg) = places.get_mut(&reg) {
        of_reg.remove(location);
        if of_reg.is_empty() {
            places.remove(&reg);
        }
    }
}

/// Bytes or units that a location takes at most.
const WIDEST: i64 = 16;

impl Location {
    /// Bounds of the locations that may overlap this one.
    fn neighbourhood(self) -> (Self, Self) {
        match self {
            Self::Register(PhysicalRegister { file, start, units }) => {
                let at = |start| Self::Register(PhysicalRegister { file, start, units: 0 });
                (at(start.saturating_sub(WIDEST as u32)), at(start.saturating_add(units)))
            }
            Self::Local { offset, bytes } => {
                let at = |offset| Self::Local { offset, bytes: 0 };
                (at(offset.saturating_sub(WIDEST)), at(offset.saturating_add(i64::from(bytes))))
            }
            Self::Shared { offset, bytes } => {
                let at = |offset| Self::Shared { offset, bytes: 0 };
                (at(offset.saturating_sub(WIDEST)), at(offset.saturating_add(i64::from(bytes))))
            }
            Self::Own { offset, bytes } => {
                let at = |offset| Self::Own { offset, bytes: 0 };
                (at(offset.saturating_sub(WIDEST)), at(offset.saturating_add(i64::from(bytes))))
            }
        }
    }

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
