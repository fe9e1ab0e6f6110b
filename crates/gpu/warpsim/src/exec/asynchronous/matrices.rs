//! Products of matrices by warp groups: `wgmma`.
//!
//! A product reads shared memory, and reads and writes registers, until a wait for its group. `wgmma.fence` orders other accesses of these
//! registers in front of it (PTX ISA, "wgmma.fence"), and a proxy fence the writes to shared memory.

use super::products::Products;
use super::under_way::{UnderWay, Way};
use super::{Machine, Stop};
use crate::clock::VectorClock;
use crate::decode::{Factor, Matrices, Product};
use crate::domain::{ALL, Domain, Knowledge, Touch, Undecided};
use crate::hazard::Kind;
use crate::mbarrier::Sleeper;
use crate::shared::Flight;
use crate::warp::Warp;
use std::ops::Range;

/// Warps of a warp group.
const GROUP: usize = 4;

impl<D: Domain> Machine<'_, '_, D> {
    pub(super) fn matrices(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        op: &Matrices,
        mask: u32,
    ) -> Result<(), Stop> {
        if D::MOVES {
            return D::undecided(self, warp, pc, mask, Undecided::Meaning);
        }
        if mask != ALL {
            return Err(self.fatal(warp, pc, Kind::Copy("only some lanes of the warp execute it".to_owned())));
        }
        let own = warp.thread.index;
        let descriptors = self.descriptors(warp, pc, op)?;
        let products = &mut self.asynchronous.products[own];
        products.sequence.push((pc, descriptors));
        match op {
            Matrices::Fence => products.fences += 1,
            Matrices::Commit => products.ends.push(products.started),
            Matrices::Wait(left) => {
                let end = products.ends.len().checked_sub(*left as usize + 1).map(|at| products.ends[at]);
                let Some(end) = end else { return Ok(()) };
                products.rows.retain(|_, (number, _)| *number > end);
                let done = |one: &UnderWay| one.warp == own && matches!(one.way, Way::Matrices) && one.number <= end;
                self.asynchronous.under_way.retain(|one| !done(one));
                let sleeper = Sleeper { warp: own, pc, lanes: mask, time: 0 };
                self.asynchronous.product_waits.push((sleeper, end));
                warp.fall_asleep();
                self.products_end();
            }
            Matrices::Product(product) => self.product(warp, pc, product)?,
        }
        Ok(())
    }

    /// Returns the descriptors of a product's factors, which must be the same in all threads (PTX ISA, "wgmma.mma_async").
    fn descriptors(&mut self, warp: &Warp<D::Knowledge>, pc: u32, op: &Matrices) -> Result<Vec<u64>, Stop> {
        let Matrices::Product(Product { factors, .. }) = op else { return Ok(Vec::new()) };
        let rows = || factors.iter().map(|factor| factor.descriptor.row(&warp.regs, &self.code.pool));
        if rows().any(|row| row.iter().any(|descriptor| *descriptor != row[0])) {
            let what = "the lanes of the warp give unlike descriptors".to_owned();
            return Err(self.fatal(warp, pc, Kind::Copy(what)));
        }
        Ok(rows().map(|row| row[0]).collect())
    }

    fn product(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, product: &Product) -> Result<(), Stop> {
        let own = warp.thread.index;
        let products = &mut self.asynchronous.products[own];
        if let Some(what) = products.forbids(product) {
            return Err(self.fatal(warp, pc, Kind::Copy(what)));
        }
        products.started += 1;
        products.times.push(warp.thread.clock[own]);
        let number = products.started;
        for row in &product.d {
            products.rows.insert(*row, (number, Some(product.shape.clone())));
        }
        for row in &product.a {
            products.rows.insert(*row, (number, None));
        }
        let flight = Flight { slot: VectorClock::matrices(own), time: number, proxy: true, element: None, whole: true };
        for factor in &product.factors {
            let descriptor = factor.descriptor.row(&warp.regs, &self.code.pool)[0];
            let range = range(descriptor, factor);
            let base = self.code.base(self.code.rank(own));
            let end = range.end.min(self.code.shared_bytes).max(range.start + 1);
            // the range may have holes
            let outer = self.domain.rough(true);
            let started = self.start(warp, pc, base + range.start..base + end, Touch::Read, ALL, &flight);
            self.domain.rough(outer);
            started?;
        }
        let way = Way::Matrices;
        self.asynchronous.under_way.push(UnderWay { warp: own, pc, number, lanes: ALL, moves: Vec::new(), way });
        product.d.iter().for_each(|row| warp.knowledge.learn(*row, 0, ALL));
        self.products_end();
        Ok(())
    }

