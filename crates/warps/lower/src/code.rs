//! The typed code of a kernel: one tree, which CUDA text and PTX are printed from.
//!
//! All is decided when it is made: which variables and tables there are, where they lie and where they are declared, which
//! expressions stand inside others, how the groups of points are dealt out, what lanes beyond the last point do. A printer
//! spells it. What compilers of CUDA text may be told beside that ([`Loop`](Statement::Loop)'s `unroll`,
//! [`Recompute`](Statement::Recompute), [`Slots::are_volatile`]) changes no value, and PTX has no words for it.
//!
//! Numbers are doubles, or singles where the code's arithmetic is that ([`Real`], one IEEE-754 operation each or a function of
//! [`graph::steps`]); or they are whole numbers of 32 bits ([`Integer`], not negative).

use cranelift_entity::PrimaryMap;
use kernels::Io;
use overlay::program::{Arithmetic, Array, Bank, BarrierKind, Binary, Counter, Execution, Share, Unary, Var, WarpMask};
use schedule::named_barriers;

pub struct Code {
    /// The kernel's name, such as `viscosity`.
    pub kernel: String,
    /// The name of its function, such as `gri30_viscosity`.
    pub symbol: String,
    pub arithmetic: Arithmetic,
    pub execution: Execution,
    pub points_per_lane: u32,
    /// The pointers among the parameters, in order; the number of points and the stride follow.
    pub arrays: Vec<Array>,
    /// Names for the variables, not necessarily different ones.
    pub vars: PrimaryMap<Var, String>,
    pub counters: u32,
    pub registers: Registers,
    /// Entries of the banks of reals and of whole numbers, used or not.
    pub bank_entries: [usize; 2],
    pub banks: BankSpace,
    /// The tables that the code reads.
    pub tables: Vec<Table>,
    pub slots: Slots,
    /// As [`Program::workspace_bytes_per_cta`](overlay::program::Program::workspace_bytes_per_cta).
    pub workspace_bytes_per_cta: Option<u64>,
    /// Content of each slot, for readers, with the number of the phase that stores it.
    pub contents: Vec<(u32, Vec<(String, u32)>)>,
    /// Numbers of a thread in local memory for [`Statement::Spill`].
    pub spilled: u32,
    /// Bytes of shared memory per CTA through which constants are broadcast on machines without shuffles.
    pub mirror_bytes: u32,
    /// And for the table of powers.
    pub power_bytes: u32,
    /// Runs once per thread.
    pub prologue: Vec<Statement>,
    pub stream: Stream,
    /// Proven plan of the waves for the barriers of the code, on a machine with AMD's named barriers.
    pub named_barriers: Option<named_barriers::proof::Proven>,
}

/// Registers per thread for striped constants.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    pub reals: u32,
    pub indices: u32,
}

/// Rows of numbers of a CTA in shared and global memory, or numbers of a thread in local memory.
#[derive(Debug, Clone, Copy)]
pub struct Slots {
    /// Number of slots of values, of all groups of warps one after the other.
    pub count: u32,
    /// Those that lie in `space`, with those of banks behind them.
    pub rows: u32,
    /// Numbers from one row to the next; 1 in local memory.
    pub pitch: u32,
    pub number: Io,
    pub space: SlotSpace,
    /// First slot in global memory, by its number in each group of warps: from it on, slots lie in rows of a workspace, where each CTA has a part.
    pub first_global: Option<u32>,
    /// They are too many for static shared memory, and asked for at launch.
    pub are_dynamic: bool,
    /// A hint: compilers would keep what they can of them in registers, and spill.
    pub are_volatile: bool,
}

impl Code {
    /// Points of one turn of the streaming loop.
    pub fn points_per_group(&self) -> u32 {
        32 * self.points_per_lane
    }

    /// Returns the number format of the arrays.
    pub fn io(&self) -> Io {
        self.arrays.first().map_or(Io::Double, |array| array.io)
    }

    /// Whether a warp's next inputs are copied to shared memory while it computes.
    pub fn copies_inputs(&self) -> bool {
        self.stream.body.iter().any(|statement| matches!(statement, Statement::CopyInputs { .. }))
    }

    /// Bytes that a thread stores and loads by the code's own spill code.
    pub fn spill_bytes(&self) -> usize {
        let is_move = |statement: &&Statement| {
            matches!(statement, Statement::Spill { .. } | Statement::Define { value: Real::Spilled(_), .. })
        };
        8 * self.stream.body.iter().filter(is_move).count()
    }

