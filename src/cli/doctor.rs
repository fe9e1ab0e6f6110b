//! `singe doctor`: the compilers that are there, their targets, and what is missing.

use std::env;
use std::process::Command;

use serde::Serialize;

use super::args::backend::DoctorArguments;
use command::Failure;
use command::print;
use machine::target::{Amd, ComputeCapability, Target};
use machine::toolchain::{self, FOLDER_VARIABLE, HipCompiler, Installation};

pub fn run(arguments: &DoctorArguments) -> Result<(), Failure> {
    let findings = Findings::new();
    if arguments.json {
        return print(format_args!("{:#}\n", serde_json::json!(findings)));
    }
    print(format_args!("{}", findings.text()))
}

#[derive(Serialize)]
struct Findings {
    /// Value of `SINGE_TOOLCHAIN`, which then is the only place.
    singe_toolchain: Option<String>,
    places: Vec<Place>,
    /// Folders `.toolchain` that are not used.
    passed_over: Vec<PassedOver>,
    installations: Vec<Found>,
    /// Clangs with AMD's back end.
    hip_compilers: Vec<FoundForAmd>,
    targets: Vec<Served>,
    programs: Vec<Program>,
    missing: Vec<String>,
}

#[derive(Serialize)]
struct Place {
    origin: &'static str,
    folder: String,
}

#[derive(Serialize)]
struct PassedOver {
    folder: String,
    reason: String,
}

#[derive(Serialize)]
struct Found {
    release: String,
    origin: &'static str,
    ptxas: String,
    nvrtc: Option<String>,
    nvcc: Option<String>,
    nvdisasm: Option<String>,
    architectures: Vec<String>,
}

/// A Clang that makes machine code for AMD.
#[derive(Serialize)]
struct FoundForAmd {
    name: String,
    program: String,
    architectures: Vec<String>,
}

/// Compilers that serve a target.
#[derive(Serialize)]
struct Served {
    target: &'static str,
    architecture: String,
    /// Compilers that try the generated code and tell its registers.
    compilers: Option<String>,
    /// The nvcc that builds the generated project.
    nvcc: Option<String>,
    /// The compiler of ROCm that builds it for AMD.
    #[serde(skip_serializing_if = "Option::is_none")]
    hip: Option<String>,
    #[serde(skip)]
    is_amd: bool,
    /// Whether the machine code can be read, run and counted.
    nvdisasm: bool,
}

/// A program of the host.
#[derive(Serialize)]
struct Program {
    name: &'static str,
    /// The first line of its `--version`.
    version: Option<String>,
    purpose: &'static str,
}

const PROGRAMS: [(&str, &str); 4] = [
    ("cmake", "builds the generated project"),
    ("g++", "compiles its host code; runs texts for CPUs"),
    ("gfortran", "compiles its Fortran module"),
    ("clang", "makes PTX for fermi"),
];

impl Findings {
    fn new() -> Self {
        let installations = toolchain::installations();
        let of_nvidia = Target::all().map(|target| Served::new(target, installations));
        let of_amd = Target::of_amd().filter_map(|target| Some(Served::of_amd(&target.name, target.amd()?)));
        let targets: Vec<Served> = of_nvidia.chain(of_amd).collect();
        let programs = PROGRAMS.map(|(name, purpose)| Program { name, version: version(name), purpose });
        let missing = missing(&targets, &programs);
        Self {
            singe_toolchain: env::var_os(FOLDER_VARIABLE).map(|value| value.to_string_lossy().into_owned()),
            places: toolchain::places().into_iter().map(Place::from).collect(),
            passed_over: toolchain::passed_over().into_iter().map(PassedOver::from).collect(),
            installations: installations.iter().map(Found::new).collect(),
            hip_compilers: toolchain::hip_compilers().iter().map(FoundForAmd::new).collect(),
            targets,
            programs: programs.into(),
            missing,
        }
    }

    fn text(&self) -> String {
        let mut out = String::from("looked in\n");
        for Place { origin, folder } in &self.places {
            out += &format!("  {origin:<18} {folder}\n");
        }
        if self.places.is_empty() {
            out += "  no place: there is no .toolchain beside the program, CUDA_HOME is not set, the PATH has no ptxas, and there is no /usr/local/cuda*\n";
        }
        for PassedOver { folder, reason } in &self.passed_over {
            out += &format!("  not used           {folder}: {reason}\n");
        }
        out += "\nCUDA compilers, in the order in which they are taken\n";
        for found in &self.installations {
            let rest = [(&found.nvrtc, "NVRTC"), (&found.nvcc, "nvcc"), (&found.nvdisasm, "nvdisasm")];
            let rest = rest.into_iter().filter(|(path, _)| path.is_some()).map(|(_, name)| name);
            let parts: Vec<&str> = std::iter::once("ptxas").chain(rest).collect();
            let reach = match found.architectures.as_slice() {
                [first, .., last] => format!("{first} to {last}"),
                some => some.join(""),
            };
            out += &format!("  {:<6} {:<23} {reach:<16} {}\n", found.release, parts.join(", "), found.ptxas);
        }
        if self.installations.is_empty() {
            out += "  none\n";
        }
        out += "\ncompilers for AMD, in the order in which they are taken\n";
        for FoundForAmd { name, program, architectures } in &self.hip_compilers {
            let known = |gfx: &&str| architectures.iter().any(|known| known == gfx);
            let reach: Vec<&str> = ["gfx90a", "gfx942", "gfx950", "gfx1250"].into_iter().filter(known).collect();
            out += &format!("  {name:<15} {:<32} {program}\n", reach.join(", "));
        }
        if self.hip_compilers.is_empty() {
            out += "  none\n";
        }
        out += "\ntargets: what tries the generated code; what builds the project\n";
        for served in &self.targets {
            let name = format!("{} ({})", served.target, served.architecture);
            let none = || "none".to_owned();
            let (tries, builds) = (served.compilers.clone(), served.nvcc.clone().or(served.hip.clone()));
            out += &format!("  {name:<26} {}; {}\n", tries.unwrap_or_else(none), builds.unwrap_or_else(none));
        }
        out += "\nprograms\n";
        for Program { name, version, purpose } in &self.programs {
            out += &format!("  {name:<9} {} ({purpose})\n", version.as_deref().unwrap_or("absent"));
        }
        out += "\nmissing\n";
        for line in &self.missing {
            out += &format!("  {line}\n");
        }
        if self.missing.is_empty() {
            out += "  nothing\n";
        }
        out
    }
}

