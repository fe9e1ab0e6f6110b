//! The measurements, as the end of docs/lab/occupancy.md.

use super::TARGETS;
use super::measured::Measured;
use passes::occupancy::Direction;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Heading behind which the page is generated.
pub const BEGIN: &str = "## What it gives\n";

pub fn text(rows: &[Measured]) -> String {
    let mut text = format!(
        "{BEGIN}\nMade by `cargo bench -p singe-warpsim --bench occupancy -- --write`, in modelled cycles of one SM for the machine code \
         that ptxas makes. Every version left the same values in memory as the kernel, as PTX and as machine code.\n\n"
    );
    summary(&mut text, rows);
    sweep(&mut text, rows);
    for target in TARGETS {
        table(&mut text, target, rows.iter().filter(|row| row.target == target));
    }
    text
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    mean(values.map(f64::ln)).exp()
}

/// Returns the percentage by which the choice is slower than the best of all levels; negative if padding gave a level of its own.
fn behind(row: &Measured) -> f64 {
    100.0 * (row.chosen.cycles / row.best() - 1.0)
}

/// Returns the percentage of resident threads' registers that the choice saves against ptxas's version of the original kernel.
fn saved(row: &Measured) -> f64 {
    let held = |ctas: u32, registers: u32| f64::from(ctas) * f64::from(registers);
    100.0 * (1.0 - held(row.chosen.ctas, row.chosen.registers) / held(row.default.ctas, row.default.registers))
}

/// Whether the kernel is tuned downwards: only then are fewer registers at equal time reported.
fn is_downward(row: &&Measured) -> bool {
    row.direction == Direction::Decreasing
}

fn summary(text: &mut String, rows: &[Measured]) {
    let kernels: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let upward = || rows.iter().filter(|row| row.direction == Direction::Increasing);
    let downward = || rows.iter().filter(is_downward);
    let close = rows.iter().filter(|row| behind(row) <= 3.0).count();
    let most = rows.iter().map(|row| row.versions).max().unwrap_or(0);
    let far = rows.iter().max_by(|a, b| behind(a).total_cmp(&behind(b)));
    let far = far.map_or(String::new(), |row| format!("{:.1} % ({} on {})", behind(row), row.name, row.target));
    let _ = writeln!(
        text,
        "{} kernels on {} targets, {} cases, of which max-live sends {} upwards and {} downwards.\n\n\
         | figure | here | paper |\n|---|--:|--:|",
        kernels.len(),
        TARGETS.len(),
        rows.len(),
        upward().count(),
        downward().count()
    );
    let mut line = |what: &str, here: String, paper: &str| {
        let _ = writeln!(text, "| {what} | {here} | {paper} |");
    };
    line("cases within 3 % of the best of all levels", format!("{close} of {}", rows.len()), "\"close\"");
    line("mean distance from the best level", format!("{:.2} %", mean(rows.iter().map(behind))), "");
    line("largest distance from the best level", far, "");
    line("versions with code of their own, at most", most.to_string(), "5");
    line("versions, mean", format!("{:.2}", mean(rows.iter().map(|row| row.versions as f64))), "");
    line("iterations to settle, mean", format!("{:.2}", mean(rows.iter().map(|row| row.iterations as f64))), "about 3");
    let worst = |row: &Measured| row.worst() / row.chosen.cycles;
    line("speedup over the worst level, geometric mean", format!("{:.2}", geometric(rows.iter().map(worst))), "");
    let most = rows.iter().map(worst).fold(0.0, f64::max);
    line("speedup over the worst level, largest", format!("{most:.2}"), "about 3");
    let default = |row: &Measured| row.default.cycles / row.chosen.cycles;
    line(
        "speedup over ptxas' level, upwards",
        format!("{:.3}", geometric(upward().map(default))),
        "1.262 (C2075), 1.249 (GTX680)",
    );
    line("speedup over ptxas' level, downwards", format!("{:.3}", geometric(downward().map(default))), "1.032");
    let most = rows.iter().map(default).fold(0.0, f64::max);
    line("speedup over ptxas' level, largest", format!("{most:.2}"), "1.61");
    line("resident registers saved downwards, mean", format!("{:.1} %", mean(downward().map(saved))), "19.17 %");
    let most = downward().map(saved).fold(0.0, f64::max);
    line("resident registers saved downwards, most", format!("{most:.1} %"), "62.5 %");
    let mut assembled: BTreeMap<&str, usize> = BTreeMap::new();
    for (release, count) in rows.iter().flat_map(|row| &row.assembled) {
        *assembled.entry(release).or_default() += count;
    }
    let list: Vec<String> = assembled.iter().map(|(release, count)| format!("{count} by ptxas {release}")).collect();
    let _ = writeln!(text, "\nptxas accepted every level: {}.", list.join(", "));
}

