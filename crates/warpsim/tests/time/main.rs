//! The model of time: what is certain of it, and what was published of the machines.

mod assembly;
mod certain;
mod published;

#[path = "../../../../tests/common/skip.rs"]
mod skip;
