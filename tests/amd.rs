//! GPUs of AMD: the text is run on the host by a stand-in for HIP, and compiled for each of them by Clang.

use std::fs::{create_dir_all, read_to_string, write};
use std::path::Path;
use std::process::Command;

use kernels::Kernel;
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use singe::driver::Request;
use singe::plan::Emit;
use singe::report::{self, Report};
use singe::verify::CodeOnAmd;
use testkit::project::{generate, program, run, there};
use testkit::request;
use testkit::shipped;

const TRANSPORT: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

/// Kernels as the command line would have them, unverified: the same trees are verified for NVIDIA's targets.
fn compiled(mechanism: &str, target: &'static Target, codegen: Codegen, kernels: &[Kernel]) -> Report {
    let request = Request { kernels: kernels.to_vec(), ..request::new(testkit::shipped(mechanism)) }.with(|r| {
        r.common.target = target;
        r.tuning.form = None;
        r.codegen = codegen;
        r.real_compilers = true;
        r.verify = None;
        r.emit = vec![Emit::Report];
    });
    testkit::request::report(&request.for_target().unwrap())
}

/// As [`compiled`], verified: PTX of the same trees, and the machine code.
fn verified(mechanism: &Path, target: &'static Target, codegen: Codegen, kernels: &[Kernel]) -> Report {
    let request = Request { kernels: kernels.to_vec(), ..request::new(mechanism.to_owned()) }.with(|r| {
        r.common.target = target;
        r.tuning.form = None;
        r.codegen = codegen;
        r.real_compilers = true;
        r.verify = Some(8);
        r.emit = vec![Emit::Report];
    });
    testkit::request::report(&request.for_target().unwrap())
}

/// The machines for which a Clang is found; others are skipped.
fn compilable() -> Vec<&'static Target> {
    let is_there = |target: &&'static Target| match toolchain::hip_compiler(target.amd().unwrap()) {
        Ok(_) => true,
        Err(absent) => {
            testkit::skip::skip(format!("{}: {absent}", target.name));
            false
        }
    };
    Target::of_amd().filter(is_there).collect()
}

#[test]
fn transport_of_gri30_needs_no_scratch_on_any_machine() {
    for target in compilable() {
        let amd = target.amd().unwrap();
        for kernel in compiled("gri30", target, Codegen::DataParallel, &TRANSPORT).kernels {
            let own = &kernel.on_amd.as_ref().unwrap().code;
            let name = format!("{} {}", target.name, kernel.kernel);
            println!("{name}: {} VGPRs, {} bytes of code, {:?}", own.vgprs, own.code_bytes, own.instructions);
            assert_eq!((own.scratch_bytes, own.spilled_vgprs), (0, 0), "{name}");
            // The calculator holds as many waves as the compiler says.
            assert_eq!(own.waves_per_simd, amd.waves_with(own.vgprs), "{name}");
            assert_eq!(kernel.machine.registers, own.vgprs, "{name}");
            let counts = own.instructions.unwrap_or_else(|| panic!("{name} has loops"));
            assert_eq!(counts.scratch, 0, "{name}");
            // Constants come by scalar loads, and are no literals.
            assert!(counts.scalar_loads > 0, "{name}");
            assert!(counts.doubles > 0 && counts.doubles < counts.vector, "{name}");
        }
    }
}

#[test]
fn chemistry_spills_little_where_it_spilled_kilobytes() {
    // Both machines of CDNA have as many registers.
    let is_swept = testkit::skip::sweeps("chemistry's scratch on mi250x");
    let machines = if is_swept { &["mi250x", "mi300x"][..] } else { &["mi300x"] };
    for target in compilable().into_iter().filter(|target| machines.contains(&target.name.as_str())) {
        let [gri30, h2o2] =
            ["gri30", "h2o2"].map(|name| compiled(name, target, Codegen::DataParallel, &[Kernel::Chemistry]));
        let scratch = |report: &Report| report.kernels[0].on_amd.as_ref().unwrap().code.scratch_bytes;
        println!("{}: {} and {} bytes of scratch", target.name, scratch(&gri30), scratch(&h2o2));
        assert_eq!(scratch(&h2o2), 0, "{}", target.name);
        assert!(scratch(&gri30) <= 256, "{}: {}", target.name, scratch(&gri30));
    }
}

