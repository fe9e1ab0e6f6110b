//! Flames and ignitions of Cantera with our rates and transport in double, single and mixed precision: a section of `docs/lab/precision.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use xtask::{cantera, compiler, pages, program};

const MECHANISM: &str = "mechanisms/h2o2/chem.inp";

const TRANSPORT: &str = "viscosity,conductivity,diffusion";

/// Classes that the script builds with the kernels. CUDA text of mixed precision comes to the CPU by the second.
const CLASSES: [(&str, &str); 2] =
    [("flame.cpp", include_str!("flame.cpp")), ("flame_pairs.cpp", include_str!("flame_pairs.cpp"))];

const SCRIPT: &str = include_str!("flame.py");

const PAGE: &str = "precision.md";
const HEADING: &str = "## Flames and ignitions";
const NEXT: &str = "## What was aimed at";

/// A library of kernels: its name, its kernels, and the flags of its precision.
type Library = (&'static str, &'static str, &'static str);

/// The script and the classes know these names.
const LIBRARIES: [Library; 4] = [
    ("doubles", "chemistry,viscosity,conductivity,diffusion", "--target cpu --emit cuda --error form=exact"),
    ("rates", "chemistry", "--target cpu --emit cuda --precision single --error 1e-4,measured"),
    ("singles", TRANSPORT, "--target cpu --emit cuda --precision single --error 1e-4"),
    // Text for turing loads its arrays plainly; for later boards it copies them by instructions that no CPU has.
    ("pairs", TRANSPORT, "--target turing --precision mixed --error 1e-6 --codegen data-parallel"),
];

/// Compiles the kernels, solves the flames, and writes the section.
///
/// Errors: the compiler cannot be built, Cantera or its headers are absent, a program fails, or the page has no place for the section.
pub fn write(root: &Path) -> Result<(), String> {
    let python = cantera::python(root).map_err(|reason| format!("Cantera is absent: {reason}"))?;
    let compiler = match std::env::var_os("SINGE_COMMAND") {
        Some(given) => PathBuf::from(given),
        None => compiler::built(root)?,
    };
    let folder = root.join("target/flame");
    let kernels = folder.join("kernels");
    if kernels.is_dir() {
        std::fs::remove_dir_all(&kernels).map_err(|e| format!("{}: {e}", kernels.display()))?;
    }
    let mut proven = String::new();
    for library in &LIBRARIES {
        proven += &rows(library, &made(root, &compiler, library, &kernels)?)?;
    }
    for (name, text) in CLASSES {
        std::fs::write(kernels.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    program::output(
        Command::new(&compiler).current_dir(root).args(["fmt", MECHANISM, "--to", "yaml", "-o"]).arg(&folder),
    )?;
    let paths = std::env::join_paths([root.join("python"), python]).map_err(|e| e.to_string())?;
    let mut script = Command::new("python3");
    script.env("PYTHONPATH", paths).env("PYTHONDONTWRITEBYTECODE", "1").args(["-W", "ignore", "-c", SCRIPT]);
    let tables = program::output(script.arg(folder.join("chem.yaml")).arg(&kernels))?;
    let section = section(&proven, &tables)?;
    print!("{section}");
    let page = pages::text(root, PAGE)?;
    pages::write(root, PAGE, &with_section(&page, &section)?)
}

/// The report of a library that is compiled now.
fn made(root: &Path, compiler: &Path, (name, kernels, flags): &Library, folder: &Path) -> Result<Value, String> {
    let mut command = Command::new(compiler);
    command.current_dir(root).args([MECHANISM, "--kernel", kernels, "--name", name]).args(flags.split(' '));
    let printed = program::output(command.args(["--json", "-o"]).arg(folder))?;
    serde_json::from_str(&printed).map_err(|e| format!("{name}: {e}"))
}

/// Returns the rows of a library's kernels, with their largest errors.
fn rows((name, ..): &Library, report: &Value) -> Result<String, String> {
    let arithmetic = match *name {
        "doubles" => "double",
        "pairs" => "mixed",
        _ => "single",
    };
    let kernels = report["kernels"].as_array().ok_or("a report has no kernels")?;
    let row = |kernel: &Value| {
        let (single, found) = (&kernel["single"], kernel["verification"]["single_error"].as_f64());
        let error = match (single["proven"].as_bool(), single["total"].as_f64(), found) {
            (Some(true), Some(total), _) => format!("{total:.1e}, proven"),
            (Some(false), _, Some(found)) => format!("{found:.1e} of gross rates, found and not proven"),
            _ => "rounding".to_owned(),
        };
        let [kernel, form] = ["kernel", "form"].map(|key| kernel[key].as_str().unwrap_or_default());
        format!("| {kernel} | {arithmetic} | {form} | {error} |\n")
    };
    Ok(kernels.iter().map(row).collect())
}

/// The section around the tables of the script: flames, errors in them, ignitions.
fn section(proven: &str, tables: &str) -> Result<String, String> {
    let tables: Vec<&str> = tables.trim().split("\n\n").collect();
    let [flames, errors, ignitions] = tables[..] else { return Err("the script printed no three tables".to_owned()) };
    Ok(format!(
        "{HEADING}\n\n`cargo lab flame` makes this section. Cantera 3.2's `FreeFlame` (ratio 3, slope 0.05, curve 0.1; tolerances 1e-7 and 1e-13) solves a flame of hydrogen and\n\
         air (`h2o2`). It is stoichiometric, at 300 K and 1 atm, with mixture-averaged transport. At each point it calls our kernels on the CPU: production rates, viscosity, conductivity\n\
         and diffusion. The chore counts their calls and fails if a flame makes none. Mixed precision is for GPUs: its CUDA text for turing is compiled for the CPU here, with a few definitions in place of CUDA's.\n\
         Rates have no mixed precision. Fractions below 0 count as 0. These are the kernels:\n\n\
         | kernel | arithmetic | form | errs by |\n|---|---|---|---|\n{proven}\n\
         All flames are solved on the grid of Cantera's own, beginning with its solution, and then from nothing on grids of their own. *Beside double*: the speed, relative to that with rates and transport\n\
         in double precision. *T anywhere*: the largest difference from the temperatures of that flame at a point of the grid.\n\n{flames}\n\n\
         The largest errors of the kernels at the points of Cantera's own flame, beside Cantera's functions; those of rates are relative to gross rates. The chore fails where one of transport is more than its\n\
         `--error`, which is proven:\n\n{errors}\n\n\
         Cantera integrates a reactor at constant pressure, of the same mixture, with our rates (tolerances 1e-9 and 1e-16). The delay is when the temperature has risen by 400 K:\n\n{ignitions}\n"
    ))
}

/// The page with the section in place of what it had, up to the next heading, or before the last section.
fn with_section(page: &str, section: &str) -> Result<String, String> {
    let last = page.find(NEXT).ok_or_else(|| format!("{PAGE} has no heading {NEXT}"))?;
    let from = page.find(HEADING).unwrap_or(last);
    let behind = (from + 1).min(page.len());
    let end = if from == last { last } else { page[behind..].find("\n## ").map_or(page.len(), |at| behind + at + 1) };
    Ok(format!("{}{section}\n{}", &page[..from], &page[end..]))
}

#[cfg(test)]
mod tests {
    use super::{HEADING, NEXT, with_section};

    #[test]
    fn a_section_takes_the_place_of_the_former_one() {
        let page = format!("# A\n\ntext\n\n{NEXT}\n\nend\n");
        let once = with_section(&page, &format!("{HEADING}\n\none\n")).unwrap();
        assert_eq!(once, format!("# A\n\ntext\n\n{HEADING}\n\none\n\n{NEXT}\n\nend\n"));
        let twice = with_section(&once, &format!("{HEADING}\n\ntwo\n")).unwrap();
        assert_eq!(twice, once.replace("one", "two"));
        let between = once.replace(NEXT, &format!("## B\n\nby hand\n\n{NEXT}"));
        assert_eq!(with_section(&between, &format!("{HEADING}\n\ntwo\n")).unwrap(), between.replace("one", "two"));
        assert!(with_section("# A\n", "").is_err());
    }
}
