//! How types, state spaces and variables are written in PTX.

use super::inst::{Space, Type};
use super::ir::{Init, VariableData};
use std::fmt::{self, Display, Formatter};

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pred => ".pred",
            Self::B32 => ".b32",
            Self::U32 => ".u32",
            Self::S32 => ".s32",
            Self::B64 => ".b64",
            Self::U64 => ".u64",
            Self::S64 => ".s64",
            Self::F64 => ".f64",
        })
    }
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Param => ".param",
            Self::Global => ".global",
            Self::Shared => ".shared",
            Self::Local => ".local",
            Self::Const => ".const",
        })
    }
}

impl Display for VariableData {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} .align {} ", self.space, self.align)?;
        let (ty, values): (_, Vec<String>) = match &self.init {
            Init::None => return write!(f, ".b8 {}[{}];", self.name, self.bytes),
            Init::F64(values) => (".f64", values.iter().map(|v| format!("0d{:016X}", v.to_bits())).collect()),
            Init::Bytes(values) => (".b8", values.iter().map(u8::to_string).collect()),
            Init::S32(values) => (".s32", values.iter().map(i32::to_string).collect()),
        };
        write!(f, "{ty} {}[{}] = {{{}}};", self.name, values.len(), values.join(", "))
    }
}