impl From<toolchain::Place> for Place {
    fn from(place: toolchain::Place) -> Self {
        Self { origin: place.origin, folder: place.folder.display().to_string() }
    }
}

impl From<toolchain::PassedOver> for PassedOver {
    fn from(passed_over: toolchain::PassedOver) -> Self {
        Self { folder: passed_over.folder.display().to_string(), reason: passed_over.reason }
    }
}

impl Found {
    fn new(found: &Installation) -> Self {
        let shown = |path: &std::path::PathBuf| path.display().to_string();
        Self {
            release: found.version(),
            origin: found.place.origin,
            ptxas: shown(&found.ptxas),
            nvrtc: found.nvrtc.as_ref().map(shown),
            nvcc: found.nvcc.as_ref().map(shown),
            nvdisasm: found.nvdisasm.as_ref().map(|nvdisasm| shown(&nvdisasm.path)),
            architectures: found.architectures.iter().map(|arch| arch.sm()).collect(),
        }
    }
}

impl FoundForAmd {
    fn new(found: &HipCompiler) -> Self {
        let HipCompiler { program, name, architectures, .. } = found;
        Self { name: name.clone(), program: program.display().to_string(), architectures: architectures.clone() }
    }
}

impl Served {
    /// A machine of AMD, whose projects ROCm's own Clang builds.
    fn of_amd(target: &'static str, amd: &Amd) -> Self {
        let found = toolchain::hip_compiler(amd).ok();
        let of_rocm = toolchain::hip_compilers().iter().find(|found| found.is_of_rocm());
        let builds = of_rocm.filter(|found| found.architectures.contains(&amd.gfx));
        Self {
            target,
            architecture: amd.gfx.clone(),
            compilers: found.map(|found| found.name.clone()),
            nvcc: None,
            hip: builds.map(|found| format!("{} of ROCm", found.name)),
            nvdisasm: false,
            is_amd: true,
        }
    }

    fn new(target: &'static Target, installations: &[Installation]) -> Self {
        let arch: ComputeCapability = target.compute_capability;
        let builds = |found: &&Installation| found.nvcc.is_some() && found.architectures.contains(&arch);
        Self {
            target: &target.name,
            architecture: arch.sm(),
            compilers: toolchain::find_for(arch).ok().map(|found| found.name),
            hip: None,
            is_amd: false,
            nvcc: installations.iter().find(builds).map(|found| format!("nvcc {}", found.version())),
            nvdisasm: toolchain::disassembler(arch).is_ok(),
        }
    }
}

/// The first line that a program says of itself.
fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
}

/// Lists what is missing, with what it is needed for and how to get it.
fn missing(targets: &[Served], programs: &[Program]) -> Vec<String> {
    let names = |absent: fn(&Served) -> bool| {
        targets.iter().filter(|served| absent(served)).map(|served| served.target).collect::<Vec<_>>().join(", ")
    };
    let mut lines = Vec::new();
    let untried = names(|served| served.compilers.is_none() && !served.is_amd);
    if !untried.is_empty() {
        lines.push(format!(
            "NVRTC and ptxas for {untried}: registers and spills are estimated there (`cargo xtask toolchain` installs CUDA 11.8 \
             and 12.9; CUDA_HOME may name another toolkit)"
        ));
    }
    let untried_on_amd = names(|served| served.compilers.is_none() && served.is_amd);
    if !untried_on_amd.is_empty() {
        lines.push(format!(
            "a clang for {untried_on_amd}: registers are estimated there, and code is not counted (`cargo xtask toolchain` installs one; \
             ROCM_PATH may name ROCm's)"
        ));
    }
    let unbuilt_on_amd = names(|served| served.hip.is_none() && served.is_amd);
    if !unbuilt_on_amd.is_empty() {
        lines.push(format!(
            "ROCm for {unbuilt_on_amd}: their projects cannot be built here (install it, or name it by ROCM_PATH)"
        ));
    }
    let unbuilt = names(|served| served.nvcc.is_none() && !served.is_amd);
    if !unbuilt.is_empty() {
        lines.push(format!(
            "nvcc for {unbuilt}: their projects cannot be built here (install a CUDA toolkit that knows them)"
        ));
    }
    let unread = names(|served| !served.nvdisasm && served.compilers.is_some() && !served.is_amd);
    if !unread.is_empty() {
        lines.push(format!(
            "nvdisasm for {unread}: the machine code is not run and counted there (`cargo xtask toolchain` installs those for sm_35 and \
             later)"
        ));
    }
    let absent = programs.iter().filter(|program| program.version.is_none());
    lines.extend(absent.map(|Program { name, purpose, .. }| format!("{name}, which {purpose}")));
    lines
}
