//! The text form: PTX.

mod instruction;

pub(super) use instruction::part_type;

use super::canonical::{CLASSES, local_name};
use super::inst::*;
use super::ir::{Block, Func, FuncKind, Inst, Linkage, Module, ParamKind, Reg, Variable, VariableData};
use super::names::Named;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let version = self.version.map_or(isa_version(self.sm).to_owned(), |(major, minor)| format!("{major}.{minor}"));
        writeln!(f, ".version {version}\n.target sm_{}{}", self.sm, self.target_options)?;
        if let Some(bits) = self.address_size {
            writeln!(f, ".address_size {bits}")?;
        }
        for directive in &self.directives {
            writeln!(f, "{directive}")?;
        }
        // functions come first: tables may hold their addresses
        let (declared, defined): (Vec<&Func>, Vec<&Func>) = self.funcs.iter().partition(|func| func.is_declaration());
        let ahead = defined.iter().filter(|func| func.kind == FuncKind::Function);
        for func in declared.iter().chain(ahead) {
            Printer::new(self, func).header(f)?;
            writeln!(f, ";")?;
        }
        for variable in self.variables.values().filter(|v| v.space != Space::Local) {
            write!(f, "\n{variable}")?;
        }
        if !self.variables.is_empty() {
            writeln!(f)?;
        }
        for func in defined {
            Printer::new(self, func).function(f)?;
        }
        self.sections.iter().try_for_each(|section| writeln!(f, "{section}"))
    }
}

/// The text of one instruction, or of a block's terminator, as a message quotes it.
pub fn instruction_text(module: &Module, func: &Func, block: Block, inst: Option<Inst>) -> String {
    Quotes::new(module, func).line(block, inst)
}

/// Quotes many lines of a function.
pub struct Quotes<'a>(Printer<'a>);

impl<'a> Quotes<'a> {
    pub fn new(module: &'a Module, func: &'a Func) -> Self {
        Self(Printer::new(module, func))
    }

    /// An instruction, or the block's terminator.
    pub fn line(&self, block: Block, inst: Option<Inst>) -> String {
        struct Line<'a, 'b>(&'b Printer<'a>, Block, Option<Inst>);
        impl Display for Line<'_, '_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self.2 {
                    Some(inst) => self.0.instruction(f, &self.0.func.insts[inst]),
                    None => self.0.terminator(f, self.1, None),
                }
            }
        }
        Line(&self.0, block, inst).to_string().trim().to_owned()
    }

    pub fn register(&self, reg: Reg) -> String {
        self.0.reg(reg)
    }
}

/// The local variables that a function declares: those that it mentions; the first body also declares the others.
pub(super) fn locals<'a>(module: &'a Module, func: &Func) -> impl Iterator<Item = Variable> + use<'a> {
    let any = module.variables.values().any(|data| data.space == Space::Local);
    let first = module.funcs.iter().find(|f| !f.is_declaration()).is_some_and(|f| f.name == func.name);
    let own = if any { mentioned(func) } else { BTreeSet::new() };
    let others: BTreeSet<Variable> = match any && first {
        true => module.funcs.iter().filter(|f| f.name != func.name).flat_map(mentioned).collect(),
        false => BTreeSet::new(),
    };
    let declares = move |v: Variable| own.contains(&v) || first && !others.contains(&v);
    module.variables.iter().filter(move |(v, d)| d.space == Space::Local && declares(*v)).map(|(v, _)| v)
}

/// The variables in a function's operands and addresses.
pub fn mentioned(func: &Func) -> BTreeSet<Variable> {
    let mut found = BTreeSet::new();
    for data in func.insts.values() {
        data.op.operands(|operand| {
            if let Operand::Variable(variable) = operand {
                found.insert(variable);
            }
        });
    }
    found
}

/// The oldest PTX ISA version that knows the architecture and all instructions of the IR.
pub(super) fn isa_version(sm: u32) -> &'static str {
    match sm {
        ..70 => "6.0",
        70..75 => "6.1",
        75..80 => "6.3",
        80..86 => "7.0",
        86..87 => "7.1",
        87..100 => "7.8",
        103 | 121 => "8.8",
        100..=119 => "8.6",
        _ => "8.7",
    }
}

/// The prefixes of registers' names, as CUDA compilers choose them.
const PREFIXES: [&str; CLASSES.len()] = ["%p", "%rs", "%r", "%rd", "%f", "%fd", "%rq"];

fn class(ty: Type) -> usize {
    CLASSES.iter().position(|class| *class == ty.class()).expect("each class is in the list")
}

struct Printer<'a> {
    module: &'a Module,
    func: &'a Func,
    /// The prefix of each register's class and its number in the class.
    names: SecondaryMap<Reg, (&'static str, u32)>,
}

impl<'a> Printer<'a> {
    fn new(module: &'a Module, func: &'a Func) -> Self {
        let mut counts = [0; CLASSES.len()];
        let mut names = SecondaryMap::with_default(("", 0));
        for (reg, ty) in func.regs.iter() {
            let class = class(*ty);
            counts[class] += 1;
            names[reg] = (PREFIXES[class], counts[class]);
        }
        Self { module, func, names }
    }

