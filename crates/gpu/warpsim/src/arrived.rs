//! Arrivals of the lanes of a warp in one phase of a barrier.
//!
//! An arrival releases what its own lane did before. So the end of the phase orders accesses of each lane up to its arrival, and none
//! between the arrival and the wait.

use super::thread::Thread;

#[derive(Clone, Copy, Default)]
pub(super) struct Arrived {
    pub lanes: u32,
    /// Time of each lane's last arrival, by the warp's own clock.
    times: [u32; 32],
    /// Place of that arrival in the order of the warp's lanes, as the domain counts it.
    pub marks: [u64; 32],
}

impl Arrived {
    /// Adds the arrival of these lanes now.
    pub(super) fn add(&mut self, thread: &Thread, lanes: u32, mark: u64) {
        self.lanes |= lanes;
        for lane in (0..32).filter(|lane| lanes >> lane & 1 == 1) {
            (self.times[lane], self.marks[lane]) = (thread.clock[thread.index], mark);
        }
    }

    /// Returns the time of the lane's last arrival; `None` without one.
    pub(super) fn time(&self, lane: usize) -> Option<u32> {
        (self.lanes >> lane & 1 == 1).then_some(self.times[lane])
    }
}
