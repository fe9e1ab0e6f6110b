//! Mechanisms that `singe fmt` writes are read by Cantera, strictly, in both formats, and mean the same numbers.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::skip;

/// Largest relative difference of thermodynamics and rate constants.
const ALLOWED: f64 = 1e-12;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cantera() -> Option<PathBuf> {
    let folder = root().join(".toolchain/cantera");
    let there = folder.join("numpy").is_dir() && folder.join("cantera/data/gri30.yaml").is_file();
    if !there {
        skip::skip("Cantera is absent (`cargo xtask cantera` installs it)");
    }
    there.then_some(folder)
}

/// Writes a mechanism in both formats and has Cantera compare them with each other, and with the original where it is given as YAML.
fn compared(cantera: &Path, mechanism: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let singe = |arguments: &[&str], out: &Path| {
        let run =
            assert_cmd::Command::cargo_bin("singe").unwrap().arg("fmt").args(arguments).arg("-o").arg(out).assert();
        let text = String::from_utf8_lossy(&run.success().get_output().stderr).into_owned();
        text.contains("fmt::rounded")
    };
    let name = mechanism.display().to_string();
    let (chemkin, yaml) = (folder.path().join("chemkin"), folder.path().join("yaml"));
    let rounded = singe(&["--permissive", &name], &chemkin);
    singe(&["--permissive", "--to", "yaml", &name], &yaml);
    // Written files need no forgiveness.
    singe(&[&chemkin.join("chem.inp").display().to_string()], &folder.path().join("again"));
    singe(&[&yaml.join("chem.yaml").display().to_string()], &folder.path().join("from-yaml"));
    let is_yaml = mechanism.extension().is_some_and(|extension| extension == "yaml");
    let mut script = Command::new("python3");
    script.env("PYTHONPATH", cantera).env("PYTHONDONTWRITEBYTECODE", "1").args(["-W", "ignore"]);
    script.arg(root().join("tests/python/written.py")).arg(if is_yaml { mechanism } else { Path::new("-") });
    let output = script.arg(&chemkin).arg(yaml.join("chem.yaml")).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    let lines: Vec<Vec<f64>> = text(&output.stdout)
        .lines()
        .map(|line| line.split(' ').map(|word| word.parse().expect("a number")).collect())
        .collect();
    assert_eq!(lines.len(), 1 + usize::from(is_yaml), "{name}");
    for differences in &lines {
        println!("{name}: thermodynamics {:.1e}, rate constants {:.1e}", differences[0], differences[1]);
        // Numbers that columns cannot hold are told to be rounded.
        assert!(differences[0] <= ALLOWED || rounded, "{name}: {lines:?}");
        assert!(differences[1] <= ALLOWED, "{name}: {lines:?}");
    }
}

#[test]
fn shipped_mechanisms() {
    let Some(cantera) = cantera() else { return };
    for entry in std::fs::read_dir(root().join("mechanisms")).unwrap() {
        compared(&cantera, &entry.unwrap().path().join("chem.inp"));
    }
}

#[test]
fn published_mechanisms() {
    let (Some(cantera), Some(folder)) = (cantera(), skip::shared("mechanisms")) else { return };
    for name in ["dme", "heptane", "usc2"] {
        compared(&cantera, &folder.join(name).join("chem.inp"));
    }
}

#[test]
fn mechanisms_of_cantera() {
    let Some(cantera) = cantera() else { return };
    for name in ["gri30.yaml", "h2o2.yaml", "gri30_highT.yaml", "example_data/ammonia-CO-H2-Alzueta-2023.yaml"] {
        compared(&cantera, &cantera.join("cantera/data").join(name));
    }
}
