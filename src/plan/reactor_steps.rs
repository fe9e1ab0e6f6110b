//! Kernels that take a step of a reactor on a GPU.

use super::Request;
use kernels::Precision;
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

/// Most species of a mechanism whose steps are fused. With more the arrays of a thread do not stay in the L1 cache: by the model of time on Hopper, with
/// factors in floats, a fused step takes 0.78 of a pipeline's time for 10 species, and 1.09 for 21 (docs/lab/reactors-gpu.md).
const MOST_FUSED: usize = 16;

/// Compute capability from which on the L1 cache is large enough.
const FIRST_FUSED: ComputeCapability = ComputeCapability(7, 0);

impl Request {
    /// Whether one kernel is to take a whole step of the reactors, whose mechanism has so many species.
    pub fn fuses_steps(&self, species: usize) -> bool {
        let target = self.common.target;
        let is_small = match self.steps {
            ReactorSteps::Auto => species <= MOST_FUSED,
            ReactorSteps::Fused => true,
            ReactorSteps::Pipeline => false,
        };
        let is_wanted = self.reactor_method.is_some() && self.common.precision.kernels == Precision::Double;
        let has_cache = !target.is_cpu() && !target.is_amd() && target.compute_capability >= FIRST_FUSED;
        is_small && is_wanted && has_cache && self.is_of_one_layout()
    }
}
