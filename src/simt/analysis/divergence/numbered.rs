//! States by number, so that the solver moves words instead of states. Most values are plainly uniform or divergent.

use super::state::{Coefficient, State};
use crate::simt::analysis::ssa::Value;
use cranelift_entity::EntityRef;
use std::sync::Arc;

/// Stands for a state. Bit 0 tells that the stride is 0, bit 1 the bottom, bit 2 that more is known than these, bit 3 the top,
/// bit 4 that it is the constant of an instruction; above them is the place in the list of constants, or in that of
/// states, from 1 on: those that have a name here are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(u32);

impl Number {
    pub const UNIFORM: Self = Self(1);
    pub const DIVERGENT: Self = Self(2);
    /// Uniform, and a multiple of 32.
    pub const ALIGNED: Self = Self(5);
    pub const TOP: Self = Self(8);
    /// The first of the constants.
    pub const CONSTANT: Self = Self(21);
    /// No state.
    pub const NONE: Self = Self(u32::MAX);

    /// The constant at that place.
    #[inline]
    pub const fn constant(place: u32) -> Self {
        Self(place << 5 | Self::CONSTANT.0)
    }

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
    pub const COUNT: usize = 32;

    #[inline(always)]
    pub fn new([Number(a), Number(b), Number(c)]: [Number; 3]) -> Self {
        Self { all: a & b & c, any: a | b | c }
    }

    #[inline(always)]
    pub fn with(self, Number(n): Number) -> Self {
        Self { all: self.all & n, any: self.any | n }
    }

    pub fn all(states: impl Iterator<Item = Number>) -> Self {
        states.fold(Self { all: u32::MAX, any: 0 }, Self::with)
    }

    /// All that the other methods tell, as a number below [`COUNT`](Self::COUNT).
    #[inline(always)]
    pub fn flags(self) -> usize {
        (self.all & 1 | self.any & 14 | (self.all & 4) << 2) as usize
    }

    /// States with the same flags.
    pub const fn of(flags: usize) -> Self {
        let flags = flags as u32;
        Self { all: flags & 1 | (flags & 16) >> 2, any: flags & 14 }
    }

    pub const fn all_uniform(self) -> bool {
        self.all & 1 != 0
    }

    pub const fn any_divergent(self) -> bool {
        self.any & 2 != 0
    }

    /// There is one that has not been looked at.
    pub const fn any_top(self) -> bool {
        self.any & 8 != 0
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
#[derive(Debug, Clone)]
pub(super) struct Numbered {
    constants: Arc<[u64]>,
    listed: Vec<State>,
}

impl Numbered {
    /// The constants of all instructions, and nothing else.
    pub fn new(constants: &Arc<[u64]>) -> Self {
        Self { constants: constants.clone(), listed: Vec::new() }
    }

    #[inline]
    pub fn state(&self, number: Number) -> State {
        match number {
            Number::TOP => State::TOP,
            Number::UNIFORM => State::UNIFORM,
            Number::DIVERGENT => State::DIVERGENT,
            Number::ALIGNED => State::new(Coefficient::Known(0), Coefficient::Aligned),
            Number(n) if n & 16 != 0 => State::constant(self.constants[(n >> 5) as usize]),
            Number(n) => self.listed[(n >> 5) as usize - 1],
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
        self.listed.push(state);
        Number((self.listed.len() as u32) << 5 | kind)
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
