//! Value of `--kernel`.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kernels::Kernel;

/// Value of `--kernel`: a kernel, or reactors, which need two kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelChoice {
    Kernel(Kernel),
    Reactor,
}

impl KernelChoice {
    pub fn kernel(self) -> Option<Kernel> {
        match self {
            Self::Kernel(kernel) => Some(kernel),
            Self::Reactor => None,
        }
    }
}

impl ValueEnum for KernelChoice {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<KernelChoice>> = LazyLock::new(|| {
            let kernels = Kernel::value_variants().iter().map(|&kernel| KernelChoice::Kernel(kernel));
            kernels.chain([KernelChoice::Reactor]).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Kernel(kernel) => kernel.to_possible_value(),
            Self::Reactor => Some(
                PossibleValue::new("reactor").help("Reactors, advanced in time by an integrator for stiff systems"),
            ),
        }
    }
}
