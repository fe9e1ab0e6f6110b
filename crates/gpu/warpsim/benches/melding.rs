//! Savings of control-flow melding on the corpus of divergent kernels, beside tail merging and branch fusion: counts of the
//! simulator before and after each pass. With `--write` the result goes to docs/lab/melding.md.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use passes::{Options, Outcome, Pass};
use ptx::Module;
use warpsim::{Buffer, Counts, Options as SimOptions};

#[path = "common/clean.rs"]
mod clean;
#[path = "common/groups.rs"]
mod groups;

use groups::{GROUPS, Group};
use testkit::corpus::{self, Kernel};

const PASSES: [&str; 3] = ["tail-merge", "branch-fusion", "meld"];

/// A kernel, as it was and after each pass.
struct Row {
    name: String,
    before: Counts,
    after: [Counts; 3],
    /// Summary of each pass, in its own words.
    summaries: [String; 3],
}

fn main() {
    let kernels: Vec<Kernel> = corpus::divergent().into_iter().map(clean::clean).collect();
    let rows: Vec<Row> = kernels.iter().map(row).collect();
    let text = report(&rows, &kernels);
    print!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/lab");
        std::fs::write(docs.join("melding.md"), text).expect("docs can be written");
    }
}

fn row(kernel: &Kernel) -> Row {
    let passed = PASSES.map(|pass| passed(kernel, pass));
    let (before, expected) = executed(kernel, &kernel.module);
    let after = [0, 1, 2].map(|i| {
        let (counts, results) = executed(kernel, &passed[i].module);
        assert!(results == expected, "{}: {} changes what it computes", kernel.name, PASSES[i]);
        counts
    });
    let summaries = passed.map(|outcome| outcome.report.summary);
    Row { name: kernel.name.clone(), before, after, summaries }
}

fn passed(kernel: &Kernel, pass: &str) -> Outcome {
    let pass = Pass::by_name(pass).expect("it is in the table");
    let options = Options { block: Some(kernel.setup.launch.threads), ..Options::default() };
    pass.run(&kernel.module, &kernel.entry, &options).unwrap_or_else(|failure| panic!("{}: {failure:?}", kernel.name))
}

fn executed(kernel: &Kernel, module: &Module) -> (Counts, Vec<Buffer>) {
    let mut buffers = kernel.setup.buffers.clone();
    let report = warpsim::run(module, &kernel.entry, &kernel.setup.launch, &mut buffers, &SimOptions::default());
    let counts = report.unwrap_or_else(|hazards| panic!("{}: {hazards}", kernel.name)).total();
    (counts, buffers)
}

fn report(rows: &[Row], kernels: &[Kernel]) -> String {
    let mut text = "# Control-flow melding\n\nMade by `cargo bench -p singe-warpsim --bench melding -- --write`. The kernels are \
                    those of `tests/corpus/divergent`, before and after `singe ptx opt --pass tail-merge`, `branch-fusion` and `meld`. They are \
                    written after the descriptions of the paper's benchmarks, and much smaller than they. Before means after `dce` and \
                    `simplify-cfg`. Every result was proven by the \
                    checker of melds, and computes the same.\n\n`cargo bench -p singe-warpsim --bench divergent` prints modelled cycles of \
                    machine code. The weighted ratio counts each warp instruction as long as its result takes on \
                    Volta, with nothing overlapped. Results take 4 cycles, branches, constants and doubles 8, shared memory 23, other memory 30. Where a ratio is below 1, few \
                    lanes enter the melded blocks. Instructions that one side has alone are then issued for both, as the \
                    decision knows no frequencies. The paper's figures are \
                    measured speedups on an AMD Vega 20.\n\n"
        .to_owned();
    for Group { title, kernels: list, means } in &GROUPS {
        let _ = write!(text, "## {title}: before / after\n\n");
        text += "| kernel | warp instructions | tail merging | branch fusion | melding | weighted: tail merging | branch fusion | melding | paper: branch fusion | melding |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        let mut logs = [0.0; 6];
        for (name, fusion, melding) in *list {
            let row = named(rows, name);
            let ratios = row.after.map(|after| row.before.instructions as f64 / after.instructions as f64);
            let times = row.after.map(|after| row.before.executed().cycles() as f64 / after.executed().cycles() as f64);
            for (log, ratio) in logs.iter_mut().zip(ratios.iter().chain(&times)) {
                *log += ratio.ln();
            }
            let paper = |figure: &Option<f64>| figure.map_or(String::new(), |figure| format!("{figure:.2}"));
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {} | {} |",
                row.before.instructions,
                joined(&ratios),
                joined(&times),
                [paper(fusion), paper(melding)].join(" | ")
            );
        }
        let means_here = logs.map(|log| (log / list.len() as f64).exp());
        let _ = writeln!(text, "| geometric mean | | {} | {} |\n", joined(&means_here), means);
    }
    text += "## Utilization and memory\n\nThe share of lanes that arithmetic instructions and moves are executed by, and warp \
             instructions that access shared and global memory.\n\n| kernel | utilization | after melding | shared | after melding \
             | global | after melding |\n|---|--:|--:|--:|--:|--:|--:|\n";
    for row in rows {
        let melded = &row.after[2];
        let _ = writeln!(
            text,
            "| {} | {:.1} % | {:.1} % | {} | {} | {} | {} |",
            row.name,
            100.0 * row.before.utilization(),
            100.0 * melded.utilization(),
            row.before.shared,
            melded.shared,
            row.before.global,
            melded.global
        );
    }
    text += "\n## What is melded\n\nBy the paper's Table I and section VI-A tail merging takes diamonds of equal instructions (SB1, \
             SB4, without their variants). Branch fusion also takes diamonds of different ones (SB1, SB4 and their variants, SB4-R not \
             fully). Melding takes all. Here branch fusion takes SB4-R whole. Instructions of one side alone stay in the melded block under a guard, or are \
             executed for both. So the block is one side of a diamond again. The authors' code makes branches of them \
             (section IV-E), and fusion takes no diamond with branches in it.\n\n| kernel | tail merging | branch fusion | melding |\n|---|---|---|---|\n";
    for row in rows {
        let _ = writeln!(text, "| {} | {} |", row.name, row.summaries.join(" | "));
    }
    let [plain, melded] = times(kernels).map(|time| 1e3 * time.as_secs_f64() / kernels.len() as f64);
    let _ = writeln!(
        text,
        "\n## Time\n\nTimes are of one process, as a library, per kernel, the least of 40. Reading and printing a kernel's text takes {plain:.2} ms, and \
         melding it {melded:.2} ms more, with the check of every meld. As much as 0.3 ms is allowed."
    );
    text += &compiled(kernels);
    text
}

