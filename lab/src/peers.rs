//! The kernels of other compilers beside ours, in the bound of their machine code.

use std::fmt::Write as _;

use serde_json::Value;

/// A kernel of another compiler: clocks of an SM for 32 points in the busiest part of it, counted as ours are. The original's kernels were
/// rebuilt for sm_90 with their own warps and CTAs; those of chemistry are of the reduced mechanisms.
struct Peer {
    compiler: &'static str,
    mechanism: &'static str,
    target: &'static str,
    kernel: &'static str,
    bound: f64,
}

const fn kinetix(target: &'static str, kernel: &'static str, bound: f64) -> Peer {
    Peer { compiler: "KinetiX, unrolled", mechanism: "gri30", target, kernel, bound }
}

const fn original(mechanism: &'static str, kernel: &'static str, bound: f64) -> Peer {
    Peer { compiler: "the original Singe", mechanism, target: "hopper", kernel, bound }
}

/// Makes a peer of which only the double-precision instructions are known; Hopper issues two of these in a clock.
const fn fp64(compiler: &'static str, mechanism: &'static str, kernel: &'static str, slots: f64) -> Peer {
    Peer { compiler, mechanism, target: "hopper", kernel, bound: slots / 2.0 }
}

const PEERS: [Peer; 23] = [
    kinetix("hopper", "viscosity", 5600.0),
    kinetix("hopper", "conductivity", 600.0),
    kinetix("hopper", "diffusion", 5100.0),
    kinetix("hopper", "chemistry", 8900.0),
    kinetix("ampere", "viscosity", 10400.0),
    kinetix("ampere", "conductivity", 900.0),
    kinetix("ampere", "diffusion", 7900.0),
    kinetix("ampere", "chemistry", 17800.0),
    original("dme", "viscosity", 10600.0),
    original("dme", "diffusion", 6400.0),
    original("dme, reduced", "chemistry", 8700.0),
    original("heptane", "viscosity", 30900.0),
    original("heptane", "diffusion", 29500.0),
    original("heptane, reduced", "chemistry", 13000.0),
    fp64("PelePhysics, FP64 alone", "gri30", "chemistry", 17100.0),
    fp64("pyJac, FP64 alone", "gri30", "chemistry", 26000.0),
    fp64("PelePhysics, FP64 alone", "gri30", "diffusion", 58800.0),
    fp64("KinetiX, unrolled, FP64 alone", "dme", "chemistry", 8900.0),
    fp64("PelePhysics, FP64 alone", "dme", "chemistry", 8900.0),
    fp64("pyJac, FP64 alone", "dme", "chemistry", 14400.0),
    fp64("KinetiX, unrolled, FP64 alone", "heptane", "viscosity", 16600.0),
    fp64("KinetiX, unrolled, FP64 alone", "heptane", "diffusion", 22300.0),
    fp64("KinetiX, unrolled, FP64 alone", "heptane", "chemistry", 12300.0),
];

/// A table: each of these kernels beside the layout of ours that takes least modelled time.
pub fn table(rows: &[Value]) -> String {
    let mut out = "\n## Beside other compilers\n\n\
        Clocks of an SM for 32 points in the busiest part, and how often ours fits into theirs. Ours is the layout with the least modelled\n\
        time. FP64 alone: of that kernel no more was counted than double-precision instructions, so that its bound is no less.\n\n\
        | mechanism | kernel | target | compiler | its bound | our layout | our bound | theirs / ours |\n\
        |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for peer in PEERS {
        let Some(ours) = fastest(rows, peer.mechanism, peer.target, peer.kernel) else { continue };
        let bound = ours["bound"].as_f64().unwrap_or(f64::NAN);
        let (Peer { compiler, mechanism, target, kernel, bound: theirs }, layout) = (peer, &ours["layout"]);
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {mechanism} | {kernel} | {target} | {compiler} | {theirs:.0} | {} | {bound:.0} | {:.1} |",
            layout.as_str().unwrap_or_default(),
            theirs / bound
        );
    }
    out
}

/// Returns the layout of a kernel that takes least modelled time.
fn fastest<'a>(rows: &'a [Value], mechanism: &str, target: &str, kernel: &str) -> Option<&'a Value> {
    let time = |row: &&Value| row["modelled_ns"].as_f64();
    rows.iter()
        .filter(|row| row["mechanism"] == mechanism && row["target"] == target && row["kernel"] == kernel)
        .filter(|row| time(row).is_some())
        .min_by(|a, b| time(a).unwrap_or(f64::MAX).total_cmp(&time(b).unwrap_or(f64::MAX)))
}
