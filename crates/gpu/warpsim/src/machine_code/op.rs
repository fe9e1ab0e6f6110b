//! Instructions of the executor of machine code, whose operands are numbers of rows.

use crate::rows::{Map2, Map3};
use crate::scalar::Each;
use ptx::inst::{AtomOp, BarKind, BoolOp, ShflMode, Space, Special, Type, VoteMode};

/// One 32-bit register of all lanes.
pub(super) type Word = [u32; 32];

/// Rows of registers: `R0` … `R254`, two that stay zero for `RZ` and its successor, then `UR0` …, equal in all lanes, and one for
/// results that only set the condition code.
pub(super) const ZERO: u32 = 255;
pub(super) const UNIFORM: u32 = 257;
pub(super) const TESTED: u32 = 257 + 256;
pub(super) const ROWS: usize = 257 + 256 + 1;
/// Marks rows of the pool of constants.
pub(super) const POOL: u32 = 1 << 31;

/// Predicates: `P0` … `P6`, `UP0` … `UP6` behind them, one that always holds, and the condition code, before Volta: the carry,
/// whether the result was 0, and its sign.
pub(super) const UNIFORM_PREDICATE: u8 = 8;
pub(super) const TRUE: u8 = 16;
pub(super) const CARRY: u8 = 17;
pub(super) const NULL: u8 = 18;
pub(super) const SIGN: u8 = 19;
pub(super) const PREDICATES: usize = 20;

/// A predicate that is read, and whether it is negated.
pub(super) type Bit = (u8, bool);

/// A row that is read, or the first of two, with the modifiers of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub row: u32,
    pub negate: bool,
    pub absolute: bool,
    pub invert: bool,
}

/// Interpretation of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// 64 bits, of two registers.
    Long,
    Single,
    /// A single whose subnormal values count as 0 (`FTZ`).
    Flushed,
    Double,
}

impl Kind {
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }
}

pub(super) struct Decoded {
    pub guard: Option<Bit>,
    /// Whether it is executed once for the warp, whatever its lanes do.
    pub uniform: bool,
    /// Result whose zero test and sign go into the condition code.
    pub tested: Option<u32>,
    /// Whether it is the upper word of one whose lower word was tested before: only both together are 0.
    pub tests_on: bool,
    /// Whether its lanes wait for those of the topmost token.
    pub joins: bool,
    pub op: Op,
}

/// Part of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Low,
    High,
    Both,
}

/// An instruction, by the parts of the machine that it needs.
pub(super) enum Op {
    Integer(Integer),
    Multiply(Multiply),
    Bits(Bits),
    Function(Function),
    Selection(Selection),
    Lanes(Lanes),
    Access(Access),
    Flow(Flow),
    Nothing,
}

/// Integers, lane by lane.
pub(super) enum Integer {
    /// Integers, word by word.
    Word { f: fn(u32, u32, u32) -> u32, d: u32, sources: [Source; 3] },
    /// a + b + c with up to two carries each way.
    Sum { d: u32, carries: [Option<u8>; 2], sources: [Source; 3], ins: [Option<Bit>; 2] },
    /// The smaller or the larger of the upper words of two numbers. The condition code gets which of them is larger, and whether
    /// they are equal.
    UpperExtremum { largest: bool, signed: bool, d: u32, sources: [Source; 2] },
    /// The corresponding lower word.
    LowerExtremum { largest: bool, d: u32, sources: [Source; 2] },
}

/// Products of words, and shifted ones, in a sum.
pub(super) enum Multiply {
    /// a b + c
    Product { half: Half, signed: bool, d: u32, carry: Option<u8>, sources: [Source; 3], carried: Option<Bit> },
    /// The low or the high word of a product, which `negate` subtracts, and c.
    ProductWord {
        high: bool,
        signed: bool,
        negate: bool,
        d: u32,
        carry: Option<u8>,
        sources: [Source; 3],
        carried: Option<Bit>,
    },
    /// (a << by) + b; `high`: the upper word of a shift of 64 bits, whose upper word is c or the sign of a.
    Scaled {
        d: u32,
        carry: Option<u8>,
        a: Source,
        b: Source,
        c: Option<Source>,
        high: bool,
        by: u32,
        carried: Option<Bit>,
    },
}

