//! Rules that every module must satisfy, however it was made: checked after each pass, and of any text that was read.
//!
//! Registers, blocks, variables and parameters exist; operands have the widths that their instructions want; blocks stand in
//! the layout once; calls pass as many parameters as their functions take. Opaque instructions are taken as they are.

use super::inst::*;
use super::ir::{Block, Func, FuncKind, Inst, Module, Param, ParamKind, Reg};
use super::print::instruction_text;
use super::visit::Part;
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

/// A rule that a module breaks, with the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub func: String,
    /// The text of the instruction, or of a block's end.
    pub place: String,
    /// Where it stands in the text that was read.
    pub line: Option<u32>,
    pub rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A register, variable or parameter that is not declared.
    Undeclared,
    /// An operand or a result whose register has another width, or is a predicate where data is wanted or the reverse.
    Width,
    /// A guard or a condition that is no predicate.
    Guard,
    /// A branch to a block that does not stand in the layout.
    Target,
    /// A block that stands in the layout twice, or does not exist.
    Layout,
    /// A vector of a length that no instruction has.
    Vector,
    /// A load or store whose address cannot belong to its space.
    Space,
    /// A call with another number of arguments or results than the function has, or of nothing.
    Call,
    /// `exit`, or a parameter to return, where it cannot stand.
    Kind,
    /// Two functions, or two variables, of one name.
    Name,
    /// An instruction that the module's architecture does not have.
    Machine,
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = match self.rule {
            Rule::Undeclared => "names what is not declared",
            Rule::Width => "has a register of another width or kind",
            Rule::Guard => "depends on what is no predicate",
            Rule::Target => "goes to a block outside the layout",
            Rule::Layout => "has a wrong layout",
            Rule::Vector => "has a vector of a length that does not exist",
            Rule::Space => "has an address of another space",
            Rule::Call => "does not fit the function that it calls",
            Rule::Kind => "cannot stand in this kind of function",
            Rule::Name => "has a name that is taken",
            Rule::Machine => "does not exist on this architecture",
        };
        write!(f, "{}, `{}`: {text}", self.func, self.place)
    }
}

/// All faults of a module, in the order of its text.
pub fn check(module: &Module) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut names = BTreeSet::new();
    for name in module.variables.values().map(|v| &v.name).chain(module.funcs.iter().map(|f| &f.name)) {
        if !names.insert(name) {
            faults.push(Fault { func: name.clone(), place: String::new(), line: None, rule: Rule::Name });
        }
    }
    for func in &module.funcs {
        let mut checker = Checker { module, func, faults: Vec::new() };
        checker.function();
        faults.append(&mut checker.faults);
    }
    faults
}

/// The first architecture whose tensor cores take doubles.
pub const TENSOR_DOUBLES: u32 = 80;

/// The first architecture whose tensor cores take 16 rows of them.
const TALL_DOUBLES: u32 = 90;

struct Checker<'a> {
    module: &'a Module,
    func: &'a Func,
    faults: Vec<Fault>,
}