#[test]
fn machine_code_gives_the_bits_of_the_graph() {
    let kernels =
        [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion, Kernel::Chemistry, Kernel::Thermodynamics];
    let is_swept = testkit::skip::sweeps("all kernels of gri30 and of the reduced dimethyl ether");
    let run = |target: &Target| ["mi250x", "mi300x", "gfx1250"].contains(&target.name.as_str());
    for target in compilable().into_iter().filter(|target| run(target)) {
        let mechanisms = ["h2o2", "gri30"].map(|name| (name, Some(shipped(name))));
        // The chemistry of the reduced dimethyl ether takes private memory.
        let published = ("dme", testkit::skip::shared("mechanisms/dme/chem.inp"));
        let is_gfx1250 = target.name == "gfx1250";
        // Both machines of CDNA have the same instructions: one of them runs what is larger.
        let has_all = is_swept || target.name != "mi250x";
        let largest = (has_all && !is_gfx1250).then_some(published);
        for (mechanism, file) in mechanisms.into_iter().take(if has_all { 2 } else { 1 }).chain(largest) {
            let Some(file) = file else { continue };
            // Clang takes half a minute for the chemistry of gri30 on gfx1250: `cargo lab amd` has it.
            let leaves_out = |kernel: &Kernel| is_gfx1250 && mechanism == "gri30" && *kernel == Kernel::Chemistry;
            let some: &[Kernel] = match mechanism {
                "gri30" if !is_swept => &[Kernel::Viscosity, Kernel::Chemistry],
                "dme" if !is_swept => &[Kernel::Chemistry],
                _ => &kernels,
            };
            let kernels: Vec<Kernel> = some.iter().copied().filter(|kernel| !leaves_out(kernel)).collect();
            let report = verified(&file, target, Codegen::DataParallel, &kernels);
            for kernel in &report.kernels {
                let own = kernel.on_amd.as_ref().unwrap();
                let name = format!("{} {mechanism} {}", target.name, kernel.kernel);
                let Some(CodeOnAmd::Verified(run)) = &own.run else { panic!("{name}: {:?}", own.run) };
                println!("{name}: {:?}, {} bytes of code, {} VGPRs", run.wave, own.code.code_bytes, own.code.vgprs);
                assert_eq!(run.points.len(), 3, "{name}");
                assert!(kernel.verdict.contains("machine code of clang"), "{}", kernel.verdict);
                // All that the compiler made is executed, once.
                let listed = own.code.instructions.unwrap_or_else(|| panic!("{name} has loops"));
                assert_eq!((run.wave.vector, run.wave.doubles), (listed.vector, listed.doubles), "{name}");
                let spills = mechanism == "dme" && kernel.kernel == "chemistry";
                assert_eq!((run.wave.scratch > 0, own.code.scratch_bytes > 0), (spills, spills), "{name}");
            }
        }
    }
}

/// Two groups of warps share waves of 64 lanes, and meet at the one barrier that there is.
#[test]
fn warps_that_work_together_give_the_bits_of_the_graph_where_waves_have_64_lanes() {
    let kernels = [Kernel::Viscosity, Kernel::Diffusion, Kernel::Chemistry];
    for target in compilable().into_iter().filter(|target| ["mi250x", "mi300x"].contains(&target.name.as_str())) {
        for codegen in [Codegen::Overlay, Codegen::Partial, Codegen::Switch] {
            let report = verified(&shipped("h2o2"), target, codegen, &kernels);
            for kernel in &report.kernels {
                let name = format!("{} {} {}", target.name, kernel.kernel, codegen.name());
                assert_eq!((kernel.named_barriers, kernel.groups_per_cta), (1, 2), "{name}");
                let own = kernel.on_amd.as_ref().unwrap();
                let Some(CodeOnAmd::Verified(run)) = &own.run else { panic!("{name}: {:?}", own.run) };
                println!("{name}: {:?}, {} bytes of code, {} VGPRs", run.wave, own.code.code_bytes, own.code.vgprs);
                assert!(run.wave.barriers > 1 && run.wave.lds > 0 && own.code.lds_bytes > 0, "{name}");
            }
        }
    }
}

