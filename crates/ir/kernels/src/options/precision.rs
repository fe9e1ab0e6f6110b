//! The arithmetic of a kernel's text, and the numbers of its arrays.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 53 digits to the base 2
    #[default]
    Double,
    /// 24 digits, and 48 where those do not keep the error that is asked for, with a proven bound; for GPUs
    Mixed,
    /// 24 digits, with a proven bound of what that errs
    Single,
}

impl Precision {
    /// Returns the precision of the graph: for mixed precision it is a graph of singles.
    pub fn of_graph(self) -> Self {
        if self == Self::Double { Self::Double } else { Self::Single }
    }
}

/// Source of the error bound of single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorBound {
    /// for all states of a range
    #[default]
    Proven,
    /// in some states, and nothing is claimed of others; chemistry has no other
    Measured,
}

/// Numbers in the arrays of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Io {
    /// doubles
    #[default]
    Double,
    /// floats; with --precision single alone
    Single,
}

impl Io {
    /// The type of an entry in C.
    pub fn c_type(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Single => "float",
        }
    }

    /// The kind of an entry in Fortran.
    pub fn fortran_kind(self) -> &'static str {
        match self {
            Self::Double => "c_double",
            Self::Single => "c_float",
        }
    }

    pub fn bytes(self) -> u64 {
        match self {
            Self::Double => 8,
            Self::Single => 4,
        }
    }
}
