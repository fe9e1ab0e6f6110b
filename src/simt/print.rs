//! The text form: PTX.

use super::inst::*;
use super::ir::{Block, Func, Inst, Module, Reg, Variable, VariableData};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let version = self.version.map_or(isa_version(self.sm).to_owned(), |(major, minor)| format!("{major}.{minor}"));
        writeln!(f, ".version {version}\n.target sm_{}\n.address_size 64", self.sm)?;
        for variable in self.variables.values().filter(|v| v.space != Space::Local) {
            write!(f, "\n{variable}")?;
        }
        if !self.variables.is_empty() {
            writeln!(f)?;
        }
        for func in &self.funcs {
            Printer { module: self, func, names: names(func) }.function(f)?;
        }
        Ok(())
    }
}

/// The text of one instruction, or of a block's terminator, as a message quotes it.
pub(crate) fn instruction_text(module: &Module, func: &Func, block: Block, inst: Option<Inst>) -> String {
    struct Line<'a>(Printer<'a>, Block, Option<Inst>);
    impl Display for Line<'_> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            match self.2 {
                Some(inst) => self.0.instruction(f, &self.0.func.insts[inst]),
                None => self.0.terminator(f, self.1, None),
            }
        }
    }
    Line(Printer { module, func, names: names(func) }, block, inst).to_string().trim().to_owned()
}

/// The local variables that a function declares: those that it mentions; the first function also declares the others.
fn locals<'a>(module: &'a Module, func: &Func) -> impl Iterator<Item = &'a VariableData> {
    let first = module.funcs.first().is_some_and(|f| f.name == func.name);
    let own = mentioned(func);
    let others: BTreeSet<Variable> = module.funcs.iter().filter(|f| f.name != func.name).flat_map(mentioned).collect();
    let declares = move |v: Variable| own.contains(&v) || first && !others.contains(&v);
    module.variables.iter().filter(move |(v, d)| d.space == Space::Local && declares(*v)).map(|(_, data)| data)
}

/// The variables in a function's operands and addresses.
fn mentioned(func: &Func) -> BTreeSet<Variable> {
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
        100..120 => "8.6",
        _ => "8.7",
    }
}

/// Every register's name: the prefix of its class and its number in the class, both as CUDA compilers choose them.
fn names(func: &Func) -> SecondaryMap<Reg, (&'static str, u32)> {
    let mut counts = [0; 4];
    let mut names = SecondaryMap::with_default(("", 0));
    for (reg, ty) in func.regs.iter() {
        let class = class(*ty);
        counts[class] += 1;
        names[reg] = (CLASSES[class].0, counts[class]);
    }
    names
}

const CLASSES: [(&str, &str); 4] = [("%p", ".pred"), ("%r", ".b32"), ("%rd", ".b64"), ("%fd", ".f64")];

fn class(ty: Type) -> usize {
    match ty {
        Type::Pred => 0,
        Type::B32 | Type::U32 | Type::S32 => 1,
        Type::B64 | Type::U64 | Type::S64 => 2,
        Type::F64 => 3,
    }
}

struct Printer<'a> {
    module: &'a Module,
    func: &'a Func,
    names: SecondaryMap<Reg, (&'static str, u32)>,
}

