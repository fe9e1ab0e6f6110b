//! Instructions that lanes of a warp execute together: shuffles, votes, matches, reductions, products of matrices and
//! `bar.warp.sync`.
//!
//! Up to sm_62 the lanes of a warp run in lockstep, and those that a mask names must be there. From sm_70 on each lane proceeds
//! independently (CUDA C++ Programming Guide, "Independent Thread Scheduling"): it waits until all lanes that its mask names, and
//! that have not ended, wait at the same operation with the same mask. A lane waits at one instruction at a time, so the groups
//! that form do not depend on the order in which lanes run.

use super::{Event, Machine, Stop, barrier};
use crate::decode::{Code, Collective, MatrixBlock, Micro, Source};
use crate::domain::{ALL, Domain, Knowledge, Undecided};
use crate::hazard::Kind;
use crate::lanes::{holds, matches, missing_lane, multiply_add, reduce, shuffle, vote};
use crate::rows::Row;
use crate::warp::{Waiting, Warp};
use ptx::inst::{ShflMode, VoteMode};

impl<D: Domain> Machine<'_, '_, D> {
    /// Lets the lanes of `mask` come to the instruction. Returns a barrier of the CTA if they were the last that it waited for.
    pub(super) fn cooperate(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        op: &Collective,
        mask: u32,
    ) -> Result<Option<Event>, Stop> {
        let named = op.named();
        if self.domain.apart() || self.domain.perhaps() && mask != warp.live {
            return D::undecided(self, warp, pc, mask, Undecided::Company).map(|()| None);
        }
        if named.is_none() && mask == warp.live {
            return self.together(warp, &[(pc, mask)]).map(|()| None);
        }
        if mask & !named.map_or(ALL, |named| warp.knows(named)) != 0 {
            if D::in_groups(self, warp, op, mask) {
                return D::undecided(self, warp, pc, mask, Undecided::Values).map(|()| None);
            }
            return D::undecided(self, warp, pc, mask, Undecided::Mask).map(|()| None);
        }
        let names = named.map_or([ALL; 32], |named| named.row(&warp.regs, &self.code.pool).map(|mask| mask as u32));
        if !self.code.independent_lanes() {
            if let Some(kind) = named.and_then(|_| absent(&names, mask, warp.live)) {
                return Err(self.fatal(warp, pc, kind));
            }
            return self.together(warp, &[(pc, mask)]).map(|()| None);
        }
        let mut rest = mask;
        while rest != 0 {
            let name = names[rest.trailing_zeros() as usize];
            let lanes = (0..32).filter(|lane| rest >> lane & 1 == 1 && names[*lane] == name);
            let lanes = lanes.fold(0, |lanes, lane| lanes | 1 << lane);
            rest &= !lanes;
            if lanes & !name != 0 {
                let lane = (lanes & !name).trailing_zeros();
                return Err(self.fatal(warp, pc, Kind::UnnamedLane { lane, mask: name }));
            }
            if name & warp.live == lanes {
                self.together(warp, &[(pc, lanes)])?;
            } else if self.domain.perhaps() {
                return D::undecided(self, warp, pc, mask, Undecided::Company).map(|()| None);
            } else {
                let aligned =
                    matches!(op, Collective::Matrix { .. } | Collective::Product(_) | Collective::Fragments(_));
                warp.wait(pc, lanes, name, aligned);
            }
        }
        self.gather(warp)
    }

    /// Lets all complete groups of lanes go on; returns a barrier of the CTA if that is where they waited.
    pub(super) fn gather(&mut self, warp: &mut Warp<D::Knowledge>) -> Result<Option<Event>, Stop> {
        while let Some(group) = self.complete(warp) {
            warp.go_on(&group);
            let pc = group[0].pc;
            if let Micro::Bar { .. } = &self.code.ops[pc as usize].micro {
                return self.arrive(warp, pc, warp.live, group[0].lanes).map(Some);
            }
            let members: Vec<(u32, u32)> = group.iter().map(|member| (member.pc, member.lanes)).collect();
            self.together(warp, &members)?;
        }
        Ok(None)
    }

