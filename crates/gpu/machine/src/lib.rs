//! GPUs as Singe knows them: descriptions of targets with the occupancy calculator ([`target`]), what work costs on them
//! ([`cost`]), and the compilers for them that are installed ([`toolchain`]).
//!
//! ```
//! use machine::target::{Kernel, Target, occupancy};
//!
//! let kepler = Target::by_name("sm_35").expect("a known target");
//! let kernel = Kernel { threads: 256, registers_per_thread: 128, shared_bytes: 20 << 10, named_barriers: 4 };
//! let found = occupancy(kepler, kernel);
//! // 65536 registers hold two CTAs of 256 x 128, and 48 KiB of shared memory two of 20 KiB
//! assert_eq!((found.blocks, found.limiting()), (2, vec!["registers", "shared memory"]));
//! ```
#![deny(unsafe_code)]

pub mod cost;
pub mod target;
pub mod toolchain;
