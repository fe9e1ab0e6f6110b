//! Emits the blocks of a meld: instructions of both sides, selections of their operands, and what only one side executes.

use super::align::Column;
use super::candidate::{Candidate, Pair};
use super::check::OffsetOperand;
use super::facts::Facts;
use super::names::NewNames;
use super::similar::{Named, Names, harmless, immediate, named};
use cranelift_entity::EntitySet;
use ptx::estimate::latency::{BRANCH, SIMPLE, latency};
use ptx::inst::{Base, BinaryOp, BoolOp, Cmp, Guard, InstData, Mode, Op, Operand, Terminator, Type, UnaryOp};
use ptx::ir::{Block, BlockData, Func, Inst, Reg};
use ptx::visit::{Part, PartMut};
use std::collections::BTreeSet;

/// Cycles from which on instructions of one side have a block of their own, which lanes of the other side go round.
const MOST_PREDICATED: u64 = 3 * BRANCH;

pub struct Emitter<'a> {
    func: &'a Func,
    facts: &'a Facts,
    names: &'a NewNames,
    /// The function that grows, with the new names of registers.
    result: Func,
    condition: Guard,
    /// Registers that the blocks of the meld write.
    defined: EntitySet<Reg>,
    /// Computed once in front of the meld.
    hoisted: Vec<Inst>,
    selected: Vec<(Reg, [OffsetOperand; 2])>,
    /// Selections that still hold in the current block.
    local: Vec<([OffsetOperand; 2], Reg)>,
    current: Block,
    made: Vec<Block>,
}

impl<'a> Emitter<'a> {
    pub fn new(
        func: &'a Func,
        facts: &'a Facts,
        names: &'a NewNames,
        meld: &Candidate,
        result: Func,
        condition: Guard,
    ) -> Self {
        let blocks = meld.pairs.iter().flat_map(|pair| pair.blocks.into_iter().flatten());
        let insts = blocks.flat_map(|block| &func.blocks[block].insts);
        let name = |reg: &Reg| names.get(*reg);
        let mut defined = EntitySet::with_capacity(result.regs.len());
        let written = insts.flat_map(|inst| facts.accesses.writes(*inst));
        written.for_each(|reg| _ = defined.insert(name(reg)));
        let current = meld.branch;
        Self {
            func,
            facts,
            names,
            result,
            condition,
            defined,
            hoisted: Vec::new(),
            selected: Vec::new(),
            local: Vec::new(),
            current,
            made: Vec::new(),
        }
    }

    pub fn terminator(&self, block: Block) -> Terminator {
        self.result.blocks[block].terminator.clone()
    }

    pub fn end(&mut self, block: Block, terminator: Terminator) {
        self.result.blocks[block].terminator = terminator;
    }

