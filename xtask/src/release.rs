//! Contents of a release: the sources as an archive, the wheel, the archives for a registry, and the list of their
//! hashes. All that a reader of the version is told is compared first: the changelog, the citation, the Python package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::packages;
use xtask::program;

/// Makes everything in `target/release-VERSION`. Words: `draft` leaves out what needs a clean tree and what takes long, `tag` makes the tag, too.
pub fn make(root: &Path, words: &[String]) -> Result<(), String> {
    let known = ["draft", "tag"];
    if let Some(word) = words.iter().find(|word| !known.contains(&word.as_str())) {
        return Err(format!("{word} is neither of {}", known.join(", ")));
    }
    let is = |wanted: &str| words.iter().any(|word| word == wanted);
    let (draft, tag) = (is("draft"), is("tag"));
    if draft && tag {
        return Err("a draft gets no tag".to_owned());
    }
    let file = |name: &str| fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    let version = version(&file("Cargo.toml")?)?;
    let told = changes(&file("CHANGELOG.md")?, &version);
    let cited = CITED.into_iter().try_for_each(|(name, key)| cited(name, &file(name)?, key, &version));
    match (told.and_then(|told| cited.map(|()| told)), draft) {
        (Ok(told), _) => println!("changelog of {version}: {} lines", told.lines().count()),
        (Err(missing), true) => println!("before the release: {missing}"),
        (Err(missing), false) => return Err(missing),
    }
    if !draft {
        clean(root)?;
    }
    let folder = root.join(format!("target/release-{version}"));
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let sources = sources(root, &version, &folder)?;
    println!("sources: {}", name(&sources));
    println!("wheel: {}", name(&packages::wheel(root, &folder)?));
    println!("for a registry: {}", registry(root, &folder, draft)?);
    let list = hashes(&folder)?;
    fs::write(folder.join("SHA256SUMS"), &list).map_err(|error| error.to_string())?;
    print!("{list}");
    if tag {
        let message = format!("Singe {version}\n\n{}", changes(&file("CHANGELOG.md")?, &version)?);
        program::output(git(root).args([
            "tag",
            "--annotate",
            &format!("v{version}"),
            "--cleanup=verbatim",
            "-m",
            &message,
        ]))?;
        println!("tag: v{version}");
    }
    println!("all of it lies in {}", folder.display());
    Ok(())
}

/// Reads the version of the workspace.
fn version(manifest: &str) -> Result<String, String> {
    let (_, package) = manifest.split_once("[workspace.package]").ok_or("Cargo.toml has no [workspace.package]")?;
    let line = package.lines().find_map(|line| line.strip_prefix("version = ")).ok_or("Cargo.toml has no version")?;
    Ok(line.trim().trim_matches('"').to_owned())
}

/// The section of the version, where it is the latest.
fn changes(changelog: &str, version: &str) -> Result<String, String> {
    let mut sections = changelog.split("\n## ").skip(1);
    let first = sections.next().ok_or("CHANGELOG.md has no section")?;
    let (heading, text) = first.split_once('\n').unwrap_or((first, ""));
    if heading.split_whitespace().next() != Some(version) {
        return Err(format!("the latest section of CHANGELOG.md is \"{heading}\": name it {version}"));
    }
    let text = text.trim();
    if text.is_empty() { Err(format!("CHANGELOG.md tells nothing of {version}")) } else { Ok(text.to_owned()) }
}

/// Files that tell the version, with the words in front of it.
const CITED: [(&str, &str); 2] = [("CITATION.cff", "version:"), ("conda/meta.yaml", "{% set version =")];

fn cited(name: &str, text: &str, key: &str, version: &str) -> Result<(), String> {
    let of = text.lines().find_map(|line| line.strip_prefix(key)).map(|rest| rest.trim_matches([' ', '"', '%', '}']));
    if of == Some(version) {
        Ok(())
    } else {
        Err(format!("{name} is of {}, not {version}", of.unwrap_or("no version")))
    }
}

fn clean(root: &Path) -> Result<(), String> {
    let changed = program::output(git(root).args(["status", "--porcelain"]))?;
    if changed.is_empty() {
        Ok(())
    } else {
        Err(format!("a release is made of what is committed; changed are\n{changed}"))
    }
}

fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(root);
    git
}

fn sources(root: &Path, version: &str, folder: &Path) -> Result<PathBuf, String> {
    let archive = folder.join(format!("singe-{version}.tar.gz"));
    let prefix = format!("--prefix=singe-{version}/");
    program::output(git(root).args(["archive", "--format=tar.gz", &prefix, "--output"]).arg(&archive).arg("HEAD"))?;
    Ok(archive)
}

/// Makes the archives for a registry, as `cargo publish --dry-run` does; a draft does not compile them from there.
fn registry(root: &Path, folder: &Path, draft: bool) -> Result<String, String> {
    let target = root.join("target/packages/archives");
    // A dry run leaves them where crates of this workspace look for each other.
    let made = target.join("package/tmp-registry");
    fs::remove_dir_all(&made).ok();
    let mut publish = program::cargo(root);
    publish.args(["publish", "--dry-run", "--workspace", "--exclude", "xtask", "--target-dir"]).arg(&target);
    if draft {
        publish.args(["--allow-dirty", "--no-verify"]);
    }
    if let Err(reason) = program::output(&mut publish) {
        // Without a network there is no index to look into: that is no fault of the crates.
        let absent = ["failed to query", "Unable to update", "failed to download", "spurious network"];
        let line = reason.lines().find(|line| absent.iter().any(|text| line.contains(text)));
        return line.map(|line| format!("not tried: {}", line.trim())).ok_or(reason);
    }
    let found = fs::read_dir(&made).map_err(|error| format!("{}: {error}", made.display()))?.flatten();
    let mut names: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "crate"));
    names.sort();
    for path in &names {
        fs::copy(path, folder.join(name(path))).map_err(|error| error.to_string())?;
    }
    Ok(format!("{} crates", names.len()))
}

/// A line for each file, as `sha256sum --check` reads them.
fn hashes(folder: &Path) -> Result<String, String> {
    let found = fs::read_dir(folder).map_err(|error| error.to_string())?.flatten();
    let mut files: Vec<PathBuf> = found.map(|entry| entry.path()).collect();
    files.sort();
    let line = |path: &PathBuf| {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("{hash}  {}\n", name(path)))
    };
    files.iter().map(line).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_released_is_told_and_cited() {
        assert_eq!(version("[workspace.package]\nversion = \"1.2.3\"\n"), Ok("1.2.3".to_owned()));
        let changelog = "# Changelog\n\n## 1.2.3 (today)\n\n- New.\n- Newer.\n\n## 1.2.2\n\n- Old.\n";
        assert_eq!(changes(changelog, "1.2.3"), Ok("- New.\n- Newer.".to_owned()));
        assert!(changes(changelog, "1.2.2").unwrap_err().contains("1.2.3"), "an older section is not the latest");
        assert!(changes(&changelog.replace("1.2.3 (today)", "Unreleased"), "1.2.3").is_err());
        assert!(changes("# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n- Old.\n", "1.2.3").is_err());
        assert_eq!(cited("a", "title: x\nversion: 1.2.3\n", "version:", "1.2.3"), Ok(()));
        assert_eq!(cited("a", "{% set version = \"1.2.3\" %}\n", "{% set version =", "1.2.3"), Ok(()));
        assert!(cited("a", "version: 1.2.2\n", "version:", "1.2.3").is_err());
        assert!(cited("a", "title: x\n", "version:", "1.2.3").is_err());
    }

    #[test]
    fn the_list_of_hashes_is_what_sha256sum_reads() {
        let folder = std::env::temp_dir().join(format!("singe-release-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("b"), "").unwrap();
        fs::write(folder.join("a"), "abc").unwrap();
        let list = hashes(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        // FIPS 180-4's examples
        let [abc, empty] = [
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ];
        assert_eq!(list, format!("{abc}  a\n{empty}  b\n"));
    }

    /// The files of this project agree with each other.
    #[test]
    fn this_version_is_cited() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let of = |name: &str| fs::read_to_string(root.join(name)).unwrap();
        let version = version(&of("Cargo.toml")).unwrap();
        for (name, key) in CITED {
            assert_eq!(cited(name, &of(name), key, &version), Ok(()));
        }
    }
}