    /// Lets warps go on whose products all warps of the group have begun: these are one product, which ends for all of them
    /// (PTX ISA, "wgmma.commit_group": a group of products belongs to the warp group).
    fn products_end(&mut self) {
        let waits = std::mem::take(&mut self.asynchronous.product_waits);
        for (sleeper, end) in waits {
            let group = self.group_of(sleeper.warp);
            if group.clone().all(|warp| self.asynchronous.products[warp].started >= end) {
                let mut clock = VectorClock::default();
                for warp in group {
                    clock[VectorClock::matrices(warp)] = end;
                    let time = (end as usize).checked_sub(1).map(|last| self.asynchronous.products[warp].times[last]);
                    clock.executed(warp, time.unwrap_or(0));
                }
                self.asynchronous.wakes(sleeper, clock, None);
            } else {
                self.asynchronous.product_waits.push((sleeper, end));
            }
        }
    }

    /// Returns the warps of the warp's group.
    fn group_of(&self, warp: usize) -> Range<usize> {
        let cta = self.code.warps_of(self.code.rank(warp));
        let first = cta.start + (warp - cta.start) / GROUP * GROUP;
        first..(first + GROUP).min(cta.end)
    }

    /// Ends the CTA: the warps of a group must have executed the same.
    pub(super) fn end_of_products(&mut self) {
        for rank in 0..self.code.ranks as usize {
            let warps: Vec<usize> = self.code.warps_of(rank).collect();
            for group in warps.chunks(GROUP) {
                let sequence = |warp: &usize| &self.asynchronous.products[*warp].sequence;
                let first = sequence(&group[0]).clone();
                let alike =
                    group.iter().all(|warp| *sequence(warp) == first) && (group.len() == GROUP || first.is_empty());
                let pc = group.iter().find_map(|warp| sequence(warp).first().map(|(pc, _)| *pc));
                if let (false, Some(pc)) = (alike, pc) {
                    let what = "the warps of the warp group do not execute the same wgmma".to_owned();
                    self.failed(group[0], pc, Kind::Copy(what));
                }
            }
        }
        self.asynchronous.products.iter_mut().for_each(Products::restart);
    }
}

/// Returns a range that covers the places of a factor (PTX ISA, "Shared Memory Matrix Layout"): cores of 8 rows of 16 bytes, or patterns of 8 rows
/// of as many bytes as the swizzle has.
fn range(descriptor: u64, factor: &Factor) -> Range<u64> {
    let width = match descriptor >> 62 {
        0 => 16,
        swizzle => 256 >> swizzle,
    };
    covered(descriptor, width, factor)
}

/// As [`range`], with the bytes of a row of a pattern.
pub(super) fn covered(descriptor: u64, width: u64, factor: &Factor) -> Range<u64> {
    let field = |bit: u32| (descriptor >> bit & 0x3fff) << 4;
    let (start, leading, stride) = (field(0), field(16), field(32));
    let first = start & !(width - 1);
    let far = if factor.transposed {
        let depth = factor.depth / factor.bytes;
        let (along, down) = ((factor.extent * factor.bytes).div_ceil(width) - 1, depth.div_ceil(8) - 1);
        (along * leading + down * stride).max(along * stride + down * leading)
    } else {
        (factor.extent.div_ceil(8) - 1) * stride + (factor.depth.div_ceil(width) - 1) * leading
    };
    first..first + far + 8 * width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Source;

    fn covers(descriptor: u64, extent: u64, transposed: bool) -> Range<u64> {
        range(descriptor, &Factor { descriptor: Source(0), extent, bytes: 2, depth: 32, transposed })
    }

    #[test]
    fn ranges_are_those_of_the_layouts() {
        let descriptor = |start: u64, leading: u64, stride: u64, swizzle: u64| {
            start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62
        };
        // 64 rows of two cores of 128 bytes, one behind the other
        assert_eq!(covers(descriptor(256, 128, 256, 0), 64, false), 256..256 + 2048);
        // the second step along rows of 128 bytes
        assert_eq!(covers(descriptor(1024 + 32, 0, 1024, 1), 64, false), 1024..1024 + 8192);
        // rows of 32 bytes
        assert_eq!(covers(descriptor(0, 0, 256, 3), 64, false), 0..2048);
        // 128 columns: two patterns of 64, of 64 rows each, of which 16 are read
        assert_eq!(covers(descriptor(2048, 8192, 1024, 1), 128, true), 2048..2048 + 8192 + 2048);
    }
}
