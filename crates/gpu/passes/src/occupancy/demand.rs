//! Demand of a CTA on an SM whatever the registers of its threads.

use machine::target::Kernel;
use machine::toolchain::named_barriers;
use ptx::analysis::pressure;
use ptx::inst::Space;
use ptx::ir::{Func, FuncKind, Module};
use ptx::print::mentioned;

/// The demand of one CTA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    pub threads: u32,
    /// Bytes of shared memory that the text declares, and that the launch adds.
    pub static_shared: u32,
    pub launch_shared: u32,
    pub named_barriers: u32,
    /// 32-bit registers that all values need which are alive at once.
    pub max_live: u32,
}

impl Demand {
    /// Returns the demand of a kernel in CTAs of that shape; `None` where neither the kernel nor `block` tells the shape.
    pub fn for_kernel(module: &Module, index: usize, block: Option<[u32; 3]>, launch_shared: u32) -> Option<Self> {
        let func = &module.funcs[index];
        let shape = func.threads.or(block).or_else(|| most_threads(func))?;
        Some(Self {
            threads: shape.iter().fold(1u32, |product, side| product.saturating_mul(*side)),
            static_shared: static_shared(module, func),
            launch_shared,
            named_barriers: named_barriers(&module.to_string(), &func.name),
            max_live: pressure::max_live(func),
        })
    }

    pub fn warps(&self) -> u32 {
        self.threads.div_ceil(32).max(1)
    }

    pub fn shared(&self) -> u32 {
        self.static_shared.saturating_add(self.launch_shared)
    }

    /// The question for the calculator.
    pub fn kernel(&self, registers_per_thread: u32, shared_bytes: u32) -> Kernel {
        Kernel { threads: self.threads, registers_per_thread, shared_bytes, named_barriers: self.named_barriers }
    }
}

/// Returns the shape that `.maxntid` gives.
pub fn most_threads(func: &Func) -> Option<[u32; 3]> {
    let text = func.directives.iter().find_map(|directive| directive.strip_prefix(".maxntid"))?;
    let mut sides = text.split(',').map(|side| side.trim().parse::<u32>());
    let mut side = || sides.next().map_or(Some(1), Result::ok);
    Some([side()?, side()?, side()?])
}

/// The variables that the kernel and the functions of the module name; each begins where its alignment allows.
fn static_shared(module: &Module, func: &Func) -> u32 {
    let functions = module.funcs.iter().filter(|other| other.kind == FuncKind::Function);
    let named: std::collections::BTreeSet<_> = functions.chain([func]).flat_map(mentioned).collect();
    let shared = named.into_iter().map(|variable| &module.variables[variable]).filter(|v| v.space == Space::Shared);
    let bytes = shared.fold(0u64, |sum, v| sum.next_multiple_of(u64::from(v.align.max(1))).saturating_add(v.bytes));
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
