//! Numbers of values: two computations have one number if they apply one operation to equal values.

use super::operations::{Operation, Operations};
use crate::inst::{Op, Operand, Type};
use crate::ir::Reg;
use hashbrown::hash_table::{Entry, HashTable};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The number of a value; of a predicate twice that, and one more for its negation.
pub type Number = u32;

/// The predicate that always holds; its negation is one more.
pub const TRUE: Number = 0;

/// The number of no value.
pub const NOTHING: Number = Number::MAX;

/// What a value is.
#[derive(Clone, Copy)]
pub enum What {
    /// Of a register where both functions begin.
    Start(Reg),
    /// Of a register that nobody wrote, in one of the functions.
    Unwritten(Side, Reg),
    Constant(u64),
    /// Of a value and a constant, in so many bytes.
    Sum(Number, u64, u32),
    /// Of an operand that is neither a register nor a constant, by its position among those that were asked for.
    Operand(u32),
    /// Under the first the second, else the third.
    Either(Number, Number, Number),
    /// An operation without its operands.
    Operation(Operation),
    /// An operation on its first two values, or the only one and [`NOTHING`].
    First(Operation, Number, Number),
    /// An operation that has some of its values, on the next two, or the last one and [`NOTHING`].
    On(Number, Number, Number),
    /// An operation where it matters when it is executed, under a guard.
    Guarded(Number, Number),
    /// The result of this number, of an operation or of one access of so many. The first result of an operation that is no access
    /// has the number of the operation on its values.
    Result(Number, u32, u32),
}

/// One of the functions: the first is the one before the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// [`What`] in two words: its kind, the width of a sum and the first number, and the rest.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u64, u64);

impl Key {
    const CONSTANT: u64 = 2;
    const SUM: u64 = 3;

    #[inline]
    fn of(what: What) -> Self {
        let key = |kind: u64, first: u32, rest: u64| Self(kind | u64::from(first) << 32, rest);
        let pair = |first: u32, second: u32| u64::from(first) | u64::from(second) << 32;
        match what {
            What::Start(reg) => key(0, reg.as_u32(), 0),
            What::Unwritten(side, reg) => key(1, reg.as_u32(), side as u64),
            What::Constant(bits) => key(Self::CONSTANT, 0, bits),
            What::Sum(base, offset, bytes) => key(Self::SUM | u64::from(bytes) << 8, base, offset),
            What::Operand(position) => key(4, position, 0),
            What::Either(guard, a, b) => key(5, guard, pair(a, b)),
            What::Operation(Operation::Word(word)) => key(6, word, 0),
            What::Operation(Operation::Long(position)) => key(6, position, 1),
            What::First(Operation::Word(word), a, b) => key(10, word, pair(a, b)),
            What::First(Operation::Long(position), a, b) => key(11, position, pair(a, b)),
            What::On(operation, a, b) => key(7, operation, pair(a, b)),
            What::Guarded(operation, guard) => key(8, operation, u64::from(guard)),
            What::Result(number, access, count) => key(9, number, pair(access, count)),
        }
    }

    fn kind(self) -> u64 {
        self.0 & 0xff
    }

    #[inline]
    fn hash(self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.0);
        hasher.write_u64(self.1);
        hasher.finish()
    }
}

/// Numbers of values by what they are.
pub struct Numbers {
    /// The positions of keys.
    known: HashTable<u32>,
    /// Of what has the number 2, 4, 6 and so on.
    keys: Vec<Key>,
    operations: Operations,
    /// There are few of them, and each is asked for a few times.
    operands: Vec<Operand>,
}

impl Numbers {
    /// With room for so many values.
    pub fn with_capacity(values: usize) -> Self {
        Self {
            known: HashTable::with_capacity(values),
            keys: Vec::with_capacity(values),
            operations: Operations::default(),
            operands: Vec::new(),
        }
    }

    #[inline]
    pub fn of(&mut self, what: What) -> Number {
        self.of_key(Key::of(what))
    }

