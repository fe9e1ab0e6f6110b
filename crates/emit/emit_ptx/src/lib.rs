//! PTX from the typed [`Code`], instruction by instruction.
//!
//! An expression that a block has computed is not computed again in it, and neither is what two functions of one argument
//! have in common.
#![forbid(unsafe_code)]

mod branch_free;
mod copies;
mod frame;
mod functions;
mod integer;
mod numbers;
mod real;
mod tensor;

use numbers::of_memory;

use cranelift_entity::SecondaryMap;
use lower::code::{BankSpace, Code, Integer, Less, Local, Statement, TableKind};
use machine::target::ComputeCapability;
use overlay::program::{BarrierKind, Counter, Var, WarpMask};
use ptx::builder::Builder;
use ptx::check::TENSOR_DOUBLES;
use ptx::inst::*;
use ptx::ir::{Block, Module, Reg, Variable};
use std::collections::{BTreeMap, HashMap};

/// A module for a machine that holds the tables of one kernel and its entry. Before sm_70 the lanes of a warp run in
/// lockstep; from then on, the text orders what they exchange. For machines without shuffles the module is one for sm_35, which
/// can be simulated all the same.
///
/// The parameters are one pointer per array of the code, in order, then `.u32 points` and `.u32 stride` (in elements).
/// A CTA has `32 * warps` threads. Any grid works: the groups of points are dealt out round-robin.
pub fn print(code: &Code, architecture: ComputeCapability) -> Module {
    let needed = if frame::has_matrix_products(code) { TENSOR_DOUBLES } else { SM };
    let mut module = Module::new(architecture.number().max(needed));
    let mut printer = frame::enter(code, &mut module);
    printer.statements(&code.prologue);
    printer.stream();
    module.funcs.push(printer.builder.finish());
    module
}

/// The oldest architecture, but for matrix products, whose instructions are printed (`ld.global.nc` needs sm_32).
const SM: u32 = 35;

struct Printer<'c> {
    code: &'c Code,
    builder: Builder,
    /// Addresses of the arrays.
    arrays: Vec<Reg>,
    points: Reg,
    stride: Reg,
    thread: Reg,
    tables: BTreeMap<TableKind, Variable>,
    slots: Option<Variable>,
    /// Addresses of tables and of slots in local memory, and of the thread's first entries of striped tables.
    bases: BTreeMap<TableKind, Reg>,
    slots_base: Option<Reg>,
    spills: Option<Variable>,
    /// The workspace in global memory, and the address in its part for the CTA's own group of warps of the lane's column in row 0.
    workspace: Option<Reg>,
    global_column: Option<Reg>,
    /// Address of the slots of the warp's own group, if a CTA has several groups of warps.
    own_slots: Option<Reg>,
    /// The CTA's table of powers.
    shared_powers: Option<Variable>,
    /// Addresses of banks in shared memory.
    shared_banks: BTreeMap<TableKind, Reg>,
    /// 1 << warp
    warp_bit: Option<Reg>,
    /// Addresses in row 0 of shared slots: of the lane's column, and of columns of matrices.
    columns: BTreeMap<Local, Reg>,
    /// By point of the lane: its number, at most that of the last point, in 64 bits; whether it exists.
    own: Vec<(Reg, Reg)>,
    vars: SecondaryMap<Var, Option<Reg>>,
    counters: BTreeMap<Counter, Reg>,
    locals: BTreeMap<Local, Operand>,
    /// Low and high words of striped constants.
    reals: BTreeMap<u32, (Reg, Reg)>,
    indices: BTreeMap<u32, Reg>,
    function_tables: functions::Tables,
    known: Known,
}

/// Results of the current block that it may use again.
#[derive(Default)]
struct Known {
    integers: HashMap<Integer, Reg>,
    /// `row * stride + point` of rows and points, in bytes.
    offsets: HashMap<(Integer, u32), Reg>,
    /// a <= b
    comparisons: HashMap<(Operand, Operand), Reg>,
    /// Intermediate registers of the latest function of a register.
    functions: HashMap<Reg, functions::FunctionRegisters>,
}

impl Known {
    /// Forgets what was made of a register that is set.
    fn set(&mut self, reg: Reg) {
        let operand = Operand::Reg(reg);
        self.comparisons.retain(|&(a, b), _| a != operand && b != operand);
        self.functions.remove(&reg);
    }
}

