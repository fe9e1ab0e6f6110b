//! Numbers the versions of every register in a walk over the dominator tree.

use super::{Def, Facts, Pin, Ssa, Value, ValueData, place_phis};
use crate::simt::ir::{Block, Func, Reg};
use cranelift_entity::{PrimaryMap, SecondaryMap, packed_option::PackedOption};

pub(super) fn rename(func: &Func, facts: &Facts, pins: &[Pin]) -> Ssa {
    let mut ssa = Ssa {
        values: PrimaryMap::with_capacity(func.regs.len() + func.insts.len()),
        starts: SecondaryMap::with_capacity(func.blocks.len()),
        reads: Vec::with_capacity(3 * func.insts.len()),
        writes: Vec::with_capacity(func.insts.len()),
        spans: SecondaryMap::with_capacity(func.insts.len()),
        conditions: SecondaryMap::with_capacity(func.blocks.len()),
        undefined: Vec::new(),
    };
    let phis = place_phis(func, facts, pins);
    for block in &facts.cfg.order {
        let arguments = facts.cfg.predecessors(*block).len() + usize::from(*block == facts.cfg.entry);
        // the arguments are put in when their predecessors are walked
        let phi = |reg: &Reg| ValueData { reg: *reg, def: Def::Phi(*block, vec![Value(0); arguments]) };
        ssa.starts[*block] = phis[*block].iter().map(|reg| ssa.values.push(phi(reg))).collect();
    }
    let mut pinned: SecondaryMap<Block, Vec<Reg>> = SecondaryMap::new();
    for pin in pins {
        pinned[pin.block].extend(&pin.regs);
    }
    let mut walk = Walk {
        func,
        facts,
        pinned,
        ssa,
        current: SecondaryMap::with_capacity(func.regs.len()),
        undo: Vec::new(),
        undefined: SecondaryMap::new(),
    };
    walk.tree();
    walk.ssa
}

struct Walk<'a> {
    func: &'a Func,
    facts: &'a Facts,
    pinned: SecondaryMap<Block, Vec<Reg>>,
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
        for i in 0..self.ssa.starts[entry].len() {
            let phi = self.ssa.starts[entry][i];
            let undefined = self.undefined(self.ssa.values[phi].reg);
            if let Def::Phi(_, arguments) = &mut self.ssa.values[phi].def
                && let Some(last) = arguments.last_mut()
            {
                *last = undefined;
            }
        }
    }

    fn block(&mut self, block: Block) {
        for i in 0..self.ssa.starts[block].len() {
            let phi = self.ssa.starts[block][i];
            self.set(self.ssa.values[phi].reg, phi);
        }
        for reg in std::mem::take(&mut self.pinned[block]) {
            let source = self.get(reg);
            let copy = self.ssa.values.push(ValueData { reg, def: Def::Copy(block, source) });
            self.ssa.starts[block].push(copy);
            self.set(reg, copy);
        }
        for inst in &self.func.blocks[block].insts {
            self.ssa.spans[*inst] = (self.ssa.reads.len() as u32, self.ssa.writes.len() as u32);
            for reg in self.facts.accesses.reads(*inst) {
                let value = self.get(*reg);
                self.ssa.reads.push(value);
            }
            for (i, reg) in self.facts.accesses.writes(*inst).iter().enumerate() {
                let value = self.ssa.values.push(ValueData { reg: *reg, def: Def::Inst(*inst, i as u32) });
                self.ssa.writes.push(value);
                self.set(*reg, value);
            }
        }
        let condition = self.func.blocks[block].terminator.condition();
        self.ssa.conditions[block] = condition.map(|reg| self.get(reg));
        if self.facts.cfg.reachable(block) {
            self.give_arguments(block);
        }
    }

    fn give_arguments(&mut self, block: Block) {
        for next in self.facts.cfg.successors(block) {
            let position = self.facts.cfg.predecessors(*next).iter().position(|from| *from == block);
            for i in 0..self.ssa.starts[*next].len() {
                let phi = self.ssa.starts[*next][i];
                let reg = self.ssa.values[phi].reg;
                if !matches!(self.ssa.values[phi].def, Def::Phi(..)) {
                    break;
                }
                let value = self.get(reg);
                if let (Def::Phi(_, arguments), Some(position)) = (&mut self.ssa.values[phi].def, position) {
                    arguments[position] = value;
                }
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
        self.ssa.undefined.push(value);
        value
    }

    fn set(&mut self, reg: Reg, value: Value) {
        self.undo.push((reg, self.current[reg]));
        self.current[reg] = value.into();
    }
}
