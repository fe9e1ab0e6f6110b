//! Sweeps behind the papers' headlines, by the model of time: affine register allocation, predication with its registers, and melding by
//! threads of a block and by threshold. ptxas and nvdisasm must be installed. With `--write` the result goes to docs/lab/papers.md; names of
//! kernels restrict it to these.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use machine::target::Target;
use machine::toolchain;
use passes::allocate::spill_location::Rewriting;
use passes::allocate::{self, Algorithm, Budget, allocate, check};
use passes::{Options, Pass, predication};
use ptx::Module;
use ptx::cost::Model;
use ptx::ir::FuncKind;
use testkit::corpus::{self, Kernel};
use warpsim::Appraisal;

#[path = "common/clean.rs"]
mod clean;
#[path = "common/committed.rs"]
mod committed;

/// CTAs of an SM, which are several for each of its places.
const CTAS: u32 = 16;
/// 32-bit registers per thread: the fewest that ptxas keeps to.
const REGISTERS: u32 = 16;

const ALLOCATORS: [(&str, Rewriting); 4] = [
    ("linear scan", Rewriting::None),
    ("DivRA", Rewriting::DivRA),
    ("RemRA", Rewriting::RemRA),
    ("AffRA", Rewriting::AffRA),
];
/// Kernels whose lanes make blocks of any number of threads up to their own.
const ANY_BLOCK: [&str; 10] =
    ["sb1", "sb1-r", "sb2", "sb2-r", "sb3", "sb3-r", "sb4", "sb4-r", "dct-quantize", "bitonic"];
const BLOCKS: [u32; 3] = [32, 64, 128];
const THRESHOLDS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted = |kernel: &Kernel| wanted.is_empty() || wanted.contains(&kernel.name);
    let divergent: Vec<Kernel> = corpus::divergent().into_iter().filter(is_wanted).map(clean::clean).collect();
    let of_corpus: Vec<Kernel> = corpus::kernels().into_iter().filter(is_wanted).map(clean::clean).collect();
    let mechanisms = mechanisms("kepler").into_iter().filter(is_wanted);
    let all: Vec<Kernel> = of_corpus.into_iter().chain(mechanisms).collect();
    let mut text = String::from(HEAD);
    allocation(&mut text, all.iter().chain(&divergent));
    votes(&mut text, &divergent);
    blocks(&mut text, &divergent);
    thresholds(&mut text, &divergent);
    print!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/lab");
        std::fs::write(docs.join("papers.md"), text).expect("docs can be written");
    }
}

const HEAD: &str = "# Sweeps of the papers\n\nMade by `cargo bench -p singe-warpsim --bench papers -- --write`. Cycles are those of one SM for the \
    machine code that ptxas makes, by [the model of time](time.md); each SM is given 16 CTAs of the launch one after the other. Every version leaves \
    the same values in memory. The papers measured on boards.\n";

/// Our kernels of mechanisms as NVRTC compiles them for a target.
fn mechanisms(target: &str) -> Vec<Kernel> {
    let arch = Target::by_name(target).expect("a target").compute_capability;
    let Ok(tools) = toolchain::find_for(arch) else { return Vec::new() };
    let kernels = [("gri30", 53), ("h2o2", 10)].into_iter().flat_map(|(mechanism, species)| {
        ["viscosity", "conductivity", "diffusion", "chemistry"].map(|kernel| (mechanism, species, kernel))
    });
    let made = kernels.filter_map(|(mechanism, species, kernel)| {
        let module = committed::module(mechanism, kernel, &tools, arch).ok()?;
        let entry = module.entries().next()?.name.clone();
        Some(Kernel { name: format!("{mechanism}-{kernel}"), module, entry, setup: committed::setup(species) })
    });
    made.collect()
}

fn appraisal(kernel: &Kernel, target: &str) -> Option<(Arc<Appraisal>, Module)> {
    let target = Target::by_name(target).expect("a target");
    let module = Module { sm: target.compute_capability.number(), version: None, ..kernel.module.clone() };
    let made = Appraisal::new(&module, &kernel.entry, &kernel.setup, Some(target)).ok()?;
    made.runs_machine_code().then(|| (Arc::new(made), module))
}

