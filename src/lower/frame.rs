//! What a kernel sets up once per thread: tables, parameters, the thread's place, striped constants.

use super::functions::Tables;
use crate::graph::{exp2, log2};
use crate::overlay::program::{Constants, Execution, Program, Unary};
use cranelift_entity::EntityRef;
use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Func, Init, Linkage, Module, Param, ParamData, Reg, Variable, VariableData};

/// The registers and variables that the whole kernel uses.
pub(super) struct Frame {
    pub lane: Reg,
    pub warp: Reg,
    /// 1 << warp
    pub warp_bit: Reg,
    pub points: Reg,
    pub stride: Reg,
    /// The points of this lane in the current group.
    pub own: Vec<OwnPoint>,
    pub arrays: Vec<Reg>,
    /// Low and high words of the striped real constants.
    pub reals: Vec<(Reg, Reg)>,
    pub indices: Vec<Reg>,
    /// The addresses of the thread's first entries of the striped tables.
    pub stripes: Stripes,
    pub real_bank: Option<Table>,
    pub index_bank: Option<Table>,
    pub bank_space: Space,
    pub slots: Option<Table>,
    /// [`exp2::TABLE`] and [`log2::ENTRIES`], where the program reads them.
    pub tables: Tables,
    pub tensor: Option<Tensor>,
}

/// Addresses in slot 0 of what a lane reads of a right-hand matrix and writes of a result, in the first group of 8 points.
#[derive(Clone, Copy)]
pub(super) struct Tensor {
    pub read: Reg,
    pub write: [Reg; 2],
}

/// One of the lane's points.
pub(super) struct OwnPoint {
    /// Its number, at most that of the last point; 64 bits.
    pub point: Reg,
    pub exists: Reg,
}

/// A variable and a register with its address: of the lane's column, for shared slots.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub variable: Variable,
    pub base: Reg,
}

