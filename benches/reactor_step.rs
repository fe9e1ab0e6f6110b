//! One step of a reactor as a kernel, by the model of time: the best warp-specialized version beside the best data-parallel one. Writes the
//! sections of docs/lab/reactor-step.md with `-- --write`; other words name the mechanisms, targets and methods that are taken, such as `h2o2`.

use std::fmt::Write as _;
use std::time::Instant;

use kinetics::Model;
use machine::target::Target;
use singe::driver::{self, Request};
use singe::kernels::{self, Integrator, Kernel, Options, StateVariables};
use singe::observer::Observer;
use singe::overlay::Codegen;
use singe::report::KernelReport;

#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    integrator: Integrator,
    versions: &'static [Version],
}

/// A layout with its warps, groups of a CTA and CTAs of an SM.
#[derive(Clone, Copy)]
struct Version(Codegen, u32, u32, u32);

/// What keeps an SM busy within its shared memory: some groups of few warps in a CTA, or some CTAs.
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

const LARGE: [Version; 2] = [Version(Codegen::DataParallel, 4, 1, 1), Version(Codegen::Straight, 16, 1, 1)];

const CASES: [Case; 3] = [
    Case { name: "h2o2", integrator: Integrator::Rodas3, versions: &SMALL },
    Case { name: "h2o2", integrator: Integrator::Rodas5p, versions: &FASTEST },
    Case { name: "gri30", integrator: Integrator::Rodas3, versions: &LARGE },
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
                write(&heading, &section);
            }
        }
    }
}

/// Puts a section in the place of the one that the page has, or at its end.
fn write(heading: &str, section: &str) {
    let path = testkit::root().join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let begin = page.find(heading).unwrap_or(page.len());
    let rest = page[begin..].get(heading.len()..).unwrap_or_default();
    let end = rest.find("\n## ").map_or(page.len(), |at| begin + heading.len() + at);
    let new = format!("{}{heading}{section}{}", &page[..begin], &page[end..]);
    std::fs::write(path, new).expect("docs can be written");
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
        "\n{} stages; {} slots, {} operations, {} values.\n\n\
         | layout | warps | groups | CTAs per SM | registers | spilled bytes | shared bytes | phases, barriers | ns per step | made in |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        method.m.len(),
        graph.slots(1),
        graph.ops.len(),
        graph.values.len()
    );
    for &version in case.versions {
        let began = Instant::now();
        let row = match report(case, target, version) {
            Ok(report) => cells(&report),
            Err(why) => format!("| | | | | refused: {why} | | |"),
        };
        let Version(codegen, warps, ..) = version;
        let _ = writeln!(text, "| {} | {warps} {row} {:.0} s |", codegen.name(), began.elapsed().as_secs_f64());
    }
    (heading, text)
}

fn cells(report: &KernelReport) -> String {
    let compiled = report.compiled.as_ref();
    let of = |figure: fn(&singe::compilers::Compiled) -> u32| {
        compiled.map_or("not compiled".to_owned(), |compiled| figure(compiled).to_string())
    };
    let time =
        report.prediction.as_ref().map_or("no model".to_owned(), |found| format!("{:.2}", found.nanoseconds_per_point));
    format!(
        "| {} | {} | {} | {} | {} | {}, {} | {time} |",
        report.groups_per_cta,
        report.machine.ctas_per_sm,
        of(|compiled| compiled.registers),
        of(|compiled| compiled.spill_store_bytes + compiled.spill_load_bytes),
        report.shared_bytes,
        report.phases,
        report.barriers,
    )
}

/// A version, proven, verified and timed; or why there is none.
fn report(
    case: &Case,
    target: &'static Target,
    Version(codegen, warps, groups, ctas): Version,
) -> Result<KernelReport, String> {
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
        r.tuning.ctas_per_sm = ctas;
    });
    let request = request.for_target().expect("a request");
    let report = driver::compile(&request, &mut Observer::silent());
    report.map(|mut report| report.kernels.remove(0)).map_err(|failure| {
        let first = failure.diagnostics.first();
        first.map_or_else(String::new, |d| format!("`{}` {}", d.id, d.message.lines().next().unwrap_or_default()))
    })
}