    /// Takes a complete group from the waiting lanes.
    fn complete(&self, warp: &mut Warp<D::Knowledge>) -> Option<Vec<Waiting>> {
        let ops = &self.code.ops;
        let alike = |a: &Waiting, b: &Waiting| match (&ops[a.pc as usize].micro, &ops[b.pc as usize].micro) {
            (Micro::Bar { .. }, Micro::Bar { .. }) => self.one_barrier(warp, a, b),
            (a, b) => alike(a, b),
        };
        let joins = |a: &Waiting, b: &Waiting| a.named == b.named && (a.pc == b.pc || alike(a, b));
        let group = |first: &&Waiting| {
            let lanes = warp.waiting.iter().filter(|other| joins(first, other)).fold(0, |all, w| all | w.lanes);
            lanes == first.named & warp.live
        };
        let first = warp.waiting.iter().position(|first| group(&first))?;
        let (mut of, mut rest) = (Vec::new(), Vec::new());
        let is_member: Vec<bool> = warp.waiting.iter().map(|other| joins(&warp.waiting[first], other)).collect();
        for (waiting, is_member) in std::mem::take(&mut warp.waiting).into_iter().zip(is_member) {
            if is_member { of.push(waiting) } else { rest.push(waiting) }
        }
        warp.waiting = rest;
        Some(of)
    }

    /// Whether lanes at two barrier instructions of the CTA, which need not be the same instruction, wait at one barrier.
    fn one_barrier(&self, warp: &Warp<D::Knowledge>, a: &Waiting, b: &Waiting) -> bool {
        let named = |waiting: &Waiting| match &self.code.ops[waiting.pc as usize].micro {
            Micro::Bar { kind, aligned: false, id, threads, result: None } => {
                barrier(warp, self.code, *id, *threads, waiting.lanes).map(|named| (*kind, named))
            }
            _ => None,
        };
        named(a).is_some_and(|of_a| named(b) == Some(of_a))
    }

