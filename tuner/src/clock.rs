//! The command that measures a candidate: how often it runs, and how long it may take.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Way to measure candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    pub command: String,
    /// Runs for each candidate; their median counts.
    pub repeats: u16,
    /// Time limit of each run.
    pub limit: Option<Duration>,
}

/// Times that the runs of a candidate printed, in nanoseconds per point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Clock {
    /// Runs the command in a folder.
    ///
    /// Errors: it fails, takes too long, or prints no time; the reason is for people.
    pub fn measure(&self, folder: &Path) -> Result<Measured, String> {
        let mut times = (0..self.repeats).map(|_| self.once(folder)).collect::<Result<Vec<f64>, String>>()?;
        times.sort_by(f64::total_cmp);
        let (lower, upper) = (times[(times.len() - 1) / 2], times[times.len() / 2]);
        Ok(Measured { median: 0.5 * (lower + upper), least: times[0], most: times[times.len() - 1] })
    }

    /// The last word that the command prints.
    fn once(&self, folder: &Path) -> Result<f64, String> {
        let failed = |reason: &dyn std::fmt::Display| format!("{}: {reason}", self.command);
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.command]).current_dir(folder).stdout(Stdio::piped());
        if self.limit.is_some() {
            // Its children end with it.
            shell.process_group(0);
        }
        let mut child = shell.spawn().map_err(|error| failed(&error))?;
        let mut printed = child.stdout.take().expect("it was asked for");
        let (status, bytes) = std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut bytes = Vec::new();
                printed.read_to_end(&mut bytes).map(|_| bytes)
            });
            (self.waited(&mut child), reader.join().expect("reading does not panic"))
        });
        let status = status.map_err(|reason| failed(&reason))?;
        if !status.success() {
            return Err(failed(&status));
        }
        let text = String::from_utf8_lossy(&bytes.map_err(|error| failed(&error))?).into_owned();
        let last = text.split_whitespace().last().unwrap_or("");
        match last.parse::<f64>() {
            Ok(time) if time.is_finite() && time > 0.0 => Ok(time),
            _ => Err(failed(&format!("its last word is {last:?}, no time in nanoseconds"))),
        }
    }

    /// Errors: it took too long, and was ended with all that it had started.
    fn waited(&self, child: &mut Child) -> Result<ExitStatus, String> {
        const STEP: Duration = Duration::from_millis(10);
        let Some(limit) = self.limit else { return child.wait().map_err(|error| error.to_string()) };
        let until = Instant::now() + limit;
        loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return Ok(status);
            }
            if Instant::now() >= until {
                // It may have ended by itself meanwhile.
                let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
                child.wait().map_err(|error| error.to_string())?;
                return Err(format!("it took more than {} s", limit.as_secs_f64()));
            }
            std::thread::sleep(STEP);
        }
    }
}

/// A time such as 90s, 10m, 2h or 0.5s; without a unit seconds.
///
/// Errors: this is none; the reason is for people.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time such as 90s, 10m or 2h".to_owned();
    let (number, unit) = match text.char_indices().next_back() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        _ => (text, 1.0),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * unit;
    if seconds > 0.0 { Duration::try_from_secs_f64(seconds).map_err(|_| wrong()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(command: &str, repeats: u16, limit: Option<Duration>) -> Result<Measured, String> {
        let folder = tempfile::tempdir().unwrap();
        Clock { command: command.to_owned(), repeats, limit }.measure(folder.path())
    }

    #[test]
    fn the_median_of_all_runs_counts() {
        let next = "n=$(cat n 2> /dev/null); echo $((n + 1)) > n; echo took $((10 - n))";
        let measured = |median, least, most| Ok(Measured { median, least, most });
        assert_eq!(clock(next, 1, None), measured(10.0, 10.0, 10.0));
        assert_eq!(clock(next, 3, None), measured(9.0, 8.0, 10.0));
        assert_eq!(clock(next, 4, None), measured(8.5, 7.0, 10.0));
        assert!(clock("echo 3; exit 2", 1, None).unwrap_err().ends_with("exit status: 2"));
    }

    #[test]
    fn what_takes_too_long_ends_with_all_that_it_started() {
        let begun = Instant::now();
        // The pipe stays open as long as anybody has it.
        let reason = clock("sleep 60 & sleep 60; echo 1", 1, Some(Duration::from_millis(100))).unwrap_err();
        assert!(reason.ends_with("it took more than 0.1 s"), "{reason}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(clock("echo 1", 1, Some(Duration::from_secs(60))).is_ok());
    }

    #[test]
    fn times_have_units() {
        let seconds = |text: &str| duration(text).ok().map(|time| time.as_secs_f64());
        assert_eq!(["90s", "1.5m", "2h", "7"].map(seconds), [Some(90.0), Some(90.0), Some(7200.0), Some(7.0)]);
        assert_eq!(["", "s", "0s", "-1m", "nan", "1e300h", "ü"].map(seconds), [None; 7]);
    }
}
