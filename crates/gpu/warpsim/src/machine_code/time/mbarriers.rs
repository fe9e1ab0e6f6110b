//! Barriers in shared memory, in time: a wait that succeeded in the execution is over once the arrivals that it was for have come.

use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Mbarriers(BTreeMap<u32, Place>);

#[derive(Default)]
struct Place {
    arrivals: u32,
    /// Numbers of arrivals, each with the time at which they had come.
    came: Vec<(u32, u64)>,
    /// Waiting warps, and the arrivals that they wait for.
    waiting: Vec<(usize, u32)>,
}

impl Mbarriers {
    /// Records the arrival of lanes; returns the warps that wait no longer.
    pub(super) fn arrive(&mut self, place: u32, lanes: u32, at: u64) -> Vec<usize> {
        let place = self.0.entry(place).or_default();
        place.arrivals += lanes;
        place.came.push((place.arrivals, at));
        let arrivals = place.arrivals;
        place.waiting.extract_if(.., |(_, needed)| *needed <= arrivals).map(|(warp, _)| warp).collect()
    }

    /// Returns the time at which this many arrivals have come; `None`: they have not yet.
    pub(super) fn wait(&mut self, place: u32, needed: u32, warp: usize) -> Option<u64> {
        let place = self.0.entry(place).or_default();
        let at = place.came.partition_point(|(arrivals, _)| *arrivals < needed);
        let came = place.came.get(at).map(|(_, at)| *at);
        if came.is_none() {
            place.waiting.push((warp, needed));
        }
        came
    }
}
