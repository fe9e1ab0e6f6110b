//! Loads, stores and atomics.

use super::Reader;
use super::arithmetic::named_space;
use super::body::Body;
use super::instruction::Args;
use super::operand::{Misfit, storage, vector};
use crate::inst::*;
use crate::names::Named;
use smallvec::smallvec;

/// Qualifiers between an opcode such as `ld` and its type.
struct Qualifiers {
    space: Space,
    read_only: bool,
    access: Access,
    elements: usize,
    atomic: Option<AtomOp>,
}

impl<'a> Reader<'a> {
    pub(super) fn load(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let (ty, Qualifiers { space, read_only, access, elements, .. }) = qualifiers(parts, false)?;
        let [dst, addr] = args else { return Err(Misfit::Unknown) };
        let addr = self.address(addr, space, body)?;
        let dst = match vector(dst) {
            Some(words) => words.iter().map(|word| self.reg(word, body)).collect::<Result<Destinations, _>>()?,
            None => smallvec![self.register(dst, body)?],
        };
        if dst.len() != elements {
            return Err(Misfit::Unknown);
        }
        Ok(Op::Ld { space, read_only, access, ty, dst, addr })
    }

    pub(super) fn store(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let (ty, Qualifiers { space, read_only, access, elements, .. }) = qualifiers(parts, false)?;
        let [addr, src] = args else { return Err(Misfit::Unknown) };
        let addr = self.address(addr, space, body)?;
        let src = match vector(src) {
            Some(words) => words.iter().map(|word| self.simple(word, ty, body)).collect::<Result<Sources, _>>()?,
            None => smallvec![self.operand(src, ty, body)?],
        };
        if src.len() != elements || read_only {
            return Err(Misfit::Unknown);
        }
        Ok(Op::St { space, access, ty, addr, src })
    }

    pub(super) fn atomic(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let (ty, Qualifiers { space, read_only, access, elements, atomic }) = qualifiers(parts, true)?;
        let op = atomic.filter(|_| elements == 1 && !read_only).ok_or(Misfit::Unknown)?;
        let (dst, args) = match (parts[0], args) {
            ("atom", [dst, rest @ ..]) => (Some(self.register(dst, body)?), rest),
            (_, args) => (None, args),
        };
        if args.len() != 2 + usize::from(op == AtomOp::Cas) {
            return Err(Misfit::Unknown);
        }
        let (addr, a) = (self.address(&args[0], space, body)?, self.operand(&args[1], ty, body)?);
        let b = match args.get(2) {
            Some(b) => Some(self.operand(b, ty, body)?),
            None => None,
        };
        Ok(Op::Atom { op, space, access, ty, dst, addr, a, b })
    }
}

fn qualifiers(parts: &[&str], atomic: bool) -> Result<(Type, Qualifiers), Misfit> {
    let (last, middle) = parts[1..].split_last().ok_or(Misfit::Unknown)?;
    // half precision is moved as bits
    let known = storage(&format!(".{last}")).filter(|_| !atomic || !last.contains("f16"));
    let ty = known.filter(|ty| *ty != Type::Pred).ok_or(Misfit::Unknown)?;
    let mut found =
        Qualifiers { space: Space::Generic, read_only: false, access: Access::default(), elements: 1, atomic: None };
    let mut cache: Vec<&str> = Vec::new();
    for part in middle {
        let order = Order::by_name(part).filter(|order| *order != Order::None);
        let (scope, space) = (Scope::by_name(part), named_space(part));
        match *part {
            // the order comes first; CUDA's own headers also write it behind the operation
            _ if found.access.order == Order::None && order.is_some() => {
                found.access.order = order.unwrap_or_default();
            }
            "nc" => found.read_only = true,
            "v2" => found.elements = 2,
            "v4" => found.elements = 4,
            "v8" => found.elements = 8,
            "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" if !atomic => cache.push(part),
            hint if !atomic && (hint.starts_with("L1::") || hint.starts_with("L2::")) => cache.push(hint),
            _ if scope.is_some() => found.access.scope = scope,
            _ if space.is_some() => found.space = space.unwrap_or(found.space),
            name if atomic && found.atomic.is_none() => {
                found.atomic = Some(AtomOp::by_name(name).ok_or(Misfit::Unknown)?);
            }
            _ => return Err(Misfit::Unknown),
        }
    }
    found.access.cache = cache.join(".");
    Ok((ty, found))
}
