//! Pages of figures whose sections are made one by one.

/// The page with a section in the place of the one of that heading (`\n## ...\n`), or at its end.
pub fn with_section(page: &str, heading: &str, section: &str) -> String {
    let begin = page.find(heading).unwrap_or(page.len());
    let rest = page[begin..].get(heading.len()..).unwrap_or_default();
    let end = rest.find("\n## ").map_or(page.len(), |at| begin + heading.len() + at);
    format!("{}{heading}{section}{}", &page[..begin], &page[end..])
}
