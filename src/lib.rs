//! Singe compiles combustion mechanisms to C++, CUDA and HIP code: reactors, rates, Jacobians, thermodynamics, transport.
//!
//! [`driver`] is the whole compiler at a glance. Imports point one way, in the order that docs/architecture.md lists. What stands alone
//! lies in crates of its own: diagnostics, machine, ptx, sass, warpsim, mechanism, kinetics.
#![forbid(unsafe_code)]
// These macros panic where nobody reads.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod backend;
pub mod cli;
pub mod compilers;
pub mod driver;
pub mod fault;
pub mod forms;
mod identity;
pub mod observer;
pub mod output;
pub mod plan;
pub mod report;
pub mod search;
pub mod verify;
