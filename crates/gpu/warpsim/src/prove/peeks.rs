//! Peeks: `mbarrier.test_wait` and `try_wait` that no loop asks again, such as those that a pipeline makes ahead of its waits.
//!
//! The answer counts as data. If it only decides whether a loop waits for the same phase, the side that waits stands for both: who
//! goes round the loop has learned of the end of the phase before, by the peek. Registers that the loop writes are unknown behind it.

use super::answers::{Owed, State};
use super::common::{Slot, knows};
use super::known::{Known, results};
use super::region::{matters, successors};
use crate::decode::{Code, Compute, Copying, EXIT, Micro, Source, Test};
use crate::domain::{Knowledge, Peek, Written};
use crate::lanes::combined;
use crate::warp::Warp;
use ptx::inst::Space;
use std::collections::BTreeSet;

/// Notes that the predicate holds the answer.
pub(super) fn answered(warp: &mut Warp<Known>, pred: u32, peek: Peek) {
    warp.knowledge.learn_pred(pred, 0, peek.lanes);
    warp.knowledge.answers.values.insert(Slot::Pred(pred), (peek, [0, 1]));
}

/// Computes in front of an instruction what it makes of an answer, and joins both sides behind a wait that a peek may have spared.
pub(super) fn prepare(code: &Code, warp: &mut Warp<Known>, pc: u32, active: u32) {
    let answers = &mut warp.knowledge.answers;
    answers.pending = None;
    if let Some(owed) = answers.owed.take_if(|owed| owed.until == pc && active & owed.peek.lanes != 0) {
        let mut end = State::of(warp, &owed.written).meet(&owed.before);
        end.part();
        end.write(warp, &owed.written, owed.peek.lanes);
    }
    let op = &code.ops[pc as usize];
    if warp.knowledge.answers.values.is_empty() || op.guard.is_some() {
        return;
    }
    let asked = warp.knowledge.answers.values.values().map(|(peek, _)| *peek);
    let asked: BTreeSet<Peek> = asked.filter(|peek| peek.lanes == active).collect();
    for peek in asked {
        let of = |which| computed(code, warp, &op.micro, peek, which);
        if let Some(((d, no), (_, yes))) = of(0).zip(of(1)).filter(|((_, no), (_, yes))| no != yes) {
            warp.knowledge.answers.pending = Some((pc, peek, d, [no, yes]));
        }
    }
}

/// Notes the result behind it.
pub(super) fn follow(warp: &mut Warp<Known>, pc: u32) {
    let Some((at, peek, slot, values)) = warp.knowledge.answers.pending.take() else { return };
    if at == pc {
        warp.knowledge.answers.values.insert(slot, (peek, values));
    }
}

/// Returns the side of a branch on an answer that waits, if the other one goes on where both meet.
pub(super) fn way(code: &Code, warp: &mut Warp<Known>, pc: u32, mask: u32, reconvergence: u32) -> Option<u32> {
    let Micro::Branch { pred, negate, then, otherwise, .. } = code.ops[pc as usize].micro else { return None };
    let (peek, values) =
        *warp.knowledge.answers.values.get(&Slot::Pred(pred)).filter(|(peek, _)| peek.lanes == mask)?;
    let [no, yes] = values.map(|value| if (value != 0) != negate { then } else { otherwise });
    if reconvergence == EXIT || warp.knowledge.answers.owed.is_some() || !leads(code, yes, reconvergence) {
        return None;
    }
    let (wait, written) = only_wait(code, no, reconvergence)?;
    let before = State::of(warp, &written);
    warp.knowledge.answers.owed = Some(Owed { peek, wait, until: reconvergence, written, before });
    Some(no)
}

/// Whether a wait is for another phase than the peek that may spare it.
pub(super) fn is_of_another_phase(warp: &Warp<Known>, pc: u32, by: Peek) -> bool {
    let owed = warp.knowledge.answers.owed.as_ref().filter(|owed| owed.wait == pc);
    owed.is_some_and(|Owed { peek, .. }| (Peek { time: by.time, ..*peek }) != by)
}

/// Returns the registers that lanes that are told no may write until they come back to the question, without doing anything that matters;
/// `None` if they do not come back.
pub(super) fn way_back(code: &Code, pc: u32) -> Option<Written> {
    let (mut stack, mut seen, mut back) = (vec![pc + 1], BTreeSet::new(), false);
    while let Some(at) = stack.pop() {
        back |= at == pc;
        let Some(op) = code.ops.get(at as usize).filter(|_| at != pc && seen.insert(at)) else { continue };
        let leaves = match &op.micro {
            // the caller may ask again
            Micro::Ret if !code.is_kernel(at) => {
                back = true;
                seen.extend(0..code.ops.len() as u32);
                true
            }
            Micro::MemoryAccess(access) => matches!(access.space(), Space::Shared | Space::Generic),
            micro => matches!(
                micro,
                Micro::Copying(_)
                    | Micro::Bar { .. }
                    | Micro::Ret
                    | Micro::Exit
                    | Micro::Unknown { .. }
                    | Micro::Collective(_)
            ),
        };
        if !leaves || op.guard.is_some() {
            stack.extend(successors(&op.micro, at));
        }
    }
    back.then(|| written(code, seen.into_iter().chain([pc])))
}

