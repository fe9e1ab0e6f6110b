//! Singe compiles combustion mechanisms to warp-specialized CUDA kernels.
//!
//! [`driver`] is the whole compiler at a glance. Rooms below it know only the rooms before them:
//! target, mechanism, kinetics, dataflow, mapping, schedule, emit; simt, sim beside emit.
#![deny(unsafe_code)]

pub mod cli;
pub mod compilers;
pub mod dataflow;
pub mod diagnostic;
pub mod driver;
pub mod emit;
pub mod failure;
pub mod fault;
pub mod forms;
pub mod kinetics;
pub mod mapping;
pub mod mechanism;
pub mod observer;
pub mod output;
pub mod report;
pub mod request;
pub mod schedule;
pub mod search;
pub mod sim;
pub mod simt;
pub mod target;
pub mod toolchain;
pub mod verify;
