//! Stored entries of a matrix.

/// Entries of a matrix that are stored; both go column by column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatrixStorage {
    /// All
    #[default]
    Dense,
    /// Compressed columns: those that are not zero in every state
    Compressed,
}

/// How a matrix lies in the rows of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixLayout {
    /// Its entries, all or those that may differ from zero
    Entries(MatrixStorage),
    /// Compressed columns of a sparse part, and one column more: what all entries of a row share, before it is divided by the column's
    /// molar mass. Rows without an entry of zero in the sparse part share nothing.
    Sparse,
}