fn cycles(model: &Appraisal, module: &Module, kernel: &Kernel) -> Option<f64> {
    let cycles = model.cycles_of_ctas(module, &kernel.entry, CTAS, 0);
    cycles.inspect_err(|unfit| eprintln!("{}: {unfit:?}", kernel.name)).ok().map(|cycles| cycles as f64)
}

fn passed(kernel: &Kernel, module: &Module, pass: &str, options: Options) -> Module {
    let options = Options { block: Some(kernel.setup.launch.threads), ..options };
    let pass = Pass::by_name(pass).expect("it is in the table");
    let made = pass.run(module, &kernel.entry, &options);
    made.unwrap_or_else(|failure| panic!("{}, {}: {failure:?}", kernel.name, pass.name)).module
}

/// A row, with the logarithms of its figures added to sums for geometric means.
struct Table {
    logs: Vec<f64>,
    rows: usize,
}

impl Table {
    fn row(&mut self, text: &mut String, name: &str, ratios: &[f64]) {
        self.logs.resize(ratios.len(), 0.0);
        self.logs.iter_mut().zip(ratios).for_each(|(log, ratio)| *log += ratio.ln());
        self.rows += 1;
        let cells: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
        eprintln!("{name}: {}", cells.join(", "));
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }

    fn means(&self) -> Vec<f64> {
        self.logs.iter().map(|log| (log / self.rows.max(1) as f64).exp()).collect()
    }
}

fn head(text: &mut String, columns: &[String]) -> Table {
    let _ = writeln!(text, "\n| kernel | {} |\n|---|{}", columns.join(" | "), "--:|".repeat(columns.len()));
    Table { logs: Vec::new(), rows: 0 }
}

fn end(text: &mut String, mut table: Table) {
    let (means, count) = (table.means(), table.rows);
    table.row(text, &format!("geometric mean of {count}"), &means);
}

fn allocation<'a>(text: &mut String, kernels: impl Iterator<Item = &'a Kernel>) {
    let _ = write!(
        text,
        "\n## Register allocation: linear scan / allocator, {REGISTERS} registers, kepler\n\nKernels that spill with linear scan. The text \
         is assembled with `.maxnreg {REGISTERS}`; ptxas may keep what we spill in registers that are free then. The paper, on a GTX 570 with 8 or 9 registers: 1.128 by \
         DivRA, 1.073 by RemRA, 1.297 by AffRA.\n"
    );
    let mut table = head(text, &ALLOCATORS[1..].iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>());
    for kernel in kernels {
        let Some((model, module)) = appraisal(kernel, "kepler") else { continue };
        let times = ALLOCATORS.map(|(_, rewriting)| cycles(&model, &allocated(kernel, &module, rewriting)?, kernel));
        if let [Some(linear), Some(div), Some(rem), Some(aff)] = times {
            table.row(text, &kernel.name, &[linear / div, linear / rem, linear / aff]);
        }
    }
    end(text, table);
}

/// The kernel allocated by linear scan; `None` where nothing is spilled, or it is refused.
fn allocated(kernel: &Kernel, module: &Module, rewriting: Rewriting) -> Option<Module> {
    let block = Some(kernel.setup.launch.threads);
    let threads: u32 = kernel.setup.launch.threads.iter().product();
    let used: u64 = module.variables.values().filter(|v| v.space == ptx::inst::Space::Shared).map(|v| v.bytes).sum();
    let shared = Budget { bytes: 49_152u32.saturating_sub(used as u32), warps: threads.div_ceil(32) };
    let algorithm = Algorithm::LinearScan;
    let options = allocate::Options { registers: REGISTERS, algorithm, rewriting, shared, block, ..Default::default() };
    let made = allocate(module, &kernel.entry, &options).ok()?;
    check::check(&made).unwrap_or_else(|v| panic!("{}: {v:?}", kernel.name));
    if passes::allocate::report::report(&made).spilled == 0 {
        return None;
    }
    let mut bounded = made.module;
    for func in bounded.funcs.iter_mut().filter(|func| func.kind == FuncKind::Entry && !func.is_declaration()) {
        func.directives.retain(|text| ![".maxnreg", ".minnctapersm"].iter().any(|name| text.starts_with(name)));
        func.directives.push(format!(".maxnreg {REGISTERS}"));
    }
    Some(bounded)
}

