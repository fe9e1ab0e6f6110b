//! One step of a reactor as a kernel, by the model of time: the best warp-specialized version beside the best data-parallel one. Writes the
//! sections of docs/lab/reactor-step.md with `-- --write`; other words name the mechanisms, targets and methods that are taken, such as `h2o2`.

#[path = "common/page.rs"]
mod page;

use std::fmt::Write as _;
use std::time::Instant;

use command::Failure;
use kernels::{Integrator, Kernel, Options, StateVariables};
use kinetics::{Model, Stiffness};
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use ptx::Module;
use ptx::inst::Space;
use ptx::ir::Linkage;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::report::KernelReport;
use singe::verify::{self, MachineCode, Subject};

#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    integrator: Integrator,
    versions: &'static [Version],
    /// NVRTC takes longer than ten minutes for its text: ptxas assembles the lowered PTX instead.
    is_long: bool,
}

/// A layout with its warps, groups of a CTA and CTAs of an SM.
#[derive(Clone, Copy)]
struct Version(Codegen, u32, u32, u32);

/// Versions that keep an SM busy within its shared memory: some groups of few warps in a CTA, or some CTAs.
const SMALL: [Version; 6] = [
    Version(Codegen::DataParallel, 4, 1, 1),
    Version(Codegen::Straight, 2, 4, 1),
    Version(Codegen::Straight, 4, 2, 1),
    Version(Codegen::Straight, 8, 1, 1),
    Version(Codegen::Partial, 4, 1, 3),
    Version(Codegen::Overlay, 4, 1, 3),
];

/// The fastest of both kinds.
const FASTEST: [Version; 2] = [Version(Codegen::DataParallel, 4, 1, 1), Version(Codegen::Straight, 2, 4, 1)];

/// Values of a step exceed what a CTA shares, so that warps and CTAs compete for the cache that holds the workspace: few warps in several CTAs, or many in one.
const LARGE: [Version; 7] = [
    Version(Codegen::DataParallel, 4, 1, 1),
    Version(Codegen::Straight, 8, 1, 1),
    Version(Codegen::Partial, 1, 1, 8),
    Version(Codegen::Partial, 2, 1, 4),
    Version(Codegen::Partial, 4, 1, 2),
    Version(Codegen::Partial, 8, 1, 1),
    Version(Codegen::Partial, 16, 1, 1),
];

const CASES: [Case; 3] = [
    Case { name: "h2o2", integrator: Integrator::Rodas3, versions: &SMALL, is_long: false },
    Case { name: "h2o2", integrator: Integrator::Rodas5p, versions: &FASTEST, is_long: false },
    Case { name: "gri30", integrator: Integrator::Rodas3, versions: &LARGE, is_long: true },
];

const TARGETS: [&str; 2] = ["hopper", "ampere"];

const PAGE: &str = "docs/lab/reactor-step.md";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_wanted = |name: &str, all: &[&str]| {
        words.iter().all(|word| !all.contains(&word.as_str())) || words.iter().any(|word| word == name)
    };
    let methods = CASES.map(|case| case.integrator.method().name);
    for case in CASES.iter().filter(|case| is_wanted(case.name, &CASES.map(|case| case.name))) {
        if !is_wanted(case.integrator.method().name, &methods) {
            continue;
        }
        let model = testkit::detailed(&testkit::shipped(case.name));
        for target in TARGETS.into_iter().filter(|target| is_wanted(target, &TARGETS)) {
            let (heading, section) = section(case, &model, Target::by_name(target).unwrap());
            print!("{heading}{section}");
            if std::env::args().any(|word| word == "--write") {
                let path = testkit::root().join(PAGE);
                let page = std::fs::read_to_string(&path).expect("the page");
                std::fs::write(path, page::with_section(&page, &heading, &section)).expect("docs can be written");
            }
        }
    }
}

/// The heading and the table of a mechanism on a target by a method.
fn section(case: &Case, model: &Model, target: &'static Target) -> (String, String) {
    let method = case.integrator.method();
    let heading = format!("\n## {} on {}, {}\n", case.name, target.name, method.name);
    let options =
        Options { warps: 1, state: StateVariables::MassFractions, integrator: case.integrator, ..Options::default() };
    let options = Options { form: kernels::Form::LogSpace, ..options };
    let graph = kernels::build(Kernel::IsobaricStep, model, &options).expect("a step");
    let mut text = format!(
        "\n{} stages; {} slots, {} operations, {} values.{}\n\n\
         | layout | warps | groups | CTAs per SM | registers | spilled bytes | shared bytes + workspace | phases, barriers | ns per step | made in |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        method.m.len(),
        graph.slots(1),
        graph.ops.len(),
        graph.values.len(),
        if case.is_long {
            " ptxas assembled the lowered PTX (not NVRTC's), and its machine code gives the bits of the graph."
        } else {
            ""
        }
    );
    for &version in case.versions {
        let began = Instant::now();
        let row =
            match if case.is_long { assembled(case, model, target, version) } else { report(case, target, version) } {
                Ok(row) => row,
                Err(why) => format!("| | | | | refused: {why} | | |"),
            };
        let Version(codegen, warps, ..) = version;
        let _ = writeln!(text, "| {} | {warps} {row} {:.0} s |", codegen.name(), began.elapsed().as_secs_f64());
    }
    (heading, text)
}

