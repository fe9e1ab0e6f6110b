//! The report of a search as one HTML file.

use kernels::Kernel;
use singe::report::page::{self, Section, figure, folded, known_columns, note, table};

use toolkit::picture::svg::escaped;

use crate::best::{head, row};
use crate::picture::Picture;
use crate::tune::{Best, KernelEdge, Record};
use crate::why::TrialOutcome;

/// Candidates of a kernel that stand open to view; the others are folded.
const SHOWN: usize = 10;

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
    let mut rows =
        vec![["kernel", "ns per point", "", "against auto", "form", "layout", "settings"].map(str::to_owned).to_vec()];
    for Best { kernel, candidate, form, layout, nanoseconds, kind, percent_against_auto, .. } in &record.best {
        let against = percent_against_auto.map_or("-".to_owned(), |percent| format!("{percent:+.1} %"));
        let cells = [(*kernel).to_owned(), format!("{nanoseconds:.4}"), (*kind).to_owned(), against];
        rows.push(
            cells
                .into_iter()
                .chain([form, layout].map(|&text| text.to_owned()))
                .chain([candidate.to_string()])
                .collect(),
        );
    }
    table(&rows, &[]) + &edges(record.edges)
}

/// Where the best lay on the edge of what was tried: in a box where nothing beyond was tried, else in a sentence.
fn edges(edges: &[KernelEdge]) -> String {
    let told = |edge: &KernelEdge| format!("{}: {}; {} was not tried", edge.kernel, edge.edge, edge.edge.beyond);
    let open: Vec<String> = edges.iter().filter(|edge| !edge.tried).map(told).collect();
    let mut beyond: Vec<String> = Vec::new();
    for edge in edges.iter().filter(|edge| edge.tried) {
        let text = format!("{} {}={}", edge.kernel, edge.edge.flag, edge.edge.beyond);
        if !beyond.contains(&text) {
            beyond.push(text);
        }
    }
    let beyond = match beyond.is_empty() {
        true => String::new(),
        false => format!(
            "<p>The best lay on the edge of the grid, so values beyond it were tried, too: {}.</p>\n",
            escaped(&beyond.join(", "))
        ),
    };
    note(&open) + &beyond
}

fn chapter(record: &Record, kernel: Kernel, pictures: &[Picture]) -> Section {
    let mut own: Vec<&TrialOutcome> = record.trials.iter().filter(|told| told.trial.kernel == kernel.name()).collect();
    let time = |told: &TrialOutcome| told.trial.cost().map_or(f64::INFINITY, |cost| cost.time().0);
    // The best has lost nothing; then come those that were looked at as closely, by their time.
    own.sort_by(|a, b| {
        let lost = |told: &TrialOutcome| !told.why.is_empty();
        lost(a).cmp(&lost(b)).then(b.trial.level.cmp(&a.trial.level)).then(time(a).total_cmp(&time(b)))
    });
    let head = head(record.is_cpu());
    let mut rows = vec![head.iter().copied().chain(["why it lost"]).map(str::to_owned).collect::<Vec<_>>()];
    for told in &own {
        let mut cells = match told.trial.cost() {
            Some(cost) => row(told.trial, cost, record.is_cpu()),
            None => std::iter::once(told.trial.candidate.to_string()).chain(vec!["-".into(); head.len() - 1]).collect(),
        };
        cells.push(told.why.clone());
        rows.push(cells);
    }
    let rows = known_columns(&rows);
    let shown = table(&rows[..rows.len().min(SHOWN + 1)], &[1]);
    let others = match rows.get(SHOWN + 1..) {
        None | Some([]) => String::new(),
        Some(rest) => {
            let rest: Vec<Vec<String>> = rows[..1].iter().chain(rest).cloned().collect();
            folded(&format!("{} more candidates", rest.len() - 1), &table(&rest, &[]))
        }
    };
    let pictures: String = pictures.iter().map(|picture| figure(&picture.svg, picture.caption)).collect();
    Section { id: kernel.name().to_owned(), title: kernel.name().to_owned(), html: shown + &pictures + &others }
}
