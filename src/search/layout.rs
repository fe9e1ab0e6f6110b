//! Choice of the fastest layout of a kernel.

use serde::Serialize;
use std::cmp::Ordering;

/// Time of one layout as far as it is known, in nanoseconds per point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayoutTime {
    pub codegen: String,
    pub warps: u32,
    /// CTAs that an SM holds.
    pub ctas_per_sm: u32,
    /// The algebra, with the way to multiply matrices.
    pub form: String,
    /// Memory of the constants.
    pub constants: String,
    /// Inputs are copied ahead.
    pub prefetch: bool,
    pub estimated_ns: Option<f64>,
    /// Time by the full model, where machine code was there to run.
    pub predicted_ns: Option<f64>,
    /// It was not compiled, as its estimate is far from the fastest time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// Times under other assumptions about the target; of the chosen version and of the next ones behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
    /// Whether it takes less time than the chosen version under one of those assumptions.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undecided: bool,
}

/// Times of a version under other assumptions about the target, in nanoseconds per point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sensitivity {
    /// Times with caches for instructions of half the capacity, and of twice the capacity.
    pub caches_half_ns: f64,
    pub caches_double_ns: f64,
    /// Time with instructions that come from the cache of the SM in half the time.
    pub fetch_latency_half_ns: f64,
    /// Time with CTAs that do not all begin on one sub-partition, where it is assumed that they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctas_elsewhere_ns: Option<f64>,
}

impl LayoutTime {
    /// Returns what was known of it before it was timed again.
    pub fn without_doubt(&self) -> Self {
        Self { sensitivity: None, undecided: false, ..self.clone() }
    }
}

impl Sensitivity {
    pub fn all(&self) -> impl Iterator<Item = f64> {
        let fetches = [self.caches_half_ns, self.caches_double_ns, self.fetch_latency_half_ns];
        fetches.into_iter().chain(self.ctas_elsewhere_ns)
    }

    /// Returns the least and the most of these times and of the predicted one.
    pub fn band(&self, predicted_ns: f64) -> [f64; 2] {
        [self.all().fold(predicted_ns, f64::min), self.all().fold(predicted_ns, f64::max)]
    }
}

/// Versions that take up to so many times as long as the chosen one may be faster on a GPU.
const NEAR: f64 = 1.3;
/// So many of them are timed again.
const NEXT: usize = 2;

/// The places of the chosen version and of the next ones behind it, where the choice may depend on what is assumed; else none.
pub fn finalists(layouts: &[LayoutTime], chosen: usize) -> Vec<usize> {
    let Some(least) = layouts[chosen].predicted_ns else { return Vec::new() };
    let near = |at: &usize| *at != chosen && layouts[*at].predicted_ns.is_some_and(|time| time <= NEAR * least);
    let mut behind: Vec<usize> = (0..layouts.len()).filter(near).collect();
    behind.sort_by(|a, b| layouts[*a].predicted_ns.partial_cmp(&layouts[*b].predicted_ns).unwrap_or(Ordering::Equal));
    behind.truncate(NEXT);
    if behind.is_empty() { behind } else { [vec![chosen], behind].concat() }
}

/// Marks the versions that take less time than the chosen one does, if what is assumed is otherwise.
pub fn mark_undecided(layouts: &mut [LayoutTime], chosen: usize) {
    let Some(own) = layouts[chosen].sensitivity else { return };
    for (at, layout) in layouts.iter_mut().enumerate() {
        let less = |other: Sensitivity| other.all().zip(own.all()).any(|(other, own)| other < own);
        layout.undecided = at != chosen && layout.sensitivity.is_some_and(less);
    }
}

/// The place of the version that may be faster than the chosen one: of those marked so, the one that takes least time.
pub fn alternative(layouts: &[LayoutTime]) -> Option<usize> {
    let marked = (0..layouts.len()).filter(|at| layouts[*at].undecided);
    marked.min_by(|a, b| layouts[*a].predicted_ns.partial_cmp(&layouts[*b].predicted_ns).unwrap_or(Ordering::Equal))
}

