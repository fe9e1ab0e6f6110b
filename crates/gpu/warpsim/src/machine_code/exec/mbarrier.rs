//! Barriers in shared memory, in ptxas's layout. From bit 1 on are 20 bits to which the count of missing arrivals is reset, as 2^20 less
//! their number. From bit 43 on are the same 20 bits, which every arrival counts up; and above them is the parity of the phase.

use super::Machine;
use super::memory::Part;
use crate::clock::VectorClock;
use crate::exec::Stop;
use crate::machine_code::op::{Address, OnMbarrier};
use crate::machine_code::trace::Event;
use crate::machine_code::warp::Warp;
use crate::memory::Lanes;
use ptx::inst::Space;

const COUNT: u32 = 43;
const FIELD: u64 = (1 << 20) - 1;
const PARITY: u32 = 63;

/// State of a barrier that the simulator keeps beside its bits.
#[derive(Default)]
pub(in crate::machine_code) struct Mbarrier {
    /// Clock that arrivals have released.
    clock: VectorClock,
    /// Number of arrivals since the CTA began, and up to the end of the last phase.
    arrivals: u32,
    complete: u32,
}

impl Machine<'_, '_> {
    /// Performs the operation; returns the lanes that need not ask again.
    pub(super) fn mbarrier(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        on: &OnMbarrier,
        address: &Address,
        mask: u32,
    ) -> Result<u32, Stop> {
        let parts = self.parts(warp, Space::Shared, 8, address, mask);
        match on {
            OnMbarrier::Arrive { d } => {
                let mut old = [0; 32];
                for (place, lane, one) in parts.iter().flat_map(each) {
                    old[lane] = self.updated(warp, pc, &one, lane, arrived)?;
                    let found = self.mbarriers.entry(place).or_default();
                    found.arrivals += 1;
                    found.clock.join(&warp.thread.clock);
                    if (arrived(old[lane]) ^ old[lane]) >> PARITY != 0 {
                        found.complete = found.arrivals;
                    }
                }
                warp.set_pair(*d, &old, mask);
                warp.thread.tick();
                if let (Some(trace), Some(place)) = (&mut self.trace, the_place(&parts)) {
                    trace.happens(Event::Arrives { place, lanes: mask.count_ones() });
                }
                Ok(mask)
            }
            OnMbarrier::Check { p, a } => {
                let (parities, mut holds, mut arrivals) = (*warp.row(self.code, *a), 0, 0);
                for (place, lane, one) in parts.iter().flat_map(each) {
                    let state = self.updated(warp, pc, &one, lane, |state| state)?;
                    let found = self.mbarriers.entry(place).or_default();
                    if state >> PARITY != u64::from(parities[lane] >> 31) {
                        holds |= 1 << lane;
                        arrivals = found.complete;
                        warp.thread.clock.join(&found.clock);
                    }
                }
                warp.set_pred(*p, holds, mask);
                if let (Some(trace), Some(place), true) = (&mut self.trace, the_place(&parts), holds == mask) {
                    trace.happens(Event::Awaits { place, arrivals });
                }
                Ok(holds)
            }
        }
    }
}

/// Returns each lane of an access, with its place.
fn each(part: &Part) -> impl Iterator<Item = (u64, usize, Lanes<'_>)> {
    let lanes = (0..32).filter(|lane| part.mask >> lane & 1 == 1);
    lanes.map(|lane| (part.bases[lane], lane, Lanes::new(&part.bases, 0, 1 << lane, 8)))
}

/// Returns the place if all lanes agree on it.
fn the_place(parts: &[Part]) -> Option<u32> {
    let mut places = parts.iter().flat_map(each).map(|(place, ..)| place);
    let first = places.next()?;
    places.all(|place| place == first).then_some(first as u32)
}

/// Returns the state after one more arrival: the last of a phase turns the parity, and sets the count again.
fn arrived(state: u64) -> u64 {
    let next = state.wrapping_add(1 << COUNT);
    if next >> COUNT & FIELD == 0 { next | (next >> 1 & FIELD) << COUNT } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_arrival_turns_the_parity() {
        let less = (1 << 20) - 3;
        let first = less << 1 | less << COUNT;
        let after = |arrivals| (0..arrivals).fold(first, |state, _| arrived(state));
        assert_eq!([0, 1, 2, 3, 5, 6].map(|arrivals| after(arrivals) >> PARITY), [0, 0, 0, 1, 1, 0]);
        assert_eq!(after(6), first);
    }
}
