//! Loads, stores, and constants that are loaded into registers.

use super::operands::{Operands, row};
use crate::machine_code::op::{
    Access, Address, Atomic, Constant, Kind, Load, Locked, OnMbarrier, Op, Selection, Store, Tells, ZERO,
};
use ptx::inst::{AtomOp, Space, Type};
use sass::{File, Operand, Part, Register};

/// Decodes an instruction; `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let op = match o.instruction.operation() {
        "LDS" => load(o, Space::Shared, &["U"])?,
        "STS" => store(o, Space::Shared, &[])?,
        "LDL" => load(o, Space::Local, &["LU"])?,
        "STL" => store(o, Space::Local, &[])?,
        // hints to the caches change no value
        "LDG" => load(o, Space::Global, HINTS)?,
        "STG" => store(o, Space::Global, HINTS)?,
        "LD" => load(o, Space::Generic, HINTS)?,
        "ST" => store(o, Space::Generic, HINTS)?,
        "ATOM" => atomic(o, Space::Generic)?,
        "ATOMG" | "REDG" => atomic(o, Space::Global)?,
        "ATOMS" => atomic(o, Space::Shared)?,
        // before Hopper it may be a generic address
        "RED" => atomic(o, Space::Generic)?,
        "LDGSTS" => {
            let (bytes, _) = width(o, COPY_HINTS)?;
            Op::Access(Access::Copy { bytes, to: address(o, Space::Shared)?, from: address(o, Space::Global)? })
        }
        "QSPC" => in_space(o)?,
        "LDSLK" => {
            let (bytes, _) = width(o, &[])?;
            (bytes <= 8).then_some(())?;
            let (p, row) = (o.result_bit()?, o.register()?);
            Op::Access(Access::Lock(Locked { bytes, p, row, address: address(o, Space::Shared)? }))
        }
        "STSCUL" => {
            let (bytes, _) = width(o, &[])?;
            (bytes <= 8).then_some(())?;
            let (p, address) = (o.result_bit()?, address(o, Space::Shared)?);
            Op::Access(Access::Unlock(Locked { bytes, p, row: o.register()?, address }))
        }
        "SYNCS" => mbarrier(o)?,
        "LDC" | "ULDC" | "LDCU" => constant(o)?,
        _ => return None,
    };
    o.done()?;
    Some(op)
}

/// Modifiers that change no value: caches, scopes, and the form of the address.
const HINTS: &[&str] = &[
    "E", "CONSTANT", "STRONG", "WEAK", "CTA", "SM", "GPU", "SYS", "EF", "EL", "LU", "NA", "LTC64B", "LTC128B",
    "LTC256B", "CG", "CS", "CV", "WT", "T", "P", "U",
];

/// Modifiers of copies to shared memory that change no value.
const COPY_HINTS: &[&str] = &["E", "BYPASS", "LTC64B", "LTC128B", "LTC256B"];

/// Returns the bytes of an access, and the bits that its sign fills.
fn width(o: &Operands<'_, '_, '_>, hints: &[&str]) -> Option<(u32, u64)> {
    let mut width = (4, 0);
    for word in o.instruction.modifiers() {
        width = match word {
            "64" => (8, 0),
            "128" => (16, 0),
            "U8" => (1, 0),
            "S8" => (1, 0xffff_ff00),
            "U16" => (2, 0),
            "S16" => (2, 0xffff_0000),
            hint if hints.contains(&hint) => width,
            _ => return None,
        };
    }
    Some(width)
}

fn load(o: &mut Operands<'_, '_, '_>, space: Space, hints: &[&str]) -> Option<Op> {
    let (bytes, extend) = width(o, hints)?;
    let d = o.register()?;
    Some(Op::Access(Access::Load(Load { space, bytes, extend, d, address: address(o, space)? })))
}

fn store(o: &mut Operands<'_, '_, '_>, space: Space, hints: &[&str]) -> Option<Op> {
    let (bytes, _) = width(o, hints)?;
    let address = address(o, space)?;
    Some(Op::Access(Access::Store(Store { space, bytes, a: o.register()?, address })))
}

/// Decodes `ATOM.OP[.TYPE] [valid,] d, [address], a [, b]`, and `RED…` without the predicate and d; `valid` is never written.
/// `ATOMS.CAST.SPIN` compares and swaps, and reports whether it did.
fn atomic(o: &mut Operands<'_, '_, '_>, space: Space) -> Option<Op> {
    let (mut op, mut ty, mut wide, mut casts) = (None, None, false, false);
    for word in o.instruction.modifiers() {
        match word {
            "64" => wide = true,
            "U32" => ty = Some(Type::U32),
            "S32" => ty = Some(Type::S32),
            "U64" => ty = Some(Type::U64),
            "S64" => ty = Some(Type::S64),
            "F64" => ty = Some(Type::F64),
            "F32" => ty = Some(Type::F32),
            "RN" if matches!(ty, Some(Type::F32 | Type::F64)) => {}
            // subnormal singles count as 0: as in PTX they are kept here
            "FTZ" if ty == Some(Type::F32) => {}
            "SPIN" if casts => {}
            "CAST" => (op, casts) = (Some(AtomOp::Cas), true),
            hint if HINTS.contains(&hint) => {}
            word => op = Some(operation(word).filter(|_| op.is_none())?),
        }
    }
    let (op, returns) = (op?, !o.instruction.operation().starts_with("RED"));
    let ty = match (ty.unwrap_or(Type::U32), wide) {
        (Type::U32, true) => Type::U64,
        (Type::S32, true) => Type::S64,
        (ty, _) => ty,
    };
    let bit = if returns && matches!(o.peek()?, Operand::Predicate { .. }) { Some(o.result_bit()?) } else { None };
    let (d, tells) = match (casts, bit) {
        // Blackwell
        (true, Some(p)) => (ZERO, Tells::ReplacedAs(p)),
        (true, None) => (o.register()?, Tells::Replaced),
        (false, Some(Some(_))) => return None,
        (false, _) => (if returns { o.register()? } else { ZERO }, Tells::Old),
    };
    let address = address(o, space)?;
    let a = o.register()?;
    let b = if op == AtomOp::Cas { o.register()? } else { a };
    Some(Op::Access(Access::Atomic(Atomic { op, ty, space, d, tells, sources: [a, b], address })))
}

