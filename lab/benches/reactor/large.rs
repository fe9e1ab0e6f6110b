//! A mechanism of 631 species, whose code takes minutes to compile: `-- --large` times it alone.

use super::*;

const SCRIPT: &str = include_str!("large.py");
const HEADING: &str = "\n## llnl_nheptane\n";

/// Its section as the page has it.
pub fn kept(page: &str) -> &str {
    let from = page.find(HEADING).map_or("", |at| &page[at..]);
    from[1.min(from.len())..].find("\n## ").map_or(from, |end| &from[..=end])
}

/// The section made anew; nothing where the mechanism or Cantera is absent.
pub fn section(root: &Path) -> Option<String> {
    let case = Case {
        name: "llnl_nheptane",
        path: "../shared/mechanisms/llnl_nheptane/chem.inp",
        fuel: "NC7H16:1",
        states: 24,
        repeats: 4,
        optimisation: "-O1",
    };
    let path = root.join(case.path);
    if !path.exists() {
        println!("skipped: {} is absent", case.path);
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder for the project");
    let Prepared { mut cantera, made, programs, .. } = prepared(&case, SCRIPT, &path, folder.path())?;
    let species = made["states"][0].as_array()?.len() - 1;
    let preconditioned = cantera.turn()?;
    let dense = cantera.rows()?;
    let ours = best((0..TURNS).map(|_| advanced(&programs.host, &case, &made, 1)).collect::<Option<_>>()?);
    let mut text = format!(
        "{HEADING}\n{species} species, {} states, {} points. Cantera {} runs with its preconditioner and with dense matrices (every sixth state), one turn. \
         Ours are compiled with\n`{}`, the best of {TURNS} turns. Y* is Cantera's with its preconditioner at 1e-11. `-- --large` makes this section.\n\
         Machine: {}.\n\n\
         | time | tolerance | preconditioned: cells/s | steps | error | dense: cells/s | steps | error | ours: cells/s | steps (rejected) | error | \
         over preconditioned | over dense |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        case.states,
        case.states * case.repeats,
        made["version"].as_str()?,
        case.optimisation,
        super::machine(),
    );
    for run in made["runs"].as_array()? {
        let seconds = run["seconds"].as_f64()?;
        let of = |rows: &[(f64, Row)]| rows_at(rows, seconds);
        text += &rows_of(&Run { seconds, cantera: of(&preconditioned), cvode: of(&dense), ours: of(&ours) });
    }
    Some(text)
}
