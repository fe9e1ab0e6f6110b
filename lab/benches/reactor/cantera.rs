//! Cantera, in a process that makes the states and is timed again and again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::{Case, Path, Row};

/// A script that prints JSON: first the states and where they end, then a line for each one that it reads.
pub struct Cantera {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Cantera {
    /// The script at work, and its first line; nothing where Cantera is absent.
    pub fn begun(script: &str, yaml: &Path, case: &Case) -> Option<(Self, Value)> {
        let python = std::env::var("SINGE_PYTHON").unwrap_or("python3".to_owned());
        let mut command = Command::new(&python);
        if let Ok(folder) = xtask::cantera::python(&testkit::root()) {
            command.env("PYTHONPATH", folder);
        }
        command.arg("-c").arg(script).arg(yaml).args([case.fuel, &case.states.to_string()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take()?));
        let mut begun = Self { child, input, output };
        let made = begun.line();
        if made.is_none() {
            println!("skipped: {python} has no Cantera (SINGE_PYTHON names one that has)");
        }
        Some((begun, made?))
    }

    /// (time, row) of a turn through all times and tolerances.
    pub fn turn(&mut self) -> Option<Vec<(f64, Row)>> {
        writeln!(self.input.as_mut()?).ok()?;
        self.rows()
    }

    /// More of the turn that was asked for last.
    pub fn rows(&mut self) -> Option<Vec<(f64, Row)>> {
        let rows = self.line()?;
        let rows = rows.as_array()?.iter().map(|row| {
            let x: Vec<f64> = row.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect();
            (x[0], Row { tolerance: x[1], cells: x[2], wall: f64::NAN, steps: x[3], rejected: f64::NAN, error: x[4] })
        });
        Some(rows.collect())
    }

    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }
}

impl Drop for Cantera {
    /// A script whose input ends, ends.
    fn drop(&mut self) {
        self.input = None;
        drop(self.child.wait());
    }
}
