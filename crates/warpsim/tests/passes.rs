//! Every pass, and pipelines of them, keep what random programs and the corpus do when they are executed.
//!
//! `SINGE_PROGRAMS=1000 cargo test -p singe-warpsim --test passes` runs a thousand programs of each kind instead of a hundred.

use machine::toolchain;
use ptx::Module;
use ptx::passes::meld::plan::Kind;
use ptx::passes::{Options, PASSES, Pass, meld};
use std::collections::BTreeMap;
use warpsim::{Argument, Buffer, Launch};

#[path = "../../../tests/common/corpus.rs"]
mod corpus;
#[path = "../../../tests/common/numbers.rs"]
mod numbers;
#[path = "../../../tests/common/random_kernel.rs"]
mod random_kernel;
#[path = "common/random_structured.rs"]
mod random_structured;
#[path = "common/same_execution.rs"]
mod same_execution;
#[path = "../../../tests/common/skip.rs"]
mod skip;

use numbers::Numbers;
use same_execution::same;

fn programs() -> u64 {
    std::env::var("SINGE_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

/// Each pass alone, then several in a row.
fn pipelines() -> Vec<Vec<&'static Pass>> {
    let mut pipelines: Vec<Vec<&Pass>> =
        PASSES.iter().filter(|pass| pass.name != "allocate").map(|pass| vec![pass]).collect();
    pipelines.push(PASSES.iter().collect());
    pipelines
}

fn transformed(module: &Module, kernel: &str, pipeline: &[&Pass], options: &Options) -> Module {
    pipeline.iter().fold(module.clone(), |module, pass| match pass.run(&module, kernel, options) {
        Ok(outcome) => outcome.module,
        Err(failure) => panic!("{}: {failure:?}\n{module}", pass.name),
    })
}

/// Runs a program before and after every pipeline, on one launch.
fn keeps(what: &str, module: &Module, kernel: &str, launch: &Launch, buffers: &[Buffer], options: &Options) {
    for pipeline in pipelines() {
        let names: Vec<&str> = pipeline.iter().map(|pass| pass.name).collect();
        let after = transformed(module, kernel, &pipeline, options);
        if let Err(difference) = same(module, &after, kernel, launch, buffers) {
            panic!("{what}, {names:?}: {difference}\n{module}\n{after}");
        }
    }
}

/// A random shape of the block, also with widths that are no multiple of 32.
fn launch(numbers: &mut Numbers) -> Launch {
    let shapes = [[32, 1, 1], [64, 1, 1], [16, 4, 1], [8, 4, 2], [20, 5, 1], [1 + numbers.below(100) as u32, 1, 1]];
    let threads = shapes[numbers.below(shapes.len())];
    let arguments = vec![Argument::Buffer(0), Argument::U32(numbers.below(50) as u32)];
    Launch { ctas: [1 + numbers.below(2) as u32, 1, 1], threads, shared: 0, arguments }
}

fn buffer(launch: &Launch, rows: usize) -> Buffer {
    let words = rows * (launch.size() * launch.ctas[0]) as usize;
    Buffer::words(ptx::inst::Type::U32, (0..words as u64).map(|i| i * 0x9e37 % 1013))
}

#[test]
fn unstructured_programs_do_the_same() {
    for seed in 0..programs() {
        let mut numbers = Numbers(seed);
        let blocks = 1 + numbers.below(12);
        let shape = random_kernel::Shape { blocks, words: 6, preds: 3, length: 5, fuel: 30 };
        let module = random_kernel::kernel(&shape, &mut numbers);
        let launch = launch(&mut numbers);
        let options = Options { block: Some(launch.threads), ..Options::default() };
        keeps(&format!("seed {seed}"), &module, "k", &launch, &[buffer(&launch, 6)], &options);
    }
}

#[test]
fn structured_programs_do_the_same() {
    for seed in 0..programs() {
        let mut numbers = Numbers(seed);
        let sm = [35, 60, 70, 80][numbers.below(4)];
        let depth = 1 + numbers.below(3);
        let shape = random_structured::Shape { words: 6, preds: 3, length: 3, depth, sm };
        let module = random_structured::kernel(&shape, &mut numbers);
        // threads read what their neighbours write
        let threads = [[32, 1, 1], [64, 1, 1], [16, 4, 1], [8, 4, 2], [20, 5, 1]][numbers.below(5)];
        let launch = Launch { threads, ..launch(&mut numbers) };
        let options = Options { block: Some(threads), ..Options::default() };
        let rows = 6 + random_structured::OWN;
        keeps(&format!("seed {seed}"), &module, "k", &launch, &[buffer(&launch, rows)], &options);
    }
}

#[test]
fn the_corpus_does_the_same() {
    for kernel in corpus::kernels().into_iter().chain(corpus::divergent()) {
        let options = Options { block: Some(kernel.setup.launch.threads), ..Options::default() };
        if same(&kernel.module, &kernel.module, &kernel.entry, &kernel.setup.launch, &kernel.setup.buffers).is_err() {
            // one of those that show a hazard
            continue;
        }
        keeps(&kernel.name, &kernel.module, &kernel.entry, &kernel.setup.launch, &kernel.setup.buffers, &options);
    }
}

/// A second time every pass changes nothing, and the same input makes the same text.
#[test]
fn passes_are_idempotent_and_deterministic() {
    let mut texts = 0;
    for seed in 0..programs() {
        let mut numbers = Numbers(seed);
        let shape = random_structured::Shape { words: 5, preds: 3, length: 3, depth: 1 + seed as usize % 3, sm: 70 };
        let module = random_structured::kernel(&shape, &mut numbers);
        for pass in PASSES.iter().filter(|pass| pass.name != "allocate") {
            let once = transformed(&module, "k", &[pass], &Options::default());
            let again = transformed(&module, "k", &[pass], &Options::default());
            assert_eq!(once.to_string(), again.to_string(), "seed {seed}: {} is not deterministic", pass.name);
            let twice = transformed(&once, "k", &[pass], &Options::default());
            assert_eq!(once.to_string(), twice.to_string(), "seed {seed}: {} is not idempotent", pass.name);
            texts += usize::from(once.to_string() != module.to_string());
        }
    }
    println!("{texts} changed");
    assert!(texts > 0);
}

/// The random programs and the corpus give melding something to do, of every kind.
#[test]
fn there_is_something_to_meld() {
    let random = |seed: u64| {
        let shape = random_structured::Shape { words: 6, preds: 3, length: 3, depth: 1 + seed as usize % 3, sm: 70 };
        random_structured::kernel(&shape, &mut Numbers(seed)).funcs.swap_remove(0)
    };
    let kinds = |funcs: &mut dyn Iterator<Item = ptx::Func>| {
        let mut found: BTreeMap<Kind, usize> = BTreeMap::new();
        for func in funcs {
            let (_, melded) =
                meld::run(&func, &meld::Options::default()).unwrap_or_else(|e| panic!("{}: {e}", func.name));
            melded.melds.iter().for_each(|meld| *found.entry(meld.kind).or_default() += 1);
        }
        println!("{found:?}");
        found
    };
    let found = kinds(&mut (0..programs()).map(random));
    assert!([Kind::Blocks, Kind::Regions].iter().all(|kind| found.get(kind).is_some_and(|count| *count > 5)));
    let found = kinds(&mut corpus::divergent().iter().filter_map(|kernel| kernel.module.func(&kernel.entry).cloned()));
    assert!(found.contains_key(&Kind::BlockAndRegion));
}

/// What every pass makes of every divergent kernel, one assembler of CUDA 11 and one of CUDA 12 take it.
#[test]
fn assemblers_take_what_passes_make() {
    for (release, arch) in [(11, 35), (12, 70)] {
        let Some(installation) = toolchain::installations().iter().find(|found| found.release.0 == release) else {
            skip::skip(format!("no ptxas of CUDA {release} is there"));
            continue;
        };
        for kernel in corpus::divergent() {
            let module = Module { sm: arch, ..kernel.module.clone() };
            let options = Options { block: Some(kernel.setup.launch.threads), ..Options::default() };
            for pass in &PASSES {
                let text = transformed(&module, &kernel.entry, &[pass], &options).to_string();
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("k.ptx");
                std::fs::write(&path, &text).unwrap();
                let mut command = std::process::Command::new(&installation.ptxas);
                command.arg(format!("-arch=sm_{arch}")).arg(&path).arg("-o").arg(folder.path().join("k.cubin"));
                let output = command.output().unwrap();
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{}, {}: {message}\n{text}", kernel.name, pass.name);
            }
        }
    }
}
