//! An entry of the catalogue.

/// Meaning of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub id: &'static str,
    pub cause: &'static str,
    pub remedy: &'static str,
}
