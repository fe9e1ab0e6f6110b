//! Instructions of the simulator, whose operands are numbers of rows.

use super::counts::Class;
use super::rows::{Compare, Map1, Map2, Map3, Row};
use super::scalar::Each;
use ptx::asynchronous::Reach;
use ptx::inst::*;

/// A register row, or with the top bit a row of the pool of constants.
#[derive(Clone, Copy)]
pub(super) struct Source(pub(super) u32);

impl Source {
    pub(super) const POOL: u32 = 1 << 31;

    /// Returns the register row; `None` for a constant.
    pub(super) fn register(self) -> Option<u32> {
        (self.0 & Self::POOL == 0).then_some(self.0)
    }

    pub(super) fn row<'a>(self, regs: &'a [Row], pool: &'a [Row]) -> &'a Row {
        if self.0 & Self::POOL == 0 { &regs[self.0 as usize] } else { &pool[(self.0 & !Self::POOL) as usize] }
    }
}

/// Marks a branch without reconvergence before the exit.
pub(super) const EXIT: u32 = u32::MAX;

/// The predicate number and whether it is negated.
pub(super) type GuardBit = (u32, bool);

pub(super) struct Decoded {
    pub guard: Option<GuardBit>,
    pub class: Class,
    pub micro: Micro,
}

/// The reduction of `bar.red`: operation, destination, predicate.
pub(super) type BarResult = (BarRedOp, u32, GuardBit);

/// Eight rows of A, C and d of [`Op::Mma`].
pub(super) struct MatrixBlock {
    pub d: [u32; 2],
    pub a: Source,
    pub c: [Source; 2],
}

/// An instruction; branch targets are program counters.
pub(super) enum Micro {
    Compute(Compute),
    Test(Test),
    Pieces(Pieces),
    MemoryAccess(MemoryAccess),
    Collective(Collective),
    /// `aligned`: all lanes of a warp have to execute this very instruction.
    Bar {
        kind: BarKind,
        aligned: bool,
        id: Source,
        threads: Option<Source>,
        result: Option<BarResult>,
    },
    Jump {
        target: u32,
    },
    Branch {
        pred: u32,
        negate: bool,
        then: u32,
        otherwise: u32,
        reconvergence: u32,
    },
    Indirect {
        index: u32,
        targets: Box<[u32]>,
        reconvergence: u32,
    },
    /// A call of a function; the rows of arguments and of results go from left to right.
    Call(Box<Call>),
    /// An instruction unknown to the simulator, with the rows and predicates that it may write.
    Unknown {
        rows: Vec<u32>,
        preds: Vec<u32>,
    },
    /// Asynchronous copies, barriers in memory, clusters, and registers that warps hand to each other.
    Copying(Box<Copying>),
    /// A directive or a fence.
    Nothing,
    Ret,
    /// The end of the thread, also inside a function.
    Exit,
    /// `trap` without a guard: the end of the grid.
    Trap,
}

/// Functions of rows.
pub(super) enum Compute {
    Map1 {
        f: Map1,
        d: u32,
        a: Source,
    },
    Map2 {
        f: Map2,
        d: u32,
        a: Source,
        b: Source,
    },
    Map3 {
        f: Map3,
        d: u32,
        a: Source,
        b: Source,
        c: Source,
    },
    /// Lane by lane; operands that `f` does not take repeat another.
    Each {
        f: Each,
        d: u32,
        sources: [Source; 3],
    },
    Carry {
        op: CarryOp,
        reads: bool,
        writes: bool,
        ty: Type,
        d: u32,
        sources: [Source; 3],
    },
    Activemask {
        d: u32,
    },
}

/// Computation of predicates, and selections by them.
pub(super) enum Test {
    /// A comparison, its complement, and the predicate that both are combined with.
    Compare {
        f: Comparison,
        d: u32,
        other: Option<u32>,
        combine: Option<(BoolOp, GuardBit)>,
        a: Source,
        b: Source,
    },
    SetPred {
        d: u32,
        value: bool,
    },
    /// A comparison as a number, `yes` or 0.
    Set {
        f: Comparison,
        yes: u64,
        d: u32,
        combine: Option<(BoolOp, GuardBit)>,
        a: Source,
        b: Source,
    },
    Logic {
        f: fn(u32, u32) -> u32,
        d: u32,
        a: u32,
        b: u32,
    },
    Select {
        d: u32,
        a: Source,
        b: Source,
        pred: u32,
    },
    /// Whether a generic address lies in the space.
    IsSpace {
        space: Space,
        d: u32,
        a: Source,
    },
}

