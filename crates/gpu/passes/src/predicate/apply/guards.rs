//! Instructions under a guard.

use super::facts::Facts;
use ptx::inst::*;
use ptx::ir::{Func, Inst, Param, ParamData, ParamKind, Reg};
use std::collections::BTreeMap;

/// Puts the instructions of one block under a guard, one after the other.
pub(super) struct Guarding<'a> {
    guard: Option<Guard>,
    facts: &'a Facts<'a>,
    /// The conjunctions of the guard with predicates that the block's own guards name, as long as they hold.
    both: BTreeMap<(Reg, bool), Guard>,
}

/// An instruction of the old function that is changed, or a new one.
type Written = (Option<Inst>, InstData);

impl<'a> Guarding<'a> {
    pub(super) fn new(guard: Option<Guard>, facts: &'a Facts<'a>) -> Self {
        Self { guard, facts, both: BTreeMap::new() }
    }

    /// Returns the instructions that replace one. Places for arguments and results of calls are stored and loaded without guards, as PTX
    /// demands it: what is loaded goes where it belongs under the guard.
    pub(super) fn rewrite(&mut self, func: &mut Func, old: &Func, inst: Inst) -> Vec<Written> {
        let data = old.insts[inst].clone();
        let Some(guard) = self.guard else { return vec![(Some(inst), data)] };
        let results = data.op.results();
        let harmless = matches!(data.op, Op::Directive(_)) || data.op.only_computes();
        if harmless && results.iter().all(|reg| self.facts.local.contains(reg)) {
            // a conjunction with a predicate that is written here has to be made again
            self.forget(&results);
            return vec![(Some(inst), data)];
        }
        if let Op::St { space: Space::Param, addr, .. } = &data.op
            && is_local(func, addr)
        {
            return vec![(Some(inst), data)];
        }
        let mut written: Vec<Written> = Vec::new();
        let guard = match data.guard {
            None => guard,
            Some(own) => self.both(func, guard, own, &mut written),
        };
        match data.op {
            Op::Ld { space: Space::Param, ref addr, ref dst, .. } if is_local(func, addr) => {
                let mut load = data.op.clone();
                let fresh: Destinations = dst.iter().map(|dst| func.regs.push(func.regs[*dst])).collect();
                if let Op::Ld { dst, .. } = &mut load {
                    dst.clone_from(&fresh);
                }
                written.push((Some(inst), InstData { guard: None, op: load }));
                for (dst, a) in dst.iter().zip(fresh) {
                    let (op, mode, ty) = (UnaryOp::Mov, Mode::default(), func.regs[*dst].class());
                    written.push((
                        None,
                        InstData { guard: Some(guard), op: Op::Unary { op, mode, ty, dst: *dst, a: a.into() } },
                    ));
                }
            }
            Op::Call { callee, results, mut arguments, .. } => match self.twin(&callee) {
                Some(twin) => {
                    arguments.push(pass_mask(func, guard, &mut written));
                    let op = Op::Call { uni: true, callee: Callee::Func(twin.clone()), results, arguments };
                    written.push((Some(inst), InstData { guard: None, op }));
                }
                None => {
                    let op = Op::Call { uni: false, callee, results, arguments };
                    written.push((Some(inst), InstData { guard: Some(guard), op }));
                }
            },
            op => {
                self.forget(&results);
                if data.guard.is_none() && self.facts.repeated.contains(&inst) {
                    self.define(func, &op, &mut written);
                }
                written.push((Some(inst), InstData { guard: Some(guard), op }));
            }
        }
        written
    }

    /// Gives what a load writes a value in the lanes that do not load. Of two loads of one address under masks that exclude each other
    /// ptxas (11.8, 12.9 and 13.0 at -O2) drops one where other lanes hold nothing.
    fn define(&self, func: &Func, op: &Op, written: &mut Vec<Written>) {
        let results = op.results();
        let mut read = false;
        op.operands(|operand| read |= operand.reg().is_some_and(|reg| results.contains(&reg)));
        let movable = results.iter().all(|reg| (2..=8).contains(&func.regs[*reg].bytes()));
        if read || !movable || !results.iter().all(|reg| self.facts.local.contains(reg)) {
            return;
        }
        for dst in results {
            let ty = func.regs[dst].class();
            let op = Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a: Operand::Imm(0) };
            written.push((None, InstData { guard: None, op }));
        }
    }

    /// The name of the function that takes an entrance mask.
    fn twin(&self, callee: &Callee) -> Option<&'a String> {
        match callee {
            Callee::Func(name) => self.facts.twins.get(name),
            Callee::Reg(..) => None,
        }
    }

    fn forget(&mut self, written: &[Reg]) {
        self.both.retain(|(pred, _), _| !written.contains(pred));
    }

    /// The lanes of two guards.
    fn both(&mut self, func: &mut Func, guard: Guard, own: Guard, written: &mut Vec<Written>) -> Guard {
        if let Some(known) = self.both.get(&(own.pred, own.negate)) {
            return *known;
        }
        let mut write = |func: &mut Func, op: &dyn Fn(Reg) -> Op| {
            let dst = func.regs.push(Type::Pred);
            written.push((None, InstData { guard: None, op: op(dst) }));
            dst
        };
        let logic = |op: BinaryOp, a: Reg, b: Reg| {
            move |dst| Op::Binary { op, mode: Mode::default(), ty: Type::Pred, dst, a: a.into(), b: b.into() }
        };
        let found = match (guard.negate, own.negate) {
            (false, false) => Guard { pred: write(func, &logic(BinaryOp::And, guard.pred, own.pred)), negate: false },
            (true, true) => Guard { pred: write(func, &logic(BinaryOp::Or, guard.pred, own.pred)), negate: true },
            (negate, _) => {
                let (yes, no) = if negate { (own.pred, guard.pred) } else { (guard.pred, own.pred) };
                // not (a | b) ^ b: from sm_70 on ptxas (11.8, 12.9 and 13.0) takes that for b where a & b is wanted, too
                let other = write(func, &|dst| Op::Unary {
                    op: UnaryOp::Not,
                    mode: Mode::default(),
                    ty: Type::Pred,
                    dst,
                    a: no.into(),
                });
                Guard { pred: write(func, &logic(BinaryOp::And, yes, other)), negate: false }
            }
        };
        self.both.insert((own.pred, own.negate), found);
        found
    }
}

/// Stores the guard to a place for an argument.
fn pass_mask(func: &mut Func, guard: Guard, written: &mut Vec<Written>) -> Param {
    let (ty, word) = (Type::B32, func.regs.push(Type::B32));
    let (a, b) = if guard.negate { (0, 1) } else { (1, 0) };
    written.push((
        None,
        InstData { guard: None, op: Op::Selp { ty, dst: word, a: a.into(), b: b.into(), pred: guard.pred } },
    ));
    let mut name = format!("entrance{}", func.params.len());
    while func.params.values().any(|param| param.name == name) {
        name.push('_');
    }
    let param = func.params.push(ParamData { kind: ParamKind::Local, ..ParamData::input(name, ty) });
    let store = Op::store(Space::Param, ty, Address { base: Base::Param(param), offset: 0 }, word);
    written.push((None, InstData { guard: None, op: store }));
    param
}

fn is_local(func: &Func, addr: &Address) -> bool {
    matches!(addr.base, Base::Param(param) if func.params[param].kind == ParamKind::Local)
}
