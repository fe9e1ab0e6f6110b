//! Every diagnostic id with its cause and its remedy: the rows of `docs/diagnostics.md`.

const PAGE: &str = include_str!("catalogue.md");

/// What a diagnostic means, in Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub id: &'static str,
    pub cause: &'static str,
    pub remedy: &'static str,
}

/// All entries: those about the input, then those about kernels, then those about any PTX or machine code.
pub fn entries() -> impl Iterator<Item = Entry> {
    PAGE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ");
        Some(Entry { id: cells.next()?.strip_suffix('`')?, cause: cells.next()?, remedy: cells.next()? })
    })
}

/// `docs/diagnostics.md`
pub fn page() -> &'static str {
    PAGE
}
