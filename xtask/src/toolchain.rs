//! Installs NVRTC and ptxas, which need no GPU, from their Python wheels.

use crate::wheels;
use std::path::{Path, PathBuf};

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
    wheels::install(&WHEELS, &folder)?;
    if is_complete(&folder) { Ok(folder) } else { Err(format!("the wheels lack {}", FILES.join(" or "))) }
}

fn is_complete(folder: &Path) -> bool {
    FILES.iter().all(|file| folder.join(file).is_file())
}