/// Warps are waves, and meet at named barriers.
#[test]
fn warps_that_work_together_give_the_bits_of_the_graph_where_barriers_have_names() {
    let kernels = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion, Kernel::Chemistry];
    let Some(target) = compilable().into_iter().find(|target| target.name == "gfx1250") else { return };
    for codegen in [Codegen::Overlay, Codegen::Partial, Codegen::Switch, Codegen::Straight] {
        let report = verified(&shipped("h2o2"), target, codegen, &kernels);
        for kernel in &report.kernels {
            let name = format!("{} {}", kernel.kernel, codegen.name());
            assert!(kernel.named_barriers > 0, "{name}");
            let own = kernel.on_amd.as_ref().unwrap();
            let Some(CodeOnAmd::Verified(run)) = &own.run else { panic!("{name}: {:?}", own.run) };
            println!("{name}: {:?}, {} bytes of code, {} VGPRs", run.wave, own.code.code_bytes, own.code.vgprs);
            assert!(run.wave.barriers > 1 && run.wave.lds > 0 && own.code.lds_bytes > 0, "{name}");
        }
    }
}

/// Faults of the printer, put into the text of warp-specialized code: three of each class, found by what the machine code does.
#[test]
fn faults_of_the_printer_are_found() {
    let Some(target) = compilable().into_iter().find(|target| target.name == "gfx1250") else { return };
    let flags = ["--codegen", "overlay", "--warps", "4"];
    let source = source("viscosity", target, &flags);
    let ran = |text: &str| outputs(&compiled_text("viscosity", target, text), "h2o2_viscosity", 128);
    let right = ran(&source).unwrap();
    assert!(right.iter().all(Option::is_some));
    for (class, from, to) in PRINTED_WRONG {
        let wrong = source.replace(from, to);
        assert_ne!(wrong, source, "{class}: `{from}` is not in the text");
        let found = ran(&wrong);
        let how = match &found {
            Err(hazard) => hazard.split_once("`: ").map_or(hazard.as_str(), |(_, reason)| reason).to_owned(),
            Ok(all) => {
                let others = all.iter().zip(&right).filter(|(found, right)| found != right).count();
                format!("{others} of {} values", all.len())
            }
        };
        println!("| {class} | `{from}` | `{to}` | {how} |");
        assert!(found.as_ref().ok() != Some(&right), "{class}: `{from}` as `{to}` is not found");
    }
}

const PRINTED_WRONG: [(&str, &str, &str); 21] = [
    ("arithmetic", "t_2 * t_9", "t_2 + t_9"),
    ("arithmetic", "fma(root, q * r, root)", "fma(root, q * r, q)"),
    ("arithmetic", "fma(q, r, 0.2402265069591)", "fma(q, r, 0.2402265079591)"),
    ("lanes", "threadIdx.x & 31", "threadIdx.x & 15"),
    ("lanes", "threadIdx.x >> 5, 0", "threadIdx.x >> 6, 0"),
    ("lanes", "group * 32 + lane, points", "group * 32 + (lane & 15), points"),
    ("choices", "near ? f :", "!near ? f :"),
    ("choices", "near ? 1.4426950408889634 : p", "near ? p : 1.4426950408889634"),
    ("choices", "return a <= b ? then : otherwise", "return a > b ? then : otherwise"),
    ("slots", "slots[index_2 + 1][lane] = t_10;", "slots[index_2 + 2][lane] = t_10;"),
    ("slots", "slots[index_2 + 3][lane] = e;", ""),
    ("slots", "slots[index_2][lane] = t_2;", "slots[index_2][lane ^ 1] = t_2;"),
    ("arrays", "load(mole_fractions, index + 1, stride", "load(mole_fractions, index + 2, stride"),
    ("arrays", "*(field + (size_t)row * stride + point)", "*(field + (size_t)(row + 1) * stride + point)"),
    ("arrays", "field[(size_t)row * stride + point] = value", "field[(size_t)row * stride + point / 2] = value"),
    ("barriers", "barrier_sync<0, 128>();", ""),
    ("barriers", "barrier_sync<0, 128>();", "barrier_sync<0, 96>();"),
    ("barriers", "__builtin_amdgcn_s_barrier_init(&h2o2_viscosity_barriers[0], 4);", ""),
    ("order", "__builtin_amdgcn_s_barrier_join(&h2o2_viscosity_barriers[id]);", ""),
    ("order", "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");", ""),
    ("order", "  __syncthreads();", ""),
];

