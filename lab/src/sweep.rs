//! The sweep over the published reduced mechanisms: every kernel in many shapes of a CTA is proven and verified, or refused
//! with the resource that is short; and the paper's configurations beside what the original's kernels take.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::sweep_page;
use xtask::{compiler, pages};

pub const MECHANISMS: [&str; 2] = ["dme", "heptane"];
pub const WARPS: [u32; 8] = [4, 8, 10, 12, 13, 15, 16, 20];
pub const QSSA_WARPS: [u32; 3] = [1, 2, 4];
pub const CTAS: [u32; 3] = [1, 2, 3];

/// One kernel to compile.
#[derive(Clone)]
struct Case {
    mechanism: &'static str,
    kernel: &'static str,
    warps: u32,
    /// Chemistry only: transport kernels solve for no quasi-steady species.
    qssa_warps: Option<u32>,
    ctas: u32,
    form: &'static str,
    /// With the real compilers, and the emitted text counted.
    measured: bool,
}

/// The configurations of the paper's table, with registers and spill-store bytes of the original's code by ptxas 11.8 for
/// sm_35, and its bar.sync and bar.arrive where they are known.
struct Published {
    mechanism: &'static str,
    kernel: &'static str,
    warps: u32,
    qssa_warps: Option<u32>,
    ctas: u32,
    registers: u32,
    spills: u32,
    barriers: Option<(u32, u32)>,
}

#[rustfmt::skip]
const PUBLISHED: [Published; 6] = [
    Published { mechanism: "dme", kernel: "viscosity", warps: 15, qssa_warps: None, ctas: 3, registers: 40, spills: 0, barriers: None },
    Published { mechanism: "dme", kernel: "diffusion", warps: 10, qssa_warps: None, ctas: 3, registers: 64, spills: 0, barriers: None },
    Published { mechanism: "dme", kernel: "chemistry", warps: 8, qssa_warps: Some(4), ctas: 2, registers: 128, spills: 220, barriers: Some((58, 12)) },
    Published { mechanism: "heptane", kernel: "viscosity", warps: 13, qssa_warps: None, ctas: 3, registers: 48, spills: 0, barriers: None },
    Published { mechanism: "heptane", kernel: "diffusion", warps: 13, qssa_warps: None, ctas: 3, registers: 48, spills: 8, barriers: None },
    Published { mechanism: "heptane", kernel: "chemistry", warps: 16, qssa_warps: Some(2), ctas: 1, registers: 128, spills: 16, barriers: Some((30, 18)) },
];

/// Compiles all of them, or only the paper's configurations, on all processors; writes `docs/lab/reduced.md` and
/// `docs/lab/reduced.json`.
///
/// Errors: the mechanisms are absent, the compiler cannot be built or run, or the files cannot be written.
pub fn write(root: &Path, all: bool) -> Result<(), String> {
    let mechanisms = root.join("../shared/mechanisms");
    if !mechanisms.is_dir() {
        return Err(format!("{} is absent: nothing to sweep", mechanisms.display()));
    }
    let compiler = compiler::built(root)?;
    let published = run_all(&compiler, &mechanisms, &published_cases())?;
    let beside: Vec<Value> = published
        .chunks(2)
        .zip(&PUBLISHED)
        .map(|(forms, p)| {
            let barriers = p.barriers.map(|(sync, arrive)| json!({ "sync": sync, "arrive": arrive }));
            json!({ "original": { "registers": p.registers, "spill_store_bytes": p.spills, "barriers": barriers }, "forms": forms })
        })
        .collect();
    let sweep = if all { run_all(&compiler, &mechanisms, &sweep_cases())? } else { last_sweep(root) };
    pages::write(root, "reduced.md", &sweep_page::page(&beside, &sweep))?;
    let lines = |rows: &[Value]| rows.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n");
    pages::write(
        root,
        "reduced.json",
        &format!("{{\"published\": [\n{}\n], \"sweep\": [\n{}\n]}}\n", lines(&beside), lines(&sweep)),
    )
}

/// The rows of the last sweep over all shapes; none where there was no sweep.
fn last_sweep(root: &Path) -> Vec<Value> {
    pages::last(root, "reduced.json")["sweep"].as_array().cloned().unwrap_or_default()
}

