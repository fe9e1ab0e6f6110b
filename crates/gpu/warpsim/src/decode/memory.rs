//! Accesses, addresses and calls.

use super::super::counts::Class;
use super::super::memory::{CONST_WINDOW, LOCAL_WINDOW, SHARED_WINDOW};
use super::super::micro::*;
use super::super::scalar::Each;
use super::{Decoder, inside, word_of};
use ptx::inst::*;
use ptx::ir::{Param, ParamKind, Reg};

/// Decodes one of these instructions; `None`: the simulator does not know it.
pub(super) fn decode(d: &mut Decoder, op: &Op) -> Option<(Class, Micro)> {
    match op {
        Op::Ld { space: Space::Param, ty, dst, addr: addr @ Address { base: Base::Param(_), .. }, .. } => {
            let extend = extension(*ty, d.class_of(*dst.first()?));
            let element = |(i, dst): (usize, &Reg)| {
                let (row, byte) = parameter(d, *ty, *addr, i)?;
                Some((d.row(*dst), row, byte))
            };
            let elements = dst.iter().enumerate().map(element).collect::<Option<_>>()?;
            Some((Class::Const, Micro::Pieces(Pieces::Take { elements, bytes: ty.bytes(), extend })))
        }
        Op::St { space: Space::Param, ty, addr, src, .. } => {
            let mut element = |(i, src): (usize, &Operand)| {
                let (row, byte) = parameter(d, *ty, *addr, i)?;
                let whole =
                    byte == 0 && u64::from(ty.bytes()) >= rest_of_row(d, *addr, i64::from(ty.bytes()) * i as i64)?;
                Some(Patch { row, byte, whole, source: d.source(*src) })
            };
            let elements = src.iter().enumerate().map(&mut element).collect::<Option<_>>()?;
            Some((Class::Move, Micro::Pieces(Pieces::Put { elements, bytes: ty.bytes() })))
        }
        Op::Ld { space, ty, dst, addr, .. } if ty.bytes() <= 8 => {
            // parameters whose addresses are taken lie in tables
            let space = if *space == Space::Param { &Space::Const } else { space };
            let extend = extension(*ty, d.class_of(*dst.first()?));
            let (base, offset) = address(d, *addr)?;
            let regs = dst.iter().map(|dst| d.row(*dst)).collect();
            Some((
                class(*space)?,
                Micro::MemoryAccess(MemoryAccess::Load {
                    space: *space,
                    bytes: ty.bytes(),
                    extend,
                    d: regs,
                    base,
                    offset,
                }),
            ))
        }
        Op::St { space, ty, addr, src, .. } if ty.bytes() <= 8 => {
            let (base, offset) = address(d, *addr)?;
            let a = src.iter().map(|src| d.source(*src)).collect();
            Some((
                class(*space)?,
                Micro::MemoryAccess(MemoryAccess::Store { space: *space, bytes: ty.bytes(), a, base, offset }),
            ))
        }
        Op::Atom { op, space, ty, dst, addr, a, b, .. } if ty.bytes() <= 8 => {
            let (base, offset) = address(d, *addr)?;
            let (a, b) = (d.source(*a), b.map(|b| d.source(b)));
            let dst = dst.map(|dst| d.row(dst));
            let f = super::super::atomic::function(*op, *ty)?;
            Some((
                class(*space)?,
                Micro::MemoryAccess(MemoryAccess::Atomic {
                    f,
                    space: *space,
                    bytes: ty.bytes(),
                    d: dst,
                    base,
                    offset,
                    a,
                    b,
                }),
            ))
        }
        Op::Call { callee: Callee::Func(name), results, arguments, .. } => {
            let call = call(d, name, results, arguments)?;
            Some((Class::Branch, Micro::Call(Box::new(call))))
        }
        _ => None,
    }
}