    /// Everything before the body.
    fn header(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let func = self.func;
        let linkage = func.linkage.name();
        match func.kind {
            FuncKind::Entry => write!(f, "\n{linkage}.entry ")?,
            FuncKind::Function => write!(f, "\n{linkage}.func ")?,
        }
        if func.params_of(ParamKind::Return).next().is_some() {
            self.params(f, ParamKind::Return)?;
            write!(f, " ")?;
        }
        write!(f, "{}", func.name)?;
        self.params(f, ParamKind::Input)?;
        writeln!(f)?;
        if let Some([x, y, z]) = func.threads {
            writeln!(f, ".reqntid {x}, {y}, {z}")?;
        }
        func.directives.iter().try_for_each(|directive| writeln!(f, "{directive}"))
    }

    fn params(&self, f: &mut Formatter<'_>, kind: ParamKind) -> fmt::Result {
        write!(f, "(")?;
        for (i, (_, param)) in self.func.params_of(kind).enumerate() {
            let separator = if i == 0 { "" } else { "," };
            write!(f, "{separator}\n\t.param ")?;
            if let Some(align) = param.align {
                write!(f, ".align {align} ")?;
            }
            write!(f, "{}{} {}", param.ty, param.attributes, param.name)?;
            if let Some(count) = param.count {
                write!(f, "[{count}]")?;
            }
        }
        write!(f, "\n)")
    }

    fn function(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.header(f)?;
        writeln!(f, "{{")?;
        for variable in locals(self.module, self.func) {
            let inside = VariableData { linkage: Linkage::Internal, ..self.module.variables[variable].clone() };
            writeln!(f, "\t{inside}")?;
        }
        for (index, ty) in CLASSES.iter().enumerate() {
            let count = self.func.regs.values().filter(|t| class(**t) == index).count();
            if count > 0 {
                writeln!(f, "\t.reg {ty} {}<{}>;", PREFIXES[index], count + 1)?;
            }
        }
        for (param, data) in self.func.params_of(ParamKind::Local) {
            let align = data.align.map_or(String::new(), |align| format!(".align {align} "));
            let extent = data.count.map_or(String::new(), |count| format!("[{count}]"));
            writeln!(f, "\t.param {align}{} {}{extent};", data.ty, local_name(param.index()))?;
        }
        for (name, text) in &self.func.prototypes {
            writeln!(f, "\t{name}: {text};")?;
        }
        for (i, block) in self.func.layout.iter().enumerate() {
            writeln!(f, "{}:", label(*block))?;
            for inst in &self.func.blocks[*block].insts {
                if let Some(comment) = self.func.comments.get(inst) {
                    for line in comment.lines() {
                        writeln!(f, "\t// {line}")?;
                    }
                }
                write!(f, "\t")?;
                self.instruction(f, &self.func.insts[*inst])?;
                writeln!(f)?;
            }
            self.terminator(f, *block, self.func.layout.get(i + 1).copied())?;
        }
        writeln!(f, "}}")
    }

    fn terminator(&self, f: &mut Formatter<'_>, block: Block, next: Option<Block>) -> fmt::Result {
        match &self.func.blocks[block].terminator {
            Terminator::Bra { target } if Some(*target) == next => Ok(()),
            Terminator::Bra { target } => writeln!(f, "\tbra.uni {};", label(*target)),
            Terminator::CondBra { guard, uni, then, otherwise } => {
                write!(f, "\t")?;
                self.guard(f, *guard)?;
                writeln!(f, "bra{} {};", if *uni { ".uni" } else { "" }, label(*then))?;
                if Some(*otherwise) != next {
                    writeln!(f, "\tbra.uni {};", label(*otherwise))?;
                }
                Ok(())
            }
            Terminator::Brx { index, targets } => {
                let table = format!("$table_{}", block.as_u32());
                let targets: Vec<String> = targets.iter().map(|t| label(*t)).collect();
                writeln!(f, "\t{table}: .branchtargets {};", targets.join(", "))?;
                writeln!(f, "\tbrx.idx {}, {table};", self.reg(*index))
            }
            Terminator::Ret => writeln!(f, "\tret;"),
            Terminator::Exit => writeln!(f, "\texit;"),
        }
    }

    fn guard(&self, f: &mut Formatter<'_>, guard: Guard) -> fmt::Result {
        write!(f, "@{} ", self.predicate(guard))
    }

    fn predicate(&self, guard: Guard) -> String {
        format!("{}{}", if guard.negate { "!" } else { "" }, self.reg(guard.pred))
    }

    fn reg(&self, reg: Reg) -> String {
        let (prefix, number) = self.names[reg];
        format!("{prefix}{number}")
    }
}

fn label(block: Block) -> String {
    format!("$BB_{}", block.as_u32())
}
