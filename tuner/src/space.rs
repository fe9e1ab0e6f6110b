//! What to try: all combinations of the values of some flags, each once.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use singe::cli::Layout;
use singe::driver::Request;
use singe::kernels::{Form, Kernel};
use toml::{Table, Value};

/// The flag of the layout; all others are fields of the compiler's `Tuning`.
pub const LAYOUT: &str = "codegen";

/// What data-parallel code does not heed: its threads share nothing.
const SHARED_WORK: [&str; 9] =
    ["groups-per-cta", "constants", "placement", "buffer", "passes", "mapper", "weights", "matrix", "qssa-warps"];

/// A flag of `singe` and the values to try, as one writes them on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub flag: String,
    pub values: Vec<String>,
}

impl Axis {
    pub fn new<T: ToString>(flag: &str, values: &[T]) -> Self {
        Self { flag: flag.to_owned(), values: values.iter().map(T::to_string).collect() }
    }
}

/// One value of each flag.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    pub settings: Vec<(String, String)>,
}

impl Candidate {
    /// Keys and values of a configuration, in the order of the axes.
    pub fn entries(&self) -> impl Iterator<Item = (String, Value)> {
        let value = |text: &String| text.parse().map_or_else(|_| Value::String(text.clone()), Value::Integer);
        self.settings.iter().map(move |(flag, text)| (flag.clone(), value(text)))
    }

    /// What is set of the compiler's `Tuning`.
    pub fn table(&self) -> Table {
        self.entries().filter(|(flag, _)| flag != LAYOUT).collect()
    }

    pub fn value(&self, flag: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == flag).map(|(_, value)| value.as_str())
    }

    /// The layout where it is varied.
    pub fn layout(&self) -> Option<Layout> {
        Layout::from_str(self.value(LAYOUT)?, false).ok()
    }

    /// The same with another value of a flag that it has.
    pub fn with(&self, flag: &str, value: &str) -> Self {
        let one = |(known, old): &(String, String)| {
            (known.clone(), if known == flag { value.to_owned() } else { old.clone() })
        };
        Self { settings: self.settings.iter().map(one).collect() }
    }
}

impl std::fmt::Display for Candidate {
    /// `warps=8 form=log-space`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let each: Vec<String> = self.settings.iter().map(|(flag, value)| format!("{flag}={value}")).collect();
        f.write_str(&each.join(" "))
    }
}

/// What is varied where the user does not say, of a kernel that `request` asks for: the layout, the size of a CTA, how many of them
/// share an SM (which sets the registers of a thread, too), points per lane, where constants live, the algebra, and tensor cores where
/// they multiply doubles.
pub fn usual(kernel: Kernel, request: &Request) -> Vec<Axis> {
    let forms = Form::of(kernel, request.common.fit_tolerance);
    if request.common.target.is_cpu() {
        return vec![Axis::new("form", &forms)];
    }
    let mut axes = vec![
        Axis::new(LAYOUT, &["overlay", "data-parallel"]),
        Axis::new("warps", &[4, 8, 12, 16]),
        Axis::new("ctas-per-sm", &[1, 2]),
        Axis::new("points-per-lane", &[1, 2]),
        Axis::new("constants", &["stripe", "constant-bank", "shared"]),
        Axis::new("form", &forms),
    ];
    let has_matrices = forms.iter().any(|form| form.has_matrices(kernel));
    if has_matrices && request.common.target.slots_per_matrix_product().is_some() {
        axes.push(Axis::new("matrix", &["dfma", "dmma"]));
    }
    axes
}

/// All combinations for a kernel; the values of the last axis change fastest. Combinations that give the same kernel count once: a
/// candidate has no flag that its layout does not heed, and the pairwise form where its kernel lacks the wanted one.
pub fn candidates(kernel: Kernel, fit_tolerance: Option<f64>, axes: &[Axis]) -> Vec<Candidate> {
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
    let mut seen = std::collections::HashSet::new();
    all.into_iter()
        .map(|candidate| heeded(kernel, fit_tolerance, candidate))
        .filter(|candidate| seen.insert(candidate.clone()))
        .collect()
}

fn heeded(kernel: Kernel, fit_tolerance: Option<f64>, mut candidate: Candidate) -> Candidate {
    if candidate.layout() == Some(Layout::DataParallel) {
        candidate.settings.retain(|(flag, _)| !SHARED_WORK.contains(&flag.as_str()));
    }
    for (flag, value) in &mut candidate.settings {
        if flag == "form"
            && let Ok(form) = Form::from_str(value, false)
        {
            *value = form.for_kernel(kernel, fit_tolerance).to_string();
        }
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(axes: &[Axis]) -> Vec<Candidate> {
        candidates(Kernel::Viscosity, Some(1e-4), axes)
    }

    #[test]
    fn all_combinations_once() {
        let all = all(&[Axis::new("warps", &[4, 8, 16]), Axis::new("form", &["auto", "pairwise"])]);
        assert_eq!(all.len(), 6);
        assert!(all.iter().enumerate().all(|(i, one)| !all[..i].contains(one)));
        assert_eq!(super::candidates(Kernel::Viscosity, None, &[]).len(), 1);
    }

    #[test]
    fn what_changes_nothing_is_tried_once() {
        let layouts = Axis::new(LAYOUT, &["overlay", "data-parallel"]);
        let constants = Axis::new("constants", &["stripe", "shared"]);
        let tried: Vec<String> = all(&[layouts, constants]).iter().map(ToString::to_string).collect();
        let expected =
            ["codegen=overlay constants=stripe", "codegen=overlay constants=shared", "codegen=data-parallel"];
        assert_eq!(tried, expected);
        // Viscosity has no log-space form.
        assert_eq!(all(&[Axis::new("form", &["pairwise", "log-space", "low-rank"])]).len(), 2);
    }

    #[test]
    fn a_layout_is_no_field_of_the_tuning() {
        let one = &all(&[Axis::new(LAYOUT, &["overlay"]), Axis::new("warps", &[4])])[0];
        assert_eq!(one.table().keys().collect::<Vec<_>>(), ["warps"]);
        assert_eq!(one.layout(), Some(Layout::Overlay));
        assert_eq!(one.with("warps", "6").to_string(), "codegen=overlay warps=6");
    }
}
