//! The report as a table, one column per kernel.

mod brief;
mod figures;
mod remarks;
mod rows;
mod tried;

use super::{KernelReport, Report};
use machine::target::Target;
use rows::{Row, Shown};

pub use brief::{brief, summary};
pub use remarks::grounds;
pub use tried::{forms, layouts, levels};

/// Text for stdout.
pub fn table(report: &Report) -> String {
    let mut out = format!(
        "{}: {} species, {} reactions; target {}, {} code\n\n",
        report.mechanism, report.species, report.reactions, report.target, report.codegen
    );
    let lines = cells(report);
    let widths: Vec<usize> =
        (0..lines[0].len()).map(|c| lines.iter().map(|l| l[c].chars().count()).max().unwrap_or(0)).collect();
    for line in lines {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(c, (cell, &w))| if c == 0 { format!("{cell:w$}") } else { format!("{cell:>w$}") })
            .collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out + &remarks::remarks(report)
}

/// The names of the kernels, then each row: its name and a cell for each kernel.
pub fn cells(report: &Report) -> Vec<Vec<String>> {
    let head = [vec![String::new()], report.kernels.iter().map(KernelReport::title).collect()].concat();
    let is_shown = |row: &&Row| match row.shown {
        Shown::Always => true,
        Shown::OfGpus => !is_of_a_cpu(report),
        Shown::OfWarps => {
            !is_of_a_cpu(report) && (!is_of_amd(report) || report.kernels.iter().any(|k| k.named_barriers > 0))
        }
        Shown::OfNvidia => !is_of_a_cpu(report) && !is_of_amd(report),
        Shown::WhereAny(has) => report.kernels.iter().any(has),
        Shown::OfNvidiaWhereAny(has) => !is_of_a_cpu(report) && !is_of_amd(report) && report.kernels.iter().any(has),
        Shown::OfAmd => is_of_amd(report),
    };
    let line = |row: &Row| [vec![row.name.to_owned()], report.kernels.iter().map(row.cell).collect()].concat();
    std::iter::once(head).chain(rows::all().filter(is_shown).map(line)).collect()
}

fn is_of_amd(report: &Report) -> bool {
    report.target.split(' ').next().and_then(|name| Target::by_name(name).ok()).is_some_and(Target::is_amd)
}

fn is_of_a_cpu(report: &Report) -> bool {
    report.target == Target::cpu().name
}
