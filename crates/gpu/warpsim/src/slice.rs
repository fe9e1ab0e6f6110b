//! Sources that a register's value may be computed from, by a backward slice that ignores the order of instructions.

use cranelift_entity::SecondaryMap;
use ptx::inst::{Address, Base, Op, Operand, Space};
use ptx::ir::{Func, Inst, Param, Reg, Variable};
use ptx::visit::Part;
use std::collections::{BTreeSet, HashSet};

/// The instructions that write each register, and each parameter that holds an argument of a call.
pub(super) struct Definitions<'f> {
    func: &'f Func,
    of: SecondaryMap<Reg, Vec<Inst>>,
    into: SecondaryMap<Param, Vec<Inst>>,
}

/// Origins of values.
#[derive(Default)]
pub(super) struct Origins {
    pub params: BTreeSet<Param>,
    pub variables: BTreeSet<Variable>,
}

impl<'f> Definitions<'f> {
    pub(super) fn new(func: &'f Func) -> Self {
        let (mut of, mut into) = (SecondaryMap::<Reg, Vec<Inst>>::new(), SecondaryMap::<Param, Vec<Inst>>::new());
        for (inst, data) in func.insts.iter() {
            data.op.parts(|part| match part {
                Part::Def(reg) | Part::Touch(reg) => of[*reg].push(inst),
                _ => {}
            });
            if let Op::St { space: Space::Param, addr: Address { base: Base::Param(param), .. }, .. } = &data.op {
                into[*param].push(inst);
            }
        }
        Self { func, of, into }
    }

    /// Returns the origins of the registers. With `through_memory`, a loaded value comes from its address, otherwise from
    /// nowhere.
    pub(super) fn origins(&self, starts: impl IntoIterator<Item = Reg>, through_memory: bool) -> Origins {
        let mut found = Origins::default();
        let mut stack: Vec<Reg> = starts.into_iter().collect();
        let mut seen: HashSet<Reg> = stack.iter().copied().collect();
        while let Some(reg) = stack.pop() {
            let mut insts = self.of[reg].clone();
            let mut next = 0;
            while let Some(inst) = insts.get(next).copied() {
                next += 1;
                let data = &self.func.insts[inst];
                let of_parameter = matches!(&data.op, Op::Ld { space: Space::Param, .. });
                if !through_memory && !data.op.only_computes() && !of_parameter && !is_parameter_store(&data.op) {
                    continue;
                }
                let mut read = |reg: Reg| {
                    if seen.insert(reg) {
                        stack.push(reg);
                    }
                };
                data.op.parts(|part| match part {
                    Part::Use(reg) | Part::Touch(reg) | Part::Read(Operand::Reg(reg)) => read(*reg),
                    Part::Read(Operand::Variable(variable)) => drop(found.variables.insert(*variable)),
                    Part::Read(Operand::Param(param)) => drop(found.params.insert(*param)),
                    Part::At(Address { base, .. }) => match base {
                        Base::Reg(reg) => read(*reg),
                        Base::Variable(variable) => drop(found.variables.insert(*variable)),
                        Base::Param(param) => {
                            if found.params.insert(*param) {
                                insts.extend(&self.into[*param]);
                            }
                        }
                    },
                    _ => {}
                });
                if let Some(guard) = data.guard {
                    read(guard.pred);
                }
            }
        }
        found
    }
}

fn is_parameter_store(op: &Op) -> bool {
    matches!(op, Op::St { space: Space::Param, .. })
}
