//! Loops that wait for a store to shared memory, and the stores that may end them.
//!
//! A store ends no loop that it is certainly in front of or behind. A store in front decides whether the loop waits at all, which depends on data.

use super::known::Known;
use super::waits::{may_wait, only_looks};
use crate::clock::VectorClock;
use crate::decode::{Code, MemoryAccess, Micro};
use crate::memory::Lanes;
use crate::warp::Warp;
use std::collections::{BTreeMap, BTreeSet};

/// A warp in a loop.
struct Spin {
    pc: u32,
    warp: usize,
    /// The words that it looks at.
    words: BTreeSet<u64>,
    /// The warp's clock when it came, the time up to which its lanes were ordered, and its own time behind the loop.
    begin: VectorClock,
    ordered: u32,
    end: u32,
}

/// A store to a word.
struct Store {
    warp: usize,
    clock: VectorClock,
    /// Time, by its own clock, up to which all lanes of the warp are ordered.
    ordered: u32,
}

/// Loops and stores of one CTA, or of the CTAs of a cluster.
#[derive(Default)]
pub(super) struct Spins {
    followed: bool,
    spins: Vec<Spin>,
    stores: BTreeMap<u64, Vec<Store>>,
    /// Whether there are more stores than are kept, or one whose place is not known.
    any: bool,
    /// Loops that wait for a word that nobody stores, and the waiting warp.
    pub endless: BTreeMap<u32, u32>,
}

/// Stores to one word that are kept.
const MOST: usize = 1 << 10;

impl Spins {
    pub(super) fn new(code: &Code) -> Self {
        Self { followed: may_wait(code), ..Self::default() }
    }

    /// Returns the words that the loop looks at, if all of them are known.
    pub(super) fn words(&self, code: &Code, warp: &Warp<Known>, loads: &[u32], lanes: u32) -> Option<BTreeSet<u64>> {
        let mut words = BTreeSet::new();
        for pc in loads.iter().filter(|_| self.followed && code.ranks == 1) {
            let Micro::MemoryAccess(access) = &code.ops[*pc as usize].micro else { return None };
            let (MemoryAccess::Load { base, offset, .. } | MemoryAccess::Atomic { base, offset, .. }) = access else {
                return None;
            };
            if access.space() != ptx::inst::Space::Shared || lanes & !warp.knows(*base) != 0 {
                return None;
            }
            let row = base.row(&warp.regs, &code.pool);
            let active = (0..32).filter(|lane| lanes >> lane & 1 == 1);
            words.extend(active.map(|lane: usize| (row[lane].wrapping_add(*offset) & 0xffff_ffff) / 4));
        }
        (!words.is_empty()).then_some(words)
    }

    /// Notes that the warp is behind a loop that it came to with that knowledge.
    pub(super) fn spin(&mut self, warp: &mut Warp<Known>, pc: u32, words: BTreeSet<u64>, begin: VectorClock) {
        warp.thread.tick();
        let (warp, ordered, end) = (warp.thread.index, warp.thread.ordered, warp.thread.clock[warp.thread.index]);
        self.spins.push(Spin { pc, warp, words, begin, ordered, end });
    }

    /// Notes that lanes store to shared memory.
    pub(super) fn store(&mut self, code: &Code, warp: &Warp<Known>, pc: u32, lanes: &Lanes) {
        if !self.followed || only_looks(code, pc) {
            return;
        }
        let thread = &warp.thread;
        for lane in lanes.active() {
            let address = lanes.address(lane) & 0xffff_ffff;
            for word in address / 4..=(address + u64::from(lanes.bytes) - 1) / 4 {
                let list = self.stores.entry(word).or_default();
                let same = |store: &Store| store.warp == thread.index && store.clock == thread.clock;
                if list.len() >= MOST {
                    self.any = true;
                } else if !list.last().is_some_and(same) {
                    list.push(Store { warp: thread.index, clock: thread.clock, ordered: thread.ordered });
                }
            }
        }
    }

    /// Notes that lanes store somewhere.
    pub(super) fn store_somewhere(&mut self) {
        self.any = true;
    }

    /// Ends the CTA.
    pub(super) fn settle(&mut self) {
        let (stores, any) = (std::mem::take(&mut self.stores), std::mem::take(&mut self.any));
        for spin in self.spins.drain(..) {
            let mut of_words = spin.words.iter().filter_map(|word| stores.get(word)).flatten();
            if !any && !of_words.any(|store| may_end(&spin, store)) {
                self.endless.entry(spin.pc).or_insert(spin.warp as u32);
            }
        }
    }
}

/// Whether the store is neither in front of the loop nor behind it.
fn may_end(spin: &Spin, store: &Store) -> bool {
    if store.warp == spin.warp {
        // other lanes, or such as have left the loop, may store while some are in it
        let time = store.clock[store.warp];
        return if time >= spin.end { store.ordered < spin.end } else { time > spin.ordered };
    }
    store.clock[store.warp] > spin.begin[store.warp] && store.clock[spin.warp] < spin.end
}
