//! Every pass, and pipelines of them, preserve the results of random programs and of the corpus.
//!
//! `SINGE_PROGRAMS=1000 cargo test -p singe-warpsim --test passes` runs a thousand programs of each kind instead of a hundred.

use machine::toolchain;
use passes::meld::Kind;
use passes::{Options, PASSES, Pass, meld, predication};
use ptx::Module;
use std::collections::BTreeMap;
use testkit::corpus;
use testkit::numbers::Numbers;
use testkit::random_kernel;
use testkit::random_structured;
use testkit::same_execution::same;
use testkit::skip;
use warpsim::{Argument, Buffer, Launch};

#[path = "passes/proven.rs"]
mod proven;

fn programs() -> u64 {
    std::env::var("SINGE_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

/// Returns each pass alone, all in a row with either way to give registers at the end, and some in a random order.
fn pipelines(numbers: &mut Numbers) -> Vec<Vec<&'static Pass>> {
    let (last, others) = split();
    let mut pipelines: Vec<Vec<&Pass>> = others.iter().map(|pass| vec![pass]).collect();
    pipelines.extend(last.iter().map(|last| others.iter().chain([last]).collect()));
    pipelines.push((0..4).map(|_| &others[numbers.below(others.len())]).collect());
    pipelines
}

/// Returns the passes that give registers, which come last, and the others.
fn split() -> (&'static [Pass], &'static [Pass]) {
    let first = PASSES.iter().position(|pass| pass.name == "allocate").expect("it is in the table");
    (&PASSES[first..], &PASSES[..first])
}

fn transformed(module: &Module, kernel: &str, pipeline: &[&Pass], options: &Options) -> Module {
    pipeline.iter().fold(module.clone(), |module, pass| match pass.run(&module, kernel, options) {
        Ok(outcome) => outcome.module,
        Err(failure) => panic!("{}: {failure:?}\n{module}", pass.name),
    })
}

/// Runs a program before and after every pipeline, on one launch, with random flags of predication.
fn keeps(seed: u64, what: &str, module: &Module, kernel: &str, launch: &Launch, buffers: &[Buffer]) {
    let mut numbers = Numbers(seed ^ 0x5eed);
    for pipeline in pipelines(&mut numbers) {
        let names: Vec<&str> = pipeline.iter().map(|pass| pass.name).collect();
        let [sbu, rbu] = [(); 2].map(|()| numbers.below(2) == 1);
        let predication = predication::Options { sbu, rbu, ..predication::Options::default() };
        let options = Options { block: Some(launch.threads), predication, ..Options::default() };
        let after = transformed(module, kernel, &pipeline, &options);
        if let Err(difference) = same(module, &after, kernel, launch, buffers) {
            panic!("{what}, {names:?}, {predication:?}: {difference}\n{module}\n{after}");
        }
    }
}

/// Returns a random shape of the block, also with widths that are no multiple of 32.
fn launch(numbers: &mut Numbers) -> Launch {
    let shapes = [[32, 1, 1], [64, 1, 1], [16, 4, 1], [8, 4, 2], [20, 5, 1], [1 + numbers.below(100) as u32, 1, 1]];
    let threads = shapes[numbers.below(shapes.len())];
    let arguments = vec![Argument::Buffer(0), Argument::U32(numbers.below(50) as u32)];
    Launch { ctas: [1 + numbers.below(2) as u32, 1, 1], threads, cluster: None, shared: 0, arguments }
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
        keeps(seed, &format!("seed {seed}"), &module, "k", &launch, &[buffer(&launch, 6)]);
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
        let rows = 6 + random_structured::OWN;
        keeps(seed, &format!("seed {seed}"), &module, "k", &launch, &[buffer(&launch, rows)]);
    }
}

