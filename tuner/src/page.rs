//! The report of a search as one HTML file.

use singe::kernels::Kernel;
use singe::report::page::{self, Section, escaped, figure, table};

use crate::best::{HEAD, row};
use crate::picture::Picture;
use crate::tune::{Best, Record, Told};

/// The winners, and a chapter for each kernel with its pictures.
pub fn page(record: &Record, chapters: &[(Kernel, Vec<Picture>)]) -> String {
    let refused = record.trials.iter().filter(|told| told.trial.cost().is_none()).count();
    let facts = [
        ("command", record.command.clone()),
        ("version", format!("{} (program {:.12})", record.version, record.program)),
        ("target", record.target.to_owned()),
        ("times", record.times.to_owned()),
        ("candidates", format!("{}, of which {refused} give no kernel", record.trials.len())),
    ];
    let mut sections = vec![Section { id: "winners".into(), title: "Winners".into(), html: winners(record) }];
    sections.extend(chapters.iter().map(|(kernel, pictures)| chapter(record, *kernel, pictures)));
    page::page(
        &format!("{} on {}: what was tried, and what is best", record.mechanism, record.target),
        &facts,
        &sections,
    )
}

fn winners(record: &Record) -> String {
    let mut rows = vec![["kernel", "ns per point", "", "form", "layout", "settings"].map(str::to_owned).to_vec()];
    for Best { kernel, candidate, form, layout, nanoseconds, kind } in &record.best {
        let cells = [(*kernel).to_owned(), format!("{nanoseconds:.4}"), (*kind).to_owned()];
        rows.push(
            cells
                .into_iter()
                .chain([form, layout].map(|&text| text.to_owned()))
                .chain([candidate.to_string()])
                .collect(),
        );
    }
    let edges = record.edges.iter().map(|edge| {
        let then =
            if edge.tried { format!("{} was tried, too", edge.edge.beyond) } else { "beyond was not tried".into() };
        format!("<p class=\"note\">{}: {}: {}</p>\n", edge.kernel, escaped(&edge.edge.to_string()), escaped(&then))
    });
    table(&rows, &[]) + &edges.collect::<String>()
}

fn chapter(record: &Record, kernel: Kernel, pictures: &[Picture]) -> Section {
    let mut own: Vec<&Told> = record.trials.iter().filter(|told| told.trial.kernel == kernel.name()).collect();
    let time = |told: &Told| told.trial.cost().map_or(f64::INFINITY, |cost| cost.time().0);
    // The best has lost nothing; then come those that were looked at as closely, by their time.
    own.sort_by(|a, b| {
        let lost = |told: &Told| !told.why.is_empty();
        lost(a).cmp(&lost(b)).then(b.trial.level.cmp(&a.trial.level)).then(time(a).total_cmp(&time(b)))
    });
    let mut rows = vec![HEAD.iter().copied().chain(["why it lost"]).map(str::to_owned).collect::<Vec<_>>()];
    for told in &own {
        let mut cells = match told.trial.cost() {
            Some(cost) => row(told.trial, cost),
            None => std::iter::once(told.trial.candidate.to_string()).chain(vec!["-".into(); HEAD.len() - 1]).collect(),
        };
        cells.push(told.why.clone());
        rows.push(cells);
    }
    let pictures: String = pictures.iter().map(|picture| figure(&picture.svg, picture.caption)).collect();
    Section { id: kernel.name().to_owned(), title: kernel.name().to_owned(), html: pictures + &table(&rows, &[1]) }
}