/// Declares the kernel's variables and parameters and builds the prologue.
pub(super) fn enter(program: &Program, module: &mut Module) -> (Builder, Frame) {
    let constants = &program.constants;
    let bank_space = if constants.in_constant_memory() { Space::Const } else { Space::Global };
    let mut declare = |name: &str, space, init: Init| {
        let (align, bytes) = match &init {
            Init::F64(values) => (8, 8 * values.len() as u64),
            Init::Bytes(values) => (1, values.len() as u64),
            Init::S32(values) => (4, 4 * values.len() as u64),
            Init::None | Init::Verbatim(..) => (8, slot_bytes(program)),
        };
        let name = format!("{}_{name}", program.symbol);
        (bytes > 0).then(|| {
            module.variables.push(VariableData { name, linkage: Linkage::Internal, space, align, bytes, init })
        })
    };
    let reals = declare("reals", Space::Global, Init::F64(constants.reals.clone()));
    let indices = declare("indices", Space::Global, Init::S32(constants.indices.clone()));
    let real_bank = declare("real_bank", bank_space, Init::F64(constants.real_bank.clone()));
    let index_bank = declare("index_bank", bank_space, Init::S32(constants.index_bank.clone()));
    let powers = if program.calls(Unary::reads_powers) { exp2::TABLE.to_vec() } else { Vec::new() };
    let powers = declare("powers", Space::Global, Init::F64(powers));
    let logarithms = if program.calls(Unary::reads_logarithms) {
        log2::ENTRIES.iter().flat_map(|&(c, l)| [c, l]).collect()
    } else {
        Vec::new()
    };
    let logarithms = declare("logarithms", Space::Global, Init::F64(logarithms));
    let slots = declare("slots", slot_space(program), Init::None);
    let mut declare_shared = |name: &str, rows: u32| {
        let (name, bytes) = (format!("{}_{name}", program.symbol), 256 * u64::from(rows));
        let data =
            VariableData { name, linkage: Linkage::Internal, space: Space::Shared, align: 8, bytes, init: Init::None };
        (rows > 0).then(|| module.variables.push(data))
    };
    let [real_rows, index_rows] = constants.shared_rows();
    let shared_reals = declare_shared("shared_reals", real_rows);
    let shared_indices = declare_shared("shared_indices", index_rows);

    let mut func = Func::new(&program.symbol);
    func.threads = Some([32 * program.execution.warps(), 1, 1]);
    let mut types = vec![Type::U64; program.arrays.len()];
    types.extend([Type::U32, Type::U32]);
    for (i, ty) in types.iter().enumerate() {
        func.params.push(ParamData::input(format!("{}_param_{i}", program.symbol), *ty));
    }
    let scalar = program.arrays.len();

    let mut b = Builder::new(func);
    let arrays = (0..scalar)
        .map(|i| {
            let pointer = b.load(Space::Param, false, Type::U64, Base::Param(Param::new(i)), 0);
            b.to_global(pointer)
        })
        .collect();
    let points = b.load(Space::Param, false, Type::U32, Base::Param(Param::new(scalar)), 0);
    let stride = b.load(Space::Param, false, Type::U32, Base::Param(Param::new(scalar + 1)), 0);
    let tid = b.mov(Type::U32, Operand::Special(Special::TidX));
    let warp = b.binary(BinaryOp::Shr, Type::U32, tid, 5);
    let lane = b.binary(BinaryOp::And, Type::B32, tid, 31);
    let one = b.mov(Type::B32, 1);
    let warp_bit = b.binary(BinaryOp::Shl, Type::B32, one, warp);

    let stripes = Stripes::new(&mut b, program.execution, reals, indices, tid);
    let (reals, indices) = stripes.load_kept(&mut b, program);
    let table = |b: &mut Builder, variable: Option<Variable>| {
        variable.map(|variable| Table { variable, base: b.mov(Type::U64, Operand::Variable(variable)) })
    };
    let mut real_bank = table(&mut b, real_bank);
    let mut index_bank = table(&mut b, index_bank);
    let mut bank_space = bank_space;
    if constants.shared {
        let threads = 32 * program.execution.warps();
        let reals = table(&mut b, shared_reals);
        let indices = table(&mut b, shared_indices);
        let copies = [
            (real_bank, reals, Type::F64, constants.real_bank.len()),
            (index_bank, indices, Type::B32, constants.index_bank.len()),
        ];
        for (from, to, ty, count) in copies {
            if let (Some(from), Some(to)) = (from, to) {
                copy(&mut b, from.base, to.base, ty, count as u32, (tid, threads));
            }
        }
        if reals.is_some() || indices.is_some() {
            b.push(Op::bar(BarKind::Sync, 0, None));
        }
        (real_bank, index_bank, bank_space) = (reals, indices, Space::Shared);
    }
    let slots = match program.execution {
        Execution::DataParallel { .. } => table(&mut b, slots),
        Execution::WarpSpecialized { .. } => slots.map(|variable| {
            let start = b.mov(Type::U32, Operand::Variable(variable));
            Table { variable, base: b.ternary(TernaryOp::Mad, Type::U32, lane, 8, start) }
        }),
    };
    let powers = powers.map(|table| {
        let start = b.mov(Type::U64, Operand::Variable(table));
        let entry = b.ternary(TernaryOp::MadWide, Type::U32, lane, 8, start);
        let value = b.load(Space::Global, true, Type::F64, Base::Reg(entry), 0);
        b.unpack(value)
    });
    let tensor = slots.filter(|_| program.has_matrix_products()).map(|slots| tensor(&mut b, slots.variable, lane));
    let own =
        (0..program.points_per_lane).map(|_| OwnPoint { point: b.reg(Type::U64), exists: b.reg(Type::Pred) }).collect();
    let frame = Frame {
        lane,
        warp,
        warp_bit,
        points,
        stride,
        own,
        arrays,
        reals,
        indices,
        stripes,
        real_bank,
        index_bank,
        bank_space,
        slots,
        tables: Tables { powers, logarithms },
        tensor,
    };
    (b, frame)
}

/// Column l/4 of the right-hand matrix in lane l, and columns 2 (l%4) and 2 (l%4) + 1 of the result, as points.
fn tensor(b: &mut Builder, slots: Variable, lane: Reg) -> Tensor {
    let start = b.mov(Type::U32, Operand::Variable(slots));
    let point = |place: Reg, b: &mut Builder| {
        let upper = b.binary(BinaryOp::Shr, Type::U32, place, 2);
        let point = b.binary(BinaryOp::Xor, Type::B32, place, upper);
        b.ternary(TernaryOp::Mad, Type::U32, point, 8, start)
    };
    let column = b.binary(BinaryOp::Shr, Type::U32, lane, 2);
    let read = point(column, b);
    let quarter = b.binary(BinaryOp::And, Type::B32, lane, 3);
    let first = b.binary(BinaryOp::Shl, Type::B32, quarter, 1);
    let second = b.binary(BinaryOp::Add, Type::U32, first, 1);
    Tensor { read, write: [point(first, b), point(second, b)] }
}

