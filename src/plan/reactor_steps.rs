//! Kernels that take a step of a reactor on a GPU.

use super::Request;
use kernels::{Factors, Precision};
use machine::target::ComputeCapability;

/// Kernels of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReactorSteps {
    /// Those that take less time, by the number of species.
    #[default]
    Auto,
    /// One kernel takes a whole step: a thread has a point, whose arrays are in its local memory.
    Fused,
    /// A pipeline: rates, Jacobian, factorisation and stages have kernels of their own, between which all goes through memory.
    Pipeline,
}

/// Most species of a mechanism whose steps are fused, with factors in doubles and in floats. With more the arrays of a thread do not stay
/// in the L1 cache. By the model of time on Hopper, for 9, 10, 12, 13 and 14 species (mechanisms of hydrogen and syngas), a fused step
/// takes 0.74, 0.98, 1.10, 1.07 and 1.18 of a pipeline's time with doubles. With floats it takes 0.75, 0.83, 0.87, 0.85 and 1.15.
const MOST_FUSED: [usize; 2] = [10, 13];

/// Compute capability from which on the L1 cache is large enough.
const FIRST_FUSED: ComputeCapability = ComputeCapability(7, 0);

impl Request {
    /// Whether one kernel is to take a whole step of the reactors, whose mechanism has so many species.
    pub fn fuses_steps(&self, species: usize) -> bool {
        let target = self.common.target;
        let is_small = match self.steps {
            ReactorSteps::Auto => species <= MOST_FUSED[usize::from(self.common.precision.factors == Factors::Single)],
            ReactorSteps::Fused => true,
            ReactorSteps::Pipeline => false,
        };
        let is_wanted = self.reactor_method.is_some() && self.common.precision.kernels == Precision::Double;
        let has_cache = !target.is_cpu() && !target.is_amd() && target.compute_capability >= FIRST_FUSED;
        is_small && is_wanted && has_cache && self.is_of_one_layout()
    }
}
