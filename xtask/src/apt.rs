//! Single files of Debian packages that this machine's own sources do not list. Nothing is installed, and the machine's lists of
//! packages stay as they are.

use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

/// A package of one release of Debian, and a file in it.
pub struct Packaged {
    pub release: &'static str,
    pub component: &'static str,
    pub package: &'static str,
    pub version: &'static str,
    /// SHA-256 of the package for each architecture.
    pub sha256: &'static [&'static str],
    pub file: &'static str,
}

/// Fetches the package from the site that the machine gets Debian from, and puts its file at `to`; the error is the reason why
/// it is not there. Needs apt, and no rights.
pub fn fetch(wanted: &Packaged, to: &Path) -> Result<(), String> {
    run(Command::new("apt-get").arg("--version"))?;
    let folder = to.parent().ok_or("no folder to put it into")?;
    let work = folder.join("apt");
    eprintln!("Fetching {} {} of Debian {} into {}", wanted.package, wanted.version, wanted.release, folder.display());
    let fetched = fetch_in(wanted, &work, to);
    fs::remove_dir_all(&work).ok();
    fetched
}

fn fetch_in(wanted: &Packaged, work: &Path, to: &Path) -> Result<(), String> {
    let Packaged { release, component, package, version, sha256, file } = wanted;
    fs::create_dir_all(work.join("lists/partial")).map_err(|e| format!("{}: {e}", work.display()))?;
    let site = site(work)?;
    fs::write(work.join("sources.list"), format!("deb {site} {release} {component}\n")).map_err(|e| e.to_string())?;
    let own = |command: &mut Command| {
        command.arg("-o").arg(format!("Dir::Etc::sourcelist={}", work.join("sources.list").display()));
        command.args(["-o", "Dir::Etc::sourceparts=/dev/null"]);
    };
    run(apt(work, &["update", "-qq"], own).current_dir(work))?;
    run(apt(work, &["download", "-qq", &format!("{package}={version}")], own).current_dir(work))?;
    let mut names = fs::read_dir(work).into_iter().flatten().flatten().map(|entry| entry.path());
    let archive = names.find(|path| path.extension().is_some_and(|extension| extension == "deb"));
    let archive = archive.ok_or_else(|| format!("apt-get left no archive of {package}"))?;
    let bytes = fs::read(&archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    let found: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if !sha256.contains(&found.as_str()) {
        return Err(format!("{package} {version} has the SHA-256 {found}, which is none of the known"));
    }
    run(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(work.join("unpacked")))?;
    // a rename, so that a half-written file is never taken for the program
    fs::rename(work.join("unpacked").join(file), to).map_err(|e| format!("{package} {version} has no {file}: {e}"))
}

/// The site that has the main component of the machine's own release of Debian.
fn site(work: &Path) -> Result<String, String> {
    let targets = ["indextargets", "--format", "$(ORIGIN) $(COMPONENT) $(RELEASE) $(SITE)"];
    let listed = run(Command::new("apt-get").args(targets))?;
    if let Some(site) = site_of(&listed) {
        return Ok(site);
    }
    // a fresh machine has no lists yet
    run(&mut apt(work, &["update", "-qq"], |_| {}))?;
    let listed = run(&mut apt(work, &targets, |_| {}))?;
    site_of(&listed).ok_or_else(|| "apt-get has no source of Debian".to_owned())
}

/// Security and other updates of a release have a hyphen in their names.
fn site_of(targets: &str) -> Option<String> {
    targets.lines().find_map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
        ["Debian", "main", release, site] if !release.contains('-') => Some(site.to_owned()),
        _ => None,
    })
}

/// apt-get with lists and archives of its own.
fn apt(work: &Path, arguments: &[&str], more: impl Fn(&mut Command)) -> Command {
    let mut command = Command::new("apt-get");
    for (key, folder) in [("Dir::State::lists", "lists"), ("Dir::Cache", "cache")] {
        command.arg("-o").arg(format!("{key}={}", work.join(folder).display()));
    }
    // fails soon where there is no network
    command.args(["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::https::Timeout=20"]);
    more(&mut command);
    command.args(arguments);
    command
}

/// Runs the command and returns what it prints.
fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name} cannot be run: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let first = messages.lines().find(|line| line.starts_with("E:")).or(messages.lines().last());
    Err(first.unwrap_or(&format!("{name} failed")).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_is_that_of_the_release_itself() {
        let listed = "Other main stable http://a.example/debian\nDebian main bookworm-security http://b.example/debian-security\n\
                      Debian contrib bookworm http://c.example/debian\nDebian main bookworm http://d.example/debian\n";
        assert_eq!(site_of(listed).as_deref(), Some("http://d.example/debian"));
        assert_eq!(site_of("Ubuntu main noble http://e.example/ubuntu\n"), None);
    }
}