fn cells(report: &KernelReport, compiled: Option<[u32; 2]>, nanoseconds: Option<f64>) -> String {
    let [registers, spilled] =
        compiled.map_or(["not compiled", ""].map(str::to_owned), |figures| figures.map(|figure| figure.to_string()));
    let time = nanoseconds.map_or("no model".to_owned(), |found| format!("{found:.2}"));
    let workspace = report.workspace_bytes_per_cta.map_or(String::new(), |bytes| format!(" + {bytes}"));
    format!(
        "| {} | {} | {registers} | {spilled} | {}{workspace} | {}, {} | {time} |",
        report.groups_per_cta, report.machine.ctas_per_sm, report.shared_bytes, report.phases, report.barriers,
    )
}

/// The request for a version.
fn request(case: &Case, target: &'static Target, Version(codegen, warps, groups, ctas): Version) -> Request {
    let files = mechanism::Files { mechanism: testkit::shipped(case.name), ..Default::default() };
    let request = Request {
        files,
        codegen,
        kernels: vec![Kernel::IsobaricStep],
        real_compilers: true,
        verify_machine_code: true,
        predict_time: true,
        ..Request::default()
    };
    let request = request.with(|r| {
        r.common.target = target;
        r.common.state = StateVariables::MassFractions;
        r.common.integrator = case.integrator;
        r.tuning.warps = warps;
        r.tuning.groups_per_cta = groups;
        r.tuning.ctas_per_sm.count = ctas;
    });
    request.for_target().expect("a request")
}

/// The row of a version, proven, verified and timed; or why there is none.
fn report(case: &Case, target: &'static Target, version: Version) -> Result<String, String> {
    let report = driver::compile(&request(case, target, version), &mut Observer::silent()).map_err(why)?;
    let report = &report.kernels[0];
    let figures = report.compiled.as_ref().map(|made| [made.registers, made.spill_store_bytes + made.spill_load_bytes]);
    Ok(cells(report, figures, report.prediction.as_ref().map(|found| found.nanoseconds_per_point)))
}

/// The same of what ptxas makes of the lowered PTX.
fn assembled(case: &Case, model: &Model, target: &'static Target, version: Version) -> Result<String, String> {
    let request = Request { real_compilers: false, ..request(case, target, version) };
    let unit = driver::compile_kernel(Kernel::IsobaricStep, model, &request, &mut Observer::silent()).map_err(why)?;
    let tools = toolchain::find_for(target.compute_capability).map_err(|absent| absent.to_string())?;
    let module = &with_dynamic_slots(&unit.ptx);
    let first_line = |all: String| all.lines().next().unwrap_or_default().to_owned();
    let made = tools
        .assemble(&module.to_string(), target.compute_capability)
        .map_err(|failure| first_line(failure.to_string()))?;
    let first = |diagnostics: Vec<diagnostics::Diagnostic>| diagnostics[0].message.clone();
    let cubin = toolkit::cubin::read_machine_code(&unit.program.symbol, &made.cubin).map_err(first)?;
    let Unit { kernel, ref graph, ref mapping, ref proven, ref program, .. } = unit;
    let stiffness = Stiffness::Sequential;
    let subject = Subject { kernel, model, stiffness, graph, mapping, proven, program, module };
    let (shared, ctas) = (unit.report.shared_bytes, unit.report.machine.ctas_per_sm);
    match verify::verify_machine_code(&subject, &cubin, "ptxas", shared, 33).map_err(first)? {
        MachineCode::Verified(_) => {}
        MachineCode::NotRun(reason) => return Err(reason),
    }
    let time = verify::predict(&subject, &cubin, shared, ctas, target).map_err(first)?;
    let usage = made.usages.first().ok_or("ptxas reports nothing")?;
    let figures = [usage.registers, usage.spill_store_bytes + usage.spill_load_bytes];
    Ok(cells(&unit.report, Some(figures), time.map(|found| found.nanoseconds_per_point)))
}

/// Assemblers take 48 KiB of shared memory at most that a module declares: the launch gives larger arrays.
fn with_dynamic_slots(module: &Module) -> Module {
    let mut module = module.clone();
    let large = module.variables.values_mut().filter(|data| data.space == Space::Shared && data.bytes > 48 << 10);
    for data in large {
        (data.linkage, data.bytes) = (Linkage::Extern, 0);
    }
    module
}

fn why(failure: Failure) -> String {
    let first = failure.diagnostics.first();
    first.map_or_else(String::new, |d| format!("`{}` {}", d.id, d.message.lines().next().unwrap_or_default()))
}