/// Bits of words, and predicates.
pub(super) enum Bits {
    /// Any logic of three words, bit by bit, from a table of eight; and whether a bit is set.
    Logic {
        d: u32,
        any: Option<u8>,
        sources: [Source; 3],
        table: u8,
        /// Joined to `any`.
        with: Bit,
    },
    /// A shift of {c, a} by b.
    Shift {
        left: bool,
        high: bool,
        signed: bool,
        /// Bits of the count that are heeded, or the largest count.
        count: Count,
        d: u32,
        sources: [Source; 3],
    },
    PredicateLogic {
        p: Option<u8>,
        q: Option<u8>,
        sources: [Bit; 3],
        tables: [u8; 2],
    },
    /// Predicates from `first` on into the bits of a word.
    Collect {
        d: u32,
        first: u8,
        a: Source,
        mask: Source,
    },
    /// Predicates from the bits of a byte of a word.
    Spread {
        a: Source,
        byte: u32,
        mask: Source,
    },
}

/// Functions of rows of numbers.
pub(super) enum Function {
    /// Doubles, row by row.
    Double2 {
        f: Map2,
        d: u32,
        sources: [Source; 2],
    },
    Double3 {
        f: Map3,
        d: u32,
        sources: [Source; 3],
    },
    /// Lane by lane.
    Each {
        f: Each,
        d: u32,
        wide: bool,
        sources: [(Source, Kind); 3],
    },
    /// Whether a is the smaller double, or the larger; and whether both are NaN. A NaN loses against a number, and -0 is below +0.
    Extremum {
        largest: bool,
        p: Option<u8>,
        q: Option<u8>,
        sources: [Source; 2],
    },
}

/// Words that are moved unchanged, and tests that decide between them.
pub(super) enum Selection {
    Move {
        d: u32,
        a: Source,
    },
    /// Two registers.
    MoveWide {
        d: u32,
        a: Source,
    },
    /// a where the predicate holds, else b.
    Select {
        d: u32,
        kind: Kind,
        sources: [Source; 2],
        by: Bit,
    },
    Special {
        d: u32,
        special: Special,
    },
    /// A comparison and its complement, each combined with a predicate. `below` decides between equal words.
    Compare {
        f: fn(&[u64; 32], &[u64; 32]) -> u32,
        /// Row of all bits if it holds.
        d: Option<u32>,
        p: Option<u8>,
        q: Option<u8>,
        kind: Kind,
        signed: bool,
        sources: [Source; 2],
        combine: BoolOp,
        with: Bit,
        below: Option<Below>,
    },
}

/// Exchanges between lanes.
pub(super) enum Lanes {
    /// The word that all lanes have, into a register of the warp.
    Agree {
        d: u32,
        a: Source,
    },
    /// The joined values of the active lanes, for the warp.
    Reduce {
        f: fn(u32, u32) -> u32,
        d: u32,
        a: Source,
    },
    Shuffle {
        mode: ShflMode,
        valid: Option<u8>,
        d: u32,
        sources: [Source; 3],
    },
    /// The ballot, and the vote as a predicate.
    Vote {
        mode: VoteMode,
        d: u32,
        p: Option<u8>,
        of: Bit,
    },
    /// The active lanes that have the same word.
    Match {
        d: u32,
        a: Source,
    },
    /// A product of matrices of doubles, 8 x 4 and 4 x 8, plus one of 8 x 8, which counts as 0 if `adds` does not hold; with two
    /// blocks 16 rows. `sum` is the first of its registers, without an absolute value.
    Matrix {
        blocks: u32,
        adds: Bit,
        d: u32,
        factors: [u32; 2],
        sum: Source,
    },
}

/// Loads, stores, and the waits for them.
pub(super) enum Access {
    Load(Load),
    Store(Store),
    /// An asynchronous copy from global to shared memory.
    Copy {
        bytes: u32,
        to: Address,
        from: Address,
    },
    /// Closes a group: the copies since the last closed one.
    CloseCopies,
    /// Waits until no more groups than these are under way.
    AwaitCopies {
        pending: u32,
    },
    Atomic(Atomic),
    /// A barrier in shared memory.
    Mbarrier {
        on: OnMbarrier,
        address: Address,
    },
    /// Loads words of shared memory and locks them, before Maxwell.
    Lock(Locked),
    /// Stores them and sets them free.
    Unlock(Locked),
    /// Whether a generic address lies in the space.
    InSpace {
        p: Option<u8>,
        space: Space,
        address: Address,
    },
    /// A load from a bank of constant memory.
    Constant(Constant),
}

