//! The CUDA printer and the compilers that take its text.

mod compilers;
mod header;
mod host;
mod programs;
mod random;
mod text;
mod toolchain;

use emit_c::base::{Input, Provenance};
use emit_c::cuda;
use lower::lower;
use machine::target::Target;
use machine::toolchain::{Toolchain, find};
use overlay::program::Program;
use testkit::skip;

fn provenance() -> Provenance {
    Provenance {
        command_line: "singe test.inp --warps 2".to_owned(),
        inputs: vec![Input { name: "test.inp".to_owned(), sha256: "0123456789abcdef".repeat(4) }],
        mechanism: "test".to_owned(),
        ctas_per_sm: 1,
        form: None,
        precision: None,
    }
}

/// The text of a program.
fn print(program: &Program, provenance: &Provenance, target: &Target) -> String {
    cuda::print(&lower(program, target), provenance, target)
}

fn target(name: &str) -> &'static Target {
    Target::by_name(name).unwrap()
}

/// The real compilers; where they are absent, says that the test is skipped and why.
fn compilers() -> Option<Toolchain> {
    find().inspect_err(|reason| skip::skip(reason)).ok()
}
