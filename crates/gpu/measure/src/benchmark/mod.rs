//! Small kernels for what the tables of targets assume: chains of one operation at two lengths, each in a loop at two numbers of
//! rounds. The additional time of the longer chain contains no part of the loop or of the code around it.

mod finding;
mod list;
mod text;

pub use finding::{DELIVERED, Finding, LAUNCH, ROTATE, entry, findings};
pub use list::all;
pub use text::{Clock, of_board, text};

/// A kernel in one or two lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    pub name: String,
    /// Warps of the one CTA.
    pub warps: u32,
    /// Links in a round. With one length the loop counts as a part of the links.
    pub lengths: Vec<u32>,
    pub rounds: [u32; 2],
    pub data: Data,
    /// Text before the loop.
    pub before: String,
    pub body: Body,
    /// Text behind the loop: brings the result to `%x`, so that nothing is left out.
    pub after: String,
    /// Declarations of the module.
    pub declarations: String,
}

/// Body of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// This text once per link; `@` is the number of the link modulo 8.
    Links(&'static str),
    /// Jumps through as many lines of code as there are links, each over `over` lines; the first line follows the last.
    Jumps { over: u32 },
}

/// Global memory that the kernel gets: pointers, each to the one `stride` bytes behind it, the last to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Data {
    pub bytes: u64,
    pub stride: u64,
    /// Whether no cache may hold it when the kernel starts.
    pub cold: bool,
}

/// The clocks of a kernel at both numbers of rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub series: String,
    pub length: u32,
    pub rounds: [u32; 2],
    pub clocks: [f64; 2],
}

impl Series {
    /// Returns the name of the kernel of a length.
    pub fn entry(&self, length: u32) -> String {
        format!("{}_{length}", self.name.replace('-', "_"))
    }
}

/// Returns the clocks of a link. `None`: there are no samples of the series.
pub fn clocks(samples: &[Sample], series: &str) -> Option<f64> {
    let mut found: Vec<&Sample> = samples.iter().filter(|sample| sample.series == series).collect();
    found.sort_by_key(|sample| sample.length);
    let round = |sample: &Sample| {
        let [few, many] = sample.rounds;
        (sample.clocks[1] - sample.clocks[0]) / f64::from(many.saturating_sub(few).max(1))
    };
    match found[..] {
        [only] => Some(round(only) / f64::from(only.length.max(1))),
        [short, .., long] => Some((round(long) - round(short)) / f64::from((long.length - short.length).max(1))),
        [] => None,
    }
}
