//! The report of a compilation as one page.

use super::Unit;
use super::pictures::pictures;
use crate::plan::Request;
use crate::report::page::{Section, figure, folded, known_columns, note, page, table, tables};
use crate::report::{KernelReport, Report, cells, forms, grounds, layouts, levels, shares, summary};
use crate::search::Trial;
use serde::Serialize;
use toolkit::picture::svg::escaped;

/// An HTML file that needs no other: first a summary, then of each kernel its pictures and what was tried, last every figure.
pub fn html(request: &Request, units: &[Unit], report: &Report) -> String {
    let facts = [
        ("mechanism", format!("{}: {} species, {} reactions", report.mechanism, report.species, report.reactions)),
        ("target", report.target.clone()),
        ("code", report.codegen.clone()),
        ("units", report.units.clone()),
        ("command", report.command.clone()),
        ("made by", format!("Singe {}", env!("CARGO_PKG_VERSION"))),
    ];
    let mut sections = vec![section("summary", "Summary", &(tables(&summary(report)) + &paragraphs(&grounds(report))))];
    if !report.warnings.is_empty() {
        sections.push(section("warnings", "Warnings", &note(&report.warnings)));
    }
    for unit in units {
        let figures: String = pictures(request, unit).iter().map(|p| figure(&p.svg, p.caption)).collect();
        let KernelReport { verdict, candidates, codegen, .. } = &unit.report;
        let shown = format!("<p>{codegen} code; {}</p>\n", escaped(verdict));
        let id = unit.program.symbol.replace('_', "-");
        let html = shown + &figures + &choices(&unit.report) + &folded("All candidates, in order", &tried(candidates));
        sections.push(section(&id, &unit.report.title(), &html));
    }
    let clocks = match shares(&report.kernels) {
        rows if rows[0].len() > 1 => format!("<h3>Clocks by cause</h3>\n{}", tables(&rows)),
        _ => String::new(),
    };
    sections.push(section("figures", "Every figure", &(tables(&cells(report)) + &clocks)));
    page(&format!("{} on {}", report.mechanism, report.target), &facts, &sections)
}

fn section(id: &str, title: &str, html: &str) -> Section {
    Section { id: id.into(), title: title.into(), html: html.into() }
}

/// Each line of a text as a paragraph.
fn paragraphs(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.map(|line| format!("<p>{}</p>\n", escaped(line))).collect()
}

/// The layouts, levels of occupancy and forms between which the compiler chose.
fn choices(kernel: &KernelReport) -> String {
    let one = |title: &str, (rows, chosen): (Vec<Vec<String>>, Option<usize>)| match rows.len() {
        // A choice of one is none.
        0..=2 => String::new(),
        _ => format!("<h3>{title}</h3>\n{}", table(&known_columns(&rows), chosen.as_slice())),
    };
    one("Layouts, ns per point", layouts(kernel))
        + &one("Levels of occupancy", levels(kernel))
        + &one("Forms, counted for one point before scheduling", forms(kernel))
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
    table(&known_columns(&rows), &taken)
}

/// As it stands in JSON.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
