//! `--config`: values of flags in a file, for all kernels or for one.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

struct Run {
    code: i32,
    /// The report, or why there is none.
    printed: Value,
    sources: Vec<String>,
}

/// Compiles h2o2's viscosity and conductivity with a configuration beside the flags.
fn singe(config: &str, flags: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("best.toml");
    std::fs::write(&path, config).unwrap();
    let mechanism = Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms/h2o2/chem.inp");
    let output = Command::cargo_bin("singe")
        .unwrap()
        .arg(mechanism)
        .args(["--kernel", "viscosity,conductivity", "--verify", "1,no-compilers", "--emit", "cuda", "--json"])
        .arg("--config")
        .arg(&path)
        .arg("-o")
        .arg(folder.path().join("out"))
        .args(flags)
        .output()
        .unwrap();
    let source = |kernel: &str| std::fs::read_to_string(folder.path().join(format!("out/h2o2_{kernel}.cu"))).ok();
    Run {
        code: output.status.code().unwrap(),
        printed: serde_json::from_slice(&output.stdout).unwrap(),
        sources: ["viscosity", "conductivity"].into_iter().filter_map(source).collect(),
    }
}

fn warps_and_forms(run: &Run) -> Vec<(u64, String)> {
    let kernels = run.printed["kernels"].as_array().unwrap();
    kernels.iter().map(|k| (k["warps"].as_u64().unwrap(), k["form"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn a_kernel_takes_its_own_settings_the_others_those_of_all() {
    let config = "target = 'volta'\nwarps = 3\nform = 'pairwise'\n[viscosity]\nwarps = 5\nctas-per-sm = 2\n";
    let run = singe(config, &[]);
    assert_eq!(run.code, 0, "{}", run.printed);
    assert_eq!(warps_and_forms(&run), [(5, "pairwise".into()), (3, "pairwise".into())]);
    assert_eq!(run.printed["target"], "volta (sm_70)");
    assert!(run.sources[0].contains("warps per CTA: 5, CTAs per SM: 2"));
    assert!(run.sources[1].contains("warps per CTA: 3, CTAs per SM: 1"));
    // The header tells which file it was.
    assert!(run.sources[0].lines().any(|line| line.starts_with("// input") && line.contains("best.toml sha256 ")));
}

#[test]
fn the_command_line_has_precedence() {
    let run = singe("form = 'pairwise'\nwarps = 3\n[conductivity]\nwarps = 5\n", &["--warps", "4"]);
    assert_eq!(warps_and_forms(&run), [(4, "pairwise".into()), (4, "pairwise".into())]);
}

#[test]
fn kernels_may_have_layouts_of_their_own() {
    let layouts = |run: &Run| {
        let kernels = run.printed["kernels"].as_array().unwrap();
        kernels.iter().map(|k| k["codegen"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let config = "codegen = 'overlay'\n[viscosity]\ncodegen = 'data-parallel'\n";
    assert_eq!(layouts(&singe(config, &[])), ["data-parallel", "overlay"]);
    assert_eq!(layouts(&singe("[conductivity]\ncodegen = 'switch'\n", &[]))[1], "switch");
    assert_eq!(layouts(&singe(config, &["--codegen", "switch"])), ["switch", "switch"]);
    let wrong = singe("codegen = 'fast'\n", &[]);
    assert_eq!((wrong.code, &wrong.printed["diagnostics"][0]["id"]), (1, &"config::value".into()));
    let cpu = singe("target = 'cpu'\n[viscosity]\ncodegen = 'overlay'\n", &[]);
    assert_eq!(cpu.printed["diagnostics"][0]["id"], "target::no-warps");
}

#[test]
fn everything_wrong_is_told_at_once_and_nothing_is_written() {
    let config = "wraps = 4\nwarps = 99\nform = ['log-space']\n[viscosity]\ntarget = 'hopper'\nplacement = 'beside'\n";
    let run = singe(config, &[]);
    assert_eq!(run.code, 1);
    let diagnostics = run.printed["diagnostics"].as_array().unwrap();
    let place = |d: &Value| (d["line"].as_u64().unwrap(), d["column"].as_u64().unwrap());
    let mut places: Vec<_> = diagnostics.iter().map(place).collect();
    places.sort();
    assert_eq!(places, [(1, 1), (2, 9), (3, 8), (5, 1), (6, 13)]);
    let is_config =
        |d: &Value| d["id"].as_str().unwrap().starts_with("config::") && d["file"].to_string().contains("best.toml");
    assert!(diagnostics.iter().all(is_config), "{diagnostics:?}");
    assert!(run.sources.is_empty());
}

#[test]
fn a_file_names_the_kernels_unless_the_command_line_does() {
    let folder = tempfile::tempdir().unwrap();
    let mechanism = Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms/h2o2/chem.inp");
    let kernels = |config: &str, flags: &[&str]| {
        std::fs::write(folder.path().join("best.toml"), config).unwrap();
        let mut command = Command::cargo_bin("singe").unwrap();
        command.arg(&mechanism).args(["--verify", "1,no-compilers", "--emit", "cuda", "--json"]).args(flags);
        command.args(["--config", "best.toml", "-o", "out"]).current_dir(folder.path());
        let output = command.output().unwrap();
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names = |all: &Vec<Value>| all.iter().map(|one| one["kernel"].as_str().unwrap().to_owned()).collect();
        let names: Vec<String> = printed["kernels"].as_array().map_or_else(Vec::new, names);
        (names, printed)
    };
    assert_eq!(
        kernels("kernel = ['viscosity', 'conductivity']\n[viscosity]\nwarps = 4\n", &[]).0,
        ["viscosity", "conductivity"]
    );
    assert_eq!(kernels("kernel = 'diffusion'\n", &[]).0, ["diffusion"]);
    assert_eq!(kernels("kernel = ['diffusion']\n", &["--kernel", "viscosity"]).0, ["viscosity"]);
    // Reactors bring their kernels, and the state that these have where nobody says.
    let (reactor, printed) = kernels("kernel = ['reactor']\ntarget = 'cpu'\n", &[]);
    assert!(reactor.contains(&"isobaric".to_owned()) && printed["failure"].is_null(), "{reactor:?} {printed}");
    for config in ["kernel = ['viscose']\n", "kernel = []\n", "kernel = 4\n"] {
        let (_, printed) = kernels(config, &[]);
        let first = &printed["diagnostics"][0];
        assert_eq!((&first["id"], &first["line"], &first["column"]), (&"config::value".into(), &1.into(), &10.into()));
    }
}
