//! Measured times on a GPU, beside the predictions of the model of time for the same machine code.
//!
//! A *pack* is a folder with machine code, values and a plan. The program [`runner::SOURCE`], in C, runs packs on a machine with
//! a GPU, with nothing but its driver, and writes one JSON; [`results`] reads it.
//!
//! | module | what is there |
//! |---|---|
//! | `benchmark` | small kernels of PTX for what the tables of targets assume, and what their clocks tell of these |
//! | `model` | the clocks of the same kernels by the model |
//! | `pack` | the files of a pack |
//! | `plan` | what is run, as text |
//! | `launch` | any kernels with their launches in packs |
//! | `project` | kernels of mechanisms in packs |
//! | `runner` | the program that runs it |
//! | `results` | what was measured, and what follows |
#![forbid(unsafe_code)]

pub mod benchmark;
pub mod launch;
pub mod model;
pub mod pack;
pub mod plan;
pub mod project;
pub mod results;
pub mod runner;
