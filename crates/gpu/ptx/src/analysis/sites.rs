//! Blocks that write a register, and blocks that read it before they write it: liveness and φs follow from them.

use super::access::Accesses;
use super::cfg::Cfg;
use super::lists::{Lists, table};
use crate::ir::{Block, Func, Reg};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};

#[derive(Debug, Clone)]
pub struct Sites {
    found: SecondaryMap<Reg, Found>,
    more_writers: Lists<Reg, Block>,
    exposed: Lists<Reg, Block>,
}

/// Sites of one register.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    first_writer: PackedOption<Block>,
    last_writer: PackedOption<Block>,
    last_exposed: PackedOption<Block>,
}

impl Sites {
    pub fn compute(func: &Func, cfg: &Cfg, accesses: &Accesses) -> Self {
        let regs = func.regs.len();
        let mut found: SecondaryMap<Reg, Found> = table(regs);
        let (mut more_writers, mut exposed) = (Vec::with_capacity(regs), Vec::with_capacity(regs));
        for &block in &cfg.order {
            let here = PackedOption::from(block);
            let data = &func.blocks[block];
            let mut read = |reg: Reg, found: &mut Found| {
                if found.last_writer != here && std::mem::replace(&mut found.last_exposed, here) != here {
                    exposed.push((reg, block));
                }
            };
            for &inst in &data.insts {
                let (reads, writes) = accesses.reads_and_writes(inst);
                reads.iter().for_each(|reg| read(*reg, &mut found[*reg]));
                for &reg in writes {
                    let found = &mut found[reg];
                    if std::mem::replace(&mut found.last_writer, here) != here {
                        match found.first_writer.is_none() {
                            true => found.first_writer = here,
                            false => more_writers.push((reg, block)),
                        }
                    }
                }
            }
            data.terminator.condition().iter().for_each(|reg| read(*reg, &mut found[*reg]));
        }
        Self { found, more_writers: Lists::new(regs, &more_writers), exposed: Lists::new(regs, &exposed) }
    }

    /// The blocks that write the register, in reverse post-order.
    pub fn writers(&self, reg: Reg) -> impl Iterator<Item = Block> {
        self.found[reg].first_writer.expand().into_iter().chain(self.more_writers.get(reg).iter().copied())
    }

    /// The blocks that read the register before they write it, in reverse post-order.
    pub fn exposed(&self, reg: Reg) -> &[Block] {
        self.exposed.get(reg)
    }

    /// The only block that writes the register.
    pub fn only_writer(&self, reg: Reg) -> Option<Block> {
        let Found { first_writer, last_writer, .. } = self.found[reg];
        first_writer.expand().filter(|_| first_writer == last_writer)
    }
}

/// Where one register is live at a time.
pub struct LiveBlocks {
    marks: SecondaryMap<Block, Marks>,
    work: Vec<Block>,
}

/// The register that was last found to be live at the start of a block, the one at its end, and the one that it writes.
#[derive(Clone, Copy, Default)]
struct Marks {
    start: PackedOption<Reg>,
    end: PackedOption<Reg>,
    writer: PackedOption<Reg>,
}

impl LiveBlocks {
    pub fn new(func: &Func) -> Self {
        Self { marks: table(func.blocks.len()), work: Vec::with_capacity(16) }
    }

    /// Walks from the reads of a register backwards to its writes, and notes the blocks at whose start the register is live, and those
    /// at whose end it is. To be asked once for each register.
    pub fn walk(&mut self, reg: Reg, sites: &Sites, cfg: &Cfg, mut live: Option<&mut [Vec<(Block, Reg)>; 2]>) {
        if sites.exposed(reg).is_empty() {
            return;
        }
        let own = PackedOption::from(reg);
        sites.writers(reg).for_each(|block| self.marks[block].writer = own);
        self.work.extend(sites.exposed(reg));
        while let Some(block) = self.work.pop() {
            if std::mem::replace(&mut self.marks[block].start, own) == own {
                continue;
            }
            if let Some([starts, _]) = &mut live {
                starts.push((block, reg));
            }
            for &from in cfg.predecessors(block) {
                let marks = &mut self.marks[from];
                if std::mem::replace(&mut marks.end, own) != own {
                    if let Some([_, ends]) = &mut live {
                        ends.push((from, reg));
                    }
                    if marks.writer != own {
                        self.work.push(from);
                    }
                }
            }
        }
    }

    /// Whether the register that was walked last is live at the start of the block.
    pub fn is_live_in(&self, reg: Reg, block: Block) -> bool {
        self.marks[block].start == reg.into()
    }
}