#[test]
fn the_corpus_does_the_same() {
    for (seed, kernel) in (0..).zip(corpus::kernels().into_iter().chain(corpus::divergent())) {
        if same(&kernel.module, &kernel.module, &kernel.entry, &kernel.setup.launch, &kernel.setup.buffers).is_err() {
            // one of the kernels that show a hazard
            continue;
        }
        keeps(seed, &kernel.name, &kernel.module, &kernel.entry, &kernel.setup.launch, &kernel.setup.buffers);
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
        for pass in split().1 {
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
            let (_, melded) = meld::run(&func, &meld::Options::default());
            assert!(melded.refused.is_empty(), "{}: {:?}", func.name, melded.refused);
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

/// Table I and section VI-A of the DARM paper: tail merging merges equal blocks of a diamond whole, branch fusion melds diamonds of
/// equal and of similar blocks, and melding all patterns. Beyond the paper, branch fusion melds SB4-R whole, which its
/// authors' code cannot, as it makes branches around what one side has alone.
#[test]
fn each_technique_melds_what_the_paper_says() {
    let kernels = corpus::divergent();
    let common = |name: &str, pass: &str| -> Vec<u64> {
        let kernel = kernels.iter().find(|kernel| kernel.name == name).unwrap_or_else(|| panic!("no {name}"));
        let options = Options { block: Some(kernel.setup.launch.threads), ..Options::default() };
        let outcome = Pass::by_name(pass).expect("a pass").run(&kernel.module, &kernel.entry, &options);
        let data = outcome.expect("it is proven").report.data();
        let melds = data["melds"].as_array().expect("a list");
        melds.iter().map(|meld| meld["common"].as_u64().expect("a number")).collect()
    };
    // the blocks have 12 instructions; how many melds each technique makes
    for (name, fusion, melding) in [
        ("sb1", 1, 1),
        ("sb1-r", 1, 1),
        ("sb2", 0, 1),
        ("sb2-r", 0, 1),
        ("sb3", 0, 2),
        ("sb3-r", 0, 2),
        ("sb4", 2, 2),
        ("sb4-r", 2, 2),
    ] {
        let [fused, melded] = ["branch-fusion", "meld"].map(|pass| common(name, pass));
        println!("{name}: branch fusion {fused:?}, melding {melded:?}");
        assert_eq!((fused.len(), melded.len()), (fusion, melding), "{name}");
        let whole = !name.ends_with("-r");
        assert!(
            melded.iter().all(|common| if whole { *common >= 11 } else { (3..11).contains(common) }),
            "{name}: {melded:?}"
        );
    }
}

/// One assembler of CUDA 11 and one of CUDA 12 take the output of every pass for every divergent kernel.
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

fn parse(text: &str) -> Module {
    ptx::read::text("k.ptx", text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// One thread's number, another word, and a branch whose sides compare in either direction; then the results of the sides.
const SIDES: &str = include_str!("passes/sides.ptx");

const REGISTERS: &str = ".reg .pred %p<3>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;";

fn melded(module: &Module, func: &str) -> Module {
    let options = Options { block: Some([64, 1, 1]), ..Options::default() };
    let outcome = Pass::by_name("meld").expect("a pass").run(module, func, &options).expect("it is proven");
    outcome.module
}

fn words() -> (Launch, Vec<Buffer>) {
    let launch = Launch::linear(1, 64, vec![Argument::Buffer(0), Argument::U32(20)]);
    let buffer = buffer(&launch, 1);
    (launch, vec![buffer])
}

/// `a > b` on one side and `b < a` on the other are one comparison.
#[test]
fn comparisons_in_either_direction_are_melded() {
    let module = parse(&format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 k_out, .param .u32 k_n)\n{{\n{REGISTERS}
        ld.param.u32 %r1, [k_n];\n{SIDES}\nld.param.u64 %rd1, [k_out];\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;
        st.global.u32 [%rd1], %r4;\nret;\n}}"
    ));
    let after = melded(&module, "k");
    let (launch, buffers) = words();
    same(&module, &after, "k", &launch, &buffers).unwrap_or_else(|e| panic!("{e}\n{after}"));
    let comparisons = |module: &Module| module.to_string().matches("setp").count();
    assert_eq!((comparisons(&module), comparisons(&after)), (3, 2), "{after}");
}

/// A function that kernels call is melded as a kernel is.
#[test]
fn functions_are_melded() {
    let module = parse(&format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.func (.param .b32 result) f(.param .b32 x)\n{{\n{REGISTERS}
        ld.param.u32 %r1, [x];\n{SIDES}\nst.param.b32 [result], %r4;\nret;\n}}
        .entry k(.param .u64 k_out, .param .u32 k_n)\n{{\n{REGISTERS}\nld.param.u32 %r1, [k_n];
        {{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall (b), f, (a);\nld.param.b32 %r4, [b];\n}}
        mov.u32 %r2, %tid.x;\nld.param.u64 %rd1, [k_out];\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;
        st.global.u32 [%rd1], %r4;\nret;\n}}"
    ));
    let after = melded(&module, "f");
    let (launch, buffers) = words();
    same(&module, &after, "k", &launch, &buffers).unwrap_or_else(|e| panic!("{e}\n{after}"));
    let remainders = |module: &Module| module.to_string().matches("rem.u32").count();
    assert_eq!((remainders(&module), remainders(&after)), (2, 1), "{after}");
}
