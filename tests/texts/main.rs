//! The texts that are shipped, compiled by a C++ compiler and run.

mod command;
mod every;
mod trees;
