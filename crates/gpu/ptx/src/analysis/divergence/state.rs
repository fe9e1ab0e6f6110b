//! The lattice: every value of a warp is stride · T + base, in the ring of its width, with T the number of a lane.

use crate::analysis::ssa::Value;

/// One of the two parts of a [`State`]. A meet falls from `Top` towards `Bottom`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coefficient {
    /// Nothing is known yet.
    Top,
    Known(u64),
    /// A value that is the same in all lanes, times a constant.
    Scaled(Value, u64),
    /// The same in all lanes and a multiple of 32.
    Aligned,
    /// As a stride, anything; as a base, anything that is the same in all lanes.
    Bottom,
}

use Coefficient::{Aligned, Bottom, Known, Scaled, Top};

impl Coefficient {
    pub fn meet(self, other: Self) -> Self {
        let aligned = |c: Self| matches!(c, Aligned) || matches!(c, Known(k) if k % 32 == 0);
        match (self, other) {
            (Top, other) => other,
            (this, Top) => this,
            (a, b) if a == b => a,
            (a, b) if aligned(a) && aligned(b) => Aligned,
            _ => Bottom,
        }
    }

    fn rank(self) -> u32 {
        match self {
            Top => 3,
            Known(_) => 2,
            Scaled(..) | Aligned => 1,
            Bottom => 0,
        }
    }

    /// Whether a descending iteration may go from here to `other`.
    fn above(self, other: Self) -> bool {
        self == other || self.rank() > other.rank()
    }
}

/// State of a value: its stride and its base. A stride of 0 means that all active lanes of a warp have the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub stride: Coefficient,
    pub base: Coefficient,
}

/// How a value behaves across the lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// (0, c)
    Constant,
    /// (0, ⊥)
    Uniform,
    /// (c, c')
    Affine,
    /// (c, ⊥)
    AffineUnknownBase,
    /// (s, ·) with s the same in all lanes and not known
    Symbolic,
    Divergent,
}

impl State {
    pub const TOP: Self = Self { stride: Top, base: Top };
    pub const UNIFORM: Self = Self { stride: Known(0), base: Bottom };
    pub const DIVERGENT: Self = Self { stride: Bottom, base: Bottom };

    pub fn constant(value: u64) -> Self {
        Self { stride: Known(0), base: Known(value) }
    }

    /// With an unknown stride the base says nothing.
    pub fn new(stride: Coefficient, base: Coefficient) -> Self {
        if stride == Bottom { Self::DIVERGENT } else { Self { stride, base } }
    }

    pub fn is_top(self) -> bool {
        self.stride == Top
    }

    pub fn is_uniform(self) -> bool {
        self.stride == Known(0)
    }

    /// Stride and base, both known.
    pub fn known(self) -> Option<(u64, u64)> {
        match (self.stride, self.base) {
            (Known(stride), Known(base)) => Some((stride, base)),
            _ => None,
        }
    }

    pub fn meet(self, other: Self) -> Self {
        if self.is_top() {
            return other;
        }
        if other.is_top() {
            return self;
        }
        let stride = match (self.stride, other.stride) {
            (a, b) if a == b => a,
            _ => Bottom,
        };
        Self::new(stride, self.base.meet(other.base))
    }

    /// The next state of a descending iteration: `next`, or the lowest if that would climb.
    pub fn descend(self, next: Self) -> Self {
        let falls = next.stride == Bottom || self.stride.above(next.stride) && self.base.above(next.base);
        let climbs = self.stride == next.stride && !falls;
        match (falls, climbs) {
            (true, _) => next,
            (_, true) => Self::new(self.stride, Bottom),
            _ => Self::DIVERGENT,
        }
    }

    pub fn class(self) -> Class {
        match (self.stride, self.base) {
            (Known(0), Known(_)) => Class::Constant,
            (Known(0), _) => Class::Uniform,
            (Known(_), Known(_)) => Class::Affine,
            (Known(_), _) => Class::AffineUnknownBase,
            (Scaled(..), _) => Class::Symbolic,
            _ => Class::Divergent,
        }
    }
}
