//! The texts that are shipped, compiled by a C++ compiler and run.

mod trees;
