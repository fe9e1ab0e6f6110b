//! One instruction.

use super::Printer;
use crate::canonical::local_name;
use crate::inst::*;
use crate::ir::{Param, ParamKind, Reg};
use crate::names::{Named, dotted};
use cranelift_entity::EntityRef;
use std::fmt::{self, Formatter};

impl Printer<'_> {
    pub(super) fn instruction(&self, f: &mut Formatter<'_>, data: &InstData) -> fmt::Result {
        if let Some(guard) = data.guard {
            self.guard(f, guard)?;
        }
        match &data.op {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Carry { .. }
            | Op::Setp { .. }
            | Op::Set { .. }
            | Op::Selp { .. }
            | Op::Slct { .. }
            | Op::Lop3 { .. }
            | Op::Bfi { .. } => self.arithmetic(f, &data.op),
            Op::Cvt { .. } | Op::Cvta { .. } | Op::Isspacep { .. } | Op::Pack { .. } | Op::Unpack { .. } => {
                self.conversion(f, &data.op)
            }
            Op::Ld { .. } | Op::St { .. } | Op::Atom { .. } => self.memory(f, &data.op),
            Op::Fence { name } => write!(f, "{name};"),
            Op::Directive(text) => f.write_str(text),
            Op::Opaque { opcode, pieces } => {
                write!(f, "{opcode}")?;
                // a text behind a dot belongs to it
                let mut blank = " ";
                for piece in pieces {
                    match piece {
                        Piece::Reg(reg) => write!(f, "{blank}{}", self.reg(*reg))?,
                        Piece::Text(text) => write!(f, "{blank}{text}")?,
                    }
                    blank = if matches!(piece, Piece::Text(text) if text == ".") { "" } else { " " };
                }
                write!(f, ";")
            }
            other => self.cooperation(f, other),
        }
    }

    fn arithmetic(&self, f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
        match op {
            Op::Unary { op, mode, ty, dst, a } => {
                let ty = if matches!(op, UnaryOp::Not | UnaryOp::Cnot) { ty.bits() } else { *ty };
                write!(f, "{}{mode}{ty} {}, {};", op.name(), self.reg(*dst), self.operand(*a, ty))
            }
            Op::Binary { op, mode, ty, dst, a, b } => {
                let ty = if op.is_bitwise() { ty.bits() } else { *ty };
                let low = if *op == BinaryOp::Mul && !ty.is_float() { ".lo" } else { "" };
                let (a, b) = (self.operand(*a, ty), self.operand(*b, op.second(ty)));
                write!(f, "{}{low}{mode}{ty} {}, {a}, {b};", op.name(), self.reg(*dst))
            }
            Op::Ternary { op, mode, ty, dst, a, b, c } => {
                let low = if *op == TernaryOp::Mad && !ty.is_float() { ".lo" } else { "" };
                let types = op.operands(*ty);
                let (a, b, c) = (self.operand(*a, types[0]), self.operand(*b, types[1]), self.operand(*c, types[2]));
                write!(f, "{}{low}{mode}{ty} {}, {a}, {b}, {c};", op.name(), self.reg(*dst))
            }
            Op::Carry { op, reads, writes, ty, dst, a, b, c } => {
                let name = match op {
                    CarryOp::Add => "add",
                    CarryOp::Sub => "sub",
                    CarryOp::MadLo | CarryOp::MadHi => "mad",
                };
                let half = match op {
                    CarryOp::MadLo => ".lo",
                    CarryOp::MadHi => ".hi",
                    CarryOp::Add | CarryOp::Sub => "",
                };
                let (carry, cc) = (if *reads { "c" } else { "" }, if *writes { ".cc" } else { "" });
                write!(f, "{name}{carry}{half}{cc}{ty} {}", self.reg(*dst))?;
                for operand in [Some(*a), Some(*b), *c].into_iter().flatten() {
                    write!(f, ", {}", self.operand(operand, *ty))?;
                }
                write!(f, ";")
            }
            Op::Setp { cmp, ftz, ty, dst, other, a, b, combine } => {
                let (ftz, dst) = (flush(*ftz), self.either(*dst, *other));
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                let (with, pred) = self.combination(*combine);
                write!(f, "setp.{}{with}{ftz}{ty} {dst}, {a}, {b}{pred};", cmp.name())
            }
            Op::Set { cmp, ftz, to, ty, dst, a, b, combine } => {
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                let (with, pred) = self.combination(*combine);
                write!(f, "set.{}{with}{}{to}{ty} {}, {a}, {b}{pred};", cmp.name(), flush(*ftz), self.reg(*dst))
            }
            Op::Selp { ty, dst, a, b, pred } => {
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                write!(f, "selp{ty} {}, {a}, {b}, {};", self.reg(*dst), self.reg(*pred))
            }
            Op::Slct { ftz, ty, by, dst, a, b, c } => {
                let (a, b, c) = (self.operand(*a, *ty), self.operand(*b, *ty), self.operand(*c, *by));
                write!(f, "slct{}{ty}{by} {}, {a}, {b}, {c};", flush(*ftz), self.reg(*dst))
            }
            Op::Lop3 { dst, a, b, c, table } => {
                let [a, b, c] = [*a, *b, *c].map(|x| self.operand(x, Type::B32));
                write!(f, "lop3.b32 {}, {a}, {b}, {c}, {table};", self.reg(*dst))
            }
            Op::Bfi { ty, dst, a, b, pos, len } => {
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                let (pos, len) = (self.operand(*pos, Type::U32), self.operand(*len, Type::U32));
                write!(f, "bfi{ty} {}, {a}, {b}, {pos}, {len};", self.reg(*dst))
            }
            _ => unreachable!("the caller sends arithmetic only"),
        }
    }

    fn conversion(&self, f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
        match op {
            Op::Cvt { mode, to, from, dst, a } => {
                write!(f, "cvt{mode}{to}{from} {}, {};", self.reg(*dst), self.operand(*a, *from))
            }
            Op::Cvta { to, space, ty, dst, a } => {
                let to = if *to { ".to" } else { "" };
                write!(f, "cvta{to}{space}{ty} {}, {};", self.reg(*dst), self.operand(*a, *ty))
            }
            Op::Isspacep { space, dst, a } => {
                write!(f, "isspacep{space} {}, {};", self.reg(*dst), self.operand(*a, Type::U64))
            }
            Op::Pack { ty, dst, parts } => {
                let part = part_type(*ty, parts.len());
                let parts: Vec<String> = parts.iter().map(|p| self.operand(*p, part)).collect();
                write!(f, "mov{ty} {}, {{{}}};", self.reg(*dst), parts.join(", "))
            }
            Op::Unpack { ty, parts, src } => {
                let parts: Vec<String> = parts.iter().map(|p| p.map_or("_".into(), |p| self.reg(p))).collect();
                write!(f, "mov{ty} {{{}}}, {};", parts.join(", "), self.operand(*src, *ty))
            }
            _ => unreachable!("the caller sends conversions only"),
        }
    }

    fn memory(&self, f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
        match op {
            Op::Ld { space, read_only, access, ty, dst, addr } => {
                let path = if *read_only { ".nc" } else { "" };
                let regs: Vec<String> = dst.iter().map(|reg| self.reg(*reg)).collect();
                let (order, cache) = qualifiers(access);
                // operators stand before the path, hints behind it
                let (before, behind) = if access.cache.starts_with('L') { ("", &cache[..]) } else { (&cache[..], "") };
                write!(f, "ld{order}{space}{before}{path}{behind}{}{ty} ", vector(dst.len()))?;
                write!(f, "{}, {};", braces(&regs), self.address(*addr))
            }
            Op::St { space, access, ty, addr, src } => {
                let values: Vec<String> = src.iter().map(|src| self.operand(*src, *ty)).collect();
                let (order, cache) = qualifiers(access);
                write!(f, "st{order}{space}{cache}{}{ty} ", vector(src.len()))?;
                write!(f, "{}, {};", self.address(*addr), braces(&values))
            }
            Op::Atom { op, space, access, ty, dst, addr, a, b } => {
                let (order, cache) = qualifiers(access);
                let name = if dst.is_some() { "atom" } else { "red" };
                write!(f, "{name}{order}{space}.{}{cache}{ty} ", op.name())?;
                if let Some(dst) = dst {
                    write!(f, "{}, ", self.reg(*dst))?;
                }
                write!(f, "{}", self.address(*addr))?;
                for operand in [Some(*a), *b].into_iter().flatten() {
                    write!(f, ", {}", self.operand(operand, *ty))?;
                }
                write!(f, ";")
            }
            _ => unreachable!("the caller sends accesses only"),
        }
    }

    /// Instructions of several threads, and calls.
    fn cooperation(&self, f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
        let word = |operand: Operand| self.operand(operand, Type::U32);
        match op {
            Op::Shfl { mode, dst, valid, src, lane, clamp, mask } => {
                let (sync, mask) = self.convergence(*mask);
                let (src, lane, clamp) = (self.operand(*src, Type::B32), word(*lane), word(*clamp));
                let dst = self.either(*dst, *valid);
                write!(f, "shfl{sync}.{}.b32 {dst}, {src}, {lane}, {clamp}{mask};", mode.name())
            }
            Op::Vote { mode, dst, pred, mask } => {
                let (sync, mask) = self.convergence(*mask);
                let ty = if *mode == VoteMode::Ballot { "b32" } else { "pred" };
                write!(f, "vote{sync}.{}.{ty} {}, {}{mask};", mode.name(), self.reg(*dst), self.predicate(*pred))
            }
            Op::Match { all, ty, dst, valid, a, mask } => {
                let mode = if *all { "all" } else { "any" };
                let dst = self.either(*dst, *valid);
                write!(f, "match.{mode}.sync{ty} {dst}, {}, {};", self.operand(*a, *ty), word(*mask))
            }
            Op::Redux { op, ty, dst, a, mask } => {
                write!(f, "redux.sync.{}{ty} {}, ", op.name(), self.reg(*dst))?;
                write!(f, "{}, {};", self.operand(*a, *ty), word(*mask))
            }
            Op::Mma { dst, a, b, c } => {
                let dst = dst.iter().map(|dst| self.reg(*dst).to_string()).collect::<Vec<_>>().join(", ");
                let reals = |operands: &[Operand]| {
                    let each = operands.iter().map(|operand| self.operand(*operand, Type::F64).to_string());
                    each.collect::<Vec<_>>().join(", ")
                };
                let (rows, a, b, c) = (8 * a.len(), reals(a), reals(&[*b]), reals(c));
                let shape = format_args!("m{rows}n8k4");
                write!(f, "mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64 {{{dst}}}, {{{a}}}, {{{b}}}, {{{c}}};")
            }
            Op::Activemask { dst } => write!(f, "activemask.b32 {};", self.reg(*dst)),
            Op::Bar { kind, aligned, id, threads } => {
                write!(f, "{}.{} {}", barrier(*aligned), kind.name(), word(*id))?;
                threads.map_or(Ok(()), |threads| write!(f, ", {}", word(threads)))?;
                write!(f, ";")
            }
            Op::BarRed { op, aligned, dst, id, threads, pred } => {
                let ty = if *op == BarRedOp::Popc { "u32" } else { "pred" };
                write!(f, "{}.red.{}.{ty} {}, {}", barrier(*aligned), op.name(), self.reg(*dst), word(*id))?;
                threads.map_or(Ok(()), |threads| write!(f, ", {}", word(threads)))?;
                write!(f, ", {};", self.predicate(*pred))
            }
            Op::BarWarp { mask } => write!(f, "bar.warp.sync {};", word(*mask)),
            Op::Call { uni, callee, results, arguments } => {
                let list = |params: &[Param]| -> String {
                    params.iter().map(|param| self.param(*param)).collect::<Vec<_>>().join(", ")
                };
                write!(f, "call{} ", if *uni { ".uni" } else { "" })?;
                if !results.is_empty() {
                    write!(f, "({}), ", list(results))?;
                }
                match callee {
                    Callee::Func(name) => write!(f, "{name}")?,
                    Callee::Reg(reg, _) => write!(f, "{}", self.reg(*reg))?,
                }
                let indirect = matches!(callee, Callee::Reg(..));
                if !arguments.is_empty() || indirect {
                    write!(f, ", ({})", list(arguments))?;
                }
                match callee {
                    Callee::Reg(_, prototype) => write!(f, ", {prototype};"),
                    Callee::Func(_) => write!(f, ";"),
                }
            }
            _ => unreachable!("all others are printed elsewhere"),
        }
    }

    fn operand(&self, operand: Operand, ty: Type) -> String {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Imm(bits) => match ty {
                Type::F32 => format!("0f{:08X}", bits as u32),
                Type::F64 => format!("0d{bits:016X}"),
                Type::S8 => (bits as u8 as i8).to_string(),
                Type::S16 => (bits as u16 as i16).to_string(),
                Type::S32 => (bits as u32 as i32).to_string(),
                Type::S64 => (bits as i64).to_string(),
                _ => (bits & ty.mask()).to_string(),
            },
            Operand::Special(special) => special.name().to_owned(),
            Operand::Variable(variable) => self.module.variables[variable].name.clone(),
            Operand::Param(param) => self.param(param),
        }
    }

    fn address(&self, addr: Address) -> String {
        let base = match addr.base {
            Base::Reg(reg) => self.reg(reg),
            Base::Variable(variable) => self.module.variables[variable].name.clone(),
            Base::Param(param) => self.param(param),
        };
        match addr.offset {
            0 => format!("[{base}]"),
            offset => format!("[{base}+{offset}]"),
        }
    }

    fn param(&self, param: Param) -> String {
        let data = &self.func.params[param];
        if data.kind == ParamKind::Local { local_name(param.index()) } else { data.name.clone() }
    }

    fn either(&self, dst: Reg, other: Option<Reg>) -> String {
        other.map_or(self.reg(dst), |other| format!("{}|{}", self.reg(dst), self.reg(other)))
    }

    fn combination(&self, combine: Option<(BoolOp, Guard)>) -> (String, String) {
        combine.map_or_else(Default::default, |(op, pred)| (dotted(op), format!(", {}", self.predicate(pred))))
    }

    /// From sm_70 on warp-wide instructions name the lanes that must meet there.
    fn convergence(&self, mask: Option<Operand>) -> (&'static str, String) {
        match mask {
            Some(mask) => (".sync", format!(", {}", self.operand(mask, Type::U32))),
            None if self.module.sm >= 70 => (".sync", format!(", {}", u32::MAX)),
            None => ("", String::new()),
        }
    }
}

/// The type of one of `count` parts.
pub(crate) fn part_type(ty: Type, count: usize) -> Type {
    match ty.bytes() as usize / count.max(1) {
        1 => Type::B8,
        2 => Type::B16,
        4 => Type::B32,
        _ => Type::B64,
    }
}

fn flush(ftz: bool) -> &'static str {
    if ftz { ".ftz" } else { "" }
}

/// Returns the qualifiers before the state space, and those behind it.
fn qualifiers(access: &Access) -> (String, String) {
    let scope = access.scope.map_or(String::new(), dotted);
    let cache = if access.cache.is_empty() { String::new() } else { format!(".{}", access.cache) };
    (dotted(access.order) + &scope, cache)
}

fn vector(count: usize) -> &'static str {
    match count {
        2 => ".v2",
        4 => ".v4",
        8 => ".v8",
        _ => "",
    }
}

fn braces(list: &[String]) -> String {
    if let [one] = list { one.clone() } else { format!("{{{}}}", list.join(", ")) }
}

fn barrier(aligned: bool) -> &'static str {
    if aligned { "bar" } else { "barrier" }
}
