//! Predicated kernels do what they did before, on random control flow and launches.

use ptx::analysis::divergence::BlockShape;
use ptx::check::check;
use ptx::predicate::{Options, Report, predicate};
use ptx::{Module, read};
use std::sync::Arc;
use warpsim::{Argument, Buffer, Counts, Launch, Options as Simulation, run};

#[path = "../../../tests/common/numbers.rs"]
mod numbers;
#[path = "predicate/published.rs"]
mod published;
#[path = "../../../tests/common/random_kernel.rs"]
#[allow(dead_code, reason = "another test uses its rest")]
mod random_kernel;
#[path = "predicate/structured.rs"]
mod structured;

use numbers::Numbers;

fn parse(text: &str) -> Module {
    let source = diagnostics::Source { name: "k.ptx".to_owned(), text: text.to_owned() };
    read::read(&Arc::new(source)).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// The plain pass, with static uniformity, and with tests at run time too.
fn modes() -> [(bool, bool); 3] {
    [(false, false), (true, false), (true, true)]
}

fn predicated(module: &Module, options: &Options) -> (Module, Report) {
    let index = module.funcs.iter().position(|func| func.name == "k").expect("the kernel");
    let (func, report) = predicate(module, &module.funcs[index], options).unwrap_or_else(|e| {
        let text: Vec<String> = e.iter().map(ToString::to_string).collect();
        panic!("{}\n{module}", text.join("\n"))
    });
    let mut result = module.clone();
    result.funcs[index] = func;
    (result, report)
}

/// The words that a launch leaves in memory, and the counts of each warp.
fn execute(module: &Module, shape: [u32; 3], words: usize) -> Result<(Vec<u64>, Vec<Counts>), String> {
    let threads: u32 = shape.iter().product();
    let mut buffers = [Buffer::in_out(&vec![0.0; (words * 2 * threads as usize).div_ceil(2).max(64)])];
    let launch =
        Launch { ctas: [2, 1, 1], threads: shape, shared: 0, arguments: vec![Argument::Buffer(0), Argument::U32(5)] };
    let simulation = Simulation { budget: 1 << 22, ..Simulation::default() };
    match run(module, "k", &launch, &mut buffers, &simulation) {
        Ok(report) => Ok((buffers[0].reals().iter().map(|x| x.to_bits()).collect(), report.warps)),
        Err(hazards) => Err(hazards.to_string()),
    }
}

/// Runs a kernel before and after in all modes, and a second time through the pass.
#[track_caller]
fn same(module: &Module, shape: [u32; 3], words: usize, what: &str) -> Vec<Report> {
    let before = execute(module, shape, words).unwrap_or_else(|e| panic!("{what}: {e}\n{module}"));
    let mut reports = Vec::new();
    for (sbu, rbu) in modes() {
        let options = Options { sbu, rbu, block: BlockShape::Known(shape), ..Options::default() };
        let (after, report) = predicated(module, &options);
        let faults: Vec<String> = check(&after).iter().map(ToString::to_string).collect();
        assert!(faults.is_empty(), "{what}: {faults:?}\n{module}\n{after}");
        let result = execute(&after, shape, words);
        let result = result.unwrap_or_else(|e| panic!("{what} sbu {sbu} rbu {rbu}: {e}\n{module}\n{after}"));
        assert!(result.0 == before.0, "{what} sbu {sbu} rbu {rbu}: other values\n{module}\n{after}");
        let barriers = |counts: &[Counts]| counts.iter().map(|warp| warp.barriers).collect::<Vec<_>>();
        assert_eq!(barriers(&result.1), barriers(&before.1), "{what}\n{module}\n{after}");
        let again = predicated(&after, &options).0;
        assert!(
            again.canonical() == after.canonical(),
            "{what} sbu {sbu} rbu {rbu}: a second time\n{after}\nbecomes\n{again}"
        );
        assert!(parse(&after.to_string()) == after.canonical(), "{what}\n{after}");
        reports.push(report);
    }
    reports
}

fn shape(numbers: &mut Numbers) -> [u32; 3] {
    let shapes =
        [[32, 1, 1], [64, 1, 1], [96, 1, 1], [40, 1, 1], [16, 4, 1], [8, 4, 3], [1 + numbers.below(70) as u32, 1, 1]];
    shapes[numbers.below(shapes.len())]
}

/// Any graph of blocks, also with cycles of several entries.
#[test]
fn any_graph() {
    let (mut masked, mut stacks, mut spilled) = (0, 0, 0);
    for seed in 0..600 {
        let mut numbers = Numbers(seed);
        let random = random_kernel::Shape { blocks: 1 + numbers.below(12), words: 6, preds: 3, length: 5, fuel: 30 };
        let mut module = random_kernel::kernel(&random, &mut numbers);
        let votes = |inst: &ptx::ir::Inst, func: &ptx::Func| matches!(func.insts[*inst].op, ptx::inst::Op::Vote { .. });
        if seed % 4 != 0 {
            let func = module.funcs[0].clone();
            for block in module.funcs[0].blocks.values_mut() {
                block.insts.retain(|inst| !votes(inst, &func));
            }
        }
        let shape = shape(&mut numbers);
        let reports = same(&module, shape, 6, &format!("seed {seed}"));
        masked += reports.iter().map(|report| report.masked_blocks).sum::<usize>();
        stacks += reports.iter().map(|report| report.stacks).sum::<usize>();
        spilled += reports.iter().map(|report| report.spilled).sum::<usize>();
    }
    println!("{masked} masked blocks, {stacks} regions with the stack, {spilled} predicates spilled");
    assert!(masked > 2000 && stacks > 100 && spilled > 20);
}

/// Nested branches, loops with several exits and early rounds, returns, switches, and barriers where all lanes come.
#[test]
fn structured_programs() {
    let (mut masked, mut tests) = (0, 0);
    for seed in 0..600 {
        let mut numbers = Numbers(seed);
        let t = std::time::Instant::now();
        let module = parse(&structured::kernel(&mut numbers));
        let shape = shape(&mut numbers);
        let reports = same(&module, shape, structured::WORDS, &format!("seed {seed}"));
        if t.elapsed().as_millis() > 500 {
            println!("seed {seed} {:?} {:?}", t.elapsed(), reports[0]);
        }
        masked += reports[0].masked_blocks;
        tests += reports[2].side_tests;
    }
    println!("{masked} masked blocks, {tests} tests of sides");
    assert!(masked > 3000 && tests > 100);
}
