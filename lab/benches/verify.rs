//! Time and memory of `singe ptx verify` on the largest kernels, each in a process of its own, and its words on kernels that
//! are broken on purpose. Writes docs/lab/verify.md. Kernels of the mechanisms are what NVRTC makes of the emitted text, or
//! without NVRTC what the project's own code generator makes.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use diagnostics::Source;
use machine::target::ComputeCapability;
use machine::toolchain::{self, Job, Toolchain};
use ptx::{Module, read};
use singe::driver::{self, Request};
use singe::observer::Observer;
use testkit::broken;
use testkit::request;
use testkit::ring;
use warpsim::{Launch, prove};

/// In this mode the process verifies one file and prints its row.
const ONE: &str = "--one";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, mode, file, entry, threads] = &arguments[..]
        && mode == ONE
    {
        return println!("{}", row(Path::new(file), entry, threads.parse().expect("a number of threads")));
    }
    let toolchain = toolchain::find().inspect_err(|absent| println!("no NVRTC: {absent}")).ok();
    let folder = tempfile::tempdir().expect("a folder for the kernels");
    let mut rows = vec![measured(folder.path(), "ring of 32 warps", "ring", &ring::ring(4000), 1024)];
    for warps in [8, 32] {
        for (entry, text) in kernels(warps, toolchain.as_ref()) {
            rows.push(measured(folder.path(), &format!("gri30 {entry}"), &entry, &text, 32 * warps));
        }
    }
    let page = page(&rows, toolchain.as_ref().map_or("the project's own code generator", |t| &t.name));
    print!("{page}");
    std::fs::write(testkit::root().join("docs/lab/verify.md"), page).expect("docs can be written");
}

fn page(rows: &[String], compiler: &str) -> String {
    let mut page = format!(
        "# Verifying synchronisation\n\n`singe ptx verify K.ptx` proves that a kernel cannot deadlock, that no barrier is used \
         again too early and that no two threads race on shared memory, for one launch shape. `cargo bench --bench verify` \
         fills this page.\n\n## Time and memory\n\nEach kernel in a process of its own: reading the text, the proof, and the \
         most memory that the process held. The kernels of GRI-Mech 3.0 come from {compiler}, for three groups of 32 points; \
         the ring is made up. A proof executes the kernel once, and once more for each parameter to see whether its value \
         matters. Times are those of a machine that may be busy with other work.\n\n| kernel | warps | instructions | arrivals | read (ms) | proof (ms) | peak (MB) |\n\
         |---|---:|---:|---:|---:|---:|---:|\n"
    );
    page.extend(rows.iter().map(|row| format!("{row}\n")));
    page += "\n## Broken kernels\n\nA warp hands rows to another through one slot of shared memory; each line changes it in one \
             place.\n\n| class | verifier |\n|---|---|\n";
    for (class, module, threads) in broken::kernels() {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| {class} | {} |", broken::words(&module, threads).join("; ").replace('|', "\\|"));
    }
    page
}

/// The row that a process of its own prints.
fn measured(folder: &Path, name: &str, entry: &str, text: &str, threads: u32) -> String {
    let file = folder.join("k.ptx");
    std::fs::write(&file, text).expect("the folder can be written");
    let own = std::env::current_exe().expect("the name of this program");
    let output = Command::new(own).arg(ONE).arg(&file).args([entry, &threads.to_string()]).output();
    let output = output.expect("this program can be started");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let row = format!("| {name} {}", String::from_utf8_lossy(&output.stdout).trim());
    println!("{row}");
    row
}

fn row(file: &Path, entry: &str, threads: u32) -> String {
    let text = std::fs::read_to_string(file).expect("the kernel was written");
    let begin = Instant::now();
    let module = parsed(text);
    let read = begin.elapsed();
    let func = module.func(entry).expect("the kernel is in its module");
    let launch = Launch::linear(1, threads, prove::arguments(func, 96));
    let begin = Instant::now();
    let verdict = prove::prove(&module, entry, &launch).expect("the launch fits");
    let proof = begin.elapsed();
    assert!(verdict.proven(), "{:?} {:?}", verdict.violations, verdict.not_analysed);
    format!(
        "| {} | {} | {} | {:.0} | {:.0} | {} |",
        threads / 32,
        func.insts.len(),
        verdict.arrivals,
        1e3 * read.as_secs_f64(),
        1e3 * proof.as_secs_f64(),
        peak().map_or("unknown".to_owned(), |megabytes| format!("{megabytes:.0}"))
    )
}

fn parsed(text: String) -> Module {
    read::read(&Arc::new(Source { name: "k.ptx".to_owned(), text })).expect("the kernel can be read")
}

/// Largest resident set of this process so far, in MB; where the system tells it.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1e3)
}

/// (entry, text) of every kernel of GRI-Mech 3.0.
fn kernels(warps: u32, toolchain: Option<&Toolchain>) -> Vec<(String, String)> {
    let request = Request { verify: None, ..request::new(testkit::shipped("gri30")) }.with(|r| r.tuning.warps = warps);
    let model =
        kinetics::model(mechanism::read(&request.files).expect("a shipped mechanism").0).expect("it has a model");
    let compile = |kernel: &_| driver::compile_kernel(*kernel, &model, &request, &mut Observer::silent());
    let units: Vec<_> = request.kernels.iter().map(|kernel| compile(kernel).expect("it compiles")).collect();
    let text = |unit: driver::Unit| {
        let (symbol, source) = (unit.program.symbol, unit.source);
        let job = Job { name: format!("{symbol}.cu"), source, arch: ComputeCapability(3, 5), options: vec![] };
        let text = toolchain.map_or(unit.ptx.to_string(), |t| t.compile_to_ptx(&job).expect("NVRTC takes it").text);
        (symbol, text)
    };
    units.into_iter().map(text).collect()
}
