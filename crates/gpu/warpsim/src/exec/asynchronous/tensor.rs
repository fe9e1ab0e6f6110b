//! Products in tensor memory: `tcgen05`.
//!
//! A product reads shared memory until a phase ends at which its thread's commit arrives. Races on tensor memory are looked for as far as
//! they can be without addresses: what may overlap must be ordered, otherwise it is not analysed.

use super::matrices::covered;
use super::tensor_memory::{Accesses, Issuer, New, Ordered};
use super::{Machine, Spot, Stop};
use crate::clock::VectorClock;
use crate::decode::{Factor, Source, TensorOp, TensorProduct};
use crate::domain::{ALL, Domain, Knowledge, Touch, Undecided};
use crate::hazard::Kind;
use crate::memory::Lanes;
use crate::shared::Flight;
use crate::warp::Warp;

impl<D: Domain> Machine<'_, '_, D> {
    pub(super) fn tensor(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        op: &TensorOp,
        mask: u32,
    ) -> Result<(), Stop> {
        if D::MOVES {
            return D::undecided(self, warp, pc, mask, Undecided::Meaning);
        }
        let whole = matches!(op, TensorOp::Product(_) | TensorOp::Commit { .. } | TensorOp::Fence { .. });
        if !whole && mask != ALL {
            return Err(self.fatal(warp, pc, Kind::Copy("only some lanes of the warp execute it".to_owned())));
        }
        let own = warp.thread.index;
        let time = warp.thread.clock[own];
        match op {
            TensorOp::Allocate { at, columns } => self.allocate(warp, pc, *at, *columns),
            TensorOp::Free { columns } => {
                let columns = columns.row(&warp.regs, &self.code.pool)[0] & 0xffff_ffff;
                if self.asynchronous.tensor.held.map(|(held, ..)| held) != Some(columns) {
                    let what = "as many columns of tensor memory are not allocated".to_owned();
                    return Err(self.fatal(warp, pc, Kind::Copy(what)));
                }
                self.ordered_in_tensor_memory(warp, pc, New::Free, mask)?;
                self.asynchronous.tensor.held = None;
                Ok(())
            }
            TensorOp::Relinquish => {
                self.asynchronous.tensor.relinquished = true;
                Ok(())
            }
            TensorOp::Product(product) => self.tensor_product(warp, pc, product, mask),
            TensorOp::Commit { at } => self.tensor_commit(warp, pc, *at, mask),
            TensorOp::Load { dst } => {
                self.ordered_in_tensor_memory(warp, pc, New::Load, mask)?;
                self.asynchronous.tensor.units[own].loads = Some(Accesses { pc, done: None, fenced: false });
                warp.thread.touch(mask);
                dst.iter().for_each(|row| warp.knowledge.learn(*row, 0, ALL));
                Ok(())
            }
            TensorOp::Store => {
                self.ordered_in_tensor_memory(warp, pc, New::Store, mask)?;
                self.asynchronous.tensor.units[own].stores = Some(Accesses { pc, done: None, fenced: false });
                warp.thread.touch(mask);
                Ok(())
            }
            TensorOp::Wait { stores } => {
                let unit = &mut self.asynchronous.tensor.units[own];
                let accesses = if *stores { &mut unit.stores } else { &mut unit.loads };
                if let Some(accesses) = accesses.as_mut().filter(|accesses| accesses.done.is_none()) {
                    accesses.done = Some(time);
                }
                Ok(())
            }
            TensorOp::Fence { after: true } => {
                let clock = *warp.thread.clock_of(mask);
                self.asynchronous.tensor.units[own].fenced = Some((clock, mask));
                Ok(())
            }
            TensorOp::Fence { after: false } => {
                let unit = &mut self.asynchronous.tensor.units[own];
                for accesses in [&mut unit.loads, &mut unit.stores].into_iter().flatten() {
                    accesses.fenced |= accesses.done.is_some() && mask == warp.live;
                }
                Ok(())
            }
        }
    }

    fn allocate(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, at: Spot, columns: Source) -> Result<(), Stop> {
        let columns = columns.row(&warp.regs, &self.code.pool)[0] & 0xffff_ffff;
        let tensor = &self.asynchronous.tensor;
        if !columns.is_power_of_two() || !(32..=512).contains(&columns) {
            let what = format!("{columns} columns of tensor memory: a power of two from 32 to 512 is wanted");
            return Err(self.fatal(warp, pc, Kind::Copy(what)));
        }
        if tensor.relinquished {
            let what = "the CTA has given up the right to allocate tensor memory".to_owned();
            return Err(self.fatal(warp, pc, Kind::Copy(what)));
        }
        if tensor.held.is_some() {
            let what = "the CTA holds tensor memory while it waits for more, of which another CTA may hold the rest";
            return Err(D::exhausted(self, warp, pc, what));
        }
        for (address, _) in self.places(warp, pc, at, false, ALL)? {
            let row = [address; 32];
            self.store_placed(warp, pc, &Lanes::new(&row, 0, 1, 4), &[0; 32], 0)?;
        }
        let own = warp.thread.index;
        self.asynchronous.tensor.held = Some((columns, own, warp.thread.clock[own], pc));
        Ok(())
    }