impl Checker<'_> {
    fn function(&mut self) {
        let name = self.func.name.clone();
        if self.func.kind == FuncKind::Entry && self.func.params_of(ParamKind::Return).next().is_some() {
            self.faults.push(Fault { func: name.clone(), place: String::new(), line: None, rule: Rule::Kind });
        }
        let mut placed = BTreeSet::new();
        for block in &self.func.layout {
            if !self.func.blocks.is_valid(*block) || !placed.insert(*block) {
                self.faults.push(Fault {
                    func: name.clone(),
                    place: block.to_string(),
                    line: None,
                    rule: Rule::Layout,
                });
                return;
            }
        }
        for block in &self.func.layout {
            for inst in &self.func.blocks[*block].insts {
                for rule in self.instruction(*inst) {
                    self.fault(*block, Some(*inst), rule);
                }
            }
            let terminator = &self.func.blocks[*block].terminator;
            if terminator.targets().iter().any(|target| !placed.contains(target)) {
                self.fault(*block, None, Rule::Target);
            }
            match terminator {
                Terminator::CondBra { guard, .. } if !self.is(guard.pred, Type::Pred) => {
                    self.fault(*block, None, Rule::Guard);
                }
                Terminator::Brx { index, .. } if !self.is(*index, Type::B32) => {
                    self.fault(*block, None, Rule::Width);
                }
                _ => {}
            }
        }
    }

    fn fault(&mut self, block: Block, inst: Option<Inst>, rule: Rule) {
        // an undeclared name has no text
        let place = match rule {
            Rule::Undeclared | Rule::Target => block.to_string(),
            _ => instruction_text(self.module, self.func, block, inst),
        };
        let line = self.func.lines.line(block, inst);
        self.faults.push(Fault { func: self.func.name.clone(), place, line, rule });
    }

    fn instruction(&self, inst: Inst) -> Vec<Rule> {
        let InstData { guard, op } = &self.func.insts[inst];
        let mut rules = Vec::new();
        let mut declared = guard.is_none_or(|guard| self.has(guard.pred));
        op.parts(|part| {
            declared &= match part {
                Part::Def(reg) | Part::Use(reg) | Part::Touch(reg) | Part::Read(Operand::Reg(reg)) => self.has(*reg),
                Part::Read(Operand::Variable(variable)) => self.module.variables.is_valid(*variable),
                Part::Read(Operand::Param(param)) => self.func.params.is_valid(*param),
                Part::At(addr) => match addr.base {
                    Base::Reg(reg) => self.has(reg),
                    Base::Variable(variable) => self.module.variables.is_valid(variable),
                    Base::Param(param) => self.func.params.is_valid(param),
                },
                Part::Pass(param) => self.func.params.is_valid(*param),
                Part::Read(_) => true,
            };
        });
        if !declared {
            return vec![Rule::Undeclared];
        }
        if guard.is_some_and(|guard| !self.is(guard.pred, Type::Pred)) {
            rules.push(Rule::Guard);
        }
        if !self.widths(op) {
            rules.push(Rule::Width);
        }
        match op {
            Op::Ld { dst, .. } if !matches!(dst.len(), 1 | 2 | 4 | 8) => rules.push(Rule::Vector),
            Op::St { src, .. } if !matches!(src.len(), 1 | 2 | 4 | 8) => rules.push(Rule::Vector),
            Op::Ld { space, addr, .. } | Op::St { space, addr, .. } if !self.belongs(*space, addr) => {
                rules.push(Rule::Space);
            }
            Op::Atom { space, addr, .. } if !self.belongs(*space, addr) => rules.push(Rule::Space),
            Op::Call { callee: Callee::Func(name), results, arguments, .. } if !self.fits(name, results, arguments) => {
                rules.push(Rule::Call);
            }
            Op::Mma { a, .. } if self.module.sm < if a.len() > 1 { TALL_DOUBLES } else { TENSOR_DOUBLES } => {
                rules.push(Rule::Machine);
            }
            _ => {}
        }
        rules
    }

    /// Whether all registers have the widths that the instruction wants. Loads, stores and conversions take wider ones.
    fn widths(&self, op: &Op) -> bool {
        match op {
            Op::Unary { op, ty, dst, a, .. } => self.is(*dst, op.result(*ty)) && self.reads(*a, *ty),
            Op::Binary { op, ty, dst, a, b, .. } => {
                self.is(*dst, op.result(*ty)) && self.reads(*a, *ty) && self.reads(*b, op.second(*ty))
            }
            Op::Ternary { op, ty, dst, a, b, c, .. } => {
                let types = op.operands(*ty);
                let sources = [*a, *b, *c].into_iter().zip(types).all(|(x, ty)| self.reads(x, ty));
                self.is(*dst, op.result(*ty)) && sources
            }
            Op::Carry { ty, dst, a, b, c, .. } => {
                self.is(*dst, *ty) && [Some(*a), Some(*b), *c].into_iter().flatten().all(|x| self.reads(x, *ty))
            }
            Op::Setp { ty, dst, other, a, b, combine, .. } => {
                let preds = other.iter().chain([dst]).chain(combine.iter().map(|(_, guard)| &guard.pred));
                preds.copied().collect::<Vec<_>>().into_iter().all(|p| self.is(p, Type::Pred))
                    && self.reads(*a, *ty)
                    && self.reads(*b, *ty)
            }
            Op::Selp { ty, dst, a, b, pred } => {
                let sources = self.reads(*a, *ty) && self.reads(*b, *ty);
                self.is(*dst, *ty) && sources && self.is(*pred, Type::Pred)
            }
            Op::Ld { ty, dst, .. } => dst.iter().all(|dst| self.holds(*dst, *ty)),
            Op::St { ty, src, .. } => src.iter().filter_map(|src| src.reg()).all(|src| self.holds(src, *ty)),
            Op::Cvt { to, from, dst, a, .. } => self.holds(*dst, *to) && a.reg().is_none_or(|a| self.holds(a, *from)),
            Op::Vote { mode, dst, pred, .. } => {
                let ty = if *mode == VoteMode::Ballot { Type::B32 } else { Type::Pred };
                self.is(*dst, ty) && self.is(pred.pred, Type::Pred)
            }
            Op::Mma { dst, a, b, c } => {
                let sources = a.iter().chain([b]).chain(c).all(|x| self.reads(*x, Type::F64));
                let elements = matches!(a.len(), 1 | 2) && dst.len() == 2 * a.len() && c.len() == dst.len();
                elements && dst.iter().all(|dst| self.is(*dst, Type::F64)) && sources
            }
            Op::Pack { ty, dst, parts } => {
                self.is(*dst, *ty) && parts.len() > 1 && (ty.bytes() as usize).is_multiple_of(parts.len())
            }
            Op::Unpack { ty, parts, src } => {
                self.reads(*src, *ty) && parts.len() > 1 && (ty.bytes() as usize).is_multiple_of(parts.len())
            }
            _ => true,
        }
    }

    fn has(&self, reg: Reg) -> bool {
        reg.index() < self.func.regs.len()
    }

    /// Whether the register has the size of the type, and is a predicate exactly if the type is.
    fn is(&self, reg: Reg, ty: Type) -> bool {
        self.has(reg) && self.func.regs[reg].class().bytes() == ty.class().bytes()
    }

    /// Whether the register is at least as wide.
    fn holds(&self, reg: Reg, ty: Type) -> bool {
        let own = self.func.regs[reg];
        own != Type::Pred && own.bytes() >= ty.bytes()
    }

    fn reads(&self, operand: Operand, ty: Type) -> bool {
        operand.reg().is_none_or(|reg| self.is(reg, ty))
    }

    /// Whether the address can lie in the space.
    fn belongs(&self, space: Space, addr: &Address) -> bool {
        match addr.base {
            Base::Reg(_) => true,
            Base::Param(_) => space == Space::Param,
            Base::Variable(variable) => {
                matches!(space, Space::Generic) || self.module.variables[variable].space == space
            }
        }
    }

    fn fits(&self, name: &str, results: &[Param], arguments: &[Param]) -> bool {
        self.module.func(name).is_some_and(|func| {
            func.kind == FuncKind::Function
                && func.params_of(ParamKind::Return).count() == results.len()
                && func.params_of(ParamKind::Input).count() == arguments.len()
        })
    }
}
