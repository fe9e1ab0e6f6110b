//! From a kernel's overlaid program to the IR.

mod frame;
mod functions;
mod index;
mod tensor;
mod value;

use crate::overlay::program::{BarrierKind, Counter, Execution, Index, Node, Program, Var, WarpMask};
use cranelift_entity::{EntityRef, PrimaryMap};
use frame::Frame;
use machine::target::ComputeCapability;
use ptx::builder::Builder;
use ptx::check::TENSOR_DOUBLES;
use ptx::inst::*;
use ptx::ir::{Block, Module, Reg};
use std::collections::HashMap;

/// Lowers one kernel to a module for a machine, that holds its tables and its entry. Before sm_70 the lanes of a warp run in
/// lockstep; from then on, the text orders what they exchange. For machines without shuffles the module is one for sm_35, which
/// can be simulated all the same.
///
/// The parameters are one pointer per array of the program, in order, then `.u32 points` and `.u32 stride` (in elements).
/// A CTA has `32 * warps` threads. Any grid works: the groups of points are dealt out round-robin.
pub fn lower(program: &Program, architecture: ComputeCapability) -> Module {
    let needed = if program.has_matrix_products() { TENSOR_DOUBLES } else { SM };
    let mut module = Module::new(architecture.number().max(needed));
    let (mut builder, frame) = frame::enter(program, &mut module);
    let vars = program.vars.keys().map(|_| builder.reg(Type::F64)).collect();
    let counters = (0..program.counters).map(|_| builder.reg(Type::U32)).collect();
    let mut lowering = Lowering {
        program,
        builder,
        frame,
        vars,
        counters,
        indices: HashMap::new(),
        offsets: HashMap::new(),
        shared: value::Shared::default(),
    };
    lowering.stream();
    module.funcs.push(lowering.builder.finish());
    module
}

/// The oldest architecture, but for matrix products, whose instructions the lowering uses (`ld.global.nc` needs sm_32).
const SM: u32 = 35;

/// With fewer arms a switch is a chain of branches.
const FEWEST_INDIRECT_ARMS: usize = 3;

struct Lowering<'p> {
    program: &'p Program,
    builder: Builder,
    frame: Frame,
    vars: PrimaryMap<Var, Reg>,
    counters: Vec<Reg>,
    /// Index expressions that the current block has computed.
    indices: HashMap<Index, Reg>,
    /// Element offsets `row*stride + point` that the current block has computed, in bytes.
    offsets: HashMap<(Index, u32), Reg>,
    shared: value::Shared,
}

