//! Inputs of each value, laid out close together in the order of the values, for analyses that look at all of them.

use super::gated::{Gate, Gated};
use super::kind::{Kind, kind};
use super::linear::{Linear, Shape};
use super::local_pointers::LocalPointers;
use super::ssa::{Def, Value};
use crate::inst::{InstData, Op, Operand, Piece, Space, Type, UnaryOp};
use crate::ir::{Func, Inst, Reg};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How one value follows from others.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The first three of [`Gated::inputs`]; if there are less, one of them several times, or any value if there are none.
    pub reads: [Value; 3],
    /// For [`Kind::Constant`] the place among [`Steps::constants`], times [`Step::PLACE`], and [`Step::LITERAL`]; 0 for others.
    pub constant: u32,
    linear: u32,
    pub kind: Kind,
    /// There are more than three inputs.
    pub long: bool,
}

impl Step {
    /// Leaves analyses some bits below the place of a constant.
    pub const PLACE: u32 = 128;
    /// Marks the place of a constant.
    pub const LITERAL: u32 = 64;
}

/// Steps of all values that are defined in reachable blocks.
#[derive(Debug, Clone, Default)]
pub struct Steps {
    steps: Vec<Step>,
    /// Constants that the instructions of [`Kind::Constant`] give. Shared, as results of analyses refer to them.
    pub constants: Arc<[u64]>,
    forms: Vec<Linear>,
}

const NOWHERE: u32 = u32::MAX;

impl Steps {
    pub(super) fn compute(func: &Func, gated: &Gated, alike: &BTreeSet<Inst>) -> Self {
        let mut steps = Vec::with_capacity(gated.ssa.reachable().len());
        let (mut constants, mut forms, mut choices) =
            (Vec::with_capacity(16), Vec::with_capacity(16), Vec::with_capacity(16));
        let generic = |op: &Op| matches!(op, Op::Ld { space: Space::Generic, .. });
        let pointers = func.insts.values().any(|data| generic(&data.op)).then(|| LocalPointers::compute(func));
        let local = |reg| pointers.as_ref().is_none_or(|pointers| pointers.may_be(reg));
        for &block in &gated.facts.cfg.order {
            choices.extend(gated.ssa.starts(block));
            for &value in gated.ssa.starts(block) {
                let kind = if gated.gate(value) == Some(Gate::Irreducible) { Kind::Irreducible } else { Kind::Start };
                let (mut reads, mut count) = ([value; 3], 0);
                gated.inputs(value, |input| {
                    // the last of a few fills the places behind it
                    reads[count.min(3)..].fill(input);
                    count += 1;
                });
                steps.push(Step { reads, constant: 0, linear: NOWHERE, kind, long: count > 3 });
            }
            for &inst in &func.blocks[block].insts {
                let results = gated.ssa.writes(inst).len();
                if results == 0 {
                    continue;
                }
                let (op, values) = (&func.insts[inst].op, gated.ssa.reads(inst));
                let kind = match alike.contains(&inst) {
                    true => Kind::Common,
                    false => kind(func, &gated.facts.accesses, inst, |reg| constant(func, gated, inst, reg), local),
                };
                if matches!(kind, Kind::Move | Kind::Select) {
                    choices.extend(gated.ssa.writes(inst));
                }
                let (kind, constant) = match (kind, op) {
                    (Kind::Constant, Op::Unary { a: Operand::Imm(bits), .. }) => {
                        match push(&mut constants, *bits).checked_mul(Step::PLACE) {
                            Some(place) => (kind, place | Step::LITERAL),
                            None => (Kind::Common, 0),
                        }
                    }
                    _ => (kind, 0),
                };
                let linear = match kind {
                    Kind::Sum | Kind::Product | Kind::Multiple | Kind::Fused => Linear::from_op(op),
                    _ => None,
                };
                let linear = linear.map_or(NOWHERE, |form| push(&mut forms, form));
                let reads = match values {
                    [] => [Value::from_u32(0); 3],
                    [a] => [*a; 3],
                    [a, b] => [*a, *b, *b],
                    [a, b, c, ..] => [*a, *b, *c],
                };
                let first = steps.len();
                steps.resize(first + results, Step { reads, constant, linear, kind, long: values.len() > 3 });
                if elects(&func.insts[inst]) {
                    // all lanes get the number of the same one
                    let number = |reg: &Reg| func.regs[*reg] != Type::Pred;
                    let numbers = gated.facts.accesses.writes(inst).iter().map(number);
                    for (step, _) in steps[first..].iter_mut().zip(numbers).filter(|(_, number)| *number) {
                        step.kind = Kind::Common;
                    }
                }
            }
        }
        settle(gated, &mut steps, &forms, &choices);
        Self { steps, constants: constants.into(), forms }
    }