    #[inline(never)]
    fn of_key(&mut self, key: Key) -> Number {
        let Self { known, keys, .. } = self;
        let found = known.entry(key.hash(), |at| keys[*at as usize] == key, |at| keys[*at as usize].hash());
        let position = match found {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let position = keys.len() as u32;
                entry.insert(position);
                keys.push(key);
                position
            }
        };
        2 * position + 2
    }

    /// What a value is; `None` of the predicate that always holds, and of negations.
    fn key(&self, number: Number) -> Option<Key> {
        let place = (number / 2).checked_sub(1).filter(|_| number.is_multiple_of(2))?;
        self.keys.get(place as usize).copied()
    }

    pub fn constant(&mut self, bits: u64) -> Number {
        self.of(What::Constant(bits))
    }

    /// The constant that a value is.
    pub fn as_constant(&self, number: Number) -> Option<u64> {
        self.key(number).filter(|key| key.kind() == Key::CONSTANT).map(|Key(_, bits)| bits)
    }

    /// A value plus a constant, in the ring of the type.
    pub fn sum(&mut self, number: Number, offset: i64, ty: Type) -> Number {
        let (base, before) = match self.key(number).filter(|key| key.kind() == Key::SUM) {
            Some(Key(first, offset)) => ((first >> 32) as Number, offset),
            None => (number, 0),
        };
        match before.wrapping_add(offset as u64) & ty.mask() {
            0 => base,
            offset => self.of(What::Sum(base, offset, ty.bytes())),
        }
    }

    /// An operand that is no register.
    pub fn operand(&mut self, operand: Operand) -> Number {
        if let Operand::Imm(bits) = operand {
            return self.constant(bits);
        }
        let position = self.operands.iter().position(|known| *known == operand).unwrap_or_else(|| {
            self.operands.push(operand);
            self.operands.len() - 1
        });
        self.of(What::Operand(position as u32))
    }

    /// An operation without its operands.
    pub fn operation(&mut self, op: &Op) -> Operation {
        self.operations.of(op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;

    /// One of each kind, and others that differ from it in one part.
    fn values() -> Vec<What> {
        let reg = |number| Reg::new(number);
        let mut values: Vec<What> = [1, 2].map(|n| What::Start(reg(n))).to_vec();
        for n in [1, 2] {
            values.extend([Side::Before, Side::After].map(|side| What::Unwritten(side, reg(n))));
        }
        values.extend([0, 1, 1 << 32, u64::MAX].map(What::Constant));
        values.extend([1, 2].map(What::Operand));
        values.extend([1, 2].map(|n| What::Operation(Operation::Word(n))));
        values.extend([1, 2].map(|n| What::Operation(Operation::Long(n))));
        for (a, b) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            values.push(What::Guarded(a, b));
            for c in [1, 2, NOTHING] {
                values.extend([What::Either(a, b, c), What::On(a, b, c), What::Result(a, b, c)]);
                values.extend([Operation::Word(a), Operation::Long(a)].map(|of| What::First(of, b, c)));
            }
            for offset in [1, 2, 1 << 32] {
                values.push(What::Sum(a, offset, b));
            }
        }
        values
    }

    #[test]
    fn values_that_differ_in_one_part_have_numbers_of_their_own() {
        let mut numbers = Numbers::with_capacity(4);
        let found: Vec<Number> = values().into_iter().map(|what| numbers.of(what)).collect();
        let mut all = found.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), found.len());
        assert!(all.iter().all(|number| number.is_multiple_of(2) && number >> 1 != TRUE >> 1));
        let again: Vec<Number> = values().into_iter().map(|what| numbers.of(what)).collect();
        assert_eq!(found, again);
    }

    #[test]
    fn sums_of_sums_are_sums() {
        let mut numbers = Numbers::with_capacity(4);
        let base = numbers.of(What::Start(Reg::new(3)));
        let once = numbers.sum(base, 5, Type::U32);
        assert_eq!(numbers.sum(once, -5, Type::U32), base);
        assert_eq!(numbers.sum(base, 1 << 32, Type::U32), base);
        assert_ne!(numbers.sum(base, 5, Type::U64), once);
        let constant = numbers.constant(7);
        assert_eq!([constant, base].map(|number| numbers.as_constant(number)), [Some(7), None]);
        assert_eq!(numbers.as_constant(constant + 1), None);
    }
}
