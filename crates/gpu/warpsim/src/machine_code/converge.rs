//! Reconvergence of lanes that diverged.
//!
//! `BSSY` notes the active lanes in a convergence barrier, and `BSYNC` waits for those of them that have neither ended nor left
//! by `BREAK`; `WARPSYNC` waits for the lanes of a mask. Between those, lanes that diverged go on one path after the other.
//! `BMOV` keeps a barrier in a register while an inner region uses it. After
//! Diamos, Johnson, Grover et al., "Execution of divergent threads using a convergence barrier" (patent US 2016/0019066), and Huerta
//! et al., "Control Flow Management in Modern GPUs" (2024).

use super::op::Word;
use super::warp::{Path, Wait, Waiting, Warp};

impl Warp {
    /// Splits the lanes of the path.
    pub(super) fn diverge(&mut self, ways: &[(u32, u32)]) {
        let top = self.path.top;
        self.ready.extend(ways.iter().map(|&(pc, mask)| Path { pc, mask, top }));
        self.path.mask = 0;
    }

    /// Lets the lanes of the mask meet at the barrier later.
    pub(super) fn join(&mut self, barrier: u8, mask: u32) {
        self.rejoin(barrier, &[mask; 32], mask);
    }

    /// Lets the lanes of the mask meet those that the word names at the barrier.
    pub(super) fn rejoin(&mut self, barrier: u8, with: &Word, mask: u32) {
        for lane in lanes(mask) {
            self.joined[barrier as usize][lane] = with[lane];
        }
    }

    /// Removes the lanes of the mask from the barrier.
    pub(super) fn leave(&mut self, barrier: u8, mask: u32) {
        let all = lanes(mask).fold(mask, |all, lane| all | self.joined[barrier as usize][lane]);
        for lane in lanes(all) {
            self.joined[barrier as usize][lane] &= !mask;
        }
        self.release();
    }

    /// Lets the lanes of the path in `mask` wait behind the instruction at `pc`, or go on at once if nobody is missing.
    pub(super) fn wait(&mut self, pc: u32, mask: u32, wait: Wait) {
        if self.named(wait, mask) == mask {
            if let Wait::Token(token) = wait {
                self.path = self.tokens.target(token, mask);
                self.tokens.drop(token);
                self.release();
            }
            return;
        }
        self.path.mask &= !mask;
        self.waiting.push(Waiting { path: Path { pc, mask, top: self.path.top }, wait });
        self.release();
    }

    /// Ends the lanes of the mask.
    pub(super) fn end(&mut self, mask: u32) {
        self.live &= !mask;
        self.path.mask &= !mask;
        self.release();
    }

    /// Takes the next path once the current one is done; false if there is none.
    pub(super) fn proceed(&mut self) -> bool {
        if self.path.mask == 0
            && let Some(path) = self.ready.pop()
        {
            self.path = path;
        }
        self.path.mask != 0
    }

    /// Returns the lanes, of those that have not ended, that must come before the lanes of the mask go on.
    pub(super) fn named(&self, wait: Wait, mask: u32) -> u32 {
        let lane = mask.trailing_zeros() as usize & 31;
        let named = match wait {
            Wait::Convergence(barrier) => self.joined[barrier as usize][lane],
            Wait::Token(token) => self.tokens.lanes(token),
            Wait::Lanes(named) => named,
            Wait::Warp => u32::MAX,
        };
        (named | mask) & self.live
    }

    /// Lets all waiting lanes go on whose last lanes have come.
    fn release(&mut self) {
        let complete = |warp: &Self, first: &Waiting| {
            let named = warp.named(first.wait, first.path.mask);
            let same = |other: &&Waiting| other.wait == first.wait && named & other.path.mask != 0;
            let come = warp.waiting.iter().filter(same).fold(0, |come, other| come | other.path.mask);
            let together =
                first.wait != Wait::Warp || warp.waiting.iter().filter(same).all(|w| w.path.pc == first.path.pc);
            (come == named && together).then_some((first.wait, named))
        };
        while let Some((wait, named)) = self.waiting.iter().find_map(|first| complete(self, first)) {
            let (free, rest): (Vec<_>, Vec<_>) =
                self.waiting.drain(..).partition(|other| other.wait == wait && named & other.path.mask != 0);
            self.waiting = rest;
            for Waiting { path, .. } in free {
                let path = match wait {
                    // an instruction of the whole warp is executed once all have come
                    Wait::Warp => path,
                    Wait::Token(token) => self.tokens.target(token, path.mask),
                    _ => Path { pc: path.pc + 1, ..path },
                };
                match self.ready.iter_mut().find(|ready| (ready.pc, ready.top) == (path.pc, path.top)) {
                    Some(ready) => ready.mask |= path.mask,
                    None => self.ready.push(path),
                }
            }
            if let Wait::Token(token) = wait {
                self.tokens.drop(token);
            }
        }
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
