//! Installs NVRTC and ptxas, which need no GPU, from their Python wheels.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The last release that still compiles for Kepler (sm_35), the machine of the paper; it reaches up to Hopper (sm_90).
const WHEELS: [&str; 2] = ["nvidia-cuda-nvrtc-cu11==11.8.89", "nvidia-cuda-nvcc-cu11==11.8.89"];
const FILES: [&str; 2] = ["nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2", "nvidia/cuda_nvcc/bin/ptxas"];

/// Installs the wheels unless they are there; the answer is the folder, the error the reason why there is none.
pub fn fetch(root: &Path) -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("SINGE_TOOLCHAIN").map(PathBuf::from) {
        return if is_complete(&folder) {
            Ok(folder)
        } else {
            Err(format!("SINGE_TOOLCHAIN names {}, which has no CUDA 11 compilers", folder.display()))
        };
    }
    let folder = root.join(".toolchain/cuda11");
    if is_complete(&folder) {
        return Ok(folder);
    }
    pip(&[OsStr::new("--version")])?;
    eprintln!("Installing {} into {}", WHEELS.join(" and "), folder.display());
    // Fails soon where there is no network.
    let options =
        "install --quiet --no-input --disable-pip-version-check --retries 1 --timeout 20 --no-deps --upgrade --target";
    let mut arguments: Vec<&OsStr> = options.split(' ').map(OsStr::new).collect();
    arguments.push(folder.as_os_str());
    arguments.extend(WHEELS.map(OsStr::new));
    pip(&arguments)?;
    if is_complete(&folder) { Ok(folder) } else { Err(format!("the wheels lack {}", FILES.join(" or "))) }
}

fn is_complete(folder: &Path) -> bool {
    FILES.iter().all(|file| folder.join(file).is_file())
}

fn pip(arguments: &[&OsStr]) -> Result<(), String> {
    let output = Command::new("python3")
        .args(["-m", "pip"])
        .args(arguments)
        .output()
        .map_err(|e| format!("python3 cannot be run: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    // The last line that pip prints says what went wrong.
    let messages = String::from_utf8_lossy(&output.stderr);
    let last = messages.lines().rev().find(|line| line.contains("ERROR") || line.contains("No module"));
    Err(last.unwrap_or("pip failed").trim().to_owned())
}
