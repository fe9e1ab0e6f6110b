//! An entry of the catalogue.

/// What an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub id: &'static str,
    pub cause: &'static str,
    pub remedy: &'static str,
}
