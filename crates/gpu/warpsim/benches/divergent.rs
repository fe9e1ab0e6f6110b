//! Costs of each way to handle divergent branches, on the corpus of divergent kernels: counts of the simulator and modelled
//! cycles of machine code, for which ptxas and nvdisasm must be installed. With `--write` the result goes to
//! docs/lab/divergent-code.md; names of kernels restrict it to these.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use machine::target::Target;
use machine::toolchain;
use passes::{Options, Outcome, Pass, predication};
use ptx::Module;
use ptx::cost::{Model, Unfit};
use warpsim::{Appraisal, Counts};

#[path = "common/clean.rs"]
mod clean;
#[path = "common/groups.rs"]
mod groups;

use groups::{GROUPS, Group};
use testkit::corpus::{self, Kernel};

const TARGETS: [&str; 2] = ["volta", "hopper"];

/// A technique: its name, the pass, and the flags of predication.
type Technique = (&'static str, Option<&'static str>, [bool; 2]);

const TECHNIQUES: [Technique; 8] = [
    ("stack", None, [false; 2]),
    ("tail merging", Some("tail-merge"), [false; 2]),
    ("branch fusion", Some("branch-fusion"), [false; 2]),
    ("melding", Some("meld"), [false; 2]),
    ("predication", Some("predicate"), [false; 2]),
    ("+SBU", Some("predicate"), [true, false]),
    ("+SBU+RBU", Some("predicate"), [true, true]),
    ("auto", Some("diverge=auto"), [false; 2]),
];

/// Result of a technique for a kernel on a target.
struct Cell {
    cycles: u64,
    counts: Counts,
    summary: String,
}

struct Row {
    name: String,
    /// Whether there are cycles of machine code on all targets.
    timed: bool,
    /// Cells by target and technique.
    cells: Vec<Vec<Cell>>,
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let kernels = corpus::divergent().into_iter().filter(|kernel| wanted.is_empty() || wanted.contains(&kernel.name));
    let rows: Result<Vec<Row>, String> = kernels.map(|kernel| row(&clean::clean(kernel))).collect();
    let rows = match rows {
        Ok(rows) => rows,
        Err(reason) => return println!("{reason}"),
    };
    let text = report(&rows);
    print!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/lab");
        std::fs::write(docs.join("divergent-code.md"), text).expect("docs can be written");
    }
}

fn row(kernel: &Kernel) -> Result<Row, String> {
    let (mut timed, mut list) = (true, Vec::new());
    for target in TARGETS {
        let (cells, by_machine_code) = cells(kernel, Target::by_name(target).expect("a target"))?;
        timed &= by_machine_code;
        list.push(cells);
    }
    eprintln!("{}", kernel.name);
    Ok(Row { name: kernel.name.clone(), timed, cells: list })
}

/// Returns the cells by technique, and whether the cycles are those of machine code: not if ptxas makes something else of a version.
fn cells(kernel: &Kernel, target: &'static Target) -> Result<(Vec<Cell>, bool), String> {
    let arch = target.compute_capability;
    toolchain::find_for(arch).map_err(|absent| absent.to_string())?;
    toolchain::disassembler(arch).map_err(|absent| absent.to_string())?;
    let module = Module { sm: target.compute_capability.number(), version: None, ..kernel.module.clone() };
    let by = |target: Option<&'static Target>| -> Result<(Vec<Cell>, bool), Unfit> {
        let model = Arc::new(Appraisal::new(&module, &kernel.entry, &kernel.setup, target)?);
        let cell = |technique: &Technique| -> Result<Cell, Unfit> {
            let (module, summary) = made(kernel, &module, technique, &model);
            let cycles = model.cycles(&module, &kernel.entry).inspect_err(|unfit| {
                eprintln!("{}, {}: {unfit:?}", kernel.name, technique.0);
            })?;
            Ok(Cell { cycles, counts: model.counts(&module, &kernel.entry)?, summary })
        };
        let cells: Result<Vec<Cell>, Unfit> = TECHNIQUES.iter().map(cell).collect();
        Ok((cells?, model.runs_machine_code()))
    };
    by(Some(target)).or_else(|_| by(None)).map_err(|unfit| format!("{}: {unfit:?}", kernel.name))
}

fn made(
    kernel: &Kernel,
    module: &Module,
    (_, pass, [sbu, rbu]): &Technique,
    model: &Arc<Appraisal>,
) -> (Module, String) {
    let Some(pass) = pass else { return (module.clone(), String::new()) };
    let predication = predication::Options { sbu: *sbu, rbu: *rbu, ..predication::Options::default() };
    let model: Arc<dyn Model> = model.clone();
    let block = Some(kernel.setup.launch.threads);
    let options = Options { block, predication, model: Some(model), ..Options::default() };
    let pass = Pass::by_name(pass).expect("it is in the table");
    let Outcome { module, report } = pass
        .run(module, &kernel.entry, &options)
        .unwrap_or_else(|failure| panic!("{}, {}: {failure:?}", kernel.name, pass.name));
    (module, report.summary)
}