    /// Rows of slots of each group of warps.
    fn rows_per_warp_group(&self) -> u32 {
        self.slots.count / self.execution.warp_groups()
    }

    /// The slots of each group of warps that lie in shared memory, and those that lie in global memory.
    pub fn rows_apart(&self) -> [u32; 2] {
        let all = self.rows_per_warp_group();
        let shared = self.slots.first_global.unwrap_or(all);
        [shared, all - shared]
    }

    /// Bytes of shared memory that a CTA takes.
    pub fn shared_bytes(&self) -> u32 {
        let slots = match self.slots.space {
            SlotSpace::Shared => self.slots.rows * self.slots.row_bytes(),
            SlotSpace::Local | SlotSpace::Global => 0,
        };
        slots + self.mirror_bytes + self.power_bytes
    }
}

impl Slots {
    /// Bytes of a row of shared memory, or of a slot in local memory over the lanes of a warp.
    pub fn row_bytes(&self) -> u32 {
        match self.space {
            SlotSpace::Shared => self.number.bytes() as u32 * self.pitch,
            SlotSpace::Local | SlotSpace::Global => self.number.bytes() as u32 * 32,
        }
    }

    /// Bytes of a row of global memory.
    pub fn global_row_bytes(&self) -> u64 {
        self.number.bytes() * 32
    }