    /// Executes an instruction whose lanes have all come; they may stand at several places.
    fn together(&mut self, warp: &mut Warp<D::Knowledge>, members: &[(u32, u32)]) -> Result<(), Stop> {
        let all = members.iter().fold(0, |all, (_, lanes)| all | lanes);
        let code = self.code;
        if all == warp.live && self.asynchronous.has_barriers() && !self.domain.perhaps() {
            // each lane has executed what stands before, although this orders no accesses
            let (own, time) = (warp.thread.index, warp.thread.clock[warp.thread.index]);
            warp.thread.learn(all, warp.live, |clock| clock.executed(own, time));
        }
        match &code.ops[members[0].0 as usize].micro {
            Micro::Collective(Collective::WarpBarrier { .. }) => {
                D::ordered(self, warp, all);
                if self.domain.perhaps() {
                    // the order ends with the side of the branch
                } else if all == warp.live {
                    warp.thread.meet();
                } else {
                    warp.thread.tick();
                }
            }
            Micro::Collective(Collective::Matrix { b, blocks }) => {
                if let Some(kind) = missing_lane(all) {
                    return Err(self.fatal(warp, members[0].0, kind));
                }
                // all are read before any is written
                let product = |block: &MatrixBlock| {
                    let MatrixBlock { a, c: [c0, c1], .. } = *block;
                    let known = all_or_none(warp.know([a, *b, c0, c1]), all);
                    let [a, b, c0, c1] = [&a, b, &c0, &c1].map(|source| source.row(&warp.regs, &code.pool));
                    (known, multiply_add(a, b, [c0, c1]))
                };
                let products: Vec<_> = blocks.iter().map(product).collect();
                for (block, (known, rows)) in blocks.iter().zip(&products) {
                    for (d, row) in block.d.iter().zip(rows) {
                        warp.write(*d, row, *known, all);
                    }
                }
            }
            Micro::Collective(Collective::Fragments(fragments)) => {
                if let Some(kind) = missing_lane(all) {
                    return Err(self.fatal(warp, members[0].0, kind));
                }
                self.fragments(warp, members[0].0, fragments)?;
            }
            Micro::Collective(Collective::Product(_)) => {
                if let Some(kind) = missing_lane(all) {
                    return Err(self.fatal(warp, members[0].0, kind));
                }
                D::undecided(self, warp, members[0].0, all, Undecided::Values)?;
            }
            _ if members.len() == 1 => self.exchange(warp, members[0], None, all)?,
            _ => {
                let brought = self.brought(warp, members);
                for member in members {
                    self.exchange(warp, *member, Some(&brought), all)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the values that lanes at several places bring to an exchange, and the lanes that know them.
    fn brought(&self, warp: &Warp<D::Knowledge>, members: &[(u32, u32)]) -> (Row, u32) {
        let (mut row, mut known) = ([0; 32], 0);
        for (pc, lanes) in members {
            let (part, aware) = match &self.code.ops[*pc as usize].micro {
                Micro::Collective(
                    Collective::Shuffle { a, .. } | Collective::Match { a, .. } | Collective::Redux { a, .. },
                ) => (*a.row(&warp.regs, &self.code.pool), warp.knows(*a)),
                Micro::Collective(Collective::Vote { pred, negate, .. }) => {
                    (row_of(holds(&warp.preds, (*pred, *negate))), warp.knowledge.pred(*pred))
                }
                _ => ([0; 32], 0),
            };
            for lane in (0..32).filter(|lane| lanes >> lane & 1 == 1) {
                row[lane] = part[lane];
            }
            known |= aware & lanes;
        }
        (row, known)
    }

    /// Returns the results of an exchange among the lanes of `all`, for those that stand at one place.
    fn exchange(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        (pc, lanes): (u32, u32),
        brought: Option<&(Row, u32)>,
        all: u32,
    ) -> Result<(), Stop> {
        let code = self.code;
        let pool = &code.pool;
        match &code.ops[pc as usize].micro {
            Micro::Collective(Collective::Shuffle { .. }) => self.shuffled(warp, (pc, lanes), brought, all)?,
            Micro::Collective(Collective::Vote { mode, d, pred, negate, .. }) => {
                let (votes, aware) = match brought {
                    Some((row, aware)) => (bits_of(row), *aware),
                    None => (holds(&warp.preds, (*pred, *negate)), warp.knowledge.pred(*pred)),
                };
                let (mut bits, mut known) = (vote(*mode, votes, all), all_or_none(aware, all));
                // lanes that stand at several places are not asked twice
                if known == 0
                    && *mode != VoteMode::Ballot
                    && brought.is_none()
                    && let Some(value) = self.domain.choose(pc)
                {
                    (bits, known) = (if value { ALL } else { 0 }, ALL);
                }
                match mode {
                    VoteMode::Ballot => {
                        warp.write(*d, &[bits.into(); 32], known, lanes);
                        warp.knowledge.agree(*d, lanes);
                    }
                    _ => {
                        warp.write_pred(*d, bits, known, lanes);
                        warp.knowledge.agree_pred(*d, lanes);
                    }
                }
            }
            Micro::Collective(Collective::Match { all: whole, d, valid, a, .. }) => {
                let (row, aware) = brought.copied().unwrap_or_else(|| (*a.row(&warp.regs, pool), warp.knows(*a)));
                let ((row, agree), known) = (matches(*whole, &row, all), all_or_none(aware, all));
                warp.write(*d, &row, known, lanes);
                if !whole && known == 0 && lanes == all && brought.is_none() {
                    D::divided(warp, *d, lanes);
                }
                if let Some(valid) = valid {
                    warp.write_pred(*valid, if agree { ALL } else { 0 }, known, lanes);
                }
            }
            Micro::Collective(Collective::Elect { lane, pred, .. }) => {
                let leader = all.trailing_zeros();
                D::elected(self, warp, pc);
                if let Some(lane) = lane {
                    warp.write(*lane, &[leader.into(); 32], ALL, lanes);
                }
                if let Some(pred) = pred {
                    warp.write_pred(*pred, 1 << leader, ALL, lanes);
                }
            }
            Micro::Collective(Collective::Redux { f, d, a, .. }) => {
                let (row, aware) = brought.copied().unwrap_or_else(|| (*a.row(&warp.regs, pool), warp.knows(*a)));
                let known = all_or_none(aware, all);
                warp.compute(*d, known, lanes, |_| [reduce(f, &row, all); 32]);
                warp.knowledge.agree(*d, lanes);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the values that a shuffle among the lanes of `all` gives those that stand at one place.
    fn shuffled(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        (pc, lanes): (u32, u32),
        brought: Option<&(Row, u32)>,
        all: u32,
    ) -> Result<(), Stop> {
        let code = self.code;
        let pool = &code.pool;
        let Micro::Collective(Collective::Shuffle { mode, d, valid, a, lane, clamp, .. }) =
            &code.ops[pc as usize].micro
        else {
            return Ok(());
        };
        let certain = lanes & !warp.know([*lane, *clamp]) == 0;
        let (mut known, mut inside) = (0, 0);
        if certain {
            let (a, aware) = match brought {
                Some((row, aware)) => (row, *aware),
                None => (a.row(&warp.regs, pool), warp.knows(*a)),
            };
            let [lane, clamp] = [lane, clamp].map(|source| source.row(&warp.regs, pool));
            let moved = |row: &Row| shuffle(*mode, [row, lane, clamp], lanes, all);
            let moved = moved(a).and_then(|(row, inside)| {
                let known = if aware == ALL { ALL } else { bits_of(&moved(&row_of(aware))?.0) };
                Ok((row, inside, known))
            });
            let row;
            (row, inside, known) = moved.map_err(|kind| self.fatal(warp, pc, kind))?;
            warp.write(*d, &row, known, lanes);
        } else {
            warp.knowledge.learn(*d, known, lanes);
        }
        if let Some(valid) = valid {
            warp.write_pred(*valid, inside, if certain { ALL } else { 0 }, lanes);
        }
        if *mode == ShflMode::Idx && lanes == all && D::is_one(warp, *lane, all) && takes_any(warp, code, *clamp) {
            warp.knowledge.agree(*d, lanes);
        }
        Ok(())
    }
}

/// Whether lanes at one instruction wait for the same as lanes at the other.
fn alike(a: &Micro, b: &Micro) -> bool {
    match (a, b) {
        (
            Micro::Collective(Collective::Shuffle { mode: a, .. }),
            Micro::Collective(Collective::Shuffle { mode: b, .. }),
        ) => a == b,
        (Micro::Collective(Collective::Vote { mode: a, .. }), Micro::Collective(Collective::Vote { mode: b, .. })) => {
            a == b
        }
        (Micro::Collective(Collective::Match { all: a, .. }), Micro::Collective(Collective::Match { all: b, .. })) => {
            a == b
        }
        (Micro::Collective(Collective::WarpBarrier { .. }), Micro::Collective(Collective::WarpBarrier { .. }))
        | (Micro::Collective(Collective::Elect { .. }), Micro::Collective(Collective::Elect { .. })) => true,
        // these must be the same instruction
        _ => false,
    }
}

/// Returns the first lane of the mask that names other lanes than those of the mask.
fn absent(names: &[u32; 32], mask: u32, live: u32) -> Option<Kind> {
    let lane = (0..32u32).find(|lane| mask >> lane & 1 == 1 && names[*lane as usize] & live != mask)?;
    let absent = (names[lane as usize] & live ^ mask).trailing_zeros();
    Some(Kind::AbsentLane { lane, absent })
}

/// Whether a shuffle by index takes its value from any lane of the warp.
fn takes_any<K: Knowledge>(warp: &Warp<K>, code: &Code, clamp: Source) -> bool {
    warp.knows(clamp) == ALL && clamp.row(&warp.regs, &code.pool).iter().all(|clamp| *clamp == 31)
}

/// Returns all lanes if those of the mask know, otherwise none.
fn all_or_none(known: u32, mask: u32) -> u32 {
    if mask & !known == 0 { ALL } else { 0 }
}

/// Returns bits as numbers, one per lane.
fn row_of(bits: u32) -> Row {
    std::array::from_fn(|lane| u64::from(bits >> lane & 1))
}

fn bits_of(row: &Row) -> u32 {
    (0..32).fold(0, |bits, lane| bits | (row[lane] as u32) << lane)
}
