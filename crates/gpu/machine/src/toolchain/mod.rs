//! Real compilers for the emitted text: NVRTC makes PTX of CUDA C++, ptxas makes machine code of it and reports registers and
//! spills, nvdisasm prints the machine code. Needs no GPU.
//!
//! [`places`] lists where compilers are looked for, and [`installations`] what was found. The first installation that knows an
//! architecture is taken: of those that `cargo xtask toolchain` fetches, CUDA 11.8 for compute capability 3.5 to 9.0 and 12.9 for
//! what came later. For Fermi clang makes the PTX, and a ptxas that knows Kepler assembles it as if for Kepler, with at most 63
//! registers. If compilers are absent, [`find_for`] says why.

mod amd;
mod clang;
mod host;
mod installation;
mod nvdisasm;
#[allow(unsafe_code)]
mod nvrtc;
mod places;
mod ptxas;

pub use amd::{Counts, HipCompiler, Listing, hip_compiler, hip_compilers};
pub use host::{FAST_OPTIONS, HostCompiler, fortran_compiler, host_compiler};
pub use installation::{Installation, installations};
pub use nvdisasm::{Disassembler, disassembler};
pub use places::{FOLDER, FOLDER_VARIABLE, PassedOver, Place, passed_over, places};
pub use ptxas::{Assembled, Usage, named_barriers};

use crate::target::ComputeCapability;
use nvrtc::Nvrtc;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The oldest architecture that NVRTC compiles for.
const FIRST: ComputeCapability = ComputeCapability(3, 5);

/// The loaded compilers; can be shared between threads.
#[derive(Debug)]
pub struct Toolchain {
    front: Front,
    ptxas: PathBuf,
    /// Names with the version, such as `NVRTC and ptxas 11.8`.
    pub name: String,
    /// Assembler with its version, such as `ptxas 11.8`.
    pub assembler: String,
}

/// Compiler from CUDA C++ to PTX.
#[derive(Debug)]
enum Front {
    Nvrtc(Nvrtc),
    Clang,
}

/// Reason why there is no toolchain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent(pub String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A compiler refused the text, or could not be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Name of the tool, such as `NVRTC` or `ptxas`.
    pub tool: &'static str,
    /// The tool's own messages.
    pub log: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.tool, self.log.trim_end())
    }
}

impl std::error::Error for Failure {}

/// Text in PTX and what the compiler remarked on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ptx {
    pub text: String,
    /// Warnings; empty when there are none.
    pub log: String,
}

/// One CUDA source and the virtual architecture to compile it for.
#[derive(Debug, Clone)]
pub struct Job {
    /// The name by which messages quote the source.
    pub name: String,
    pub source: String,
    pub arch: ComputeCapability,
    /// More options for NVRTC, such as `--maxrregcount=64`.
    pub options: Vec<String>,
}

/// Looks for compilers that still know Kepler and loads them.
pub fn find() -> Result<Toolchain, Absent> {
    find_for(FIRST)
}

/// Looks for compilers that know the architecture and loads them.
pub fn find_for(arch: ComputeCapability) -> Result<Toolchain, Absent> {
    if arch < FIRST {
        return with_clang(arch)?.next().ok_or_else(|| absent("ptxas", FIRST));
    }
    let fits = |found: &&Installation| found.nvrtc.is_some() && found.architectures.contains(&arch);
    let found = installations().iter().find(fits).ok_or_else(|| absent("NVRTC and ptxas", arch))?;
    load(found)
}

/// Returns all toolchains that know the architecture, one for each ptxas, in the order of [`find_for`]. An installation without
/// NVRTC assembles the PTX of the first one's NVRTC.
pub fn all_for(arch: ComputeCapability) -> Result<Vec<Toolchain>, Absent> {
    if arch < FIRST {
        return Ok(with_clang(arch)?.collect());
    }
    let knows = |found: &&Installation| found.architectures.contains(&arch);
    let first = installations().iter().filter(knows).find_map(|found| found.nvrtc.as_ref());
    let Some(first) = first else { return Ok(Vec::new()) };
    installations().iter().filter(knows).map(|found| with_front(found, first)).collect()
}

/// Loads compilers, with that NVRTC where they have none of their own.
fn with_front(found: &Installation, front: &Path) -> Result<Toolchain, Absent> {
    let nvrtc = found.nvrtc.clone().unwrap_or_else(|| front.to_owned());
    load(&Installation { nvrtc: Some(nvrtc), ..found.clone() })
}