fn operation(word: &str) -> Option<AtomOp> {
    Some(match word {
        "ADD" => AtomOp::Add,
        "MIN" => AtomOp::Min,
        "MAX" => AtomOp::Max,
        "INC" => AtomOp::Inc,
        "DEC" => AtomOp::Dec,
        "AND" => AtomOp::And,
        "OR" => AtomOp::Or,
        "XOR" => AtomOp::Xor,
        "EXCH" => AtomOp::Exch,
        "CAS" => AtomOp::Cas,
        _ => return None,
    })
}

/// Decodes `SYNCS.EXCH.64 RZ, [address], a`, `SYNCS.ARRIVE.TRANS64.A1T0 d, [address], RZ` and `SYNCS.PHASECHK.TRANS64[.TRYWAIT]
/// p, [address], a`. To try once is one of the times that a wait may take.
fn mbarrier(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["EXCH", "64", "ARRIVE", "TRANS64", "A1T0", "PHASECHK", "TRYWAIT"])?;
    if o.has("PHASECHK") && o.has("TRANS64") {
        let (p, address) = (o.result_bit()?, address(o, Space::Shared)?);
        return Some(Op::Access(Access::Mbarrier { on: OnMbarrier::Check { p, a: o.register()? }, address }));
    }
    let (d, address, a) = (o.register()?, address(o, Space::Shared)?, o.register()?);
    let on = match () {
        // to initialise it
        () if o.has("EXCH") && o.has("64") && d == ZERO => {
            return Some(Op::Access(Access::Store(Store { space: Space::Shared, bytes: 8, a, address })));
        }
        () if o.has("ARRIVE") && o.has("TRANS64") && o.has("A1T0") && a == ZERO => OnMbarrier::Arrive { d },
        () => return None,
    };
    Some(Op::Access(Access::Mbarrier { on, address }))
}

/// Decodes `QSPC.E.S|L|G p, d, [address]`.
fn in_space(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["E", "S", "L", "G"])?;
    let space = match () {
        () if o.has("S") => Space::Shared,
        () if o.has("L") => Space::Local,
        () => Space::Global,
    };
    let p = o.result_bit()?;
    (o.register()? == ZERO).then_some(())?;
    let Operand::Memory { terms, offset } = o.next()? else { return None };
    let general = |term: &Register| matches!((term.part, term.file), (Part::Whole | Part::Wide, File::General));
    let pairs = terms.iter().map(|term| general(term).then(|| row(*term))).collect::<Option<Vec<_>>>()?;
    Some(Op::Access(Access::InSpace {
        p,
        space,
        address: Address { words: Vec::new(), pairs, offset: *offset, wide: true },
    }))
}

/// Decodes an address. In global memory, wide and uniform registers have 64 bits; elsewhere an address has 32. Before Ampere, and
/// for `ATOMG.CAS` and generic addresses without a descriptor, `E` of the instruction marks all its registers as wide.
fn address(o: &mut Operands<'_, '_, '_>, space: Space) -> Option<Address> {
    let Operand::Memory { terms, offset } = o.next()? else { return None };
    let wide = matches!(space, Space::Global | Space::Generic);
    let operation = o.instruction.operation();
    let plain = operation.starts_with("ATOM") || matches!(operation, "LD" | "ST");
    let all_wide = wide && (o.decoder.cubin.sm < 80 || plain) && o.has("E");
    let mut address = Address { words: Vec::new(), pairs: Vec::new(), offset: *offset, wide };
    for term in terms {
        match (term.part, term.file) {
            (Part::Wide, _) if wide => address.pairs.push(row(*term)),
            (Part::Whole, File::Uniform) if wide => address.pairs.push(row(*term)),
            (Part::Whole, File::General) if all_wide => address.pairs.push(row(*term)),
            (Part::Unsigned, File::General) if wide => address.words.push((row(*term), 0)),
            (Part::Whole, _) if !wide => address.words.push((row(*term), 0)),
            (Part::Other("X4"), _) if !wide => address.words.push((row(*term), 2)),
            (Part::Other("X8"), _) if !wide => address.words.push((row(*term), 3)),
            (Part::Other("X16"), _) if !wide => address.words.push((row(*term), 4)),
            _ => return None,
        }
    }
    Some(address)
}

/// Decodes `LDC[.64] d, c[bank][index + offset]`.
fn constant(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let (bytes, extend) = width(o, &[])?;
    let d = o.register()?;
    let Operand::Constant { bank, index, offset, negate: false, absolute: false, invert: false } = o.peek()? else {
        return None;
    };
    match index {
        None if bytes == 8 => Some(Op::Selection(Selection::MoveWide { d, a: o.source(Kind::Long)? })),
        None if bytes == 4 => Some(Op::Selection(Selection::Move { d, a: o.source(Kind::Integer)? })),
        Some(index) if index.part != Part::Whole => None,
        index => {
            o.next();
            let index = index.map_or(ZERO, row);
            Some(Op::Access(Access::Constant(Constant {
                bank: *bank,
                bytes,
                extend,
                d,
                index,
                offset: *offset as u64,
            })))
        }
    }
}
