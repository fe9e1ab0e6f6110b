//! Turns of a streaming loop: those of a long launch follow from a short one, and their mean settles.

use crate::measured::Compilers;
use sass::Cubin;
use warpsim::{Argument, Buffer, Launch, Options, machine_code};

const THREADS: u32 = 128;
const CTAS: u32 = 2;

/// A loop over points with a barrier in each turn; its inner loop has five rounds, and so has one in front of it.
const STREAM: &str = include_str!("turns.cu");

struct Run {
    compilers: Compilers,
    cubin: Cubin,
}

impl Run {
    fn new() -> Option<Self> {
        let compilers = Compilers::new("hopper", 1980)?;
        let cubin = compilers.cubin(STREAM.to_owned());
        Some(Self { compilers, cubin })
    }

    fn launch(turns: u32) -> (Launch, Vec<Buffer>) {
        let points = turns * CTAS * THREADS;
        let buffers = vec![Buffer::in_out(&vec![0.0; points as usize]), Buffer::input(&vec![0.5; points as usize])];
        let arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(points)];
        (Launch::linear(CTAS, THREADS, arguments), buffers)
    }

    /// Clocks of a launch of some turns, and of one whose turns are repeated until there are as many.
    fn both(&self, few: u32, many: u32) -> (u64, u64) {
        let (target, options) = (&self.compilers.target, Options::default());
        let (launch, mut buffers) = Self::launch(many);
        let timed = machine_code::time(&self.cubin, "k", &launch, &mut buffers, &options, target);
        let (launch, mut buffers) = Self::launch(few);
        let repeated =
            machine_code::time_of_turns(&self.cubin, "k", &launch, &mut buffers, &options, target, many as usize);
        (timed.unwrap().1.cycles, repeated.unwrap().1.expect("it has a loop").cycles)
    }
}

#[test]
fn repeated_turns_take_as_long_as_executed_ones() {
    let Some(run) = Run::new() else { return };
    for (few, many) in [(3, 3), (3, 4), (3, 24), (5, 24)] {
        let (executed, repeated) = run.both(few, many);
        let error = (repeated as f64 / executed as f64 - 1.0).abs();
        assert!(error < 0.01, "{few} turns as {many}: {repeated} clocks, {executed} executed");
    }
}

#[test]
fn the_mean_of_a_turn_settles_whatever_the_ctas_begin() {
    let Some(run) = Run::new() else { return };
    let targets = [run.compilers.target.clone()];
    let (launch, mut buffers) = Run::launch(machine_code::EXECUTED_TURNS as u32);
    let steady =
        machine_code::steady(&run.cubin, "k", &launch, &mut buffers, &Options::default(), &targets, true).unwrap();
    let steady = steady.expect("it has a loop");
    let (together, apart) = (steady.together[0], steady.apart.expect("the SM holds two CTAs"));
    assert!(together.has_settled && apart.has_settled, "{together:?}, {apart:?}");
    assert!((together.mean / apart.mean - 1.0).abs() < 0.1, "{together:?}, {apart:?}");
    assert!(together.least <= together.mean && together.mean <= together.most, "{together:?}");
    // as far as a long launch goes on
    let (long, _) = run.both(3, 40);
    let (short, _) = run.both(3, 20);
    let each = (long - short) as f64 / 20.0;
    assert!((together.mean / each - 1.0).abs() < 0.03, "{together:?}, {each} clocks of a turn executed");
    let (launch, mut buffers) = Run::launch(2);
    let few = machine_code::steady(&run.cubin, "k", &launch, &mut buffers, &Options::default(), &targets, true);
    assert_eq!(few.unwrap(), None, "two turns tell no third");
}
