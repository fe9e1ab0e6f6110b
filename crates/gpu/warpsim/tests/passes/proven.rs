//! The output of a pass is proven if the kernel was, with lanes in lockstep and as threads of their own.

use passes::{Failure, Options, PASSES, allocation};
use ptx::Module;
use testkit::corpus::{self, Kernel};
use warpsim::prove::{Verdict, prove};

fn corpus() -> Vec<Kernel> {
    corpus::kernels().into_iter().chain(corpus::divergent()).collect()
}

fn verdict(module: &Module, kernel: &Kernel) -> Verdict {
    prove(module, &kernel.entry, &kernel.setup.launch).unwrap_or_else(|e| panic!("{}: {e}", kernel.name))
}

/// Proves all kernels of the corpus for an architecture before and after each pass; returns the number that were `right`.
fn compared(sm: u32, registers: u32, right: fn(&Verdict) -> bool) -> usize {
    let (mut count, mut open) = (0, Vec::new());
    for kernel in corpus() {
        let before = Module { sm, ..kernel.module.clone() };
        if !right(&verdict(&before, &kernel)) {
            continue;
        }
        let allocation = allocation::Options { registers, ..allocation::Options::default() };
        let options = Options { block: Some(kernel.setup.launch.threads), allocation, ..Options::default() };
        for pass in &PASSES {
            let after = match pass.run(&before, &kernel.entry, &options) {
                Ok(outcome) => outcome.module,
                Err(Failure::Refused(_)) => continue,
                Err(failure) => panic!("{}, {}: {failure:?}", kernel.name, pass.name),
            };
            let found = verdict(&after, &kernel);
            assert!(found.violations.is_empty(), "{}, sm_{sm}, {}: {found:?}\n{after}", kernel.name, pass.name);
            match right(&found) {
                true => count += 1,
                false => open.push(format!("{} {}", kernel.name, pass.name)),
            }
        }
    }
    println!("sm_{sm}, {registers} registers: {count} results are right as the kernels were, open are {open:?}");
    assert!(open.iter().all(|what| what.ends_with(" predicate") || what.ends_with(" diverge=auto")), "{open:?}");
    count
}

/// Nothing becomes wrong. A few results of `predicate` are open, as the prover does not know that guards exclude each other.
#[test]
fn what_was_proven_is_never_wrong() {
    assert!(compared(35, 32, Verdict::proven) > 200);
    assert!(compared(70, 32, Verdict::proven) > 100);
}

/// Counters of loops lie in memory if there are few registers. Proofs know nothing of them, and still nothing is wrong.
#[test]
fn spilling_makes_no_race() {
    assert!(compared(70, 10, |verdict| verdict.violations.is_empty()) > 100);
}
