//! Which entries of a matrix are stored.

/// Which entries of a matrix are stored; both go column by column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MatrixStorage {
    /// All
    #[default]
    Dense,
    /// Compressed columns: those that are not zero in every state
    Compressed,
}
