//! Instructions: from an opcode and its operands to the IR, or verbatim.

use super::body::Body;
use super::operand::{Misfit, bits, ty, vector};
use super::{Reader, Rule, first_line};
use crate::simt::inst::*;
use pest::iterators::Pair;

type Args<'p, 'a> = &'p [Pair<'a, Rule>];

impl<'a> Reader<'a> {
    pub(super) fn instruction(&mut self, item: Pair<'a, Rule>, body: &mut Body<'a>) {
        let (mut guard, mut opcode, mut args) = (None, "", Vec::new());
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::guard => match self.guard(&part, body) {
                    Some(found) => guard = Some(found),
                    None => return,
                },
                Rule::opcode => opcode = part.as_str(),
                _ => args.push(part),
            }
        }
        match opcode {
            "ret" | "exit" if args.is_empty() => return body.leave(guard),
            "brx.idx" | "brx.idx.uni" if guard.is_none() => return self.indirect(&item, &args, body),
            _ if opcode.starts_with("bra") && !opcode.starts_with("brev") || opcode.starts_with("call") => {
                let text = format!("{opcode} is not supported here");
                return self.error(&item, "ptx::unsupported", text);
            }
            _ => {}
        }
        match self.translate(opcode, &args, body) {
            Ok(ops) => ops.into_iter().for_each(|op| body.push(guard, op)),
            Err(Misfit::Unknown) => self.verbatim(&item, opcode, guard, body),
            Err(Misfit::Reported) => {}
        }
    }

    /// A statement whose operands have an unknown form.
    pub(super) fn opaque(&mut self, item: Pair<'a, Rule>, body: &mut Body<'a>) {
        let (mut guard, mut opcode) = (None, "");
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::guard => match self.guard(&part, body) {
                    Some(found) => guard = Some(found),
                    None => return,
                },
                Rule::opcode => opcode = part.as_str(),
                _ => {}
            }
        }
        let first = opcode.split('.').next().unwrap_or_default();
        if matches!(first, "bra" | "brx" | "ret" | "exit" | "call") {
            let text = format!("\"{}\" is not supported", first_line(item.as_str()));
            return self.error(&item, "ptx::unsupported", text);
        }
        self.verbatim(&item, opcode, guard, body);
    }

    fn verbatim(&mut self, item: &Pair<'a, Rule>, opcode: &str, guard: Option<Guard>, body: &mut Body<'a>) {
        let mut pieces: Vec<Piece> = Vec::new();
        for word in flat(item) {
            let piece = match word.as_rule() {
                Rule::word if word.as_str().starts_with('%') => match self.reg(&word, body) {
                    Ok(reg) => Piece::Reg(reg),
                    Err(Misfit::Unknown) => Piece::Text(word.as_str().to_owned()),
                    Err(Misfit::Reported) => return,
                },
                Rule::word if body.reg(word.as_str()).is_some() => match self.reg(&word, body) {
                    Ok(reg) => Piece::Reg(reg),
                    Err(_) => return,
                },
                _ => Piece::Text(word.as_str().to_owned()),
            };
            pieces.push(piece);
        }
        body.push(guard, Op::Opaque { opcode: opcode.to_owned(), pieces });
    }

    fn indirect(&mut self, item: &Pair<'a, Rule>, args: Args<'_, 'a>, body: &mut Body<'a>) {
        let table = args.get(1).and_then(|arg| self.tables.get(arg.as_str().trim()).cloned());
        let index = args.first().map(|arg| self.register(arg, body));
        match (index, table) {
            (Some(Ok(index)), Some(names)) => body.indirect(index, &names, item.as_span().start()),
            (Some(Err(Misfit::Reported)), _) => {}
            _ => self.error(item, "ptx::branch-table", "an indirect branch needs a register and .branchtargets"),
        }
    }

    /// Several instructions where vectors are accessed.
    fn translate(&mut self, opcode: &str, args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Vec<Op>, Misfit> {
        let parts: Vec<&str> = opcode.split('.').collect();
        let last = ty(parts.last().copied().unwrap_or_default());
        let middle = &parts[1..parts.len().max(2) - 1];
        match (parts[0], last) {
            ("ld", Some(ty)) => return self.load(middle, ty, args, body),
            ("st", Some(ty)) => return self.store(middle, ty, args, body),
            ("shfl" | "vote", _) => return self.warp_wide(&parts, args, body).map(|op| vec![op]),
            ("bar" | "barrier", _) => return barrier(&parts, args).map(|op| vec![op]).ok_or(Misfit::Unknown),
            ("mov", Some(Type::B64)) if args.len() == 2 && vector(&args[0]).is_some() => {
                let ((lo, hi), src) = (self.two(&args[0], body)?, self.register(&args[1], body)?);
                return Ok(vec![Op::Unpack { lo, hi, src }]);
            }
            ("mov", Some(Type::B64)) if args.len() == 2 && vector(&args[1]).is_some() => {
                let (dst, (lo, hi)) = (self.register(&args[0], body)?, self.two(&args[1], body)?);
                return Ok(vec![Op::Pack { dst, lo, hi }]);
            }
            _ => {}
        }
        let ty = last.ok_or(Misfit::Unknown)?;
        self.plain(parts[0], middle, ty, args, body).map(|op| vec![op])
    }

    /// Arithmetic and moves.
    fn plain(
        &mut self,
        name: &str,
        middle: &[&str],
        ty: Type,
        args: Args<'_, 'a>,
        body: &mut Body<'a>,
    ) -> Result<Op, Misfit> {
        let dst = self.register(args.first().ok_or(Misfit::Unknown)?, body)?;
        let mut take = |at: usize, ty: Type| self.operand(args.get(at).ok_or(Misfit::Unknown)?, ty, body);
        let op = match args.len() {
            2 if name == "cvt" => {
                let (rounding, to) = conversion(middle).ok_or(Misfit::Unknown)?;
                Op::Cvt { rounding, to, from: ty, dst, a: take(1, ty)? }
            }
            2 => Op::Unary { op: unary(name, middle, ty).ok_or(Misfit::Unknown)?, ty, dst, a: take(1, ty)? },
            3 if name == "setp" => {
                let cmp = comparison(middle, ty).ok_or(Misfit::Unknown)?;
                Op::Setp { cmp, ty, dst, a: take(1, ty)?, b: take(2, ty)? }
            }
            3 => {
                let op = binary(name, middle, ty).ok_or(Misfit::Unknown)?;
                let b_ty = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { Type::U32 } else { ty };
                Op::Binary { op, ty, dst, a: take(1, ty)?, b: take(2, b_ty)? }
            }
            4 if name == "selp" && middle.is_empty() => {
                let (a, b) = (take(1, ty)?, take(2, ty)?);
                Op::Selp { ty, dst, a, b, pred: self.register(&args[3], body)? }
            }
            4 => {
                let op = ternary(name, middle, ty).ok_or(Misfit::Unknown)?;
                let (b_ty, c_ty) = match op {
                    TernaryOp::MadWide => (ty, if ty == Type::S32 { Type::S64 } else { Type::U64 }),
                    TernaryOp::Bfe => (Type::U32, Type::U32),
                    _ => (ty, ty),
                };
                Op::Ternary { op, ty, dst, a: take(1, ty)?, b: take(2, b_ty)?, c: take(3, c_ty)? }
            }
            5 if name == "bfi" && middle.is_empty() => {
                let (a, b, pos, len) = (take(1, ty)?, take(2, ty)?, take(3, Type::U32)?, take(4, Type::U32)?);
                Op::Bfi { ty, dst, a, b, pos, len }
            }
            _ => return Err(Misfit::Unknown),
        };
        Ok(op)
    }

    fn load(&mut self, middle: &[&str], ty: Type, args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Vec<Op>, Misfit> {
        let (space, read_only, lanes) = access(middle).ok_or(Misfit::Unknown)?;
        let [dst, addr] = args else { return Err(Misfit::Unknown) };
        let addr = self.address(addr, body)?;
        let regs = match vector(dst) {
            Some(words) => words.iter().map(|word| self.reg(word, body)).collect::<Result<Vec<_>, _>>()?,
            None => vec![self.register(dst, body)?],
        };
        if regs.len() != lanes || lanes > 1 && regs.iter().any(|reg| addr.base == Base::Reg(*reg)) {
            return Err(Misfit::Unknown);
        }
        let one = |(i, dst)| Op::Ld { space, read_only, ty, dst, addr: element(addr, ty, i) };
        Ok(regs.into_iter().enumerate().map(one).collect())
    }

    fn store(&mut self, middle: &[&str], ty: Type, args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Vec<Op>, Misfit> {
        let (space, _, lanes) = access(middle).filter(|access| !access.1).ok_or(Misfit::Unknown)?;
        let [addr, src] = args else { return Err(Misfit::Unknown) };
        let addr = self.address(addr, body)?;
        let sources = match vector(src) {
            Some(words) => {
                words.iter().map(|word| self.reg(word, body).map(Operand::Reg)).collect::<Result<Vec<_>, _>>()?
            }
            None => vec![self.operand(src, ty, body)?],
        };
        if sources.len() != lanes {
            return Err(Misfit::Unknown);
        }
        let one = |(i, src)| Op::St { space, ty, addr: element(addr, ty, i), src };
        Ok(sources.into_iter().enumerate().map(one).collect())
    }

    fn warp_wide(&mut self, parts: &[&str], args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Op, Misfit> {
        let sync = parts.get(1) == Some(&"sync");
        let rest = &parts[1 + usize::from(sync)..];
        let args = match args.split_last() {
            Some((mask, args)) if sync && bits(mask.as_str().trim()).is_some_and(|m| m as u32 == u32::MAX) => args,
            _ if sync => return Err(Misfit::Unknown),
            _ => args,
        };
        match (parts[0], rest, args) {
            ("shfl", [mode, "b32"], [dst, src, lane, clamp]) => {
                let mode = match *mode {
                    "idx" => ShflMode::Idx,
                    "up" => ShflMode::Up,
                    "down" => ShflMode::Down,
                    "bfly" => ShflMode::Bfly,
                    _ => return Err(Misfit::Unknown),
                };
                let (dst, src) = (self.register(dst, body)?, self.register(src, body)?);
                let (lane, clamp) = (self.operand(lane, Type::U32, body)?, self.operand(clamp, Type::U32, body)?);
                Ok(Op::Shfl { mode, dst, src, lane, clamp })
            }
            ("vote", [mode, _], [dst, pred]) => {
                let mode = match *mode {
                    "all" => VoteMode::All,
                    "any" => VoteMode::Any,
                    "uni" => VoteMode::Uni,
                    "ballot" => VoteMode::Ballot,
                    _ => return Err(Misfit::Unknown),
                };
                let dst = self.register(dst, body)?;
                let inner = pred.clone().into_inner().next().ok_or(Misfit::Unknown)?;
                let negate = inner.as_rule() == Rule::negated;
                let word = if negate { inner.into_inner().next().ok_or(Misfit::Unknown)? } else { inner };
                Ok(Op::Vote { mode, dst, pred: self.reg(&word, body)?, negate })
            }
            _ => Err(Misfit::Unknown),
        }
    }
}

/// The words and texts of a statement behind its opcode, in order, with the marks between them.
fn flat<'a>(item: &Pair<'a, Rule>) -> Vec<Pair<'a, Rule>> {
    let whole = item.as_span();
    let opcode = item.clone().into_inner().find(|part| part.as_rule() == Rule::opcode);
    let start = opcode.map_or(whole.start(), |opcode| opcode.as_span().end());
    let text = &whole.get_input()[start..whole.end()];
    // the text is a statement without its opcode, so it parses as pieces
    let pieces = <super::Grammar as pest::Parser<Rule>>::parse(Rule::pieces, text);
    pieces.into_iter().flatten().flat_map(Pair::into_inner).filter(|p| p.as_rule() != Rule::EOI).collect()
}

fn element(addr: Address, ty: Type, index: usize) -> Address {
    Address { offset: addr.offset.wrapping_add(i64::from(ty.bytes()) * index as i64), ..addr }
}

/// State space, read-only path, elements.
fn access(middle: &[&str]) -> Option<(Space, bool, usize)> {
    let (space, rest) = middle.split_first()?;
    let space = match *space {
        "param" => Space::Param,
        "global" => Space::Global,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Const,
        _ => return None,
    };
    match rest {
        [] => Some((space, false, 1)),
        ["nc"] if space == Space::Global => Some((space, true, 1)),
        ["v2"] => Some((space, false, 2)),
        ["v4"] => Some((space, false, 4)),
        ["nc", "v2"] if space == Space::Global => Some((space, true, 2)),
        _ => None,
    }
}

fn barrier(parts: &[&str], args: Args) -> Option<Op> {
    let kind = match parts {
        ["bar", "sync"] | ["barrier", "sync", "aligned"] => BarKind::Sync,
        ["bar", "arrive"] | ["barrier", "arrive", "aligned"] => BarKind::Arrive,
        _ => return None,
    };
    let number = |arg: &Pair<Rule>| u32::try_from(bits(arg.as_str().trim())?).ok();
    match args {
        [id] => Some(Op::Bar { kind, id: number(id)?, threads: None }),
        [id, threads] => Some(Op::Bar { kind, id: number(id)?, threads: Some(number(threads)?) }),
        _ => None,
    }
}

fn conversion(middle: &[&str]) -> Option<(Rounding, Type)> {
    match middle {
        [to] => Some((Rounding::None, ty(to)?)),
        ["rn", to] => Some((Rounding::Rn, ty(to)?)),
        ["rni", to] => Some((Rounding::Rni, ty(to)?)),
        ["rzi", to] => Some((Rounding::Rzi, ty(to)?)),
        _ => None,
    }
}

fn comparison(middle: &[&str], ty: Type) -> Option<Cmp> {
    let [name] = middle else { return None };
    Some(match (*name, ty) {
        ("eq", _) => Cmp::Eq,
        ("ne", _) => Cmp::Ne,
        ("lt" | "lo", _) => Cmp::Lt,
        ("le" | "ls", _) => Cmp::Le,
        ("gt" | "hi", _) => Cmp::Gt,
        ("ge" | "hs", _) => Cmp::Ge,
        ("equ", Type::F64) => Cmp::Equ,
        ("neu", Type::F64) => Cmp::Neu,
        ("ltu", Type::F64) => Cmp::Ltu,
        ("leu", Type::F64) => Cmp::Leu,
        ("gtu", Type::F64) => Cmp::Gtu,
        ("geu", Type::F64) => Cmp::Geu,
        _ => return None,
    })
}

fn unary(name: &str, middle: &[&str], ty: Type) -> Option<UnaryOp> {
    Some(match (name, middle, ty) {
        ("mov", [], _) => UnaryOp::Mov,
        ("neg", [], _) => UnaryOp::Neg,
        ("not", [], _) => UnaryOp::Not,
        ("abs", [], _) => UnaryOp::Abs,
        ("rcp", ["rn"], Type::F64) => UnaryOp::Rcp,
        ("sqrt", ["rn"], Type::F64) => UnaryOp::Sqrt,
        ("cvta", ["to", "global"], Type::U64) => UnaryOp::CvtaToGlobal,
        _ => return None,
    })
}

fn binary(name: &str, middle: &[&str], ty: Type) -> Option<BinaryOp> {
    let real = ty == Type::F64;
    Some(match (name, middle) {
        ("add", []) | ("add", ["rn"]) if real || middle.is_empty() => BinaryOp::Add,
        ("sub", []) | ("sub", ["rn"]) if real || middle.is_empty() => BinaryOp::Sub,
        ("mul", [] | ["rn"]) if real => BinaryOp::Mul,
        ("mul", ["lo"]) if !real => BinaryOp::Mul,
        ("mul", ["wide"]) => BinaryOp::MulWide,
        ("div", ["rn"]) if real => BinaryOp::Div,
        ("div", []) if !real => BinaryOp::Div,
        ("rem", []) => BinaryOp::Rem,
        ("min", []) => BinaryOp::Min,
        ("max", []) => BinaryOp::Max,
        ("and", []) => BinaryOp::And,
        ("or", []) => BinaryOp::Or,
        ("xor", []) => BinaryOp::Xor,
        ("shl", []) => BinaryOp::Shl,
        ("shr", []) => BinaryOp::Shr,
        _ => return None,
    })
}

fn ternary(name: &str, middle: &[&str], ty: Type) -> Option<TernaryOp> {
    Some(match (name, middle, ty) {
        ("fma", ["rn"], Type::F64) => TernaryOp::Fma,
        ("mad", ["lo"], _) => TernaryOp::Mad,
        ("mad", ["wide"], _) => TernaryOp::MadWide,
        ("bfe", [], Type::U32 | Type::U64) => TernaryOp::Bfe,
        _ => return None,
    })
}
