//! The overlaid program of one kernel: one tree for all warps, which is lowered to typed code.
//!
//! A *point* is one grid point; with P points per lane, lane l of every warp works on points l, 32 + l, … of the current
//! group of 32 P. What differs between them has P variables and P slots ([`super::points`]).
//! Storage: variables of the program's arithmetic (registers), *slots* (rows of 32 numbers, lane l touches column l only; in shared memory, or in
//! thread-local memory for data-parallel code), and global *arrays* (field-major: row r of point p is `a[r*stride + p]`).
//! Constants either lie in the registers of a warp, striped over its lanes and broadcast by shuffle, or in a bank.

use std::collections::BTreeSet;

use cranelift_entity::{PrimaryMap, entity_impl};

pub use graph::body::{Binary, Share, Unary};
use graph::dataflow;
use kernels::Io;
use machine::target::Target;

/// A variable; may be assigned more than once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(u32);
entity_impl!(Var, "v");

/// The counter of one [`Node::Loop`]; counts from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counter(u32);
entity_impl!(Counter, "i");

#[derive(Debug, Clone)]
pub struct Program {
    /// The kernel's name, such as `viscosity`.
    pub kernel: String,
    /// The symbol of the `__global__` function, such as `gri30_viscosity`.
    pub symbol: String,
    pub arithmetic: Arithmetic,
    pub execution: Execution,
    /// Points that each lane works on in one turn of the streaming loop.
    pub points_per_lane: u32,
    /// Number of slots, each 32 lanes x 8 bytes.
    pub slots: u32,
    /// First slot of a group of warps that lies in global memory; none where all lie in shared or in local memory.
    pub first_global: Option<u32>,
    /// Content of each slot in the first points of the lanes, for readers, with the number of the phase that stores it.
    pub contents: Vec<(u32, Vec<(String, u32)>)>,
    pub arrays: Vec<Array>,
    /// Name hint of each variable, for readable text.
    pub vars: PrimaryMap<Var, String>,
    /// Number of loop counters used.
    pub counters: u32,
    pub constants: Constants,
    /// Registers of a thread, where straight-line code may bring its own spill code.
    pub registers: Option<u32>,
    /// Bytes of shared memory that asynchronous copies of a CTA's next inputs may take beside what else lies there; none where the
    /// target has no such copies, or they are not wanted.
    pub staging_bytes: Option<u32>,
    /// The body of the streaming loop over groups of points.
    pub body: Vec<Node>,
}

/// Precision of the numbers of a program.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Arithmetic {
    #[default]
    Double,
    /// Data-parallel code alone. `bound` is the largest relative error beside that of the form.
    Single { bound: f64 },
}

impl Arithmetic {
    /// A number in a register.
    pub fn number(self) -> Io {
        match self {
            Self::Double => Io::Double,
            Self::Single { .. } => Io::Single,
        }
    }

    /// Returns the proven bound on its error, beside that of the form.
    pub fn bound(self) -> f64 {
        match self {
            Self::Double => 0.0,
            Self::Single { bound } => bound,
        }
    }
}

impl Program {
    /// Returns the number format of the arrays.
    pub fn io(&self) -> Io {
        self.arrays.first().map_or(Io::Double, |array| array.io)
    }

    /// Returns the number format of slots: in straight-line code that of the arrays, for inputs; else that of values.
    pub fn slot_number(&self) -> Io {
        if self.is_straight_line() { self.io() } else { self.arithmetic.number() }
    }

    /// Bytes of a row of shared memory.
    pub fn row_bytes(&self) -> u32 {
        32 * self.slot_number().bytes() as u32
    }

    /// Rows of shared memory that the banks take: those of reals, then those of indices.
    pub fn shared_rows(&self) -> [u32; 2] {
        let constants = &self.constants;
        let rows = |bytes: u64| if constants.shared { bytes.div_ceil(self.row_bytes().into()) as u32 } else { 0 };
        let reals = self.arithmetic.number().bytes() * constants.real_bank.len() as u64;
        [rows(reals), rows(4 * constants.index_bank.len() as u64)]
    }

