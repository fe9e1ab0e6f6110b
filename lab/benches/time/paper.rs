//! The configurations of the paper, beside what was published of them.

use std::fmt::Write as _;
use std::path::Path;

use super::agreement::{mean_error, tau};
use super::{compiled, request};
use kernels::{Form, Kernel};
use mechanism::Companion;
use overlay::Codegen;
use singe::driver::Request;
use singe::report::KernelReport;

const HEAD: &str = "# The paper's kernels on the paper's boards

The paper is Bauer, Treichler and Aiken, \"Singe: Leveraging Warp Specialization for High Performance on GPUs\" (PPoPP 2014). Its section 6
measured the original compiler's kernels on a Tesla C2070 (fermi) and a Tesla K20c (kepler). Here are our kernels in the paper's form
(`--form pairwise`) in the same configurations. For the K20c they have the time that the full model predicts for their machine code. For the
C2070 they have the estimate from counts of PTX, as nothing assembles for it any more. Ours are not the same kernels, and we measured nothing
here. Figures are millions of points per second at 128³ points.
`cargo bench --bench time -- paper --write` writes this page.

## The original's own kernels

The model of time ran the machine code of the original's programs ([how](time.md#kernels-that-others-measured)) for the K20c. Figures are millions of points per
second. The mean error is 12 %, and Kendall's tau 0.93.

| kernel | published | modelled | modelled / published |
|---|--:|--:|--:|
| DME viscosity | 17.061 | 17.748 | 1.04 |
| DME diffusion | 24.944 | 27.553 | 1.10 |
| DME chemistry | 7.350 | 7.418 | 1.01 |
| n-heptane viscosity | 5.808 | 4.840 | 0.83 |
| n-heptane diffusion | 7.887 | 9.180 | 1.16 |
| n-heptane chemistry | 4.859 | 5.723 | 1.18 |
| PRF viscosity | 0.936 | 0.894 | 0.96 |
| PRF diffusion | 1.161 | 1.441 | 1.24 |
";

/// Folders, where the mechanisms in them come from, and the SHA-256 of their files.
const SOURCES: [(&str, &str, [&str; 3]); 2] = [
    (
        "dme",
        "39 species, DME and air: Zhaoyu Luo and Tianfeng Lu, University of Connecticut",
        [
            "5f414dba6a7b210f5b2a9cdd3caa28f0243819593250b3129dd61ae541a0f31b",
            "cdc957be3d7edbe1c155e8fba891a45d939cd34bb0128f4340deddb7ce168fd4",
            "5032eab02dd9bd5bf2121c28516ea559a1509bf90dac53b4828d97d560c775ce",
        ],
    ),
    (
        "heptane",
        "68 species, n-heptane: Lu, Law, Yoo and Chen, Combustion and Flame 156 (2009) 1542",
        [
            "e68eb33e71852713de137959561052c561d11c9ae65961c6bb826c092dc8cc0a",
            "3629620b14243d15fd13416846faefaac6748b3e9face2297a63ca81c6b1f5bf",
            "bfe4f77157e0aae0a558dde9e475d14701c9d09ba470a26c9fd3e2848c8fb9e5",
        ],
    ),
];

const CURVES: &str = "
## By the size of the problem, kepler

Throughput of 32³, 64³ and 128³ points includes the constants that each CTA loads first, and the start of the kernel. It also includes CTAs that have a turn less
than others. The paper's figures 11 to 16 have the same three sizes as bars without numbers. Its text says that speed-ups of diffusion on Kepler are smaller for few points, as
constants are loaded into registers. From 64³ points on that does not count. The C2070 has no model of time, so that its estimate knows no size.

| mechanism | kernel | warps × CTAs | ours | data-parallel | speed-up |
|---|---|---|---|---|---|
";

