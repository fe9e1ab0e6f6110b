//! Register allocation of the corpus and the mechanism kernels at six budgets: spill code by allocator and by row of Figure 6.
//! With `--write` the table goes to docs/lab/allocation.md and the picture to docs/lab/allocation.svg.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Instant;

use passes::allocate::report::{Counts, report};
use passes::allocate::spill_location::{Known, Rewriting, Row};
use passes::allocate::{Algorithm, Allocation, Budget, Options, allocate, check};
use plotters::prelude::*;
use ptx::analysis::divergence::{self, BlockShape, Class, Divergence};
use ptx::analysis::gated::Gated;
use ptx::analysis::ssa::Def;
use ptx::ir::Reg;
use ptx::{Func, Module};

mod beside_ptxas;
#[path = "../common/kernels.rs"]
mod kernels;
mod timed;

const BUDGETS: [u32; 6] = [8, 16, 24, 32, 48, 63];

/// The paper's four, which differ in rewriting only, and the same rows behind the better allocator.
const VARIANTS: [(&str, Algorithm, Rewriting); 6] = [
    ("linear scan", Algorithm::LinearScan, Rewriting::None),
    ("DivRA", Algorithm::LinearScan, Rewriting::DivRA),
    ("RemRA", Algorithm::LinearScan, Rewriting::RemRA),
    ("AffRA", Algorithm::LinearScan, Rewriting::AffRA),
    ("Chaitin-Briggs", Algorithm::ChaitinBriggs, Rewriting::None),
    ("Chaitin-Briggs, AffRA", Algorithm::ChaitinBriggs, Rewriting::AffRA),
];

/// Sums over all kernels with spill code.
#[derive(Default)]
struct Sum {
    kernels: usize,
    /// Refused kernels, each with the reason.
    refused: Vec<String>,
    rows: BTreeMap<Row, Counts>,
    seconds: f64,
    /// Loads from local memory, by the reason.
    stays: BTreeMap<&'static str, usize>,
}

impl Sum {
    fn loads(&self, row: Row) -> f64 {
        self.rows.get(&row).map_or(0.0, |counts| counts.loads as f64)
    }

    fn share(&self, row: Row) -> f64 {
        let all: f64 = self.rows.values().map(|counts| counts.loads as f64).sum();
        if all == 0.0 { 0.0 } else { 100.0 * self.loads(row) / all }
    }

    fn local(&self) -> usize {
        self.rows.get(&Row::Local).map_or(0, |counts| counts.loads + counts.stores)
    }

    fn weighted_local(&self) -> f64 {
        self.rows.get(&Row::Local).map_or(0.0, |counts| counts.weighted_loads + counts.weighted_stores)
    }
}

fn main() {
    let shipped = kernels::shipped();
    let modules: Vec<(String, Module)> = kernels::corpus().into_iter().chain(kernels::modules(&shipped)).collect();
    let mut sums: Vec<(u32, [Sum; 6])> = Vec::new();
    for registers in BUDGETS {
        let mut row: [Sum; 6] = Default::default();
        for (_, module) in &modules {
            for func in module.entries().filter(|func| !func.is_declaration()) {
                for (sum, variant) in row.iter_mut().zip(VARIANTS) {
                    measure(module, func, registers, variant, sum);
                }
            }
        }
        sums.push((registers, row));
    }
    let text = table(&sums, modules.len()) + &beside_ptxas::section(&modules) + &timed::section(&shipped);
    print!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        let docs = testkit::root().join("docs/lab");
        let mut svg = String::new();
        draw(&mut svg, &sums).expect("the picture can be drawn");
        std::fs::write(docs.join("allocation.md"), text).expect("docs can be written");
        std::fs::write(docs.join("allocation.svg"), svg).expect("docs can be written");
    }
}

fn measure(
    module: &Module,
    func: &Func,
    registers: u32,
    (_, algorithm, rewriting): (&str, Algorithm, Rewriting),
    sum: &mut Sum,
) {
    let block = func.threads.or_else(|| most_threads(func));
    let threads = block.map_or(256, |shape| shape.iter().product());
    let used: u64 = module.variables.values().filter(|v| v.space == ptx::inst::Space::Shared).map(|v| v.bytes).sum();
    let shared = Budget { bytes: 49_152u32.saturating_sub(used as u32), warps: threads.div_ceil(32) };
    let options = Options { registers, algorithm, rewriting, shared, block, ..Options::default() };
    let start = Instant::now();
    let allocation = match allocate(module, &func.name, &options) {
        Ok(allocation) => allocation,
        Err(refusal) => {
            sum.refused.push(format!("`{}` with {registers} registers, as {refusal}", func.name));
            return;
        }
    };
    sum.seconds += start.elapsed().as_secs_f64();
    check::check(&allocation).unwrap_or_else(|v| panic!("{} at {registers}: {v:?}", func.name));
    let report = report(&allocation);
    if rewriting == Rewriting::AffRA && algorithm == Algorithm::LinearScan {
        stays(&allocation, block, &mut sum.stays);
    }
    sum.kernels += usize::from(report.spilled > 0);
    for (row, counts) in report.rows {
        let total = sum.rows.entry(row).or_default();
        total.values += counts.values;
        total.loads += counts.loads;
        total.stores += counts.stores;
        total.weighted_loads += counts.weighted_loads;
        total.weighted_stores += counts.weighted_stores;
    }
}

