//! Limits beyond every machine: a kernel that exceeds one is refused before memory is taken for it.

use crate::hazard::Kind;
use crate::launch::MOST_SHARED;
use ptx::inst::Space;
use ptx::ir::Module;

/// Bytes of local memory of all threads of a CTA: 1,024 have 512 KB each. One thread of a CPU may have more than a thread of a GPU.
const MOST_LOCAL: u64 = 512 << 20;
/// Bytes of variables in global and constant memory.
const MOST_GLOBAL: u64 = 64 << 20;
/// Registers of all warps of a CTA, with those of the functions that the kernel calls.
const MOST_ROWS: usize = 1 << 23;

/// Checks the module's variables in so many threads, with the shared memory that the launch adds.
pub(super) fn variables(module: &Module, dynamic: u64, threads: u32) -> Result<(), Kind> {
    let sum = |matches: fn(Space) -> bool| {
        let bytes = module.variables.values().filter(|data| matches(data.space)).map(|data| data.bytes);
        bytes.fold(0, u64::saturating_add)
    };
    let shared = sum(|space| space == Space::Shared).saturating_add(dynamic);
    at_most(shared, MOST_SHARED, "shared memory")?;
    let local = sum(|space| space == Space::Local).saturating_mul(threads.into());
    at_most(local, MOST_LOCAL, "local memory")?;
    at_most(sum(|space| !matches!(space, Space::Shared | Space::Local)), MOST_GLOBAL, "global and constant memory")
}

pub(super) fn registers(count: usize, threads: u32) -> Result<(), Kind> {
    match count.saturating_mul(threads.div_ceil(32) as usize) > MOST_ROWS {
        true => Err(Kind::Unsupported(format!("{count} registers in {threads} threads"))),
        false => Ok(()),
    }
}

fn at_most(bytes: u64, most: u64, what: &str) -> Result<(), Kind> {
    match bytes > most {
        true => Err(Kind::Unsupported(format!("{bytes} bytes of {what}, of at most {most}"))),
        false => Ok(()),
    }
}
