//! Choice of the fastest layout of a kernel.

use overlay::Codegen;
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
    /// The least and the most of it in the steady state, over turns and over CTAs that begin together or apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range_ns: Option<[f64; 2]>,
    /// It was not compiled, as its estimate is far from the fastest time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// Times under other assumptions about the target; of the chosen version and of the next ones behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitivity: Option<Sensitivity>,
    /// Whether it takes less time than the chosen version under one of those assumptions, or within what these times vary by themselves.
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

    /// Returns the least and the most of its predicted time, in the steady state and under other assumptions. `None`: neither was run.
    pub fn band(&self) -> Option<[f64; 2]> {
        let own = self.predicted_ns?;
        let others = self.sensitivity.iter().flat_map(Sensitivity::all).chain(self.range_ns.into_iter().flatten());
        let is_known = self.sensitivity.is_some() || self.range_ns.is_some();
        is_known.then(|| others.fold([own; 2], |[least, most], time| [least.min(time), most.max(time)]))
    }

    /// Returns the least and the most of its time in the steady state, which is known to [`NOISE`].
    fn steady(&self) -> Option<[f64; 2]> {
        let own = self.predicted_ns?;
        let [least, most] = self.range_ns.unwrap_or([own; 2]);
        Some([least.min(own * (1.0 - NOISE)), most.max(own * (1.0 + NOISE))])
    }

    /// Whether its time may be no more than the other's.
    fn overlaps(&self, other: &Self) -> bool {
        self.steady().zip(other.steady()).is_some_and(|(own, other)| own[0] <= other[1] && other[0] <= own[1])
    }
}

impl Sensitivity {
    pub fn all(&self) -> impl Iterator<Item = f64> {
        let fetches = [self.caches_half_ns, self.caches_double_ns, self.fetch_latency_half_ns];
        fetches.into_iter().chain(self.ctas_elsewhere_ns)
    }
}

/// Versions that take up to so many times as long as the chosen one may be faster on a GPU.
const NEAR: f64 = 1.3;
/// So many of them are timed again.
const NEXT: usize = 2;
/// Data-parallel code that takes up to so many times as long as a warp-specialized version is timed again, too. Some versions take four times as long if CTAs begin
/// elsewhere (GRI-Mech 3.0's diffusion on Hopper: 0.53 ns, 2.14); one that is twice as fast as its rival gains as much as it may lose even then.
const NEAR_DATA_PARALLEL: f64 = 2.0;
/// Part of a time by which it is not known better: the mean of a turn has settled where it changes no more.
const NOISE: f64 = 0.01;

/// The places of the chosen version and of the next ones behind it, where the choice may depend on what is assumed; else none. If all of these are
/// warp-specialized, the fastest data-parallel version follows unless it is far behind: it seldom depends on assumptions.
pub fn finalists(layouts: &[LayoutTime], chosen: usize) -> Vec<usize> {
    let Some(least) = layouts[chosen].predicted_ns else { return Vec::new() };
    let time = |at: &usize| layouts[*at].predicted_ns.unwrap_or(f64::INFINITY);
    let within = |factor: f64| (0..layouts.len()).filter(move |at| *at != chosen && time(at) <= factor * least);
    let mut near: Vec<usize> = within(NEAR).collect();
    near.sort_by(|a, b| time(a).total_cmp(&time(b)));
    near.truncate(NEXT);
    near.insert(0, chosen);
    let is_data_parallel = |at: &usize| layouts[*at].codegen == Codegen::DataParallel.name();
    if !near.iter().any(is_data_parallel) {
        let others = within(NEAR_DATA_PARALLEL).filter(is_data_parallel);
        near.extend(others.min_by(|a, b| time(a).total_cmp(&time(b))));
    }
    if near.len() > 1 { near } else { Vec::new() }
}

/// Of the fastest version, which comes first, and the next ones behind it: the place of the one whose predicted time times its longest time, whatever is assumed,
/// is least. So of two versions one is taken if it gains more in the predicted time than it loses in the longest.
pub fn sturdiest(layouts: &[LayoutTime], near: &[usize]) -> Option<usize> {
    let fastest = *near.first()?;
    let risk = |at: usize| {
        let layout = &layouts[at];
        // what was not timed under other assumptions cannot be weighed
        let [_, most] = layout.band().filter(|_| layout.sensitivity.is_some())?;
        Some((at, layout.predicted_ns? * most))
    };
    let known: Vec<(usize, f64)> = near.iter().filter_map(|at| risk(*at)).collect();
    let is_weighed = known.iter().any(|(at, _)| *at == fastest);
    let sturdy = known.iter().filter(|_| is_weighed).min_by(|a, b| a.1.total_cmp(&b.1));
    Some(sturdy.map_or(fastest, |(at, _)| *at))
}

