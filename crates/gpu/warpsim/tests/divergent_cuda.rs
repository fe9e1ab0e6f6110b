//! The CUDA sources of the divergent kernels: compiled by NVRTC, they leave the same values as the hand-written PTX, before and
//! after every pass that deals with divergent branches.

use diagnostics::Source;
use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use passes::{Options, Pass, predication};
use ptx::Module;
use std::path::Path;
use std::sync::Arc;
use testkit::corpus::{self, Kernel};
use testkit::skip;
use warpsim::{Buffer, Options as SimOptions};

/// Patterns with random code, whose source is the PTX.
const WITHOUT_SOURCE: [&str; 4] = ["sb1-r", "sb2-r", "sb3-r", "sb4-r"];

fn results(kernel: &Kernel, module: &Module, entry: &str, what: &str) -> Vec<Buffer> {
    let mut buffers = kernel.setup.buffers.clone();
    let report = warpsim::run(module, entry, &kernel.setup.launch, &mut buffers, &SimOptions::default());
    report.unwrap_or_else(|hazards| panic!("{}, {what}: {hazards}\n{module}", kernel.name));
    buffers
}

#[test]
fn sources_do_what_the_texts_do() {
    let arch = ComputeCapability(7, 0);
    let tools = match toolchain::find_for(arch) {
        Ok(tools) => tools,
        Err(absent) => return skip::skip(format!("{absent}")),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/corpus/divergent");
    let mut compiled = 0;
    for kernel in corpus::divergent() {
        let path = folder.join(format!("{}.cu", kernel.name));
        assert_eq!(path.exists(), !WITHOUT_SOURCE.contains(&kernel.name.as_str()), "{}", path.display());
        if !path.exists() {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let job = Job { name: kernel.name.clone(), source, arch, options: vec!["--fmad=false".to_owned()] };
        let ptx = tools.compile_to_ptx(&job).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(ptx.log, "", "{}", kernel.name);
        let source = Arc::new(Source { name: kernel.name.clone(), text: ptx.text });
        let module = ptx::read::read(&source).unwrap_or_else(|e| panic!("{}: {e:?}\n{}", kernel.name, source.text));
        let entry = module.entries().next().expect("a kernel").name.clone();
        let expected = results(&kernel, &kernel.module, &kernel.entry, "PTX");
        assert!(results(&kernel, &module, &entry, "CUDA") == expected, "{}: {module}", kernel.name);
        for (pass, [sbu, rbu]) in
            [("meld", [false; 2]), ("predicate", [true, false]), ("predicate", [true; 2]), ("diverge=auto", [false; 2])]
        {
            let predication = predication::Options { sbu, rbu, ..predication::Options::default() };
            let block = Some(kernel.setup.launch.threads);
            let options = Options { block, predication, ..Options::default() };
            let made = Pass::by_name(pass).expect("it is in the table").run(&module, &entry, &options);
            let made = made.unwrap_or_else(|failure| panic!("{}, {pass}: {failure:?}", kernel.name)).module;
            assert!(results(&kernel, &made, &entry, pass) == expected, "{}, {pass}: {made}", kernel.name);
        }
        compiled += 1;
    }
    println!("{compiled} sources, {}", tools.name);
    assert_eq!(compiled, 18);
}
