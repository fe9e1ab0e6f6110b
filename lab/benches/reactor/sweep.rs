//! Random states of ignitions, flames, quenched products and mixtures: none may fail.

use super::*;

const STATES: &str = include_str!("sweep.py");

/// States for each of five pressures.
const COUNT: usize = 200;

/// The section of the page, by the programs of gri30. A point of ours that fails ends the program.
pub fn section(of: &Prepared) -> Option<String> {
    let case = Case { name: "gri30", path: "", fuel: "CH4:1", states: COUNT, repeats: 1, optimisation: "" };
    let (_, batches) = Cantera::begun(STATES, &of.yaml, &case)?;
    let batches = batches.as_array()?;
    let mut text = format!(
        "\n## Random states\n\ngri30 has {COUNT} states at each pressure, with equivalence ratios 0.1 to 10. They are ignitions, flames (fresh and burnt gas mixed), burnt gas that is \
         quenched, and\nmixtures of any species. The last have any temperature between 300 and 2500 K. None of ours failed at any tolerance from 1e-3 to \
         1e-8.\n\n| pressure | time | Cantera: failed | ours: steps at 1e-6 (rejected) |\n|---:|---:|---:|---:|\n"
    );
    for batch in batches {
        let rows = advanced(&of.programs.host, &case, batch, 1)?;
        for of_cantera in batch["runs"].as_array()? {
            let seconds = of_cantera["seconds"].as_f64()?;
            let (_, own) = rows.iter().find(|(time, row)| *time == seconds && row.tolerance == 1e-6)?;
            let atmospheres = batch["pressure"].as_f64()? / 101_325.0;
            let failed = &of_cantera["failed"];
            let _ = writeln!(
                text,
                "| {atmospheres:.1} atm | {seconds:e} s | {failed} | {:.1} ({:.1}) |",
                own.steps, own.rejected
            );
        }
    }
    Some(text)
}
