//! How types, state spaces, operations and variables are written in PTX, for the printer and the reader alike.

use super::inst::*;
use super::ir::{Init, Linkage, VariableData};
use std::fmt::{self, Display, Formatter};

/// The predefined constant of PTX, and its value.
pub(super) const WARP_SIZE: (&str, u64) = ("WARP_SZ", 32);

/// A type whose values have a fixed spelling.
pub(super) trait Named: Copy + PartialEq + 'static {
    const NAMES: &'static [(Self, &'static str)];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(known, _)| *known)
    }
}

macro_rules! names {
    ($ty:ty: $($variant:ident $name:literal),* $(,)?) => {
        impl Named for $ty {
            const NAMES: &'static [(Self, &'static str)] = &[$((Self::$variant, $name)),*];
        }
    };
}

names!(Type: Pred "pred", B8 "b8", U8 "u8", S8 "s8", B16 "b16", U16 "u16", S16 "s16", B32 "b32", U32 "u32", S32 "s32",
    B64 "b64", U64 "u64", S64 "s64", F32 "f32", F64 "f64", B128 "b128");
names!(Space: Param "param", Global "global", Shared "shared", Local "local", Const "const", Generic "");
names!(Linkage: Internal "", Visible ".visible ", Extern ".extern ", Weak ".weak ", Common ".common ");
names!(Rounding: None "", Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi", Approx "approx",
    Full "full");
names!(Order: None "", Weak "weak", Volatile "volatile", Relaxed "relaxed", Acquire "acquire", Release "release",
    AcqRel "acq_rel");
names!(Scope: Cta "cta", Cluster "cluster", Gpu "gpu", Sys "sys");
names!(UnaryOp: Mov "mov", Neg "neg", Not "not", Abs "abs", Rcp "rcp", Sqrt "sqrt", Rsqrt "rsqrt", Sin "sin", Cos "cos",
    Ex2 "ex2", Lg2 "lg2", Tanh "tanh", Popc "popc", Clz "clz", Brev "brev", Bfind "bfind", BfindShift "bfind.shiftamt",
    Cnot "cnot");
names!(BinaryOp: Add "add", Sub "sub", Mul "mul", MulWide "mul.wide", MulHi "mul.hi", Mul24 "mul24.lo",
    Mul24Hi "mul24.hi", Div "div", Rem "rem", Min "min", Max "max", And "and", Or "or", Xor "xor", Shl "shl", Shr "shr",
    Copysign "copysign");
names!(TernaryOp: Fma "fma", Mad "mad", MadWide "mad.wide", MadHi "mad.hi", Mad24 "mad24.lo", Mad24Hi "mad24.hi",
    Bfe "bfe", Sad "sad", Prmt "prmt", ShfLeftWrap "shf.l.wrap", ShfLeftClamp "shf.l.clamp", ShfRightWrap "shf.r.wrap",
    ShfRightClamp "shf.r.clamp");
names!(Cmp: Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu",
    Geu "geu", Num "num", Nan "nan");
names!(BoolOp: And "and", Or "or", Xor "xor");
names!(AtomOp: And "and", Or "or", Xor "xor", Cas "cas", Exch "exch", Add "add", Inc "inc", Dec "dec", Min "min",
    Max "max");
names!(ShflMode: Idx "idx", Up "up", Down "down", Bfly "bfly");
names!(VoteMode: All "all", Any "any", Uni "uni", Ballot "ballot");
names!(BarKind: Sync "sync", Arrive "arrive");
names!(BarRedOp: And "and", Or "or", Popc "popc");

impl Named for Special {
    const NAMES: &'static [(Self, &'static str)] = &Self::ALL;
}

/// The name with its dot; nothing for nothing.
pub(super) fn dotted(name: impl Named) -> String {
    match name.name() {
        "" => String::new(),
        name => format!(".{name}"),
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&dotted(*self))
    }
}

impl Display for Mode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let flag = |set, name| if set { name } else { "" };
        write!(f, "{}{}{}", dotted(self.rounding), flag(self.ftz, ".ftz"), flag(self.sat, ".sat"))
    }
}

impl Display for VariableData {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} .align {} ", self.linkage.name(), self.space, self.align)?;
        let (ty, values): (_, Vec<String>) = match &self.init {
            Init::None if self.bytes == 0 => return write!(f, ".b8 {}[];", self.name),
            Init::None => return write!(f, ".b8 {}[{}];", self.name, self.bytes),
            Init::F64(values) => (".f64", values.iter().map(|v| format!("0d{:016X}", v.to_bits())).collect()),
            Init::F32(values) => (".f32", values.iter().map(|v| format!("0f{:08X}", v.to_bits())).collect()),
            Init::Bytes(values) => (".b8", values.iter().map(u8::to_string).collect()),
            Init::S32(values) => (".s32", values.iter().map(i32::to_string).collect()),
            Init::Verbatim(ty, text) => {
                let count = self.bytes / u64::from(ty.bytes());
                return write!(f, "{ty} {}[{count}] = {{{text}}};", self.name);
            }
        };
        write!(f, "{ty} {}[{}] = {{{}}};", self.name, values.len(), values.join(", "))
    }
}
