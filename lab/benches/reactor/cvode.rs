//! The program that `--emit cvode` writes, on the same states.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Row, TOLERANCES_BESIDE};

/// Flags that link SUNDIALS.
pub const LIBRARIES: [&str; 4] =
    ["-lsundials_cvode", "-lsundials_nvecserial", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"];

/// (time, row) of a turn through all times and the tolerances that Cantera has.
pub fn turn(program: &Path, conditions: &str, made: &Value) -> Option<Vec<(f64, Row)>> {
    let mut rows = Vec::new();
    for run in made["runs"].as_array()? {
        let seconds = run["seconds"].as_f64()?;
        for tolerance in TOLERANCES_BESIDE {
            rows.push((seconds, row(program, conditions, run, seconds, tolerance)?));
        }
    }
    Some(rows)
}

fn row(program: &Path, conditions: &str, run: &Value, seconds: f64, tolerance: f64) -> Option<Row> {
    let mut command = Command::new(program);
    command.env("OMP_NUM_THREADS", "1").args(["--solver", "generated", "--states", "--rise", "1e9"]);
    command.args(["--until", &seconds.to_string(), "--rtol", &tolerance.to_string()]);
    command.args(["--atol", &(1e-6 * tolerance).to_string()]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(conditions.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    assert!(output.status.success(), "the program of CVODE failed over {seconds} s at {tolerance}");
    let text = String::from_utf8(output.stdout).ok()?;
    let taken: f64 = text.lines().next()?.split(' ').nth(4)?.parse().ok()?;
    let (mut steps, mut squares, mut count) = (0.0, 0.0, 0.0);
    let ends = text.lines().filter(|line| !line.starts_with('#'));
    let exact = run["exact"].as_array()?;
    for (line, exact) in ends.zip(exact) {
        let words: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap_or(f64::NAN)).collect();
        steps += words[3];
        // The temperature is at 7, the mass fractions follow.
        for (y, wanted) in words[8..].iter().zip(&numbers(exact)[1..]) {
            squares += ((y - wanted) / (wanted.abs() + 1e-9)).powi(2);
            count += 1.0;
        }
    }
    let cells = exact.len() as f64;
    let error = f64::sqrt(squares / count);
    Some(Row { tolerance, cells: cells / taken, wall: f64::NAN, steps: steps / cells, rejected: f64::NAN, error })
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}
