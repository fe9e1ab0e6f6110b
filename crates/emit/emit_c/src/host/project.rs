//! The project around the kernels: CMake, the driver, and its reference values.

use super::{Interface, Provenance};
use super::{file_comment, prefix, string};
use crate::base::glue::{Template, render, render_in};
use crate::base::tables::{real, wrapped};
use machine::target::Target;
use serde::Serialize;

/// Data of a project's kernels beyond their interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Project {
    /// CUDA files of the library.
    pub sources: Vec<String>,
    /// Reference states.
    pub states: usize,
    /// Inputs and outputs on the reference states; the inputs come first.
    pub tables: Vec<Table>,
    pub cases: Vec<Case>,
    pub duels: Vec<Duel>,
    /// Fortran modules.
    pub modules: Vec<String>,
    /// The Fortran example.
    pub example: String,
    /// Whether it contains the same for CPUs, in a [file](fallback_file) for CMake.
    pub fallback: bool,
    /// Whether it contains the [program](super::ignition) that integrates reactors.
    pub ignition: bool,
    /// Whether it contains what checks and times [reactors](super::reactor_driver): a program for a GPU, a part of the driver for a CPU.
    pub reactor_driver: bool,
}

/// `CMakeLists.txt` of a folder with projects: it includes the [file](cmake_file) of each.
pub const FOLDER: &str = include_str!("../../templates/folder.cmake");

/// Returns the name of a project's file for CMake.
pub fn cmake_file(name: &str) -> String {
    format!("{name}.cmake")
}

/// Returns the name of the file for CMake that builds a GPU's project without a compiler for CUDA.
pub fn fallback_file(name: &str) -> String {
    format!("{name}_cpu.cmake")
}

/// Values of an array on all reference states: row r of state s at `r * states + s`.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub name: String,
    pub input: bool,
    pub values: Vec<f64>,
}

/// A kernel in one layout of code.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Case {
    pub symbol: String,
    pub kernel: String,
    pub codegen: String,
    /// Names of the tables: the inputs in the order of the arguments, the expected output, and what errors are relative to.
    #[serde(skip)]
    pub inputs: Vec<String>,
    pub output: String,
    pub scale: String,
    pub rows: u32,
    /// Whether its launch takes a workspace.
    pub has_workspace: bool,
    pub tolerance: f64,
    /// Per point; the slots are 0 where the simulator did not count them.
    pub flops: u64,
    pub slots: f64,
    pub bytes: u64,
}

/// Two versions of a kernel, by their places among the cases; only a run on the GPU tells which one is faster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duel {
    pub shipped: usize,
    pub other: usize,
}

/// Writes the file for CMake of the target, which may be the fallback.
pub fn cmake(interface: &Interface, project: &Project, provenance: &Provenance, target: &Target) -> String {
    #[derive(Serialize)]
    struct File<'a> {
        comment: String,
        prefix: String,
        architecture: String,
        sources: &'a [String],
        modules: &'a [String],
        example: &'a str,
        /// The file to include without a compiler for CUDA; empty where there is none.
        fallback: String,
        /// The program that integrates reactors; empty where there is none.
        ignition: String,
        reactor_driver: bool,
    }
    let architecture = target.machine_code().trim_start_matches("sm_").to_owned();
    let comment = file_comment("#", "Project", &interface.mechanism, provenance);
    let template = match target {
        target if target.is_cpu() => Template::CpuCmake,
        target if target.is_amd() => Template::HipCmake,
        _ => Template::Cmake,
    };
    let (prefix, sources, modules, example) = (prefix(interface), &project.sources, &project.modules, &project.example);
    let fallback = if project.fallback { fallback_file(&prefix) } else { String::new() };
    let ignition = if project.ignition { super::ignition_file(&prefix, target) } else { String::new() };
    let reactor_driver = project.reactor_driver;
    render(
        template,
        &File { comment, prefix, architecture, sources, modules, example, fallback, ignition, reactor_driver },
    )
}

/// Writes CMake's files for installation, for projects of any target; `headers` are those that host codes include.
pub fn install(interface: &Interface, headers: &[String], provenance: &Provenance) -> (String, String) {
    #[derive(Serialize)]
    struct File<'a> {
        comment: String,
        prefix: String,
        version: &'static str,
        headers: &'a [String],
    }
    let file = File {
        comment: file_comment("#", "Installation", &interface.mechanism, provenance),
        prefix: prefix(interface),
        version: env!("CARGO_PKG_VERSION"),
        headers,
    };
    (format!("{}_install.cmake", file.prefix), render(Template::Install, &file))
}

