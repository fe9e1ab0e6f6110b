//! A second of each fuzz target for PTX, from the kernels of the table of verdicts, and for passes from kernels whose lanes
//! diverge: words and lines of one text go, come twice, or change their places. `fuzz/` has the targets for longer runs.

use std::path::Path;
use std::time::{Duration, Instant};

use testkit::fuzzed;

/// Returns the kernels of a folder.
fn seeds(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Returns the text with a few changes.
fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let (from, to) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(5) {
            0 => drop(lines.remove(from)),
            1 => lines.insert(to, lines[from].clone()),
            2 => lines.swap(from, to),
            _ => {
                let other: Vec<String> = lines[to].split(' ').map(str::to_owned).collect();
                let mut words: Vec<String> = lines[from].split(' ').map(str::to_owned).collect();
                let at = random.below(words.len());
                words[at] = match random.below(3) {
                    0 => String::new(),
                    1 => ["0", "-1", "4294967295", "16", "%r1", "%p0", "_", "[box]", ";"][random.below(9)].to_owned(),
                    _ => other[random.below(other.len())].clone(),
                };
                lines[from] = words.join(" ");
            }
        }
    }
    lines.join("\n")
}

/// Feeds changed texts for a second.
fn feed(seed: u64, folder: &str, target: impl Fn(&str)) {
    let (seeds, mut random, begin) = (seeds(folder), Random(seed), Instant::now());
    let mut count = 0;
    while begin.elapsed() < Duration::from_secs(1) {
        let text = &seeds[random.below(seeds.len())];
        target(&changed(text, &mut random));
        count += 1;
    }
    println!("{count} texts");
    assert!(count > 10);
}

#[test]
fn reader() {
    feed(1, "tests/verdicts", fuzzed::reader);
}

#[test]
fn prover() {
    feed(2, "tests/verdicts", fuzzed::prover);
}

#[test]
fn allocator() {
    feed(3, "tests/verdicts", fuzzed::allocator);
}

#[test]
fn passes() {
    feed(4, "../../../tests/corpus/divergent", fuzzed::passes);
}