pub(super) struct Load {
    pub space: Space,
    pub bytes: u32,
    /// Mask of the bits that the sign fills.
    pub extend: u64,
    pub d: u32,
    pub address: Address,
}

pub(super) struct Store {
    pub space: Space,
    pub bytes: u32,
    pub a: u32,
    pub address: Address,
}

pub(super) struct Atomic {
    pub op: AtomOp,
    pub ty: Type,
    pub space: Space,
    pub d: u32,
    pub tells: Tells,
    /// The rows of the operands.
    pub sources: [u32; 2],
    pub address: Address,
}

/// Words of shared memory behind a lock.
pub(super) struct Locked {
    pub bytes: u32,
    /// Predicate for the lanes that have the lock.
    pub p: Option<u8>,
    /// Row of the words.
    pub row: u32,
    pub address: Address,
}

pub(super) struct Constant {
    pub bank: u8,
    pub bytes: u32,
    pub extend: u64,
    pub d: u32,
    pub index: u32,
    pub offset: u64,
}

/// Control flow.
pub(super) enum Flow {
    Branch {
        target: u32,
        with: Option<Bit>,
        /// Condition on lanes: only taken if not all of these are active.
        unless: Option<Source>,
        /// Whether it is only taken if all active lanes take it.
        whole: bool,
    },
    /// A branch to an address in a register, or two.
    Indirect {
        a: u32,
        wide: bool,
        base: i64,
    },
    /// The active lanes will meet at the target.
    Push {
        purpose: Purpose,
        target: u32,
        /// Target of the active lanes now, if not the next instruction.
        to: Option<u32>,
    },
    /// The active lanes go to the place where they meet.
    Pop {
        purpose: Purpose,
        with: Option<Bit>,
    },
    /// The active lanes end, if `with` holds for them.
    Exit {
        with: Option<Bit>,
    },
    /// The active lanes will meet at this convergence barrier.
    Join {
        barrier: u8,
    },
    /// The active lanes meet.
    Meet {
        barrier: u8,
    },
    /// The active lanes will not come, or those where the predicate holds.
    Leave {
        barrier: u8,
        with: Option<Bit>,
    },
    /// Saves the lanes that joined a convergence barrier in a register, and forgets them if `clear` is set.
    Save {
        barrier: u8,
        clear: bool,
        d: u32,
    },
    /// Restores a convergence barrier from a register.
    Restore {
        barrier: u8,
        a: Source,
    },
    /// Waits for the lanes of the mask, or for all.
    Gather {
        mask: Option<Source>,
    },
    Barrier {
        kind: BarKind,
        id: Source,
        threads: Option<Source>,
    },
    /// A warp comes to the barrier of its cluster, or waits for the end of the phase that it came to.
    ClusterBarrier {
        waits: bool,
    },
}

/// Result of an atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tells {
    /// The value that was there.
    Old,
    /// 1 where it was the expected one, and was replaced, else 0.
    Replaced,
    /// The same, as a predicate.
    ReplacedAs(Option<u8>),
}

/// Result of the comparison of the lower words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    Bit(Bit),
    /// Whether the first is above the second, or is not, by the condition code of their difference.
    Above(bool),
}

/// Treatment of the count of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Wraps(u32),
    Clamps(u32),
}

/// The sum of registers and an offset.
pub(super) struct Address {
    /// Registers of 32 bits, zero-extended, each with its shift to the left.
    pub words: Vec<(u32, u32)>,
    /// Registers of 64 bits.
    pub pairs: Vec<u32>,
    pub offset: i64,
    /// Whether the sum has 64 bits.
    pub wide: bool,
}

/// Operation on a barrier in shared memory; d gets the previous 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnMbarrier {
    /// One arrival of each lane.
    Arrive { d: u32 },
    /// Whether the phase whose parity is the uppermost bit of a is over.
    Check { p: Option<u8>, a: u32 },
}

/// Purpose of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Join,
    Break,
    Continue,
    Return,
}