    /// In the order of the values.
    pub fn all(&self) -> &[Step] {
        &self.steps
    }

    /// The linear form of a step of [`Kind::Sum`], [`Kind::Product`], [`Kind::Multiple`] or [`Kind::Fused`], if it has one.
    pub fn linear(&self, step: &Step) -> Option<&Linear> {
        self.forms.get(step.linear as usize)
    }
}

/// Whether it elects one of all lanes of the warp.
fn elects(data: &InstData) -> bool {
    let Op::Opaque { opcode, pieces } = &data.op else { return false };
    let all =
        |piece: &Piece| matches!(piece, Piece::Text(text) if matches!(text.as_str(), "0xffffffff" | "0xFFFFFFFF"));
    data.guard.is_none() && opcode == "elect.sync" && pieces.iter().any(all)
}

/// Settles choices between values. Where only uniformity can be known of one value, the choice is as lanewise as a sum of them.
/// Sums of reals are such values.
fn settle(gated: &Gated, steps: &mut [Step], forms: &[Linear], choices: &[Value]) {
    // an argument that a φ gets from behind may be a choice itself
    for value in choices.iter().chain(choices) {
        let never = |value: &Value| steps.get(value.index()).is_some_and(|step| step.kind.never_known());
        let settled = match gated.ssa.values[*value].def {
            Def::Phi(..) => {
                let arguments = gated.ssa.arguments(*value);
                arguments.iter().any(never) || counts(*value, arguments, steps, forms)
            }
            Def::Copy(_, source) => never(&source),
            Def::Inst(inst, _) => {
                // the last operand of a selection is its predicate
                let reads = gated.ssa.reads(inst);
                let values = if steps[value.index()].kind == Kind::Move { 1 } else { reads.len() - 1 };
                reads[..values].iter().any(never)
            }
            Def::Undefined => false,
        };
        let step = &mut steps[value.index()];
        match step.kind {
            Kind::Irreducible if settled => step.kind = Kind::Divergent,
            Kind::Start | Kind::Move | Kind::Select if settled => step.kind = Kind::Lanewise,
            _ => {}
        }
    }
}

/// Whether the arguments of a φ are constants and the φ plus another constant, so that it has more than one value, which are
/// not all multiples of 32 either.
fn counts(phi: Value, arguments: &[Value], steps: &[Step], forms: &[Linear]) -> bool {
    let step = |value: &Value| steps.get(value.index());
    let next = |step: &Step| {
        let form = forms.get(step.linear as usize).filter(|_| step.reads == [phi; 3]);
        form.is_some_and(|form| matches!(form.shape, Shape::Sum) && form.constant.is_some_and(|bits| bits % 32 != 0))
    };
    let others = arguments.iter().filter(|argument| !step(argument).is_some_and(next));
    let constants = others.clone().all(|other| step(other).is_some_and(|step| step.kind == Kind::Constant));
    constants && others.count() < arguments.len()
}

fn push<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    list.len() as u32 - 1
}

/// The immediate that an operand of the instruction holds, if it is a copy of one.
fn constant(func: &Func, gated: &Gated, inst: Inst, reg: Reg) -> Option<u64> {
    let place = gated.facts.accesses.operands(inst).iter().position(|operand| *operand == reg)?;
    let Def::Inst(from, _) = gated.ssa.values[gated.ssa.reads(inst)[place]].def else { return None };
    let data = &func.insts[from];
    match data.op {
        Op::Unary { op: UnaryOp::Mov, a: Operand::Imm(bits), .. } if data.guard.is_none() => Some(bits),
        _ => None,
    }
}
