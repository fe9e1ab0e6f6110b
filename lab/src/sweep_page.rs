//! The page of the sweep: tables in Markdown.

use std::fmt::Write as _;

use serde_json::Value;

use crate::sweep::{CTAS, MECHANISMS, QSSA_WARPS, WARPS};

const HEAD: &str = "# The reduced mechanisms of the paper\n\n\
    DME (39 species, 175 reactions, 9 quasi-steady, 22 stiff) and n-heptane (68, 283, 16, 27) for Kepler (sm_35).\n\
    `cargo lab sweep-reduced` makes this page and `reduced.json`, `cargo lab sweep-reduced paper` only the first table.\n\n\
    ## The paper's configurations\n\n\
    Registers per thread and spill-store bytes by ptxas 11.8; `bar.sync` and `bar.arrive` that stand in the emitted source, and the\n\
    named barriers of all CTAs on an SM (of 16). *Original* is what the paper's own kernels take with the same ptxas; a dash where\n\
    nothing is known. *Chosen* is the form of `--form auto`, *pairwise* the original's algebra. *QSSA beside rates* and\n\
    *iteration* are rows of [the report](../guide/report.md): the share of the quasi-steady solution that runs beside rates as scheduled,\n\
    with a full barrier at the hand-over, and with full barriers only; and the length of an iteration in slots, in brackets if one\n\
    full barrier stood between all rates and the solution.\n\n\
    | kernel | warps × CTAs | form | registers | spill stores | original | sync / arrive | original | barriers per SM | QSSA beside rates | iteration | no worse |\n\
    |---|---|---|---|---|---|---|---|---|---|---|---|\n";

const SWEEP: &str = "\n## Every shape of a CTA\n\n\
    Pairwise form. A number is the largest error against the reference evaluator (allowed: 1e-12 for transport, the tolerance of the\n\
    chemistry kernel in `reduced.json`), of a kernel that is proven and verified; an id names the resource that is short, in the words\n\
    below. Transport kernels do not depend on `--layout qssa-warps=N`.\n";

/// The whole page; without the sweep where it has no rows.
pub fn page(published: &[Value], sweep: &[Value]) -> String {
    let mut out = HEAD.to_owned();
    for entry in published {
        for row in entry["forms"].as_array().into_iter().flatten() {
            out += &beside(&entry["original"], row);
        }
    }
    if sweep.is_empty() {
        return out;
    }
    out += SWEEP;
    for mechanism in MECHANISMS {
        for ctas in CTAS {
            out += &table(mechanism, ctas, sweep);
        }
    }
    let verified = sweep.iter().filter(|row| is_verified(row)).count();
    // Writing to a String cannot fail.
    let rest = if verified == sweep.len() { "" } else { " The others say:\n" };
    let _ = writeln!(out, "\n{verified} of {} are proven and verified.{rest}", sweep.len());
    for row in sweep.iter().filter(|row| !is_verified(row)) {
        let (warps, ctas) = (&row["warps"], &row["ctas_per_sm"]);
        let qssa_warps = row["qssa_warps"].as_u64().map_or(String::new(), |n| format!(", {n} QSSA warps"));
        let text = row["message"]["text"].as_str().unwrap_or_default();
        let _ = writeln!(
            out,
            "- {}, {warps} warps × {ctas}{qssa_warps}: {text}",
            row["mechanism"].as_str().unwrap_or_default()
        );
    }
    out
}

fn is_verified(row: &Value) -> bool {
    row["verdict"].as_str().is_some_and(|verdict| verdict.starts_with("proven, verified"))
}

fn beside(original: &Value, row: &Value) -> String {
    let mechanism = row["mechanism"].as_str().unwrap_or_default();
    let kernel = row["kernel"].as_str().unwrap_or_default();
    let qssa_warps = row["qssa_warps"].as_u64().map_or(String::new(), |n| format!(" ({n} QSSA)"));
    let asked = if row["asked_form"] == "auto" { "chosen: " } else { "" };
    let start = format!("| {mechanism} {kernel} | {} × {}{qssa_warps} | {asked}", row["warps"], row["ctas_per_sm"]);
    let Some(registers) = row["compiled"]["registers"].as_u64() else {
        let why = row["message"]["id"].as_str().unwrap_or("not compiled");
        return format!("{start}{why} | – | – | – | – | – | – | – | – | – | – |\n");
    };
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let (spills, ctas) = (number(&row["compiled"]["spill_store_bytes"]), number(&row["ctas_per_sm"]));
    let (allowed, allowed_spills) = (number(&original["registers"]), number(&original["spill_store_bytes"]));
    let pair = |value: &Value| match value["sync"].as_u64() {
        Some(sync) => format!("{sync} / {}", value["arrive"]),
        None => "–".to_owned(),
    };
    let overlap = &row["qssa_overlap"];
    let percent = |name: &str| overlap[name].as_f64().map(|share| format!("{:.0} %", 100.0 * share));
    let shares: Option<Vec<String>> =
        ["share", "share_with_full_barrier", "share_with_full_barriers"].into_iter().map(percent).collect();
    let verdict = match (registers <= allowed, spills <= allowed_spills) {
        (true, true) => "yes",
        (true, false) => "no: spills",
        (false, true) => "no: registers",
        (false, false) => "no: both",
    };
    format!(
        "{start}{} | {registers} | {spills} | {allowed}, {allowed_spills} | {} | {} | {} | {} | {} | {verdict} |\n",
        row["form"].as_str().unwrap_or_default(),
        pair(&row["static_barriers"]),
        pair(&original["barriers"]),
        ctas * number(&row["compiled"]["barriers"]),
        shares.map_or("–".to_owned(), |s| s.join(", ")),
        overlap["length"].as_u64().map_or("–".to_owned(), |own| format!("{own} ({})", overlap["length_after_rates"])),
    )
}

fn table(mechanism: &str, ctas: u32, sweep: &[Value]) -> String {
    let mut out = format!("\n### {mechanism}, {ctas} CTA{} per SM\n\n", if ctas == 1 { "" } else { "s" });
    out += "| warps | viscosity | conductivity | diffusion |";
    for qssa_warps in QSSA_WARPS {
        out += &format!(" chemistry, {qssa_warps} QSSA warp{} |", if qssa_warps == 1 { "" } else { "s" });
    }
    out += "\n|---|---|---|---|---|---|---|\n";
    for warps in WARPS {
        let here = |row: &&Value| row["mechanism"] == mechanism && row["ctas_per_sm"] == ctas && row["warps"] == warps;
        let cells: Vec<String> = sweep.iter().filter(here).map(cell).collect();
        out += &format!("| {warps} | {} |\n", cells.join(" | "));
    }
    out
}

fn cell(row: &Value) -> String {
    match row["verification"]["largest_error"].as_f64() {
        Some(error) => format!("{error:.1e}"),
        None => format!("`{}`", row["message"]["id"].as_str().unwrap_or("?")),
    }
}
