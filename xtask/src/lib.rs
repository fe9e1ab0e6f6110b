//! Parts that the chores of the project and of its laboratory share: programs, the built compiler, the pages of `docs/lab`, wheels of Python.
#![forbid(unsafe_code)]

pub mod cantera;
pub mod chores;
pub mod compiler;
pub mod pages;
pub mod program;
pub mod wheels;
