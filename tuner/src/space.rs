//! Candidates to try: the default of `singe`, then all combinations of the values of some flags, each once.

use clap::ValueEnum;
use kernels::{Form, Kernel};
use overlay::Codegen;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use singe::cli::Layout;
use singe::driver::Request;
use singe::plan::varied::{self, LAYOUT};
use toml::{Table, Value};

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
    /// No setting at all: what `singe` takes by itself, with its own search among layouts.
    pub fn auto() -> Self {
        Self { settings: Vec::new() }
    }

    pub fn is_auto(&self) -> bool {
        self.settings.is_empty()
    }

    /// Keys and values of a configuration, in the order of the axes.
    pub fn entries(&self) -> impl Iterator<Item = (String, Value)> {
        let value = |text: &String| text.parse().map_or_else(|_| Value::String(text.clone()), Value::Integer);
        self.settings.iter().map(move |(flag, text)| (flag.clone(), value(text)))
    }

    /// Returns the settings that belong to the compiler's `Tuning`.
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
        if self.is_auto() {
            return f.write_str("auto");
        }
        let each: Vec<String> = self.settings.iter().map(|(flag, value)| format!("{flag}={value}")).collect();
        f.write_str(&each.join(" "))
    }
}

/// The candidates of a kernel: what `singe` takes by itself, then those of each layout, with what the user says and of the rest what is
/// usual for the layout. `is_fixed` tells flags that have the request's value.
pub fn all(kernel: Kernel, request: &Request, said: &[Axis], is_fixed: impl Fn(&str) -> bool) -> Vec<Candidate> {
    let layouts: Vec<Option<String>> = match said.iter().find(|axis| axis.flag == LAYOUT) {
        Some(axis) => axis.values.iter().cloned().map(Some).collect(),
        // A single layout is in the request.
        None if is_fixed(LAYOUT) || varied::layouts(&request.common).len() == 1 => vec![None],
        None => varied::layouts(&request.common).into_iter().map(|codegen| Some(codegen.name().to_owned())).collect(),
    };
    let own = layouts.iter().flat_map(|layout| {
        let axes = axes(kernel, layout.as_deref(), request, said, &is_fixed);
        candidates(kernel, request, &axes)
    });
    let mut seen = std::collections::HashSet::new();
    std::iter::once(Candidate::auto()).chain(own).filter(|candidate| seen.insert(candidate.clone())).collect()
}

/// Candidates in an order that is always the same and mixes them, behind those that `singe` takes by itself.
pub fn mixed(mut jobs: Vec<(Kernel, Candidate)>) -> Vec<(Kernel, Candidate)> {
    jobs.sort_by_cached_key(|(kernel, candidate)| {
        let digest = Sha256::digest(format!("{kernel} {candidate}"));
        (!candidate.is_auto(), digest)
    });
    jobs
}

/// So many of the candidates, mixed, but in their order.
pub fn limited(jobs: Vec<(Kernel, Candidate)>, most: usize) -> Vec<(Kernel, Candidate)> {
    let kept: std::collections::HashSet<_> = mixed(jobs.clone()).into_iter().take(most).collect();
    jobs.into_iter().filter(|job| kept.contains(job)).collect()
}

/// Flags and values to try in one layout, `None` where the request has it.
fn axes(
    kernel: Kernel,
    layout: Option<&str>,
    request: &Request,
    said: &[Axis],
    is_fixed: impl Fn(&str) -> bool,
) -> Vec<Axis> {
    let codegen = layout.and_then(|layout| codegens(layout).first().copied()).unwrap_or(request.codegen);
    let is_said = |flag: &str| is_fixed(flag) || said.iter().any(|axis| axis.flag == flag);
    let usual = varied::usual(kernel, codegen, &request.common).into_iter().filter(|(flag, _)| !is_said(flag));
    let usual = usual.map(|(flag, values)| Axis::new(flag, &values));
    let layout = layout.map(|layout| Axis::new(LAYOUT, &[layout]));
    layout.into_iter().chain(usual).chain(said.iter().filter(|axis| axis.flag != LAYOUT).cloned()).collect()
}

/// Returns the code generators that a layout stands for.
fn codegens(layout: &str) -> Vec<Codegen> {
    Layout::from_str(layout, false).map_or_else(|_| Vec::new(), Layout::codegens)
}

/// All combinations for a kernel; the values of the last axis change fastest. Combinations that give the same kernel count once: a
/// candidate has no flag that its layout does not heed, and the pairwise form where its kernel lacks the wanted one.
pub fn candidates(kernel: Kernel, request: &Request, axes: &[Axis]) -> Vec<Candidate> {
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
        .map(|candidate| heeded(kernel, request, candidate))
        .filter(|candidate| seen.insert(candidate.clone()))
        .collect()
}

