//! The model of time: what is certain of it, and what was published of the machines.

mod assembly;
mod certain;
mod compiled;
mod measured;
mod published;
mod table;
mod whole;