/// Decodes a call of a function of the module, whose parameters are rows.
fn call(d: &mut Decoder, name: &str, results: &[Param], arguments: &[Param]) -> Option<Call> {
    let caller = &d.contexts[d.at];
    let callee = d.context_of(name)?;
    let pass = |theirs: ParamKind, ours: &[Param], inward: bool| {
        let list: Vec<_> = callee.func.params_of(theirs).collect();
        if list.len() != ours.len() {
            return None;
        }
        let mut moves = Vec::new();
        for ((param, data), own) in list.into_iter().zip(ours) {
            let words = data.bytes().min(caller.func.params[*own].bytes()).div_ceil(8).clamp(1, 1 << 16) as u32;
            for i in 0..words {
                let (own, other) = (caller.params[*own] + i, callee.params[param] + i);
                moves.push(if inward { (own, other) } else { (other, own) });
            }
        }
        Some(moves)
    };
    Some(Call {
        target: callee.starts[*callee.func.layout.first()?],
        rows: callee.window.0.clone(),
        preds: callee.window.1.clone(),
        arguments: pass(ParamKind::Input, arguments, true)?,
        results: pass(ParamKind::Return, results, false)?,
        locals: callee.locals.iter().map(|(_, start, row)| (*row, *start)).collect(),
        local_bytes: callee.local_bytes,
    })
}

/// Decodes `ldmatrix` or `stmatrix`; `None`: it is neither, or not known to the simulator.
pub(super) fn fragments(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let seen = ptx::fragments::view(d.code.module, opcode, pieces)?;
    let (base, offset) = address(d, seen.at)?;
    let rows = seen.registers.iter().map(|reg| d.row(*reg)).collect();
    let (loads, transposed, space) = (seen.loads, seen.transposed, seen.space);
    let fragments = Fragments { loads, transposed, space, rows, at: Place { base, offset } };
    Some((class(space)?, Micro::Collective(Collective::Fragments(Box::new(fragments)))))
}

/// Decodes a product of matrices; `None`: it is none.
pub(super) fn product(d: &mut Decoder, opcode: &str, pieces: &[Piece]) -> Option<(Class, Micro)> {
    let rows = ptx::fragments::product(d.code.module, opcode, pieces)?;
    Some((Class::Move, Micro::Collective(Collective::Product(rows.into_iter().map(|reg| d.row(reg)).collect()))))
}

/// Returns the row of element `i` of an access of a parameter, and its first byte there.
fn parameter(d: &Decoder, ty: Type, addr: Address, i: usize) -> Option<(u32, u64)> {
    let Base::Param(param) = addr.base else { return None };
    let context = &d.contexts[d.at];
    let offset = addr.offset.checked_add(i64::from(ty.bytes()) * i as i64)?;
    if !inside(context.func, param, offset, ty.bytes()) {
        return None;
    }
    word_of(context.params[param], offset)
}

/// Returns the bytes of the parameter from there on, up to the end of a row.
fn rest_of_row(d: &Decoder, addr: Address, behind: i64) -> Option<u64> {
    let Base::Param(param) = addr.base else { return None };
    let offset = u64::try_from(addr.offset.checked_add(behind)?).ok()?;
    let bytes = d.contexts[d.at].func.params[param].bytes();
    Some(bytes.saturating_sub(offset).min(8))
}

/// Returns the bits above a value of that type to which a wider register copies its sign.
pub(super) fn extension(ty: Type, register: Type) -> u64 {
    if ty.is_signed() { register.mask() & !ty.mask() } else { 0 }
}

pub(super) fn address(d: &mut Decoder, addr: Address) -> Option<(Source, u64)> {
    let base = match addr.base {
        Base::Reg(reg) => Source(d.row(reg)),
        Base::Variable(variable) => d.variable(variable),
        Base::Param(_) => return None,
    };
    Some((base, addr.offset as u64))
}

/// Decodes `cvta`: all spaces but the global one have windows in the generic addresses.
pub(super) fn generic(d: &mut Decoder, to: bool, space: Space, dst: Reg, a: Operand) -> Option<(Class, Micro)> {
    let window = match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local => LOCAL_WINDOW,
        Space::Const | Space::Param => CONST_WINDOW,
        Space::Global => 0,
        Space::Generic => return None,
    };
    let f: Each = match to {
        true => Box::new(move |[a, ..]| a.wrapping_sub(window)),
        false => Box::new(move |[a, ..]| a.wrapping_add(window)),
    };
    let (d, a) = (d.row(dst), d.source(a));
    Some((
        Class::Move,
        if window == 0 {
            Micro::Compute(Compute::Map1 { f: |a| *a, d, a })
        } else {
            Micro::Compute(Compute::Each { f, d, sources: [a; 3] })
        },
    ))
}

pub(super) fn class(space: Space) -> Option<Class> {
    match space {
        Space::Param => None,
        Space::Global | Space::Generic => Some(Class::Global),
        Space::Shared => Some(Class::Shared),
        Space::Local => Some(Class::Local),
        Space::Const => Some(Class::Const),
    }
}
