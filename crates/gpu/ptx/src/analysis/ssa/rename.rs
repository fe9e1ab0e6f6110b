//! Numbers the versions of every register, and finds the ones that each instruction reads in a walk over the dominator tree.

use super::phis::phis as inserted;
use super::{Def, Facts, Pin, Spans, Ssa, Value, ValueData};
use crate::analysis::lists::table;
use crate::ir::{Block, Func, Reg};
use cranelift_entity::{PrimaryMap, SecondaryMap, packed_option::PackedOption};

pub(super) fn rename(func: &Func, facts: &Facts, pins: &[Pin]) -> Ssa {
    let ssa = number(func, facts, pins);
    let mut walk = Walk {
        func,
        facts,
        ssa,
        current: table(func.regs.len()),
        undo: Vec::with_capacity(func.insts.len()),
        undefined: table(func.regs.len()),
    };
    walk.tree();
    let mut ssa = walk.ssa;
    ssa.all = ssa.values.keys().collect();
    ssa
}

/// All values but the undefined ones, and room for what is read.
fn number(func: &Func, facts: &Facts, pins: &[Pin]) -> Ssa {
    let phis = inserted(func, facts, pins);
    let mut ssa = Ssa {
        values: PrimaryMap::with_capacity(func.regs.len() + func.insts.len()),
        all: Vec::new(),
        starts: table(func.blocks.len()),
        reads: Vec::new(),
        spans: table(func.insts.len()),
        arguments: Vec::new(),
        phis: vec![0],
        conditions: table(func.blocks.len()),
        reachable: 0,
        undefined: 0,
    };
    let mut reads = 0;
    let unreachable = func.layout.iter().filter(|block| !facts.cfg.reachable(**block));
    let nowhere = Value(0);
    for &block in facts.cfg.order.iter().chain(unreachable) {
        let first = ssa.values.len() as u32;
        for &reg in phis.get(block) {
            let number = ssa.phis.len() as u32 - 1;
            let arguments = facts.cfg.predecessors(block).len() + usize::from(block == facts.cfg.entry);
            ssa.phis.push(ssa.phis[number as usize] + arguments as u32);
            ssa.values.push(ValueData { reg, def: Def::Phi(block, number) });
        }
        let from = pins.partition_point(|pin| pin.block < block);
        for pin in pins[from..].iter().take_while(|pin| pin.block == block) {
            ssa.values.push(ValueData { reg: pin.reg, def: Def::Copy(block, nowhere) });
        }
        ssa.starts[block] = (first, ssa.values.len() as u32);
        for &inst in &func.blocks[block].insts {
            let (read, written) = facts.accesses.reads_and_writes(inst);
            let before = (reads, ssa.values.len() as u32);
            reads += read.len() as u32;
            for (i, &reg) in written.iter().enumerate() {
                ssa.values.push(ValueData { reg, def: Def::Inst(inst, i as u32) });
            }
            ssa.spans[inst] = Spans { reads: (before.0, reads), writes: (before.1, ssa.values.len() as u32) };
        }
        if facts.cfg.reachable(block) {
            ssa.reachable = ssa.values.len() as u32;
        }
    }
    ssa.reads = vec![nowhere; reads as usize];
    ssa.arguments = vec![nowhere; ssa.phis[ssa.phis.len() - 1] as usize];
    ssa.undefined = ssa.values.len() as u32;
    ssa
}

struct Walk<'a> {
    func: &'a Func,
    facts: &'a Facts,
    ssa: Ssa,
    /// The version of each register that is valid here.
    current: SecondaryMap<Reg, PackedOption<Value>>,
    undo: Vec<(Reg, PackedOption<Value>)>,
    undefined: SecondaryMap<Reg, PackedOption<Value>>,
}

impl Walk<'_> {
    fn tree(&mut self) {
        let entry = self.facts.cfg.entry;
        let mut path = vec![(entry, 0, self.undo.len())];
        self.enter_kernel(entry);
        self.block(entry);
        while let Some((block, next, undo)) = path.last_mut() {
            match self.facts.dominators.children(*block).get(*next) {
                Some(child) => {
                    *next += 1;
                    path.push((*child, 0, self.undo.len()));
                    self.block(*child);
                }
                None => {
                    for (reg, before) in self.undo.drain(*undo..).rev() {
                        self.current[reg] = before;
                    }
                    path.pop();
                }
            }
        }
        for block in self.func.layout.iter().filter(|block| !self.facts.cfg.reachable(**block)) {
            self.block(*block);
        }
    }

    /// The φs of the entry have one more argument: what was before the kernel.
    fn enter_kernel(&mut self, entry: Block) {
        let (first, end) = self.ssa.starts[entry];
        for start in (first..end).map(Value) {
            let ValueData { reg, def } = self.ssa.values[start];
            if let Def::Phi(_, number) = def {
                let undefined = self.undefined(reg);
                self.ssa.arguments[self.ssa.phis[number as usize + 1] as usize - 1] = undefined;
            }
        }
    }

    fn block(&mut self, block: Block) {
        let (first, end) = self.ssa.starts[block];
        for start in (first..end).map(Value) {
            let reg = self.ssa.values[start].reg;
            if let Def::Copy(..) = self.ssa.values[start].def {
                let source = self.get(reg);
                self.ssa.values[start].def = Def::Copy(block, source);
            }
            self.set(reg, start);
        }
        for inst in &self.func.blocks[block].insts {
            let (read, written) = self.facts.accesses.reads_and_writes(*inst);
            let Spans { reads, writes } = self.ssa.spans[*inst];
            for (place, reg) in (reads.0..).zip(read) {
                let value = self.get(*reg);
                self.ssa.reads[place as usize] = value;
            }
            for (value, reg) in (writes.0..).zip(written) {
                self.set(*reg, Value(value));
            }
        }
        let condition = self.func.blocks[block].terminator.condition();
        self.ssa.conditions[block] = condition.map(|reg| self.get(reg)).into();
        if self.facts.cfg.reachable(block) {
            self.give_arguments(block);
        }
    }

    fn give_arguments(&mut self, block: Block) {
        for next in self.facts.cfg.successors(block) {
            let (first, end) = self.ssa.starts[*next];
            if first == end {
                continue;
            }
            let mut from = self.facts.cfg.predecessors(*next).iter();
            let position = from.position(|from| *from == block).expect("edges are listed at both ends");
            for start in (first..end).map(Value) {
                let ValueData { reg, def: Def::Phi(_, number) } = self.ssa.values[start] else { break };
                let value = self.get(reg);
                self.ssa.arguments[self.ssa.phis[number as usize] as usize + position] = value;
            }
        }
    }

    fn get(&mut self, reg: Reg) -> Value {
        match self.current[reg].expand() {
            Some(value) => value,
            None => self.undefined(reg),
        }
    }

    fn undefined(&mut self, reg: Reg) -> Value {
        if let Some(value) = self.undefined[reg].expand() {
            return value;
        }
        let value = self.ssa.values.push(ValueData { reg, def: Def::Undefined });
        self.undefined[reg] = value.into();
        value
    }

    fn set(&mut self, reg: Reg, value: Value) {
        self.undo.push((reg, self.current[reg]));
        self.current[reg] = value.into();
    }
}