fn sweep(text: &mut String, rows: &[Measured]) {
    let dips: Vec<&Measured> = rows.iter().filter(|row| row.dip.is_some()).collect();
    let most = dips.iter().flat_map(|row| &row.levels).map(|level| level.ctas).max().unwrap_or(0);
    if most == 0 {
        return;
    }
    *text += "\n### Kernels whose best level is known\n\nMade so that at 6, 5, 4 and 3 CTAs of 256 threads per SM nothing is spilled any \
              more, and one CTA less hides less latency. Cycles at each level; in parentheses bytes per thread that are spilled, the \
              least time in bold.\n\n![cycles over CTAs per SM](occupancy.svg)\n\n| kernel | target |";
    for ctas in 1..=most {
        let _ = write!(text, " {ctas} |");
    }
    let _ = writeln!(text, " chosen |\n|---|---|{}", "--:|".repeat(most as usize + 1));
    for row in dips {
        let _ = write!(text, "| {} | {} |", row.name, row.target);
        for ctas in 1..=most {
            let cell = row.levels.iter().find(|level| level.ctas == ctas).map_or(String::new(), |level| {
                let spilled = if level.spilled > 0 { format!(" ({})", level.spilled) } else { String::new() };
                match row.best_ctas() == ctas {
                    true => format!("**{:.0}**{spilled}", level.cycles),
                    false => format!("{:.0}{spilled}", level.cycles),
                }
            });
            let _ = write!(text, " {cell} |");
        }
        let _ = writeln!(text, " {} |", row.chosen.ctas);
    }
}

fn table<'a>(text: &mut String, target: &str, rows: impl Iterator<Item = &'a Measured>) {
    let _ = write!(
        text,
        "\n### {target}\n\nResident warps of the best of all levels, of the choice and of the kernel as ptxas makes it; registers per \
         thread of the last two.\n\n| kernel | max-live | direction | levels | best | chosen | ptxas | registers | cycles chosen | \
         over best | worst / chosen | ptxas / chosen | versions | iterations |\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for row in rows {
        let Measured { name, max_live, warps_per_cta, chosen, default, versions, iterations, .. } = row;
        let direction = match row.direction {
            Direction::Increasing => "up",
            Direction::Decreasing => "down",
        };
        let refused = if row.refused > 0 { format!(" of {}", row.levels.len() + row.refused) } else { String::new() };
        let warps = |ctas: u32| ctas * warps_per_cta;
        let _ = writeln!(
            text,
            "| {name} | {max_live} | {direction} | {}{refused} | {} | {} | {} | {} / {} | {:.0} | {:.1} % | {:.2} | {:.3} | {versions} | {iterations} |",
            row.levels.len(),
            warps(row.best_ctas()),
            warps(chosen.ctas),
            warps(default.ctas),
            chosen.registers,
            default.registers,
            chosen.cycles,
            behind(row),
            row.worst() / chosen.cycles,
            default.cycles / chosen.cycles,
        );
    }
}
