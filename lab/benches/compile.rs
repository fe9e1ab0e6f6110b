//! Time and memory of the whole command by stage, without simulation. Goals: gri30 under 1 s, usc2 under 5 s on one core,
//! under 1 GB.

use std::path::{Path, PathBuf};

use divan::Bencher;
use mechanism::Options;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::Emit;
use testkit::request;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for mechanism in mechanisms() {
        let mut observer = Observer::silent();
        let request = Request { output: Some(folder.path().join("out")), ..request(&mechanism) };
        if let Err(failure) = driver::compile(&request, &mut observer) {
            panic!("{}: {:?}", mechanism.display(), failure.diagnostics);
        }
        println!("{} by stage, once:\n{}", mechanism.display(), observer.time_table());
    }
    println!(
        "largest resident set so far: {} MB",
        peak_memory().map_or("unknown".into(), |kb| (kb / 1024).to_string())
    );
    divan::main();
}

/// The shipped mechanisms, and usc2 where the shared data are at hand.
fn mechanisms() -> Vec<PathBuf> {
    let mut list = ["h2o2", "gri30"].map(testkit::shipped).to_vec();
    let shared = testkit::root().join("../shared/mechanisms/usc2/chem.inp");
    if shared.exists() {
        list.push(shared);
    } else {
        println!("usc2 is left out: ../shared is absent");
    }
    list
}

/// The whole command without simulation. usc2 has two transport entries for some species.
fn request(mechanism: &Path) -> Request {
    let emit = vec![Emit::Cuda, Emit::Report, Emit::Picture];
    Request { reading: Options::PERMISSIVE, verify: None, emit, ..request::new(mechanism.into()) }
}

/// VmHWM of this process in kB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().trim_end_matches("kB").trim().parse().ok())
}

#[divan::bench(args = mechanisms().into_iter().map(|m| m.display().to_string()), sample_count = 10)]
fn all_kernels(bencher: Bencher<'_, '_>, mechanism: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = Request { output: Some(folder.path().join("out")), ..request(mechanism.as_ref()) };
    bencher.bench(|| driver::compile(&request, &mut Observer::silent()).is_ok());
}
