//! What may differ from kernel to kernel.

use super::{Multiplier, Request};
use crate::kernels::{Form, Kernel};
use crate::mapping::{Mapper, Weights};
use crate::overlay::Residence;
use crate::schedule::Placement;

/// The fields of a [`Request`] that make a kernel faster or slower, but compute the same.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    pub warps: u32,
    pub points_per_lane: Option<u32>,
    pub ctas_per_sm: u32,
    pub mapper: Mapper,
    pub weights: Weights,
    pub placement: Placement,
    pub buffer: Option<u32>,
    pub passes: Option<u32>,
    pub constants: Residence,
    pub form: Option<Form>,
    pub matrix: Option<Multiplier>,
    pub qssa_warps: Option<u32>,
}

impl Request {
    /// How the kernels are tuned that have no tuning of their own.
    pub fn tuning(&self) -> Tuning {
        Tuning {
            warps: self.warps,
            points_per_lane: self.points_per_lane,
            ctas_per_sm: self.ctas_per_sm,
            mapper: self.mapper,
            weights: self.weights,
            placement: self.placement,
            buffer: self.buffer,
            passes: self.passes,
            constants: self.constants,
            form: self.form,
            matrix: self.matrix,
            qssa_warps: self.qssa_warps,
        }
    }

    /// The same request as one kernel sees it.
    pub fn of_kernel(&self, kernel: Kernel) -> Self {
        let own = self.own.iter().find(|(k, _)| *k == kernel);
        let tuning = own.map_or_else(|| self.tuning(), |(_, tuning)| *tuning);
        Self {
            warps: tuning.warps,
            points_per_lane: tuning.points_per_lane,
            ctas_per_sm: tuning.ctas_per_sm,
            mapper: tuning.mapper,
            weights: tuning.weights,
            placement: tuning.placement,
            buffer: tuning.buffer,
            passes: tuning.passes,
            constants: tuning.constants,
            form: tuning.form,
            matrix: tuning.matrix,
            qssa_warps: tuning.qssa_warps,
            ..self.clone()
        }
    }
}