impl Lowering<'_> {
    /// The streaming loop over groups of points.
    fn stream(&mut self) {
        let warps = self.program.execution.warps();
        let b = &mut self.builder;
        let ctaid = b.mov(Type::U32, Operand::Special(Special::CtaidX));
        let ctas = b.mov(Type::U32, Operand::Special(Special::NctaidX));
        let (group, step) = match self.program.execution {
            Execution::WarpSpecialized { .. } => (ctaid, ctas),
            Execution::DataParallel { .. } => (
                b.ternary(TernaryOp::Mad, Type::U32, ctaid, warps, self.frame.warp),
                b.binary(BinaryOp::Mul, Type::U32, ctas, warps),
            ),
        };
        // points over those of a group, which is a power of two; rounded up without overflow
        let size = self.program.points_per_group();
        let whole = b.binary(BinaryOp::Shr, Type::U32, self.frame.points, size.trailing_zeros());
        let rest = b.binary(BinaryOp::And, Type::B32, self.frame.points, size - 1);
        let partial = b.binary(BinaryOp::Min, Type::U32, rest, 1);
        let groups = b.binary(BinaryOp::Add, Type::U32, whole, partial);
        let last_point = b.binary(BinaryOp::Sub, Type::U32, self.frame.points, 1);

        let (head, body, exit) = (self.builder.block(), self.builder.block(), self.builder.block());
        self.end(Terminator::Bra { target: head }, head);
        let done = self.builder.setp(Cmp::Ge, Type::U32, group, groups);
        self.end(branch(done, false, exit, body), body);
        let b = &mut self.builder;
        let first = b.ternary(TernaryOp::Mad, Type::U32, group, size, self.frame.lane);
        for (place, own) in (0..).zip(&self.frame.own) {
            let point = if place == 0 { first } else { b.binary(BinaryOp::Add, Type::U32, first, 32 * place) };
            b.push(Op::Setp {
                cmp: Cmp::Lt,
                ftz: false,
                ty: Type::U32,
                dst: own.exists,
                other: None,
                a: point.into(),
                b: self.frame.points.into(),
                combine: None,
            });
            let clamped = b.binary(BinaryOp::Min, Type::U32, point, last_point);
            let (to, from) = (Type::U64, Type::U32);
            b.push(Op::Cvt { mode: Mode::default(), to, from, dst: own.point, a: clamped.into() });
        }
        self.nodes(&self.program.body);
        self.builder.push(add(group, step.into()));
        self.end(Terminator::Bra { target: head }, exit);
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Comment(text) => self.builder.comment(text),
            Node::Let { var, value } => {
                self.assign(self.vars[*var], value);
                self.shared.assigned(*var);
            }
            Node::StoreSlot { row, value } => {
                let (space, addr) = self.slot(row);
                self.builder.push(Op::store(space, Type::F64, addr, self.vars[*value]));
            }
            Node::StoreField { array, row, point, value } => {
                let addr = self.field(*array, row, *point);
                let guard = Guard { pred: self.frame.own[*point as usize].exists, negate: false };
                let store = Op::store(Space::Global, Type::F64, addr, self.vars[*value]);
                self.builder.push_guarded(Some(guard), store);
            }
            Node::Barrier { id, threads, kind } => {
                let kind = match kind {
                    BarrierKind::Arrive => BarKind::Arrive,
                    BarrierKind::Sync => BarKind::Sync,
                };
                self.builder.push(Op::bar(kind, *id, Some(*threads)));
            }
            Node::Meet => self.builder.push(Op::BarWarp { mask: u32::MAX.into() }),
            Node::Multiply { rows, blocks } => self.multiply(*rows, blocks),
            Node::StoreBlock { rows, sums } => self.store_block(*rows, sums),
            Node::Stripes { reals, indices } => self.stripes(reals, indices),
            Node::If { warps, body } => self.branch_on_warp(*warps, body),
            Node::Switch { arms } if arms.len() < FEWEST_INDIRECT_ARMS => {
                for (warps, body) in arms {
                    self.branch_on_warp(*warps, body);
                }
            }
            Node::Switch { arms } => self.switch(arms),
            Node::Loop { counter, trips, body, .. } => self.counted_loop(*counter, trips, body),
        }
    }

    fn stripes(&mut self, reals: &[u32], indices: &[u32]) {
        // Broadcasts of this block may not be older than the load.
        self.indices.clear();
        self.offsets.clear();
        for &n in reals {
            self.frame.stripes.load_real(&mut self.builder, n, self.frame.reals[n as usize]);
        }
        for &n in indices {
            self.frame.stripes.load_index(&mut self.builder, n, self.frame.indices[n as usize]);
        }
    }

    fn branch_on_warp(&mut self, warps: WarpMask, nodes: &[Node]) {
        let all = self.all_warps();
        if warps & all == all {
            return self.nodes(nodes);
        }
        let bit = self.builder.binary(BinaryOp::And, Type::B32, self.frame.warp_bit, warps);
        let skips = self.builder.setp(Cmp::Eq, Type::U32, bit, 0);
        let (body, join) = (self.builder.block(), self.builder.block());
        self.end(branch(skips, false, join, body), body);
        self.nodes(nodes);
        self.end(Terminator::Bra { target: join }, join);
    }

    fn switch(&mut self, arms: &[(WarpMask, Vec<Node>)]) {
        let blocks: Vec<Block> = arms.iter().map(|_| self.builder.block()).collect();
        let join = self.builder.block();
        let targets = (0..self.program.execution.warps())
            .map(|warp| {
                let arm = arms.iter().position(|(warps, _)| warps >> warp & 1 == 1);
                arm.map_or(join, |arm| blocks[arm])
            })
            .collect();
        let mut terminator = Terminator::Brx { index: self.frame.warp, targets };
        for ((_, nodes), block) in arms.iter().zip(&blocks) {
            self.end(terminator, *block);
            self.nodes(nodes);
            terminator = Terminator::Bra { target: join };
        }
        self.end(terminator, join);
    }

    /// A do-while loop, guarded where the number of trips may be zero.
    fn counted_loop(&mut self, counter: Counter, trips: &Index, nodes: &[Node]) {
        let trips = self.index(trips);
        if trips == Operand::Imm(0) {
            return;
        }
        let counter = self.counters[counter.index()];
        self.builder.push(Op::Unary {
            op: UnaryOp::Mov,
            mode: Mode::default(),
            ty: Type::U32,
            dst: counter,
            a: 0.into(),
        });
        let (body, join) = (self.builder.block(), self.builder.block());
        if let Operand::Imm(_) = trips {
            self.end(Terminator::Bra { target: body }, body);
        } else {
            let none = self.builder.setp(Cmp::Eq, Type::U32, trips, 0);
            self.end(branch(none, false, join, body), body);
        }
        self.nodes(nodes);
        self.builder.push(add(counter, 1.into()));
        let again = self.builder.setp(Cmp::Lt, Type::U32, counter, trips);
        self.end(branch(again, false, body, join), join);
    }

    fn end(&mut self, terminator: Terminator, next: Block) {
        self.indices.clear();
        self.offsets.clear();
        self.shared = value::Shared::default();
        self.builder.end(terminator, next);
    }

    fn all_warps(&self) -> WarpMask {
        WarpMask::MAX >> (WarpMask::BITS - self.program.execution.warps())
    }
}

/// dst += b
fn add(dst: Reg, b: Operand) -> Op {
    Op::Binary { op: BinaryOp::Add, mode: Mode::default(), ty: Type::U32, dst, a: dst.into(), b }
}

fn branch(pred: Reg, negate: bool, then: Block, otherwise: Block) -> Terminator {
    Terminator::CondBra { guard: Guard { pred, negate }, then, otherwise }
}

#[cfg(test)]
mod tests;
