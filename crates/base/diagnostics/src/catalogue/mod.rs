//! Every diagnostic id with its cause and its remedy: the source of `docs/diagnostics.md`.

mod entry;
mod input;
mod kernel;
mod ptx;

use std::fmt::Write as _;

pub use entry::Entry;

/// All entries: those about the input, then those about kernels, then those about any PTX or machine code, each sorted by id.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    input::ENTRIES.iter().chain(&kernel::ENTRIES).chain(&ptx::ENTRIES)
}

/// `docs/diagnostics.md`
pub fn page() -> String {
    let mut text = String::from(
        "# Diagnostics\n\n\
         Every message of Singe has one of these ids. `singe check MECHANISM` prints all that concern a mechanism at once,\n\
         `--json` prints them for scripts, and `--permissive` turns those with an obvious repair into warnings.\n\
         This page is made from `crates/base/diagnostics/src/catalogue`; a test compares the two.\n",
    );
    let groups = [
        ("The input", &input::ENTRIES[..]),
        ("The kernels", &kernel::ENTRIES[..]),
        ("Any PTX or machine code", &ptx::ENTRIES[..]),
    ];
    for (title, entries) in groups {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## {title}\n\n| id | cause | remedy |\n|---|---|---|\n");
        for Entry { id, cause, remedy } in entries {
            let _ = writeln!(text, "| `{id}` | {cause} | {remedy} |");
        }
    }
    text
}
