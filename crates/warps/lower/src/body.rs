//! The statements of a kernel's streaming loop.

use super::Needs;
use super::code::*;
use super::frame;
use super::uses::{self, BlockId, Uses};
use super::{fetches, fold, rounding};
use cranelift_entity::{EntitySet, SecondaryMap};
use machine::target::Target;
use overlay::program::{
    Arithmetic, Binary, ConstantRef, Index, LaneRows, Node, Program, Share, TensorBlock, Value, Var, WarpMask,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The body of the streaming loop, and what the rest of the kernel must provide for it.
pub fn lower(program: &Program, target: &Target) -> (Vec<Statement>, Needs) {
    let uses = uses::compute(program);
    let folded = fold::plan(program, &uses);
    let mut declarations: BTreeMap<_, Vec<Var>> = BTreeMap::new();
    for var in program.vars.keys().filter(|v| !folded.contains(*v)) {
        if let Some(scope) = uses.scope[var] {
            declarations.entry(scope).or_default().push(var);
        }
    }
    let mut body = Body {
        program,
        target,
        needs: Needs::default(),
        folded,
        summed: rounding::summed(program),
        uses,
        expressions: SecondaryMap::new(),
        declared: EntitySet::with_capacity(program.vars.len()),
        declarations,
        blocks: 0,
        fetched: Vec::new(),
        short: program.reloaded() != Default::default(),
        repeated: HashSet::new(),
        indices: 0,
        trips: 0,
        out: Vec::new(),
    };
    let statements = body.block(&program.body);
    (statements, body.needs)
}

struct Body<'a> {
    program: &'a Program,
    target: &'a Target,
    needs: Needs,
    uses: Uses,
    folded: EntitySet<Var>,
    summed: EntitySet<Var>,
    /// Expressions of the folded variables that have been seen.
    expressions: SecondaryMap<Var, Option<Real>>,
    declared: EntitySet<Var>,
    /// Variables to declare, without a value, before a node of a block.
    declarations: BTreeMap<(BlockId, usize), Vec<Var>>,
    blocks: usize,
    /// Names of the indices that the statements of each open block have fetched.
    fetched: Vec<HashMap<Integer, Local>>,
    /// Registers are short: what is looked up again is not kept for that.
    short: bool,
    /// Indices that the current block fetches more than once.
    repeated: HashSet<Index>,
    /// Numbers of indices and of trips that have a name.
    indices: u32,
    trips: u32,
    /// The statements of the current block.
    out: Vec<Statement>,
}

/// With fewer arms a switch is a chain of branches.
const FEWEST_INDIRECT_ARMS: usize = 3;

