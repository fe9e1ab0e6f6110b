//! Where constants live: striped over the lanes of each warp's registers, or in banks.

use std::collections::BTreeMap;

use super::Residence;
use crate::overlay::program::{ConstantRef, Constants, Counter, Index, LaneRows, WarpMask};

/// Lanes of a warp, and so the most iterations of a loop with striped operands.
pub const LANES: usize = 32;

/// Registers that the constants and the indices of one loop take, at most, where registers are short.
const MOST_REALS: usize = 4;
const MOST_INDICES: usize = 2;

/// One operand of a repeated step: by warp (number, entries of its iterations).
pub type Columns<T> = [(u32, Vec<T>)];

pub struct Tables {
    residence: Residence,
    /// Registers are short: each phase loads the constants that it uses, from as few registers as it can.
    pub reload: bool,
    warps: u32,
    reals: Striped<f64>,
    indices: Striped<i32>,
    real_bank: Bank<f64>,
    index_bank: Bank<i32>,
    /// Index registers of which each lane uses its own entry, by warp.
    lane_rows: Vec<(u32, BTreeMap<u32, Vec<i32>>)>,
}

impl Tables {
    pub fn new(warps: u32, residence: Residence, reload: bool) -> Self {
        Self {
            residence,
            reload,
            warps,
            reals: Striped::default(),
            indices: Striped::default(),
            real_bank: Bank::new(warps),
            index_bank: Bank::new(warps),
            lane_rows: Vec::new(),
        }
    }

    /// A real register of which each lane uses its own entry, wherever the other constants live.
    pub fn fragment(&mut self, columns: &Columns<f64>) -> u32 {
        self.reals.allocate(self.warps, columns).0
    }

    /// Numbers of slots by warp and lane. A register serves again where they differ from its entries by one offset.
    pub fn lane_rows(&mut self, columns: &Columns<i32>) -> LaneRows {
        let offset = |known: &BTreeMap<u32, Vec<i32>>| {
            let pairs = || columns.iter().flat_map(|(w, new)| known.get(w).into_iter().flatten().zip(new));
            let complete = columns.iter().all(|(w, _)| known.contains_key(w));
            let offset = pairs().next().map(|(old, new)| new - old)?;
            (complete && pairs().all(|(old, new)| new - old == offset)).then_some(offset)
        };
        let known = self.lane_rows.iter().find_map(|(register, known)| Some((*register, offset(known)?)));
        if let Some((register, offset)) = known {
            return LaneRows { register, factor: 1, offset };
        }
        let (register, _) = self.indices.allocate(self.warps, columns);
        let entries = columns.iter().cloned();
        match self.lane_rows.iter_mut().find(|(other, _)| *other == register) {
            Some((_, known)) => known.extend(entries),
            None => self.lane_rows.push((register, entries.collect())),
        }
        LaneRows { register, factor: 1, offset: 0 }
    }

    /// Says that the constants from here on belong to another phase.
    pub fn next_phase(&mut self) {
        if self.reload {
            self.reals.forget();
            self.indices.forget();
        }
    }

    /// Longest loop that one table entry range can serve. Where registers are short, one whose constants and indices lie in
    /// a few of them; `most` iterations are then cut into equal loops.
    pub fn longest_loop(&self, most: usize, constants: usize, indices: usize) -> usize {
        match self.residence {
            Residence::Striped if self.reload => {
                let entries = (MOST_REALS * LANES / constants.max(1)).min(MOST_INDICES * LANES / indices.max(1));
                most.div_ceil(most.div_ceil(entries.clamp(1, LANES)))
            }
            Residence::Striped => LANES,
            _ => usize::MAX,
        }
    }

    /// A constant that changes with warp and iteration.
    pub fn real(&mut self, columns: &Columns<f64>, counter: Option<Counter>) -> ConstantRef {
        if self.residence != Residence::Striped {
            return ConstantRef::Bank(self.real_bank.allocate(columns, counter));
        }
        let (register, lane) = self.reals.find(self.warps, columns, f64::to_bits);
        ConstantRef::Striped { register, lane: offset(lane, counter) }
    }

    /// An index that changes with warp and iteration.
    pub fn index(&mut self, columns: &Columns<i32>, counter: Option<Counter>) -> Index {
        if self.residence != Residence::Striped {
            return Index::Bank(Box::new(self.index_bank.allocate(columns, counter)));
        }
        let (register, lane) = self.indices.find(self.warps, columns, |index| u64::from(index as u32));
        Index::Striped { register, lane: Box::new(offset(lane, counter)) }
    }

    pub fn finish(self) -> Constants {
        let (real_registers, reals) = self.reals.table(self.warps);
        let (index_registers, indices) = self.indices.table(self.warps);
        Constants {
            real_registers,
            reals,
            index_registers,
            indices,
            real_bank: self.real_bank.table(),
            index_bank: self.index_bank.table(),
            shared: self.residence == Residence::Shared,
        }
    }
}

/// Entries by warp. Entry p of warp w stands at `p * warps + w` of the bank.
struct Bank<T> {
    by_warp: Vec<Vec<Option<T>>>,
}

impl<T: Copy + Default> Bank<T> {
    fn new(warps: u32) -> Self {
        Self { by_warp: vec![Vec::new(); warps as usize] }
    }