    /// Whether all values have registers, in straight-line code of one warp.
    pub fn is_straight_line(&self) -> bool {
        self.slots == 0 && self.counters == 0 && matches!(self.execution, Execution::DataParallel { .. })
    }

    /// Whether the program multiplies matrices on tensor cores.
    pub fn has_matrix_products(&self) -> bool {
        fn any(nodes: &[Node]) -> bool {
            nodes.iter().any(|node| match node {
                Node::Multiply { .. } | Node::StoreBlock { .. } => true,
                Node::If { body, .. } | Node::Loop { body, .. } => any(body),
                Node::Switch { arms } => arms.iter().any(|(_, body)| any(body)),
                _ => false,
            })
        }
        any(&self.body)
    }

    /// Doubles from one slot in shared memory to the next. Where matrix products read the slots of several values at once,
    /// those of one point of the lanes lie 4 doubles further in the banks from value to value.
    pub fn pitch(&self) -> u32 {
        if self.has_matrix_products() { 32 + 4 / self.points_per_lane } else { 32 }
    }

    /// Whether the program computes such a function.
    pub fn calls(&self, function: fn(Unary) -> bool) -> bool {
        fn any(nodes: &[Node], function: fn(Unary) -> bool) -> bool {
            nodes.iter().any(|node| match node {
                Node::Let { value, .. } => matches!(value, Value::Unary(f, _) if function(*f)),
                Node::If { body, .. } | Node::Loop { body, .. } => any(body, function),
                Node::Switch { arms } => arms.iter().any(|(_, body)| any(body, function)),
                Node::Comment(_)
                | Node::StoreSlot { .. }
                | Node::StoreField { .. }
                | Node::Barrier { .. }
                | Node::WarpSync
                | Node::Multiply { .. }
                | Node::StoreBlock { .. }
                | Node::Stripes { .. } => false,
            })
        }
        any(&self.body, function)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// `warps` warps cooperate on one group of 32 P points; slots are in shared memory. A CTA has so many `groups` of warps, of which
    /// each has its own group of points and its own slots, at the same place of the code. The streaming loop is
    /// `for (group = blockIdx.x*groups; group < ceil(points/(32 P)); group += gridDim.x*groups)`, all groups of warps take as many
    /// turns, and those whose points are beyond the last group compute the last point again.
    ///
    /// Named barriers count the threads of all groups, so that a warp of the schedule stands for one of each. The proof
    /// for one group holds for all of them together. A wait that orders two warps of a schedule orders every copy of
    /// the one before every copy of the other. Each use of a barrier has a warp that waits, so no copy comes to the
    /// next use before all have come to this one.
    WarpSpecialized { warps: u32, groups: u32 },
    /// Every warp handles its own group (no thread shares a point); slots are thread-local memory.
    /// `for (group = blockIdx.x*warps + warp_id; ...; group += gridDim.x*warps)`.
    DataParallel { warps: u32 },
}

impl Program {
    /// Points of one turn of the streaming loop.
    pub fn points_per_group(&self) -> u32 {
        32 * self.points_per_lane
    }

    /// Groups of 32 points that a CTA works on at once.
    pub fn groups_under_way(&self) -> u32 {
        self.points_per_lane * self.execution.groups_per_cta()
    }

    /// Points of the groups of this many points, with those that the last group lacks, and with the groups that warps lack which wait
    /// for others of their CTA.
    pub fn padded(&self, points: u32) -> u32 {
        let groups = if self.shares_turns() { self.execution.groups_per_cta() } else { 1 };
        points.next_multiple_of(groups * self.points_per_group())
    }

    /// Whether the warps of a CTA, each of which has groups of its own, go through the code together.
    ///
    /// Code that is larger than the instruction caches of an SM's sub-partitions is fetched once for all warps that are at about the
    /// same place, and again and again for warps that are not: each throws out what another one needs next.
    pub fn is_in_step(&self) -> bool {
        self.is_straight_line() && self.execution.warps() > 1 && self.body.len() > LARGEST_CACHED
    }

    /// Whether the groups of a CTA take equally many turns of the streaming loop, which is over the first of them: they wait for
    /// each other in it.
    pub fn shares_turns(&self) -> bool {
        self.is_in_step() || self.execution.warp_groups() > 1
    }