/// The program that checks and times the kernels.
pub fn driver(interface: &Interface, project: &Project, provenance: &Provenance) -> String {
    #[derive(Serialize)]
    struct File {
        comment: String,
        prefix: String,
        version: &'static str,
        command: String,
        /// The type of the numbers in arrays.
        number: &'static str,
        inputs: Vec<Input>,
        input_count: usize,
        cases: Vec<Numbered>,
        duels: Vec<Pair>,
        rates: Vec<Rate>,
        reactor_driver: bool,
    }
    #[derive(Serialize)]
    struct Input {
        name: String,
        rows: usize,
    }
    #[derive(Serialize)]
    struct Numbered {
        #[serde(flatten)]
        case: Case,
        /// Numbers of the inputs, and the arguments of the launch.
        ids: String,
        used: usize,
        arguments: String,
    }
    #[derive(Serialize)]
    struct Pair {
        shipped: usize,
        other: usize,
        kernel: String,
        shipped_symbol: String,
        other_symbol: String,
    }
    let inputs: Vec<&Table> = project.tables.iter().filter(|t| t.input).collect();
    let number = |name: &String| inputs.iter().position(|t| t.name == *name).expect("every input has a table");
    let joined = |texts: Vec<String>| texts.join(", ");
    let cases = project.cases.iter().map(|case| Numbered {
        ids: joined(case.inputs.iter().map(|name| number(name).to_string()).collect()),
        used: case.inputs.len(),
        arguments: joined((0..case.inputs.len()).map(|i| format!("in[{i}]")).collect()),
        case: case.clone(),
    });
    let duels = project.duels.iter().map(|&Duel { shipped, other }| Pair {
        shipped,
        other,
        kernel: project.cases[shipped].kernel.clone(),
        shipped_symbol: project.cases[shipped].symbol.clone(),
        other_symbol: project.cases[other].symbol.clone(),
    });
    let of_nvidia = Target::all().map(|target| Rate {
        sm: 10 * target.compute_capability.0 + target.compute_capability.1,
        rate: target.fp64_per_clock_per_sm,
    });
    let rates: Vec<Rate> = if interface.dialect.is_hip() { rates_of_amd() } else { of_nvidia.collect() };
    let file = File {
        comment: file_comment("//", "Driver", &interface.mechanism, provenance),
        prefix: prefix(interface),
        version: env!("CARGO_PKG_VERSION"),
        command: string(&provenance.command_line),
        number: interface.io.c_type(),
        input_count: inputs.len(),
        cases: cases.collect(),
        duels: duels.collect(),
        rates,
        reactor_driver: project.reactor_driver,
        inputs: inputs.iter().map(|t| Input { name: t.name.clone(), rows: t.values.len() / project.states }).collect(),
    };
    render_in(
        interface.dialect,
        if interface.architecture.is_some() { Template::Driver } else { Template::CpuDriver },
        &file,
    )
}

/// Results of double precision per clock and multiprocessor, by the number of the architecture.
#[derive(Serialize)]
struct Rate {
    sm: u32,
    rate: u32,
}

/// By the first two numbers of the machine code, as HIP tells them: 90 for gfx90a, 94 for gfx942.
fn rates_of_amd() -> Vec<Rate> {
    let mut rates: Vec<Rate> = Vec::new();
    for amd in Target::of_amd().filter_map(Target::amd) {
        let number = amd.gfx.trim_start_matches("gfx").get(..2).and_then(|number| number.parse().ok());
        if let Some((sm, rate)) = number.zip(amd.fp64_per_clock_per_cu)
            && rates.iter().all(|other| other.sm != sm)
        {
            rates.push(Rate { sm, rate });
        }
    }
    rates
}

/// The header with the reference values of the driver.
pub fn reference(interface: &Interface, project: &Project, provenance: &Provenance) -> String {
    #[derive(Serialize)]
    struct File {
        comment: String,
        prefix: String,
        guard: String,
        states: usize,
        tables: Vec<Values>,
    }
    #[derive(Serialize)]
    struct Values {
        name: String,
        length: usize,
        values: String,
    }
    let prefix = prefix(interface);
    let tables = project.tables.iter().map(|table| Values {
        name: table.name.clone(),
        length: table.values.len(),
        values: wrapped(table.values.iter().map(|x| real(*x))),
    });
    let file = File {
        comment: file_comment("//", "Reference values", &interface.mechanism, provenance),
        guard: format!("SINGE_{}_REFERENCE_H", prefix.to_uppercase()),
        states: project.states,
        tables: tables.collect(),
        prefix,
    };
    render(Template::Reference, &file)
}
