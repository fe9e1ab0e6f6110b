//! Packages that users install: the command by `cargo install`, and a wheel with the command and the Python module.
//! Each goes into an empty place and is used there, outside the clone. The archives for a registry are made, too.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{program, wheels};

/// Builds, installs and uses both; the error is what failed.
pub fn check(root: &Path) -> Result<(), String> {
    let all = root.join("target/packages");
    let (cargo, outside) = (all.join("cargo"), all.join("outside"));
    fs::create_dir_all(&outside).map_err(|e| format!("{}: {e}", outside.display()))?;
    let own = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut install = Command::new(&own);
    install.args(["install", "--locked", "--force", "--path", ".", "--root"]).arg(&cargo);
    program::output(install.arg("--target-dir").arg(root.join("target")).current_dir(root))?;
    let mechanism = root.join("mechanisms/h2o2/chem.inp");
    let compiled = |command: &Path| {
        let mut singe = Command::new(command);
        singe.arg(&mechanism).args(["--kernel", "viscosity", "--verify", "4,no-compilers", "-o", "kernels"]);
        // A folder without the project above it has no compilers of the project's either.
        program::output(singe.current_dir(&outside).env("SINGE_TOOLCHAIN", &outside))
    };
    println!("cargo install: {}", first(&compiled(&cargo.join("bin/singe"))?));
    let wheels = all.join("wheels");
    fs::remove_dir_all(&wheels).ok();
    let wheel = wheel(root, &wheels)?;
    fs::remove_dir_all(all.join("clean")).ok();
    let clean = environment(root, &all.join("clean"), "numpy")?;
    program::output(Command::new(clean.join("pip")).args(["install", "--quiet"]).arg(&wheel))?;
    println!("wheel: {}", wheel.file_name().unwrap_or_default().to_string_lossy());
    println!("wheel's command: {}", first(&compiled(&clean.join("singe"))?));
    let cache = all.join("cache");
    fs::remove_dir_all(&cache).ok();
    let mut script = Command::new(clean.join("python"));
    script.env("SINGE_CACHE", &cache).arg(root.join("tests/python/module.py")).arg(root).current_dir(&outside);
    println!("wheel's module: {}", first(&program::output(&mut script)?));
    println!("cargo package: {}", archives(&own, root, &all.join("archives"))?.join(", "));
    Ok(())
}

/// Builds the wheel into a folder.
pub fn wheel(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let builder = environment(root, &root.join("target/packages/builder"), "maturin")?;
    let mut build = Command::new(builder.join("maturin"));
    build.args(["build", "--release", "--locked", "--out"]).arg(folder).current_dir(root);
    program::output(build.env("CARGO_TARGET_DIR", root.join("target")))?;
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut wheels = files.filter(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheels.next().ok_or_else(|| "maturin left no wheel".to_owned())
}

/// Makes what would be sent to a registry, of all crates, and compiles them from there; the names of the archives.
fn archives(cargo: &OsStr, root: &Path, all: &Path) -> Result<Vec<String>, String> {
    let mut package = Command::new(cargo);
    package.args(["package", "--workspace", "--exclude", "xtask", "--allow-dirty", "--target-dir"]).arg(all);
    program::output(package.current_dir(root))?;
    let entries = fs::read_dir(all.join("package")).map_err(|e| e.to_string())?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut archives: Vec<String> = names.filter(|name| name.ends_with(".crate")).collect();
    archives.sort();
    Ok(archives)
}

/// A virtual environment with the packages of a [list](wheels::list); the answer is its folder of programs.
fn environment(root: &Path, folder: &Path, list: &str) -> Result<PathBuf, String> {
    program::output(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let programs = folder.join("bin");
    let mut pip = Command::new(programs.join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--requirement"]);
    program::output(pip.arg(wheels::list(root, list)))?;
    Ok(programs)
}

fn first(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
