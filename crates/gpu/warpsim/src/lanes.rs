//! Exchanges between lanes, and cutting and joining of values.

use super::buffer::low;
use super::decode::{GuardBit, Source};
use super::hazard::Kind;
use super::memory::concrete;
use super::rows::{self, Row};
use super::scalar::{self, Each};
use ptx::inst::{BoolOp, CarryOp, ShflMode, Space, Type, VoteMode};

pub(super) fn pack(bits: u32, parts: &[Source], regs: &[Row], pool: &[Row]) -> Row {
    let mut row = [0; 32];
    for (i, part) in parts.iter().enumerate() {
        let part = part.row(regs, pool);
        for lane in 0..32 {
            row[lane] |= (part[lane] & low(bits / 8)) << (bits * i as u32);
        }
    }
    row
}

/// Returns part `index` of each lane's word.
pub(super) fn piece(bits: u32, index: usize, row: &Row) -> Row {
    row.map(|word| word >> (bits * index as u32) & low(bits / 8))
}

/// Extends the sign of a loaded value into the bits of `above`.
pub(super) fn extended(row: &Row, bytes: u32, above: u64) -> Row {
    row.map(|x| if x >> (8 * bytes - 1) & 1 == 1 { x | above } else { x })
}

/// Returns the values that the lanes of `mask` get from those of `all` by `shfl` of PTX: lanes outside their segment keep their
/// own value. Also returns the lanes whose source was inside.
pub(super) fn shuffle(mode: ShflMode, [a, lanes, clamps]: [&Row; 3], mask: u32, all: u32) -> Result<(Row, u32), Kind> {
    let source = lanes[0] as usize & 31;
    let plain = clamps.iter().all(|clamp| *clamp == 31);
    if mode == ShflMode::Idx && plain && mask == u32::MAX && lanes.iter().all(|lane| *lane == lanes[0]) {
        return Ok(([a[source]; 32], u32::MAX));
    }
    let mut row = [0; 32];
    let mut inside = 0;
    for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
        let (b, clamp) = (lanes[lane as usize] as u32 & 31, clamps[lane as usize] as u32);
        let segment = clamp >> 8 & 31;
        let first = lane & segment;
        let last = first | (clamp & 31 & !segment);
        let source = match mode {
            ShflMode::Idx => Some(first | (b & !segment)).filter(|source| *source <= last),
            // for `up` the clamp is the lowest lane
            ShflMode::Up => lane.checked_sub(b).filter(|source| *source >= last),
            ShflMode::Down => Some(lane + b).filter(|source| *source <= last),
            ShflMode::Bfly => Some(lane ^ b).filter(|source| *source <= last),
        };
        inside |= u32::from(source.is_some()) << lane;
        let source = source.unwrap_or(lane);
        if all >> source & 1 == 0 {
            return Err(Kind::InactiveLane { lane, source });
        }
        row[lane as usize] = a[source as usize];
    }
    Ok((row, inside))
}

/// Returns the hazard of an instruction of the whole warp that only the lanes of `mask` execute, if they are not all.
pub(super) fn missing_lane(mask: u32) -> Option<Kind> {
    (mask != u32::MAX).then(|| Kind::InactiveLane { lane: mask.trailing_zeros(), source: mask.trailing_ones() })
}

/// Computes A B + C of [`Op::Mma`](ptx::inst::Op::Mma), as rows of d.
///
/// Every element is c + a_0 b_0 + a_1 b_1 + a_2 b_2 + a_3 b_3 from left to right, each step fused and rounded to nearest. PTX
/// promises the precision of fused multiply-adds, and no order: a GPU may round otherwise in the last places.
pub(super) fn multiply_add(a: &Row, b: &Row, c: [&Row; 2]) -> [Row; 2] {
    let real = f64::from_bits;
    std::array::from_fn(|half| {
        std::array::from_fn(|lane| {
            let (row, column) = (lane / 4, 2 * (lane % 4) + half);
            let term = |sum: f64, k: usize| real(a[4 * row + k]).mul_add(real(b[4 * column + k]), sum);
            (0..4).fold(real(c[half][lane]), term).to_bits()
        })
    })
}

/// Returns for each lane the lanes of `mask` with an equal value; with `all`, only if all agree, otherwise none. Also whether all agree.
pub(super) fn matches(all: bool, a: &Row, mask: u32) -> (Row, bool) {
    let mut row = [0u64; 32];
    for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
        let same = |other: &usize| mask >> other & 1 == 1 && a[*other] == a[lane];
        row[lane] = (0..32).filter(same).fold(0, |lanes, other| lanes | 1 << other);
    }
    let agree = (0..32).filter(|lane| mask >> lane & 1 == 1).all(|lane| row[lane] == u64::from(mask));
    if all && !agree { ([0; 32], false) } else { (row, agree) }
}

