//! Parts of a kernel that is made as several.

/// A kernel that stores some rows of the output of another one, which would be too long.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Part {
    /// From 1.
    pub number: usize,
    pub of: usize,
    /// Rows of the output.
    #[serde(skip)]
    pub rows: Vec<u32>,
}
