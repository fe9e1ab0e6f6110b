//! Where a value that has no register is kept: Figure 6 of "Divergence analysis with affine constraints".

use std::fmt::{self, Display, Formatter};

/// Knowledge about a register's value in the active lanes of a warp, at every instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Known {
    #[default]
    Nothing,
    /// The same in all lanes.
    Uniform,
    /// The same number everywhere.
    Constant(u64),
    /// `stride` · T + something uniform, in the ring of the register's width; the latter when it is known. T is the number
    /// of the thread or of the lane, as the analysis chose.
    Affine { stride: u64, base: Option<u64> },
}

/// The location of a spilled register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpillLocation {
    /// The thread's own memory, at that offset of its spill area.
    Local { offset: u32 },
    /// Row (i): the constant itself.
    Constant { value: u64 },
    /// Row (ii): the warp's part of shared memory, at that offset.
    Shared { offset: u32 },
    /// Row (iii): computed again.
    Affine { stride: u64, base: u64 },
    /// Row (iv): the uniform part in shared memory, the rest computed again.
    Residual { stride: u64, offset: u32 },
    /// The thread's own slots in shared memory, at that offset of them (Orion, section 3.2).
    Own { offset: u32 },
}

/// A row of Figure 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum Row {
    #[serde(rename = "(i)")]
    Constant,
    #[serde(rename = "(ii)")]
    Uniform,
    #[serde(rename = "(iii)")]
    Affine,
    #[serde(rename = "(iv)")]
    Residual,
    /// A slot in shared memory for each thread; no row of the figure.
    #[serde(rename = "own")]
    Own,
    #[serde(rename = "local")]
    Local,
}

impl SpillLocation {
    pub fn row(self) -> Row {
        match self {
            Self::Local { .. } => Row::Local,
            Self::Constant { .. } => Row::Constant,
            Self::Shared { .. } => Row::Uniform,
            Self::Affine { .. } => Row::Affine,
            Self::Residual { .. } => Row::Residual,
            Self::Own { .. } => Row::Own,
        }
    }
}

impl Row {
    /// Needs a place in the warp's shared memory.
    pub fn shared(self) -> bool {
        matches!(self, Self::Uniform | Self::Residual)
    }

    /// Returns the cost of one read of the value, in cycles of a dependent use; magnitudes of the shared and local memory
    /// latencies of Fermi and Kepler.
    pub fn cost(self) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Affine => 4.0,
            Self::Uniform | Self::Own => 30.0,
            Self::Residual => 34.0,
            Self::Local => 100.0,
        }
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Constant => "(i)",
            Self::Uniform => "(ii)",
            Self::Affine => "(iii)",
            Self::Residual => "(iv)",
            Self::Own => "own",
            Self::Local => "local",
        })
    }
}

/// Rows that an allocator uses: the paper's section 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rewriting {
    /// None: everything goes to local memory.
    #[default]
    None,
    /// Row (ii), on values that a boolean analysis finds uniform.
    DivRA,
    /// Rows (i) and (iii).
    RemRA,
    /// All rows.
    AffRA,
}

impl Rewriting {
    /// The row for a value, before the budget of shared memory is looked at. `integer`: it can be computed again by
    /// multiplication and addition.
    pub fn row(self, known: Known, integer: bool) -> Row {
        let row = match known {
            Known::Nothing => Row::Local,
            Known::Uniform => Row::Uniform,
            Known::Constant(_) if self == Self::DivRA => Row::Uniform,
            Known::Constant(_) => Row::Constant,
            Known::Affine { base: Some(_), .. } if integer => Row::Affine,
            Known::Affine { base: None, .. } if integer => Row::Residual,
            Known::Affine { .. } => Row::Local,
        };
        let allowed = match self {
            Self::None => false,
            Self::DivRA => row == Row::Uniform,
            Self::RemRA => matches!(row, Row::Constant | Row::Affine),
            Self::AffRA => true,
        };
        if allowed { row } else { Row::Local }
    }
}