    /// Where a slot lies, and its row there.
    ///
    /// Warps hand values over in global memory as they do in shared memory. When a barrier of the CTA completes, all earlier writes of its
    /// threads are performed for all threads that take part in it. No thread that waits has read ahead of it. This holds in any memory (PTX
    /// ISA, `barrier{.cta}`: "prior memory accesses requested by this thread are performed relative to all threads participating in the
    /// barrier"). So the proof of slots holds in either, as long as no load goes through the cache for data that nobody writes
    /// (`ld.global.nc`): the workspace is neither `const` nor `__restrict__`.
    pub fn place(&self, row: &Integer) -> (SlotSpace, Integer) {
        match (self.first_global, row) {
            (None, _) => (self.space, row.clone()),
            (Some(0), _) => (SlotSpace::Global, row.clone()),
            (Some(first), Integer::Literal(row)) if *row >= first => (SlotSpace::Global, Integer::Literal(row - first)),
            (Some(_), Integer::Literal(_)) => (SlotSpace::Shared, row.clone()),
            (Some(_), _) => unreachable!("slots lie in both memories only where the code knows each"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotSpace {
    Shared,
    Local,
    Global,
}

/// Where banks are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankSpace {
    Constant,
    Global,
    /// In rows behind the slots.
    Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableKind {
    /// Striped: entry `t` of register `r` is at `r threads + t`, for thread t.
    Reals,
    Indices,
    RealBank,
    IndexBank,
    /// [`graph::function_tables::LOGARITHMS`]
    Logarithms,
    /// [`graph::function_tables::power`]
    Powers,
}

impl TableKind {
    /// The end of the table's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reals => "reals",
            Self::Indices => "indices",
            Self::RealBank => "real_bank",
            Self::IndexBank => "index_bank",
            Self::Logarithms => "logarithms",
            Self::Powers => "powers",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Table {
    pub kind: TableKind,
    /// In constant memory, else in global memory.
    pub is_constant: bool,
    pub values: Values,
}

#[derive(Debug, Clone)]
pub enum Values {
    Reals(Vec<f64>),
    Integers(Vec<i32>),
}

/// The loop over groups of points: `for (group = first; more; group += step)`.
pub struct Stream {
    pub first: Integer,
    pub more: Less,
    pub step: Integer,
    /// Groups that a CTA works on at once.
    pub groups_per_cta: u32,
    /// The lane's points in the group.
    pub points: Vec<Statement>,
    pub body: Vec<Statement>,
}

/// `a < b`
#[derive(Debug, Clone, PartialEq)]
pub struct Less {
    pub a: Integer,
    pub b: Integer,
    /// The numbers may be larger than those that have a sign.
    pub is_wide: bool,
}

/// A whole number with a name. Its value is assigned once in each turn of the loop that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Local {
    /// The number of the warp in its CTA, or in its group where a CTA has several groups of warps.
    Warp,
    /// Where a CTA has several groups of warps: the number of the warp in the CTA, or of the wave where it has several warps, and of its
    /// group.
    CtaWarp,
    WarpGroup,
    /// The number of the lane in its warp.
    Lane,
    /// The first entry of a bank that belongs to the warp.
    Own(Bank),
    /// The column of a right-hand matrix that the lane reads of slots, and those of a result that it writes, in the first
    /// group of 8 points.
    ReadColumn,
    WriteColumn,
    OtherColumn,
    Groups,
    /// The counter of [`Stream`].
    Group,
    /// Elements from one row of an array to the next.
    Stride,
    GivenStride,
    /// The number of one of the lane's points.
    Point(u32),
    Trips(u32),
    Index(u32),
    /// The first row of shared memory for the warp's inputs.
    Inputs,
    /// The number of one of the lane's points in the group whose inputs are copied.
    NextPoint(u32),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Integer {
    Literal(u32),
    Local(Local),
    Counter(Counter),
    /// The number of points, a parameter.
    Points,
    /// The number of the thread in its CTA.
    Thread,
    /// The number of the CTA, and how many there are.
    Cta,
    Ctas,
    /// A lane's part of a striped index, in all lanes.
    Broadcast {
        register: u32,
        lane: Box<Integer>,
    },
    /// This lane's part of a striped index.
    Own(u32),
    /// An entry of the bank of whole numbers.
    Bank(Box<Integer>),
    Binary(IntegerOperator, Box<Integer>, Box<Integer>),
    /// 1 where the number is not 0, else 0.
    IsNotZero(Box<Integer>),
    /// The same number. Compilers are not to see that, and compute again what follows from it.
    Opaque(Box<Integer>),
    /// A number that all lanes of the warp have. Compilers are to see that: branches on it need no care for lanes that part,
    /// and what is made of it is made once for the warp.
    Uniform(Box<Integer>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerOperator {
    Add,
    Sub,
    Mul,
    /// By a power of two, as the next.
    Div,
    Rem,
    And,
    Xor,
    ShiftLeft,
    ShiftRight,
    Min,
}

impl Integer {
    /// The operation, or what it comes to where that is known.
    pub fn binary(operator: IntegerOperator, a: Self, b: Self) -> Self {
        use IntegerOperator::{Add, Mul, Sub};
        match (operator, a, b) {
            (Add, Self::Literal(a), Self::Literal(b)) => Self::Literal(a.wrapping_add(b)),
            (Sub, Self::Literal(a), Self::Literal(b)) => Self::Literal(a.wrapping_sub(b)),
            (Mul, Self::Literal(a), Self::Literal(b)) => Self::Literal(a.wrapping_mul(b)),
            (Add, Self::Literal(0), x) | (Add, x, Self::Literal(0)) | (Mul, x, Self::Literal(1)) => x,
            (operator, a, b) => Self::Binary(operator, Box::new(a), Box::new(b)),
        }
    }

    pub fn with(self, operator: IntegerOperator, b: u32) -> Self {
        Self::binary(operator, self, Self::Literal(b))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Real {
    Literal(f64),
    Var(Var),
    /// A lane's part of a striped constant, in all lanes.
    Broadcast {
        register: u32,
        lane: Integer,
    },
    /// An entry of the bank of reals.
    Bank(Integer),
    /// The lane's element of a row of slots.
    /// A number of a row of slots; of one that holds doubles perhaps a single of it.
    Slot(Integer, Share),
    /// The number that a [`Statement::Spill`] stored at this place.
    Spilled(u32),
    Field(Box<Field>),
    Unary(Unary, Box<Real>),
    Binary(Binary, Box<[Real; 2]>),
    /// A product that no compiler may fuse with a sum.
    SeparateProduct(Box<[Real; 2]>),
    /// a b + c, rounded once
    Fma(Box<[Real; 3]>),
    /// if a <= b { then } else { otherwise }, in this order
    SelectLe(Box<[Real; 4]>),
    /// An entry of the bank of reals, each lane its own: that behind the first if a <= b, else the first.
    BankLe {
        first: u32,
        operands: Box<[Real; 2]>,
    },
}

impl Real {
    pub fn operands(&self) -> &[Real] {
        match self {
            Self::Literal(_)
            | Self::Var(_)
            | Self::Broadcast { .. }
            | Self::Bank(_)
            | Self::Slot(..)
            | Self::Spilled(_)
            | Self::Field(_) => &[],
            Self::Unary(_, a) => std::slice::from_ref(a),
            Self::Binary(_, operands) | Self::SeparateProduct(operands) | Self::BankLe { operands, .. } => {
                &operands[..]
            }
            Self::Fma(operands) => &operands[..],
            Self::SelectLe(operands) => &operands[..],
        }
    }

    pub fn operands_mut(&mut self) -> &mut [Real] {
        match self {
            Self::Literal(_)
            | Self::Var(_)
            | Self::Broadcast { .. }
            | Self::Bank(_)
            | Self::Slot(..)
            | Self::Spilled(_)
            | Self::Field(_) => &mut [],
            Self::Unary(_, a) => std::slice::from_mut(a),
            Self::Binary(_, operands) | Self::SeparateProduct(operands) | Self::BankLe { operands, .. } => {
                &mut operands[..]
            }
            Self::Fma(operands) => &mut operands[..],
            Self::SelectLe(operands) => &mut operands[..],
        }
    }
}

/// `arrays[array][row stride + point]`
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub array: usize,
    pub row: Integer,
    /// Number of the point among the lane's points.
    pub point: u32,
    /// The kernel does not write the array.
    pub is_read_only: bool,
    pub share: Share,
}

/// The first points of the groups of 8 that a matrix product takes one after the other.
pub const PRODUCT_GROUPS: [u32; 4] = [0, 8, 16, 24];

/// A register of striped constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stripe {
    Real(u32),
    Index(u32),
}

impl Stripe {
    pub fn table(self) -> TableKind {
        match self {
            Self::Real(_) => TableKind::Reals,
            Self::Index(_) => TableKind::Indices,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    Comment(String),
    /// A variable that is assigned later.
    Declare(Var),
    /// A variable with its first value.
    Define {
        var: Var,
        value: Real,
        /// It is assigned again.
        changes: bool,
    },
    Assign {
        var: Var,
        value: Real,
    },
    DefineInteger {
        local: Local,
        value: Integer,
        /// A [`Recompute`](Self::Recompute) has it.
        changes: bool,
    },
    /// Whether one of the lane's points exists.
    DefineActive {
        point: u32,
        value: Less,
    },
    /// A hint: the variables have these values already.
    Recompute(Vec<(Local, Integer)>),
    /// A striped constant that is loaded later.
    DeclareStripe(Stripe),
    /// A striped constant with the thread's entry of its table from `first` on.
    DefineStripe {
        stripe: Stripe,
        first: u32,
    },
    LoadStripe {
        stripe: Stripe,
        first: u32,
    },
    /// All threads of the CTA copy a bank to shared memory, from a row of the slots on.
    CopyBank {
        bank: TableKind,
        row: u32,
        entries: u32,
    },
    /// All threads of the CTA wait for each other.
    CtaSync,
    /// All threads of the CTA copy the table of powers to shared memory of its own, and wait for each other.
    CopyPowers,
    StoreSlot {
        row: Integer,
        value: Real,
    },
    /// A number of the thread goes to a place in local memory, from where compilers may not take it back into a register.
    Spill {
        place: u32,
        value: Var,
    },
    /// Where there is another group: starts asynchronous copies of its inputs. They are a batch.
    CopyInputs {
        more: Less,
        /// The lane's points in that group.
        points: Vec<Integer>,
        /// Row of slots, number of the array, row there, and number of the lane's point, of each copy.
        copies: Vec<(Integer, usize, u32, u32)>,
    },
    /// Until at most so many batches of copies are under way.
    AwaitCopies {
        pending: u32,
    },
    /// For lanes whose point exists.
    StoreField {
        array: usize,
        row: Integer,
        point: u32,
        value: Real,
        /// Rest that is added to it in double precision.
        rest: Option<Real>,
    },
    Barrier {
        id: u32,
        threads: u32,
        kind: BarrierKind,
    },
    /// The lanes of each warp wait for each other.
    WarpSync,
    /// As [`Node::Multiply`](overlay::program::Node::Multiply); the row is each lane's own.
    Multiply {
        row: Integer,
        /// Registers of the blocks, and their sums.
        blocks: Vec<(u32, [Var; 8])>,
        /// Two blocks are multiplied at once where there are two.
        in_pairs: bool,
    },
    /// As [`Node::StoreBlock`](overlay::program::Node::StoreBlock).
    StoreBlock {
        row: Integer,
        sums: [Var; 8],
    },
    If {
        warps: WarpMask,
        body: Vec<Statement>,
    },
    Switch {
        arms: Vec<(WarpMask, Vec<Statement>)>,
        /// Whether it takes one indirect branch, else one comparison for each arm.
        is_indirect: bool,
    },
    /// The number of trips is a literal other than 0, or a variable.
    Loop {
        counter: Counter,
        trips: Integer,
        /// A hint, 1 for none.
        unroll: u32,
        body: Vec<Statement>,
    },
}