/// Marks the versions that take less time than the chosen one does, in any case that was timed or within what the times vary.
pub fn mark_undecided(layouts: &mut [LayoutTime], chosen: usize) {
    let own = layouts[chosen].clone();
    let Some(times) = own.sensitivity else { return };
    for (at, layout) in layouts.iter_mut().enumerate() {
        let less = |other: Sensitivity| other.all().zip(times.all()).any(|(other, own)| other < own);
        let is_faster = layout.predicted_ns.zip(own.predicted_ns).is_some_and(|(other, own)| other < own);
        let is_near = layout.sensitivity.is_some_and(|other| is_faster || less(other) || layout.overlaps(&own));
        layout.undecided = at != chosen && is_near;
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
            range_ns: None,
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

    /// A version whose time depends on where CTAs begin alone.
    fn timed(predicted: f64, range: [f64; 2], elsewhere: f64) -> LayoutTime {
        LayoutTime {
            range_ns: Some(range),
            sensitivity: Some(Sensitivity {
                caches_half_ns: predicted,
                caches_double_ns: predicted,
                fetch_latency_half_ns: predicted,
                ctas_elsewhere_ns: Some(elsewhere),
            }),
            ..layout(None, Some(predicted))
        }
    }

    #[test]
    fn what_may_lose_more_than_it_gains_is_not_taken() {
        // GRI-Mech's chemistry on Hopper: straight code takes less time where CTAs begin together, and twice as much elsewhere.
        let all = [timed(1.0, [0.98, 1.02], 2.22), timed(1.01, [1.0, 1.02], 1.0), timed(1.2, [1.19, 1.21], 1.0)];
        assert_eq!(sturdiest(&all, &[0, 1, 2]), Some(1));
        assert_eq!(sturdiest(&[layout(Some(1.0), None)], &[0]), Some(0), "nothing is known of its time");
        assert_eq!(sturdiest(&[layout(None, Some(1.0)), all[1].clone()], &[0, 1]), Some(0), "nor of its risk");
        assert_eq!(sturdiest(&[all[0].clone(), layout(None, Some(1.1))], &[0, 1]), Some(0), "nor of the other's");
        let far = [timed(0.9, [0.89, 0.91], 2.22), all[1].clone()];
        assert_eq!(sturdiest(&far, &[0, 1]), Some(1), "it gains 12 % and may lose 120 %");
        let mut marked = all.to_vec();
        mark_undecided(&mut marked, 1);
        assert_eq!(marked.iter().map(|layout| layout.undecided).collect::<Vec<_>>(), [true, false, false]);
        let slower = timed(1.5, [1.49, 1.51], 2.22);
        let mut with_slower = [far[0].clone(), slower];
        mark_undecided(&mut with_slower, 1);
        assert!(with_slower[0].undecided, "a driver tells whether the faster one is");
    }

    #[test]
    fn what_gains_more_than_it_may_lose_is_taken() {
        let steady = timed(1.04, [1.03, 1.05], 1.04);
        let sturdiest = |other: LayoutTime| sturdiest(&[other, steady.clone()], &[0, 1]);
        assert_eq!(sturdiest(timed(0.8, [0.79, 0.81], 1.19)), Some(0), "it gains 30 % and may lose 13 %");
        // n-heptane's diffusion on Hopper beside data-parallel code
        assert_eq!(sturdiest(timed(0.8, [0.79, 0.81], 1.43)), Some(1), "it gains 30 % and may lose 36 %");
        assert_eq!(sturdiest(timed(1.03, [1.02, 1.04], 1.1)), Some(1), "within what their times vary it may lose");
    }

    #[test]
    fn a_third_version_that_loses_to_both_changes_no_choice() {
        // n-heptane's again: beside the first one the third loses least, and it gains little beside the second
        let all = [timed(0.8, [0.79, 0.81], 1.43), timed(1.04, [1.03, 1.05], 1.04), timed(0.97, [0.96, 0.98], 1.33)];
        assert_eq!([sturdiest(&all, &[0, 1]), sturdiest(&all, &[0, 2, 1])], [Some(1), Some(1)]);
    }

    #[test]
    fn data_parallel_code_is_weighed_up_to_twice_as_slow() {
        let parallel = |time| LayoutTime { codegen: "data-parallel".into(), ..layout(None, Some(time)) };
        let partial = |time| LayoutTime { codegen: "partial".into(), ..layout(None, Some(time)) };
        let all = [parallel(1.9), partial(1.0), partial(1.1), partial(1.05), parallel(1.8), partial(1.01)];
        assert_eq!(finalists(&all, 1), [1, 5, 3, 4]);
        assert_eq!(finalists(&all[..2], 1), [1, 0]);
        assert!(finalists(&[partial(1.0), parallel(2.1)], 0).is_empty());
        assert!(finalists(&[parallel(1.0), parallel(1.4), partial(1.4)], 0).is_empty());
        assert_eq!(finalists(&[partial(1.0), parallel(1.2), parallel(1.4)], 0), [0, 1], "one of them is there");
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
