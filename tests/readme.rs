//! Claims of the README hold: its commands run, its program compiles and runs, and its figures and its picture are those of the pages it links to.

#[path = "../lab/benches/reactor/picture.rs"]
mod picture;

use std::path::Path;
use std::process::Command;

use testkit::page::fences;
use testkit::project::{run, there};
use testkit::root;

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

fn fence(language: &str) -> String {
    let found = fences(&readme()).into_iter().find(|(name, _)| name == language);
    found.unwrap_or_else(|| panic!("no block of {language}")).1
}

/// The commands and the program, with a file of the name that they have, in a folder of any name.
#[test]
fn a_reader_gets_from_nothing_to_a_number() {
    if !there("cmake") || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("my flame 2");
    let singe = assert_cmd::cargo::cargo_bin("singe");
    run(Command::new(&singe).arg("fmt").arg(testkit::shipped("h2o2")).args(["--to", "yaml", "-o"]).arg(&place));
    let commands = fence("sh");
    let commands: Vec<&str> = commands.lines().filter(|line| !line.starts_with("cargo install")).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let path = format!("{}:{}", singe.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(&place).env("PATH", &path).env("OMP_NUM_THREADS", "1");
        String::from_utf8(run(&mut shell).stdout).unwrap()
    };
    let printed: String = commands.iter().map(|line| shell(line)).collect();
    assert!(printed.contains("points/s"), "the driver prints no number:\n{printed}");
    std::fs::write(place.join("main.cpp"), fence("cpp")).unwrap();
    let printed = shell("g++ -Wall -Wextra -Werror -Ikernels main.cpp build/libchem.a -fopenmp -o main && ./main");
    let temperatures: Vec<f64> = printed.split([' ', ',', 'K']).filter_map(|word| word.trim().parse().ok()).collect();
    // Hydrogen burns in air: both points are beyond their ignition delays of 45 and 18 us.
    assert!(temperatures.len() == 2 && temperatures.iter().all(|&t| t > 2300.0 && t < 3000.0), "{printed}");
}

/// Each row of the README's tables of figures stands in one row of the page that the text above it links to.
#[test]
fn each_figure_is_on_its_page() {
    let text = readme();
    let (mut page, mut rows) = (String::new(), 0);
    for line in text.lines() {
        if let Some((_, link)) = line.split_once("](docs/lab/") {
            page = format!("docs/lab/{}", link.split(')').next().unwrap());
        }
        let cells = cells(line);
        if cells.len() < 4 || !cells[1].starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        rows += 1;
        assert!(is_on(&root().join(&page), "## gri30", &cells), "{page} has no row with {cells:?}");
    }
    assert_eq!(rows, 7);
}

/// Each number in the words of the section is told by a line of a page.
#[test]
fn each_figure_in_words_is_on_its_page() {
    let page = |name: &str| std::fs::read_to_string(root().join("docs").join(name)).unwrap();
    let (reactors, cpu, readme) = (page("lab/reactors.md"), page("lab/cpu.md"), readme());
    let section = readme.split("## How fast").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let words: Vec<&str> = section.lines().filter(|line| !line.starts_with('|')).collect();
    let mut words = words.join(" ");
    let ratios = |column: usize| {
        let rows = picture::rows(&reactors, "gri30");
        let mut found: Vec<f64> = rows.iter().filter_map(|row| row[column].parse().ok()).collect();
        found.sort_by(f64::total_cmp);
        format!("{:.1} to {:.1} times as many", found[0], found[found.len() - 1])
    };
    for (claim, page, line) in [
        ("GRI-Mech 3.0 (53 species)", &page("report-rows.md"), "gri30: 53 species"),
        ("GRI-Mech 3.0", &reactors, "## gri30"),
        ("Cantera 3.2.0", &reactors, "Cantera 3.2.0: cells/s"),
        ("tolerance 1e-6", &reactors, "| 1e-4 s | 1e-6 |"),
        ("over 1e-7 to 1e-4 s", &reactors, "| 1e-7 s |"),
        ("an AMD EPYC with AVX-512), all", &reactors, "Machine: AMD EPYC, AVX-512"),
        ("an AMD EPYC with AVX-512;", &cpu, "Machine: AMD EPYC, AVX-512"),
        (&format!("{} reactors as Cantera", ratios(11)), &reactors, "| over Cantera |"),
        (&format!("{} as CVODE", ratios(12)), &reactors, "| over CVODE |"),
    ] {
        assert!(words.contains(claim), "the README does not say {claim}");
        assert!(page.contains(line), "no page has {line}, for {claim}");
        words = words.replace(claim, "");
    }
    assert!(readme.contains("(1.4 GB, once)") && page("guide/install.md").contains("which has 1.4 GB"));
    assert!(!words.contains(|c: char| c.is_ascii_digit()), "a figure of no page: {words}");
}

#[test]
fn the_picture_is_drawn_from_the_page() {
    let read = |name: &str| std::fs::read_to_string(root().join("docs/lab").join(name)).unwrap();
    assert_eq!(read("reactors.svg"), picture::of_section(&read("reactors.md"), "gri30"));
}

fn cells(line: &str) -> Vec<&str> {
    line.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// Whether a row of the page's section has all the cells.
fn is_on(page: &Path, section: &str, wanted: &[&str]) -> bool {
    let text = std::fs::read_to_string(page).unwrap();
    let lines = text.lines().skip_while(|line| *line != section).skip(1).take_while(|line| !line.starts_with("## "));
    lines.map(cells).any(|row| wanted.iter().all(|cell| row.contains(cell)))
}