/// Without a barrier two waves race. That at the end of a turn keeps slots from the next one, whose first phase writes none here that the last phase reads: without
/// it the outputs are the same.
#[test]
fn barriers_that_are_missing_in_the_machine_code_are_found() {
    let Some(target) = compilable().into_iter().find(|target| target.name == "mi300x") else { return };
    let assembly = assembly("viscosity", target, &["--codegen", "overlay", "--warps", "4"]);
    let threads = 256;
    let right = outputs(&assembly, "h2o2_viscosity", threads).unwrap();
    assert!(right.iter().all(Option::is_some));
    let lines: Vec<&str> = assembly.lines().collect();
    let barriers: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].trim() == "s_barrier").collect();
    let without = |at: &usize| {
        let mut broken = lines.clone();
        broken[*at] = "";
        outputs(&broken.join("\n"), "h2o2_viscosity", threads)
    };
    let (races, others): (Vec<_>, Vec<_>) = barriers.iter().map(without).partition(Result::is_err);
    println!("{} of {} barriers: {races:?}", races.len(), barriers.len());
    assert!(races.len() > 1 && races.iter().all(|race| race.as_ref().is_err_and(|e| e.contains("LDS"))));
    assert!(others.len() < 2 && others.iter().all(|found| found.as_ref() == Ok(&right)));
}

/// Faults of a compiler or of a printer, put into the assembly: a wait that is missing, an operand that is another, sources of a choice
/// that changed places.
#[test]
fn faults_in_the_machine_code_are_found() {
    let Some(target) = compilable().into_iter().find(|target| target.name == "mi300x") else { return };
    let assembly = assembly("conductivity", target, &[]);
    let outputs = |assembly: &str| outputs(assembly, "h2o2_conductivity", 256);
    let right = outputs(&assembly).unwrap();
    let lines: Vec<&str> = assembly.lines().collect();
    let broken = |at: usize, line: String| {
        let mut all = lines.clone();
        all[at] = &line;
        outputs(&all.join("\n")).ok().is_none_or(|found| found != right)
    };
    let (mut waits, mut operands, mut choices) = (Vec::new(), Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("\ts_waitcnt") {
            waits.push(broken(at, String::new()));
        } else if ["\tv_fma", "\tv_mul_f64", "\tv_add_f64"].iter().any(|name| line.starts_with(name)) {
            let (head, last) = line.rsplit_once(", ").unwrap();
            let result = head.split_whitespace().nth(1).unwrap().trim_end_matches(',');
            if result != last {
                operands.push(broken(at, format!("{head}, {result}")));
            }
        } else if let Some(rest) = line.strip_prefix("\tv_cndmask_b32_e32 ") {
            let parts: Vec<&str> = rest.split(", ").collect();
            choices.push(broken(
                at,
                format!("\tv_cndmask_b32_e64 {}, {}, {}, {}", parts[0], parts[2], parts[1], parts[3]),
            ));
        }
    }
    let found = |faults: &[bool]| (faults.iter().filter(|found| **found).count(), faults.len());
    println!("waits {:?}, operands {:?}, choices {:?}", found(&waits), found(&operands), found(&choices));
    assert!(waits.len() > 5 && waits.iter().all(|found| *found));
    // Some operands have equal values, as the lower halves of short constants, and no state is beyond the temperatures that are told apart.
    for (name, faults) in [("operands", operands), ("choices", choices)] {
        let (found, all) = found(&faults);
        assert!(all > 10 && 10 * found >= 9 * all, "{name}: {found} of {all}");
    }
}

/// Compiles a kernel of h2o2 with Clang.
fn assembly(kernel: &str, target: &Target, flags: &[&str]) -> String {
    compiled_text(kernel, target, &source(kernel, target, flags))
}

/// The text of a kernel of h2o2.
fn source(kernel: &str, target: &Target, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    generate(&shipped("h2o2"), folder.path(), &[&["--target", &target.name, "--kernel", kernel], flags].concat());
    read_to_string(folder.path().join(format!("h2o2_{kernel}.hip"))).unwrap()
}

fn compiled_text(kernel: &str, target: &Target, source: &str) -> String {
    let amd = target.amd().unwrap();
    let compiled = toolchain::hip_compiler(amd).unwrap().compile(&format!("h2o2_{kernel}"), source, amd);
    compiled.unwrap_or_else(|f| panic!("{}", f.log)).1
}