impl Printer<'_> {
    /// The streaming loop over groups of points.
    fn stream(&mut self) {
        let stream = &self.code.stream;
        let group = self.integer(&stream.first);
        let group = self.builder.mov(Type::U32, group);
        let step = self.integer(&stream.step);
        self.locals.insert(Local::Group, group.into());
        let (head, body, exit) = (self.builder.block(), self.builder.block(), self.builder.block());
        self.end(Terminator::Bra { target: head }, head);
        let Less { a, b, .. } = &stream.more;
        let (a, b) = (self.integer(a), self.integer(b));
        let done = self.builder.setp(Cmp::Ge, Type::U32, a, b);
        self.end(branch(done, false, exit, body), body);
        self.statements(&stream.points);
        self.statements(&stream.body);
        self.builder.push(add(group, step));
        self.end(Terminator::Bra { target: head }, exit);
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Comment(text) => self.builder.comment(text),
            // Registers are declared as they come, and what is computed is kept.
            Statement::Declare(_) | Statement::Recompute(_) => {}
            Statement::Define { var, value, .. } | Statement::Assign { var, value } => {
                let dst = self.var(*var);
                self.assign(dst, value);
                self.known.set(dst);
            }
            Statement::DefineInteger { local, value, .. } => {
                let value = self.integer(value);
                self.define(*local, value);
            }
            Statement::DefineActive { point, value: Less { a, b, .. } } => {
                let (a, b, dst) = (self.integer(a), self.integer(b), self.own[*point as usize].1);
                let (cmp, ty) = (Cmp::Lt, Type::U32);
                self.builder.push(Op::Setp { cmp, ftz: false, ty, dst, other: None, a, b, combine: None });
            }
            Statement::DeclareStripe(stripe) => self.declare_stripe(*stripe),
            Statement::DefineStripe { stripe, first } => {
                self.declare_stripe(*stripe);
                self.load_stripe(*stripe, *first);
            }
            Statement::LoadStripe { stripe, first } => {
                // Broadcasts of this block may not be older than the load.
                self.known.integers.clear();
                self.known.offsets.clear();
                self.load_stripe(*stripe, *first);
            }
            Statement::CopyBank { bank, row, entries } => self.copy_bank(*bank, *row, *entries),
            Statement::CtaSync => self.builder.push(Op::bar(BarKind::Sync, 0, None)),
            Statement::CopyPowers => self.copy_powers(),
            Statement::StoreSlot { row, value } => {
                let (space, addr) = self.slot(row);
                let (value, ty) = (self.real(value), of_memory(self.code.slots.number));
                let value = self.converted(value, ty);
                self.builder.push(Op::store(space, ty, addr, value));
            }
            Statement::Spill { place, value } => {
                let (addr, value) = (self.spill_place(*place), self.var(*value));
                self.builder.push(Op::store(Space::Local, Type::F64, addr, value));
            }
            Statement::CopyInputs { more, points, copies } => self.copy_inputs(more, points, copies),
            Statement::AwaitCopies { pending } => self.asynchronous("wait_group", [copies::text(&pending.to_string())]),
            Statement::StoreField { array, row, point, value, rest } => {
                let addr = self.field(*array, row, *point);
                let guard = Guard { pred: self.own[*point as usize].1, negate: false };
                let (value, ty) = (self.real(value), of_memory(self.code.io()));
                let value = match rest {
                    None => self.converted(value, ty),
                    Some(rest) => {
                        let rest = self.real(rest);
                        self.in_double(value, rest)
                    }
                };
                self.builder.push_guarded(Some(guard), Op::store(Space::Global, ty, addr, value));
            }
            Statement::Barrier { id, threads, kind } => {
                let kind = match kind {
                    BarrierKind::Arrive => BarKind::Arrive,
                    BarrierKind::Sync => BarKind::Sync,
                };
                self.builder.push(Op::bar(kind, *id, Some(*threads)));
            }
            Statement::WarpSync => self.builder.push(Op::BarWarp { mask: u32::MAX.into() }),
            Statement::Multiply { row, blocks, in_pairs } => {
                self.multiply(row, blocks.chunks(if *in_pairs { 2 } else { 1 }));
            }
            Statement::StoreBlock { row, sums } => self.store_block(row, sums),
            Statement::If { warps, body } => self.branch_on_warp(*warps, body),
            Statement::Switch { arms, is_indirect: false } => {
                arms.iter().for_each(|(warps, body)| self.branch_on_warp(*warps, body));
            }
            Statement::Switch { arms, is_indirect: true } => self.switch(arms),
            Statement::Loop { counter, trips, body, .. } => self.counted_loop(*counter, trips, body),
        }
    }

    fn branch_on_warp(&mut self, warps: WarpMask, body: &[Statement]) {
        let warp_bit = self.warp_bit.expect("code with branches defines the number of the warp");
        let bit = self.builder.binary(BinaryOp::And, Type::B32, warp_bit, warps);
        let skips = self.builder.setp(Cmp::Eq, Type::U32, bit, 0);
        let (block, join) = (self.builder.block(), self.builder.block());
        self.end(branch(skips, false, join, block), block);
        self.statements(body);
        self.end(Terminator::Bra { target: join }, join);
    }

    fn switch(&mut self, arms: &[(WarpMask, Vec<Statement>)]) {
        let blocks: Vec<Block> = arms.iter().map(|_| self.builder.block()).collect();
        let join = self.builder.block();
        let targets = (0..self.code.execution.roles())
            .map(|warp| {
                let arm = arms.iter().position(|(warps, _)| warps >> warp & 1 == 1);
                arm.map_or(join, |arm| blocks[arm])
            })
            .collect();
        let index = self.local(Local::Warp).reg().expect("the number of the warp is no literal");
        let mut terminator = Terminator::Brx { index, targets };
        for ((_, body), block) in arms.iter().zip(&blocks) {
            self.end(terminator, *block);
            self.statements(body);
            terminator = Terminator::Bra { target: join };
        }
        self.end(terminator, join);
    }

    /// A do-while loop, behind a guard where the number of trips may be zero.
    fn counted_loop(&mut self, counter: Counter, trips: &Integer, statements: &[Statement]) {
        let trips = self.integer(trips);
        let counter = self.counter(counter);
        let (op, mode) = (UnaryOp::Mov, Mode::default());
        self.builder.push(Op::Unary { op, mode, ty: Type::U32, dst: counter, a: 0.into() });
        let (body, join) = (self.builder.block(), self.builder.block());
        if let Operand::Imm(_) = trips {
            self.end(Terminator::Bra { target: body }, body);
        } else {
            let none = self.builder.setp(Cmp::Eq, Type::U32, trips, 0);
            self.end(branch(none, false, join, body), body);
        }
        self.statements(statements);
        self.builder.push(add(counter, 1.into()));
        let again = self.builder.setp(Cmp::Lt, Type::U32, counter, trips);
        self.end(branch(again, false, body, join), join);
    }

    fn end(&mut self, terminator: Terminator, next: Block) {
        self.known = Known::default();
        self.builder.end(terminator, next);
    }

    fn var(&mut self, var: Var) -> Reg {
        let (ty, builder) = (self.ty(), &mut self.builder);
        *self.vars[var].get_or_insert_with(|| builder.reg(ty))
    }

    fn counter(&mut self, counter: Counter) -> Reg {
        let builder = &mut self.builder;
        *self.counters.entry(counter).or_insert_with(|| builder.reg(Type::U32))
    }

    fn local(&self, local: Local) -> Operand {
        *self.locals.get(&local).expect("code defines a variable before its use")
    }

    fn bank_space(&self) -> Space {
        match self.code.banks {
            BankSpace::Constant => Space::Const,
            BankSpace::Global => Space::Global,
            BankSpace::Shared => Space::Shared,
        }
    }
}

/// dst += b
fn add(dst: Reg, b: Operand) -> Op {
    Op::Binary { op: BinaryOp::Add, mode: Mode::default(), ty: Type::U32, dst, a: dst.into(), b }
}

fn branch(pred: Reg, negate: bool, then: Block, otherwise: Block) -> Terminator {
    Terminator::CondBra { guard: Guard { pred, negate }, uni: false, then, otherwise }
}

#[cfg(test)]
mod tests;