impl Body<'_> {
    fn block(&mut self, nodes: &[Node]) -> Vec<Statement> {
        let block = self.blocks;
        self.blocks += 1;
        self.fetched.push(HashMap::new());
        let outer = std::mem::take(&mut self.out);
        let repeated = std::mem::replace(&mut self.repeated, fetches::repeated(nodes));
        for (index, node) in nodes.iter().enumerate() {
            self.declare(block, index, node);
            self.node(node);
        }
        self.fetched.pop();
        self.repeated = repeated;
        std::mem::replace(&mut self.out, outer)
    }

    /// Declares the variables that this node is the first to mention and that are needed beyond it.
    fn declare(&mut self, block: BlockId, index: usize, node: &Node) {
        for var in self.declarations.remove(&(block, index)).unwrap_or_default() {
            if !matches!(node, Node::Let { var: assigned, .. } if *assigned == var) {
                self.declared.insert(var);
                self.out.push(Statement::Declare(var));
            }
        }
    }

    fn node(&mut self, node: &Node) {
        let statement = match node {
            Node::Comment(text) => Statement::Comment(text.clone()),
            Node::Let { var, value } => return self.assignment(*var, value),
            Node::StoreSlot { row, value } => {
                let row = self.slot(row);
                Statement::StoreSlot { row, value: self.operand(*value) }
            }
            Node::StoreField { array, row, point, value, rest } => {
                self.needs.active.insert(*point);
                self.needs.points.insert(*point);
                let row = self.index(row);
                let (value, rest) = (self.operand(*value), rest.map(|rest| self.operand(rest)));
                Statement::StoreField { array: *array, row, point: *point, value, rest }
            }
            Node::Barrier { id, threads, kind } => {
                let threads = threads * self.program.execution.warp_groups();
                Statement::Barrier { id: *id, threads, kind: *kind }
            }
            Node::WarpSync => Statement::WarpSync,
            Node::Multiply { rows, blocks } => self.multiply(*rows, blocks),
            Node::StoreBlock { rows, sums } => Statement::StoreBlock { row: self.lane_row(*rows), sums: *sums },
            Node::Stripes { reals, indices } => return self.stripes(reals, indices),
            Node::If { warps, body } if self.are_all(*warps) => {
                let body = self.block(body);
                return self.out.extend(body);
            }
            Node::If { warps, body } => {
                self.needs.warp = true;
                Statement::If { warps: *warps, body: self.block(body) }
            }
            Node::Switch { arms } => self.switch(arms),
            Node::Loop { counter, trips, unroll, body } => {
                let (trips, body) = (self.number_of_trips(trips), self.block(body));
                if trips == Integer::Literal(0) {
                    return;
                }
                Statement::Loop { counter: *counter, trips, unroll: *unroll, body }
            }
        };
        self.out.push(statement);
    }

    fn are_all(&self, warps: WarpMask) -> bool {
        let all = WarpMask::MAX >> (WarpMask::BITS - self.program.execution.roles());
        warps & all == all
    }

    fn stripes(&mut self, reals: &[u32], indices: &[u32]) {
        self.fetched.iter_mut().for_each(HashMap::clear);
        let threads = 32 * self.program.execution.warps();
        self.needs.recomputes = true;
        self.needs.warp = true;
        self.needs.lane = true;
        self.needs.points.extend(0..self.program.points_per_lane);
        self.out.push(Statement::Recompute(frame::recomputed(self.program, self.target)));
        let reals_and_indices =
            reals.iter().map(|&r| (r, Stripe::Real(r))).chain(indices.iter().map(|&r| (r, Stripe::Index(r))));
        self.out.extend(
            reals_and_indices.map(|(register, stripe)| Statement::LoadStripe { stripe, first: register * threads }),
        );
        self.needs.reloaded_reals.extend(reals);
        self.needs.reals.extend(reals);
        self.needs.reloaded_indices.extend(indices);
        self.needs.indices.extend(indices);
    }

    fn multiply(&mut self, rows: LaneRows, blocks: &[TensorBlock]) -> Statement {
        self.needs.reals.extend(blocks.iter().map(|block| block.register));
        let blocks = blocks.iter().map(|block| (block.register, block.sums)).collect();
        let in_pairs = self.target.tall_matrix_products;
        Statement::Multiply { row: self.lane_row(rows), blocks, in_pairs }
    }

    /// The lane's own slot.
    fn lane_row(&mut self, LaneRows { register, factor, offset }: LaneRows) -> Integer {
        self.needs.lane = true;
        self.needs.indices.insert(register);
        let own = Integer::Own(register);
        let row = if factor == 1 { own } else { own.with(IntegerOperator::Mul, factor) };
        match offset {
            0 => row,
            1.. => row.with(IntegerOperator::Add, offset.unsigned_abs()),
            _ => row.with(IntegerOperator::Sub, offset.unsigned_abs()),
        }
    }

    fn assignment(&mut self, var: Var, value: &Value) {
        let assignments = self.uses.assigned[var];
        if assignments == 0 {
            return;
        }
        let value = self.value(var, value);
        if self.folded.contains(var) {
            self.expressions[var] = Some(value);
        } else if self.declared.insert(var) {
            self.out.push(Statement::Define { var, value, changes: assignments > 1 });
        } else if !matches!(value, Real::Var(own) if own == var) {
            self.out.push(Statement::Assign { var, value });
        }
    }

    fn switch(&mut self, arms: &[(WarpMask, Vec<Node>)]) -> Statement {
        self.needs.warp = true;
        let is_indirect = arms.len() >= FEWEST_INDIRECT_ARMS;
        let arms = arms.iter().map(|(warps, body)| (*warps, self.block(body))).collect();
        Statement::Switch { arms, is_indirect }
    }

    /// The number of trips, evaluated once.
    fn number_of_trips(&mut self, trips: &Index) -> Integer {
        let value = self.index(trips);
        if matches!(value, Integer::Literal(_) | Integer::Local(Local::Index(_))) {
            return value;
        }
        let local = Local::Trips(self.trips);
        self.trips += 1;
        self.out.push(Statement::DefineInteger { local, value, changes: false });
        Integer::Local(local)
    }

    /// The value that is assigned to this variable.
    fn value(&mut self, var: Var, value: &Value) -> Real {
        match value {
            Value::Literal(x) => Real::Literal(*x),
            Value::Constant(ConstantRef::Striped { register, lane }) => {
                self.needs.reals.insert(*register);
                Real::Broadcast { register: *register, lane: self.index(lane) }
            }
            Value::Constant(ConstantRef::Bank(Index::Literal(entry))) if self.has_room_for_literals() => {
                Real::Literal(self.program.constants.real_bank[*entry as usize])
            }
            Value::Constant(ConstantRef::Bank(index)) => {
                self.needs.real_bank = true;
                Real::Bank(self.index(index))
            }
            Value::Var(a) => self.operand(*a),
            Value::Slot(row) => Real::Slot(self.slot(row), Share::Whole),
            Value::Field { array, row, point, share } => {
                self.needs.points.insert(*point);
                // Arrays that the kernel itself may write must not come through the read-only cache.
                let is_read_only = !self.program.arrays[*array].output;
                let row = self.index(row);
                Real::Field(Box::new(Field { array: *array, row, point: *point, is_read_only, share: *share }))
            }
            Value::Unary(function, a) => {
                let is_double = self.program.arithmetic == Arithmetic::Double;
                self.needs.powers |= is_double && function.reads_powers();
                self.needs.logarithms |= is_double && function.reads_logarithms();
                Real::Unary(*function, Box::new(self.operand(*a)))
            }
            Value::Binary(Binary::Mul, a, b) if self.summed.contains(var) => {
                Real::SeparateProduct(Box::new([*a, *b].map(|a| self.operand(a))))
            }
            Value::Binary(operator, a, b) => Real::Binary(*operator, Box::new([*a, *b].map(|a| self.operand(a)))),
            Value::Fma(a, b, c) => Real::Fma(Box::new([*a, *b, *c].map(|a| self.operand(a)))),
            Value::ConstantLe { a, b, first } => {
                self.needs.real_bank = true;
                Real::BankLe { first: *first, operands: Box::new([*a, *b].map(|a| self.operand(a))) }
            }
            Value::SelectLe { a, b, then, otherwise } => {
                Real::SelectLe(Box::new([*a, *b, *then, *otherwise].map(|a| self.operand(a))))
            }
        }
    }

    /// Whether instructions of the target have room for any constant: on GPUs those on singles have, and constants in memory would be loaded
    /// into registers, long before they are needed.
    fn has_room_for_literals(&self) -> bool {
        self.program.arithmetic != Arithmetic::Double && !self.target.is_cpu()
    }

    /// A variable where it is read, or what is folded in its place.
    fn operand(&mut self, var: Var) -> Real {
        if self.folded.contains(var) {
            let expression =
                if self.uses.used[var] == 1 { self.expressions[var].take() } else { self.expressions[var].clone() };
            return expression.expect("a folded variable is assigned before its use");
        }
        self.declared.insert(var);
        Real::Var(var)
    }

    fn slot(&mut self, row: &Index) -> Integer {
        let row = self.index(row);
        self.needs.lane |= !frame::is_data_parallel(self.program);
        row
    }

    /// A warp-uniform integer.
    fn index(&mut self, index: &Index) -> Integer {
        match index {
            Index::Literal(n) => Integer::Literal(*n),
            Index::Counter(counter) => Integer::Counter(*counter),
            Index::Own(bank) => {
                self.needs.warp = true;
                self.needs.own.insert(*bank);
                Integer::Local(Local::Own(*bank))
            }
            Index::Striped { register, lane } => {
                self.needs.indices.insert(*register);
                let lane = Box::new(self.index(lane));
                self.fetched(index, Integer::Broadcast { register: *register, lane })
            }
            Index::Bank(entry) => {
                self.needs.index_bank = true;
                let entry = Box::new(self.index(entry));
                self.fetched(index, Integer::Bank(entry))
            }
            Index::Sum(a, b) => {
                let a = self.index(a);
                Integer::binary(IntegerOperator::Add, a, self.index(b))
            }
            Index::Scaled(a, factor) => self.index(a).with(IntegerOperator::Mul, *factor),
        }
    }

    /// An index that is looked up. Where it is used again, by another point of the lane or by another statement, it gets a
    /// name, so that they share the look-up.
    fn fetched(&mut self, index: &Index, value: Integer) -> Integer {
        let is_kept = self.repeated.contains(index) && !self.short;
        if self.program.points_per_lane == 1 && !is_kept {
            return value;
        }
        if let Some(local) = self.fetched.iter().rev().find_map(|known| known.get(&value)) {
            return Integer::Local(*local);
        }
        let local = Local::Index(self.indices);
        self.indices += 1;
        self.out.push(Statement::DefineInteger { local, value: value.clone(), changes: false });
        let innermost = self.fetched.last_mut().expect("statements stand in a block");
        innermost.insert(value, local);
        Integer::Local(local)
    }
}