/// Joins the values of the lanes of `mask` from the first to the last.
pub(super) fn reduce(f: &Each, a: &Row, mask: u32) -> u64 {
    let mut lanes = (0..32).filter(|lane| mask >> lane & 1 == 1).map(|lane| a[lane]);
    let first = lanes.next().unwrap_or(0);
    lanes.fold(first, |x, y| f([x, y, y]))
}

/// Applies the function lane by lane.
pub(super) fn each(f: &Each, sources: &[Source; 3], regs: &[Row], pool: &[Row], mask: u32) -> Row {
    let [a, b, c] = sources.map(|source| source.row(regs, pool));
    std::array::from_fn(|i| if mask >> i & 1 == 1 { f([a[i], b[i], c[i]]) } else { 0 })
}

/// Returns the carries into an operation that does not read the condition code: a difference borrows nothing.
pub(super) fn carry_without(op: CarryOp) -> u32 {
    if op == CarryOp::Sub { u32::MAX } else { 0 }
}

/// Performs arithmetic with the condition code: returns the results, and the carries.
pub(super) fn carry(
    op: CarryOp,
    ty: Type,
    sources: &[Source; 3],
    regs: &[Row],
    pool: &[Row],
    before: u32,
) -> (Row, u32) {
    let [a, b, c] = sources.map(|source| source.row(regs, pool));
    let mut carries = 0;
    let row = std::array::from_fn(|i| {
        let (value, carry) = scalar::carry(op, ty, [a[i], b[i], c[i]], before >> i & 1 == 1);
        carries |= u32::from(carry) << i;
        value
    });
    (row, carries)
}

/// Returns the lanes whose generic address lies in the space.
pub(super) fn in_space(space: Space, row: &Row) -> u32 {
    (0..32).fold(0, |bits, i| bits | u32::from(concrete(row[i]).0 == space) << i)
}

/// Returns the lanes for which a guard holds.
pub(super) fn holds(preds: &[u32], (pred, negate): GuardBit) -> u32 {
    let bits = preds[pred as usize];
    if negate { !bits } else { bits }
}

/// Returns the lanes of a comparison, and those of its complement, each combined with a predicate.
pub(super) fn combined(bits: u32, combine: Option<(BoolOp, GuardBit)>, preds: &[u32]) -> (u32, u32) {
    match combine {
        Some((op, guard)) => {
            let with = holds(preds, guard);
            (scalar::combined(op, bits, with), scalar::combined(op, !bits, with))
        }
        None => (bits, !bits),
    }
}

/// Selects `a` in the lanes of `bits`, `b` in the others.
pub(super) fn select(bits: u32, a: &Row, b: &Row) -> Row {
    std::array::from_fn(|i| if bits >> i & 1 == 1 { a[i] } else { b[i] })
}

/// Computes `bfi` of the sources base, value, position and length.
pub(super) fn inserted(long: bool, [a, b, pos, len]: [&Row; 4]) -> Row {
    std::array::from_fn(|i| rows::insert_bits(long, a[i], b[i], pos[i], len[i]))
}

/// Returns the result of a vote for all lanes of `mask`, given those in `votes`: a word of the ballot, otherwise all bits of a predicate.
pub(super) fn vote(mode: VoteMode, votes: u32, mask: u32) -> u32 {
    let votes = votes & mask;
    let yes = match mode {
        VoteMode::Ballot => return votes,
        VoteMode::All => votes == mask,
        VoteMode::Any => votes != 0,
        VoteMode::Uni => votes == mask || votes == 0,
    };
    if yes { u32::MAX } else { 0 }
}

/// Returns the targets of an indirect branch, each with its lanes, in the order of the first of them; or an index without a target.
pub(super) fn ways(indices: &Row, targets: &[u32], mask: u32) -> Result<Vec<(u32, u32)>, u64> {
    let mut ways: Vec<(u32, u32)> = Vec::new();
    for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
        let index = indices[lane];
        let target = usize::try_from(index).ok().and_then(|index| targets.get(index)).ok_or(index)?;
        match ways.iter_mut().find(|(to, _)| to == target) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => ways.push((*target, 1 << lane)),
        }
    }
    Ok(ways)
}