    pub fn hoisted(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.hoisted)
    }

    pub fn finish(self) -> (Func, Vec<(Reg, [OffsetOperand; 2])>) {
        (self.result, self.selected)
    }

    /// Emits what two blocks do, from the start block on; all blocks that it took, in order.
    pub fn pair(&mut self, pair: &Pair, start: Block) -> Vec<Block> {
        self.local.clear();
        self.current = start;
        self.made = vec![start];
        self.result.blocks[start].insts.reserve(pair.columns.len());
        let live = [0, 1].map(|side| self.live(pair, side));
        let func = self.func;
        let insts = pair.blocks.map(|block| block.map_or(&[][..], |block| &func.blocks[block].insts));
        // how far each side has come
        let mut at = [0, 0];
        let mut run: Vec<Inst> = Vec::new();
        let mut running = 0;
        for column in &pair.columns {
            let (side, position) = match *column {
                Column::Both(i, j) => {
                    self.run(running, std::mem::take(&mut run), live[1 - running].at(at[1 - running]));
                    let after = [live[0].at(i + 1), live[1].at(j + 1)];
                    self.both([insts[0][i], insts[1][j]], after);
                    at = [i + 1, j + 1];
                    continue;
                }
                Column::First(i) => (0, i),
                Column::Second(j) => (1, j),
            };
            if side != running {
                self.run(running, std::mem::take(&mut run), live[1 - running].at(at[1 - running]));
                running = side;
            }
            run.push(insts[side][position]);
            at[side] = position + 1;
        }
        self.run(running, run, live[1 - running].at(at[1 - running]));
        std::mem::take(&mut self.made)
    }

    /// The registers that lanes of a side need at each position of its block.
    fn live(&self, pair: &Pair, side: usize) -> Live {
        // registers that become one are never needed together, so that a set of new names can be kept
        let name = |reg: &Reg| self.names.get(*reg);
        let (liveness, accesses) = (self.facts.liveness(self.func), &self.facts.accesses);
        let insts = pair.blocks[side].map_or(0, |block| self.func.blocks[block].insts.len());
        let Some(block) = pair.blocks[side] else {
            let needs = pair.needs(side).map(|(block, start)| match start {
                true => liveness.live_in(block),
                false => liveness.live_out(block),
            });
            return Live(needs.into_iter().map(|regs| regs.iter().map(name).collect()).collect());
        };
        let data = &self.func.blocks[block];
        let mut live: BTreeSet<Reg> = liveness.live_out(block).iter().map(name).collect();
        live.extend(data.terminator.condition().as_ref().map(name));
        let mut all = vec![live.clone(); insts + 1];
        for (position, inst) in data.insts.iter().enumerate().rev() {
            let (reads, writes) = accesses.reads_and_writes(*inst);
            live.retain(|reg| !writes.iter().any(|written| name(written) == *reg));
            live.extend(reads.iter().map(name));
            all[position].clone_from(&live);
        }
        Live(all)
    }

    /// Instructions of one side in a row, while lanes of the other side need these registers. Those that harm nobody all lanes
    /// execute, the others have the condition as their guard; many of these have a block of their own.
    fn run(&mut self, side: usize, insts: Vec<Inst>, others: Option<&BTreeSet<Reg>>) {
        if insts.is_empty() {
            return;
        }
        let guarded =
            |data: &InstData| others.is_some_and(|live| !harmless(data) || writes(&data.op, |reg| live.contains(&reg)));
        let price = |data: &InstData| latency(&data.op) + if data.guard.is_some() { 2 * SIMPLE } else { 0 };
        let datas = insts.iter().map(|inst| &self.result.insts[*inst]);
        let predicated: u64 = datas.filter(|data| guarded(data)).map(price).sum();
        if predicated > MOST_PREDICATED {
            let [own, tail] = [(); 2].map(|()| self.block());
            let guard = self.side(side);
            self.end(self.current, Terminator::CondBra { guard, uni: false, then: own, otherwise: tail });
            self.end(own, Terminator::Bra { target: tail });
            for inst in &insts {
                forget(&mut self.local, &self.result.insts[*inst].op);
            }
            self.result.blocks[own].insts = insts;
            self.made.extend([own, tail]);
            self.current = tail;
            return;
        }
        for inst in insts {
            let data = self.result.insts[inst].clone();
            match (guarded(&data), data.guard) {
                (false, _) => self.push(data),
                (true, None) => self.push(InstData { guard: Some(self.side(side)), ..data }),
                (true, Some(guard)) => {
                    // both must hold
                    let pred = self.result.regs.push(Type::Pred);
                    self.push(InstData { guard: None, op: constant(pred, false) });
                    self.push(InstData { guard: Some(self.side(side)), op: copy(pred, guard) });
                    self.push(InstData { guard: Some(Guard { pred, negate: false }), ..data });
                }
            }
        }
    }

    /// One instruction for two of one shape. `after`: what lanes of each side need behind it.
    fn both(&mut self, insts: [Inst; 2], after: [Option<&BTreeSet<Reg>>; 2]) {
        let [first, second] = insts.map(|inst| &self.result.insts[inst]);
        let (Some(names), Some(others)) = (named(&first.op), named(&second.op)) else { return };
        let (mut op, guards) = (first.op.clone(), [first.guard, second.guard]);
        let mut moves = Vec::new();
        let mut list = Names::new();
        let several = names.iter().filter(|name| matches!(name, Named::Def(_))).count() > 1;
        for (position, pair) in names.into_iter().zip(others).enumerate() {
            list.push(match pair {
                (Named::Def(a), Named::Def(b)) => Named::Def(self.result_of([a, b], several, after, &mut moves)),
                (Named::Use(a), Named::Use(b)) => {
                    let [a, b] = [a, b].map(|pred| Guard { pred, negate: false });
                    Named::Use(self.choice([a, b]).pred)
                }
                (Named::Read(a), Named::Read(b)) if a != b => {
                    let ty = [a, b].iter().find_map(|operand| operand.reg()).map(|reg| self.result.regs[reg].class());
                    let ty = ty.or(immediate(&op, position)).unwrap_or(Type::B32);
                    if let (Op::Unary { op: UnaryOp::Mov, dst, .. }, true) = (&op, ty != Type::Pred) {
                        let results = [*dst, self.result.insts[insts[1]].op.results()[0]];
                        return self.chosen_move([a, b], ty, results, guards, after);
                    }
                    Named::Read(self.chosen([a, b], ty))
                }
                (Named::At(a, i), Named::At(b, j)) => self.address([(a, i), (b, j)]),
                (name, _) => name,
            });
        }
        set(&mut op, list);
        let guard = guards[0].zip(guards[1]).map(|(a, b)| self.choice([a, b]));
        self.push(InstData { guard, op });
        moves.into_iter().for_each(|data| self.push(data));
    }

    /// Two moves of different operands: the selection is the move.
    fn chosen_move(
        &mut self,
        operands: [Operand; 2],
        ty: Type,
        results: [Reg; 2],
        guards: [Option<Guard>; 2],
        after: [Option<&BTreeSet<Reg>>; 2],
    ) {
        let mut moves = Vec::new();
        let dst = self.result_of(results, false, after, &mut moves);
        let guard = guards[0].zip(guards[1]).map(|(a, b)| self.choice([a, b]));
        let op = self.selection(operands, ty, dst);
        self.push(InstData { guard, op });
        moves.into_iter().for_each(|data| self.push(data));
    }

    /// The register that takes the result of both sides, and the moves that it takes behind it where theirs are two. One of
    /// `several` results may be what another one is moved to.
    fn result_of(
        &mut self,
        [a, b]: [Reg; 2],
        several: bool,
        after: [Option<&BTreeSet<Reg>>; 2],
        moves: &mut Vec<InstData>,
    ) -> Reg {
        if a == b {
            return a;
        }
        let needed = |side: usize, reg: Reg| after[side].is_some_and(|live| live.contains(&reg));
        let mut moved = |from: Reg, to: Reg, side: usize, emitter: &Self| {
            let guard = needed(1 - side, to).then(|| emitter.side(side));
            moves.push(InstData { guard, op: emitter.mov(to, from) });
        };
        if !several && !needed(1, a) {
            moved(a, b, 1, self);
            return a;
        }
        if !several && !needed(0, b) {
            moved(b, a, 0, self);
            return b;
        }
        let ty = self.result.regs[a];
        let new = self.result.regs.push(ty);
        moved(new, a, 0, self);
        moved(new, b, 1, self);
        new
    }

    fn mov(&self, dst: Reg, src: Reg) -> Op {
        let ty = self.result.regs[dst].class();
        Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a: src.into() }
    }

    /// The first operand in lanes of the first side, the second in the others.
    fn chosen(&mut self, operands: [Operand; 2], ty: Type) -> Operand {
        if operands[0] == operands[1] {
            return operands[0];
        }
        if let ([Operand::Reg(a), Operand::Reg(b)], Type::Pred) = (operands, ty) {
            return self.choice([a, b].map(|pred| Guard { pred, negate: false })).pred.into();
        }
        let held = operands.map(|operand| (operand, 0));
        self.once(held, ty, |emitter, dst| emitter.selection(operands, ty, dst))
    }

    fn selection(&self, [a, b]: [Operand; 2], ty: Type, dst: Reg) -> Op {
        let Guard { pred, negate } = self.condition;
        let [a, b] = if negate { [b, a] } else { [a, b] };
        Op::Selp { ty, dst, a, b, pred }
    }

    /// The address of each side: where their offsets differ, the difference is added to the base of the first side, so that
    /// accesses to neighbouring places share the sum.
    fn address(&mut self, [(a, i), (b, j)]: [(Base, i64); 2]) -> Named {
        let (Base::Reg(first), Base::Reg(second)) = (a, b) else { return Named::At(a, i) };
        let class = self.result.regs[first].class();
        let base = self.chosen([first.into(), second.into()], class);
        let difference = i.wrapping_sub(j);
        let sum = if difference == 0 {
            base
        } else {
            let offset = self.chosen([Operand::Imm(difference as u64 & class.mask()), Operand::Imm(0)], class);
            let held = [(first.into(), difference), (second.into(), 0)];
            self.once(held, class, |_, dst| Op::Binary {
                op: BinaryOp::Add,
                mode: Mode::default(),
                ty: class.unsigned(),
                dst,
                a: base,
                b: offset,
            })
        };
        match sum {
            Operand::Reg(sum) => Named::At(Base::Reg(sum), j),
            _ => Named::At(a, i),
        }
    }

    /// A register with what each side holds: in front of the meld where nothing in it changes that, else here.
    fn once(&mut self, held: [OffsetOperand; 2], ty: Type, op: impl FnOnce(&Self, Reg) -> Op) -> Operand {
        if let Some((reg, _)) = self.selected.iter().find(|(_, known)| *known == held) {
            return (*reg).into();
        }
        if let Some((_, reg)) = self.local.iter().find(|(known, _)| *known == held) {
            return (*reg).into();
        }
        let dst = self.result.regs.push(ty);
        let op = op(self, dst);
        let changes = |(operand, _): &OffsetOperand| operand.reg().is_some_and(|reg| self.defined.contains(reg));
        if held.iter().any(changes) {
            self.push(InstData { guard: None, op });
            self.local.push((held, dst));
        } else {
            self.hoisted.push(self.result.insts.push(InstData { guard: None, op }));
            self.selected.push((dst, held));
        }
        dst.into()
    }

    /// Holds where the guard of the lane's side holds.
    pub fn choice(&mut self, [a, b]: [Guard; 2]) -> Guard {
        if a == b {
            return a;
        }
        let pred = self.result.regs.push(Type::Pred);
        let second = Some(self.side(1));
        if a.negate == b.negate {
            self.push(InstData { guard: None, op: self.mov(pred, a.pred) });
            self.push(InstData { guard: second, op: self.mov(pred, b.pred) });
            return Guard { pred, negate: a.negate };
        }
        self.push(InstData { guard: None, op: copy(pred, a) });
        self.push(InstData { guard: second, op: copy(pred, b) });
        Guard { pred, negate: false }
    }

    /// Holds where the guard does; in lanes of a side, where it is told to.
    pub fn forced(&mut self, side: usize, guard: Guard, holds: bool) -> Guard {
        let pred = self.result.regs.push(Type::Pred);
        self.push(InstData { guard: None, op: self.mov(pred, guard.pred) });
        self.push(InstData { guard: Some(self.side(side)), op: constant(pred, holds ^ guard.negate) });
        Guard { pred, negate: guard.negate }
    }

    /// Holds in lanes of the side.
    fn side(&self, side: usize) -> Guard {
        Guard { negate: self.condition.negate ^ (side == 1), ..self.condition }
    }

    fn push(&mut self, data: InstData) {
        forget(&mut self.local, &data.op);
        let inst = self.result.insts.push(data);
        self.result.blocks[self.current].insts.push(inst);
    }

    pub fn block(&mut self) -> Block {
        self.result.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Ret })
    }
}