    /// Slots in the shared memory of a CTA, or in the local memory of a thread.
    pub fn slots_per_cta(&self) -> u32 {
        self.slots * self.execution.warp_groups()
    }

    /// Rows of shared memory that the slots of a CTA take, or numbers of local memory those of a thread.
    pub fn slots_in_place(&self) -> u32 {
        self.first_global.unwrap_or(self.slots) * self.execution.warp_groups()
    }

    /// Bytes of the workspace in global memory that each CTA has a part of; none where no slots lie there.
    pub fn workspace_bytes_per_cta(&self) -> Option<u64> {
        let rows = (self.slots - self.first_global?) * self.execution.warp_groups();
        Some(u64::from(rows) * u64::from(self.row_bytes()))
    }

    /// Lets slots lie in global memory where `room` of them have room in shared memory, for one point of the lanes. Where some of the code computes
    /// which slot it takes, all lie there: an address belongs to one of the memories.
    pub fn spread(&mut self, room: u32) {
        fn is_known(index: &Index) -> bool {
            matches!(index, Index::Literal(_))
        }
        fn all(nodes: &[Node]) -> bool {
            nodes.iter().all(|node| match node {
                Node::StoreSlot { row, .. } | Node::Let { value: Value::Slot(row), .. } => is_known(row),
                Node::Multiply { .. } | Node::StoreBlock { .. } => false,
                Node::If { body, .. } | Node::Loop { body, .. } => all(body),
                Node::Switch { arms } => arms.iter().all(|(_, body)| all(body)),
                _ => true,
            })
        }
        let room = room * self.points_per_lane;
        self.first_global = (self.slots > room).then(|| if all(&self.body) { room } else { 0 });
    }

    /// Bytes of shared memory per CTA through which striped constants are broadcast on machines without shuffles.
    pub fn mirror_bytes(&self, target: &Target) -> u32 {
        let Constants { real_registers, index_registers, .. } = self.constants;
        target.mirror_bytes_per_warp(real_registers > 0, index_registers > 0) * self.execution.warps()
    }

    /// The striped registers, real and index ones, that are loaded in the streaming loop.
    pub fn reloaded(&self) -> (BTreeSet<u32>, BTreeSet<u32>) {
        let mut found = (BTreeSet::new(), BTreeSet::new());
        reloaded(&self.body, &mut found);
        found
    }
}

fn reloaded(nodes: &[Node], found: &mut (BTreeSet<u32>, BTreeSet<u32>)) {
    for node in nodes {
        match node {
            Node::Stripes { reals, indices } => {
                found.0.extend(reals);
                found.1.extend(indices);
            }
            Node::If { body, .. } | Node::Loop { body, .. } => reloaded(body, found),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| reloaded(body, found)),
            _ => {}
        }
    }
}

impl Execution {
    /// Warps per CTA.
    pub fn warps(self) -> u32 {
        self.roles() * self.warp_groups()
    }

    /// Warps that the code tells apart: those of a schedule.
    pub fn roles(self) -> u32 {
        match self {
            Self::WarpSpecialized { warps, .. } | Self::DataParallel { warps } => warps,
        }
    }

    /// Groups of warps in a CTA that share its named barriers.
    pub fn warp_groups(self) -> u32 {
        match self {
            Self::WarpSpecialized { groups, .. } => groups,
            Self::DataParallel { .. } => 1,
        }
    }

    /// Groups of points that a CTA works on at once, for one point of each lane.
    pub fn groups_per_cta(self) -> u32 {
        match self {
            Self::WarpSpecialized { groups, .. } => groups,
            Self::DataParallel { warps } => warps,
        }
    }
}

/// A global array of the kernel's signature: `double *name` or `float *name` (inputs are `const`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub name: String,
    /// Number of fields; row r of point p is at `r*stride + p`.
    pub rows: u32,
    pub output: bool,
    pub io: Io,
}