    /// Puts the columns at the first range of entries that is free in all their warps; the answer is the index of the
    /// iteration's entry.
    fn allocate(&mut self, columns: &Columns<T>, counter: Option<Counter>) -> Index {
        let length = columns.iter().map(|(_, entries)| entries.len()).max().unwrap_or(0);
        let start = self.first_free(columns, length);
        for (warp, entries) in columns {
            let bank = &mut self.by_warp[*warp as usize];
            if bank.len() < start + length {
                bank.resize(start + length, None);
            }
            let padded = entries.iter().map(|&e| Some(e)).chain(std::iter::repeat(Some(T::default())));
            bank[start..start + length].iter_mut().zip(padded).for_each(|(place, entry)| *place = entry);
        }
        let warps = self.by_warp.len() as u32;
        match columns {
            _ if warps == 1 => offset(start as u32, counter),
            [(only, _)] => {
                let first = Index::Literal(start as u32 * warps + only);
                match counter {
                    None => first,
                    Some(counter) => sum(first, Index::Scaled(Box::new(Index::Counter(counter)), warps)),
                }
            }
            _ => sum(Index::Scaled(Box::new(offset(start as u32, counter)), warps), Index::Warp),
        }
    }

    fn first_free(&self, columns: &Columns<T>, length: usize) -> usize {
        if let [only] = &self.by_warp[..] {
            return only.len();
        }
        let mut start = 0;
        loop {
            let taken = columns.iter().filter_map(|(warp, _)| {
                let bank = &self.by_warp[*warp as usize];
                let range = start.min(bank.len())..(start + length).min(bank.len());
                bank[range].iter().rposition(Option::is_some)
            });
            match taken.max() {
                None => return start,
                Some(last) => start += last + 1,
            }
        }
    }

    fn table(self) -> Vec<T> {
        let length = self.by_warp.iter().map(Vec::len).max().unwrap_or(0);
        let entry = |p: usize| self.by_warp.iter().map(move |bank| bank.get(p).copied().flatten().unwrap_or_default());
        (0..length).flat_map(entry).collect()
    }
}

fn sum(a: Index, b: Index) -> Index {
    Index::Sum(Box::new(a), Box::new(b))
}

fn offset(start: u32, counter: Option<Counter>) -> Index {
    match counter {
        None => Index::Literal(start),
        Some(c) if start == 0 => Index::Counter(c),
        Some(c) => sum(Index::Literal(start), Index::Counter(c)),
    }
}

/// Columns as bits.
type Key = Vec<(u32, Vec<u64>)>;

/// Registers by warp; each holds 32 entries, one per lane.
struct Striped<T> {
    /// occupied[register][warp]: one bit per lane
    occupied: Vec<Vec<u32>>,
    /// Registers to look at first.
    recent: Vec<usize>,
    /// Where columns lie that came before.
    known: BTreeMap<Key, (u32, u32)>,
    entries: Vec<(u32, u32, u32, T)>,
}

impl<T> Default for Striped<T> {
    fn default() -> Self {
        Self { occupied: Vec::new(), recent: Vec::new(), known: BTreeMap::new(), entries: Vec::new() }
    }
}

impl<T: Copy + Default> Striped<T> {
    /// Equal columns share their place.
    fn find(&mut self, warps: u32, columns: &Columns<T>, bits: fn(T) -> u64) -> (u32, u32) {
        let key: Key = columns.iter().map(|(w, entries)| (*w, entries.iter().map(|&e| bits(e)).collect())).collect();
        if let Some(&place) = self.known.get(&key) {
            return place;
        }
        let place = self.allocate(warps, columns);
        self.known.insert(key, place);
        place
    }

    /// Registers that were used so far are not to be used again if others serve as well.
    fn forget(&mut self) {
        self.recent.clear();
        self.known.clear();
    }

    /// The first range of lanes that is free in all the warps: the same for all, so that they can share code.
    fn allocate(&mut self, warps: u32, columns: &Columns<T>) -> (u32, u32) {
        let length = columns.iter().map(|(_, entries)| entries.len()).max().unwrap_or(0).max(1);
        let mask: WarpMask = columns.iter().fold(0, |mask, (w, _)| mask | 1 << w);
        let wanted = u32::MAX >> (LANES - length);
        let all = 0..self.occupied.len();
        let place = self.recent.iter().copied().chain(all).find_map(|register| {
            let by_warp = &self.occupied[register];
            let busy = by_warp.iter().enumerate().filter(|(w, _)| mask >> w & 1 == 1).fold(0, |busy, (_, b)| busy | b);
            (0..=(LANES - length) as u32).find(|lane| busy & wanted << lane == 0).map(|lane| (register, lane))
        });
        let (register, lane) = place.unwrap_or_else(|| {
            self.occupied.push(vec![0; warps as usize]);
            (self.occupied.len() - 1, 0)
        });
        if !self.recent.contains(&register) {
            self.recent.push(register);
        }
        for (warp, entries) in columns {
            self.occupied[register][*warp as usize] |= wanted << lane;
            for (i, &entry) in entries.iter().enumerate() {
                self.entries.push((register as u32, *warp, lane + i as u32, entry));
            }
        }
        (register as u32, lane)
    }

    fn table(self, warps: u32) -> (u32, Vec<T>) {
        let registers = self.occupied.len() as u32;
        let mut table = vec![T::default(); registers as usize * warps as usize * LANES];
        for (register, warp, lane, entry) in self.entries {
            table[((register * warps + warp) as usize) * LANES + lane as usize] = entry;
        }
        (registers, table)
    }
}
