//! An archive that is made here and measures a GPU elsewhere, and what it brought back.

use std::path::Path;
use std::process::Command;

use xtask::{compiler, pages, program};

/// Where the archive is made.
const FOLDER: &str = "target/hardware";

/// Each in every layout, where its files are here.
const MECHANISMS: [(&str, &str); 4] = [
    ("gri30", "mechanisms/gri30/chem.inp"),
    ("dme", "../shared/mechanisms/dme/chem.inp"),
    ("heptane", "../shared/mechanisms/heptane/chem.inp"),
    ("usc2", "../shared/mechanisms/usc2/chem.inp"),
];
const TARGETS: [&str; 3] = ["ampere", "hopper", "blackwell"];
const LAYOUTS: &str = "overlay,partial,switch,data-parallel";

/// The pages that measurements go to, and what each shows of them.
const PAGES: [(&str, &str); 2] = [("time.md", "page"), ("performance.md", "mechanisms")];

const BEGIN: &str = "<!-- measured on a GPU: written by `cargo xtask hardware --merge` -->\n";
const END: &str = "<!-- end -->";

/// Makes the archive, with one mechanism alone or with all, or with `--merge FILE.json` puts what it measured into the pages of the model of time and of performance.
///
/// Errors: words that are no arguments; a program fails; a file cannot be read or written.
pub fn run(root: &Path, words: &[String]) -> Result<(), String> {
    match words {
        [] => archive(root, &MECHANISMS),
        [flag, file] if flag == "--merge" => merge(root, file),
        [mechanism] => {
            let name = Path::new(mechanism).parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            archive(root, &[(&name, mechanism)])
        }
        _ => Err("usage: cargo xtask hardware [MECHANISM | --merge FILE.json]".to_owned()),
    }
}

fn archive(root: &Path, mechanisms: &[(&str, &str)]) -> Result<(), String> {
    let folder = root.join(FOLDER);
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{FOLDER} cannot be emptied: {e}"))?;
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{FOLDER} cannot be made: {e}"))?;
    program::output(measure(root).args(["pack", FOLDER]))?;
    kernels(root, mechanisms)?;
    // where there is no compiler, this one serves, if the C library there is no older
    if program::runs("cc", &["--version"]) {
        program::succeeds(
            Command::new("cc").current_dir(&folder).args(["-O2", "-o", "runner", "runner.c", "-ldl", "-lm"]),
        )?;
    }
    let archive = format!("{FOLDER}.tar.gz");
    program::succeeds(Command::new("tar").current_dir(root).args(["-czf", &archive, "-C", "target", "hardware"]))?;
    println!("{archive}: unpack it where a GPU is, run `sh hardware/run.sh`, and bring back hardware/results.json");
    println!("then: cargo xtask hardware --merge results.json");
    Ok(())
}

/// Compiles the mechanisms for every target, and adds their kernels to the archive.
fn kernels(root: &Path, mechanisms: &[(&str, &str)]) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    let there: Vec<_> = mechanisms.iter().filter(|(_, path)| root.join(path).is_file()).collect();
    let bar = pages::bar(there.len() * TARGETS.len());
    for (name, mechanism) in there {
        for target in TARGETS {
            bar.set_message(format!("{name} for {target}"));
            let project = format!("target/hardware-projects/{name}-{target}");
            let options = ["--target", target, "--codegen", LAYOUTS, "--emit", "cuda,host,report", "-o", &project];
            program::output(Command::new(&compiler).current_dir(root).arg(mechanism).args(options))?;
            let pack = format!("{FOLDER}/packs/{target}-{name}");
            program::output(measure(root).args(["project", &pack, &project]))?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn merge(root: &Path, file: &str) -> Result<(), String> {
    let here = std::path::absolute(file).map_err(|e| format!("{file}: {e}"))?.display().to_string();
    let entries = program::output(measure(root).args(["entries", &here]))?;
    let mut pages = Vec::new();
    for (name, what) in PAGES {
        let table = program::output(measure(root).args([what, &here]))?;
        let path = root.join("docs/lab").join(name);
        let page = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        pages.push((name, between(&page, &table).map_err(|reason| format!("{name}: {reason}"))?));
    }
    pages.iter().try_for_each(|(name, page)| pages::write(root, name, page))?;
    print!("{}", if entries.is_empty() { "every entry is as measured\n".to_owned() } else { entries });
    Ok(())
}

/// The page with another text in its place for measurements.
fn between(page: &str, text: &str) -> Result<String, String> {
    let (head, rest) = page.split_once(BEGIN).ok_or("it has no place for measurements")?;
    let (_, tail) = rest.split_once(END).ok_or("the place for measurements does not end")?;
    Ok(format!("{head}{BEGIN}{text}{END}{tail}"))
}

fn measure(root: &Path) -> Command {
    let mut cargo = program::cargo(root);
    cargo.args(["run", "--quiet", "--release", "-p", "singe-measure", "--"]);
    cargo
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn the_pages_have_a_place_that_is_written_again() {
        for page in [include_str!("../../docs/lab/time.md"), include_str!("../../docs/lab/performance.md")] {
            let once = between(page, "one\n").unwrap();
            assert!(once.contains("--merge` -->\none\n<!-- end -->"));
            assert_eq!(between(&once, "two\n").unwrap(), once.replace("\none\n", "\ntwo\n"));
        }
        assert!(between("no place", "one\n").is_err());
    }
}
