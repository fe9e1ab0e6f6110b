//! In what families of machines differ, as far as reading and running them goes.

use crate::operand::Kind;

/// Machines whose instructions have the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// gfx90a, gfx942 and gfx950, with waves of 64 lanes.
    Cdna,
    /// With waves of 32 lanes, a counter for each kind of memory, pairs of instructions, and named barriers.
    Gfx1250,
}

impl Family {
    /// That of an architecture such as `gfx942`.
    pub fn from_gfx(gfx: &str) -> Self {
        if gfx == "gfx1250" { Self::Gfx1250 } else { Self::Cdna }
    }

    /// Returns the number of lanes of a wave.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Cdna => 64,
            Self::Gfx1250 => 32,
        }
    }

    /// A mask with a bit for each lane.
    pub const fn mask(self) -> Kind {
        match self {
            Self::Cdna => Kind::B64,
            Self::Gfx1250 => Kind::B32,
        }
    }

    /// Vector registers that a lane can have.
    pub const fn vectors(self) -> u16 {
        match self {
            Self::Cdna => 256,
            Self::Gfx1250 => 1024,
        }
    }
}
