//! What a GPU takes, beside what the model of time says of the same machine code.
//!
//! A *pack* is a folder with machine code, values and a plan; the program [`runner::SOURCE`], in C, runs packs where a GPU is, with nothing
//! but its driver, and writes one JSON; [`results`] reads it.
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
