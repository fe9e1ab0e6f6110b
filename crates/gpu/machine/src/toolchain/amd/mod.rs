//! Clang for AMD's GPUs: the machine code that it makes of HIP without ROCm's headers, and the resources of that. Needs no GPU.

mod listing;

pub use listing::{Counts, Listing};

use super::places::places;
use super::{Absent, Failure};
use crate::target::Amd;
use cache::tool;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// A compiler that makes machine code for AMD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HipCompiler {
    pub program: PathBuf,
    /// Argument before Clang's own: its name in Zig, which contains it.
    first: Option<&'static str>,
    /// Name with its version, such as `clang 22.1.8`.
    pub name: String,
    /// Architectures that it knows, such as `gfx942`.
    pub architectures: Vec<String>,
}

/// Returns all compilers found, in order of preference: Zig's, which `cargo xtask toolchain` fetches; those of ROCm, by
/// `ROCM_PATH`, `HIP_PATH` and its usual place; and `clang` of the path. They are looked for once.
pub fn hip_compilers() -> &'static [HipCompiler] {
    static FOUND: LazyLock<Vec<HipCompiler>> = LazyLock::new(|| {
        let zig = places().into_iter().map(|place| (place.folder.join("zig/ziglang/zig"), Some("clang")));
        let named = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
        let rocm = named.chain([PathBuf::from("/opt/rocm")]).map(|folder| (folder.join("llvm/bin/clang++"), None));
        let present = zig.chain(rocm).filter(|(program, _)| program.is_file());
        let all = present.chain([(PathBuf::from("clang"), None)]);
        all.filter_map(|(program, first)| HipCompiler::at(&program, first)).collect()
    });
    &FOUND
}

/// Returns the first compiler that knows the machine.
pub fn hip_compiler(amd: &Amd) -> Result<&'static HipCompiler, Absent> {
    let knows = |found: &&HipCompiler| found.architectures.contains(&amd.gfx);
    hip_compilers().iter().find(knows).ok_or_else(|| {
        Absent(format!(
            "no clang that knows {} is found (`singe doctor` tells what is, `cargo xtask toolchain` installs what is missing)",
            amd.gfx
        ))
    })
}

/// Options for every kernel. ROCm's headers are left out, so that the text itself shows what it takes of HIP.
const OPTIONS: [&str; 14] = [
    "-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-nostdinc", "-O3", "-std=c++17", "-Wall", "-Wextra",
    "-Werror", "-Wno-unused-parameter", "-Wno-pass-failed", "-S",
];

impl HipCompiler {
    /// Returns the compiler if it has AMD's back end.
    fn at(program: &Path, first: Option<&'static str>) -> Option<Self> {
        let says = |arguments: &[&str]| {
            let output = Command::new(program).args(first).args(arguments).output().ok()?;
            // Processors are printed to the standard error.
            let printed = [output.stdout, output.stderr].concat();
            output.status.success().then(|| String::from_utf8_lossy(&printed).into_owned())
        };
        let name = format!("clang {}", version(&says(&["--version"])?)?);
        let architectures = architectures(&says(&["--target=amdgcn-amd-amdhsa", "--print-supported-cpus"])?);
        (!architectures.is_empty()).then(|| Self { program: program.to_owned(), first, name, architectures })
    }

    /// Whether the compiler is one of ROCm's programs, with whose headers and libraries projects are built.
    pub fn is_of_rocm(&self) -> bool {
        self.program.ends_with("llvm/bin/clang++")
    }

    /// Compiles one kernel of a source; returns its resources and the assembly.
    pub fn compile(&self, symbol: &str, source: &str, amd: &Amd) -> Result<(Listing, String), Failure> {
        let parts = [&tool::identity(&self.program), &OPTIONS.join(" "), &amd.gfx, symbol, tool::code(source)];
        let text = tool::output(&parts, || Ok(vec![self.run(symbol, source, amd)?]))?.remove(0);
        let listing = listing::read(&text, symbol);
        let listing = listing.ok_or_else(|| failed(format!("the listing has no figures of {symbol}")))?;
        Ok((listing, text))
    }

    /// Returns the assembly.
    fn run(&self, symbol: &str, source: &str, amd: &Amd) -> Result<String, Failure> {
        let folder = tempfile::tempdir().map_err(|e| failed(format!("temporary folder: {e}")))?;
        let (input, output) = (folder.path().join(format!("{symbol}.hip")), folder.path().join("listing.s"));
        let written = std::fs::File::create(&input).and_then(|mut file| file.write_all(source.as_bytes()));
        written.map_err(|e| failed(format!("temporary file: {e}")))?;
        let run = Command::new(&self.program)
            .args(self.first)
            .args(OPTIONS)
            .arg(format!("--offload-arch={}", amd.gfx))
            .arg(&input)
            .arg("-o")
            .arg(&output)
            .output()
            .map_err(|e| failed(format!("{}: {e}", self.program.display())))?;
        if !run.status.success() {
            return Err(failed(String::from_utf8_lossy(&run.stderr).into_owned()));
        }
        std::fs::read_to_string(&output).map_err(|e| failed(format!("temporary file: {e}")))
    }
}

fn failed(log: String) -> Failure {
    Failure { tool: "clang", log }
}

/// Returns the number behind `clang version`.
fn version(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("clang version ")?;
    rest.split(|c: char| c.is_whitespace() || c == '-' || c == '+').next()
}

/// Returns all words such as `gfx90a`, sorted.
fn architectures(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| {
        let number = word.strip_prefix("gfx");
        number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_hexdigit()))
    });
    let mut found: Vec<String> = words.map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_architectures_are_read_as_clang_prints_them() {
        assert_eq!(version("AMD clang version 19.0.0git (https://x roc-6.4)\n"), Some("19.0.0git"));
        assert_eq!(version("Debian clang version 14.0.6\nTarget: x\n"), Some("14.0.6"));
        assert_eq!(version("gcc 12"), None);
        let printed =
            "Target: amdgcn\nAvailable CPUs for this target:\n\n\tgfx90a\n\tgfx942\n\tgfx9-generic\n\ttahiti\n";
        assert_eq!(architectures(printed), ["gfx90a", "gfx942"]);
    }
}