/// The place of the layout that takes least time; the first of equal ones. Of those that were not left out the full model decides where it
/// knows all of them, else the estimate.
pub fn fastest(layouts: &[LayoutTime]) -> usize {
    fastest_beside(layouts, &[]).expect("a kernel has a layout")
}

/// The same without some of the places.
pub fn fastest_beside(layouts: &[LayoutTime], without: &[usize]) -> Option<usize> {
    let places = (0..layouts.len()).filter(|at| !layouts[*at].left_out && !without.contains(at));
    let all_predicted = places.clone().all(|at| layouts[at].predicted_ns.is_some());
    let time = |layout: &LayoutTime| {
        let time = if all_predicted { layout.predicted_ns } else { layout.estimated_ns };
        time.unwrap_or(f64::INFINITY)
    };
    places.min_by(|&a, &b| time(&layouts[a]).total_cmp(&time(&layouts[b])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(estimated_ns: Option<f64>, predicted_ns: Option<f64>) -> LayoutTime {
        LayoutTime {
            codegen: String::new(),
            warps: 8,
            ctas_per_sm: 1,
            form: String::new(),
            constants: String::new(),
            prefetch: false,
            estimated_ns,
            predicted_ns,
            left_out: false,
            sensitivity: None,
            undecided: false,
        }
    }

    #[test]
    fn what_is_near_is_timed_again_and_may_be_undecided() {
        let times = [2.0, 1.0, 1.2, 1.29, 1.25];
        let mut all: Vec<LayoutTime> = times.iter().map(|time| layout(None, Some(*time))).collect();
        assert_eq!(finalists(&all, 1), [1, 2, 4]);
        assert!(finalists(&all[..2], 1).is_empty());
        let other = |half, double| {
            let (caches_half_ns, caches_double_ns, fetch_latency_half_ns) = (half, double, 0.9);
            Some(Sensitivity { caches_half_ns, caches_double_ns, fetch_latency_half_ns, ctas_elsewhere_ns: Some(2.0) })
        };
        (all[1].sensitivity, all[2].sensitivity, all[4].sensitivity) =
            (other(1.5, 0.9), other(1.4, 1.1), other(1.6, 1.2));
        mark_undecided(&mut all, 1);
        assert_eq!(all.iter().map(|layout| layout.undecided).collect::<Vec<_>>(), [false, false, true, false, false]);
        assert_eq!(alternative(&all), Some(2));
        let elsewhere = all[4].sensitivity.map(|other| Sensitivity { ctas_elsewhere_ns: Some(1.9), ..other });
        let mut placed = all.clone();
        placed[4].sensitivity = elsewhere;
        mark_undecided(&mut placed, 1);
        assert!(placed[4].undecided, "faster where CTAs begin elsewhere");
        all[4].undecided = true;
        assert_eq!(alternative(&all), Some(2), "the faster of two");
        assert_eq!(alternative(&all[..2]), None);
    }

    #[test]
    fn the_full_model_decides_where_it_knows_all() {
        let both = [layout(Some(1.0), Some(3.0)), layout(Some(2.0), Some(2.0))];
        assert_eq!(fastest(&both), 1);
        assert_eq!(fastest(&[both[0].clone(), layout(Some(2.0), None)]), 0);
        let left_out = LayoutTime { left_out: true, ..layout(Some(0.5), None) };
        assert_eq!(fastest(&[left_out, both[0].clone(), both[1].clone()]), 2, "what was left out is not chosen");
        assert_eq!(fastest_beside(&both, &[1]), Some(0), "the other's code cannot be run");
        assert_eq!(fastest_beside(&both, &[1, 0]), None);
        assert_eq!(fastest(&[layout(None, None), layout(Some(2.0), None), layout(Some(2.0), None)]), 1);
    }
}
