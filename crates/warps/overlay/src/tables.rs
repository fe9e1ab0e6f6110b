//! Where constants live: striped over the lanes of each warp's registers, or in banks.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Residence;
use crate::program::{
    Bank, CONSTANT_BYTES, ConstantRef, Constants, Counter, Index, LaneRows, Node, Value, Var, WarpMask,
};

/// Lanes of a warp, and so the most iterations of a loop with striped operands.
pub const LANES: usize = 32;

/// Registers that the constants and the indices of one loop take, at most, where registers are short.
const MOST_REALS: usize = 4;
const MOST_INDICES: usize = 2;

/// One operand of a repeated step: by warp (number, entries of its iterations).
pub type Columns<T> = [(u32, Vec<T>)];

pub struct Tables {
    residence: Residence,
    /// Whether entries that are looked up from here on lie in a bank.
    in_bank: bool,
    /// Registers are short: each phase loads the constants that it uses, from as few registers as it can.
    pub reload: bool,
    warps: u32,
    reals: Striped<f64>,
    indices: Striped<i32>,
    real_bank: Entries<f64>,
    index_bank: Entries<i32>,
    /// Indices of the current loop that are looked up.
    looked_up: Vec<LookUp>,
    /// Index registers in which each lane uses its own entry, by warp.
    lane_rows: Vec<(u32, BTreeMap<u32, Vec<i32>>)>,
}

/// An index that is looked up, with what it is by warp and iteration.
struct LookUp {
    columns: Vec<(u32, Vec<i32>)>,
    counter: Option<Counter>,
    index: Index,
}

impl Tables {
    pub fn new(warps: u32, residence: Residence, reload: bool) -> Self {
        Self {
            residence,
            in_bank: residence != Residence::Striped,
            reload,
            warps,
            reals: Striped::default(),
            indices: Striped::default(),
            real_bank: Entries::new(Bank::Reals, warps),
            index_bank: Entries::new(Bank::Indices, warps),
            looked_up: Vec::new(),
            lane_rows: Vec::new(),
        }
    }

    /// Returns a real register in which each lane uses its own entry, wherever the other constants live.
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
    /// a few of them; `most` iterations are then cut into equal loops. `written`: indices of what an iteration writes.
    pub fn longest_loop(&mut self, most: usize, constants: usize, indices: usize, written: usize) -> usize {
        if self.residence == Residence::BankAndStriped {
            // With a number of trips.
            let new = self.warps as usize * (8 * most * constants + 4 * (most * (indices + written) + 1));
            self.in_bank = self.real_bank.bytes() + self.index_bank.bytes() + new <= CONSTANT_BYTES;
        }
        match self.in_bank {
            true => usize::MAX,
            false if self.reload => {
                let entries = (MOST_REALS * LANES / constants.max(1)).min(MOST_INDICES * LANES / indices.max(1));
                most.div_ceil(most.div_ceil(entries.clamp(1, LANES)))
            }
            false => LANES,
        }
    }

    /// A constant that changes with warp and iteration.
    pub fn real(&mut self, columns: &Columns<f64>, counter: Option<Counter>) -> ConstantRef {
        if self.in_bank {
            return ConstantRef::Bank(self.real_bank.find(columns, counter, f64::to_bits));
        }
        let (register, lane) = self.reals.find(self.warps, columns, f64::to_bits);
        ConstantRef::Striped { register, lane: offset(lane, counter) }
    }

    /// Puts constants of straight code where instructions can read them, where there is a bank: pairs of which a condition selects one, as
    /// long as constant memory has room for them, and literals that instructions have no room for.
    pub fn place(&mut self, nodes: &mut [Node]) {
        if !self.in_bank {
            return;
        }
        let literals: BTreeMap<Var, f64> = nodes.iter().filter_map(Node::literal).collect();
        for node in &mut *nodes {
            if let Node::Let { value, .. } = node
                && let Value::SelectLe { a, b, then, otherwise } = *value
                && let (Some(&then), Some(&otherwise)) = (literals.get(&then), literals.get(&otherwise))
                && let Some(first) = self.pair(otherwise, then)
            {
                *value = Value::ConstantLe { a, b, first };
            }
        }
        let used: BTreeSet<Var> = nodes.iter().flat_map(Node::operands).collect();
        for node in nodes {
            if let Node::Let { var, value } = node
                && let Value::Literal(x) = *value
                && x.to_bits() as u32 != 0
                && used.contains(var)
            {
                *value = Value::Constant(self.real(&[(0, vec![x])], None));
            }
        }
    }

    /// Where two constants stand in constant memory one after the other; `None` where it has no room.
    fn pair(&mut self, first: f64, second: f64) -> Option<u32> {
        let has_room = self.real_bank.bytes() + self.index_bank.bytes() + 2 * size_of::<f64>() <= CONSTANT_BYTES;
        if !has_room {
            return None;
        }
        match self.real_bank.find(&[(0, vec![first, second])], None, f64::to_bits) {
            Index::Literal(at) => Some(at),
            _ => None,
        }
    }

