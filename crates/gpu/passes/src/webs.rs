//! Gives every web a register of its own: the definitions that reach a common use, and the uses that they reach (Muchnick,
//! "Advanced Compiler Design and Implementation", section 16.3.3). Values that only happened to share a register are then free.

use cranelift_entity::{EntityRef, SecondaryMap};
use petgraph::unionfind::UnionFind;
use ptx::analysis::access::Accesses;
use ptx::analysis::lists::table;
use ptx::analysis::ssa::{Def, Facts, Ssa, Value, ValueData};
use ptx::inst::InstData;
use ptx::ir::{Func, Inst, Reg};
use ptx::visit::Slot;

/// Result of giving a function one register per web.
pub struct Split {
    /// The register of each value.
    regs: Vec<Reg>,
    /// The instructions that name others than before.
    insts: Vec<Inst>,
}

/// Gives the function one register per web; `None` where that changes nothing. The first web of a register keeps it; reads of what was
/// never written form webs too.
pub fn split(func: &mut Func, facts: &Facts, ssa: &Ssa) -> Option<Split> {
    let registers = func.regs.len();
    let mut webs = UnionFind::<usize>::new(ssa.values.len());
    let mut join = |a: &Value, b: &Value| _ = webs.union(a.index(), b.index());
    for block in &facts.cfg.order {
        for value in ssa.starts(*block) {
            ssa.arguments(*value).iter().for_each(|argument| join(value, argument));
            if let Def::Copy(_, source) = ssa.values[*value].def {
                join(value, &source);
            }
        }
        for inst in &func.blocks[*block].insts {
            let old = ssa.kept(&facts.accesses, *inst);
            ssa.writes(*inst).iter().zip(old).for_each(|(new, old)| join(new, old));
        }
    }
    let mut taken: SecondaryMap<Reg, bool> = table(registers);
    let mut regs: Vec<Option<Reg>> = vec![None; ssa.values.len()];
    for (value, data) in ssa.values.iter() {
        let web = webs.find(value.index());
        if regs[web].is_none() {
            let first = !std::mem::replace(&mut taken[data.reg], true);
            let ty = func.regs[data.reg];
            regs[web] = Some(if first { data.reg } else { func.regs.push(ty) });
        }
    }
    if func.regs.len() == registers {
        return None;
    }
    let of = |(value, data): (Value, &ValueData)| regs[webs.find(value.index())].unwrap_or(data.reg);
    let regs: Vec<Reg> = ssa.values.iter().map(of).collect();
    let reg = |value: Value| regs[value.index()];
    let another = |value: &Value| reg(*value) != ssa.values[*value].reg;
    let mut changed = Vec::with_capacity(func.insts.len());
    for block in &facts.cfg.order {
        let Func { blocks, insts, .. } = &mut *func;
        for inst in &blocks[*block].insts {
            if ssa.reads(*inst).iter().any(another) || ssa.writes(*inst).iter().any(another) {
                rename(&mut insts[*inst], facts, ssa, *inst, reg);
                changed.push(*inst);
            }
        }
        if let (Some(place), Some(value)) = (blocks[*block].terminator.condition_mut(), ssa.condition(*block)) {
            *place = reg(value);
        }
    }
    Some(Split { regs, insts: changed })
}

/// Returns the reads and writes of a function's instructions once it is split.
pub fn renamed(mut accesses: Accesses, func: &Func, ssa: &Ssa, split: &Split) -> Accesses {
    let reg = |value: &Value| split.regs[value.index()];
    for inst in &split.insts {
        accesses.rename(func, *inst, ssa.reads(*inst).iter().map(reg), ssa.writes(*inst).iter().map(reg));
    }
    accesses
}

fn rename(data: &mut InstData, facts: &Facts, ssa: &Ssa, inst: Inst, reg: impl Fn(Value) -> Reg) {
    let (values, writes) = (ssa.reads(inst), ssa.writes(inst));
    let (mut reads, mut results) = (values.iter(), writes.iter());
    data.op.slots(|slot| match slot {
        Slot::Read(place) => *place = reg(*reads.next().expect("the visits of operands agree")),
        Slot::Write(place) => *place = reg(*results.next().expect("the visits of results agree")),
        Slot::Both(place) => {
            let own = writes.iter().find(|value| ssa.values[**value].reg == *place);
            *place = reg(*own.expect("an unknown instruction may write what it names"));
        }
        Slot::Variable(_) => {}
    });
    if let Some(guard) = &mut data.guard {
        guard.pred = reg(values[facts.accesses.operands(inst).len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(func: &mut Func) {
        let facts = Facts::compute(func);
        let ssa = Ssa::compute(func, &facts, &[]);
        super::split(func, &facts, &ssa);
    }

    #[test]
    fn values_that_share_a_register_by_chance_part() {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p;\n.reg .b32 %a, %b;\n\
                    .reg .b64 %o;\nld.param.u64 %o, [out];\nmov.u32 %a, %tid.x;\nst.global.u32 [%o], %a;\nmov.u32 %a, 1;\n\
                    setp.eq.u32 %p, %a, 3;\n@%p add.u32 %a, %a, 1;\nst.global.u32 [%o], %a;\nret;\n}";
        let module = ptx::read::text("k.ptx", text).expect("this is PTX");
        let mut func = module.funcs[0].clone();
        split(&mut func);
        // %a before and behind the second mov; the guarded addition belongs to the second
        assert_eq!(func.regs.len(), module.funcs[0].regs.len() + 1);
        let again = func.clone();
        split(&mut func);
        assert_eq!(func, again);
    }

    /// An unknown instruction has its registers in the order of their names, which the webs change.
    #[test]
    fn accesses_are_renamed_as_the_instructions_are() {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p;\n.reg .b32 %a, %b;\n\
                    .reg .b64 %o;\nld.param.u64 %o, [out];\nmov.u32 %a, %tid.x;\nmov.u32 %b, 2;\nst.global.u32 [%o], %a;\n\
                    mov.u32 %a, 1;\nsetp.eq.u32 %p, %a, 3;\n@%p add.u32 %a, %a, %b;\nmultimem.foo.u32 %b, %a;\n@!%p multimem.foo.u32 %a, %b;\n\
                    st.global.u32 [%o], %a;\nst.global.u32 [%o+4], %b;\nret;\n}";
        let mut func = ptx::read::text("k.ptx", text).expect("this is PTX").funcs[0].clone();
        let facts = Facts::compute(&func);
        let ssa = Ssa::compute(&func, &facts, &[]);
        let split = super::split(&mut func, &facts, &ssa).expect("%a has two webs");
        let found = renamed(facts.accesses.clone(), &func, &ssa, &split);
        let expected = Accesses::compute(&func);
        for inst in func.insts.keys() {
            assert_eq!(found.reads_and_writes(inst), expected.reads_and_writes(inst), "{inst}");
            assert_eq!(found.kept(inst), expected.kept(inst), "{inst}");
        }
    }
}