/// Words of parts, and parts of words.
pub(super) enum Pieces {
    /// Parts of `bits` bits, the lowest first.
    Pack {
        d: u32,
        bits: u32,
        parts: Box<[Source]>,
    },
    Unpack {
        bits: u32,
        parts: Box<[Option<u32>]>,
        a: Source,
    },
    /// d: b with bits of a.
    Insert {
        long: bool,
        d: u32,
        a: Source,
        b: Source,
        pos: Source,
        len: Source,
    },
    /// Bytes of parameters' rows: for each element where it goes, its row and its first byte there.
    Take {
        elements: Vec<(u32, u32, u64)>,
        bytes: u32,
        extend: u64,
    },
    Put {
        elements: Vec<Patch>,
        bytes: u32,
    },
}

/// Loads, stores and atomics.
pub(super) enum MemoryAccess {
    /// `extend`: the sign goes into the bits of this mask.
    Load {
        space: Space,
        bytes: u32,
        extend: u64,
        d: Box<[u32]>,
        base: Source,
        offset: u64,
    },
    Store {
        space: Space,
        bytes: u32,
        a: Box<[Source]>,
        base: Source,
        offset: u64,
    },
    /// `f` makes the new value from the old one, `a` and `b`.
    Atomic {
        f: Each,
        space: Space,
        bytes: u32,
        d: Option<u32>,
        base: Source,
        offset: u64,
        a: Source,
        b: Option<Source>,
    },
}

/// Operations of several lanes together.
pub(super) enum Collective {
    Shuffle {
        mode: ShflMode,
        d: u32,
        valid: Option<u32>,
        a: Source,
        lane: Source,
        clamp: Source,
        mask: Option<Source>,
    },
    Vote {
        mode: VoteMode,
        d: u32,
        pred: u32,
        negate: bool,
        mask: Option<Source>,
    },
    Match {
        all: bool,
        d: u32,
        valid: Option<u32>,
        a: Source,
        mask: Source,
    },
    Redux {
        f: Each,
        d: u32,
        a: Source,
        mask: Source,
    },
    /// `elect.sync`: the lowest lane that is named is the leader.
    Elect {
        lane: Option<u32>,
        pred: Option<u32>,
        mask: Source,
    },
    /// A product A B + C, see [`Op::Mma`].
    Matrix {
        b: Source,
        blocks: Vec<MatrixBlock>,
    },
    /// Matrices of halves between memory and registers, see [`ptx::fragments`].
    Fragments(Box<Fragments>),
    /// A product of matrices whose elements the simulator does not compute: the rows that it writes.
    Product(Vec<u32>),
    /// `bar.warp.sync`
    WarpBarrier {
        mask: Option<Source>,
    },
}

impl MemoryAccess {
    pub(super) fn space(&self) -> Space {
        match self {
            Self::Load { space, .. } | Self::Store { space, .. } | Self::Atomic { space, .. } => *space,
        }
    }
}

impl Collective {
    /// Returns the lanes that it names; `None` for all.
    pub(super) fn named(&self) -> Option<Source> {
        match self {
            Self::Shuffle { mask, .. } | Self::Vote { mask, .. } | Self::WarpBarrier { mask } => *mask,
            Self::Match { mask, .. } | Self::Redux { mask, .. } | Self::Elect { mask, .. } => Some(*mask),
            Self::Matrix { .. } | Self::Product(_) | Self::Fragments(_) => None,
        }
    }
}

/// Operands of [`Fragments`](ptx::fragments::Fragments), as numbers of rows.
pub(super) struct Fragments {
    pub loads: bool,
    pub transposed: bool,
    pub space: Space,
    /// Rows, one for each matrix.
    pub rows: Vec<u32>,
    pub at: Place,
}

impl Fragments {
    /// Returns the bytes of one access: two halves of a row, or a half of each of two.
    pub fn bytes(&self) -> u32 {
        if self.transposed { 2 } else { 4 }
    }
}

/// A place in memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub base: Source,
    pub offset: u64,
}

