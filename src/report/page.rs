//! Reports as one HTML file: no scripts, and nothing from elsewhere.

use handlebars::Handlebars;
use serde::Serialize;
use toolkit::picture::svg::escaped;

/// One chapter of a page.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    /// Name of the section in links: unique on the page, letters, digits and hyphens.
    pub id: String,
    pub title: String,
    /// Its content, as HTML.
    pub html: String,
}

/// Contents of the frame.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    facts: &'a [(&'a str, String)],
    sections: &'a [Section],
    linked: bool,
}

/// A page: its title, facts as (name, text), and its chapters with links to them. Titles and facts are plain texts.
pub fn page(title: &str, facts: &[(&str, String)], sections: &[Section]) -> String {
    let mut frame = Handlebars::new();
    frame.set_strict_mode(true);
    frame.register_escape_fn(escaped);
    let page = Page { title, facts, sections, linked: sections.len() > 1 };
    frame.render_template(include_str!("../../templates/report.html.hbs"), &page).expect("tests fill the frame")
}

/// A picture as a figure: an SVG document stands in the page itself.
pub fn figure(svg: &str, caption: &str) -> String {
    // A document in a document has no declaration.
    let inner = svg.find("<svg").map_or("", |start| &svg[start..]);
    format!("<figure>{inner}<figcaption>{}</figcaption></figure>\n", escaped(caption))
}

/// A table of plain texts; the first row is its head, and the rows named in `best` stand out. Columns of numbers are flush right.
pub fn table(rows: &[Vec<String>], best: &[usize]) -> String {
    // A dash in place of a number does not make a column one of text.
    let is_number = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || "-–".contains(c));
    let is_text = |column: usize| rows.iter().skip(1).any(|row| row.get(column).is_some_and(|cell| !is_number(cell)));
    let line = |cells: &[String], tag: &str| -> String {
        let cell = |(column, cell): (usize, &String)| {
            let class = if is_text(column) { " class=\"text\"" } else { "" };
            format!("<{tag}{class}>{}</{tag}>", escaped(cell))
        };
        cells.iter().enumerate().map(cell).collect()
    };
    let body = rows.iter().enumerate().map(|(number, cells)| match number {
        0 => format!("<tr>{}</tr>\n", line(cells, "th")),
        n if best.contains(&n) => format!("<tr class=\"best\">{}</tr>\n", line(cells, "td")),
        _ => format!("<tr>{}</tr>\n", line(cells, "td")),
    });
    format!("<div class=\"wide\"><table>\n{}</table></div>\n", body.collect::<String>())
}

/// A table of rows that each begin with a name, with few enough columns to fit on a page: the others follow below. Rows of which
/// nothing is known are left out.
pub fn tables(rows: &[Vec<String>]) -> String {
    let Some((head, lines)) = rows.split_first() else { return String::new() };
    let columns: Vec<usize> = (1..head.len()).collect();
    let part = |columns: &[usize]| {
        let of = |row: &Vec<String>| -> Vec<String> {
            std::iter::once(&row[0]).chain(columns.iter().map(|&column| &row[column])).cloned().collect()
        };
        let known = lines.iter().map(of).filter(|row| row.iter().skip(1).any(|cell| !is_unknown(cell)));
        table(&std::iter::once(of(head)).chain(known).collect::<Vec<_>>(), &[])
    };
    columns.chunks(MOST_COLUMNS).map(part).collect()
}

/// Returns the rows without the columns whose cells are all unknown.
pub fn known_columns(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let is_known = |column: usize| rows.iter().skip(1).any(|row| row.get(column).is_some_and(|cell| !is_unknown(cell)));
    let of = |row: &Vec<String>| -> Vec<String> {
        row.iter().enumerate().filter(|(at, _)| is_known(*at)).map(|(_, cell)| cell.clone()).collect()
    };
    rows.iter().map(of).collect()
}

/// Returns a section that opens when a reader asks for it.
pub fn folded(title: &str, html: &str) -> String {
    format!("<details><summary>{}</summary>\n{html}</details>\n", escaped(title))
}

/// Returns a box with the lines that a reader must not miss.
pub fn note(lines: &[String]) -> String {
    let lines: String = lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line))).collect();
    if lines.is_empty() { lines } else { format!("<ul class=\"note\">\n{lines}</ul>\n") }
}

/// Columns beside each other, besides the names of the rows.
const MOST_COLUMNS: usize = 4;

fn is_unknown(cell: &str) -> bool {
    matches!(cell, "" | "-" | "–")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_contents_are_not() {
        let section = Section { id: "a".into(), title: "x < y".into(), html: table(&[vec!["<b>".into()]], &[]) };
        let text = page("\"R&D\"", &[("command", "a > b".into())], &[section.clone(), section]);
        assert!(text.contains("x &lt; y") && text.contains("R&amp;D") && text.contains("a &gt; b"), "{text}");
        assert!(text.contains("<table>") && text.contains("<th>&lt;b&gt;</th>"), "{text}");
        assert!(text.ends_with("</html>\n"));
    }

    #[test]
    fn texts_are_flush_left() {
        let rows = [["kernel", "ns"], ["viscosity", "1.5"], ["-", "-"]].map(|row| row.map(str::to_owned).to_vec());
        let html = table(&rows, &[1]);
        assert!(html.contains("<tr class=\"best\"><td class=\"text\">viscosity</td><td>1.5</td></tr>"), "{html}");
        assert!(html.contains("<th class=\"text\">kernel</th><th>ns</th>"), "{html}");
    }

    #[test]
    fn wide_tables_go_on_below_without_what_nobody_knows() {
        let row = |name: &str, cell: &str| [vec![name.to_owned()], vec![cell.to_owned(); 5]].concat();
        let html = tables(&[row("", "k"), row("form", "exact"), row("spills", "-")]);
        assert_eq!((html.matches("<table>").count(), html.matches(">form<").count()), (2, 2), "{html}");
        assert!(html.matches(">exact<").count() == 5 && !html.contains("spills"), "{html}");
        assert_eq!(known_columns(&[vec!["a".into(), "b".into()], vec!["-".into(), "1".into()]]), [["b"], ["1"]]);
    }

    #[test]
    fn notes_share_a_box() {
        assert_eq!(note(&["a".into(), "b < c".into()]).matches("class=\"note\"").count(), 1);
        assert_eq!(note(&[]), "");
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let text = page("empty", &[], &[]);
        assert!(!text.contains("<script") && !text.contains("http") && !text.contains("<nav>"), "{text}");
    }

    #[test]
    fn a_picture_loses_its_declaration() {
        let html = figure("<?xml version=\"1.0\"?>\n<svg><path/></svg>", "time & registers");
        assert!(html.starts_with("<figure><svg><path/></svg><figcaption>time &amp; registers"), "{html}");
    }
}