/// Runs assembly of a kernel of h2o2 with one output by one workgroup, and returns the output on some states, as bits.
fn outputs(assembly: &str, symbol: &str, threads: u32) -> Result<Vec<Option<u64>>, String> {
    let kernel = gcn::read(assembly, symbol).map_err(|refused| refused[0].to_string())?;
    // Two turns where warps work together.
    let (points, species) = (100, 10);
    let temperatures: Vec<f64> = (0..points).map(|at| 300.0 + 20.0 * at as f64).collect();
    let part = |at: usize| (1 + (at * 7) % 11) as f64 / 60.0;
    let fractions: Vec<f64> = (0..points * species).map(part).collect();
    let pressures = vec![101_325.0; points];
    let inputs = [&temperatures, &pressures, &fractions].map(|values| gcn::Array::input(values));
    let mut arrays: Vec<gcn::Array> = inputs.into_iter().chain([gcn::Array::output(points)]).collect();
    let numbers = [gcn::Argument::U32(points as u32); 2];
    let arguments = (0..4).map(gcn::Argument::Array).chain(numbers).collect();
    let launch = gcn::Launch { workgroups: 1, threads, lds: 0, arguments };
    gcn::run(&kernel, &launch, &mut arrays, gcn::Options::default()).map_err(|hazard| hazard.to_string())?;
    Ok((0..points).map(|at| arrays[3].real(at).map(f64::to_bits)).collect())
}

/// The technique of the paper: warps share points and meet at named barriers.
#[test]
fn warp_specialized_code_takes_a_part_of_the_registers_and_of_the_code() {
    let Some(target) = compilable().into_iter().find(|target| target.amd().unwrap().has_named_barriers()) else {
        return;
    };
    let kernels = [Kernel::Viscosity, Kernel::Diffusion];
    let [alone, shared] = [Codegen::DataParallel, Codegen::Overlay].map(|c| compiled("gri30", target, c, &kernels));
    for (alone, shared) in alone.kernels.iter().zip(&shared.kernels) {
        assert!(alone.named_barriers == 0 && shared.named_barriers > 0, "{}", alone.kernel);
        let [alone, shared] = [alone, shared].map(|kernel| &kernel.on_amd.as_ref().unwrap().code);
        println!("{} and {} VGPRs, {} and {} bytes", alone.vgprs, shared.vgprs, alone.code_bytes, shared.code_bytes);
        assert_eq!(shared.scratch_bytes, 0);
        assert!(2 * shared.vgprs < alone.vgprs && 2 * shared.code_bytes < alone.code_bytes);
        assert!(shared.lds_bytes > 0 && shared.instructions.is_none(), "it has loops");
    }
}

/// The project of a mechanism whose device and host halves both run here: its driver compares every kernel with reference values, and
/// many workgroups with one.
#[test]
fn the_text_gives_the_reference_values_where_a_stand_in_runs_it() {
    if !there("g++") {
        return;
    }
    let is_swept = testkit::skip::sweeps("gri30 in the stand-in, and every layout on waves of 32 and of 64 lanes");
    let large = if is_swept { "gri30" } else { "h2o2" };
    let some = [
        (large, "mi300x", "data-parallel"),
        ("h2o2", "mi250x", "overlay"),
        (large, "mi300x", "partial"),
        ("h2o2", "gfx1250", "switch"),
        (large, "gfx1250", "overlay"),
    ];
    let others = [("h2o2", "mi300x", "switch"), ("h2o2", "gfx1250", "data-parallel"), (large, "gfx1250", "partial")];
    for (mechanism, target, layout) in some.into_iter().chain(others.into_iter().filter(|_| is_swept)) {
        let folder = tempfile::tempdir().unwrap();
        let kernels = ["--kernel", "viscosity,conductivity,diffusion,chemistry,thermodynamics", "--codegen", layout];
        generate(&shipped(mechanism), folder.path(), &[&["--target", target], &kernels[..]].concat());
        let output = driven(folder.path(), mechanism, target);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{mechanism} {target}: {said}");
        // checked, and timed on 512 points
        for kernel in ["viscosity", "conductivity", "diffusion", "chemistry", "thermodynamics"] {
            assert_eq!(said.matches(&format!("\n{kernel}")).count(), 2, "{said}");
        }
    }
}

/// The comparison can fail: it finds a wrong text.
#[test]
fn a_wrong_entry_is_found() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    generate(&shipped("h2o2"), folder.path(), &["--target", "mi300x", "--kernel", "chemistry"]);
    let file = folder.path().join("h2o2_chemistry.hip");
    let text = read_to_string(&file).unwrap();
    let wrong = text.replacen("powers[n & 255u]", "powers[n & 127u]", 1);
    assert_ne!(text, wrong);
    write(&file, wrong).unwrap();
    assert_eq!(driven(folder.path(), "h2o2", "mi300x").status.code(), Some(3));
}

