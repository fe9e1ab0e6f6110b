//! Predicated kernels do the same as before, on random control flow and launches, in all modes of the pass.
//!
//! `SINGE_PROGRAMS=1000 cargo test -p singe-warpsim --test predicate` runs a thousand programs of each kind.

use passes::predicate::Report;
use passes::{Options, Pass, predication};
use ptx::ir::Module;
use ptx::read;
use testkit::numbers::Numbers;
use testkit::random_kernel;
use testkit::random_structured;
use testkit::same_execution::same;
use warpsim::{Argument, Buffer, Launch};

#[path = "predicate/broken.rs"]
mod broken;
#[path = "predicate/functions.rs"]
mod functions;
#[path = "predicate/named.rs"]
mod named;
#[path = "predicate/on_corpus.rs"]
mod on_corpus;
#[path = "predicate/published.rs"]
mod published;

fn programs() -> u64 {
    std::env::var("SINGE_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

fn parse(text: &str) -> Module {
    read::text("k.ptx", text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// The plain pass, with static uniformity, and with tests at run time too.
const MODES: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

fn predicated(module: &Module, (sbu, rbu): (bool, bool), block: Option<[u32; 3]>) -> (Module, Report) {
    let predication = predication::Options { sbu, rbu, ..predication::Options::default() };
    let options = Options { block, predication, ..Options::default() };
    let pass = Pass::by_name("predicate").expect("it is in the table");
    let outcome = pass.run(module, "k", &options).unwrap_or_else(|e| panic!("{e:?}\n{module}"));
    (outcome.module, serde_json::from_value(outcome.report.data()).expect("a report"))
}

/// Runs the kernel before and after in all modes, and a second time through the pass.
#[track_caller]
fn keeps(module: &Module, launch: &Launch, words: usize, what: &str) -> Vec<Report> {
    let buffers = [Buffer::words(ptx::inst::Type::U32, vec![0; words * (launch.size() * launch.ctas[0]) as usize])];
    let mut reports = Vec::new();
    for mode in MODES {
        let (after, report) = predicated(module, mode, Some(launch.threads));
        if let Err(difference) = same(module, &after, "k", launch, &buffers) {
            panic!("{what} {mode:?}: {difference}\n{module}\n{after}");
        }
        let again = predicated(&after, mode, Some(launch.threads)).0;
        assert!(again == after, "{what} {mode:?}, a second time:\n{after}\nbecomes\n{again}");
        reports.push(report);
    }
    reports
}

fn launch(numbers: &mut Numbers) -> Launch {
    let shapes = [[32, 1, 1], [64, 1, 1], [40, 1, 1], [16, 4, 1], [8, 4, 3], [1 + numbers.below(70) as u32, 1, 1]];
    let threads = shapes[numbers.below(shapes.len())];
    Launch {
        ctas: [2, 1, 1],
        threads,
        cluster: None,
        shared: 0,
        arguments: vec![Argument::Buffer(0), Argument::U32(5)],
    }
}

/// Any graph of blocks, also with cycles of several entries.
#[test]
fn any_graph() {
    let (mut masked, mut stacks, mut spilled) = (0, 0, 0);
    for seed in 0..programs() {
        let mut numbers = Numbers(seed);
        let random = random_kernel::Shape { blocks: 1 + numbers.below(12), words: 6, preds: 3, length: 5, fuel: 30 };
        let mut module = random_kernel::kernel(&random, &mut numbers);
        if seed % 4 != 0 {
            // votes keep the stack nearly everywhere
            let func = module.funcs[0].clone();
            let is_vote = |inst: &ptx::ir::Inst| matches!(func.insts[*inst].op, ptx::inst::Op::Vote { .. });
            module.funcs[0].blocks.values_mut().for_each(|block| block.insts.retain(|inst| !is_vote(inst)));
        }
        let reports = keeps(&module, &launch(&mut numbers), 6, &format!("seed {seed}"));
        masked += reports.iter().map(|report| report.masked_blocks).sum::<usize>();
        stacks += reports.iter().map(|report| report.stacks).sum::<usize>();
        spilled += reports.iter().map(|report| report.spilled).sum::<usize>();
    }
    println!("{masked} masked blocks, {stacks} regions with the stack, {spilled} predicates spilled");
    assert!(masked > 300 && stacks > 50 && spilled > 5);
}

/// Nested branches, loops with several exits and early rounds, and barriers where all lanes come.
#[test]
fn structured_programs() {
    let (mut masked, mut tests, mut uniform) = (0, 0, 0);
    for seed in 0..programs() {
        let mut numbers = Numbers(seed);
        let (sm, depth) = ([35, 70][numbers.below(2)], 2 + numbers.below(3));
        let shape = random_structured::Shape { words: 6, preds: 3, length: 4, depth, sm };
        let module = random_structured::kernel(&shape, &mut numbers);
        // threads read what their neighbours write
        let threads = [[32, 1, 1], [64, 1, 1], [40, 1, 1], [16, 4, 1], [8, 4, 3]][numbers.below(5)];
        let launch = Launch { threads, ..launch(&mut numbers) };
        let reports = keeps(&module, &launch, 6 + random_structured::OWN, &format!("seed {seed}"));
        masked += reports[0].masked_blocks;
        uniform += reports[1].uniform_branches;
        tests += reports[2].side_tests;
    }
    println!("{masked} masked blocks, {uniform} uniform branches, {tests} tests of sides");
    assert!(masked > 1000 && uniform > 30 && tests > 100);
}
