//! The report of a compilation as one page.

use super::Unit;
use super::pictures::pictures;
use crate::plan::Request;
use crate::report::page::{Section, escaped, figure, page, table};
use crate::report::{KernelReport, Report, cells, remarks};
use crate::search::Trial;
use serde::Serialize;

/// An HTML file that needs no other: the table with what stands below it, and of each kernel its pictures and what was tried.
pub fn html(request: &Request, units: &[Unit], report: &Report) -> String {
    let facts = [
        ("mechanism", format!("{}: {} species, {} reactions", report.mechanism, report.species, report.reactions)),
        ("target", report.target.clone()),
        ("code", report.codegen.clone()),
        ("units", report.units.clone()),
        ("command", report.command.clone()),
        ("made by", format!("Singe {}", env!("CARGO_PKG_VERSION"))),
    ];
    let mut sections = vec![section("report", "Report", &table(&cells(report), &[]))];
    if !report.warnings.is_empty() {
        let lines: String = report.warnings.iter().map(|w| format!("<p class=\"note\">{}</p>\n", escaped(w))).collect();
        sections.insert(0, section("warnings", "Warnings", &lines));
    }
    sections.push(section("remarks", "Clocks, layouts and forms", &preformatted(remarks(report).trim())));
    for unit in units {
        let figures: String = pictures(request, unit).iter().map(|p| figure(&p.svg, p.caption)).collect();
        let KernelReport { kernel, codegen, verdict, candidates, .. } = &unit.report;
        let shown = format!("<p>{}</p>\n", escaped(verdict));
        let id = unit.program.symbol.replace('_', "-");
        sections.push(section(&id, &format!("{kernel}, {codegen}"), &(shown + &figures + &tried(candidates))));
    }
    page(&format!("{} on {}", report.mechanism, report.target), &facts, &sections)
}

fn section(id: &str, title: &str, html: &str) -> Section {
    Section { id: id.into(), title: title.into(), html: html.into() }
}

fn preformatted(text: &str) -> String {
    format!("<pre>{}</pre>\n", escaped(text))
}

/// All candidates of a kernel, the one that was taken in green.
fn tried(trials: &[Trial]) -> String {
    let head = ["form", "points per lane", "inputs", "slots", "clocks per point", "outcome", "why"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    for Trial { points_per_lane, form, inputs, slots, score, outcome, why } in trials {
        let clocks = score.as_ref().map(|score| format!("{:.1}", score.clocks_per_point));
        rows.push(vec![
            form.clone(),
            points_per_lane.to_string(),
            or_dash(inputs.as_ref().map(word)),
            or_dash(slots.map(|slots| slots.to_string())),
            or_dash(clocks),
            word(outcome),
            why.clone(),
        ]);
    }
    let taken: Vec<usize> = trials.iter().enumerate().filter(|(_, t)| t.why.is_empty()).map(|(at, _)| at + 1).collect();
    format!("<h3>What was tried</h3>\n{}", table(&rows, &taken))
}

/// As it stands in JSON.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