/// The block that `.maxntid` allows, which is the one that our kernels are launched with.
fn most_threads(func: &Func) -> Option<[u32; 3]> {
    let numbers = func.directives.iter().find_map(|directive| directive.strip_prefix(".maxntid "))?;
    let sizes: Vec<u32> = numbers.split(", ").filter_map(|n| n.parse().ok()).collect();
    Some([0, 1, 2].map(|axis| sizes.get(axis).copied().unwrap_or(1)))
}

/// Why loads of spill code go to local memory.
fn stays(allocation: &Allocation, block: Option<[u32; 3]>, reasons: &mut BTreeMap<&'static str, usize>) {
    let func = &allocation.prepared;
    let gated = Gated::compute(func);
    let shape = block.map_or(BlockShape::Unknown, BlockShape::Known);
    let analysis = Divergence::compute(func, &gated, divergence::Options { block: shape, ..Default::default() });
    let mut classes: BTreeMap<Reg, BTreeSet<Class>> = BTreeMap::new();
    for (value, data) in gated.ssa.values.iter().filter(|(_, data)| data.def != Def::Undefined) {
        classes.entry(data.reg).or_default().insert(analysis.state(value).class());
    }
    for access in allocation.accesses.iter().filter(|access| !access.store && access.inst.is_some()) {
        if allocation.locations[&access.reg].row() != Row::Local {
            continue;
        }
        let found = classes.get(&access.reg);
        let has = |class: Class| found.is_some_and(|found| found.contains(&class));
        let reason = match allocation.facts.known[access.reg] {
            Known::Nothing if has(Class::Divergent) => "divergent",
            Known::Nothing if has(Class::Symbolic) => "symbolic stride",
            Known::Nothing => "several strides in one register",
            Known::Affine { .. } => "affine predicate or real",
            _ if allocation.facts.contested.contains(&access.reg) => "contested (S2, S3)",
            _ => "no shared memory left",
        };
        *reasons.entry(reason).or_default() += 1;
    }
}

fn table(sums: &[(u32, [Sum; 6])], modules: usize) -> String {
    let mut text = format!(
        "# Register allocation to a budget\n\nMade by `cargo bench --bench allocation -- --write`. All kernels of {modules} modules: the corpus, and the \
         kernels of h2o2 and gri30, as lowered and as NVRTC compiles them. Every allocation passed the symbolic checker. Loads and stores are \
         those of spill code in the text; weighted ones count 10 to the depth of their loop. Shared memory is the part of 48 KB that the kernel \
         leaves. The block is the one of `.reqntid` or `.maxntid`.\n\nThe paper is \"Divergence analysis with affine constraints\" (section 5, 8 and 9 registers, 40 kernels). It rewrites 46.8 % of the loads from \
         local memory: 24.1 % (ii), 15.3 % (iv), 7.4 % (iii), 0 % (i).\n\n| registers | allocator | kernels with spills (refused) | loads | (i) % | (ii) % \
         | (iii) % | (iv) % | rewritten % | local accesses | of linear scan's | weighted, of linear scan's | seconds |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for (registers, row) in sums {
        let (base, weighted) = (row[0].local().max(1) as f64, row[0].weighted_local().max(1.0));
        for ((name, ..), sum) in VARIANTS.iter().zip(row) {
            let loads: usize = sum.rows.values().map(|counts| counts.loads).sum();
            let rewritten = if loads == 0 { 0.0 } else { 100.0 - sum.share(Row::Local) };
            let _ = writeln!(
                text,
                "| {registers} | {name} | {} ({}) | {loads} | {:.1} | {:.1} | {:.1} | {:.1} | {rewritten:.1} | {} | {:.3} | {:.3} | {:.2} |",
                sum.kernels,
                sum.refused.len(),
                sum.share(Row::Constant),
                sum.share(Row::Uniform),
                sum.share(Row::Affine),
                sum.share(Row::Residual),
                sum.local(),
                sum.local() as f64 / base,
                sum.weighted_local() / weighted,
                sum.seconds
            );
        }
    }
    let refused: BTreeSet<&String> = sums.iter().flat_map(|(_, row)| row).flat_map(|sum| &sum.refused).collect();
    for refusal in refused {
        let _ = writeln!(text, "\nRefused: {refusal}.");
    }
    text.push_str(
        "\nWhat AffRA leaves in local memory, in % of all its loads:\n\n| registers | reasons |\n|---|---|\n",
    );
    for (registers, row) in sums {
        let all: usize = row[3].rows.values().map(|counts| counts.loads).sum();
        let share =
            |(reason, loads): (&&str, &usize)| format!("{reason} {:.1}", 100.0 * *loads as f64 / all.max(1) as f64);
        let shares: Vec<String> = row[3].stays.iter().map(share).collect();
        let _ = writeln!(text, "| {registers} | {} |", shares.join(", "));
    }
    text.push_str("\n![Local accesses by budget](allocation.svg)\n");
    text
}

fn draw(svg: &mut String, sums: &[(u32, [Sum; 6])]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (800, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let most = sums.iter().flat_map(|(_, row)| row).map(|sum| sum.local()).max().unwrap_or(1) as f64;
    let mut chart = ChartBuilder::on(&root)
        .caption("Local-memory accesses of spill code", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(0f64..68f64, 0f64..1.05 * most)?;
    chart.configure_mesh().x_desc("registers per thread").y_desc("accesses in the text").draw()?;
    for (i, (name, ..)) in VARIANTS.iter().enumerate() {
        let colour = Palette99::pick(i).mix(1.0);
        let points = sums.iter().map(|(registers, row)| (f64::from(*registers), row[i].local() as f64));
        chart
            .draw_series([PathElement::new(points.collect::<Vec<_>>(), colour.stroke_width(2))])?
            .label(*name)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
