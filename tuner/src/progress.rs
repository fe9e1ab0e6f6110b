//! How far a search is: a bar on a terminal, a line a minute elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

const EVERY: Duration = Duration::from_secs(60);

/// Does some work with so many parts, and tells people on stderr how much of it is done: `what` happens to a part. The work is given what
/// it is to call after each part.
pub fn watched<R>(what: &str, parts: usize, work: impl FnOnce(&(dyn Fn() + Sync)) -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return reported(what, parts, EVERY, |line| diagnostics::to_stderr(format_args!("{line}\n")), work);
    }
    let style = ProgressStyle::with_template("[{elapsed}] {bar:30} {pos} of {len} {msg}, {eta} left");
    let bar = ProgressBar::new(parts as u64).with_style(style.expect("the template is valid"));
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_secs(1));
    let result = work(&|| bar.inc(1));
    bar.finish_and_clear();
    result
}

/// With a line in each interval.
fn reported<R>(
    what: &str,
    parts: usize,
    every: Duration,
    tell: impl Fn(String) + Send,
    work: impl FnOnce(&(dyn Fn() + Sync)) -> R,
) -> R {
    let (done, start) = (AtomicUsize::new(0), Instant::now());
    let (over, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let done = &done;
        scope.spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                tell(line(what, done.load(Ordering::Relaxed), parts, start.elapsed()));
            }
        });
        let result = work(&|| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        drop(over);
        result
    })
}

fn line(what: &str, done: usize, parts: usize, passed: Duration) -> String {
    let minutes = passed.as_secs_f64() / 60.0;
    let left = if done > 0 {
        format!(", about {:.0} min left", minutes / done as f64 * (parts.saturating_sub(done)) as f64)
    } else {
        String::new()
    };
    format!("{done} of {parts} {what} after {minutes:.0} min{left}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_line_in_each_interval_while_the_work_lasts() {
        let lines = Mutex::new(Vec::new());
        let result = reported(
            "candidates",
            3,
            Duration::from_millis(20),
            |line| lines.lock().unwrap().push(line),
            |done| {
                done();
                // As long as it takes until somebody told.
                while lines.lock().unwrap().len() < 2 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                7
            },
        );
        assert_eq!(result, 7);
        assert!(lines.lock().unwrap()[1].starts_with("1 of 3 candidates after 0 min, about"));
    }

    #[test]
    fn the_rest_takes_as_long_as_what_was_done() {
        let after = |done| line("candidates", done, 40, Duration::from_secs(600));
        assert_eq!(after(0), "0 of 40 candidates after 10 min");
        assert_eq!(after(10), "10 of 40 candidates after 10 min, about 30 min left");
    }
}
