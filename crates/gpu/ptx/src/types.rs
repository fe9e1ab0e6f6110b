//! Types, state spaces and special registers.

/// A PTX fundamental type. The `B` types are untyped bits: instructions on them do not care for the sign.
///
/// Half precision has no type of its own: its registers are `B16` and `B32`, its instructions opaque, and
/// [`packed`](super::packed) says what they compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    Pred,
    B8,
    U8,
    S8,
    B16,
    U16,
    S16,
    B32,
    U32,
    S32,
    B64,
    U64,
    S64,
    F32,
    F64,
    B128,
}

impl Type {
    /// Size in memory; a predicate has none.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Pred => 0,
            Self::B8 | Self::U8 | Self::S8 => 1,
            Self::B16 | Self::U16 | Self::S16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 8,
            Self::B128 => 16,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Integers, and untyped bits, of the sizes that they are computed in.
    pub fn is_integer(self) -> bool {
        matches!(self.bytes(), 2 | 4 | 8) && !self.is_float()
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// The type by which `.reg` declares it: instructions bring the sign, and bytes lie in registers of 16 bits.
    pub fn class(self) -> Self {
        match self {
            Self::Pred | Self::F32 | Self::F64 | Self::B128 => self,
            Self::B8 | Self::U8 | Self::S8 | Self::B16 | Self::U16 | Self::S16 => Self::B16,
            Self::B32 | Self::U32 | Self::S32 => Self::B32,
            Self::B64 | Self::U64 | Self::S64 => Self::B64,
        }
    }

    /// The untyped bits of that size.
    pub fn bits(self) -> Self {
        match self.bytes() {
            0 => Self::Pred,
            1 => Self::B8,
            2 => Self::B16,
            4 => Self::B32,
            8 => Self::B64,
            _ => Self::B128,
        }
    }

    /// The unsigned integers of that size.
    pub fn unsigned(self) -> Self {
        match self.bytes() {
            1 => Self::U8,
            2 => Self::U16,
            4 => Self::U32,
            8 => Self::U64,
            _ => self,
        }
    }

    /// The low bits of a word that belong to the type.
    pub fn mask(self) -> u64 {
        match self.bytes() {
            0 => 1,
            bytes @ 1..8 => (1 << (8 * bytes)) - 1,
            _ => u64::MAX,
        }
    }

    /// The type of twice the width, of `mul.wide` and `mad.wide`; itself when there is none.
    pub fn wide(self) -> Self {
        match self {
            Self::U16 => Self::U32,
            Self::S16 => Self::S32,
            Self::U32 | Self::B32 => Self::U64,
            Self::S32 => Self::S64,
            other => other,
        }
    }
}

/// A state space of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Param,
    Global,
    Shared,
    Local,
    Const,
    /// No space is named: the address tells.
    Generic,
}

/// A special register, read by `mov`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Special {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    /// The warp's number at the moment of reading; in the launches of the simulator the linear thread number / 32.
    WarpId,
    NwarpId,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    SmId,
    NsmId,
    GridId,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    TotalSmemSize,
    DynamicSmemSize,
    ClusterIdX,
    ClusterIdY,
    ClusterIdZ,
    NclusterIdX,
    NclusterIdY,
    NclusterIdZ,
    ClusterCtaidX,
    ClusterCtaidY,
    ClusterCtaidZ,
    ClusterNctaidX,
    ClusterNctaidY,
    ClusterNctaidZ,
    ClusterCtarank,
    ClusterNctarank,
}

impl Special {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 43] = [
        (Self::TidX, "%tid.x"),
        (Self::TidY, "%tid.y"),
        (Self::TidZ, "%tid.z"),
        (Self::NtidX, "%ntid.x"),
        (Self::NtidY, "%ntid.y"),
        (Self::NtidZ, "%ntid.z"),
        (Self::CtaidX, "%ctaid.x"),
        (Self::CtaidY, "%ctaid.y"),
        (Self::CtaidZ, "%ctaid.z"),
        (Self::NctaidX, "%nctaid.x"),
        (Self::NctaidY, "%nctaid.y"),
        (Self::NctaidZ, "%nctaid.z"),
        (Self::LaneId, "%laneid"),
        (Self::WarpId, "%warpid"),
        (Self::NwarpId, "%nwarpid"),
        (Self::LanemaskEq, "%lanemask_eq"),
        (Self::LanemaskLe, "%lanemask_le"),
        (Self::LanemaskLt, "%lanemask_lt"),
        (Self::LanemaskGe, "%lanemask_ge"),
        (Self::LanemaskGt, "%lanemask_gt"),
        (Self::SmId, "%smid"),
        (Self::NsmId, "%nsmid"),
        (Self::GridId, "%gridid"),
        (Self::Clock, "%clock"),
        (Self::ClockHi, "%clock_hi"),
        (Self::Clock64, "%clock64"),
        (Self::GlobalTimer, "%globaltimer"),
        (Self::TotalSmemSize, "%total_smem_size"),
        (Self::DynamicSmemSize, "%dynamic_smem_size"),
        (Self::ClusterIdX, "%clusterid.x"),
        (Self::ClusterIdY, "%clusterid.y"),
        (Self::ClusterIdZ, "%clusterid.z"),
        (Self::NclusterIdX, "%nclusterid.x"),
        (Self::NclusterIdY, "%nclusterid.y"),
        (Self::NclusterIdZ, "%nclusterid.z"),
        (Self::ClusterCtaidX, "%cluster_ctaid.x"),
        (Self::ClusterCtaidY, "%cluster_ctaid.y"),
        (Self::ClusterCtaidZ, "%cluster_ctaid.z"),
        (Self::ClusterNctaidX, "%cluster_nctaid.x"),
        (Self::ClusterNctaidY, "%cluster_nctaid.y"),
        (Self::ClusterNctaidZ, "%cluster_nctaid.z"),
        (Self::ClusterCtarank, "%cluster_ctarank"),
        (Self::ClusterNctarank, "%cluster_nctarank"),
    ];

    /// Whether the launch and the thread's place in it determine the value. PTX lets `%warpid` change while the kernel runs,
    /// `%nwarpid` counts what the machine has room for, and `%total_smem_size` is rounded as the machine allocates.
    pub fn is_fixed(self) -> bool {
        !matches!(
            self,
            Self::WarpId
                | Self::NwarpId
                | Self::SmId
                | Self::NsmId
                | Self::GridId
                | Self::Clock
                | Self::ClockHi
                | Self::Clock64
                | Self::GlobalTimer
                | Self::TotalSmemSize
        )
    }
}
