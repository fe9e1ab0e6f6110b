//! Where a few registers are alive. The checker asks for those that a meld added and for its condition alone.

use super::Names;
use crate::analysis::access::{Accesses, Scratch};
use crate::analysis::lists::{filled, table};
use crate::ir::{Block, Func, Reg};
use cranelift_entity::{EntityRef, SecondaryMap};

/// The registers that are alive at the start of each block, by positions among those that are asked for.
pub struct Alive {
    positions: SecondaryMap<Reg, Option<u32>>,
    /// How many words the set of a block has.
    words: usize,
    starts: Vec<u64>,
}

impl Alive {
    /// Of these registers. `known`: a block that has the instructions of another function, of which it is known what they read and
    /// write, with these names.
    pub fn compute<'a>(
        func: &Func,
        regs: impl Iterator<Item = Reg>,
        known: impl Fn(Block) -> Option<(&'a Accesses, &'a Names)>,
    ) -> Self {
        let mut positions: SecondaryMap<Reg, Option<u32>> = table(func.regs.len());
        let mut count = 0;
        for reg in regs {
            if positions[reg].is_none() {
                positions[reg] = Some(count);
                count += 1;
            }
        }
        let words = count.div_ceil(64) as usize;
        let mut alive = Self { positions, words, starts: filled(0, words * func.blocks.len()) };
        let mut written = alive.starts.clone();
        let mut read = filled(0, words);
        let mut scratch = Scratch::default();
        for block in &func.layout {
            let span = alive.span(*block);
            let written = &mut written[span.clone()];
            read.fill(0);
            let known = known(*block);
            for inst in &func.blocks[*block].insts {
                let (reads, writes) = match known {
                    Some((accesses, _)) => accesses.reads_and_writes(*inst),
                    None => scratch.of(&func.insts[*inst]),
                };
                let name = |reg: &Reg| known.map_or(*reg, |(_, names)| names.get(*reg));
                reads.iter().for_each(|reg| alive.note(&mut read, written, name(reg)));
                let places = writes.iter().filter_map(|reg| alive.place(name(reg)));
                places.for_each(|(word, bit)| written[word] |= bit);
            }
            let condition = func.blocks[*block].terminator.condition();
            condition.iter().for_each(|reg| alive.note(&mut read, written, *reg));
            alive.starts[span].copy_from_slice(&read);
        }
        while alive.backwards(func, &written) {}
        alive
    }

    /// Whether the register, which was asked for, is alive at the start of the block.
    pub fn at(&self, reg: Reg, block: Block) -> bool {
        let bit = |position: u32| self.starts[self.span(block)][position as usize / 64] >> (position % 64) & 1 == 1;
        self.positions[reg].is_some_and(bit)
    }

    /// Whether any of the registers is.
    pub fn any(&self, block: Block) -> bool {
        self.starts[self.span(block)].iter().any(|word| *word != 0)
    }

    fn span(&self, block: Block) -> std::ops::Range<usize> {
        self.words * block.index()..self.words * (block.index() + 1)
    }

    /// The word and the bit of a register that is asked for.
    fn place(&self, reg: Reg) -> Option<(usize, u64)> {
        self.positions[reg].map(|position| (position as usize / 64, 1 << (position % 64)))
    }

    fn note(&self, read: &mut [u64], written: &[u64], reg: Reg) {
        if let Some((word, bit)) = self.place(reg) {
            read[word] |= bit & !written[word];
        }
    }

    /// What a successor needs is alive where it is not written; whether that is news.
    fn backwards(&mut self, func: &Func, written: &[u64]) -> bool {
        let mut news = false;
        for block in func.layout.iter().rev() {
            let own = self.span(*block);
            func.blocks[*block].terminator.each_target(|target| {
                for (here, behind) in own.clone().zip(self.span(target)) {
                    let more = self.starts[here] | self.starts[behind] & !written[here];
                    news |= std::mem::replace(&mut self.starts[here], more) != more;
                }
            });
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::cfg::Cfg;
    use crate::analysis::liveness::Liveness;

    /// Registers that are read after a loop, under guards, and by nobody.
    const KERNEL: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n\
        .reg .b32 %r<9>;\n.reg .b64 %o;\nld.param.u64 %o, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 7;\n\
        setp.eq.u32 %p1, %r1, 0;\nLOOP:\nadd.u32 %r2, %r2, 1;\n@%p1 mov.u32 %r3, %r2;\nmov.u32 %r5, %r1;\n\
        setp.lt.u32 %p2, %r2, %r1;\n@%p2 bra LOOP;\n@%p1 bra END;\nmov.u32 %r4, %r5;\nst.global.u32 [%o], %r4;\nEND:\n\
        st.global.u32 [%o+4], %r3;\nret;\n}";

    #[test]
    fn it_agrees_with_the_liveness_of_all_registers() {
        let source = diagnostics::Source { name: "k.ptx".to_owned(), text: KERNEL.to_owned() };
        let module = crate::read::read(&source.into()).expect("this is PTX");
        let func = &module.funcs[0];
        let liveness = Liveness::compute(func, &Cfg::compute(func), &Accesses::compute(func));
        let alive = Alive::compute(func, func.regs.keys(), |_| None);
        for block in &func.layout {
            for reg in func.regs.keys() {
                assert_eq!(alive.at(reg, *block), liveness.is_live_in(reg, *block), "{reg} in {block}");
            }
            assert_eq!(alive.any(*block), !liveness.live_in(*block).is_empty());
            assert!(!Alive::compute(func, std::iter::empty(), |_| None).any(*block));
        }
    }
}