/// Returns clang with each ptxas that knows Kepler.
fn with_clang(arch: ComputeCapability) -> Result<impl Iterator<Item = Toolchain>, Absent> {
    if !clang::is_there() {
        return Err(Absent(format!("clang, which makes PTX for {}, is absent", arch.sm())));
    }
    let assemblers = installations().iter().filter(|found| found.architectures.contains(&FIRST));
    Ok(assemblers.map(|found| Toolchain {
        front: Front::Clang,
        ptxas: found.ptxas.clone(),
        name: format!("clang, and ptxas {} as {} with 63 registers", found.version(), FIRST.sm()),
        assembler: format!("ptxas {}", found.version()),
    }))
}

/// Looks for compilers that know the architecture and the PTX version of the text. An installation without NVRTC will do, as the text is assembled alone.
pub fn find_for_text(arch: ComputeCapability, ptx: &str) -> Result<Toolchain, Absent> {
    let asked = version(ptx);
    let knows = |found: &&Installation| {
        // CUDA 11.8 reads PTX 7.8, and later releases at least the number that is 4 less
        let (major, minor) = found.release;
        asked.is_none_or(|asked| asked <= (major.saturating_sub(4), minor))
    };
    let fits = |found: &&Installation| found.architectures.contains(&arch) && arch >= FIRST;
    let front = || installations().iter().find_map(|found| found.nvrtc.as_ref());
    match installations().iter().filter(fits).find(knows).zip(front()) {
        Some((found, front)) => with_front(found, front),
        None => find_for(arch),
    }
}

/// Returns the PTX version behind `.version`, such as 8.0.
fn version(ptx: &str) -> Option<(u32, u32)> {
    let (major, minor) = ptx.lines().find_map(|line| line.trim().strip_prefix(".version"))?.trim().split_once('.')?;
    let minor = minor.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn load(found: &Installation) -> Result<Toolchain, Absent> {
    let library = found.nvrtc.as_ref().expect("one with NVRTC was looked for");
    let front = Front::Nvrtc(Nvrtc::load(library).map_err(Absent)?);
    let assembler = format!("ptxas {}", found.version());
    Ok(Toolchain { front, ptxas: found.ptxas.clone(), name: format!("NVRTC and {assembler}"), assembler })
}

fn absent(what: &str, arch: ComputeCapability) -> Absent {
    Absent(format!(
        "no {what} that know {} are found (`singe doctor` tells what is, `cargo xtask toolchain` installs what is missing)",
        arch.sm()
    ))
}

impl Toolchain {
    /// Returns the name of the compiler from CUDA C++ to PTX, such as `NVRTC 12.9`.
    pub fn front(&self) -> String {
        match &self.front {
            Front::Nvrtc(nvrtc) => {
                nvrtc.version().map_or("NVRTC".to_owned(), |[major, minor]| format!("NVRTC {major}.{minor}"))
            }
            Front::Clang => "clang".to_owned(),
        }
    }

    /// Makes PTX of CUDA C++.
    pub fn compile_to_ptx(&self, job: &Job) -> Result<Ptx, Failure> {
        let nvrtc = match &self.front {
            Front::Nvrtc(nvrtc) => nvrtc,
            Front::Clang => {
                let text = clang::compile(&job.name, &job.source, job.arch);
                return text.map(|text| Ptx { text, log: String::new() }).map_err(|log| Failure { tool: "clang", log });
            }
        };
        let mut options = vec![format!("--gpu-architecture={}", job.arch.compute())];
        options.extend(job.options.iter().cloned());
        nvrtc.compile(&job.name, &job.source, &options).map_err(|log| Failure { tool: "NVRTC", log })
    }

    /// Assembles PTX for a real machine, and reads the resources of the code there.
    pub fn assemble(&self, ptx: &str, arch: ComputeCapability) -> Result<Assembled, Failure> {
        let (arch, options) = match &self.front {
            Front::Nvrtc(_) => (arch, None),
            Front::Clang => (FIRST, Some("-maxrregcount=63")),
        };
        ptxas::assemble(&self.ptxas, ptx, arch, options).map_err(|log| Failure { tool: "ptxas", log })
    }

    /// Compiles several sources in parallel threads; the answers come in the order of the jobs.
    pub fn compile_all(&self, jobs: &[Job]) -> Vec<Result<Ptx, Failure>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(jobs.len()));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(index) else { break };
                        let answer = self.compile_to_ptx(job);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((index, answer));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, answer)| answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn the_version_of_a_text() {
        assert_eq!(version("// made by hand\n.version 8.0 // or later\n.target sm_90\n"), Some((8, 0)));
        assert_eq!(version("\t.version\t7.10\n"), Some((7, 10)));
        assert_eq!(version(".target sm_90\n"), None);
    }
}