/// Registers needed at positions of a block; none where a side has no lanes, one set where its lanes only pass.
struct Live(Vec<BTreeSet<Reg>>);

impl Live {
    fn at(&self, position: usize) -> Option<&BTreeSet<Reg>> {
        self.0.get(position).or(self.0.last())
    }
}

/// Selections of what the instruction writes no longer hold.
fn forget(local: &mut Vec<([OffsetOperand; 2], Reg)>, op: &Op) {
    if local.is_empty() {
        return;
    }
    let changes = |(operand, _): &OffsetOperand| operand.reg().is_some_and(|reg| writes(op, |written| written == reg));
    local.retain(|(held, _)| !held.iter().any(changes));
}

/// Whether the operation writes such a register.
fn writes(op: &Op, such: impl Fn(Reg) -> bool) -> bool {
    let mut found = false;
    op.parts(|part| {
        if let Part::Def(reg) | Part::Touch(reg) = part {
            found |= such(*reg);
        }
    });
    found
}

/// pred = the guard holds
fn copy(pred: Reg, guard: Guard) -> Op {
    compare(pred, true, Some((BoolOp::And, guard)))
}

fn constant(pred: Reg, holds: bool) -> Op {
    compare(pred, holds, None)
}

fn compare(dst: Reg, holds: bool, combine: Option<(BoolOp, Guard)>) -> Op {
    let (cmp, zero) = (if holds { Cmp::Eq } else { Cmp::Ne }, Operand::Imm(0));
    Op::Setp { cmp, ftz: false, ty: Type::U32, dst, other: None, a: zero, b: zero, combine }
}

/// Gives an instruction other names, in the order of [`named`].
fn set(op: &mut Op, list: Names) {
    let mut list = list.into_iter();
    op.parts_mut(|part| match (part, list.next()) {
        (PartMut::Def(reg), Some(Named::Def(new))) | (PartMut::Use(reg), Some(Named::Use(new))) => *reg = new,
        (PartMut::Read(operand), Some(Named::Read(new))) => *operand = new,
        (PartMut::At(addr), Some(Named::At(base, offset))) => (addr.base, addr.offset) = (base, offset),
        _ => {}
    });
}
