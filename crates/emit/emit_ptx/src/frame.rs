//! Declarations, parameters, and the variables that have a register or an address for the whole kernel.

use super::{Printer, functions};
use cranelift_entity::{EntityRef, SecondaryMap};
use graph::function_tables::POWERS;
use lower::code::*;
use overlay::program::Arithmetic;
use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Func, Init, Linkage, Module, Param, ParamData, Reg, Variable, VariableData};
use std::collections::BTreeMap;

/// Declares the kernel's variables and parameters.
pub(super) fn enter<'c>(code: &'c Code, module: &mut Module) -> Printer<'c> {
    let tables: BTreeMap<TableKind, Variable> =
        code.tables.iter().map(|table| (table.kind, declare_table(code, table, module))).collect();
    let slots = (code.slots.rows > 0).then(|| declare_slots(code, module));
    let spills = (code.spilled > 0).then(|| declare_spills(code, module));
    let shared_powers = (code.power_bytes > 0).then(|| declare_shared_powers(code, module));

    let mut func = Func::new(&code.symbol);
    func.threads = Some([32 * code.execution.warps(), 1, 1]);
    let scalar = code.arrays.len();
    let pointers = scalar + usize::from(code.slots.first_global.is_some());
    let types = (0..pointers).map(|_| Type::U64).chain([Type::U32; 2]);
    let param = |(i, ty)| ParamData::input(format!("{}_param_{i}", code.symbol), ty);
    func.params.extend(types.enumerate().map(param));

    let mut b = Builder::new(func);
    let array = |b: &mut Builder, i| {
        let pointer = b.load(Space::Param, false, Type::U64, Base::Param(Param::new(i)), 0);
        b.to_global(pointer)
    };
    let arrays = (0..scalar).map(|i| array(&mut b, i)).collect();
    let workspace = code.slots.first_global.map(|_| array(&mut b, scalar));
    let [points, stride] =
        [0, 1].map(|i| b.load(Space::Param, false, Type::U32, Base::Param(Param::new(pointers + i)), 0));
    let thread = b.mov(Type::U32, Operand::Special(Special::TidX));
    let bases = tables.iter().map(|(&kind, &variable)| (kind, base(&mut b, kind, variable, thread))).collect();
    let slots_base = slots.map(|variable| {
        let ty = if code.slots.space == SlotSpace::Shared { Type::U32 } else { Type::U64 };
        b.mov(ty, Operand::Variable(variable))
    });
    let own = (0..code.points_per_lane).map(|_| (b.reg(Type::U64), b.reg(Type::Pred))).collect();
    Printer {
        code,
        builder: b,
        arrays,
        points,
        stride,
        thread,
        function_tables: functions::Tables { powers: None, logarithms: tables.get(&TableKind::Logarithms).copied() },
        tables,
        slots,
        shared_powers,
        bases,
        shared_banks: BTreeMap::new(),
        slots_base,
        spills,
        workspace,
        global_column: None,
        own_slots: None,
        warp_bit: None,
        columns: BTreeMap::new(),
        own,
        vars: SecondaryMap::new(),
        counters: BTreeMap::new(),
        locals: BTreeMap::from([(Local::Stride, stride.into())]),
        reals: BTreeMap::new(),
        indices: BTreeMap::new(),
        known: super::Known::default(),
    }
}

pub(super) fn has_matrix_products(code: &Code) -> bool {
    let is_column =
        |statement: &Statement| matches!(statement, Statement::DefineInteger { local: Local::ReadColumn, .. });
    code.prologue.iter().any(is_column)
}

fn declare_table(code: &Code, table: &Table, module: &mut Module) -> Variable {
    let (align, bytes, init) = match &table.values {
        Values::Reals(values) => match code.arithmetic {
            Arithmetic::Double => (8, 8 * values.len() as u64, Init::F64(values.clone())),
            Arithmetic::Single { .. } => {
                (4, 4 * values.len() as u64, Init::F32(values.iter().map(|&x| x as f32).collect()))
            }
        },
        Values::Integers(values) => (4, 4 * values.len() as u64, Init::S32(values.clone())),
    };
    let name = format!("{}_{}", code.symbol, table.kind.name());
    let space = if table.is_constant { Space::Const } else { Space::Global };
    module.variables.push(VariableData { name, linkage: Linkage::Internal, space, align, bytes, init })
}

fn declare_slots(code: &Code, module: &mut Module) -> Variable {
    let Slots { rows, pitch, number, space, .. } = code.slots;
    let space = if space == SlotSpace::Shared { Space::Shared } else { Space::Local };
    let (name, bytes) = (format!("{}_slots", code.symbol), number.bytes() * u64::from(pitch) * u64::from(rows));
    module.variables.push(VariableData { name, linkage: Linkage::Internal, space, align: 8, bytes, init: Init::None })
}

fn declare_spills(code: &Code, module: &mut Module) -> Variable {
    let (name, bytes) = (format!("{}_spills", code.symbol), 8 * u64::from(code.spilled));
    let space = Space::Local;
    module.variables.push(VariableData { name, linkage: Linkage::Internal, space, align: 8, bytes, init: Init::None })
}

fn declare_shared_powers(code: &Code, module: &mut Module) -> Variable {
    let (name, bytes) = (format!("{}_shared_powers", code.symbol), code.power_bytes.into());
    let space = Space::Shared;
    module.variables.push(VariableData { name, linkage: Linkage::Internal, space, align: 8, bytes, init: Init::None })
}

/// The address of a table, or of the thread's first entry of a striped one.
fn base(b: &mut Builder, kind: TableKind, variable: Variable, thread: Reg) -> Reg {
    let start = b.mov(Type::U64, Operand::Variable(variable));
    match kind {
        TableKind::Reals => b.ternary(TernaryOp::MadWide, Type::U32, thread, 8, start),
        TableKind::Indices => b.ternary(TernaryOp::MadWide, Type::U32, thread, 4, start),
        TableKind::RealBank | TableKind::IndexBank | TableKind::Logarithms | TableKind::Powers => start,
    }
}