/// How others make the page.
fn remake(shared: &Path) -> String {
    let mut text = String::from(
        "\n## How to remake this page\n\n\
         The mechanisms are not shipped: they are their authors', whose names stand in the heads of their files. A folder with `dme` and `heptane`, each of which has the files\n\
         below, makes this page: `cargo bench --bench time -- paper --write --mechanisms FOLDER`. No folder is needed for mechanisms that are shipped.\n\
         PRF is not among our kernels here: only the original's programs were timed.\n\n\
         | folder | mechanism | file | SHA-256 |\n|---|---|---|---|\n",
    );
    for (folder, source, sums) in SOURCES {
        for (file, sum) in ["chem.inp", "therm.dat", "tran.dat"].into_iter().zip(sums) {
            let _ = writeln!(text, "| {folder} | {source} | {file} | `{sum}` |");
        }
    }
    for (folder, ..) in SOURCES {
        if let Ok(reduction) = std::fs::read_to_string(shared.join(folder).join("reduction.txt")) {
            let words = reduction.lines().filter(|line| !line.starts_with('!')).flat_map(str::split_whitespace);
            let names: Vec<&str> = words.filter(|&word| word != "END").collect();
            let _ = writeln!(
                text,
                "\n`{folder}/reduction.txt` names, with an `END` behind each list: {}.",
                names.join(" ")
            );
        }
    }
    text
}

/// Reasons for the directions that are wrong, as far as counts tell them.
const WHY: &str = "## Why

Warp-specialized chemistry is the compiler's own weakness, on every board. It issues three times the instructions of data-parallel code, for
addresses, moves and shuffles of constants. The published kernels came out 1.01 to 1.5 times faster than the data-parallel code of their
time. That code kept its vectors in local memory, and ours keeps them in registers.

Nothing assembles for the C2070 any more, so that nobody knows what spills. A thread has 63 registers there, and straight-line
data-parallel code holds several hundred values. The estimate takes it for free of spills, which it would not be. These rows compare an
unspilled kernel with a real one.

Constants of viscosity are few, and the cache of the K20c nearly holds them. Those of chemistry are read by code that waits for other things.
The published effect of constants in registers is of kernels with more of them.
";

/// Mechanism, kernel, least and most of the published speedups over data-parallel code (of both mechanisms and boards), and for each board:
/// warps, CTAs per SM, published throughput.
type Row = (&'static str, Kernel, [f64; 2], [(&'static str, u32, u32, f64); 2]);

const VISCOSITY: [f64; 2] = [1.2, 3.75];
const DIFFUSION: [f64; 2] = [1.33, 2.58];
const CHEMISTRY: [f64; 2] = [1.01, 1.50];

/// Section 6, figures 11 to 16, and the configurations behind them.
const PUBLISHED: [Row; 6] = [
    ("dme", Kernel::Viscosity, VISCOSITY, [("fermi", 12, 3, 5.920), ("kepler", 15, 3, 17.061)]),
    ("dme", Kernel::Diffusion, DIFFUSION, [("fermi", 10, 2, 11.433), ("kepler", 10, 3, 24.944)]),
    ("dme", Kernel::Chemistry, CHEMISTRY, [("fermi", 16, 1, 3.940), ("kepler", 8, 2, 7.350)]),
    ("heptane", Kernel::Viscosity, VISCOSITY, [("fermi", 13, 2, 1.820), ("kepler", 13, 3, 5.808)]),
    ("heptane", Kernel::Diffusion, DIFFUSION, [("fermi", 13, 2, 2.799), ("kepler", 13, 3, 7.887)]),
    ("heptane", Kernel::Chemistry, CHEMISTRY, [("fermi", 20, 1, 2.352), ("kepler", 16, 1, 4.859)]),
];

/// The page.
pub fn page(shared: &Path) -> String {
    let mut text = String::from(HEAD);
    let mut wrong = Vec::new();
    throughput(shared, &mut text, &mut wrong);
    collapse(shared, &mut text, &mut wrong);
    constants(shared, &mut text, &mut wrong);
    text += "\n## Directions that are not the published ones\n\n";
    text += if wrong.is_empty() { "None.\n" } else { "" };
    wrong.iter().for_each(|line| text += &format!("- {line}\n"));
    text += "\n";
    text += WHY;
    text + &remake(shared)
}

