//! What the real compilers say of the emitted text: accepted or not, registers, spills, barriers.

use serde::Serialize;

use crate::driver::Unit;
use diagnostics::Diagnostic;
use machine::target::Target;
use machine::toolchain::{self, Job};

/// The needs of one kernel on the target, from ptxas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compiled {
    /// Such as `NVRTC and ptxas 11.8`.
    pub compilers: &'static str,
    /// 32-bit registers per thread
    pub registers: u32,
    pub spill_store_bytes: u32,
    pub spill_load_bytes: u32,
    pub stack_bytes: u32,
    pub shared_bytes: u32,
    pub barriers: u32,
}

/// Compiles the source of each unit; `None` where compilers for the target are not installed.
///
/// Errors: a compiler refuses the text, or warns about it.
pub fn measure(target: &Target, units: &[Unit], sources: &[String]) -> Result<Vec<Option<Compiled>>, Vec<Diagnostic>> {
    let arch = target.compute_capability;
    let Ok(toolchain) = toolchain::find_for(arch) else { return Ok(vec![None; units.len()]) };
    let jobs: Vec<Job> = units
        .iter()
        .zip(sources)
        .map(|(unit, source)| Job {
            name: format!("{}.cu", unit.program.symbol),
            source: source.clone(),
            arch,
            options: vec![],
        })
        .collect();
    let mut refused = Vec::new();
    let mut measured = Vec::new();
    for (unit, ptx) in units.iter().zip(toolchain.compile_all(&jobs)) {
        let usages = ptx.and_then(|ptx| toolchain.assemble(&ptx.text, arch));
        match usages {
            Ok(usages) => measured.push(usages.into_iter().next().map(|u| Compiled {
                compilers: toolchain.name,
                registers: u.registers,
                spill_store_bytes: u.spill_store_bytes,
                spill_load_bytes: u.spill_load_bytes,
                stack_bytes: u.stack_bytes,
                shared_bytes: u.shared_bytes,
                barriers: u.barriers,
            })),
            Err(failure) => refused.push(
                Diagnostic::error("compiler::refused", format!("{}: {failure}", unit.kernel))
                    .help("this is a defect of singe: please report it with the mechanism"),
            ),
        }
    }
    if refused.is_empty() { Ok(measured) } else { Err(refused) }
}
