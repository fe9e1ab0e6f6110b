//! Levels of occupancy: every version does what its kernel does, assemblers take it and the hardware gives its level; the model finds
//! the level that is known to be best; and the header settles on it.

use machine::target::{Target, occupancy};
use machine::toolchain;
use passes::allocate::Algorithm;
use passes::allocate::spill_location::Rewriting;
use passes::occupancy::header::{Ladder, header};
use passes::occupancy::settle::settle;
use passes::occupancy::split::split;
use passes::occupancy::{Demand, Direction, Settings, Version, every, levels, realise, select};
use ptx::Module;
use std::fmt::Write;
use std::process::Command;
use testkit::corpus;
use testkit::dips::DIPS;
use testkit::same_execution::same;
use testkit::skip;
use warpsim::{Appraisal, Argument, Launch, Options};

fn target(name: &str) -> &'static Target {
    Target::by_name(name).expect("it is described")
}

fn settings(target: &'static Target, block: [u32; 3]) -> Settings<'static> {
    let (algorithm, rewriting) = (Algorithm::ChaitinBriggs, Rewriting::AffRA);
    Settings { target, block: Some(block), predicates: 7, algorithm, rewriting, model: None, source: None }
}

/// Checks for the tools that make machine code and disassemble it.
fn tools(target: &Target) -> Result<(), toolchain::Absent> {
    toolchain::find_for(target.compute_capability)?;
    toolchain::disassembler(target.compute_capability).map(|_| ())
}

/// Returns the position of a kernel.
fn index(module: &Module, kernel: &str) -> usize {
    module.funcs.iter().position(|func| func.name == kernel).expect("it is there")
}

/// Returns one version for each number of registers at which something is spilled, and for the padded highest and lowest level.
fn versions(module: &Module, index: usize, demand: &Demand, settings: &Settings) -> Vec<Version> {
    let mut seen = Vec::new();
    let mut found: Vec<Version> = Vec::new();
    for level in levels(settings.target, demand) {
        if let Ok(version) = realise(module, index, demand, level, settings)
            && (version.spills.is_some() || found.len() < 2)
            && !seen.contains(&level.registers)
        {
            seen.push(level.registers);
            found.push(version);
        }
    }
    found
}

#[test]
fn every_level_of_the_corpus_computes_the_same_bits() {
    let (mut checked, mut spilled) = (0, 0);
    for kernel in corpus::kernels().into_iter().chain(corpus::divergent()) {
        let (launch, buffers) = (&kernel.setup.launch, &kernel.setup.buffers);
        if same(&kernel.module, &kernel.module, &kernel.entry, launch, buffers).is_err() {
            // one of the kernels that show a hazard
            continue;
        }
        let (at, target) = (index(&kernel.module, &kernel.entry), target("kepler"));
        let settings = settings(target, launch.threads);
        let shared = u32::try_from(launch.shared).expect("it fits");
        let demand = Demand::for_kernel(&kernel.module, at, Some(launch.threads), shared).expect("the shape is given");
        for version in versions(&kernel.module, at, &demand, &settings) {
            let launch = Launch { shared: version.launch_shared.into(), ..launch.clone() };
            if let Err(difference) = same(&kernel.module, &version.module, &kernel.entry, &launch, buffers) {
                panic!("{} at {:?}: {difference}\n{}", kernel.name, version.level, version.module);
            }
            checked += 1;
            spilled += usize::from(version.spills.is_some());
        }
    }
    println!("{checked} versions, {spilled} with spills");
    assert!(checked > 60, "{checked}");
}

/// The kernels with known dips spill at their higher levels, to shared and to local memory.
#[test]
fn every_level_with_spills_computes_the_same_bits() {
    let mut spilled = [0, 0];
    for dip in &DIPS {
        let (module, setup) = (dip.module(), dip.setup());
        let (launch, buffers) = (Launch { ctas: [2, 1, 1], ..setup.launch }, setup.buffers);
        for name in ["volta", "ampere", "hopper"] {
            let settings = settings(target(name), launch.threads);
            let demand = Demand::for_kernel(&module, 0, None, 0).expect("the shape is given");
            for version in versions(&module, 0, &demand, &settings) {
                let launch = Launch { shared: version.launch_shared.into(), ..launch.clone() };
                same(&module, &version.module, "dip", &launch, &buffers).unwrap_or_else(|d| panic!("{name}: {d}"));
                let (local, shared) = version.spilled_bytes();
                spilled[0] += usize::from(local > 0);
                spilled[1] += usize::from(shared > 0);
            }
        }
    }
    println!("{} versions with spills to local memory, {} with spills to shared memory", spilled[0], spilled[1]);
    assert!(spilled[1] > 20, "{spilled:?}");
}

/// The machine code of a version has exactly the level on the hardware, by the calculator.
#[test]
fn assemblers_take_every_level_and_keep_it() {
    let mut checked = 0;
    for name in ["volta", "ampere", "hopper"] {
        let target = target(name);
        let tools = match toolchain::find_for(target.compute_capability) {
            Ok(tools) => tools,
            Err(absent) => return skip::skip(absent),
        };
        for dip in &DIPS {
            let module = dip.module();
            let settings = settings(target, [256, 1, 1]);
            let demand = Demand::for_kernel(&module, 0, None, 0).expect("the shape is given");
            for level in levels(target, &demand) {
                let version = realise(&module, 0, &demand, level, &settings)
                    .unwrap_or_else(|refusal| panic!("{name} {}: {refusal}", dip.name()));
                let made = tools.assemble(&version.module.to_string(), target.compute_capability);
                let usage =
                    &made.unwrap_or_else(|e| panic!("{name} {}: {e}\n{}", dip.name(), version.module)).usages[0];
                assert!(usage.registers <= version.registers, "{} of {}", usage.registers, version.registers);
                let shared = usage.shared_bytes + version.launch_shared;
                let shared = match target.reserved_shared_bytes_per_cta {
                    // ptxas counts the system's part of a CTA's shared memory
                    reserved if usage.shared_bytes >= version.static_shared + reserved => shared - reserved,
                    _ => shared,
                };
                assert_eq!(shared, version.static_shared + version.launch_shared, "{name} {}", dip.name());
                let kernel = demand.kernel(usage.registers, shared);
                assert_eq!(occupancy(target, kernel).blocks, level.blocks, "{name} {}: {usage:?}", dip.name());
                checked += 1;
            }
        }
    }
    println!("{checked} versions assembled, each with exactly its level");
    assert!(checked > 80, "{checked}");
}

#[test]
fn the_model_finds_the_dips() {
    let target = target("hopper");
    let mut wrong = Vec::new();
    for dip in &DIPS {
        let (module, setup) = (dip.module(), dip.setup());
        if let Err(absent) = tools(target) {
            return skip::skip(absent);
        }
        let model = Appraisal::new(&module, "dip", &setup, Some(target)).expect("it has no hazards");
        assert!(model.runs_machine_code());
        let settings = Settings { model: Some(&model), ..settings(target, setup.launch.threads) };
        let demand = Demand::for_kernel(&module, 0, None, 0).expect("the shape is given");
        let (_, rows) = every(&module, 0, &demand, &settings).expect("allocations are right");
        let mut line = format!("{}:", dip.name());
        let mut best = (0, f64::INFINITY);
        for (level, row) in &rows {
            let timed = match row {
                Ok(timed) => timed,
                Err(why) => {
                    write!(line, " {}: {why}", level.blocks).unwrap();
                    continue;
                }
            };
            let (local, shared) = timed.version.spilled_bytes();
            let taken = timed.version.assembled.unwrap_or(0);
            write!(line, " {}: {} ({taken} registers, {} bytes)", level.blocks, timed.clocks, local + shared).unwrap();
            if timed.clocks < best.1 {
                best = (level.blocks, timed.clocks);
            }
        }
        let selection = select(&module, 0, &demand, &settings).expect("allocations are right").expect("it has levels");
        let chosen = selection.version().level.blocks;
        println!("{line}; chosen {chosen} of {} versions", selection.versions());
        if best.0 != dip.bound || chosen != dip.bound {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A launch in parts of one, two, three … CTAs does what one launch does.
#[test]
fn a_split_launch_does_the_same() {
    let (mut checked, mut numbered) = (0, 0);
    for kernel in corpus::kernels().into_iter().chain(corpus::divergent()) {
        let (launch, mut expected) = (kernel.setup.launch.clone(), kernel.setup.buffers.clone());
        if warpsim::run(&kernel.module, &kernel.entry, &launch, &mut expected, &Options::default()).is_err() {
            continue;
        }
        let Ok(module) = split(&kernel.module, index(&kernel.module, &kernel.entry)) else { continue };
        let all = launch.ctas[0];
        let mut buffers = kernel.setup.buffers.clone();
        let mut first = 0;
        while first < all {
            let now = (first + 1).min(all - first);
            let mut part = Launch { ctas: [now, launch.ctas[1], launch.ctas[2]], ..launch.clone() };
            part.arguments.extend([Argument::U32(first), Argument::U32(all)]);
            warpsim::run(&module, &kernel.entry, &part, &mut buffers, &Options::default())
                .unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
            first += now;
        }
        assert!(buffers == expected, "{}", kernel.name);
        checked += 1;
        numbered += usize::from(all > 1);
    }
    assert!(checked > 30 && numbered > 10, "{checked} {numbered}");
}

/// The header is C++. A stand-in for the device, whose times are those of the model, makes it try the versions that [`settle`]
/// tries. It settles on the same version, in a loop of launches and in one launch that is split.
#[test]
fn the_header_settles_as_the_model_says() {
    let Some(compiler) =
        ["c++", "g++", "clang++"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
    else {
        return skip::skip("there is no C++ compiler");
    };
    let target = target("hopper");
    let dip = &DIPS[2];
    let (module, setup) = (dip.module(), dip.setup());
    if let Err(absent) = tools(target) {
        // estimates take the place of the model
        skip::skip(format!("the model of time: {absent}"));
    }
    let model = Appraisal::new(&module, "dip", &setup, Some(target)).expect("it has no hazards");
    let settings = Settings { model: Some(&model), ..settings(target, setup.launch.threads) };
    let demand = Demand::for_kernel(&module, 0, None, 0).expect("the shape is given");
    let selection = select(&module, 0, &demand, &settings).expect("allocations are right").expect("it has levels");
    let ladder = Ladder::new(&selection);
    let times: Vec<f64> = ladder.versions.iter().map(|timed| timed.clocks).collect();
    let expected = settle(times.len(), ladder.original, ladder.direction, |version| times[version]);
    assert_eq!(ladder.direction, Direction::Increasing);

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("dip.hpp"), header(&ladder, "dip").unwrap()).unwrap();
    let list: Vec<String> = times.iter().map(|time| format!("{time:?}")).collect();
    let program = format!(
        "#include \"dip.hpp\"
#include <cstdio>
using namespace singe_occupancy;
struct StandIn {{
    // each CTA is run once, by whichever version
    unsigned next = 0;
    double run(const Version &version, unsigned first, unsigned ctas, unsigned all, int) {{
        static const double times[] = {{{}}};
        std::printf(\"%d %u %u %u\\n\", int(&version - versions), first, ctas, all);
        return times[&version - versions] * ctas;
    }}
}};
int main() {{
    StandIn device;
    Adaptive<StandIn> loop(device);
    for (int i = 0; i < 12; ++i) loop.iterate(24, i);
    std::printf(\"settled %d %d %d\\n\", loop.settling().settled(), loop.settling().version(), loop.settling().tried());
    Adaptive<StandIn> once(device);
    once.once(1000, 50, 0);
    std::printf(\"settled %d %d %d\\n\", once.settling().settled(), once.settling().version(), once.settling().tried());
}}
",
        list.join(", ")
    );
    std::fs::write(path("main.cpp"), program).unwrap();
    let compiled = Command::new(compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(path("main"))
        .arg(path("main.cpp"))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(path("main")).output().unwrap();
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let lines: Vec<Vec<usize>> = printed
        .lines()
        .map(|line| line.trim_start_matches("settled ").split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    let settled = vec![1, expected.chosen, expected.tried.len()];
    let tried = |lines: &[Vec<usize>]| lines.iter().map(|line| line[0]).collect::<Vec<_>>();
    let count = expected.tried.len();
    assert_eq!((&lines[12], tried(&lines[..count])), (&settled, expected.tried.clone()), "{printed}");
    assert!(lines[count..12].iter().all(|line| line[0] == expected.chosen), "{printed}");
    let parts = &lines[13..lines.len() - 1];
    assert_eq!((&lines[lines.len() - 1], tried(&parts[..count])), (&settled, expected.tried), "{printed}");
    let mut first = 0;
    for part in parts {
        assert_eq!((part[1], part[3]), (first, 1000), "{printed}");
        first += part[2];
    }
    assert_eq!(first, 1000, "{printed}");
    println!("settled after {count} iterations on {} of {} versions", expected.chosen, times.len());
}
