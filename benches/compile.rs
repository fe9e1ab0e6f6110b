//! Time and memory of the whole command by stage, without simulation. Goals: gri30 under 1 s, usc2 under 5 s on one core,
//! under 1 GB.

use divan::Bencher;
use singe::dataflow::{Form, Kernel, Units};
use singe::driver::{self, Request};
use singe::emit::overlay::{Codegen, Residence};
use singe::mapping::{Mapper, Weights};
use singe::mechanism::{Files, Options};
use singe::observer::Observer;
use singe::output::Emit;
use singe::schedule::Placement;
use singe::target::Target;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in mechanisms() {
        let mut observer = Observer::silent();
        let request = Request { output: Some(folder.path().join("out")), ..request(&name) };
        if let Err(failure) = driver::compile(&request, &mut observer) {
            panic!("{name}: {:?}", failure.diagnostics);
        }
        println!("{name} by stage, once:\n{}", observer.time_table());
    }
    println!(
        "largest resident set so far: {} MB",
        peak_memory().map_or("unknown".into(), |kb| (kb / 1024).to_string())
    );
    divan::main();
}

/// The shipped mechanisms, and usc2 where the shared data are at hand.
fn mechanisms() -> Vec<String> {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut list: Vec<String> = ["h2o2", "gri30"].map(|name| format!("{root}/mechanisms/{name}/chem.inp")).to_vec();
    let shared = format!("{root}/../shared/mechanisms/usc2/chem.inp");
    if std::path::Path::new(&shared).exists() {
        list.push(shared);
    } else {
        println!("usc2 is left out: ../shared is absent");
    }
    list
}

fn request(mechanism: &str) -> Request {
    Request {
        files: Files { mechanism: mechanism.into(), ..Files::default() },
        // usc2 has two transport entries for some species.
        reading: Options::PERMISSIVE,
        kernels: Kernel::ALL.to_vec(),
        warps: 8,
        points_per_lane: Some(1),
        target: Target::by_name("kepler").expect("a known target"),
        ctas_per_sm: 1,
        mapper: Mapper::Greedy,
        weights: Weights::default(),
        placement: Placement::Auto,
        buffer: None,
        passes: None,
        codegen: Codegen::Overlay,
        beside: vec![],
        constants: Residence::Striped,
        units: Units::Si,
        floor: 1e-20,
        form: Some(Form::Pairwise),
        matrix: Some(singe::driver::Multiplier::Dfma),
        fit_tolerance: Some(1e-4),
        stiffness: singe::kinetics::Stiffness::Sequential,
        qssa_warps: None,
        verify: None,
        real_compilers: false,
        emit: vec![Emit::Cuda, Emit::Report, Emit::Picture],
        output: None,
        command: "singe (benchmark)".into(),
        fault: None,
    }
}

/// VmHWM of this process in kB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().trim_end_matches("kB").trim().parse().ok())
}

#[divan::bench(args = mechanisms(), sample_count = 10)]
fn all_kernels(bencher: Bencher<'_, '_>, mechanism: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = Request { output: Some(folder.path().join("out")), ..request(mechanism) };
    bencher.bench(|| driver::compile(&request, &mut Observer::silent()).is_ok());
}
