//! Writes a proven plan into the function. Masks become predicate registers, tests for empty masks votes and branches that
//! all lanes take the same way.

mod facts;
mod guards;
mod masks;

use super::check::Checked;
use super::plan::{Label, Mask, Plan, Region, Step};
use super::twin::{Twins, entrance};
use facts::Facts;
use guards::Guarding;
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::liveness::Liveness;
use ptx::inst::*;
use ptx::ir::{Block, BlockData, Func, Inst, Reg};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The function as planned. `sm`: its machine, as votes are spelled differently from sm_70 on. `twins`: the functions that rows call
/// with an entrance mask. `masked`: the function is to be such a twin itself.
pub fn apply(func: &Func, plan: &Checked, sm: u32, twins: &Twins, masked: bool) -> Func {
    let plan: &Plan = plan.plan();
    let liveness = Liveness::compute(func, &Cfg::compute(func), &Accesses::compute(func));
    let mut result = func.clone();
    let entrance = masked.then(|| Guard { pred: result.regs.push(Type::Pred), negate: false });
    let mut rows: BTreeMap<Block, Vec<Block>> = BTreeMap::new();
    let mut written: BTreeSet<Inst> = BTreeSet::new();
    let (local, repeated) = (local(func, &liveness), repeated_loads(func));
    let facts = Facts { old: func, liveness: &liveness, local: &local, repeated: &repeated, sm, twins, entrance };
    for region in &plan.regions {
        let mut writer = Writer::new(facts, &mut result, region, &mut written);
        writer.steps(&region.steps, region.exit);
        let blocks = writer.placed;
        rows.insert(region.entry, blocks);
    }
    for block in &plan.uniform {
        if let Terminator::CondBra { uni, .. } = &mut result.blocks[*block].terminator {
            *uni = true;
        }
    }
    let inside: BTreeSet<Block> = rows.values().flatten().copied().collect();
    let mut layout: Vec<Block> = Vec::new();
    for block in &func.layout {
        match rows.remove(block) {
            Some(blocks) => layout.extend(blocks),
            None => layout.push(*block),
        }
    }
    for (branch, end) in &plan.leaving {
        layout.extend(own_end(&mut result, *branch, *end));
    }
    let mut placed = BTreeSet::new();
    layout.retain(|block| placed.insert(*block));
    result.layout = layout;
    let cfg = Cfg::compute(&result);
    result.layout.retain(|block| cfg.reachable(*block));
    if let Some(entrance) = entrance {
        for block in result.layout.clone().into_iter().filter(|block| !inside.contains(block)) {
            let insts = std::mem::take(&mut result.blocks[block].insts);
            let mut guarding = Guarding::new(Some(entrance), &facts);
            result.blocks[block].insts = guarded(&mut result, func, &insts, &mut guarding, &mut written);
        }
        enter(&mut result, entrance.pred);
    }
    result
}

/// Puts instructions under a guard.
fn guarded(
    func: &mut Func,
    old: &Func,
    insts: &[Inst],
    guarding: &mut Guarding,
    written: &mut BTreeSet<Inst>,
) -> Vec<Inst> {
    let mut result = Vec::new();
    for inst in insts {
        for (inst, data) in guarding.rewrite(func, old, *inst) {
            result.push(match inst.filter(|inst| written.insert(*inst)) {
                Some(inst) => {
                    func.insts[inst] = data;
                    inst
                }
                None => func.insts.push(data),
            });
        }
    }
    result
}

/// Makes the entrance mask from the last parameter.
fn enter(func: &mut Func, mask: Reg) {
    let param = func.params.push(entrance(func));
    let word = func.regs.push(Type::B32);
    let load = Op::load(Space::Param, false, Type::B32, word, Address { base: Base::Param(param), offset: 0 });
    let (a, b) = (word.into(), 0.into());
    let test = Op::Setp { cmp: Cmp::Ne, ftz: false, ty: Type::U32, dst: mask, other: None, a, b, combine: None };
    let first: Vec<Inst> = [load, test].map(|op| func.insts.push(InstData { guard: None, op })).into();
    let entry = func.layout[0];
    func.blocks[entry].insts.splice(0..0, first);
}

/// Gives the branch an end of its own, as lanes that come to the end of others might wait for them there. The new block, if one
/// is needed.
fn own_end(func: &mut Func, branch: Block, end: Block) -> Option<Block> {
    let from = |block: &&Block| func.blocks[**block].terminator.targets().contains(&end);
    if func.layout.iter().filter(from).count() < 2 {
        return None;
    }
    let data = BlockData { insts: Vec::new(), terminator: func.blocks[end].terminator.clone() };
    let own = func.blocks.push(data);
    func.blocks[branch].terminator.targets_mut(|target| {
        if *target == end {
            *target = own;
        }
    });
    Some(own)
}