/// The paper's Table II: the compile time that melding adds to CUDA, with the times of real compilers.
fn compiled(kernels: &[Kernel]) -> String {
    const PAPER: [(&str, f64); 7] = [
        ("bitonic", 1.0444),
        ("partition-merge", 1.0443),
        ("merge-sort", 1.0035),
        ("lu-perimeter", 1.0502),
        ("n-queens", 1.0109),
        ("srad", 1.0244),
        ("dct-quantize", 1.0093),
    ];
    let arch = ComputeCapability(7, 0);
    let compilers = match toolchain::find_for(arch) {
        Ok(found) => found,
        Err(absent) => return format!("\nCompilations of CUDA were not timed: {absent}.\n"),
    };
    let mut text = format!(
        "\nThe paper's Table II has the time of a compilation of CUDA with melding over that without. Here: {} for \
         {}, from CUDA to machine code; reading, melding and printing in between; the least of five.\n\n| kernel | compilation (ms) | \
         with melding (ms) | ratio | paper |\n|---|--:|--:|--:|--:|\n",
        compilers.name,
        arch.sm()
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/corpus/divergent");
    for (name, paper) in PAPER {
        let kernel = kernels.iter().find(|kernel| kernel.name == name).unwrap_or_else(|| panic!("no {name}"));
        let source = std::fs::read_to_string(folder.join(name).with_extension("cu")).expect("the kernel as CUDA");
        let job = Job { name: format!("{name}.cu"), source, arch, options: Vec::new() };
        let compile = || {
            let ptx = compilers.compile_to_ptx(&job).unwrap_or_else(|failure| panic!("{name}: {failure:?}")).text;
            compilers.assemble(&ptx, arch).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
            ptx
        };
        let ptx = compile();
        let plain = least(|| drop(compile()));
        let besides = least(|| {
            let module = ptx::read::text(name, &ptx).expect("this is PTX");
            let entry = module.entries().next().expect("a kernel").name.clone();
            let options = Options { block: Some(kernel.setup.launch.threads), ..Options::default() };
            let pass = Pass::by_name("meld").expect("it is in the table");
            let outcome = pass.run(&module, &entry, &options).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
            drop(outcome.module.to_string());
        });
        let [plain, with] = [plain, plain + besides].map(|time| 1e3 * time.as_secs_f64());
        let _ = writeln!(text, "| {name} | {plain:.1} | {with:.1} | {:.4} | {paper:.4} |", with / plain);
    }
    text += "\nThe compiler unrolls the loops of lu-perimeter, whose many small diamonds are melded (18 of them). \
             The melds are proven by executing the changed parts of both versions symbolically.\n";
    text
}

/// Returns the least of five times.
fn least(work: impl Fn()) -> Duration {
    let once = |_| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    };
    (0..5).map(once).min().unwrap_or_default()
}

fn named<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("{name} is not in the corpus"))
}

fn joined(ratios: &[f64]) -> String {
    ratios.iter().map(|ratio| format!("{ratio:.3}")).collect::<Vec<_>>().join(" | ")
}

/// The least times of reading and printing all kernels, and of melding them.
fn times(kernels: &[Kernel]) -> [Duration; 2] {
    let texts: Vec<String> = kernels.iter().map(|kernel| kernel.module.to_string()).collect();
    let mut least = [Duration::MAX; 2];
    for _ in 0..40 {
        let begin = Instant::now();
        for text in &texts {
            std::hint::black_box(ptx::read::text("k.ptx", text).expect("this is PTX").to_string());
        }
        least[0] = least[0].min(begin.elapsed());
        let begin = Instant::now();
        for kernel in kernels {
            std::hint::black_box(passed(kernel, "meld"));
        }
        least[1] = least[1].min(begin.elapsed());
    }
    least
}
