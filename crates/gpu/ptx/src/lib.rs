//! PTX as an IR: a reader and a printer of its text, checks, and analyses of control flow, data flow and divergence.
//!
//! ```
//! use ptx::analysis::divergence::{BlockShape, Divergence, Options};
//! use ptx::analysis::gated::Gated;
//!
//! let text = "
//! .version 6.0
//! .target sm_35
//! .address_size 64
//! .entry scale(.param .u64 x, .param .f64 factor)
//! {
//!     .reg .pred %p;
//!     .reg .b32 %r<3>;
//!     .reg .b64 %a<3>;
//!     .reg .f64 %f<3>;
//!     mov.u32 %r0, %tid.x;
//!     shr.u32 %r1, %r0, 5;
//!     setp.ne.u32 %p, %r1, 0;
//!     @%p bra END;
//!     ld.param.u64 %a0, [x];
//!     ld.param.f64 %f0, [factor];
//!     mul.wide.u32 %a1, %r0, 8;
//!     add.s64 %a2, %a0, %a1;
//!     ld.global.f64 %f1, [%a2];
//!     mul.f64 %f2, %f0, %f1;
//!     st.global.f64 [%a2], %f2;
//! END:
//!     ret;
//! }";
//! // Read. Errors are diagnostics with line, column and remedy.
//! # let module = ptx::read::text("scale.ptx", text).expect("this is PTX");
//! assert!(ptx::check::check(&module).is_empty());
//!
//! // Analyse: in blocks of 64 threads all lanes of a warp agree on tid / 32, so that the branch is uniform.
//! let func = module.func("scale").expect("the kernel is there");
//! let gated = Gated::compute(func);
//! let options = Options { block: BlockShape::Known([64, 1, 1]), ..Options::default() };
//! let divergence = Divergence::compute(func, &gated, options);
//! assert_eq!(divergence.uniform_branch(&gated, func.layout[0]), Some(true));
//! // Of blocks whose shape is not known this cannot be said.
//! let divergence = Divergence::compute(func, &gated, Options::default());
//! assert_eq!(divergence.uniform_branch(&gated, func.layout[0]), Some(false));
//! ```
//!
//! # Rules of the IR
//!
//! - A [`Module`] has functions and variables; a [`Func`] has typed virtual registers, which may be written more than once, and
//!   blocks in the order of the text ([`layout`](ir::Func::layout)).
//! - A block has instructions and one terminator. Any instruction but the terminator may have a guard: where it does not
//!   hold, the destination keeps its value.
//! - Operations, types and modifiers are PTX's, by name and meaning ([`inst`]). What the IR does not know is kept as text
//!   ([`Op::Opaque`](inst::Op::Opaque)): it may read and write what it names, and nothing is assumed of it.
//! - Parameters and variables are no registers: they are read and written with `ld` and `st`, or their address is taken.
//! - [`check::check`] states all that must hold, also behind every pass of the crate `passes`.
//! - Printing and reading again gives the same module.
//!
//! "Uniform" means: equal in all lanes of one warp that are active at the same dynamic instance.
//!
//! # Modules
//!
//! | module | what is there |
//! |---|---|
//! | [`ir`], [`inst`] | modules, functions, blocks, variables; instructions and operands |
//! | [`read`], [`mod@print`] | from text and to text |
//! | [`builder`], [`visit`] | appending instructions; all operands of an instruction |
//! | [`asynchronous`] | asynchronous copies, barriers in memory and clusters, as their operands say |
//! | [`opcodes`] | the names of all instructions |
//! | [`packed`] | half precision and numbers that share a register, as their operands say |
//! | [`check`] | what every module must satisfy |
//! | [`lines`], [`places`] | where instructions stood in the text, and in the source that a compiler made it of |
//! | [`analysis`] | control-flow graph, dominators, loops, liveness, SSA, gated SSA, divergence, register pressure |
//! | [`estimate`] | what a function takes by its text alone |
//! | [`cost`] | who tells what versions of a kernel cost |
#![forbid(unsafe_code)]

pub mod analysis;
pub mod asynchronous;
pub mod builder;
mod canonical;
pub mod check;
pub mod cost;
pub mod estimate;
pub mod fragments;
pub mod inst;
pub mod ir;
pub mod lines;
pub mod matrices;
mod modifier;
mod names;
mod opcode;
pub mod opcodes;
pub mod packed;
pub mod places;
pub mod print;
pub mod read;
pub mod tensor;
mod types;
mod verbatim;
pub mod visit;

pub use ir::{Func, Module};