impl From<&dataflow::Array> for Array {
    /// An array of doubles, as the graph declares it.
    fn from(array: &dataflow::Array) -> Self {
        Self { name: array.name.into(), rows: array.rows, output: array.output, io: Io::Double }
    }
}

/// A plain read-only array of constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bank {
    Reals,
    Indices,
}

/// Constant tables. Striped tables hold one entry per (register, warp, lane) at `(register*warps + warp)*32 + lane`;
/// each thread loads its entries once, before the streaming loop, except for those that a [`Node::Stripes`] loads.
/// Banks begin with the entries of all warps; then each warp has as many of its own as the others, in one piece.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constants {
    pub real_registers: u32,
    pub reals: Vec<f64>,
    pub index_registers: u32,
    pub indices: Vec<i32>,
    pub real_bank: Vec<f64>,
    pub index_bank: Vec<i32>,
    /// Number of bank entries shared by all warps.
    pub common_reals: u32,
    pub common_indices: u32,
    /// The banks are copied to shared memory, behind the slots, once per CTA before the streaming loop. Not in
    /// data-parallel code with loops.
    pub shared: bool,
}

/// Statements that the smallest instruction caches have room for, which hold some 32 KiB.
const LARGEST_CACHED: usize = 1500;

/// Banks of up to this size lie in constant memory, which has 64 KiB.
pub const CONSTANT_BYTES: usize = 64 * 1024;

impl Constants {
    /// Entries of a bank that belong to all warps, and to each of so many.
    pub fn entries(&self, bank: Bank, warps: u32) -> [u32; 2] {
        let (common, all) = match bank {
            Bank::Reals => (self.common_reals, self.real_bank.len()),
            Bank::Indices => (self.common_indices, self.index_bank.len()),
        };
        [common, (all as u32 - common) / warps]
    }

    pub fn bank_bytes(&self) -> usize {
        8 * self.real_bank.len() + 4 * self.index_bank.len()
    }

    /// Whether the banks lie in constant memory: they are read from there, and small enough.
    pub fn in_constant_memory(&self) -> bool {
        !self.shared && self.bank_bytes() <= CONSTANT_BYTES
    }
}

/// A set of warps, one bit each.
pub type WarpMask = u32;

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A provenance comment for the emitted text.
    Comment(String),
    /// Assigns a variable.
    Let { var: Var, value: Value },
    /// `slots[row][lane] = value`
    StoreSlot { row: Index, value: Var },
    /// arrays[array][row*stride + point] = value, for lanes whose point exists; `point` counts the lane's points.
    /// Singles in arrays of doubles are stored plus the rest in double precision.
    StoreField { array: usize, row: Index, point: u32, value: Var, rest: Option<Var> },
    /// A named barrier over `threads` threads (a multiple of 32).
    Barrier { id: u32, threads: u32, kind: BarrierKind },
    /// Loads these registers of striped constants, real and index ones, where registers are too few to keep them all.
    Stripes { reals: Vec<u32>, indices: Vec<u32> },
    /// The lanes of each warp wait for each other and see what all of them wrote to slots.
    WarpSync,
    /// Adds the products of blocks of 8 rows and 4 columns of matrices with four slots to the blocks' sums, on tensor cores.
    /// `rows` gives the slot of column l%4 in lane l. Column n of the right-hand matrix of group g is point 8 g + (n ^ n/4):
    /// the pairs of a group's upper half are swapped, so that neither reads nor stores of results meet in a bank.
    Multiply { rows: LaneRows, blocks: Vec<TensorBlock> },
    /// Stores the sums of a block; `rows` gives the slot of row l/4 in lane l.
    StoreBlock { rows: LaneRows, sums: [Var; 8] },
    /// Only the warps of the mask execute the body.
    If { warps: WarpMask, body: Vec<Node> },
    /// Disjoint masks; an indirect branch on the warp id. Warps in no arm skip it.
    Switch { arms: Vec<(WarpMask, Vec<Node>)> },
    /// `for (counter = 0; counter < trips; ++counter)`; trips is warp-uniform. `unroll` is a hint, 1 for none.
    Loop { counter: Counter, trips: Index, unroll: u32, body: Vec<Node> },
}