fn votes(text: &mut String, kernels: &[Kernel]) {
    *text += "\n## Predication: stack / technique, and registers per thread, kepler\n\nThe paper, on a Tesla K20c: 1 / 1.113 without flags, 1 / 1.027 with \
        `--sbu --rbu`.\n";
    let columns = ["P", "+SBU", "+SBU+RBU"].map(str::to_owned);
    let mut table = head(text, &[&columns[..], &["registers: stack, P, +SBU, +SBU+RBU".to_owned()]].concat());
    for kernel in kernels {
        let Some((model, module)) = appraisal(kernel, "kepler") else { continue };
        let versions = [[false, false], [true, false], [true, true]].map(|[sbu, rbu]| {
            let predication = predication::Options { sbu, rbu, ..predication::Options::default() };
            passed(kernel, &module, "predicate", Options { predication, ..Options::default() })
        });
        let Some(stack) = cycles(&model, &module, kernel) else { continue };
        let ratios: Option<Vec<f64>> =
            versions.iter().map(|version| cycles(&model, version, kernel).map(|cycles| stack / cycles)).collect();
        let Some(ratios) = ratios else { continue };
        table.row(text, &kernel.name, &ratios);
        let registers = std::iter::once(&module).chain(&versions).map(|version| {
            model.registers(version, &kernel.entry).map_or("-".to_owned(), |registers| registers.to_string())
        });
        text.truncate(text.trim_end().len());
        let _ = writeln!(text, " {} |", registers.collect::<Vec<_>>().join(", "));
    }
    end(text, table);
}

fn blocks(text: &mut String, kernels: &[Kernel]) {
    let _ = write!(
        text,
        "\n## Melding: before / after, by threads of a block, volta\n\nKernels whose block may be smaller. The paper sweeps 32 to 1024 threads and has 1.36 \
         for synthetic kernels, 1.15 for real ones in the mean of all.\n"
    );
    let mut table = head(text, &BLOCKS.map(|threads| format!("{threads} threads")));
    for kernel in kernels.iter().filter(|kernel| ANY_BLOCK.contains(&&*kernel.name)) {
        let ratio = |threads: u32| {
            let mut setup = kernel.setup.clone();
            setup.launch.threads = [threads, 1, 1];
            let (name, module, entry) = (kernel.name.clone(), kernel.module.clone(), kernel.entry.clone());
            melding(&Kernel { name, module, entry, setup }, passes::THRESHOLD)
        };
        let ratios: Option<Vec<f64>> = BLOCKS.into_iter().map(ratio).collect();
        if let Some(ratios) = ratios {
            table.row(text, &kernel.name, &ratios);
        }
    }
    end(text, table);
}

fn thresholds(text: &mut String, kernels: &[Kernel]) {
    let _ = write!(
        text,
        "\n## Melding: before / after, by threshold, volta\n\nThe paper's figure 12: less is gained as the threshold grows, and little more below 0.2.\n"
    );
    let mut table = head(text, &THRESHOLDS.map(|threshold| threshold.to_string()));
    for kernel in kernels {
        let ratios: Option<Vec<f64>> = THRESHOLDS.into_iter().map(|threshold| melding(kernel, threshold)).collect();
        if let Some(ratios) = ratios {
            table.row(text, &kernel.name, &ratios);
        }
    }
    end(text, table);
}

fn melding(kernel: &Kernel, threshold: f64) -> Option<f64> {
    let (model, module) = appraisal(kernel, "volta")?;
    let melded = passed(kernel, &module, "meld", Options { threshold, ..Options::default() });
    Some(cycles(&model, &module, kernel)? / cycles(&model, &melded, kernel)?)
}
