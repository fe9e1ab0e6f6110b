//! States by number, so that the solver moves words instead of states. Most values are plainly uniform or divergent.

use super::state::{Coefficient, State};
use crate::simt::analysis::ssa::Value;
use cranelift_entity::EntityRef;

/// Stands for a state. Bit 0 tells that the stride is 0, bit 1 the bottom, bit 2 that more is known than these; above them
/// is the place in the list of states, 0 for those that have a name here, which are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(u32);

impl Number {
    pub const TOP: Self = Self(0);
    pub const UNIFORM: Self = Self(1);
    pub const DIVERGENT: Self = Self(2);
    /// Uniform, and a multiple of 32.
    pub const ALIGNED: Self = Self(5);

    pub fn is_uniform(self) -> bool {
        self.0 & 1 != 0
    }

    /// Nothing is known but whether it is uniform.
    pub fn is_plain(self) -> bool {
        self.0 & 4 == 0
    }
}

/// What several states have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Among {
    all: u32,
    any: u32,
}

impl Among {
    /// How many [`flags`](Self::flags) there are.
    pub const COUNT: usize = 16;

    #[inline]
    pub fn new(states: impl Iterator<Item = Number>) -> Self {
        states.fold(Self { all: u32::MAX, any: 0 }, |among, Number(n)| Self { all: among.all & n, any: among.any | n })
    }

    /// All that the other methods tell, as a number below [`COUNT`](Self::COUNT).
    pub fn flags(self) -> usize {
        (self.all & 1 | self.any & 6 | (self.all & 4) << 1) as usize
    }

    /// States with the same flags.
    pub const fn of(flags: usize) -> Self {
        let flags = flags as u32;
        Self { all: flags & 1 | (flags & 8) >> 1, any: flags & 6 }
    }

    pub const fn all_uniform(self) -> bool {
        self.all & 1 != 0
    }

    pub const fn any_divergent(self) -> bool {
        self.any & 2 != 0
    }

    /// There is one of which nothing is known but whether it is uniform.
    pub const fn any_plain(self) -> bool {
        self.all & 4 == 0
    }

    /// As [`any_plain`](Self::any_plain) of all, if there are any.
    pub const fn all_plain(self) -> bool {
        self.any & 4 == 0 && self.any_plain()
    }
}

/// The states that have a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbered(Vec<State>);

impl Numbered {
    #[inline]
    pub fn state(&self, number: Number) -> State {
        match number {
            Number::TOP => State::TOP,
            Number::UNIFORM => State::UNIFORM,
            Number::DIVERGENT => State::DIVERGENT,
            Number::ALIGNED => State::new(Coefficient::Known(0), Coefficient::Aligned),
            Number(n) => self.0[(n >> 3) as usize - 1],
        }
    }

    /// A number for the state; one that is not frequent gets a new one each time.
    #[inline]
    pub fn number(&mut self, state: State) -> Number {
        let kind = match (state.stride, state.base) {
            (Coefficient::Top, _) => return Number::TOP,
            (Coefficient::Bottom, _) => return Number::DIVERGENT,
            (Coefficient::Known(0), Coefficient::Bottom) => return Number::UNIFORM,
            (Coefficient::Known(0), Coefficient::Aligned) => return Number::ALIGNED,
            (Coefficient::Known(0), _) => 5,
            _ => 4,
        };
        self.0.push(state);
        Number((self.0.len() as u32) << 3 | kind)
    }

    #[inline]
    pub fn constant(&mut self, bits: u64) -> Number {
        self.0.push(State::constant(bits));
        Number((self.0.len() as u32) << 3 | 5)
    }
}

/// The state of every value.
#[derive(Debug, Clone)]
pub(super) struct States {
    pub numbers: Vec<Number>,
    pub numbered: Numbered,
}

impl States {
    pub fn of(&self, value: Value) -> State {
        self.numbered.state(self.numbers[value.index()])
    }
}