/// Returns what the instructions write.
fn written(code: &Code, all: impl Iterator<Item = u32>) -> Written {
    let (mut rows, mut preds) = Written::default();
    for at in all {
        let of = results(&code.ops[at as usize].micro);
        rows.extend(of.0);
        preds.extend(of.1);
    }
    rows.sort_unstable();
    rows.dedup();
    preds.sort_unstable();
    preds.dedup();
    (rows, preds)
}

/// Whether the lanes go from there to the other place without doing anything.
fn leads(code: &Code, mut pc: u32, to: u32) -> bool {
    for _ in 0..code.ops.len() {
        match code.ops.get(pc as usize).map(|op| &op.micro) {
            _ if pc == to => return true,
            Some(Micro::Jump { target }) => pc = *target,
            Some(Micro::Nothing) => pc += 1,
            _ => return false,
        }
    }
    false
}

/// Returns the wait that all ways from one place to another pass, and the registers that they write; `None` if something else happens there.
fn only_wait(code: &Code, from: u32, to: u32) -> Option<(u32, Written)> {
    let reached = |without: Option<u32>| {
        let (mut stack, mut seen) = (vec![from], BTreeSet::new());
        while let Some(at) = stack.pop() {
            if Some(at) != without && seen.insert(at) && at != to && at != EXIT {
                stack.extend(successors(&code.ops[at as usize].micro, at));
            }
        }
        seen
    };
    let (mut wait, between) = (None, reached(None));
    for at in between.iter().copied().filter(|at| *at != to) {
        let micro = &code.ops.get(at as usize)?.micro;
        match micro {
            Micro::Copying(op)
                if matches!(**op, Copying::Wait { .. }) && wait.is_none() && way_back(code, at).is_some() =>
            {
                wait = Some(at);
            }
            Micro::MemoryAccess(_) | Micro::Collective(_) | Micro::Indirect { .. } | Micro::Trap => return None,
            _ if matters(code, at) => return None,
            _ => {}
        }
    }
    let wait = wait.filter(|wait| code.ops[*wait as usize].guard.is_none() && !reached(Some(*wait)).contains(&to))?;
    Some((wait, written(code, between.into_iter().filter(|at| *at != to))))
}

/// Returns the slot that an instruction writes and its value for one answer, where it computes that from values that are the same in
/// all lanes that asked.
fn computed(code: &Code, warp: &Warp<Known>, micro: &Micro, peek: Peek, which: usize) -> Option<(Slot, u64)> {
    let answers = &warp.knowledge.answers.values;
    let answer = |slot: Slot| answers.get(&slot).filter(|(of, _)| *of == peek).map(|(_, values)| values[which]);
    let value = |source: &Source| {
        let slot = source.register().map(Slot::Row);
        slot.and_then(answer).or_else(|| {
            let (row, first) = (source.row(&warp.regs, &code.pool), peek.lanes.trailing_zeros() as usize);
            let known = slot.is_none_or(|slot| peek.lanes & !knows(warp, slot) == 0);
            let same = (0..32).all(|lane| peek.lanes >> lane & 1 == 0 || row[lane] == row[first]);
            (known && same).then_some(row[first])
        })
    };
    let row = |source: &Source| Some([value(source)?; 32]);
    let bits = |pred: u32| {
        let (known, bits) = (warp.knowledge.pred(pred), warp.preds[pred as usize] & peek.lanes);
        let own = (peek.lanes & !known == 0 && (bits == 0 || bits == peek.lanes)).then_some(u64::from(bits != 0));
        answer(Slot::Pred(pred)).or(own)
    };
    let all = |bit: u64| if bit == 0 { 0 } else { u32::MAX };
    Some(match micro {
        Micro::Compute(Compute::Map1 { f, d, a }) => (Slot::Row(*d), f(&row(a)?)[0]),
        Micro::Compute(Compute::Map2 { f, d, a, b }) => (Slot::Row(*d), f(&row(a)?, &row(b)?)[0]),
        Micro::Compute(Compute::Map3 { f, d, a, b, c }) => (Slot::Row(*d), f(&row(a)?, &row(b)?, &row(c)?)[0]),
        Micro::Test(Test::Select { d, a, b, pred }) => {
            (Slot::Row(*d), if bits(*pred)? != 0 { value(a)? } else { value(b)? })
        }
        Micro::Test(Test::Logic { f, d, a, b }) => (Slot::Pred(*d), u64::from(f(all(bits(*a)?), all(bits(*b)?)) & 1)),
        Micro::Test(Test::Compare { f, d, other: None, combine, a, b }) => {
            let mut preds = vec![0; warp.preds.len()];
            if let Some((_, (pred, _))) = combine {
                preds[*pred as usize] = all(bits(*pred)?);
            }
            let (compared, _) = combined(f.compare(&row(a)?, &row(b)?), *combine, &preds);
            (Slot::Pred(*d), u64::from(compared & 1))
        }
        _ => return None,
    })
}