fn report(rows: &[Row]) -> String {
    let mut text = "# Divergent code: what each technique costs\n\nMade by `cargo bench -p singe-warpsim --bench divergent -- \
                    --write`. The kernels of `tests/corpus/divergent` after `dce` and `simplify-cfg`: as they are (stack) and after \
                    each pass of `singe ptx opt` that deals with divergent branches. `auto` is `singe ptx opt K.ptx --pass diverge=auto \
                    --launch K.toml --target NAME`, which asks the model of the columns. Every version leaves the same values in \
                    memory, as PTX and as machine code.\n\nCycles are those of one SM for the machine code that ptxas makes, by \
                    the model of docs/lab/time.md. ptxas itself predicates short sides of branches and moves code, in what is called \
                    stack too. Of a kernel with a star ptxas makes wrong code in a version: in place of its cycles stand the warp instructions that the \
                    simulator executes, each as long as its result takes. The papers' figures are measured: DARM's on an AMD Vega 20, predication's on a Tesla K20c.\n"
        .to_owned();
    for (number, target) in TARGETS.iter().enumerate() {
        let _ = write!(text, "\n## Modelled cycles on {target}: stack / technique\n");
        let cycles = |row: &Row, technique: usize| row.cells[number][technique].cycles;
        table(&mut text, rows, "cycles", &cycles, true);
    }
    text += "\n## Warp instructions: stack / technique\n\nOf the PTX for hopper.\n";
    table(&mut text, rows, "instructions", &|row, technique| row.cells[1][technique].counts.instructions, false);
    text += "\n## Utilization, shared and global memory\n\nThe share of lanes that arithmetic instructions and moves are executed \
             by, in percent, and warp instructions on shared and global memory.\n\n| kernel |";
    for (name, ..) in TECHNIQUES {
        let _ = write!(text, " {name} |");
    }
    let _ = writeln!(text, "\n|---|{}", "--:|".repeat(TECHNIQUES.len()));
    for row in rows {
        let cell = |cell: &Cell| {
            let Counts { shared, global, .. } = cell.counts;
            format!("{:.0}, {shared}, {global}", 100.0 * cell.counts.utilization())
        };
        let cells: Vec<String> = row.cells[1].iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {} |", row.name, cells.join(" | "));
    }
    text += "\n## What auto chose\n\n| kernel | target | choice |\n|---|---|---|\n";
    for row in rows {
        for (target, cells) in TARGETS.iter().zip(&row.cells) {
            let _ = writeln!(text, "| {} | {target} | {} |", row.name, cells[TECHNIQUES.len() - 1].summary);
        }
    }
    text
}

/// A table with a row per kernel and a geometric mean per group.
fn table(text: &mut String, rows: &[Row], what: &str, value: &dyn Fn(&Row, usize) -> u64, papers: bool) {
    for Group { title, kernels, means } in &GROUPS {
        let found: Vec<_> =
            kernels.iter().filter_map(|kernel| Some((kernel, rows.iter().find(|row| row.name == kernel.0)?))).collect();
        if found.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{title}:\n\n| kernel | {what} |");
        for (name, ..) in &TECHNIQUES[1..] {
            let _ = write!(text, " {name} |");
        }
        text.push_str(if papers { " paper: branch fusion | paper: melding |\n" } else { "\n" });
        let _ = writeln!(text, "|---|{}", "--:|".repeat(TECHNIQUES.len() + if papers { 2 } else { 0 }));
        let mut logs = [0.0; TECHNIQUES.len() - 1];
        for ((name, fusion, melding), row) in &found {
            let ratios: Vec<f64> = (1..TECHNIQUES.len()).map(|i| value(row, 0) as f64 / value(row, i) as f64).collect();
            logs.iter_mut().zip(&ratios).for_each(|(log, ratio)| *log += ratio.ln());
            let paper = |figure: &Option<f64>| figure.map_or(String::new(), |figure| format!("{figure:.2}"));
            let mark = if papers && !row.timed { " *" } else { "" };
            let _ = write!(text, "| {name}{mark} | {} | {} |", value(row, 0), joined(&ratios));
            text.push_str(&match papers {
                true => format!(" {} | {} |\n", paper(fusion), paper(melding)),
                false => "\n".to_owned(),
            });
        }
        let mean = logs.map(|log| (log / found.len() as f64).exp());
        let _ = write!(text, "| geometric mean | | {} |", joined(&mean));
        text.push_str(&if papers { format!(" {means} |\n") } else { "\n".to_owned() });
    }
}

fn joined(ratios: &[f64]) -> String {
    ratios.iter().map(|ratio| format!("{ratio:.3}")).collect::<Vec<_>>().join(" | ")
}
