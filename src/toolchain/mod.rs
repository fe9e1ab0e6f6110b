//! Real compilers for the emitted text: NVRTC makes PTX of CUDA C++, ptxas tells the registers and the spills. No GPU needed.
//!
//! They are looked for in `.toolchain/cuda11` (what `cargo xtask toolchain` installs), from the current directory upwards,
//! or in the folder that the environment variable `SINGE_TOOLCHAIN` names. Where they are absent, [`find`] tells why.

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
/// The folder that `cargo xtask toolchain` makes.
pub const FOLDER: &str = ".toolchain/cuda11";

/// The loaded compilers; can be shared between threads.
#[derive(Debug)]
pub struct Toolchain {
    nvrtc: Nvrtc,
    ptxas: PathBuf,
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

/// Looks for the compilers and loads them.
pub fn find() -> Result<Toolchain, Absent> {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => load(Path::new(&folder)),
        None => {
            let here = std::env::current_dir().map_err(|e| Absent(format!("the current directory is unknown: {e}")))?;
            let folder = here.ancestors().map(|a| a.join(FOLDER)).find(|f| f.is_dir());
            load(&folder.ok_or_else(|| {
                Absent(format!(
                    "{FOLDER} is absent (`cargo xtask toolchain` installs it; {FOLDER_VARIABLE} names another folder)"
                ))
            })?)
        }
    }
}

fn load(folder: &Path) -> Result<Toolchain, Absent> {
    let library = folder.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2");
    let ptxas = folder.join("nvidia/cuda_nvcc/bin/ptxas");
    for file in [&library, &ptxas] {
        if !file.is_file() {
            return Err(Absent(format!("{} is absent", file.display())));
        }
    }
    Ok(Toolchain { nvrtc: Nvrtc::load(&library).map_err(Absent)?, ptxas })
}

impl Toolchain {
    /// Makes PTX of CUDA C++.
    pub fn compile_to_ptx(&self, job: &Job) -> Result<Ptx, Failure> {
        let mut options = vec![format!("--gpu-architecture={}", job.arch.compute())];
        options.extend(job.options.iter().cloned());
        self.nvrtc.compile(&job.name, &job.source, &options).map_err(|log| Failure { tool: "NVRTC", log })
    }

    /// Assembles PTX for a real machine and reads what the code needs there. One [`Usage`] for each kernel in the text.
    pub fn assemble(&self, ptx: &str, arch: ComputeCapability) -> Result<Vec<Usage>, Failure> {
        ptxas::assemble(&self.ptxas, ptx, arch).map_err(|log| Failure { tool: "ptxas", log })
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