/// A barrier that is left out, and one whose waves disagree on how many there are. One that counts a wave too few in all of them is found in the
/// machine code ([`PRINTED_WRONG`]): the stand-in runs the threads in one order, in which nothing may come of it.
#[test]
fn broken_barriers_are_found() {
    if !there("g++") {
        return;
    }
    for (barrier, broken) in [("barrier_sync<0, 256>();", ""), ("barrier_sync<1, 256>();", "barrier_sync<1, 224>();")] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["--target", "gfx1250", "--kernel", "viscosity", "--codegen", "overlay", "--warps", "8"];
        generate(&shipped("gri30"), folder.path(), &arguments);
        let file = folder.path().join("gri30_viscosity.hip");
        let text = read_to_string(&file).unwrap();
        let wrong = text.replace(barrier, broken);
        assert_ne!(text, wrong);
        write(&file, wrong).unwrap();
        let code = driven(folder.path(), "gri30", "gfx1250").status.code();
        assert!(code == Some(3) || code == Some(4), "{broken:?}: {code:?}");
    }
}

/// Builds the driver of a project against the stand-in, and runs it.
fn driven(folder: &Path, prefix: &str, target: &str) -> std::process::Output {
    let lanes = Target::by_name(target).unwrap().amd().unwrap().wavefront;
    let standing_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/amd");
    create_dir_all(folder.join("host")).unwrap();
    let mut sources = Vec::new();
    for entry in folder.read_dir().unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "hip") {
            let source = format!("host/{}.cpp", path.file_stem().unwrap().display());
            write(folder.join(&source), launches_as_calls(&read_to_string(&path).unwrap())).unwrap();
            sources.push(source);
        }
    }
    sources.sort();
    let strict = ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wno-unknown-pragmas", "-Wno-attributes"];
    let own = ["-Wno-dangling-pointer", "-I.", &format!("-DSINGE_LANES={lanes}"), "-I", standing_in.to_str().unwrap()];
    program("g++", folder, &[&strict[..], &own].concat(), &sources, &[], "driver");
    assert!(folder.join(format!("{prefix}.h")).is_file());
    Command::new(folder.join("driver")).args(["--sizes", "8", "--repeat", "1"]).output().unwrap()
}

/// Turns `kernel<<<ctas, threads>>>(…);`, which no C++ compiler reads, into a call by one thread: these kernels take all points in strides.
fn launches_as_calls(text: &str) -> String {
    let mut parts = text.split("<<<1024, 256>>>(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let kernel = out.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default().to_owned();
        out.truncate(out.len() - kernel.len());
        let (arguments, rest) = part.split_once(");").unwrap();
        out += &format!("stand_in::launch(1, 1, [&] {{ {kernel}({arguments}); }});{rest}");
    }
    out
}

#[test]
fn no_text_has_names_of_cuda() {
    let folder = tempfile::tempdir().unwrap();
    generate(&shipped("h2o2"), folder.path(), &["--target", "mi300a"]);
    let mut files = 0;
    for entry in folder.path().read_dir().unwrap().flatten() {
        let (name, text) = (entry.file_name().into_string().unwrap(), read_to_string(entry.path()).unwrap());
        // Those for CPUs are the same beside a project for CUDA.
        if name.ends_with(".cpp") || name.ends_with(".html") || name.ends_with(".svg") || name.starts_with("report") {
            continue;
        }
        // The command that made the file may name anything.
        let body: String = text.lines().filter(|line| !line.contains("singe ")).collect();
        for word in ["cuda", "CUDA", "nvcc", "__shfl", "asm volatile", "__ldg", "cp.async"] {
            assert!(!body.contains(word), "{name}: {word}");
        }
        files += 1;
    }
    assert!(files > 10, "{files}");
    let cmake = read_to_string(folder.path().join("h2o2.cmake")).unwrap();
    assert!(cmake.contains("enable_language(HIP)") && cmake.contains("set(CMAKE_HIP_ARCHITECTURES gfx942)"));
}

