//! The CUDA text of small programs, as it reads.

use crate::print;
use crate::{programs, provenance, target};

#[test]
fn the_text_of_each_program() {
    for program in programs::all() {
        let machine = if program.slots > 192 { "volta" } else { "kepler" };
        insta::assert_snapshot!(program.kernel.clone(), print(&program, &provenance(), target(machine)));
    }
}

#[test]
fn the_text_without_shuffles() {
    insta::assert_snapshot!(print(&programs::striped_loop(), &provenance(), target("fermi")));
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    for (a, b) in programs::all().iter().zip(programs::all().iter()) {
        assert_eq!(print(a, &provenance(), target("hopper")), print(b, &provenance(), target("hopper")));
    }
}
