//! Checks that a meld, or another change of blocks, does for every thread what was there before. It shares no code with the
//! decision and the application: it executes both functions symbolically, side by side.
//!
//! Values are numbers: two computations have one number if they apply one operation to equal values. A state is a pair of
//! blocks, one of each function, and what is known of the conditions of melds. Between two branches whose condition is not
//! known, and blocks that no change concerns, both functions run straight on. There it must hold that
//!
//! - both have accessed memory in the same way, in the same order, with equal addresses and values;
//! - both branch on equal conditions, come to the same block, or end;
//! - every register that the first function needs from there on has, by its new name, an equal value in the second.
//!
//! The walk begins at the changed blocks and ends at blocks that are as before and where the condition is needed no more.
//! Elsewhere the functions differ by the names of registers only, and no two registers that are alive together have one name.

mod analyses;
mod change;
mod convergent;
mod execute;
mod numbers;
mod walk;

use analyses::Analyses;
use change::Names;
pub use change::{Change, Condition, Kind, OffsetOperand, Violation};
use convergent::convergent;
use cranelift_entity::SecondaryMap;
use ptx::analysis::access::Accesses;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::lists::table;
use ptx::inst::{Address, Base, Operand};
use ptx::ir::{Block, Reg};
use ptx::visit::PartMut;
use walk::Walk;

/// Compares both functions.
pub fn check(change: &Change) -> Result<(), Violation> {
    let names = Names::new(change);
    let analyses = Analyses::compute(change);
    distinct(change, &names, &analyses)?;
    convergent(change, &names)?;
    let placed = placed(change);
    let mut same = table(change.after.blocks.len());
    placed.iter().for_each(|block| same[*block] = is_same(change, &names, &analyses.accesses, *block));
    let mut walk = Walk::new(change, &names, &analyses, &same);
    walk.run()?;
    elsewhere(change, &analyses.dominators, &placed, &same, &walk.visited)
}

/// The blocks of both functions.
fn placed(change: &Change) -> Vec<Block> {
    let mut before: SecondaryMap<Block, bool> = table(change.before.blocks.len());
    change.before.layout.iter().for_each(|block| before[*block] = true);
    change.after.layout.iter().copied().filter(|block| before[*block]).collect()
}

/// Registers that are alive together have different names, in every block of the first function.
fn distinct(change: &Change, names: &Names, analyses: &Analyses) -> Result<(), Violation> {
    if change.renames.is_empty() {
        return Ok(());
    }
    let (func, accesses) = (change.before, &analyses.accesses);
    // of registers that share a name
    let mut shares: SecondaryMap<Reg, bool> = table(func.regs.len());
    change.renames.iter().for_each(|(from, to)| (shares[*from], shares[*to]) = (true, true));
    let other = |reg: Reg, regs: &[Reg]| {
        let same = |other: &&Reg| **other != reg && shares[**other] && names.get(**other) == names.get(reg);
        shares[reg].then(|| regs.iter().find(same).copied()).flatten()
    };
    let writes_shared = |block: &&Block| {
        let mut insts = func.blocks[**block].insts.iter();
        **block == analyses.cfg.entry || insts.any(|inst| accesses.writes(*inst).iter().any(|reg| shares[*reg]))
    };
    let mut live: Vec<Reg> = Vec::with_capacity(change.renames.len());
    for block in analyses.cfg.order.iter().filter(writes_shared) {
        let found = |a: Reg, b: Reg| Err(Violation { block: *block, kind: Kind::Names(a, b) });
        live.clear();
        let enter = |live: &mut Vec<Reg>, reg: Reg| {
            if shares[reg] && !live.contains(&reg) {
                live.push(reg);
            }
        };
        analyses.liveness.live_out(*block).iter().for_each(|reg| enter(&mut live, *reg));
        func.blocks[*block].terminator.condition().iter().for_each(|reg| enter(&mut live, *reg));
        for inst in func.blocks[*block].insts.iter().rev() {
            let (reads, writes) = accesses.reads_and_writes(*inst);
            for reg in writes {
                if let Some(other) = other(*reg, &live).or_else(|| other(*reg, writes)) {
                    return found(*reg, other);
                }
            }
            live.retain(|reg| !writes.contains(reg));
            reads.iter().for_each(|reg| enter(&mut live, *reg));
        }
        if *block == analyses.cfg.entry {
            for reg in &live {
                if let Some(other) = other(*reg, &live) {
                    return found(*reg, other);
                }
            }
        }
    }
    Ok(())
}

