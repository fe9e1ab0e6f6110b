//! Register classes: how many 32-bit units a value takes, and where it may begin.

use ptx::inst::Type;

/// One of the two register files of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum File {
    /// 32-bit units; wider values take consecutive, aligned units.
    General,
    /// One-bit registers.
    Predicate,
}

/// A class of values: its file and its width in units of that file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    pub file: File,
    /// 1 to 4.
    pub units: u32,
}

impl Class {
    /// The class of a scalar.
    pub fn for_type(ty: Type) -> Self {
        match ty {
            Type::Pred => Self { file: File::Predicate, units: 1 },
            _ => Self { file: File::General, units: ty.bytes().div_ceil(4) },
        }
    }

    /// The first unit is a multiple of this: 64-bit values begin at even units, 96- and 128-bit values at multiples of four.
    pub fn align(self) -> u32 {
        self.units.next_power_of_two()
    }

    /// Returns the number of positions in which a value fits into a file of that many units; the p of Smith, Ramsey and Holloway,
    /// "A generalized algorithm for graph-coloring register allocation" (PLDI 2004).
    pub fn positions(self, units: u32) -> u32 {
        if units < self.units { 0 } else { (units - self.units) / self.align() + 1 }
    }

    /// Returns the most of those positions that one neighbour of another class can take; their q.
    pub fn taken_by(self, other: Self) -> u32 {
        // An aligned neighbour of other.units units meets this many windows of align() units.
        if other.align() <= self.align() { 1 } else { other.units.div_ceil(self.align()) }
    }
}

/// A physical register: consecutive units of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhysicalRegister {
    pub file: File,
    pub start: u32,
    pub units: u32,
}

impl Default for PhysicalRegister {
    fn default() -> Self {
        Self { file: File::General, start: 0, units: 0 }
    }
}

impl PhysicalRegister {
    pub fn end(self) -> u32 {
        self.start + self.units
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.file == other.file && self.start < other.end() && other.start < self.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p and q against plain enumeration of all placements, for every pair of widths.
    #[test]
    fn places_and_losses_are_those_of_enumeration() {
        let class = |units| Class { file: File::General, units };
        let starts =
            |c: Class, units: u32| (0..units).step_by(c.align() as usize).filter(move |s| s + c.units <= units);
        for units in 1..=20 {
            for a in (1..=4).map(class) {
                assert_eq!(a.positions(units), starts(a, units).count() as u32, "{a:?} in {units}");
                for b in (1..=4).map(class) {
                    let overlaps = |t: u32| starts(a, units).filter(|s| *s < t + b.units && t < s + a.units).count();
                    let most = starts(b, units).map(overlaps).max().unwrap_or(0) as u32;
                    assert!(most <= a.taken_by(b), "{a:?} {b:?} in {units}");
                    if units >= 12 {
                        assert_eq!(most, a.taken_by(b), "{a:?} {b:?} in {units}");
                    }
                }
            }
        }
    }
}
