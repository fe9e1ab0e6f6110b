//! What to try: all combinations of the values of some flags.

use serde::Serialize;
use toml::{Table, Value};

/// A flag of `singe` and the values to try, as one writes them on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub flag: String,
    pub values: Vec<String>,
}

impl Axis {
    pub fn new(flag: &str, values: &[&str]) -> Self {
        Self { flag: flag.to_owned(), values: values.iter().map(|&value| value.to_owned()).collect() }
    }
}

/// One value of each flag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub settings: Vec<(String, String)>,
}

impl Candidate {
    /// Keys and values of a configuration, in the order of the axes.
    pub fn entries(&self) -> impl Iterator<Item = (String, Value)> {
        let value = |text: &String| text.parse().map_or_else(|_| Value::String(text.clone()), Value::Integer);
        self.settings.iter().map(move |(flag, text)| (flag.clone(), value(text)))
    }

    pub fn table(&self) -> Table {
        self.entries().collect()
    }
}

/// All combinations; the values of the last axis change fastest.
pub fn candidates(axes: &[Axis]) -> Vec<Candidate> {
    let mut all = vec![Candidate { settings: Vec::new() }];
    for axis in axes {
        let longer = |candidate: &Candidate| {
            let with = |value: &String| {
                let mut settings = candidate.settings.clone();
                settings.push((axis.flag.clone(), value.clone()));
                Candidate { settings }
            };
            axis.values.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_combinations_once() {
        let axes = [Axis::new("warps", &["4", "8", "16"]), Axis::new("form", &["auto", "pairwise"])];
        let all = candidates(&axes);
        assert_eq!(all.len(), 6);
        assert!(all.iter().enumerate().all(|(i, one)| !all[..i].contains(one)));
        assert_eq!(candidates(&[]).len(), 1);
    }
}
