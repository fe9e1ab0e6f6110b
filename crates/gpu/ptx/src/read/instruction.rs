//! Instructions: from an opcode and its operands to the IR, or verbatim.

use super::body::Body;
use super::operand::{Misfit, is_machine, storage};
use super::{Reader, Rule, first_line};
use crate::inst::*;
use pest::iterators::Pair;

/// The operands of an instruction.
pub(super) type Args<'p, 'a> = &'p [Pair<'a, Rule>];

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
            "ret" | "ret.uni" if args.is_empty() => return body.leave(guard, Terminator::Ret),
            "exit" if args.is_empty() => return body.leave(guard, Terminator::Exit),
            "brx.idx" | "brx.idx.uni" => return self.indirect(&item, guard, &args, body),
            _ if is_control(opcode) => {
                let text = format!("{opcode} is not supported here");
                return self.error(&item, "ptx::unsupported", text);
            }
            _ => {}
        }
        let declared = self.sinks(&item, opcode, body);
        match self.translate(opcode, &args, body) {
            Ok(ops) => ops.into_iter().for_each(|op| body.push(guard, op)),
            Err(Misfit::Unknown) => {
                if body.sink.is_some() {
                    // an instruction that stays as it is needs no register for `_`
                    body.func.regs = body.func.regs.values().copied().take(declared).collect();
                }
                self.verbatim(&item, opcode, guard, body);
            }
            Err(Misfit::Reported) => {}
        }
        body.sink = None;
    }

    /// Registers may stand for `_` in the instruction. The number of registers that are declared.
    fn sinks(&mut self, item: &Pair<'a, Rule>, opcode: &str, body: &mut Body<'a>) -> usize {
        let words = item.as_str().split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$' | '%' | '.'));
        if words.clone().any(|word| word == "_") {
            // those with number 0 come when they are first named
            for word in words {
                body.reg(word);
            }
            body.sink = written(opcode);
        }
        body.func.regs.len()
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
        if is_control(opcode) {
            let text = format!("\"{}\" is not supported", first_line(item.as_str()));
            return self.error(&item, "ptx::unsupported", text);
        }
        if !self.is_one(&item) {
            return;
        }
        self.verbatim(&item, opcode, guard, body);
    }

    fn verbatim(&mut self, item: &Pair<'a, Rule>, opcode: &str, guard: Option<Guard>, body: &mut Body<'a>) {
        if !self.has_opcode(item, opcode) {
            return;
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for word in flat(item) {
            let name = word.as_str();
            let piece = match word.as_rule() {
                Rule::word => match (body.reg(name), self.variable_of(name)) {
                    (Some(reg), _) => Piece::Reg(reg),
                    (None, _) if name.starts_with('%') && !is_machine(name) => {
                        return self.error(item, "ptx::undeclared", format!("{name} is not declared"));
                    }
                    (None, Some(variable)) => Piece::Text(self.module.variables[variable].name.clone()),
                    (None, None) => Piece::Text(name.to_owned()),
                },
                _ => Piece::Text(name.to_owned()),
            };
            pieces.push(piece);
        }
        body.push(guard, Op::Opaque { opcode: opcode.to_owned(), pieces });
    }

    fn indirect(&mut self, item: &Pair<'a, Rule>, guard: Option<Guard>, args: Args<'_, 'a>, body: &mut Body<'a>) {
        let table = |name: &'a str| {
            let mut braces = body.scopes.iter().rev().map(|scope| scope.braces);
            let names = braces.find_map(|braces| self.tables.get(&(braces, name)))?;
            Some(names.iter().map(|name| self.label_of(name, body)).collect::<Vec<_>>())
        };
        let table = args.get(1).and_then(|arg| table(arg.as_str().trim()));
        let index = args.first().map(|arg| self.register(arg, body));
        match (index, table) {
            (Some(Ok(index)), Some(names)) => body.indirect(guard, index, &names, item.as_span().start()),
            (Some(Err(Misfit::Reported)), _) => {}
            _ => self.error(item, "ptx::branch-table", "an indirect branch needs a register and .branchtargets"),
        }
    }

    /// Usually one instruction.
    fn translate(&mut self, opcode: &str, args: Args<'_, 'a>, body: &mut Body<'a>) -> Result<Vec<Op>, Misfit> {
        let parts: Vec<&str> = opcode.split('.').collect();
        match parts[0] {
            "mov" => return self.mov(&parts, args, body),
            "ld" => self.load(&parts, args, body),
            "st" => self.store(&parts, args, body),
            "atom" | "red" => self.atomic(&parts, args, body),
            "shfl" => self.shuffle(&parts, args, body),
            "vote" => self.vote(&parts, args, body),
            "match" | "redux" | "activemask" => self.over_lanes(&parts, args, body),
            "mma" => self.matrix(&parts, args, body),
            "bar" | "barrier" => self.barrier(&parts, args, body),
            "membar" | "fence" if args.is_empty() => Ok(Op::Fence { name: opcode.to_owned() }),
            "setp" | "set" => self.comparison(&parts, args, body),
            "cvt" | "cvta" | "isspacep" => self.conversion(&parts, args, body),
            _ => self.arithmetic(&parts, args, body),
        }
        .map(|op| vec![op])
    }
}

/// The class of the registers that an instruction writes.
fn written(opcode: &str) -> Option<Type> {
    let parts: Vec<&str> = opcode.split('.').collect();
    let last = |back: usize| storage(&format!(".{}", parts.get(parts.len().checked_sub(back)?)?));
    match parts[0] {
        "setp" | "isspacep" => Some(Type::Pred),
        "match" | "popc" | "clz" | "bfind" => Some(Type::B32),
        "set" | "cvt" | "slct" => last(2).map(Type::class),
        _ if parts.contains(&"wide") => last(1).map(|ty| ty.wide().class()),
        _ => last(1).map(Type::class),
    }
}

/// Changes where the thread goes on, and so cannot be kept verbatim.
fn is_control(opcode: &str) -> bool {
    matches!(opcode.split('.').next(), Some("bra" | "brx" | "ret" | "exit" | "call"))
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
