//! Occupancy: which numbers of warps an SM can hold of a kernel, the kernel for each of them, and which one to take.
//!
//! After A. B. Hayes, L. Li, D. Chavarría-Miranda, S. L. Song and E. Z. Zhang, "Orion: A framework for GPU occupancy tuning"
//! (Middleware 2016). A level is a number of resident CTAs. More of them hide more latency, and leave each thread fewer registers.
//!
//! | module | what is there |
//! |---|---|
//! | [`demand`] | what a CTA of the kernel takes whatever the level |
//! | [`level`] | the levels, and what each leaves a thread |
//! | [`mod@realise`] | the kernel at a level: registers, spills, padding (section 3.2) |
//! | [`mod@select`] | direction, candidates, and the choice among them (section 3.3) |
//! | [`settle`], [`header`], [`split`] | the choice while the application runs (section 3.4), as a C++ header, also of one launch in parts |
//! | [`estimate`] | time without the tools that make and run machine code |

pub mod demand;
pub mod estimate;
pub mod header;
pub mod level;
mod padding;
pub mod realise;
pub mod select;
pub mod settle;
pub mod split;

pub use demand::Demand;
pub use level::{Level, levels};
pub use realise::{Refusal, Settings, Version, realise};
pub use select::{Direction, Selection, every, select};