/// Blocks that were not visited are as before, but for those behind a root: no thread comes to them, as it would have to
/// take two branches on one condition in two ways.
fn elsewhere(
    change: &Change,
    dominators: &Dominators,
    placed: &[Block],
    same: &SecondaryMap<Block, bool>,
    visited: &SecondaryMap<Block, bool>,
) -> Result<(), Violation> {
    let behind = |block: Block| change.roots.iter().any(|root| dominators.dominates(*root, block));
    match placed.iter().copied().find(|block| !visited[*block] && !same[*block] && !behind(*block)) {
        Some(block) => Err(Violation { block, kind: Kind::Elsewhere }),
        None => Ok(()),
    }
}

/// Whether a block of both functions differs by the names of registers only.
fn is_same(change: &Change, names: &Names, accesses: &Accesses, block: Block) -> bool {
    let (old, new) = (&change.before.blocks[block], &change.after.blocks[block]);
    let mut terminator = old.terminator.clone();
    if let Some(reg) = terminator.condition_mut() {
        *reg = names.get(*reg);
    }
    let insts = old.insts.iter().zip(&new.insts);
    old.insts.len() == new.insts.len()
        && terminator == new.terminator
        && insts.into_iter().all(|(old, new)| {
            let (reads, writes) = accesses.reads_and_writes(*old);
            if reads.iter().chain(writes).all(|reg| names.get(*reg) == *reg) {
                return change.before.insts[*old] == change.after.insts[*new];
            }
            let mut data = change.before.insts[*old].clone();
            if let Some(guard) = &mut data.guard {
                guard.pred = names.get(guard.pred);
            }
            data.op.parts_mut(|part| match part {
                PartMut::Def(reg)
                | PartMut::Use(reg)
                | PartMut::Touch(reg)
                | PartMut::Read(Operand::Reg(reg))
                | PartMut::At(Address { base: Base::Reg(reg), .. }) => *reg = names.get(*reg),
                PartMut::Read(_) | PartMut::At(_) | PartMut::Pass(_) => {}
            });
            data == change.after.insts[*new]
        })
}

#[cfg(test)]
mod tests {
    use super::super::region::regions;
    use super::super::{Options, Tidy, apply, candidates, plan, tidy};
    use super::*;
    use ptx::inst::{BinaryOp, Guard, Op, Terminator, Type};
    use ptx::ir::{Func, Inst};
    use std::collections::BTreeSet;

