//! The Python module with the command that was just built: reports, diagnostics, and kernels on NumPy arrays.

use std::path::Path;
use std::process::{Command, Output};

use testkit::skip;

#[test]
fn the_module_compiles_checks_and_computes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = std::env::join_paths([root.join("python"), root.join(".toolchain/numpy")]).expect("plain paths");
    let cache = tempfile::tempdir().expect("a temporary folder");
    let python = || {
        let mut command = Command::new("python3");
        command.env("PYTHONPATH", &paths).env("SINGE_COMMAND", env!("CARGO_BIN_EXE_singe"));
        // No compiled files beside the sources.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("SINGE_CACHE", cache.path());
        command
    };
    if !python().args(["-c", "import numpy"]).output().is_ok_and(|output| output.status.success()) {
        return skip::skip("NumPy is absent (`cargo xtask toolchain` installs it)");
    }
    if !Command::new("c++").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skip::skip("c++ is absent (`cargo xtask toolchain` installs g++ on Debian)");
    }
    let Output { status, stdout, stderr } =
        python().arg(root.join("tests/python/module.py")).arg(root).output().expect("python3 runs");
    let (text, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{text}{errors}");
    assert!(text.starts_with("<singe.Gas h2o2: viscosity, conductivity, diffusion, chemistry>"), "{text}");
    let verify = python().arg(root.join("tests/python/verify.py")).arg(root).output().expect("python3 runs");
    let (text, errors) = (String::from_utf8_lossy(&verify.stdout), String::from_utf8_lossy(&verify.stderr));
    assert!(verify.status.success() && text.ends_with("verified\n"), "{text}{errors}");
    let processes = root.join("tests/python/processes.py");
    let ran = python().arg(processes).arg(root.join("mechanisms/h2o2/chem.inp")).env("OMP_NUM_THREADS", "2").output();
    let Output { status, stdout, stderr } = ran.expect("python3 runs");
    let (text, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success() && text.contains("fork") && text.contains("spawn"), "{text}{errors}");
    let example = root.join("python/examples/ignition.py");
    let ran = python().arg(example).arg(root.join("mechanisms/h2o2/chem.inp")).current_dir(cache.path()).output();
    let Output { status, stdout, stderr } = ran.expect("python3 runs");
    let (text, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{text}{errors}");
    // Hotter gas ignites sooner.
    let delays: Vec<f64> =
        text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)?.parse().ok()).collect();
    assert!(delays.len() == 8 && delays.is_sorted_by(|earlier, later| earlier > later), "{text}");
}
