//! Pairs of versions of a kernel whose order is published or certain: the model of time must give it.
//!
//! `ranking/pairs.toml` has the pairs with their reasons, `ranking/*.cu` the kernels.

use machine::target::Target;
use sass::Cubin;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use testkit::compilers::Compilers;
use warpsim::machine_code;
use warpsim::{Argument, Buffer, Launch, Options};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    pair: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    file: String,
    faster: Version,
    slower: Version,
    /// Reason why the order is certain, or its publication.
    reason: String,
}

/// A kernel and its launch on one SM.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    kernel: String,
    #[serde(default = "one")]
    warps: u32,
    #[serde(default = "one")]
    ctas: u32,
    /// Turns of the kernel's loop.
    #[serde(default = "sixteen")]
    turns: u32,
}

fn one() -> u32 {
    1
}

fn sixteen() -> u32 {
    16
}

impl Version {
    /// Returns the turns of all warps, for which clocks are compared.
    fn work(&self) -> f64 {
        f64::from(self.warps * self.ctas * self.turns)
    }
}

const DOUBLES: usize = 2048;

fn clocks(cubin: &Cubin, version: &Version, target: &Target) -> f64 {
    let values: Vec<f64> = (0..DOUBLES).map(|i| ((i * 37 + 11) % 251) as f64).collect();
    let threads = 32 * version.warps;
    let mut buffers = [Buffer::input(&values), Buffer::in_out(&vec![0.0; threads as usize])];
    let arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(version.turns)];
    let launch = Launch::linear(version.ctas, threads, arguments);
    let timed = machine_code::time(cubin, &version.kernel, &launch, &mut buffers, &Options::default(), target);
    let (_, timing) = timed.unwrap_or_else(|failure| panic!("{}: {failure:?}", version.kernel));
    timing.cycles as f64 / version.work()
}

#[test]
fn of_two_versions_the_faster_one_is_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ranking");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let table: Table = toml::from_str(&read("pairs.toml")).unwrap();
    assert!(table.pair.len() >= 30, "{} pairs", table.pair.len());
    let target = Target::by_name("hopper").unwrap();
    let Some(compilers) = Compilers::new(target.compute_capability) else { return };
    let mut cubins: BTreeMap<&str, Cubin> = BTreeMap::new();
    for Pair { file, .. } in &table.pair {
        cubins.entry(file).or_insert_with(|| compilers.cubin(&compilers.ptx(read(file), &[])));
    }
    let mut wrong = Vec::new();
    for Pair { file, faster, slower, reason } in &table.pair {
        let [fast, slow] = [faster, slower].map(|version| clocks(&cubins[file.as_str()], version, target));
        let line =
            format!("{:20} {fast:9.2}  {:20} {slow:9.2}  {:5.2}  {reason}", faster.kernel, slower.kernel, slow / fast);
        println!("{line}");
        if fast >= slow {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "not in this order:\n{}", wrong.join("\n"));
}