/// Operations of [`Async`](ptx::asynchronous::Async), with numbers of rows.
pub(super) enum Copying {
    Init {
        at: Place,
        count: Source,
    },
    Invalidate {
        at: Place,
    },
    Arrive {
        at: Place,
        count: Option<Source>,
        bytes: Option<Source>,
        drops: bool,
        state: Option<u32>,
        reach: Reach,
    },
    Expect {
        at: Place,
        bytes: Source,
        reach: Reach,
    },
    Wait {
        at: Place,
        phase: Source,
        parity: bool,
        pred: Option<u32>,
        wide: bool,
    },
    Copy {
        to: Place,
        from: Place,
        bytes: u32,
        size: Option<Source>,
    },
    Commit {
        bulk: bool,
    },
    Drain {
        groups: Option<u32>,
        bulk: bool,
    },
    CopyArrive {
        at: Place,
        counted: bool,
    },
    /// A copy from global memory, with the bytes; `None`: a tensor.
    BulkLoad {
        to: Place,
        from: Option<(Place, Source)>,
        barrier: Place,
        /// A mask of the CTAs that it goes to.
        ranks: Option<Source>,
    },
    /// A copy or reduction to global memory, with the bytes; `None`: a tensor.
    BulkStore {
        from: Place,
        to: Option<(Place, Source)>,
        reduces: bool,
    },
    /// A change of a tensor map in shared memory, or with `to` its copy to global memory.
    Map {
        at: Place,
        to: Option<Place>,
    },
    /// A store, copy or reduction to shared memory of the cluster.
    Deliver(Delivery),
    ClusterArrive {
        relaxed: bool,
    },
    ClusterWait,
    Registers {
        count: u32,
        more: bool,
    },
    /// `fence.proxy.async`
    Fence,
    /// Products of matrices by a warp group (`wgmma`).
    Matrices(Matrices),
    /// Tensor memory (`tcgen05`).
    Tensor(TensorOp),
    /// A fence that orders earlier accesses in front of a relaxed arrival behind it; otherwise only the initialisation of
    /// barriers in memory.
    Release {
        all: bool,
    },
}

/// Bytes that go to shared memory of the cluster, where a barrier counts them.
pub(super) struct Delivery {
    pub to: Place,
    pub barrier: Place,
    pub bytes: Source,
    /// Origin in shared memory; `None`: registers.
    pub from: Option<Place>,
    /// Bytes of an element of a reduction.
    pub reduces: Option<u32>,
}

pub(super) enum Comparison {
    Rows(Compare),
    Each(Box<dyn Fn(u64, u64) -> bool>),
}

impl Comparison {
    /// Compares two rows; one bit per lane.
    pub(super) fn compare(&self, a: &Row, b: &Row) -> u32 {
        match self {
            Self::Rows(f) => f(a, b),
            Self::Each(f) => (0..32).fold(0, |bits, i| bits | u32::from(f(a[i], b[i])) << i),
        }
    }
}

/// An element that is written to a parameter.
pub(super) struct Patch {
    pub row: u32,
    /// The first byte in the row.
    pub byte: u64,
    /// Whether the parameter has no other bytes in this row.
    pub whole: bool,
    pub source: Source,
}

/// A call of a known function.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub target: u32,
    /// Registers and predicates of the function, which a recursion must save.
    pub rows: std::ops::Range<u32>,
    pub preds: std::ops::Range<u32>,
    pub arguments: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
    /// Rows that hold addresses of the function's local variables, with their offsets, and the bytes of all.
    pub locals: Vec<(u32, u64)>,
    pub local_bytes: u64,
}

/// One of the instructions of `wgmma`.
pub(super) enum Matrices {
    Fence,
    Product(Product),
    Commit,
    Wait(u32),
}

/// A product whose operands are read, and whose result is written, until its group has been waited for.
pub(super) struct Product {
    /// Rows of the result.
    pub d: Vec<u32>,
    /// Rows of the first factor, if it lies in registers.
    pub a: Vec<u32>,
    /// Factors in shared memory.
    pub factors: Vec<Factor>,
    /// Type and shape of the result.
    pub shape: String,
}

/// A factor in shared memory.
pub(super) struct Factor {
    pub descriptor: Source,
    /// Rows of the matrix, or columns: its extent beside the dimension that is summed over.
    pub extent: u64,
    /// Bytes of an element.
    pub bytes: u64,
    /// Bytes of a row or column along the dimension that is summed over.
    pub depth: u64,
    /// Whether its elements lie in consecutive places along the extent.
    pub transposed: bool,
}

/// Operations of [`Tensor`](ptx::tensor::Tensor), with numbers of rows.
pub(super) enum TensorOp {
    Allocate { at: Place, columns: Source },
    Free { columns: Source },
    Relinquish,
    Product(TensorProduct),
    Commit { at: Place },
    Load { dst: Vec<u32> },
    Store,
    Wait { stores: bool },
    Fence { after: bool },
}

/// A product in tensor memory.
pub(super) struct TensorProduct {
    /// Descriptor of the first factor, if it lies in shared memory.
    pub a: Option<Source>,
    pub b: Source,
    pub shape: Source,
    pub bytes: u64,
}