/// The registers that no block reads before it writes them: who else writes them does no harm to lanes that stand elsewhere.
fn local(func: &Func, liveness: &Liveness) -> BTreeSet<Reg> {
    let mut local: BTreeSet<Reg> = func.regs.keys().collect();
    for block in func.blocks.keys() {
        liveness.live_in(block).iter().for_each(|reg| _ = local.remove(reg));
    }
    local
}

/// The loads of addresses that are written like those of a load in a block before theirs.
fn repeated_loads(func: &Func) -> BTreeSet<Inst> {
    let mut first: HashMap<(Space, Address), Block> = HashMap::new();
    let mut repeated = BTreeSet::new();
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            if let Op::Ld { space, addr, .. } = &func.insts[*inst].op
                && *first.entry((*space, *addr)).or_insert(*block) != *block
            {
                repeated.insert(*inst);
            }
        }
    }
    repeated
}

/// The mask of all lanes for which the function runs.
const ENTRANCE: Mask = Mask::reserved();

/// Writes one region.
struct Writer<'a> {
    facts: Facts<'a>,
    func: &'a mut Func,
    region: &'a Region,
    /// Instructions that stand in a region; where two regions share a block, the second one gets copies.
    written: &'a mut BTreeSet<Inst>,
    /// The block that grows; none behind a jump.
    current: Option<Block>,
    placed: Vec<Block>,
    labels: BTreeMap<Label, Block>,
    /// The predicate of each mask, and whether it stands for the lanes without.
    masks: BTreeMap<Mask, Guard>,
    /// Number of steps that write each mask.
    writers: BTreeMap<Mask, usize>,
}

impl<'a> Writer<'a> {
    fn new(facts: Facts<'a>, func: &'a mut Func, region: &'a Region, written: &'a mut BTreeSet<Inst>) -> Self {
        let entry = region.entry;
        func.blocks[entry] = BlockData { insts: Vec::new(), terminator: Terminator::Ret };
        let mut writers: BTreeMap<Mask, usize> = BTreeMap::new();
        for step in &region.steps {
            match step {
                Step::Take { mask, .. }
                | Step::Copy { mask, .. }
                | Step::Empty { mask }
                | Step::Join { mask, .. }
                | Step::Drop { mask, .. } => *writers.entry(*mask).or_default() += 1,
                _ => {}
            }
        }
        let labels = BTreeMap::new();
        let masks = facts.entrance.iter().map(|guard| (ENTRANCE, *guard)).collect();
        Self { facts, func, region, written, current: Some(entry), placed: vec![entry], labels, masks, writers }
    }

    fn steps(&mut self, steps: &[Step], exit: Option<Block>) {
        let jumped: BTreeSet<Label> = steps
            .iter()
            .filter_map(|step| match step {
                Step::IfNone { to, .. } | Step::IfAny { to, .. } | Step::Back { to } => Some(*to),
                _ => None,
            })
            .collect();
        // labels that nobody jumps to are no places
        let steps: Vec<Step> = steps
            .iter()
            .filter(|step| !matches!(step, Step::Label(label) if !jumped.contains(label)))
            .cloned()
            .collect();
        let mut rest = &steps[..];
        while let Some((step, behind)) = rest.split_first() {
            rest = behind;
            match step {
                Step::Run { block, guard } => {
                    let takes = rest.iter().take_while(|step| matches!(step, Step::Take { .. })).count();
                    let (takes, behind) = rest.split_at(takes);
                    rest = behind;
                    self.run(*block, *guard, takes);
                }
                Step::Stack { entry, exit, guard } => self.stack(*entry, *exit, *guard),
                // behind its block
                Step::Take { .. } => {}
                Step::Label(label) => self.label(*label),
                Step::IfNone { mask, to, .. } => self.test(*mask, true, *to, rest.first()),
                Step::IfAny { mask, to } => self.test(*mask, false, *to, rest.first()),
                Step::Back { to } => {
                    let target = self.block_of(*to);
                    self.end(Terminator::Bra { target });
                }
                Step::Copy { mask, from } => self.copy(*mask, *from),
                Step::Empty { mask } => self.set(*mask, false),
                Step::Join { mask, with } => self.join(*mask, *with),
                Step::Drop { mask, of } => self.drop(*mask, *of),
            }
        }
        self.end(exit.map_or(Terminator::Ret, |target| Terminator::Bra { target }));
    }

