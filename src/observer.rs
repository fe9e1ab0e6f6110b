//! Progress of a compilation as the user sees it: a progress bar, the time of each pass, the text after a pass.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use kernels::Kernel;

/// The passes whose result `--print-after` can show.
pub const PASSES: [&str; 10] =
    ["mechanism", "kinetics", "dataflow", "map", "schedule", "overlay", "lower", "ptx", "precision", "all"];

#[derive(Default)]
pub struct Observer {
    print_after: Option<String>,
    /// (pass, kernel, time) in order
    times: Vec<(&'static str, Option<Kernel>, Duration)>,
    bar: Option<ProgressBar>,
    /// Current subject of the passes, as the bar names it, and the number of such subjects so far.
    trying: String,
    tried: u32,
}

impl Observer {
    /// Reports nothing.
    pub fn silent() -> Self {
        Self::default()
    }

    /// For a person: a progress bar on a terminal, and the text after the pass that was asked for, on stderr.
    pub fn new(print_after: Option<String>) -> Self {
        let bar = (std::io::stderr().is_terminal() && print_after.is_none()).then(|| {
            let style =
                ProgressStyle::with_template("{spinner} [{elapsed}] {wide_msg}").expect("the template is valid");
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Self { print_after, bar, ..Self::default() }
    }

    /// Says what the next passes work on; a version of a kernel, with what such a one took until now.
    pub fn trying(&mut self, what: &str) {
        if let Some(bar) = &self.bar {
            let each = match self.tried {
                0 => String::new(),
                tried => format!(", {:.1} s each so far", bar.elapsed().as_secs_f64() / f64::from(tried)),
            };
            self.tried += 1;
            self.trying = format!("{what} (version {}{each})", self.tried);
        }
    }

    /// The next passes work on all of it.
    pub fn trying_nothing(&mut self) {
        self.trying.clear();
    }

    /// Runs a pass.
    pub fn pass<T>(&mut self, name: &'static str, kernel: Option<Kernel>, run: impl FnOnce() -> T) -> T {
        if let Some(bar) = &self.bar {
            let pass = kernel.map_or(name.to_owned(), |k| format!("{name} {k}"));
            bar.set_message(if self.trying.is_empty() { pass } else { format!("{}: {pass}", self.trying) });
        }
        let start = Instant::now();
        let result = run();
        self.times.push((name, kernel, start.elapsed()));
        result
    }

    /// Shows within a pass how much of it is done; may be called from several threads.
    pub fn progress(&self, name: &'static str, what: &'static str) -> impl Fn(usize, usize) + Sync + use<> {
        let bar = self.bar.clone();
        move |done, all| {
            if let Some(bar) = &bar {
                bar.set_message(format!("{name}: {done} of {all} {what}"));
            }
        }
    }

    /// Shows the result of a pass if it was asked for.
    pub fn text(&self, name: &str, kernel: Option<Kernel>, text: impl FnOnce() -> String) {
        if self.print_after.as_deref().is_some_and(|wanted| wanted == name || wanted == "all") {
            diagnostics::to_stderr(format_args!(
                "; after {name}{}\n{}\n",
                kernel.map_or(String::new(), |k| format!(" of {k}")),
                text()
            ));
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Milliseconds by pass, summed over the kernels, in order of first use.
    pub fn times(&self) -> Vec<(&'static str, f64)> {
        let mut sums: Vec<(&'static str, f64)> = Vec::new();
        for (name, _, time) in &self.times {
            let time = time.as_secs_f64() * 1e3;
            match sums.iter_mut().find(|(n, _)| n == name) {
                Some((_, sum)) => *sum += time,
                None => sums.push((name, time)),
            }
        }
        sums
    }

    /// The table of `--time-passes`.
    pub fn time_table(&self) -> String {
        let times = self.times();
        let total: f64 = times.iter().map(|(_, t)| t).sum();
        let mut out = String::new();
        for (name, time) in times {
            out += &format!("{name:12} {time:10.2} ms {:5.1} %\n", 100.0 * time / total);
        }
        out + &format!("{:12} {total:10.2} ms\n", "total")
    }
}
