//! Which blocks write a register, and which read it before they write it: what liveness and φs follow from.

use super::access::Accesses;
use super::cfg::Cfg;
use super::lists::{Lists, table};
use crate::ir::{Block, Func, Reg};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};

#[derive(Debug, Clone)]
pub struct Sites {
    first_writer: SecondaryMap<Reg, PackedOption<Block>>,
    more_writers: Lists<Reg, Block>,
    exposed: Lists<Reg, Block>,
}

impl Sites {
    pub fn compute(func: &Func, cfg: &Cfg, accesses: &Accesses) -> Self {
        let regs = func.regs.len();
        let mut first_writer: SecondaryMap<Reg, PackedOption<Block>> = table(regs);
        let (mut more_writers, mut exposed) = (Vec::with_capacity(regs), Vec::with_capacity(regs));
        let mut last_writer: SecondaryMap<Reg, PackedOption<Block>> = table(regs);
        let mut last_exposed: SecondaryMap<Reg, PackedOption<Block>> = table(regs);
        for &block in &cfg.order {
            let here = PackedOption::from(block);
            let data = &func.blocks[block];
            let mut read = |reg: Reg, last_writer: &SecondaryMap<Reg, PackedOption<Block>>| {
                if last_writer[reg] != here && std::mem::replace(&mut last_exposed[reg], here) != here {
                    exposed.push((reg, block));
                }
            };
            for &inst in &data.insts {
                let (reads, writes) = accesses.reads_and_writes(inst);
                reads.iter().for_each(|reg| read(*reg, &last_writer));
                for &reg in writes {
                    if std::mem::replace(&mut last_writer[reg], here) != here {
                        match first_writer[reg].is_none() {
                            true => first_writer[reg] = here,
                            false => more_writers.push((reg, block)),
                        }
                    }
                }
            }
            data.terminator.condition().iter().for_each(|reg| read(*reg, &last_writer));
        }
        Self { first_writer, more_writers: Lists::new(regs, &more_writers), exposed: Lists::new(regs, &exposed) }
    }

    /// The blocks that write the register, in reverse post-order.
    pub fn writers(&self, reg: Reg) -> impl Iterator<Item = Block> {
        self.first_writer[reg].expand().into_iter().chain(self.more_writers.of(reg).iter().copied())
    }

    /// The blocks that read the register before they write it, in reverse post-order.
    pub fn exposed(&self, reg: Reg) -> &[Block] {
        self.exposed.of(reg)
    }

    /// The only block that writes the register.
    pub fn only_writer(&self, reg: Reg) -> Option<Block> {
        self.first_writer[reg].expand().filter(|_| self.more_writers.of(reg).is_empty())
    }
}

/// Where one register is live at a time.
pub struct LiveBlocks {
    /// The register that was last found to be live at the start of a block, and at its end.
    starts: SecondaryMap<Block, PackedOption<Reg>>,
    ends: SecondaryMap<Block, PackedOption<Reg>>,
    writers: SecondaryMap<Block, PackedOption<Reg>>,
    work: Vec<Block>,
}

impl LiveBlocks {
    pub fn new(func: &Func) -> Self {
        let count = func.blocks.len();
        Self { starts: table(count), ends: table(count), writers: table(count), work: Vec::new() }
    }

    /// Walks from the reads of a register backwards to its writes, and tells of each block whether the register is live at
    /// its start (true) or its end. To be asked once for each register.
    pub fn walk(&mut self, reg: Reg, sites: &Sites, cfg: &Cfg, mut live: impl FnMut(Block, bool)) {
        if sites.exposed(reg).is_empty() {
            return;
        }
        let own = PackedOption::from(reg);
        sites.writers(reg).for_each(|block| self.writers[block] = own);
        self.work.extend(sites.exposed(reg));
        while let Some(block) = self.work.pop() {
            if std::mem::replace(&mut self.starts[block], own) == own {
                continue;
            }
            live(block, true);
            for &from in cfg.predecessors(block) {
                if std::mem::replace(&mut self.ends[from], own) != own {
                    live(from, false);
                    if self.writers[from] != own {
                        self.work.push(from);
                    }
                }
            }
        }
    }

    /// Whether the register that was walked last is live at the start of the block.
    pub fn is_live_in(&self, reg: Reg, block: Block) -> bool {
        self.starts[block] == reg.into()
    }
}
