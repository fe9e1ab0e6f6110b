//! Real compilers for the emitted text: NVRTC makes PTX of CUDA C++, ptxas tells the registers and the spills. No GPU needed.
//!
//! They are looked for in `.toolchain/cuda11` and `.toolchain/cuda12` (what `cargo xtask toolchain` installs), from the current
//! directory upwards, or in the folder that the environment variable `SINGE_TOOLCHAIN` names for `cuda11` and its neighbour
//! `cuda12`. CUDA 11.8 serves compute capability 3.5 to 9.0, 12.9 what came later. For Fermi clang makes the PTX, and ptxas
//! 11.8 assembles it as if for Kepler, with at most 63 registers. Where they are absent, [`find_for`] tells why.

mod clang;
#[allow(unsafe_code)]
mod nvrtc;
mod ptxas;

pub use ptxas::{Usage, named_barriers};

use crate::target::ComputeCapability;
use nvrtc::Nvrtc;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The environment variable that overrides the folder.
pub const FOLDER_VARIABLE: &str = "SINGE_TOOLCHAIN";
/// The folders that `cargo xtask toolchain` makes.
pub const FOLDER: &str = ".toolchain/cuda11";
const FOLDER_12: &str = ".toolchain/cuda12";

/// The architectures that CUDA 11.8 knows.
const FIRST_OF_11: ComputeCapability = ComputeCapability(3, 5);
const LAST_OF_11: ComputeCapability = ComputeCapability(9, 0);

/// The loaded compilers; can be shared between threads.
#[derive(Debug)]
pub struct Toolchain {
    front: Front,
    ptxas: PathBuf,
    /// Such as `NVRTC and ptxas 11.8`.
    pub name: &'static str,
}

/// What makes PTX of CUDA C++.
#[derive(Debug)]
enum Front {
    Nvrtc(Nvrtc),
    Clang,
}

/// Why there is no toolchain.
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
    /// Such as `NVRTC` or `ptxas`.
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

/// Looks for CUDA 11.8 and loads it.
pub fn find() -> Result<Toolchain, Absent> {
    let folder = folder_11()?;
    let library = folder.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2");
    load(&library, &folder, "NVRTC and ptxas 11.8")
}

/// Looks for compilers that know the architecture and loads them.
pub fn find_for(arch: ComputeCapability) -> Result<Toolchain, Absent> {
    if arch < FIRST_OF_11 {
        if !clang::is_there() {
            return Err(Absent(format!("clang, which makes PTX for {}, is absent", arch.sm())));
        }
        let ptxas = ptxas_of(&folder_11()?)?;
        return Ok(Toolchain { front: Front::Clang, ptxas, name: "clang, and ptxas 11.8 as sm_35 with 63 registers" });
    }
    if arch <= LAST_OF_11 {
        return find();
    }
    let folder = match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => PathBuf::from(folder).with_file_name("cuda12"),
        None => upwards(FOLDER_12)?,
    };
    load(&folder.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), &folder, "NVRTC and ptxas 12.9")
}

fn folder_11() -> Result<PathBuf, Absent> {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => upwards(FOLDER),
    }
}

fn upwards(name: &str) -> Result<PathBuf, Absent> {
    let here = std::env::current_dir().map_err(|e| Absent(format!("the current directory is unknown: {e}")))?;
    let folder = here.ancestors().map(|a| a.join(name)).find(|f| f.is_dir());
    folder.ok_or_else(|| {
        Absent(format!(
            "{name} is absent (`cargo xtask toolchain` installs it; {FOLDER_VARIABLE} names another folder)"
        ))
    })
}

fn load(library: &Path, folder: &Path, name: &'static str) -> Result<Toolchain, Absent> {
    let ptxas = ptxas_of(folder)?;
    if !library.is_file() {
        return Err(Absent(format!("{} is absent", library.display())));
    }
    Ok(Toolchain { front: Front::Nvrtc(Nvrtc::load(library).map_err(Absent)?), ptxas, name })
}

fn ptxas_of(folder: &Path) -> Result<PathBuf, Absent> {
    let ptxas = folder.join("nvidia/cuda_nvcc/bin/ptxas");
    if ptxas.is_file() { Ok(ptxas) } else { Err(Absent(format!("{} is absent", ptxas.display()))) }
}

impl Toolchain {
    /// What makes PTX of CUDA C++, such as `NVRTC 12.9`.
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

    /// Assembles PTX for a real machine and reads what the code needs there. One [`Usage`] for each kernel in the text.
    pub fn assemble(&self, ptx: &str, arch: ComputeCapability) -> Result<Vec<Usage>, Failure> {
        let (arch, options) = match &self.front {
            Front::Nvrtc(_) => (arch, None),
            Front::Clang => (FIRST_OF_11, Some("-maxrregcount=63")),
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
