//! States by number, so that the solver moves words instead of states. Most values are plainly uniform or divergent.

use super::state::{Coefficient, State};
use crate::simt::analysis::ssa::Value;
use cranelift_entity::EntityRef;

/// Stands for a state. The lowest two bits tell the top (0), states with stride 0 (1), the bottom (2) and others (3); above
/// them is the place in the list of states, 0 for [`State::UNIFORM`] and [`State::DIVERGENT`], which are not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(u32);

impl Number {
    pub const TOP: Self = Self(0);
    pub const UNIFORM: Self = Self(1);
    pub const DIVERGENT: Self = Self(2);

    pub fn is_uniform(self) -> bool {
        self.0 & 3 == 1
    }
}

/// The states that have a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbered(Vec<State>);

impl Numbered {
    pub fn state(&self, number: Number) -> State {
        match number {
            Number::TOP => State::TOP,
            Number::UNIFORM => State::UNIFORM,
            Number::DIVERGENT => State::DIVERGENT,
            Number(n) => self.0[(n >> 2) as usize - 1],
        }
    }

    /// A number for the state; one that is not frequent gets a new one each time.
    pub fn number(&mut self, state: State) -> Number {
        let kind = match (state.stride, state.base) {
            (Coefficient::Top, _) => return Number::TOP,
            (Coefficient::Bottom, _) => return Number::DIVERGENT,
            (Coefficient::Known(0), Coefficient::Bottom) => return Number::UNIFORM,
            (Coefficient::Known(0), _) => 1,
            _ => 3,
        };
        self.0.push(state);
        Number((self.0.len() as u32) << 2 | kind)
    }

    pub fn constant(&mut self, bits: u64) -> Number {
        self.0.push(State::constant(bits));
        Number((self.0.len() as u32) << 2 | 1)
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
