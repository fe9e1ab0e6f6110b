//! The front end alone. First the time to read made-up mechanisms of 1, 2, 4 and 8 times some size, which must grow no
//! faster than the text; then, where the shared data are at hand, LLNL's n-heptane mechanism (631 species, 2827 reaction
//! lines): read, checked, and its 199,396 pairs fitted. The goal is 5 s on two cores.

use divan::Bencher;
use mechanism::{Files, Mechanism, Options, Sources, decode, parse, read_with};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() {
    println!("species reactions     MB   read (s)    MB/s");
    for times in [1, 2, 4, 8] {
        let sources = made_up(1000 * times, 10_000 * times);
        let bytes = sources.mechanism.text.len() + sources.thermo.as_ref().map_or(0, |source| source.text.len());
        let seconds = fastest(3, || parse(&sources, Options::default()).is_ok()).as_secs_f64();
        let megabytes = bytes as f64 / 1e6;
        println!("{:7} {:9} {megabytes:6.2} {seconds:10.3} {:7.1}", 1000 * times, 10_000 * times, megabytes / seconds);
    }
    divan::main();
}

fn fastest(repeats: usize, run: impl Fn() -> bool) -> Duration {
    let once = |_| {
        let start = Instant::now();
        assert!(run(), "the made-up mechanism is valid");
        start.elapsed()
    };
    (0..repeats).map(once).min().expect("at least one run")
}

/// Isomers that turn into each other.
fn made_up(species: usize, reactions: usize) -> Sources {
    let (mut names, mut thermo, mut lines) = (String::new(), String::from("THERMO\n300. 1000. 5000.\n"), String::new());
    for k in 0..species {
        // Writing to a String cannot fail.
        let _ = writeln!(names, "S{k}");
        let head = format!("{:<24}{:<20}G   300.000  5000.000 1000.00", format!("S{k}"), "H   1");
        let coefficients = " 2.50000000E+00".repeat(5);
        let _ = writeln!(thermo, "{head:<79}1\n{coefficients:<79}2\n{coefficients:<79}3\n{coefficients:<79}4");
    }
    for i in 0..reactions {
        let (a, b, c, d) = (i % species, i / species, (i * 7 + 1) % species, (i * 13 + 5) % species);
        let _ = writeln!(lines, "S{a}+S{b}+M=S{c}+S{d}+M  {}.5E+10 0.5 1000.0\n S{b}/2.5/ S{c}/0.5/\nDUP", 1 + i % 9);
    }
    let mechanism = format!("ELEMENTS H END\nSPECIES\n{names}END\nREACTIONS\n{lines}END\n");
    Sources {
        name: "made_up".to_owned(),
        mechanism: decode("chem.inp", mechanism.as_bytes()),
        thermo: Some(decode("therm.dat", thermo.as_bytes())),
        transport: None,
        reduction: None,
    }
}

fn heptane() -> Option<Files> {
    let mechanism =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/mechanisms/llnl_nheptane/chem.inp"));
    mechanism.exists().then(|| Files { mechanism, ..Files::default() })
}

/// Its authors declare four species twice.
fn checked(files: &Files) -> Mechanism {
    read_with(files, Options::PERMISSIVE).expect("a published mechanism").0
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn llnl_n_heptane_read_and_checked(bencher: Bencher<'_, '_>) {
    let Some(files) = heptane() else { return println!("left out: ../shared is absent") };
    bencher.bench(|| checked(&files));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn llnl_n_heptane_read_checked_and_fitted(bencher: Bencher<'_, '_>) {
    let Some(files) = heptane() else { return println!("left out: ../shared is absent") };
    bencher.bench(|| kinetics::model(checked(&files)).expect("a published mechanism"));
}
