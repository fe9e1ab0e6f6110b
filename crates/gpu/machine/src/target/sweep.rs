//! Occupancy over one of the resources, the others kept.

use super::{Kernel, Occupancy, Target, occupancy};

/// The resource that a sweep varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    Registers,
    Shared,
    Threads,
}

impl Parameter {
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers per thread",
            Self::Shared => "bytes of shared memory per CTA",
            Self::Threads => "threads per CTA",
        }
    }
}

/// Occupancy for every value of the parameter that the target allows, in its natural unit: registers by 8, threads by
/// warps, shared memory by a KiB (by 4 KiB where a CTA may have more than 48 KiB).
pub fn sweep(target: &Target, kernel: Kernel, parameter: Parameter) -> Vec<(u32, Occupancy)> {
    let (first, last, step) = match parameter {
        Parameter::Registers => (8, target.max_registers_per_thread, 8),
        Parameter::Shared => {
            let most = target.shared_bytes_per_cta;
            (0, most, if most > 48 * 1024 { 4096 } else { 1024 })
        }
        Parameter::Threads => (32, target.threads_per_cta, 32),
    };
    let inner = (first..last).step_by(step).chain([last]);
    let with = |value| match parameter {
        Parameter::Registers => Kernel { registers_per_thread: value, ..kernel },
        Parameter::Shared => Kernel { shared_bytes: value, ..kernel },
        Parameter::Threads => Kernel { threads: value, ..kernel },
    };
    inner.map(|value| (value, occupancy(target, with(value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_ends_at_the_limit_of_the_target_and_never_rises() {
        let kernel = Kernel { threads: 256, registers_per_thread: 32, shared_bytes: 0, named_barriers: 0 };
        for target in Target::all() {
            for (parameter, last) in [
                (Parameter::Registers, target.max_registers_per_thread),
                (Parameter::Shared, target.shared_bytes_per_cta),
                (Parameter::Threads, target.threads_per_cta),
            ] {
                let rows = sweep(target, kernel, parameter);
                assert_eq!(rows.last().unwrap().0, last, "{} {parameter:?}", target.name);
                assert!(rows.windows(2).all(|r| r[0].0 < r[1].0 && r[0].1.blocks >= r[1].1.blocks), "{}", target.name);
                assert!(rows[0].1.blocks > 0);
            }
        }
    }

    #[test]
    fn kepler_steps_down_where_the_guide_says() {
        let kernel = Kernel { threads: 256, registers_per_thread: 32, shared_bytes: 0, named_barriers: 0 };
        let rows = sweep(Target::by_name("kepler").unwrap(), kernel, Parameter::Registers);
        let blocks = |registers| rows.iter().find(|(r, _)| *r == registers).unwrap().1.blocks;
        assert_eq!([32, 40, 64, 128, 136, 255].map(blocks), [8, 6, 4, 2, 1, 1]);
    }
}
