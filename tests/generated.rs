//! The committed samples are what the compiler makes today, byte for byte: a whole mechanism as an overlay, and its viscosity in every
//! other layout. `SINGE_BLESS=1 cargo test --release --test generated` writes them anew.

use std::path::Path;

use assert_cmd::Command;

/// Compiles h2o2 with these flags, and compares every file with the committed folder.
fn same(name: &str, flags: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let committed = root.join("generated").join(name);
    let folder = tempfile::tempdir().unwrap();
    let bless = std::env::var_os("SINGE_BLESS").is_some();
    let out = if bless { committed.clone() } else { folder.path().join(name) };
    // The folder is not part of the provenance.
    let command = format!("mechanisms/h2o2/chem.inp {flags} --verify no-compilers -o");
    Command::cargo_bin("singe").unwrap().current_dir(root).args(command.split(' ')).arg(&out).assert().success();
    let list = |folder: &Path| {
        let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(list(&out), list(&committed));
    for file in list(&out) {
        let (made, kept) = (std::fs::read(out.join(&file)).unwrap(), std::fs::read(committed.join(&file)).unwrap());
        assert!(made == kept, "generated/{name}/{} is out of date", file.to_string_lossy());
    }
}

#[test]
fn overlay() {
    same("h2o2", "--warps 8 --target kepler --codegen overlay --emit cuda,picture");
}

#[test]
fn partial() {
    same("partial", "--kernel viscosity --warps 4 --target hopper --codegen partial --emit cuda");
}

#[test]
fn switch() {
    same("switch", "--kernel viscosity --warps 4 --target hopper --codegen switch --emit cuda");
}

#[test]
fn data_parallel() {
    same("data-parallel", "--kernel viscosity --warps 4 --target hopper --codegen data-parallel --emit cuda");
}

#[test]
fn cpu() {
    same("cpu", "--kernel viscosity --target cpu --emit cuda");
}

#[test]
fn device() {
    same("device", "--kernel viscosity --target hopper --emit device");
}
