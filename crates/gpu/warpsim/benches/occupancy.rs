//! Quality of the choice of an occupancy, over kernels and targets. The chosen level stands beside the best and the worst of all
//! levels and ptxas's version of the original kernel. Modelled cycles need ptxas and nvdisasm. With `--write` the result goes to
//! the end of docs/lab/occupancy.md and to docs/lab/occupancy.svg; names of kernels restrict it to these. Each row is kept in
//! `target/occupancy.jsonl` as soon as it is there; `--resume` takes those that an interrupted run left.

use std::path::Path;

use machine::target::Target;
use warpsim::setup::Setup;

#[path = "common/clean.rs"]
mod clean;
#[path = "common/committed.rs"]
mod committed;
#[path = "occupancy/measured.rs"]
mod measured;
#[path = "occupancy/page.rs"]
mod page;
#[path = "occupancy/picture.rs"]
mod picture;
#[path = "occupancy/remembered.rs"]
mod remembered;
#[path = "occupancy/rows.rs"]
mod rows;

use measured::{Measured, measured};
use rows::Rows;
use testkit::corpus;
use testkit::dips;

const TARGETS: [&str; 3] = ["volta", "ampere", "hopper"];

/// Mechanisms whose kernels are committed, with their numbers of species.
const MECHANISMS: [(&str, usize); 2] = [("gri30", 53), ("h2o2", 10)];
const KERNELS: [&str; 4] = ["viscosity", "conductivity", "diffusion", "chemistry"];

/// A module for a target.
type Made = dyn Fn(&Target) -> Result<ptx::Module, String>;

/// A kernel, whose module may be another one for every target.
struct Candidate {
    name: String,
    entry: Option<String>,
    module: Box<Made>,
    setup: Setup,
    /// CTAs per SM at which the time is least, if that is known by construction.
    dip: Option<u32>,
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let kept = Rows::open(std::env::args().any(|argument| argument == "--resume"));
    let rows: Vec<Vec<Option<Measured>>> = std::thread::scope(|scope| {
        let (wanted, kept) = (&wanted, &kept);
        let spawn = |name| scope.spawn(move || on_target(Target::by_name(name).expect("a target"), wanted, kept));
        let threads = TARGETS.map(spawn);
        threads.into_iter().map(|thread| thread.join().expect("no kernel makes it panic")).collect()
    });
    let mut columns: Vec<_> = rows.into_iter().map(Vec::into_iter).collect();
    let count = columns.first().map_or(0, ExactSizeIterator::len);
    let rows: Vec<Measured> =
        (0..count).flat_map(|_| columns.iter_mut().filter_map(Iterator::next).flatten().collect::<Vec<_>>()).collect();
    let text = page::text(&rows);
    print!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/lab");
        let path = docs.join("occupancy.md");
        let page = std::fs::read_to_string(&path).expect("the page is there");
        let own = page.split(page::BEGIN).next().unwrap_or_default();
        std::fs::write(path, format!("{own}{text}")).expect("docs can be written");
        std::fs::write(docs.join("occupancy.svg"), picture::dips(&rows)).expect("docs can be written");
    }
}

/// Returns a row for each kernel that can be timed.
fn on_target(target: &'static Target, wanted: &[String], kept: &Rows) -> Vec<Option<Measured>> {
    let candidates = candidates().into_iter().filter(|kernel| wanted.is_empty() || wanted.contains(&kernel.name));
    let row = |candidate: Candidate| match kept
        .take(&candidate.name, &target.name)
        .map_or_else(|| measured(&candidate, target), Ok)
    {
        Ok(row) => {
            eprintln!("{}", row.line());
            kept.keep(&row);
            Some(row)
        }
        Err(reason) => {
            eprintln!("{} on {}: {reason}", candidate.name, target.name);
            None
        }
    };
    candidates.map(row).collect()
}

/// Kernels with known dips, hand-written ones, divergent ones, and those of mechanisms.
fn candidates() -> Vec<Candidate> {
    let dips = dips::DIPS.iter().map(|dip| Candidate {
        name: dip.name(),
        entry: None,
        module: Box::new(|_| Ok(dip.module())),
        setup: dip.setup(),
        dip: Some(dip.bound),
    });
    // kernels for the analysis of divergence do hardly anything
    let kernels = corpus::kernels().into_iter().filter(|kernel| !kernel.name.starts_with("divergence-"));
    let written = kernels.chain(corpus::divergent()).map(|kernel| {
        let kernel = clean::clean(kernel);
        let (module, entry) = (kernel.module, Some(kernel.entry));
        let module = Box::new(move |_: &Target| Ok(module.clone()));
        Candidate { name: kernel.name, entry, module, setup: kernel.setup, dip: None }
    });
    let committed = MECHANISMS.into_iter().flat_map(|(mechanism, species)| {
        KERNELS.map(|kernel| {
            let module = move |target: &Target| {
                let arch = target.compute_capability;
                let tools = machine::toolchain::find_for(arch).map_err(|absent| absent.to_string())?;
                committed::module(mechanism, kernel, &tools, arch)
            };
            let name = format!("{mechanism} {kernel}");
            Candidate { name, entry: None, module: Box::new(module), setup: committed::setup(species), dip: None }
        })
    });
    dips.chain(written).chain(committed).collect()
}
