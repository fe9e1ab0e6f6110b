//! C as all of its dialects have it: expressions, numbers, names, tables, functions, parameters, comments, and the templates around them.

mod decimal;
pub(crate) mod dialect;
pub(crate) mod expression;
pub(crate) mod functions;
pub(crate) mod glue;
pub mod names;
pub(crate) mod numbers;
pub(crate) mod overlap;
pub(crate) mod parameters;
mod provenance;
pub(crate) mod tables;
pub(crate) mod wrap;

pub use dialect::Dialect;
pub(crate) use provenance::comment;
pub use provenance::{Input, Provenance};
