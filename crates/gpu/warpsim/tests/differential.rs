//! The verdict on a kernel depends neither on who compiled it nor on the architecture: the kernels of tests/corpus as they stand
//! there and for others, and those in CUDA C++ as NVRTC compiles them for sm_35, sm_70 and sm_90.

use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use ptx::ir::ParamKind;
use ptx::{Module, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use testkit::corpus;
use testkit::skip;
use warpsim::prove::{self, Verdict};
use warpsim::{Argument, Launch};

const ARCHS: [ComputeCapability; 3] = [ComputeCapability(3, 5), ComputeCapability(7, 0), ComputeCapability(9, 0)];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn parsed(name: &str, text: String) -> Module {
    read::text(name, &text).unwrap_or_else(|d| panic!("{name}: {d:?}"))
}

/// Compiles the source by NVRTC, for each architecture that is installed here.
fn compiled(name: &str, source: &str) -> Vec<(ComputeCapability, Module)> {
    let compile = |arch: ComputeCapability| match toolchain::find_for(arch) {
        Ok(toolchain) => {
            let job = Job { name: name.to_owned(), source: source.to_owned(), arch, options: vec![] };
            let text = toolchain.compile_to_ptx(&job).unwrap_or_else(|e| panic!("{e}")).text;
            Some((arch, parsed(name, text)))
        }
        Err(absent) => {
            skip::skip(format!("{}: {absent}", arch.sm()));
            None
        }
    };
    ARCHS.into_iter().filter_map(compile).collect()
}

/// Returns `proven`, `open`, or the kinds of the violations, in order.
fn class(verdict: &Verdict) -> String {
    let kind = |hazard: &warpsim::Hazard| {
        let text = format!("{:?}", hazard.kind);
        text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned()
    };
    match (&verdict.violations[..], &verdict.not_analysed[..]) {
        ([], []) => "proven".to_owned(),
        ([], _) => "open".to_owned(),
        (wrong, _) => {
            let mut kinds: Vec<String> = wrong.iter().map(kind).collect();
            kinds.sort();
            kinds.dedup();
            kinds.join(" ")
        }
    }
}

fn proved(module: &Module, entry: &str, launch: &Launch) -> Verdict {
    prove::prove(module, entry, launch).unwrap_or_else(|e| panic!("{entry}: {e}"))
}

/// Makes a launch with buffers for pointers, and the number for the others.
fn launch(module: &Module, entry: &str, ctas: u32, threads: [u32; 3], number: u32) -> Launch {
    let params = module.func(entry).unwrap().params_of(ParamKind::Input).enumerate();
    let argument = |(i, (_, data)): (usize, (_, &ptx::ir::ParamData))| match data.bytes() {
        8 => Argument::Buffer(i),
        _ => Argument::U32(number),
    };
    let size = threads.iter().product();
    Launch { threads, ..Launch::linear(ctas, size, params.map(argument).collect()) }
}

#[test]
fn the_corpus_for_every_architecture() {
    for kernel in corpus::kernels().into_iter().chain(corpus::divergent()) {
        let mut said = BTreeMap::new();
        for ComputeCapability(major, minor) in ARCHS {
            let module = Module { sm: 10 * major + minor, ..kernel.module.clone() };
            let verdict = proved(&module, &kernel.entry, &kernel.setup.launch);
            said.entry(class(&verdict)).or_insert_with(Vec::new).push((module.sm, verdict));
        }
        assert_eq!(said.len(), 1, "{}: {said:#?}", kernel.name);
        println!("{}: {}", kernel.name, said.keys().cloned().collect::<Vec<_>>().join(", "));
    }
}

/// The file, the kernel, threads, and a number that its parameters may have.
const CUDA: [(&str, &str, [u32; 3], u32); 5] = [
    ("pipeline", "pipeline", [64, 1, 1], 4),
    ("histogram", "histogram", [64, 1, 1], 180),
    ("matrix-multiply", "multiply", [16, 16, 1], 32),
    ("reduction", "reduce_shared", [128, 1, 1], 512),
    ("reduction", "reduce_shuffles", [128, 1, 1], 512),
];

#[test]
fn kernels_as_nvrtc_compiles_them() {
    let corpus = corpus::kernels();
    for (file, entry, threads, number) in CUDA {
        let by_hand = corpus.iter().find(|kernel| kernel.name == file).unwrap();
        let wanted = class(&proved(&by_hand.module, &by_hand.entry, &by_hand.setup.launch));
        assert_eq!(wanted, "proven", "{file}");
        let source = std::fs::read_to_string(root().join(format!("tests/corpus/{file}.cu"))).unwrap();
        for (arch, module) in compiled(&format!("{file}.cu"), &source) {
            let verdict = proved(&module, entry, &launch(&module, entry, 2, threads, number));
            println!("{entry} {}: {}", arch.sm(), class(&verdict));
            assert_eq!(class(&verdict), wanted, "{entry} {}: {verdict:#?}", arch.sm());
        }
    }
}

/// The pipeline with one fault each, and the violation in all compilations.
const FAULTS: [(&str, &str, &str, &str); 4] = [
    ("nobody says that the slot is full", "      TELL(1);\n", "", "Deadlock"),
    (
        "the slot is full before it is filled",
        "      slots[0][lane] = first;\n      TELL(1);\n",
        "      TELL(1);\n      slots[0][lane] = first;\n",
        "Unwritten",
    ),
    ("the slot is never filled", "      slots[1][lane] = second;\n", "", "Unwritten"),
    ("too many threads", "bar.arrive %0, 64;", "bar.arrive %0, 96;", "Barrier"),
];

#[test]
fn faults_are_the_same_wherever_they_are_compiled() {
    let source = std::fs::read_to_string(root().join("tests/corpus/pipeline.cu")).unwrap();
    for (what, from, to, kind) in FAULTS {
        let broken = source.replacen(from, to, 1);
        assert_ne!(broken, source, "{what}");
        for (arch, module) in compiled("pipeline.cu", &broken) {
            let verdict = proved(&module, "pipeline", &launch(&module, "pipeline", 1, [64, 1, 1], 4));
            let first = verdict.violations.first().map(|hazard| format!("{:?}", hazard.kind)).unwrap_or_default();
            assert!(first.starts_with(kind), "{what}, {}: {verdict:#?}", arch.sm());
        }
    }
}

/// The access of a lane in one CTA is no race with that of another lane in the CTA before.
#[test]
fn ctas_do_not_race_with_each_other() {
    let text =
        ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 4 .b8 box[256];\n.entry k () { .reg .b32 %r<6>;
        mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, box; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1;
        bar.sync 0; xor.b32 %r4, %r2, 4; ld.shared.u32 %r5, [%r4]; ret; }";
    let module = parsed("k.ptx", text.to_owned());
    for ctas in [1, 3] {
        let verdict = proved(&module, "k", &Launch::linear(ctas, 64, vec![]));
        assert!(verdict.proven(), "{ctas} CTAs: {verdict:#?}");
    }
}