impl Printer<'_> {
    /// Takes the value of a variable, with what is often made of it.
    pub(super) fn define(&mut self, local: Local, value: Operand) {
        self.locals.insert(local, value);
        let b = &mut self.builder;
        match local {
            Local::Warp => {
                let one = b.mov(Type::B32, 1);
                self.warp_bit = Some(b.binary(BinaryOp::Shl, Type::B32, one, value));
            }
            Local::Lane | Local::ReadColumn | Local::WriteColumn | Local::OtherColumn => {
                if let (Local::Lane, Some(start)) = (local, self.workspace) {
                    self.global_column = Some(self.own_part(start, value));
                }
                let b = &mut self.builder;
                if let (SlotSpace::Shared, Some(start)) = (self.code.slots.space, self.own_slots.or(self.slots_base)) {
                    let bytes = self.code.slots.number.bytes() as u32;
                    self.columns.insert(local, b.ternary(TernaryOp::Mad, Type::U32, value, bytes, start));
                }
            }
            Local::WarpGroup => {
                let bytes = self.code.rows_apart()[0] * self.code.slots.row_bytes();
                self.own_slots = self.slots_base.map(|start| b.ternary(TernaryOp::Mad, Type::U32, value, bytes, start));
            }
            Local::Point(point) => {
                let (to, from, dst) = (Type::U64, Type::U32, self.own[point as usize].0);
                b.push(Op::Cvt { mode: Mode::default(), to, from, dst, a: value });
            }
            _ => {}
        }
    }

    /// The address of the lane's column in the first of the rows that the workspace has for the warp's group.
    fn own_part(&mut self, start: Reg, lane: Operand) -> Reg {
        let [_, rows] = self.code.rows_apart();
        let groups = self.code.execution.warp_groups();
        let (bytes, number) = (self.code.slots.global_row_bytes(), self.code.slots.number.bytes());
        let group = self.locals.get(&Local::WarpGroup).copied();
        let b = &mut self.builder;
        let cta = b.mov(Type::U32, Operand::Special(Special::CtaidX));
        let part = match group {
            Some(group) => b.ternary(TernaryOp::Mad, Type::U32, cta, groups, group),
            None => cta,
        };
        let own = b.ternary(TernaryOp::MadWide, Type::U32, part, rows * bytes as u32, start);
        b.ternary(TernaryOp::MadWide, Type::U32, lane, number as u32, own)
    }

    pub(super) fn copy_powers(&mut self) {
        let variable = self.shared_powers.expect("a program that reads the table has room for it");
        let to = self.builder.mov(Type::U32, Operand::Variable(variable));
        self.copy(Type::F64, self.bases[&TableKind::Powers], to, POWERS as u32);
        self.builder.push(Op::bar(BarKind::Sync, 0, None));
        self.function_tables.powers = Some(to);
    }

    pub(super) fn declare_stripe(&mut self, stripe: Stripe) {
        let b = &mut self.builder;
        match stripe {
            Stripe::Real(register) => drop(self.reals.insert(register, (b.reg(Type::B32), b.reg(Type::B32)))),
            Stripe::Index(register) => drop(self.indices.insert(register, b.reg(Type::B32))),
        }
    }

    pub(super) fn load_stripe(&mut self, stripe: Stripe, first: u32) {
        let (b, base) = (&mut self.builder, Base::Reg(self.bases[&stripe.table()]));
        match stripe {
            Stripe::Real(register) => {
                let src = b.load(Space::Global, true, Type::F64, base, 8 * i64::from(first));
                let (lo, hi) = self.reals[&register];
                b.push(Op::Unpack { ty: Type::B64, parts: vec![Some(lo), Some(hi)], src: src.into() });
            }
            Stripe::Index(register) => {
                let addr = Address { base, offset: 4 * i64::from(first) };
                b.push(Op::load(Space::Global, true, Type::B32, self.indices[&register], addr));
            }
        }
    }

    pub(super) fn copy_bank(&mut self, bank: TableKind, row: u32, entries: u32) {
        let ty = if bank == TableKind::RealBank { self.ty() } else { Type::B32 };
        let start = self.slots_base.expect("banks in shared memory lie behind the slots");
        let to = self.builder.binary(BinaryOp::Add, Type::U32, start, row * self.code.slots.row_bytes());
        self.copy(ty, self.bases[&bank], to, entries);
        self.shared_banks.insert(bank, to);
    }

    /// All threads of the CTA copy a table from global to shared memory.
    fn copy(&mut self, ty: Type, from: Reg, to: Reg, entries: u32) {
        let threads = 32 * self.code.execution.warps();
        let i = self.builder.mov(Type::U32, self.thread);
        let (head, body, exit) = (self.builder.block(), self.builder.block(), self.builder.block());
        self.end(Terminator::Bra { target: head }, head);
        let done = self.builder.setp(Cmp::Ge, Type::U32, i, entries);
        self.end(super::branch(done, false, exit, body), body);
        let b = &mut self.builder;
        let source = b.ternary(TernaryOp::MadWide, Type::U32, i, ty.bytes(), from);
        let target = b.ternary(TernaryOp::Mad, Type::U32, i, ty.bytes(), to);
        let value = b.load(Space::Global, true, ty, Base::Reg(source), 0);
        b.push(Op::store(Space::Shared, ty, Address { base: Base::Reg(target), offset: 0 }, value));
        b.push(super::add(i, threads.into()));
        self.end(Terminator::Bra { target: head }, exit);
    }
}
