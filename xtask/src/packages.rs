//! What users install: the command by `cargo install`, and a wheel with the command and the Python module. Each goes into an empty place and is
//! used there, outside the clone.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MATURIN: &str = "maturin==1.16.0";
const NUMPY: &str = "numpy==2.2.6";

/// Builds, installs and uses both; the error is what failed.
pub fn check(root: &Path) -> Result<(), String> {
    let all = root.join("target/packages");
    let (cargo, outside) = (all.join("cargo"), all.join("outside"));
    fs::create_dir_all(&outside).map_err(|e| format!("{}: {e}", outside.display()))?;
    let own = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut install = Command::new(&own);
    install.args(["install", "--locked", "--force", "--path", ".", "--root"]).arg(&cargo);
    run(install.arg("--target-dir").arg(root.join("target")).current_dir(root))?;
    let mechanism = root.join("mechanisms/h2o2/chem.inp");
    let compiled = |command: &Path| {
        let mut singe = Command::new(command);
        singe.arg(&mechanism).args(["--kernel", "viscosity", "--compilers", "off", "--verify", "4", "-o", "kernels"]);
        // A folder without the project above it has no compilers of the project's either.
        run(singe.current_dir(&outside).env("SINGE_TOOLCHAIN", &outside))
    };
    println!("cargo install: {}", first(&compiled(&cargo.join("bin/singe"))?));
    for (manifest, list) in archives(&own, root)? {
        println!("cargo package: {manifest}, {list} files");
    }
    let builder = environment(&all.join("builder"), &[OsStr::new(MATURIN)])?;
    let wheels = all.join("wheels");
    fs::remove_dir_all(&wheels).ok();
    let mut build = Command::new(builder.join("maturin"));
    build.args(["build", "--release", "--locked", "--out"]).arg(&wheels).current_dir(root);
    run(build.env("CARGO_TARGET_DIR", root.join("target")))?;
    let wheel =
        fs::read_dir(&wheels).ok().and_then(|mut entries| entries.next()?.ok()).ok_or("maturin left no wheel")?;
    fs::remove_dir_all(all.join("clean")).ok();
    let clean = environment(&all.join("clean"), &[wheel.path().as_os_str(), OsStr::new(NUMPY)])?;
    println!("wheel: {}", wheel.file_name().to_string_lossy());
    println!("wheel's command: {}", first(&compiled(&clean.join("singe"))?));
    let mut script = Command::new(clean.join("python"));
    script.arg(root.join("tests/python/module.py")).arg(root).current_dir(&outside);
    println!("wheel's module: {}", first(&run(&mut script)?));
    Ok(())
}

/// What each crate would send to a registry: its name and the number of files.
fn archives(cargo: &OsStr, root: &Path) -> Result<Vec<(String, usize)>, String> {
    let crates = fs::read_dir(root.join("crates")).map_err(|e| e.to_string())?.flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = crates.chain([root.join("tuner"), root.to_owned()]).collect();
    folders.sort();
    let mut all = Vec::new();
    for folder in folders {
        let list = run(Command::new(cargo).args(["package", "--list", "--allow-dirty"]).current_dir(&folder))?;
        let shown = folder.strip_prefix(root).unwrap_or(&folder).display().to_string();
        all.push((if shown.is_empty() { "singe".into() } else { shown }, list.lines().count()));
    }
    Ok(all)
}

/// A virtual environment with packages; the answer is its folder of programs.
fn environment(folder: &Path, packages: &[&OsStr]) -> Result<PathBuf, String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let programs = folder.join("bin");
    let mut pip = Command::new(programs.join("pip"));
    run(pip.args(["install", "--quiet", "--disable-pip-version-check"]).args(packages))?;
    Ok(programs)
}

fn first(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// What the command prints.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name} cannot be run: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "{name} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}