/// Where the slots lie.
pub(super) fn slot_space(program: &Program) -> Space {
    match program.execution {
        Execution::WarpSpecialized { .. } => Space::Shared,
        Execution::DataParallel { .. } => Space::Local,
    }
}

/// Per CTA in shared memory, per thread in local memory.
fn slot_bytes(program: &Program) -> u64 {
    let lanes = match program.execution {
        Execution::WarpSpecialized { .. } => program.pitch(),
        Execution::DataParallel { .. } => 1,
    };
    8 * u64::from(lanes) * u64::from(program.slots)
}

/// All threads of the CTA copy a table from global to shared memory.
fn copy(b: &mut Builder, from: Reg, to: Reg, ty: Type, count: u32, (tid, threads): (Reg, u32)) {
    let i = b.mov(Type::U32, tid);
    let (head, body, exit) = (b.block(), b.block(), b.block());
    b.end(Terminator::Bra { target: head }, head);
    let done = b.setp(Cmp::Ge, Type::U32, i, count);
    b.end(Terminator::CondBra { guard: Guard { pred: done, negate: false }, then: exit, otherwise: body }, body);
    let [source, target] = [from, to].map(|base| b.ternary(TernaryOp::MadWide, Type::U32, i, ty.bytes(), base));
    let value = b.load(Space::Global, true, ty, Base::Reg(source), 0);
    let addr = Address { base: Base::Reg(target), offset: 0 };
    b.push(Op::store(Space::Shared, ty, addr, value));
    let mode = Mode::default();
    b.push(Op::Binary { op: BinaryOp::Add, mode, ty: Type::U32, dst: i, a: i.into(), b: threads.into() });
    b.end(Terminator::Bra { target: head }, exit);
}

/// Where the thread's entries of the striped tables lie. Entry `(register*warps + warp)*32 + lane` is
/// `register*threads + tid`.
pub(super) struct Stripes {
    threads: i64,
    reals: Option<Base>,
    indices: Option<Base>,
}

impl Stripes {
    fn new(
        b: &mut Builder,
        execution: Execution,
        reals: Option<Variable>,
        indices: Option<Variable>,
        tid: Reg,
    ) -> Self {
        let mut entry = |table: Option<Variable>, bytes: u32| {
            table.map(|table| {
                let start = b.mov(Type::U64, Operand::Variable(table));
                Base::Reg(b.ternary(TernaryOp::MadWide, Type::U32, tid, bytes, start))
            })
        };
        Self { threads: i64::from(32 * execution.warps()), reals: entry(reals, 8), indices: entry(indices, 4) }
    }

    /// The registers of all striped constants, with those loaded that stay for the whole kernel.
    fn load_kept(&self, b: &mut Builder, program: &Program) -> (Vec<(Reg, Reg)>, Vec<Reg>) {
        let reloaded = program.reloaded();
        let Constants { real_registers, index_registers, .. } = program.constants;
        let reals = (0..real_registers).map(|n| {
            let words = (b.reg(Type::B32), b.reg(Type::B32));
            if !reloaded.0.contains(&n) {
                self.load_real(b, n, words);
            }
            words
        });
        let reals = reals.collect();
        let indices = (0..index_registers).map(|n| {
            let word = b.reg(Type::B32);
            if !reloaded.1.contains(&n) {
                self.load_index(b, n, word);
            }
            word
        });
        (reals, indices.collect())
    }

    pub(super) fn load_real(&self, b: &mut Builder, register: u32, (lo, hi): (Reg, Reg)) {
        let base = self.reals.expect("a program with striped reals has their table");
        let src = b.load(Space::Global, true, Type::F64, base, i64::from(register) * self.threads * 8);
        b.push(Op::Unpack { ty: Type::B64, parts: vec![Some(lo), Some(hi)], src: src.into() });
    }

    pub(super) fn load_index(&self, b: &mut Builder, register: u32, dst: Reg) {
        let base = self.indices.expect("a program with striped indices has their table");
        let addr = Address { base, offset: i64::from(register) * self.threads * 4 };
        b.push(Op::load(Space::Global, true, Type::B32, dst, addr));
    }
}