impl Node {
    /// The variable that it sets to a literal, and that.
    pub fn literal(&self) -> Option<(Var, f64)> {
        match *self {
            Self::Let { var, value: Value::Literal(x) } => Some((var, x)),
            _ => None,
        }
    }

    /// Returns the variables that an assignment or a store reads.
    pub fn operands(&self) -> Vec<Var> {
        let mut found = Vec::new();
        match self {
            Self::Let { value, .. } => value.for_each_operand(|operand| found.push(operand)),
            Self::StoreSlot { value, .. } => found.push(*value),
            Self::StoreField { value, rest, .. } => found.extend([*value].iter().chain(rest)),
            _ => {}
        }
        found
    }
}

/// A slot for each lane: the lane's own entry of an index register times a factor, plus an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneRows {
    pub register: u32,
    pub factor: u32,
    pub offset: i32,
}

/// A block of a matrix: the element at row l/4 and column l%4 is lane l's own entry of a real register. Sums 2 g and 2 g + 1
/// of lane l belong to row l/4 of the result and columns 2 (l%4) and 2 (l%4) + 1 of group g.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorBlock {
    pub register: u32,
    pub sums: [Var; 8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    /// Registers arrival and continues.
    Arrive,
    /// Registers arrival and waits for the rest.
    Sync,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Literal(f64),
    Constant(ConstantRef),
    Var(Var),
    /// `slots[row][lane]`
    Slot(Index),
    /// arrays[array][row*stride + point]; lanes beyond the last point read the last point. `point` counts the lane's points.
    Field {
        array: usize,
        row: Index,
        point: u32,
        share: Share,
    },
    Unary(Unary, Var),
    Binary(Binary, Var, Var),
    /// a*b + c, rounded once
    Fma(Var, Var, Var),
    /// if a <= b { then } else { otherwise }
    SelectLe {
        a: Var,
        b: Var,
        then: Var,
        otherwise: Var,
    },
    /// `real_bank[first + 1]` if a <= b, else `real_bank[first]`: each lane its own
    ConstantLe {
        a: Var,
        b: Var,
        first: u32,
    },
}

impl Value {
    /// Calls `visit` for each operand, in order; one that occurs twice is visited twice.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Var)) {
        match *self {
            Self::Literal(_) | Self::Constant(_) | Self::Slot(_) | Self::Field { .. } => {}
            Self::Var(a) | Self::Unary(_, a) => visit(a),
            Self::Binary(_, a, b) | Self::ConstantLe { a, b, .. } => [a, b].into_iter().for_each(visit),
            Self::Fma(a, b, c) => [a, b, c].into_iter().for_each(visit),
            Self::SelectLe { a, b, then, otherwise } => [a, b, then, otherwise].into_iter().for_each(visit),
        }
    }

    /// The same, to change them.
    pub fn for_each_operand_mut(&mut self, visit: &mut dyn FnMut(&mut Var)) {
        match self {
            Self::Literal(_) | Self::Constant(_) | Self::Slot(_) | Self::Field { .. } => {}
            Self::Var(a) | Self::Unary(_, a) => visit(a),
            Self::Binary(_, a, b) | Self::ConstantLe { a, b, .. } => [a, b].into_iter().for_each(visit),
            Self::Fma(a, b, c) => [a, b, c].into_iter().for_each(visit),
            Self::SelectLe { a, b, then, otherwise } => [a, b, then, otherwise].into_iter().for_each(visit),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ConstantRef {
    /// shfl(real register, lane)
    Striped { register: u32, lane: Index },
    /// `real_bank[index]`
    Bank(Index),
}

/// A warp-uniform integer expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Index {
    Literal(u32),
    Counter(Counter),
    /// shfl(index register, lane)
    Striped {
        register: u32,
        lane: Box<Index>,
    },
    /// `index_bank[index]`
    Bank(Box<Index>),
    /// The first of the entries of a bank that belong to this warp.
    Own(Bank),
    Sum(Box<Index>, Box<Index>),
    Scaled(Box<Index>, u32),
}

/// `var = value`
pub fn assign(var: Var, value: Value) -> Node {
    Node::Let { var, value }
}