    /// Checks that the accesses of tensor memory that may overlap a new one are ordered in front of it.
    fn ordered_in_tensor_memory(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        new: New,
        lanes: u32,
    ) -> Result<(), Stop> {
        if self.asynchronous.tensor.held.is_none() {
            return Err(D::exhausted(self, warp, pc, "nothing tells that tensor memory is allocated"));
        }
        let clock = *warp.thread.clock_of(lanes);
        let unit = &mut self.asynchronous.tensor.units[warp.thread.index];
        unit.fenced = unit.fenced.take().filter(|(_, fenced)| lanes & !fenced == 0);
        match self.asynchronous.tensor.check(warp.thread.index, &clock, new) {
            Ok(Ordered { strict, alone }) => {
                D::in_tensor_memory(self, warp, pc, strict, alone);
                Ok(())
            }
            Err((other, earlier)) => {
                let site = self.code.site(other as u32, earlier);
                let what = format!(
                    "nothing tells that the access of tensor memory before it is complete, of {site} `{}`",
                    site.text
                );
                Err(D::exhausted(self, warp, pc, &what))
            }
        }
    }

    fn tensor_product(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        product: &TensorProduct,
        mask: u32,
    ) -> Result<(), Stop> {
        let (own, lane) = (warp.thread.index, mask.trailing_zeros() as usize);
        if mask.count_ones() != 1 {
            return Err(D::exhausted(self, warp, pc, "several lanes start products"));
        }
        let value = |source: Source, machine: &Self| source.row(&warp.regs, &machine.code.pool)[lane];
        let shape = value(product.shape, self) & 0xffff_ffff;
        let (rows, columns) = ((shape >> 24 & 0x1f) * 16, (shape >> 17 & 0x3f) * 8);
        let factor = |descriptor, extent, transposed: u32| Factor {
            descriptor,
            extent,
            bytes: product.bytes,
            depth: 32,
            transposed: shape >> transposed & 1 == 1,
        };
        let factors = product.a.map(|a| factor(a, rows, 15)).into_iter().chain([factor(product.b, columns, 16)]);
        let mut ranges = Vec::new();
        for factor in factors {
            let descriptor = value(factor.descriptor, self);
            let width = match (descriptor >> 61, descriptor >> 49 & 0xf) {
                (0, 0) => 16,
                (1 | 2, 0) => 128,
                (4, 0) => 64,
                (6, 0) => 32,
                _ => 0,
            };
            if width == 0 || !matches!(rows, 64 | 128) || !(8..=256).contains(&columns) {
                return Err(D::exhausted(self, warp, pc, "its descriptors are not known"));
            }
            ranges.push(covered(descriptor, width, &factor));
        }
        let issuer = Issuer { lane, shape: (shape, product.bytes) };
        self.ordered_in_tensor_memory(warp, pc, New::Product { issuer, reads: product.a.is_none() }, mask)?;
        let unit = &mut self.asynchronous.tensor.units[own];
        // the products of other threads or shapes are complete
        unit.issuer = Some(issuer);
        unit.started += 1;
        unit.product = pc;
        let flight =
            Flight { slot: VectorClock::matrices(own), time: unit.started, proxy: true, element: None, whole: true };
        for range in ranges {
            let end = range.end.min(self.code.shared_bytes).max(range.start + 1);
            // the range may have holes
            let outer = self.domain.rough(true);
            let started = self.start(warp, pc, range.start..end, Touch::Read, mask, &flight);
            self.domain.rough(outer);
            started?;
        }
        Ok(())
    }

    fn tensor_commit(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, at: Spot, mask: u32) -> Result<(), Stop> {
        let own = warp.thread.index;
        for (address, lanes) in self.places(warp, pc, at, false, mask)? {
            let mut clock = warp.thread.released(lanes);
            let unit = &self.asynchronous.tensor.units[own];
            // only the products of the thread itself
            if unit.issuer.is_some_and(|issuer| lanes == 1 << issuer.lane) {
                let slot = VectorClock::matrices(own);
                clock[slot] = clock[slot].max(unit.started);
            }
            self.touch(warp, pc, address, lanes)?;
            let by = self.arrives(warp, pc, address, lanes)?;
            self.barrier_at(warp, pc, address, |barrier| {
                barrier.defer();
                barrier.arrive(lanes.count_ones(), 0, &clock, by)
            })?;
            warp.thread.tick();
            self.settle(warp, pc, address)?;
        }
        Ok(())
    }

    /// Ends the CTA: its tensor memory must be given back.
    pub(super) fn end_of_tensor_memory(&mut self) {
        if let Some((_, warp, _, pc)) = self.asynchronous.tensor.held {
            self.failed(warp, pc, Kind::Copy("the tensor memory is not given back before the kernel ends".to_owned()));
        }
        self.asynchronous.tensor.restart();
    }
}
