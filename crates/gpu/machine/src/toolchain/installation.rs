//! One installation of CUDA's compilers: a toolkit, or the Python wheels with parts of one.

use super::nvdisasm::Disassembler;
use super::places::{Place, places};
use crate::target::ComputeCapability;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The programs and libraries of one release of CUDA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The folder that holds it.
    pub place: Place,
    /// Major and minor number.
    pub release: (u32, u32),
    pub ptxas: PathBuf,
    /// The shared library of the run-time compiler.
    pub nvrtc: Option<PathBuf>,
    pub nvcc: Option<PathBuf>,
    pub nvdisasm: Option<Disassembler>,
    /// The headers of the run-time library.
    pub include: Option<PathBuf>,
    /// Architectures for which ptxas makes machine code, oldest first.
    pub architectures: Vec<ComputeCapability>,
}

impl Installation {
    /// Returns the release, such as `11.8`.
    pub fn version(&self) -> String {
        format!("{}.{}", self.release.0, self.release.1)
    }
}

/// Returns all installations, in order of preference. They are looked for once.
pub fn installations() -> &'static [Installation] {
    static FOUND: LazyLock<Vec<Installation>> = LazyLock::new(|| {
        let mut found: Vec<Installation> = Vec::new();
        for installation in places().iter().flat_map(within) {
            let same = |other: &Installation| real(&other.ptxas) == real(&installation.ptxas);
            if !found.iter().any(same) {
                found.push(installation);
            }
        }
        found
    });
    &FOUND
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the installations of a place: the place itself, or folders such as `cuda12` in it.
fn within(place: &Place) -> Vec<Installation> {
    let entries = std::fs::read_dir(&place.folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut inner: Vec<String> = names.filter(|name| name.starts_with("cuda")).collect();
    inner.sort();
    let inner = inner.into_iter().map(|name| place.folder.join(name));
    std::iter::once(place.folder.clone()).chain(inner).filter_map(|folder| at(place, &folder)).collect()
}

/// Folders of programs and libraries in a toolkit, and in wheels of older and newer releases.
const LAYOUTS: [Layout; 3] = [
    Layout {
        programs: "bin",
        libraries: &["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"],
        include: "include",
    },
    Layout { programs: "nvidia/cu13/bin", libraries: &["nvidia/cu13/lib"], include: "nvidia/cu13/include" },
    Layout {
        programs: "nvidia/cuda_nvcc/bin",
        libraries: &["nvidia/cuda_nvrtc/lib"],
        include: "nvidia/cuda_runtime/include",
    },
];

struct Layout {
    programs: &'static str,
    libraries: &'static [&'static str],
    include: &'static str,
}

fn at(place: &Place, folder: &Path) -> Option<Installation> {
    LAYOUTS.iter().find_map(|layout| {
        let program = |name: &str| Some(folder.join(layout.programs).join(name)).filter(|path| path.is_file());
        let ptxas = program("ptxas")?;
        let release = release(&output(&ptxas, "--version")?)?;
        let architectures = of_ptxas(&output(&ptxas, "--help")?);
        let nvdisasm = program("nvdisasm").and_then(|path| {
            let architectures = of_nvdisasm(&output(&path, "--help")?);
            Some(Disassembler { path, architectures })
        });
        let include = Some(folder.join(layout.include)).filter(|path| path.join("cuda_runtime.h").is_file());
        let nvrtc = layout.libraries.iter().find_map(|library| nvrtc(&folder.join(library)));
        Some(Installation {
            place: place.clone(),
            release,
            ptxas,
            nvrtc,
            nvcc: program("nvcc"),
            nvdisasm,
            include,
            architectures,
        })
    })
}

/// Returns the library, such as `libnvrtc.so.12`; the shortest of several names.
fn nvrtc(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let library = names.filter(|name| name.starts_with("libnvrtc.so")).min_by_key(|name| (name.len(), name.clone()))?;
    Some(folder.join(library))
}

fn output(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the numbers of `release 12.9,`.
fn release(text: &str) -> Option<(u32, u32)> {
    let (_, rest) = text.split_once("release ")?;
    let (major, minor) = rest.split(',').next()?.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the architectures in quotes such as `sm_35`; not `sm_90a`, whose code runs on one machine only.
fn of_ptxas(help: &str) -> Vec<ComputeCapability> {
    architectures(help, "sm_")
}

/// Returns the architectures in quotes such as `SM90`.
fn of_nvdisasm(help: &str) -> Vec<ComputeCapability> {
    architectures(help, "SM")
}

fn architectures(help: &str, prefix: &str) -> Vec<ComputeCapability> {
    let numbers = help.split('\'').filter_map(|word| word.strip_prefix(prefix)?.parse::<u32>().ok());
    let mut found: Vec<ComputeCapability> = numbers.map(|n| ComputeCapability(n / 10, n % 10)).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_architectures_are_read_as_the_tools_print_them() {
        let version = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 12.9, V12.9.86\n";
        assert_eq!(release(version), Some((12, 9)));
        assert_eq!(release("no compiler"), None);
        let help =
            "  Allowed values: 'lto_90','sm_100','sm_100a','sm_35',\n  'sm_90'.  Default value:  'sm_35'.\n for sm_70";
        let expected = [(3, 5), (9, 0), (10, 0)].map(|(major, minor)| ComputeCapability(major, minor));
        assert_eq!(of_ptxas(help), expected);
        let help = "the asserted architecture.\n  Allowed values for this option:  'SM100','SM100a','SM35',\n  'SM90'.";
        assert_eq!(of_nvdisasm(help), [(3, 5), (9, 0), (10, 0)].map(|(major, minor)| ComputeCapability(major, minor)));
    }
}