#[test]
fn the_report_tells_no_times_and_no_rows_of_other_makers() {
    for name in ["mi300x", "gfx1250"] {
        let target = Target::by_name(name).unwrap();
        let made = compiled("h2o2", target, Codegen::DataParallel, &[Kernel::Viscosity]);
        assert!(made.kernels.iter().all(|k| k.machine.estimated_ns.is_none() && k.machine.predicted_ns.is_none()));
        let table = report::table(&made);
        for word in ["ptxas", "NVRTC", "estimated time", "predicted", "SM", "nvdisasm"] {
            assert!(!table.contains(word), "{name}: {word}\n{table}");
        }
        assert!(table.contains("scratch (bytes per lane)"), "{table}");
        let guide = read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report-rows.md")).unwrap();
        for row in report::cells(&made).iter().skip(1) {
            assert!(guide.contains(&format!("| `{}` |", row[0].trim())), "not in docs/report-rows.md: {}", row[0]);
        }
        let has_board = target.amd().unwrap().board.is_some();
        assert_eq!(made.kernels[0].machine.bandwidth_floor_ns.is_finite(), has_board);
    }
}

/// That compilers are absent would be wrong: they were not asked.
#[test]
fn the_report_says_that_compilers_are_off() {
    let folder = tempfile::tempdir().unwrap();
    let said = |checks: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_singe"))
            .arg(shipped("h2o2"))
            .args(["--target", "mi300x", "--kernel", "viscosity", "--verify", checks, "-o"])
            .arg(folder.path().join(checks))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let off = said("no-compilers");
    assert!(off.contains("compilers are off") && !off.contains("absent"), "{off}");
    let auto = said("70");
    assert!(!auto.contains("compilers are off"), "{auto}");
}

/// The host half is C++, which an ordinary compiler takes with ROCm's headers, below a declaration of the kernel. Debian has them in
/// `libamdhip64-dev`.
#[test]
fn the_host_half_compiles_with_the_headers_of_rocm() {
    let named = std::env::var_os("ROCM_PATH").map(std::path::PathBuf::from);
    let places = named.into_iter().chain(["/usr", "/opt/rocm"].map(Into::into));
    let include = places.map(|place| place.join("include")).find(|place| place.join("hip/hip_runtime.h").is_file());
    let Some(include) = include.filter(|_| there("g++")) else {
        return testkit::skip::skip("the headers of HIP are absent (Debian's libamdhip64-dev has them)");
    };
    let folder = tempfile::tempdir().unwrap();
    generate(&shipped("gri30"), folder.path(), &["--target", "mi300x"]);
    let mut text = String::from("#include <hip/hip_runtime.h>\n");
    for kernel in ["viscosity", "conductivity", "diffusion", "chemistry"] {
        let source = read_to_string(folder.path().join(format!("gri30_{kernel}.hip"))).unwrap();
        let (device, host) = source.split_once("#if !defined(__HIPCC_RTC__) && !defined(SINGE_WITHOUT_HIP)\n").unwrap();
        let (_, kernel) = device.split_once("extern \"C\" __global__ void\n__attribute__").unwrap();
        let (signature, _) = kernel.split_once("\n{\n").unwrap();
        let (_, declaration) = signature.split_once('\n').unwrap();
        text += &format!("extern \"C\" void {declaration};\n{}", host.strip_suffix("#endif\n").unwrap());
    }
    assert_eq!(text.matches("_launch(").count(), 4);
    text += &read_to_string(folder.path().join("gri30_context.hip")).unwrap();
    write(folder.path().join("host.cpp"), text).unwrap();
    run(Command::new("g++")
        .current_dir(folder.path())
        .args([
            "-std=c++17", "-Wall", "-Wextra", "-Werror", "-D__HIP_PLATFORM_AMD__", "-fsyntax-only", "host.cpp",
            "-isystem",
        ])
        .arg(include));
}

#[test]
fn commands_about_ptx_refuse_these_machines() {
    let singe = |arguments: &[&str]| {
        let output = assert_cmd::Command::cargo_bin("singe").unwrap().args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let occupancy = ["ptx", "occupancy", "--target", "gfx942", "--threads", "256", "--registers", "276"];
    let (code, said) = singe(&occupancy);
    assert!(code == Some(0) && said.starts_with("mi300x (gfx942): 1 CTAs per SM, 8 of 64 warps"), "{said}");
    let (code, said) = singe(&["ptx", "time", "k.cubin", "--launch", "launch.toml", "--target", "mi300x"]);
    assert!(code == Some(2) && said.contains("mi300x is AMD's"), "{said}");
}
