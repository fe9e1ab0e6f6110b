//! The committed samples are what the compiler makes today, byte for byte.
//! `SINGE_BLESS=1 cargo test --test generated` writes them anew.

use std::path::Path;

use assert_cmd::Command;

fn same(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let committed = root.join("generated").join(name);
    let folder = tempfile::tempdir().unwrap();
    let bless = std::env::var_os("SINGE_BLESS").is_some();
    let out = if bless { committed.clone() } else { folder.path().join(name) };
    let mechanism = format!("mechanisms/{name}/chem.inp");
    // The folder is not part of the provenance.
    Command::cargo_bin("singe")
        .unwrap()
        .current_dir(root)
        .args([
            &mechanism,
            "--warps",
            "8",
            "--target",
            "kepler",
            "--codegen",
            "overlay",
            "--emit",
            "cuda,picture",
            "--compilers",
            "off",
            "-o",
        ])
        .arg(&out)
        .assert()
        .success();
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
fn h2o2() {
    same("h2o2");
}

#[test]
fn gri30() {
    same("gri30");
}
