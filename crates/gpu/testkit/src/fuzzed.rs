//! Targets of a fuzzer: texts that may be PTX go to the reader, the prover, the allocator and the passes. A panic is a finding.

use passes::{Failure, Options, PASSES, allocate};
use ptx::{Module, check, read};
use warpsim::{Launch, prove};

/// Reads the text; what was read is printed, read again, and must be the same.
pub fn reader(text: &str) {
    let Some(module) = module(text) else { return };
    let printed = module.to_string();
    let again = parsed(&printed).unwrap_or_else(|| panic!("what was printed cannot be read:\n{printed}"));
    assert!(again == module, "reading what was printed gives another module:\n{printed}");
}

/// Proves all kernels of the text, each for a few launches.
pub fn prover(text: &str) {
    let Some(module) = module(text) else { return };
    for func in module.entries() {
        for threads in [32, 96] {
            let launch = Launch::linear(1, threads, prove::arguments(func, 5));
            // whether it is proven, or does not fit the launch, is not the question
            let _ = prove::prove_within(&module, &func.name, &launch, 1 << 12);
        }
    }
}

/// Allocates the registers of all kernels of the text; the checker accepts what comes of it.
pub fn allocator(text: &str) {
    let Some(module) = module(text) else { return };
    for func in module.entries() {
        for registers in [12, 24] {
            let options = allocate::Options { registers, ..allocate::Options::default() };
            if let Ok(allocation) = allocate::allocate(&module, &func.name, &options) {
                allocate::check::check(&allocation).unwrap_or_else(|faults| panic!("{faults:?}\n{module}"));
            }
        }
    }
}

/// Runs every pass on all functions of the text. It may refuse, and its checker may refuse what it made; neither panics.
pub fn passes(text: &str) {
    let Some(module) = module(text) else { return };
    for (pass, func) in PASSES.iter().flat_map(|pass| module.funcs.iter().map(move |func| (pass, func))) {
        for block in [None, Some([64, 1, 1])] {
            let options = Options { block, ..Options::default() };
            if let Err(Failure::Unproven(faults)) = pass.run(&module, &func.name, &options) {
                println!("{}: {faults:?}\n{module}", pass.name);
            }
        }
    }
}

/// A module without faults.
fn module(text: &str) -> Option<Module> {
    parsed(text).filter(|module| check::check(module).is_empty())
}

fn parsed(text: &str) -> Option<Module> {
    read::text("fuzz.ptx", text).ok()
}