    /// The instructions of a block, and the masks of its edges.
    fn run(&mut self, block: Block, guard: Option<Mask>, takes: &[Step]) {
        let guard = self.lanes(guard);
        let fused = self.fuse(block, guard, takes);
        let mut insts = self.facts.old.blocks[block].insts.clone();
        insts.retain(|inst| Some(*inst) != fused.as_ref().map(|fused| fused.inst));
        let guard = guard.map(|mask| self.guard_of(mask));
        let mut guarding = Guarding::new(guard, &self.facts);
        let insts = guarded(self.func, self.facts.old, &insts, &mut guarding, self.written);
        insts.into_iter().for_each(|inst| self.append(inst));
        match fused {
            Some(fused) => self.take_fused(fused, takes),
            None => takes.iter().for_each(|take| self.take(take, takes)),
        }
    }

    /// A region that keeps the stack. Lanes without the guard go round it.
    fn stack(&mut self, first: Block, exit: Option<Block>, guard: Option<Mask>) {
        let after = self.new_block();
        // the row itself begins in the block at which it is entered
        let entry = match first == self.region.entry {
            true => self.func.blocks.push(self.facts.old.blocks[first].clone()),
            false => first,
        };
        let terminator = match self.lanes(guard).map(|mask| self.guard_of(mask)) {
            None => Terminator::Bra { target: entry },
            Some(guard) => {
                let guard = Guard { negate: !guard.negate, ..guard };
                Terminator::CondBra { guard, uni: false, then: after, otherwise: entry }
            }
        };
        self.end(terminator);
        let mut inside = BTreeSet::from([first]);
        let mut work = vec![first];
        while let Some(block) = work.pop() {
            self.facts.old.blocks[block].terminator.each_target(|target| {
                if Some(target) != exit && inside.insert(target) {
                    work.push(target);
                }
            });
        }
        for block in self.facts.old.layout.iter().filter(|block| inside.contains(block)) {
            let block = if *block == first { entry } else { *block };
            self.placed.push(block);
            let terminator = &mut self.func.blocks[block].terminator;
            match terminator {
                Terminator::Ret | Terminator::Exit => *terminator = Terminator::Bra { target: after },
                _ => terminator.targets_mut(|target| {
                    if Some(*target) == exit {
                        *target = after;
                    } else if *target == first {
                        *target = entry;
                    }
                }),
            }
        }
        self.place(after);
    }

    /// A vote on a mask, and a branch that all lanes take the same way.
    fn test(&mut self, mask: Mask, none: bool, to: Label, next: Option<&Step>) {
        let pred = self.guard_of(mask);
        let dst = self.func.regs.push(Type::Pred);
        let all = (self.facts.sm >= 70).then_some(Operand::Imm(0xffff_ffff));
        self.push(None, Op::Vote { mode: VoteMode::Any, dst, pred, mask: all });
        let then = self.block_of(to);
        let otherwise = match next {
            Some(Step::Label(label)) => self.block_of(*label),
            _ => self.new_block(),
        };
        self.end(Terminator::CondBra { guard: Guard { pred: dst, negate: none }, uni: true, then, otherwise });
        if !matches!(next, Some(Step::Label(_))) {
            self.place(otherwise);
        }
    }

    fn label(&mut self, label: Label) {
        let block = self.block_of(label);
        self.end(Terminator::Bra { target: block });
        self.place(block);
    }

    fn block_of(&mut self, label: Label) -> Block {
        if let Some(block) = self.labels.get(&label) {
            return *block;
        }
        let block = self.new_block();
        self.labels.insert(label, block);
        block
    }

    fn new_block(&mut self) -> Block {
        self.func.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Ret })
    }

    fn place(&mut self, block: Block) {
        self.placed.push(block);
        self.current = Some(block);
    }

    fn end(&mut self, terminator: Terminator) {
        if let Some(block) = self.current.take() {
            self.func.blocks[block].terminator = terminator;
        }
    }

    /// The mask of a guard; none where all lanes are meant and run the function.
    fn lanes(&self, guard: Option<Mask>) -> Option<Mask> {
        guard.or(self.facts.entrance.map(|_| ENTRANCE))
    }

    fn append(&mut self, inst: Inst) {
        if let Some(block) = self.current {
            self.func.blocks[block].insts.push(inst);
        }
    }

    fn push(&mut self, guard: Option<Guard>, op: Op) {
        let inst = self.func.insts.push(InstData { guard, op });
        self.append(inst);
    }

    fn pred(&mut self) -> Reg {
        self.func.regs.push(Type::Pred)
    }
}
