//! The form that functions are melded in: a register per web, nothing that nobody needs, a simple graph, and comparisons in one
//! direction, so that what does the same looks the same.

use super::facts::Facts;
use super::options::Options;
use super::region;
use super::shapes::Shapes;
use super::verdicts::{self, Verdicts};
use crate::dead_code::{self, only_makes_results};
use crate::{simplify_cfg, webs};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use ptx::analysis::access::Accesses;
use ptx::analysis::lists::table;
use ptx::analysis::ssa::{self, Ssa};
use ptx::estimate::cycles;
use ptx::inst::{Cmp, Op, Operand};
use ptx::ir::{Block, Func, Reg};
use std::cell::RefCell;

/// A function in the form that is melded, with its analyses.
pub struct Tidy {
    pub func: Func,
    pub(super) facts: Facts,
    /// Also of the functions that it was made from.
    pub(super) verdicts: RefCell<Verdicts>,
    pub(super) shapes: RefCell<Shapes>,
}

impl Tidy {
    /// Takes over what was found of the function that it was made from and still holds.
    pub fn inherit(&self, from: &Self) {
        self.verdicts.replace(from.verdicts.take().lasting(&from.func, &from.facts));
        self.shapes.swap(&from.shapes);
    }

    /// As [`estimate`](ptx::estimate::estimate).
    pub fn estimate(&self) -> u64 {
        cycles(&self.func, &self.facts.cfg, &self.facts.loops)
    }
}

/// The same function with a register per web, without what nothing needs, with a simple graph and comparisons in one direction.
pub fn tidy(func: Func) -> Tidy {
    let (func, facts) = simple(func);
    let values = Ssa::compute(&func, &facts, &[]);
    by_values(func, facts, &values).0
}

/// As [`tidy`], of a function that is to be melded: where it might be, one SSA form serves, and tells of the branches, too.
pub fn tidy_to_meld(func: Func, options: &Options) -> Tidy {
    let (func, facts) = simple(func);
    if region::regions(&func, &facts).next().is_none() {
        let values = Ssa::compute(&func, &facts, &[]);
        return by_values(func, facts, &values).0;
    }
    let (ssa, branches) = {
        let gated = facts.gated(&func);
        let branches = verdicts::branches(&func, &gated, options.block);
        // the rest goes, so that nobody else has the facts
        (gated.ssa, branches)
    };
    let (tidy, same) = by_values(func, facts, &ssa);
    if same {
        tidy.verdicts.replace(Verdicts::new(&tidy.func, &branches));
    }
    tidy
}

fn simple(mut func: Func) -> (Func, Facts) {
    simplify_cfg::simplify(&mut func);
    func.insts.values_mut().for_each(|data| turn(&mut data.op));
    let facts = Facts::compute(&func);
    (func, facts)
}

/// As [`tidy`], of a tidy function in which melding has made registers one. SSA form is asked for only where there might be
/// something left to do.
pub fn tidy_again(mut func: Func, accesses: Accesses, renames: &[(Reg, Reg)]) -> Tidy {
    simplify_cfg::simplify(&mut func);
    let known = ssa::Facts::from_accesses(&func, accesses);
    let facts = Facts::from_ssa(known);
    if is_tidy(&func, &facts, renames) {
        return Tidy { func, facts, verdicts: RefCell::default(), shapes: RefCell::default() };
    }
    let values = Ssa::compute(&func, &facts, &[]);
    by_values(func, facts, &values).0
}

/// Whether every result is read somewhere, and whatever was made one register is one web: it is written once, or where it was written
/// before in the same block under a guard, which keeps the old value in some lanes.
fn is_tidy(func: &Func, known: &Facts, renames: &[(Reg, Reg)]) -> bool {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        renamed: bool,
        read: bool,
        writer: PackedOption<Block>,
    }
    let mut seen: SecondaryMap<Reg, Seen> = table(func.regs.len());
    renames.iter().for_each(|(_, reg)| seen[*reg].renamed = true);
    for block in &known.cfg.order {
        let data = &func.blocks[*block];
        data.terminator.condition().iter().for_each(|reg| seen[*reg].read = true);
        for inst in &data.insts {
            known.accesses.operands(*inst).iter().for_each(|reg| seen[*reg].read = true);
            let guard = func.insts[*inst].guard;
            guard.iter().for_each(|guard| seen[guard.pred].read = true);
            for reg in known.accesses.writes(*inst) {
                let seen = &mut seen[*reg];
                let before = std::mem::replace(&mut seen.writer, (*block).into());
                if seen.renamed && before.is_some() && (guard.is_none() || before != seen.writer) {
                    return false;
                }
            }
        }
    }
    known.cfg.order.iter().flat_map(|block| &func.blocks[*block].insts).all(|inst| {
        known.accesses.writes(*inst).iter().any(|reg| seen[*reg].read) || !only_makes_results(&func.insts[*inst].op)
    })
}

/// The function with a register per web and without what nothing needs, and whether its graph stayed the same.
fn by_values(mut func: Func, facts: Facts, values: &Ssa) -> (Tidy, bool) {
    let split = webs::split(&mut func, &facts, values);
    let removed = dead_code::remove_unneeded(&mut func, &facts, values);
    // a block may have been emptied
    let same = func.layout.iter().all(|block| simplify_cfg::leads_on(&func, *block).is_none());
    let facts = if removed.instructions == 0 && split.is_none() {
        facts
    } else if same {
        facts.with_accesses(|accesses| match split {
            Some(split) => webs::renamed(accesses, &func, values, &split),
            None => accesses,
        })
    } else {
        simplify_cfg::simplify(&mut func);
        Facts::compute(&func)
    };
    (Tidy { func, facts, verdicts: RefCell::default(), shapes: RefCell::default() }, same)
}

/// Makes `b < a` of `a > b`, for registers, so that what compares alike is of one shape.
fn turn(op: &mut Op) {
    let Op::Setp { cmp, a: a @ Operand::Reg(_), b: b @ Operand::Reg(_), .. } = op else { return };
    let turned = match cmp {
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Gtu => Cmp::Ltu,
        Cmp::Geu => Cmp::Leu,
        _ => return,
    };
    *cmp = turned;
    std::mem::swap(a, b);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a function that does this is found to be tidy. Its register `%a` was made of several.
    fn is_tidy_with(body: &str) -> bool {
        let text = format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{{\n.reg .pred %p;\n.reg .b32 %a;\n\
             .reg .b64 %o;\nld.param.u64 %o, [out];\nmov.u32 %a, %tid.x;\nsetp.eq.u32 %p, %a, 3;\n{body}\
             st.global.u32 [%o], %a;\nret;\n}}"
        );
        let func = ptx::read::text("k.ptx", &text).expect("this is PTX").funcs[0].clone();
        let facts = Facts::compute(&func);
        let results = |inst: ptx::ir::Inst| func.insts[inst].op.results()[0];
        let a = results(func.blocks[func.layout[0]].insts[1]);
        is_tidy(&func, &facts, &[(a, a)])
    }

    #[test]
    fn a_register_of_several_webs_is_not_tidy() {
        assert!(is_tidy_with("@%p add.u32 %a, %a, 1;\n"));
        assert!(!is_tidy_with("@%p bra END;\nadd.u32 %a, %a, 1;\nEND:\n"));
        assert!(is_tidy_with("@%p st.global.u32 [%o+4], %a;\n"));
        assert!(!is_tidy_with("@%p st.global.u32 [%o+4], %a;\nmov.u32 %a, 1;\n"));
    }

    #[test]
    fn a_result_that_nobody_reads_is_not_tidy() {
        assert!(!is_tidy_with(""));
    }
}
