//! Singe compiles combustion mechanisms to warp-specialized CUDA kernels.
//!
//! [`driver`] is the whole compiler at a glance. Rooms below it know only the rooms before them: graph, kernels, mapping, schedule,
//! overlay; lower beside emit. What stands alone lies in crates of its own: diagnostics, machine, ptx, warpsim, mechanism, kinetics.
#![forbid(unsafe_code)]

pub mod cli;
pub mod compilers;
pub mod driver;
pub mod emit;
pub mod failure;
pub mod fault;
pub mod forms;
pub mod graph;
pub mod kernels;
pub mod lower;
pub mod mapping;
pub mod observer;
pub mod output;
pub mod overlay;
pub mod report;
pub mod request;
pub mod schedule;
pub mod search;
pub mod verify;

#[cfg(test)]
#[path = "../tests/common/skip.rs"]
mod skip;
