//! Registers that every instruction reads and writes, found once for all analyses.

use super::lists::table;
use crate::inst::{Address, Base, InstData, Op, Operand};
use crate::ir::{Func, Inst, Reg};
use crate::visit::Part;
use cranelift_entity::{EntityRef, SecondaryMap};

/// The registers of every instruction.
#[derive(Debug, Clone, Default)]
pub struct Accesses {
    regs: Vec<Reg>,
    spans: SecondaryMap<Inst, Span>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    guard: u32,
    old: u32,
    write: u32,
    end: u32,
    specials: bool,
}

impl Accesses {
    pub fn compute(func: &Func) -> Self {
        let mut accesses = Self { regs: Vec::with_capacity(4 * func.insts.len()), spans: table(func.insts.len()) };
        let mut results = Vec::with_capacity(4);
        for (inst, data) in func.insts.iter() {
            accesses.spans[inst] = accesses.add(data, &mut results);
        }
        accesses
    }

    /// Returns the accesses of a function that begins with the first `instructions` instructions of this one, under other names of
    /// registers, and has more behind them.
    pub fn renamed(&self, func: &Func, instructions: usize, name: impl Fn(Reg) -> Reg) -> Self {
        let more = func.insts.len().saturating_sub(instructions);
        let mut regs = Vec::with_capacity(self.regs.len() + 4 * more);
        regs.extend(self.regs.iter().map(|reg| name(*reg)));
        let mut spans = self.spans.clone();
        spans.resize(func.insts.len());
        let mut accesses = Self { regs, spans };
        let mut results = Vec::with_capacity(4);
        for (inst, data) in func.insts.iter() {
            // those of unknown instructions are in the order of names
            if inst.index() >= instructions || matches!(data.op, Op::Opaque { .. }) {
                accesses.spans[inst] = accesses.add(data, &mut results);
            }
        }
        accesses
    }

    /// Writes down the registers of an instruction; `results` is an empty list, and is left so.
    fn add(&mut self, data: &InstData, results: &mut Vec<Reg>) -> Span {
        let regs = &mut self.regs;
        let start = regs.len() as u32;
        let mut specials = false;
        data.op.parts(|part| match part {
            Part::Use(reg) | Part::Read(Operand::Reg(reg)) | Part::At(Address { base: Base::Reg(reg), .. }) => {
                regs.push(*reg);
            }
            Part::Touch(reg) => {
                regs.push(*reg);
                results.push(*reg);
            }
            Part::Def(reg) => results.push(*reg),
            Part::Read(Operand::Special(_)) => specials = true,
            Part::Read(_) | Part::At(_) | Part::Pass(_) => {}
        });
        let guard = regs.len() as u32;
        regs.extend(data.guard.map(|guard| guard.pred));
        let old = regs.len() as u32;
        if matches!(data.op, Op::Opaque { .. }) {
            results.sort_unstable();
            results.dedup();
        }
        if keeps(data.guard.is_some(), &data.op) {
            regs.extend(results.iter());
        }
        let write = regs.len() as u32;
        regs.append(results);
        Span { start, guard, old, write, end: regs.len() as u32, specials }
    }

    /// Gives the registers of an instruction other names, in the order of [`reads`](Self::reads) and [`writes`](Self::writes).
    pub fn rename(
        &mut self,
        func: &Func,
        inst: Inst,
        reads: impl Iterator<Item = Reg>,
        writes: impl Iterator<Item = Reg>,
    ) {
        let Span { start, old, write, end, .. } = self.spans[inst];
        let [start, old, write, end] = [start, old, write, end].map(|place| place as usize);
        self.regs[start..end].iter_mut().zip(reads.chain(writes)).for_each(|(reg, new)| *reg = new);
        if matches!(func.insts[inst].op, Op::Opaque { .. }) {
            self.regs[old..write].sort_unstable();
            self.regs[write..end].sort_unstable();
        }
    }

    /// The registers among the operands, in the order of [`Op::operands`].
    pub fn operands(&self, inst: Inst) -> &[Reg] {
        let span = self.spans[inst];
        &self.regs[span.start as usize..span.guard as usize]
    }

    /// Whether special registers are among the operands.
    pub fn specials(&self, inst: Inst) -> bool {
        self.spans[inst].specials
    }

    /// All registers whose value matters: operands, the guard, and what [`kept`](Self::kept) gives.
    pub fn reads(&self, inst: Inst) -> &[Reg] {
        let span = self.spans[inst];
        &self.regs[span.start as usize..span.write as usize]
    }

    /// [`reads`](Self::reads) and [`writes`](Self::writes).
    pub fn reads_and_writes(&self, inst: Inst) -> (&[Reg], &[Reg]) {
        let span = self.spans[inst];
        self.regs[span.start as usize..span.end as usize].split_at((span.write - span.start) as usize)
    }

    /// The results whose old value may stay, in all lanes or some: those of guarded and of unknown instructions.
    pub fn kept(&self, inst: Inst) -> &[Reg] {
        let span = self.spans[inst];
        &self.regs[span.old as usize..span.write as usize]
    }

    /// The results, each once.
    pub fn writes(&self, inst: Inst) -> &[Reg] {
        let span = self.spans[inst];
        &self.regs[span.write as usize..span.end as usize]
    }
}

fn keeps(guarded: bool, op: &Op) -> bool {
    guarded || matches!(op, Op::Opaque { .. })
}