/// Each configuration in the pairwise form, and in the one that the compiler chooses.
fn published_cases() -> Vec<Case> {
    let case = |p: &Published, form| Case {
        mechanism: p.mechanism,
        kernel: p.kernel,
        warps: p.warps,
        qssa_warps: p.qssa_warps,
        ctas: p.ctas,
        form,
        measured: true,
    };
    PUBLISHED.iter().flat_map(|p| [case(p, "pairwise"), case(p, "auto")]).collect()
}

fn sweep_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mechanism in MECHANISMS {
        for warps in WARPS {
            for ctas in CTAS {
                let case = |kernel, qssa_warps| Case {
                    mechanism,
                    kernel,
                    warps,
                    qssa_warps,
                    ctas,
                    form: "pairwise",
                    measured: false,
                };
                cases.extend(["viscosity", "conductivity", "diffusion"].map(|kernel| case(kernel, None)));
                cases.extend(QSSA_WARPS.map(|warps| case("chemistry", Some(warps))));
            }
        }
    }
    cases
}

/// The rows of the cases, in their order, with a progress bar.
fn run_all(compiler: &Path, mechanisms: &Path, cases: &[Case]) -> Result<Vec<Value>, String> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(vec![Value::Null; cases.len()]);
    let bar = pages::bar(cases.len());
    bar.tick();
    let work = || -> Result<(), String> {
        while let Some((n, case)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, cases.get(n)?))) {
            let row = run(compiler, mechanisms, case)?;
            rows.lock().map_err(|_| "another thread failed")?[n] = row;
            bar.inc(1);
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|t| t.join().map_err(|_| "a thread failed".to_owned())?)
    })?;
    bar.finish_and_clear();
    rows.into_inner().map_err(|_| "a thread failed".to_owned())
}

fn run(compiler: &Path, mechanisms: &Path, case: &Case) -> Result<Value, String> {
    let qssa_warps = case.qssa_warps.map(|n| n.to_string());
    let name = format!(
        "{}-{}-{}-{}-{}-{}",
        case.mechanism,
        case.kernel,
        case.warps,
        qssa_warps.as_deref().unwrap_or("0"),
        case.ctas,
        case.form
    );
    let folder = compiler.with_file_name("sweep-reduced").join(name);
    let mut command = Command::new(compiler);
    command.arg(mechanisms.join(case.mechanism).join("chem.inp"));
    command.args(["--kernel", case.kernel, "--warps", &case.warps.to_string(), "--form", case.form]);
    command.args(["--ctas-per-sm", &case.ctas.to_string(), "--target", "kepler", "--codegen", "overlay", "--json"]);
    if let Some(qssa_warps) = &qssa_warps {
        command.args(["--layout", &format!("qssa-warps={qssa_warps}")]);
    }
    command.args(if case.measured { ["--emit", "cuda,report"] } else { ["--emit", "report"] });
    if !case.measured {
        command.args(["--verify", "no-compilers"]);
    }
    let output = command.arg("-o").arg(&folder).output().map_err(|e| format!("singe cannot be run: {e}"))?;
    let mut row = json!({
        "mechanism": case.mechanism,
        "kernel": case.kernel,
        "warps": case.warps,
        "qssa_warps": case.qssa_warps,
        "ctas_per_sm": case.ctas,
        "asked_form": case.form,
        "exit": output.status.code(),
    });
    if output.status.success() {
        let data: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("the report is no JSON: {e}"))?;
        let kernel = &data["kernels"][0];
        for key in ["form", "verdict", "verification", "compiled", "placement", "phases", "barriers", "named_barriers"]
        {
            row[key] = kernel[key].clone();
        }
        row["qssa_overlap"] = kernel["qssa_overlap"].clone();
        if case.measured {
            let file = folder.join(format!("{}_{}.cu", case.mechanism, case.kernel));
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            row["static_barriers"] = json!({
                "sync": text.matches(" barrier_sync<").count(),
                "arrive": text.matches(" barrier_arrive<").count(),
            });
        }
    } else {
        row["message"] = message(&output.stderr);
    }
    Ok(row)
}

/// The first diagnostic that was printed: its id stands alone in the first line, its text behind a cross and bars.
pub fn message(printed: &[u8]) -> Value {
    let printed = String::from_utf8_lossy(printed);
    let mut lines = printed.lines();
    let id = lines.next().unwrap_or_default().trim();
    let text: Vec<&str> = lines
        .skip_while(|line| line.trim().is_empty())
        .map_while(|line| ["  x ", "  | ", "  × ", "  │ "].iter().find_map(|mark| line.strip_prefix(mark)))
        .map(str::trim)
        .collect();
    json!({ "id": id, "text": text.join(" ") })
}
