//! Cantera's reactors and flames with our rates and transport, beside the same with its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::skip;

#[test]
fn a_gas_of_cantera_has_our_rates_and_transport() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cache = tempfile::tempdir().expect("a temporary folder");
    let python = || {
        let mut command = Command::new("python3");
        let paths = [root.join("python"), root.join(".toolchain/cantera")];
        command.env("PYTHONPATH", std::env::join_paths(paths).expect("plain paths"));
        command.env("SINGE_COMMAND", env!("CARGO_BIN_EXE_singe")).env("SINGE_CACHE", cache.path());
        // No compiled files beside the sources.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    };
    let answers = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !answers(python().args(["-c", "import cantera"])) {
        return skip::skip("Cantera is absent (`cargo xtask cantera` installs it)");
    }
    let folders: Vec<PathBuf> =
        std::env::var_os("SINGE_CANTERA_INCLUDE").map_or_else(Vec::new, |list| std::env::split_paths(&list).collect());
    if !folders.iter().any(|folder| folder.join("cantera/kinetics/BulkKinetics.h").is_file()) {
        return skip::skip("Cantera's C++ headers are absent (SINGE_CANTERA_INCLUDE names the folder)");
    }
    if !answers(Command::new("c++").arg("--version")) {
        return skip::skip("c++ is absent (`cargo xtask toolchain` installs g++ on Debian)");
    }
    let Output { status, stdout, stderr } =
        python().arg(root.join("tests/python/accelerated.py")).output().expect("python3 runs");
    let (text, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{text}{errors}");
    assert!(text.contains("net_production_rates") && text.contains("flame"), "{text}");
    println!("{text}");
}