fn throughput(shared: &Path, text: &mut String, wrong: &mut Vec<String>) {
    *text += "\n## Our kernels: throughput, and speedup over data-parallel code\n\n\
        | mechanism | kernel | board | warps × CTAs | CTAs that fit | published | ours | ours / published | published speedup | our speedup |\n\
        |---|---|---|---|---|---|---|---|---|---|\n";
    let (mut pairs, mut curves) = (Vec::new(), String::from(CURVES));
    for (mechanism, kernel, [least, most], boards) in PUBLISHED {
        for (board, warps, ctas, published) in boards {
            let base =
                configuration(shared, mechanism, kernel, board, warps).with(|r| r.tuning.ctas_per_sm.count = ctas);
            let own = match one(&base) {
                Ok(own) => own,
                Err(refusal) => {
                    let row = format!(
                        "| {mechanism} | {kernel} | {board} | {warps} × {ctas} | - | {published} | - | - | - | {refusal} |"
                    );
                    add(text, &row);
                    continue;
                }
            };
            let data_parallel = fastest_data_parallel(shared, mechanism, kernel, board);
            let ours = millions(&own);
            let speedup = data_parallel.as_ref().map(|other| ours / millions(other));
            if let Some([own, other]) =
                cubes(&own).zip(data_parallel.as_ref().and_then(cubes)).map(|pair| [pair.0, pair.1])
            {
                let joined = |of: &dyn Fn(usize) -> f64, digits| {
                    (0..own.len()).map(|at| format!("{:.digits$}", of(at))).collect::<Vec<_>>().join(", ")
                };
                let [ours, others] = [joined(&|at| own[at], 3), joined(&|at| other[at], 3)];
                let ratios = joined(&|at| own[at] / other[at], 2);
                add(
                    &mut curves,
                    &format!("| {mechanism} | {kernel} | {warps} × {ctas} | {ours} | {others} | {ratios} |"),
                );
            }
            pairs.push((ours, published));
            let row = format!(
                "| {mechanism} | {kernel} | {board} | {warps} × {ctas} | {} | {published:.3} | {ours:.3} | {:.2} | {least}–{most} | {} |",
                own.machine.ctas_per_sm,
                ours / published,
                speedup.map_or("-".into(), |speedup| format!("{speedup:.2}")),
            );
            add(text, &row);
            if let Some((speedup, other)) = speedup.zip(data_parallel).filter(|(speedup, _)| *speedup < 1.0) {
                wrong.push(format!(
                    "{mechanism} {kernel} on {board}: data-parallel code is {:.2} times as fast. Warp-specialized: {}. Data-parallel: {}",
                    1.0 / speedup,
                    counts(&own),
                    counts(&other)
                ));
            }
        }
    }
    writeln!(
        text,
        "\nThese are two compilers' kernels, so that this is not the model's error. On the original's own kernels of the K20c that is 12 %\n\
         ([the model of time](time.md#kernels-that-others-measured)). Ours are {:.0} % away from the published figures in the mean, with Kendall's tau\n\
         {:.2} over {} rows. This tells how alike the two compilers are.",
        100.0 * mean_error(&pairs),
        tau(&pairs),
        pairs.len()
    )
    .expect("a string");
    *text += &curves;
}

/// Millions of points per second of the cubes that the model predicts.
fn cubes(kernel: &KernelReport) -> Option<Vec<f64>> {
    let cubes = &kernel.prediction.as_ref()?.cubes;
    Some(cubes.iter().map(|cube| f64::from(cube.edge.pow(3)) / cube.microseconds).collect())
}

/// Section 5: code of its own for each warp collapses from six warps on.
fn collapse(shared: &Path, text: &mut String, wrong: &mut Vec<String>) {
    *text += "\n## Code of its own for each warp (`--codegen switch`), DME viscosity on kepler\n\n\
        Section 5 has it that such code is fast until six warps thrash the instruction cache, and that overlaid code is not hurt.\n\n\
        | warps | overlay | switch | switch / overlay |\n|---|---|---|---|\n";
    for warps in [2, 4, 5, 6, 8, 10] {
        let base = configuration(shared, "dme", Kernel::Viscosity, "kepler", warps);
        let of = |codegen| one(&Request { codegen, ..base.clone() }).map(|kernel| millions(&kernel));
        let (Ok(overlay), Ok(switch)) = (of(Codegen::Overlay), of(Codegen::Switch)) else { continue };
        let ratio = switch / overlay;
        add(text, &format!("| {warps} | {overlay:.3} | {switch:.3} | {ratio:.2} |"));
        if warps >= 6 && ratio >= 1.0 {
            wrong.push(format!(
                "DME viscosity on kepler with {warps} warps: code of its own for each warp is {ratio:.2} times as fast as overlaid code"
            ));
        }
    }
}