fn heeded(kernel: Kernel, request: &Request, mut candidate: Candidate) -> Candidate {
    if let Some(layout) = candidate.layout() {
        let is_heeded = |flag: &str| {
            layout.codegens().into_iter().any(|codegen| varied::is_heeded(flag, kernel, codegen, &request.common))
        };
        candidate.settings.retain(|(flag, _)| is_heeded(flag));
    }
    for (flag, value) in &mut candidate.settings {
        if flag == "form"
            && let Ok(form) = Form::from_str(value, false)
        {
            *value = form.for_kernel(kernel, request.common.fit_tolerance()).to_string();
        }
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(axes: &[Axis]) -> Vec<Candidate> {
        candidates(Kernel::Viscosity, &Request::default(), axes)
    }

    #[test]
    fn all_combinations_once() {
        let all = all(&[Axis::new("warps", &[4, 8, 16]), Axis::new("form", &["auto", "pairwise"])]);
        assert_eq!(all.len(), 6);
        assert!(all.iter().enumerate().all(|(i, one)| !all[..i].contains(one)));
        assert_eq!(super::candidates(Kernel::Viscosity, &Request::default(), &[]).len(), 1);
    }

    #[test]
    fn what_changes_nothing_is_tried_once() {
        let layouts = Axis::new(LAYOUT, &["overlay", "data-parallel"]);
        let placement = Axis::new("placement", &["store", "buffer"]);
        let tried: Vec<String> = all(&[layouts, placement]).iter().map(ToString::to_string).collect();
        let expected = ["codegen=overlay placement=store", "codegen=overlay placement=buffer", "codegen=data-parallel"];
        assert_eq!(tried, expected);
        // Viscosity has no log-space form.
        assert_eq!(all(&[Axis::new("form", &["pairwise", "log-space", "low-rank"])]).len(), 2);
    }

    #[test]
    fn every_search_begins_with_auto_and_has_every_layout() {
        let target = machine::target::Target::by_name("hopper").unwrap();
        let request = Request::default().with(|request| request.common.target = target);
        let none = |_: &str| false;
        for kernel in [Kernel::Viscosity, Kernel::Chemistry, Kernel::IsobaricStep] {
            let all = super::all(kernel, &request, &[], none);
            assert!(all[0].is_auto() && all[1..].iter().all(|one| !one.is_auto()));
            for codegen in Codegen::value_variants() {
                assert!(all.iter().any(|one| one.value(LAYOUT) == Some(codegen.name())), "{kernel} {codegen:?}");
            }
            let slots = all.iter().any(|one| one.value("slots") == Some("global"));
            assert_eq!(slots, kernel == Kernel::IsobaricStep);
        }
        let said = [Axis::new(LAYOUT, &["overlay"]), Axis::new("warps", &[4, 6])];
        let all = super::all(Kernel::Viscosity, &request, &said, |flag| flag != LAYOUT && flag != "warps");
        let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["auto", "codegen=overlay warps=4", "codegen=overlay warps=6"]);
        let fixed = super::all(Kernel::Viscosity, &request, &[Axis::new("warps", &[4])], |flag| flag != "warps");
        assert_eq!(fixed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["auto", "warps=4"]);
    }

    #[test]
    fn a_part_has_auto_and_something_of_all() {
        let layouts = Axis::new(LAYOUT, &["overlay", "partial", "straight", "data-parallel"]);
        let own = all(&[layouts, Axis::new("warps", &[1, 2, 3, 4, 5, 6, 7, 8])]);
        let jobs: Vec<_> = std::iter::once(Candidate::auto()).chain(own).map(|one| (Kernel::Viscosity, one)).collect();
        let part = limited(jobs.clone(), 12);
        assert!(part.len() == 12 && part[0].1.is_auto());
        let layouts: std::collections::HashSet<_> = part.iter().filter_map(|(_, one)| one.value(LAYOUT)).collect();
        assert_eq!(layouts.len(), 4);
        assert_eq!(limited(jobs.clone(), 99), jobs);
        assert!(part.iter().map(|job| jobs.iter().position(|other| other == job)).is_sorted());
    }

    #[test]
    fn a_layout_is_no_field_of_the_tuning() {
        let one = &all(&[Axis::new(LAYOUT, &["overlay"]), Axis::new("warps", &[4])])[0];
        assert_eq!(one.table().keys().collect::<Vec<_>>(), ["warps"]);
        assert_eq!(one.layout(), Some(Layout::Overlay));
        assert_eq!(one.with("warps", "6").to_string(), "codegen=overlay warps=6");
    }
}
