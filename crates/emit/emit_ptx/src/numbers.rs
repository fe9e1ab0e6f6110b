//! Doubles and singles: their types, and literals.

use kernels::Io;
use ptx::inst::{Operand, Type};

/// The type of numbers in memory.
pub(super) fn of_memory(io: Io) -> Type {
    match io {
        Io::Double => Type::F64,
        Io::Single => Type::F32,
    }
}

/// The bits of a number, rounded where it is a single.
pub(super) fn literal(ty: Type, value: f64) -> Operand {
    if ty == Type::F32 { Operand::f32(value as f32) } else { Operand::f64(value) }
}
