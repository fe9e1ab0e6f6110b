//! Functions that some lanes call.

use super::{Launch, MODES, parse, predicated, same};
use warpsim::{Argument, Buffer};

/// A function with a loop that calls one with two sides, called by some lanes in one place and by all in another.
const TEXT: &str = include_str!("loops.ptx");

#[test]
fn twins_take_an_entrance_mask() {
    let module = parse(TEXT);
    for threads in [32, 50, 7] {
        let launch = Launch::linear(1, threads, vec![Argument::Buffer(0), Argument::U32(5)]);
        let buffers = [Buffer::words(ptx::inst::Type::U32, vec![0; 64])];
        for mode in MODES {
            let (after, report) = predicated(&module, mode, Some([threads, 1, 1]));
            if let Err(difference) = same(&module, &after, "k", &launch, &buffers) {
                panic!("{threads} {mode:?}: {difference}\n{after}");
            }
            // seven threads all call, and the branch stays one
            let (sbu, _) = mode;
            if threads == 7 && sbu {
                assert_eq!(report.functions, 0, "{after}");
                continue;
            }
            // both have a twin, and all branches of the twins are votes
            assert_eq!(report.functions, 2, "{after}");
            for name in ["folded_masked", "steps_masked"] {
                let twin = after.func(name).expect("a twin");
                let parts = |block: &ptx::ir::Block| {
                    matches!(twin.blocks[*block].terminator, ptx::inst::Terminator::CondBra { uni: false, .. })
                };
                assert!(!twin.layout.iter().any(parts), "{after}");
            }
        }
    }
}

/// A function that calls itself keeps the stack, and so does one with a barrier.
#[test]
fn recursion_keeps_the_stack() {
    let text = TEXT.replace(
        "call.uni (b), folded, (a);\n\tld.param.b32 %r1, [b];",
        "call.uni (b), recursive, (a);\n\tld.param.b32 %r1, [b];",
    );
    let steps = ".visible .func (.param .b32 result) steps(";
    let module = parse(&text.replacen(steps, &[include_str!("recursive.ptx"), steps].concat(), 1));
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0), Argument::U32(5)]);
    let buffers = [Buffer::words(ptx::inst::Type::U32, vec![0; 32])];
    let (after, _) = predicated(&module, MODES[0], None);
    same(&module, &after, "k", &launch, &buffers).unwrap_or_else(|difference| panic!("{difference}\n{after}"));
    assert!(!after.to_string().contains("recursive_masked"));
}
