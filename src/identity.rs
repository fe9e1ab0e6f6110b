//! Who made an entry of the cache: this very program, with these very compilers.

use std::fs;
use std::sync::LazyLock;

use cache::hexadecimal;
use cache::tool::identity;
use machine::toolchain;
use sha2::{Digest, Sha256};

/// The digest of this program's own file, so that what another build of it kept is not taken; `None` where it cannot be read.
pub fn program() -> Option<&'static str> {
    static OWN: LazyLock<Option<String>> = LazyLock::new(|| {
        let bytes = fs::read(std::env::current_exe().ok()?).ok()?;
        Some(hexadecimal(&Sha256::digest(bytes)))
    });
    OWN.as_deref()
}

/// The compilers that are installed, for GPUs of both makers and for CPUs, each with the size and the age of its file.
pub fn compilers() -> String {
    let for_amd = toolchain::hip_compilers().iter().map(|found| format!("{found:?} {}\n", identity(&found.program)));
    let found = toolchain::installations().iter().map(|installation| {
        let disassembler = installation.nvdisasm.as_ref().map(|disassembler| disassembler.path.as_path());
        let files = [Some(installation.ptxas.as_path()), installation.nvrtc.as_deref(), disassembler];
        let files: Vec<String> = files.into_iter().flatten().map(identity).collect();
        format!("{installation:?} {}\n", files.join(" "))
    });
    let for_cpu = toolchain::host_compiler().map_or_else(|absent| absent.to_string(), |found| format!("{found:?}"));
    let of_fortran =
        toolchain::fortran_compiler().map_or_else(|absent| absent.to_string(), |found| format!("{found:?}"));
    found.chain(for_amd).chain([for_cpu, of_fortran]).collect()
}