impl Printer<'_> {
    fn function(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\n.visible .entry {}(", self.func.name)?;
        for (i, param) in self.func.params.values().enumerate() {
            let separator = if i == 0 { "" } else { "," };
            write!(f, "{separator}\n\t.param {} {}", param.ty, param.name)?;
        }
        writeln!(f, "\n)")?;
        if let Some(threads) = self.func.threads {
            writeln!(f, ".reqntid {threads}, 1, 1")?;
        }
        for directive in &self.func.directives {
            writeln!(f, "{directive}")?;
        }
        writeln!(f, "{{")?;
        for variable in locals(self.module, self.func) {
            writeln!(f, "\t{variable}")?;
        }
        for (index, (prefix, ty)) in CLASSES.iter().enumerate() {
            let count = self.func.regs.values().filter(|t| class(**t) == index).count();
            if count > 0 {
                writeln!(f, "\t.reg {ty} {prefix}<{}>;", count + 1)?;
            }
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

    fn instruction(&self, f: &mut Formatter<'_>, data: &InstData) -> fmt::Result {
        if let Some(guard) = data.guard {
            self.guard(f, guard)?;
        }
        match &data.op {
            Op::Unary { op, ty, dst, a } => {
                let mnemonic = match op {
                    UnaryOp::Mov => "mov",
                    UnaryOp::Neg => "neg",
                    UnaryOp::Not => "not",
                    UnaryOp::Abs => "abs",
                    UnaryOp::Rcp => "rcp.rn",
                    UnaryOp::Sqrt => "sqrt.rn",
                    UnaryOp::CvtaToGlobal => "cvta.to.global",
                };
                let ty = bits_if(*op == UnaryOp::Not, *ty);
                write!(f, "{mnemonic}{ty} {}, {};", self.reg(*dst), self.operand(*a, ty))
            }
            Op::Binary { op, ty, dst, a, b } => {
                let ty = bits_if(matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl), *ty);
                // a shift counts in 32 bits, whatever it shifts
                let b_ty = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { Type::U32 } else { ty };
                let (a, b) = (self.operand(*a, ty), self.operand(*b, b_ty));
                write!(f, "{}{ty} {}, {a}, {b};", binary_mnemonic(*op, ty), self.reg(*dst))
            }
            Op::Ternary { op, ty, dst, a, b, c } => {
                let (mnemonic, c_ty) = match op {
                    TernaryOp::Fma => ("fma.rn", *ty),
                    TernaryOp::Mad => ("mad.lo", *ty),
                    TernaryOp::MadWide => ("mad.wide", Type::U64),
                    TernaryOp::Bfe => ("bfe", Type::U32),
                };
                let b_ty = if *op == TernaryOp::Bfe { c_ty } else { *ty };
                let (a, b, c) = (self.operand(*a, *ty), self.operand(*b, b_ty), self.operand(*c, c_ty));
                write!(f, "{mnemonic}{ty} {}, {a}, {b}, {c};", self.reg(*dst))
            }
            Op::Setp { cmp, ty, dst, a, b } => {
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                write!(f, "setp.{}{ty} {}, {a}, {b};", cmp_name(*cmp), self.reg(*dst))
            }
            Op::Selp { ty, dst, a, b, pred } => {
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                write!(f, "selp{ty} {}, {a}, {b}, {};", self.reg(*dst), self.reg(*pred))
            }
            Op::Cvt { rounding, to, from, dst, a } => {
                let rounding = match rounding {
                    Rounding::None => "",
                    Rounding::Rn => ".rn",
                    Rounding::Rni => ".rni",
                    Rounding::Rzi => ".rzi",
                };
                write!(f, "cvt{rounding}{to}{from} {}, {};", self.reg(*dst), self.operand(*a, *from))
            }
            Op::Pack { dst, lo, hi } => {
                write!(f, "mov.b64 {}, {{{}, {}}};", self.reg(*dst), self.reg(*lo), self.reg(*hi))
            }
            Op::Unpack { lo, hi, src } => {
                write!(f, "mov.b64 {{{}, {}}}, {};", self.reg(*lo), self.reg(*hi), self.reg(*src))
            }
            Op::Ld { space, read_only, ty, dst, addr } => {
                let path = if *read_only { ".nc" } else { "" };
                write!(f, "ld{space}{path}{ty} {}, {};", self.reg(*dst), self.address(*addr))
            }
            Op::St { space, ty, addr, src } => {
                write!(f, "st{space}{ty} {}, {};", self.address(*addr), self.operand(*src, *ty))
            }
            Op::Shfl { mode, dst, src, lane, clamp } => {
                let mode = match mode {
                    ShflMode::Idx => "idx",
                    ShflMode::Up => "up",
                    ShflMode::Down => "down",
                    ShflMode::Bfly => "bfly",
                };
                let (sync, mask) = self.convergence();
                let (dst, src, lane) = (self.reg(*dst), self.reg(*src), self.operand(*lane, Type::U32));
                let clamp = self.operand(*clamp, Type::U32);
                write!(f, "shfl{sync}.{mode}.b32 {dst}, {src}, {lane}, {clamp}{mask};")
            }
            Op::Vote { mode, dst, pred, negate } => {
                let mode = match mode {
                    VoteMode::All => "all.pred",
                    VoteMode::Any => "any.pred",
                    VoteMode::Uni => "uni.pred",
                    VoteMode::Ballot => "ballot.b32",
                };
                let (sync, mask) = self.convergence();
                let not = if *negate { "!" } else { "" };
                write!(f, "vote{sync}.{mode} {}, {not}{}{mask};", self.reg(*dst), self.reg(*pred))
            }
            Op::Bar { kind, id, threads } => {
                let kind = match kind {
                    BarKind::Sync => "sync",
                    BarKind::Arrive => "arrive",
                };
                match threads {
                    Some(threads) => write!(f, "bar.{kind} {id}, {threads};"),
                    None => write!(f, "bar.{kind} {id};"),
                }
            }
            Op::Bfi { ty, dst, a, b, pos, len } => {
                let (a, b) = (self.operand(*a, *ty), self.operand(*b, *ty));
                let (pos, len) = (self.operand(*pos, Type::U32), self.operand(*len, Type::U32));
                write!(f, "bfi{ty} {}, {a}, {b}, {pos}, {len};", self.reg(*dst))
            }
            Op::Opaque { opcode, pieces } => {
                write!(f, "{opcode}")?;
                for piece in pieces {
                    match piece {
                        Piece::Reg(reg) => write!(f, " {}", self.reg(*reg))?,
                        Piece::Text(text) => write!(f, " {text}")?,
                    }
                }
                write!(f, ";")
            }
        }
    }

    fn terminator(&self, f: &mut Formatter<'_>, block: Block, next: Option<Block>) -> fmt::Result {
        match &self.func.blocks[block].terminator {
            Terminator::Bra { target } if Some(*target) == next => Ok(()),
            Terminator::Bra { target } => writeln!(f, "\tbra.uni {};", label(*target)),
            Terminator::CondBra { guard, then, otherwise } => {
                write!(f, "\t")?;
                self.guard(f, *guard)?;
                writeln!(f, "bra {};", label(*then))?;
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
        }
    }

    fn guard(&self, f: &mut Formatter<'_>, guard: Guard) -> fmt::Result {
        write!(f, "@{}{} ", if guard.negate { "!" } else { "" }, self.reg(guard.pred))
    }

    fn reg(&self, reg: Reg) -> String {
        let (prefix, number) = self.names[reg];
        format!("{prefix}{number}")
    }

    fn operand(&self, operand: Operand, ty: Type) -> String {
        match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Imm(bits) => match ty {
                Type::F64 => format!("0d{bits:016X}"),
                Type::S32 => (bits as u32 as i32).to_string(),
                Type::S64 => (bits as i64).to_string(),
                Type::Pred => bits.to_string(),
                Type::B32 | Type::U32 => (bits as u32).to_string(),
                Type::B64 | Type::U64 => bits.to_string(),
            },
            Operand::Special(special) => match special {
                Special::TidX => "%tid.x",
                Special::NtidX => "%ntid.x",
                Special::CtaidX => "%ctaid.x",
                Special::NctaidX => "%nctaid.x",
                Special::TidY => "%tid.y",
                Special::TidZ => "%tid.z",
                Special::NtidY => "%ntid.y",
                Special::NtidZ => "%ntid.z",
                Special::CtaidY => "%ctaid.y",
                Special::CtaidZ => "%ctaid.z",
                Special::WarpId => "%warpid",
                Special::LaneId => "%laneid",
            }
            .to_owned(),
            Operand::Variable(variable) => self.module.variables[variable].name.clone(),
        }
    }

    fn address(&self, addr: Address) -> String {
        let base = match addr.base {
            Base::Reg(reg) => self.reg(reg),
            Base::Variable(variable) => self.module.variables[variable].name.clone(),
            Base::Param(param) => self.func.params[param].name.clone(),
        };
        match addr.offset {
            0 => format!("[{base}]"),
            offset => format!("[{base}+{offset}]"),
        }
    }

    /// From sm_70 on warp-wide instructions name the lanes that must meet there.
    fn convergence(&self) -> (&'static str, &'static str) {
        if self.module.sm >= 70 { (".sync", ", 0xffffffff") } else { ("", "") }
    }
}

fn label(block: Block) -> String {
    format!("$BB_{}", block.as_u32())
}

/// Bitwise instructions take untyped operands.
fn bits_if(bitwise: bool, ty: Type) -> Type {
    match (bitwise, ty) {
        (true, Type::U32 | Type::S32) => Type::B32,
        (true, Type::U64 | Type::S64) => Type::B64,
        _ => ty,
    }
}

fn binary_mnemonic(op: BinaryOp, ty: Type) -> &'static str {
    let real = ty == Type::F64;
    match op {
        BinaryOp::Add if real => "add.rn",
        BinaryOp::Sub if real => "sub.rn",
        BinaryOp::Mul if real => "mul.rn",
        BinaryOp::Div if real => "div.rn",
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul.lo",
        BinaryOp::MulWide => "mul.wide",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
    }
}

fn cmp_name(cmp: Cmp) -> &'static str {
    match cmp {
        Cmp::Eq => "eq",
        Cmp::Ne => "ne",
        Cmp::Lt => "lt",
        Cmp::Le => "le",
        Cmp::Gt => "gt",
        Cmp::Ge => "ge",
        Cmp::Equ => "equ",
        Cmp::Neu => "neu",
        Cmp::Ltu => "ltu",
        Cmp::Leu => "leu",
        Cmp::Gtu => "gtu",
        Cmp::Geu => "geu",
    }
}
