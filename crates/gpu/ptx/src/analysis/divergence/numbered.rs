//! States by number, so that the solver moves words instead of states. Most values are plainly uniform or divergent.

use super::state::{Coefficient, State};
use crate::analysis::ssa::Value;
use crate::analysis::steps::Step;
use cranelift_entity::EntityRef;
use std::sync::Arc;

/// Stands for a state. The lowest bits are flags; above them is the place in the list of constants, or in that of states, from
/// 1 on: those that have a name here are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(u32);

// the flags start at bit 2, so that together they are a position in a word that has four bits for each of their combinations
/// Not uniform.
const VARIES: u32 = 4;
/// The bottom.
const BOTTOM: u32 = 8;
/// More is known than whether it is uniform.
const KNOWN: u32 = 16;
/// Nothing is known but whether it is uniform.
const PLAIN: u32 = 32;
const FLAGS: u32 = VARIES | BOTTOM | KNOWN | PLAIN;
/// The place is that of a constant.
const LITERAL: u32 = Step::LITERAL;
/// Factor by which a place is multiplied.
const PLACE: u32 = Step::PLACE;

impl Number {
    pub const TOP: Self = Self(0);
    pub const UNIFORM: Self = Self(PLAIN);
    pub const DIVERGENT: Self = Self(VARIES | BOTTOM | PLAIN);
    /// Uniform, and a multiple of 32.
    pub const ALIGNED: Self = Self(KNOWN);
    /// No state.
    pub const NONE: Self = Self(FLAGS);

    /// The constant of a step that has one.
    pub fn with_constant(self, step: &Step) -> Self {
        Self(self.0 | step.constant)
    }

    pub fn is_uniform(self) -> bool {
        self.0 & FLAGS != 0 && self.0 & VARIES == 0
    }

    /// Nothing is known but whether it is uniform.
    pub fn is_plain(self) -> bool {
        self.0 & PLAIN != 0
    }
}

/// Flags of several states together: all flags that one of them has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Among(u32);

impl Among {
    /// Number of combinations of flags.
    pub const COUNT: usize = 16;

    pub fn new([Number(a), Number(b), Number(c)]: [Number; 3]) -> Self {
        Self(a | b | c)
    }

    pub fn with(self, Number(n): Number) -> Self {
        Self(self.0 | n)
    }

    pub fn all(states: impl Iterator<Item = Number>) -> Self {
        states.fold(Self(0), Self::with)
    }

    /// The combination of flags with that number.
    pub const fn from_flags(flags: usize) -> Self {
        Self(4 * flags as u32)
    }

    /// None varies, as far as they have been looked at.
    pub const fn all_uniform(self) -> bool {
        self.0 & VARIES == 0
    }

    pub const fn any_divergent(self) -> bool {
        self.0 & BOTTOM != 0
    }

    /// Whether nothing is known of one of them but whether it is uniform.
    pub const fn any_plain(self) -> bool {
        self.0 & PLAIN != 0
    }

    /// Whether nothing is known of any but whether it is uniform.
    pub const fn all_plain(self) -> bool {
        self.0 & KNOWN == 0
    }
}

/// Numbers without a place, one for each combination of flags.
#[derive(Clone, Copy)]
pub(super) struct ByFlags(u64);

impl ByFlags {
    pub const fn new(numbers: [Number; Among::COUNT]) -> Self {
        let (mut word, mut flags) = (0, 0);
        while flags < Among::COUNT {
            word |= (numbers[flags].0 as u64).rotate_left(4 * flags as u32);
            flags += 1;
        }
        Self(word)
    }

    pub fn get(self, Among(flags): Among) -> Number {
        Number(self.0.rotate_right(flags) as u32 & FLAGS)
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

    pub fn state(&self, number: Number) -> State {
        match number {
            Number::TOP => State::TOP,
            Number::UNIFORM => State::UNIFORM,
            Number::DIVERGENT => State::DIVERGENT,
            Number::ALIGNED => State::new(Coefficient::Known(0), Coefficient::Aligned),
            Number(n) if n & LITERAL != 0 => State::constant(self.constants[(n / PLACE) as usize]),
            Number(n) => self.listed[(n / PLACE) as usize - 1],
        }
    }

    /// A number for the state; one that is not frequent gets a new one each time.
    pub fn number(&mut self, state: State) -> Number {
        let flags = match (state.stride, state.base) {
            (Coefficient::Top, _) => return Number::TOP,
            (Coefficient::Bottom, _) => return Number::DIVERGENT,
            (Coefficient::Known(0), Coefficient::Bottom) => return Number::UNIFORM,
            (Coefficient::Known(0), Coefficient::Aligned) => return Number::ALIGNED,
            (Coefficient::Known(0), _) => KNOWN,
            _ => KNOWN | VARIES,
        };
        self.listed.push(state);
        match u32::try_from(self.listed.len()).ok().and_then(|place| place.checked_mul(PLACE)) {
            Some(place) => Number(place | flags),
            None if flags & VARIES == 0 => Number::UNIFORM,
            None => Number::DIVERGENT,
        }
    }
}

/// The state of every value.
#[derive(Debug, Clone)]
pub(super) struct States {
    pub numbers: Vec<Number>,
    pub numbered: Numbered,
}

impl States {
    pub fn state(&self, value: Value) -> State {
        self.numbered.state(self.numbers[value.index()])
    }
}