/// Section 5.1: constants in registers, striped over the lanes, instead of the constant cache.
fn constants(shared: &Path, text: &mut String, wrong: &mut Vec<String>) {
    *text += "\n## Constants in registers, on kepler\n\n\
        Section 5.1 puts the constants of warps into registers, because constant caches do not hold them.\n\n\
        | mechanism | kernel | in registers | in the constant bank | registers / bank |\n|---|---|---|---|---|\n";
    for (mechanism, kernel, _, [_, (board, warps, ..)]) in PUBLISHED {
        let base = configuration(shared, mechanism, kernel, board, warps);
        let of = |constants| {
            one(&base.clone().with(|r| r.tuning.constants = Some(constants))).map(|kernel| millions(&kernel))
        };
        let residences = [overlay::Residence::Striped, overlay::Residence::ConstantBank];
        let [Ok(registers), Ok(bank)] = residences.map(of) else { continue };
        let ratio = registers / bank;
        add(text, &format!("| {mechanism} | {kernel} | {registers:.3} | {bank:.3} | {ratio:.2} |"));
        if ratio <= 1.0 {
            wrong.push(format!("{mechanism} {kernel} on {board}: constants in the constant bank are {:.2} times as fast as in registers", 1.0 / ratio));
        }
    }
}

/// A kernel in the paper's form; transport kernels on the transported species, chemistry with the reduction.
fn configuration(shared: &Path, mechanism: &str, kernel: Kernel, board: &str, warps: u32) -> Request {
    let folder = shared.join(mechanism);
    request(&folder, board).with(|request| {
        request.files.reduction = Companion::At(folder.join("reduction.txt"));
        request.kernels = vec![kernel];
        request.tuning.form = Some(Form::Pairwise);
        request.tuning.warps = warps;
        request.tuning.points_per_lane = Some(1);
        request.codegen = Codegen::Overlay;
        request.real_compilers = request.common.target.pipeline.is_some();
        request.verify_machine_code = false;
        request.verify = Some(40);
    })
}

/// The best of the numbers of CTAs of data-parallel code that were tuned for in the paper: the trade of occupancy against registers.
fn fastest_data_parallel(shared: &Path, mechanism: &str, kernel: Kernel, board: &str) -> Option<KernelReport> {
    let tried = [4, 8].into_iter().filter_map(|warps| {
        let base = configuration(shared, mechanism, kernel, board, warps);
        one(&Request { codegen: Codegen::DataParallel, ..base }).ok()
    });
    tried.max_by(|a, b| millions(a).total_cmp(&millions(b)))
}

/// A row, which is shown at once.
fn add(text: &mut String, row: &str) {
    println!("{row}");
    *text += row;
    text.push('\n');
}

fn one(request: &Request) -> Result<KernelReport, String> {
    compiled(request).map(|mut kernels| kernels.remove(0))
}

fn millions(kernel: &KernelReport) -> f64 {
    1e3 / kernel.machine.nanoseconds().expect("simulated")
}

fn counts(kernel: &KernelReport) -> String {
    let v = kernel.verification.as_ref().expect("simulated");
    format!(
        "{:.0} instructions, {:.0} double-precision slots, {:.0} shuffles and {:.0} shared passes per 32 points, {:.0} bytes of local \
         memory per point, {} warps on an SM",
        v.instructions_per_point,
        v.slots_per_point,
        v.shuffles_per_point,
        v.shared_passes_per_point,
        v.local_bytes_per_point,
        kernel.machine.warps_per_sm
    )
}