    /// Both sides load, compute and store; one of them does more.
    const KERNEL: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n\
        .reg .b32 %r<12>;\n.reg .b64 %o;\nld.param.u64 %o, [out];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\n\
        setp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\nld.global.u32 %r3, [%o];\nadd.u32 %r3, %r3, %r1;\nsetp.gt.u32 %p2, %r3, 5;\n\
        @%p2 bra ODD_END;\nmul.lo.u32 %r4, %r3, %r2;\nst.global.u32 [%o+4], %r4;\nODD_END:\nst.global.u32 [%o+16], %r3;\n\
        bra END;\nEVEN:\nld.global.u32 %r6, [%o+8];\nadd.u32 %r6, %r6, %r2;\nsetp.gt.u32 %p3, %r6, 5;\n@%p3 bra EVEN_END;\n\
        mul.lo.u32 %r7, %r6, %r1;\nst.global.u32 [%o+12], %r7;\nEVEN_END:\nst.global.u32 [%o+20], %r6;\nEND:\nret;\n}";

    /// The function, the first melds that can be made together, and the plan of them.
    fn melded(text: &str) -> (Tidy, plan::Plan, apply::Applied) {
        let module = ptx::read::text("k.ptx", text).expect("this is PTX");
        let tidy = tidy(module.funcs[0].clone());
        let Tidy { func, facts, .. } = &tidy;
        let regions: Vec<_> = regions(func, facts).collect();
        let candidates =
            candidates::candidates(func, facts, &regions, &Options::default(), &mut tidy.shapes.borrow_mut());
        let together = candidates::together(func, facts, &candidates);
        let plan = plan::plan(func, facts, &together, &tidy.shapes.borrow());
        let applied = apply::apply(func, facts, &plan);
        (tidy, plan, applied)
    }

    fn checked(tidy: &Tidy, plan: &plan::Plan, applied: &apply::Applied, after: &Func) -> Result<(), Violation> {
        check(&Change {
            before: &tidy.func,
            after,
            renames: &plan.renames,
            roots: &plan.melds.iter().map(|meld| meld.branch).collect::<Vec<_>>(),
            conditions: &applied.conditions,
        })
    }

    #[test]
    fn a_meld_passes_and_no_change_of_it_does() {
        let (melds, changes) = no_change_passes(KERNEL);
        assert_eq!(melds, 2);
        assert!(changes > 15, "{changes}");
    }

    /// Behind these, two that have their condition, one of them the other way round, and one in the way of some threads only.
    #[test]
    fn several_melds_pass_and_no_change_of_them_does() {
        let diamond = |number: u32, branch: &str| {
            format!(
                "{branch} bra ONE{number};\nld.global.u32 %r{a}, [%o+{number}];\nmul.lo.u32 %r{a}, %r{a}, %r1;\n\
                 st.global.u32 [%o+48], %r{a};\nbra BOTH{number};\nONE{number}:\nld.global.u32 %r{b}, [%o+32];\n\
                 mul.lo.u32 %r{b}, %r{b}, %r2;\nst.global.u32 [%o+44], %r{b};\nBOTH{number}:\n",
                a = 8 + 2 * (number / 4),
                b = 9 + 2 * (number / 4)
            )
        };
        let text = KERNEL.replace("%r<12>", "%r<24>").replace(
            "END:\nret;",
            &format!(
                "END:\n{}{}setp.gt.u32 %p2, %r1, 7;\n@%p2 bra LAST;\nadd.u32 %r5, %r1, %r2;\n{}st.global.u32 [%o], %r5;\nLAST:\nret;",
                diamond(4, "@!%p1"),
                diamond(8, "@%p1"),
                diamond(12, "@%p1"),
            ),
        );
        let (melds, changes) = no_change_passes(&text);
        assert_eq!(melds, 5);
        assert!(changes > 60, "{changes}");
    }

    /// Returns the number of melds together, and the number of ways in which they were changed, none of which the checker took.
    fn no_change_passes(text: &str) -> (usize, usize) {
        let (tidy, plan, applied) = melded(text);
        assert_eq!(checked(&tidy, &plan, &applied, &applied.func), Ok(()));
        let placed: BTreeSet<Block> = tidy.func.layout.iter().copied().collect();
        let new: Vec<Block> = applied.func.layout.iter().copied().filter(|block| !placed.contains(block)).collect();
        let mut changes = 0;
        let mut refused = |what: String, change: &dyn Fn(&mut Func)| {
            let mut after = applied.func.clone();
            change(&mut after);
            if after != applied.func {
                changes += 1;
                assert!(checked(&tidy, &plan, &applied, &after).is_err(), "{what}");
            }
        };
        for block in new {
            for (place, inst) in applied.func.blocks[block].insts.iter().enumerate() {
                refused(format!("without {inst}"), &|after| _ = after.blocks[block].insts.remove(place));
                refused(format!("another guard of {inst}"), &|after| {
                    after.insts[*inst].guard.iter_mut().for_each(|guard| guard.negate ^= true);
                });
                refused(format!("another selection of {inst}"), &|after| {
                    if let Op::Selp { a, b, .. } = &mut after.insts[*inst].op {
                        std::mem::swap(a, b);
                    }
                });
                refused(format!("another address of {inst}"), &|after| {
                    after.insts[*inst].op.parts_mut(|part| {
                        if let PartMut::At(addr) = part {
                            addr.offset += 4;
                        }
                    });
                });
            }
            refused(format!("the ways of {block}"), &|after| {
                if let Terminator::CondBra { then, otherwise, .. } = &mut after.blocks[block].terminator {
                    std::mem::swap(then, otherwise);
                }
            });
        }
        (plan.melds.len(), changes)
    }

    /// A store of both sides under a predicate stays under that predicate, and no other.
    #[test]
    fn the_guard_of_a_store_matters() {
        let text = KERNEL.replace("st.global.u32 [%o+16]", "@%p2 st.global.u32 [%o+16]");
        let text = text.replace("st.global.u32 [%o+20]", "@%p3 st.global.u32 [%o+20]");
        assert_ne!(text, KERNEL);
        let (tidy, plan, applied) = melded(&text);
        assert_eq!(checked(&tidy, &plan, &applied, &applied.func), Ok(()));
        let insts = applied.func.layout.iter().flat_map(|block| applied.func.blocks[*block].insts.iter().copied());
        let guarded = |inst: &Inst| {
            let data = &applied.func.insts[*inst];
            data.guard.is_some() && matches!(data.op, Op::St { .. })
        };
        let stores: Vec<Inst> = insts.filter(guarded).collect();
        assert!(!stores.is_empty(), "{:?}", applied.func.insts);
        for store in stores {
            for guard in [None, applied.func.insts[store].guard.map(|guard| Guard { negate: !guard.negate, ..guard })] {
                let mut after = applied.func.clone();
                after.insts[store].guard = guard;
                let violation = checked(&tidy, &plan, &applied, &after).unwrap_err();
                assert_eq!(violation.kind, Kind::Memory, "{guard:?}");
            }
        }
    }

    /// A block in front of the meld that only threads of the other side could reach.
    #[test]
    fn a_block_that_no_thread_comes_to_may_lead_to_the_meld() {
        let text = KERNEL.replace(
            "@%p1 bra EVEN;\n",
            "@%p1 bra EVEN;\n@!%p1 bra GO;\nmov.u32 %r9, 5;\nst.global.u32 [%o+40], %r9;\nGO:\n",
        );
        assert_ne!(text, KERNEL);
        let (tidy, plan, applied) = melded(&text);
        assert_eq!(checked(&tidy, &plan, &applied, &applied.func), Ok(()));
        let mut after = applied.func.clone();
        let first = after.layout[0];
        after.blocks[first].insts.remove(0);
        assert!(checked(&tidy, &plan, &applied, &after).is_err());
    }

    #[test]
    fn another_operation_of_the_same_kind_is_found() {
        let (tidy, plan, applied) = melded(KERNEL);
        let mut changed = 0;
        for inst in applied.func.layout.iter().flat_map(|block| &applied.func.blocks[*block].insts) {
            let mut after = applied.func.clone();
            let Op::Binary { op, .. } = &mut after.insts[*inst].op else { continue };
            *op = if *op == BinaryOp::Xor { BinaryOp::Or } else { BinaryOp::Xor };
            assert!(checked(&tidy, &plan, &applied, &after).is_err(), "{inst} may be another operation");
            changed += 1;
        }
        assert!(changed > 1, "{changed}");
    }

    #[test]
    fn names_of_registers_that_live_together_are_told_apart() {
        let (tidy, mut plan, applied) = melded(KERNEL);
        let regs = &tidy.func.regs;
        let live: Vec<Reg> = regs.keys().filter(|reg| regs[*reg].class() == Type::B32).collect();
        plan.renames.push((live[1], live[0]));
        assert!(matches!(checked(&tidy, &plan, &applied, &applied.func), Err(Violation { kind: Kind::Names(..), .. })));
    }
}
