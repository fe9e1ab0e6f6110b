//! Instructions of several threads: shuffles, votes, matrices, barriers.

use super::body::Body;
use super::instruction::Args;
use super::operand::{Misfit, ty};
use super::{Reader, Rule};
use crate::inst::*;
use crate::names::Named;
use pest::iterators::Pair;

/// Words of the opcode behind the shape.
const MATRIX: &[&str] = &["row", "col", "f64", "f64", "f64", "f64"];

/// The parts of a vector; a word stands for itself.
fn elements<'p, 'a>(arg: &'p Pair<'a, Rule>) -> impl Iterator<Item = Pair<'a, Rule>> + use<'p, 'a> {
    arg.clone().into_inner().flat_map(|inner| match inner.as_rule() {
        Rule::vector => inner.into_inner().collect(),
        _ => vec![inner],
    })
}

impl<'a> Reader<'a> {
    pub(super) fn shuffle(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let (mode, args, mask) = match (parts, args) {
            (["shfl", "sync", mode, "b32"], [args @ .., mask]) => (mode, args, Some(mask)),
            (["shfl", mode, "b32"], args) => (mode, args, None),
            _ => return Err(Misfit::Unknown),
        };
        let ([dst, src, lane, clamp], Some(mode)) = (args, ShflMode::by_name(mode)) else {
            return Err(Misfit::Unknown);
        };
        let (dst, valid) = self.pair(dst, body)?;
        let src = self.operand(src, Type::B32, body)?;
        let (lane, clamp) = (self.operand(lane, Type::U32, body)?, self.operand(clamp, Type::U32, body)?);
        let mask = mask.map(|mask| self.operand(mask, Type::U32, body)).transpose()?;
        Ok(Op::Shfl { mode, dst, valid, src, lane, clamp, mask })
    }

    pub(super) fn vote(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let (mode, args, mask) = match (parts, args) {
            (["vote", "sync", mode, _], [args @ .., mask]) => (mode, args, Some(mask)),
            (["vote", mode, _], args) => (mode, args, None),
            _ => return Err(Misfit::Unknown),
        };
        let ([dst, pred], Some(mode)) = (args, VoteMode::by_name(mode)) else { return Err(Misfit::Unknown) };
        let (dst, pred) = (self.register(dst, body)?, self.predicate(pred, body)?);
        let mask = mask.map(|mask| self.operand(mask, Type::U32, body)).transpose()?;
        Ok(Op::Vote { mode, dst, pred, mask })
    }

    /// `match`, `redux` and `activemask`
    pub(super) fn over_lanes(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let known = |name: &str| ty(name).ok_or(Misfit::Unknown);
        match (parts, args) {
            (["activemask", "b32"], [dst]) => Ok(Op::Activemask { dst: self.register(dst, body)? }),
            (["match", mode @ ("any" | "all"), "sync", last], [dst, a, mask]) => {
                let (ty, all) = (known(last)?, *mode == "all");
                let (dst, valid) = self.pair(dst, body)?;
                let (a, mask) = (self.operand(a, ty, body)?, self.operand(mask, Type::U32, body)?);
                if valid.is_some() && !all {
                    Err(Misfit::Unknown)
                } else {
                    Ok(Op::Match { all, ty, dst, valid, a, mask })
                }
            }
            (["redux", "sync", op, last], [dst, a, mask]) => {
                let ty = known(last)?;
                let op = BinaryOp::by_name(op).ok_or(Misfit::Unknown)?;
                if ty.bytes() != 4 || ty.is_float() {
                    return Err(Misfit::Unknown);
                }
                let (dst, a) = (self.register(dst, body)?, self.operand(a, ty, body)?);
                Ok(Op::Redux { op, ty, dst, a, mask: self.operand(mask, Type::U32, body)? })
            }
            _ => Err(Misfit::Unknown),
        }
    }

    /// `mma` of doubles; the others stay as they are.
    pub(super) fn matrix(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let (["mma", "sync", "aligned", shape, rest @ ..], [dst, a, b, c]) = (parts, args) else {
            return Err(Misfit::Unknown);
        };
        let blocks = match *shape {
            "m8n8k4" if rest == MATRIX => 1,
            "m16n8k4" if rest == MATRIX => 2,
            _ => return Err(Misfit::Unknown),
        };
        let dst = elements(dst).map(|item| self.reg(&item, body)).collect::<Result<Vec<_>, _>>()?;
        let mut read =
            |arg| elements(arg).map(|item| self.simple(&item, Type::F64, body)).collect::<Result<Vec<_>, _>>();
        let (a, b, c) = (read(a)?, read(b)?, read(c)?);
        match b[..] {
            [b] if (dst.len(), a.len(), c.len()) == (2 * blocks, blocks, 2 * blocks) => Ok(Op::Mma { dst, a, b, c }),
            _ => Err(Misfit::Unknown),
        }
    }

    pub(super) fn barrier(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let aligned = parts[0] == "bar" || parts.contains(&"aligned");
        let rest: Vec<&str> = parts[1..].iter().copied().filter(|part| !matches!(*part, "cta" | "aligned")).collect();
        let mut word = |at: usize| self.operand(&args[at], Type::U32, body);
        match (&rest[..], args.len()) {
            (["warp", "sync"], 1) if parts[0] == "bar" => Ok(Op::BarWarp { mask: word(0)? }),
            ([kind @ ("sync" | "arrive")], 1 | 2) => {
                let kind = if *kind == "sync" { BarKind::Sync } else { BarKind::Arrive };
                let (id, threads) = (word(0)?, if args.len() == 2 { Some(word(1)?) } else { None });
                Ok(Op::Bar { kind, aligned, id, threads })
            }
            (["red", op, _], 3 | 4) => {
                let op = BarRedOp::by_name(op).ok_or(Misfit::Unknown)?;
                let (id, threads) = (word(1)?, if args.len() == 4 { Some(word(2)?) } else { None });
                let pred = self.predicate(&args[args.len() - 1], body)?;
                Ok(Op::BarRed { op, aligned, dst: self.register(&args[0], body)?, id, threads, pred })
            }
            _ => Err(Misfit::Unknown),
        }
    }
}