    /// An index that changes with warp and iteration. Where it is everywhere as far behind one of the same loop, it is that one
    /// and a number.
    pub fn index(&mut self, columns: &Columns<i32>, counter: Option<Counter>) -> Index {
        let behind = self.looked_up.iter().find_map(|LookUp { columns: known, counter: at, index }| {
            let distance = if *at == counter { distance(known, columns)? } else { return None };
            Some(match u32::try_from(distance).ok()? {
                0 => index.clone(),
                distance => sum(index.clone(), Index::Literal(distance)),
            })
        });
        behind.unwrap_or_else(|| {
            let index = self.look_up(columns, counter);
            self.looked_up.push(LookUp { columns: columns.to_vec(), counter, index: index.clone() });
            index
        })
    }

    /// Says that the indices from here on belong to another loop.
    pub fn next_loop(&mut self) {
        self.looked_up.clear();
    }

    fn look_up(&mut self, columns: &Columns<i32>, counter: Option<Counter>) -> Index {
        if self.in_bank {
            return Index::Bank(Box::new(self.index_bank.find(columns, counter, |index| u64::from(index as u32))));
        }
        let (register, lane) = self.indices.find(self.warps, columns, |index| u64::from(index as u32));
        Index::Striped { register, lane: Box::new(offset(lane, counter)) }
    }

    pub fn finish(self) -> Constants {
        let (real_registers, reals) = self.reals.table(self.warps);
        let (index_registers, indices) = self.indices.table(self.warps);
        let (real_bank, common_reals) = self.real_bank.table();
        let (index_bank, common_indices) = self.index_bank.table();
        Constants {
            real_registers,
            reals,
            index_registers,
            indices,
            real_bank,
            index_bank,
            common_reals,
            common_indices,
            shared: self.residence == Residence::Shared,
        }
    }
}

/// The entries of a bank. Those of one warp stand together, so that all that it reads lies at small offsets from one place; what
/// is the same for all that read it is there once.
struct Entries<T> {
    bank: Bank,
    common: Vec<T>,
    by_warp: Vec<Vec<Option<T>>>,
    /// Where columns lie that came before.
    known: BTreeMap<Key, usize>,
}

impl<T: Copy + Default + PartialEq> Entries<T> {
    fn new(bank: Bank, warps: u32) -> Self {
        Self { bank, common: Vec::new(), by_warp: vec![Vec::new(); warps as usize], known: BTreeMap::new() }
    }

    /// The index of the iteration's entry. Equal columns share their place.
    fn find(&mut self, columns: &Columns<T>, counter: Option<Counter>, bits: fn(T) -> u64) -> Index {
        let columns: Vec<(u32, Vec<T>)> = match columns {
            [(_, first), rest @ ..] if rest.iter().all(|(_, other)| same_bits(first, other, bits)) => {
                vec![(COMMON, first.clone())]
            }
            columns => columns.to_vec(),
        };
        let is_common = columns[0].0 == COMMON;
        let key = key(&columns, bits);
        let start = match self.known.get(&key) {
            Some(start) => *start,
            None => {
                let start = if is_common { self.share(&columns[0].1) } else { self.allocate(&columns) };
                self.known.insert(key, start);
                start
            }
        };
        match offset(start as u32, counter) {
            entry if is_common => entry,
            Index::Literal(0) => Index::Own(self.bank),
            entry => sum(Index::Own(self.bank), entry),
        }
    }

    /// Returns the bytes of the table.
    fn bytes(&self) -> usize {
        let own = self.by_warp.iter().map(Vec::len).max().unwrap_or(0);
        size_of::<T>() * (self.common.len() + own * self.by_warp.len())
    }

    /// Puts a column at the end of what all warps read.
    fn share(&mut self, column: &[T]) -> usize {
        self.common.extend(column);
        self.common.len() - column.len()
    }

    /// Puts the columns at the first range of entries that is free in all their warps.
    fn allocate(&mut self, columns: &Columns<T>) -> usize {
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
        start
    }

    fn first_free(&self, columns: &Columns<T>, length: usize) -> usize {
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

    /// All entries, and how many of them belong to all warps.
    fn table(self) -> (Vec<T>, u32) {
        let length = self.by_warp.iter().map(Vec::len).max().unwrap_or(0);
        let padded = |bank: Vec<Option<T>>| {
            let missing = length - bank.len();
            bank.into_iter().map(Option::unwrap_or_default).chain(std::iter::repeat_n(T::default(), missing))
        };
        let common = self.common.len() as u32;
        (self.common.into_iter().chain(self.by_warp.into_iter().flat_map(padded)).collect(), common)
    }
}

/// Stands for all warps in the key of a column.
const COMMON: u32 = u32::MAX;

fn same_bits<T: Copy>(a: &[T], b: &[T], bits: fn(T) -> u64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| bits(a) == bits(b))
}

/// Returns the difference of the second's entries from the first's, where it is the same for all of them.
fn distance(a: &Columns<i32>, b: &Columns<i32>) -> Option<i32> {
    let alike = a.len() == b.len() && a.iter().zip(b).all(|((w, a), (v, b))| w == v && a.len() == b.len());
    let mut distances = a.iter().zip(b).flat_map(|((_, a), (_, b))| a.iter().zip(b)).map(|(a, b)| b - a);
    let first = distances.next().filter(|_| alike)?;
    distances.all(|distance| distance == first).then_some(first)
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

fn key<T: Copy>(columns: &Columns<T>, bits: fn(T) -> u64) -> Key {
    columns.iter().map(|(w, entries)| (*w, entries.iter().map(|&e| bits(e)).collect())).collect()
}

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
        let key = key(columns, bits);
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
