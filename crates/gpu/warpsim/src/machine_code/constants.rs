//! Constant memory: the banks of the cubin, and bank 0, which the driver fills at the launch.

use crate::buffer::Buffer;
use crate::memory::{LOCAL_WINDOW, SHARED_WINDOW, segment_address};
use crate::{Argument, Launch};
use ptx::inst::{Space, Type};
use sass::{Cubin, Kernel};
use std::collections::BTreeMap;

/// Offsets in bank 0, apart from the parameters, whose place the cubin tells.
pub(super) struct Layout {
    /// Offset of the threads per CTA in x, y and z.
    threads: u32,
    /// Offset of the CTAs in x, y and z.
    ctas: u32,
    /// Offset of the start of the stack in local memory; it grows downwards.
    stack: u32,
    /// Offset of the flag for launches of clusters.
    clusters: Option<u32>,
    /// Offset of the descriptor for accesses of global memory.
    descriptor: Option<u32>,
    /// Offsets of the windows of shared and local memory in generic addresses; `None` if a special register holds them.
    windows: [Option<u32>; 2],
}

/// Windows of shared and local memory in generic addresses; all else is global.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Windows {
    pub shared: u64,
    local: u64,
    /// Size of each window in bytes.
    size: u64,
}

impl Windows {
    /// Returns the windows. On Kepler they lie in the lowest 4 GiB, and code compares the uppermost byte; later the lower 32 bits
    /// of an address in shared memory are the address there.
    pub(super) fn new(sm: u32) -> Self {
        match sm {
            ..50 => Self { shared: 1 << 24, local: 2 << 24, size: 1 << 24 },
            _ => Self { shared: SHARED_WINDOW, local: LOCAL_WINDOW, size: 1 << 32 },
        }
    }

    /// Returns the space of a generic address, and the address there.
    pub(super) fn place(self, address: u64) -> (Space, u64) {
        let inside = |start: u64| address.checked_sub(start).filter(|offset| *offset < self.size);
        match (inside(self.shared), inside(self.local)) {
            (Some(offset), _) => (Space::Shared, offset),
            (_, Some(offset)) => (Space::Local, offset),
            _ => (Space::Global, address),
        }
    }
}

/// Returns the layout that ptxas uses.
pub(super) fn layout(sm: u32) -> Option<Layout> {
    Some(match sm {
        30..50 => Layout {
            threads: 0x28,
            ctas: 0x34,
            stack: 0x44,
            clusters: None,
            descriptor: None,
            windows: [Some(0x20), Some(0x24)],
        },
        70..80 => Layout {
            threads: 0x0,
            ctas: 0xc,
            stack: 0x28,
            clusters: None,
            descriptor: None,
            windows: [Some(0x18), Some(0x20)],
        },
        80..90 => Layout {
            threads: 0x0,
            ctas: 0xc,
            stack: 0x28,
            clusters: None,
            descriptor: Some(0x118),
            windows: [Some(0x18), Some(0x20)],
        },
        90..100 => Layout {
            threads: 0x0,
            ctas: 0xc,
            stack: 0x28,
            clusters: Some(0x140),
            descriptor: Some(0x208),
            windows: [None, Some(0x20)],
        },
        100..130 => Layout {
            threads: 0x360,
            ctas: 0x370,
            stack: 0x37c,
            clusters: Some(0x36c),
            descriptor: Some(0x358),
            windows: [None, Some(0x2f8)],
        },
        _ => return None,
    })
}

/// Bytes of a bank.
const BANK: usize = 1 << 16;

/// Returns all banks for a launch with that many buffers. Parts outside the layout are unwritten.
///
/// Errors: the launch does not fit the kernel, or the architecture is not known.
pub(super) fn banks(
    cubin: &Cubin,
    kernel: &Kernel,
    launch: &Launch,
    buffers: usize,
) -> Result<BTreeMap<u8, Buffer>, String> {
    let layout = layout(cubin.sm).ok_or_else(|| format!("machine code for sm_{}", cubin.sm))?;
    let mut first = Buffer::unwritten(Type::U8, BANK);
    for (axis, (threads, ctas)) in (0..).zip(launch.threads.iter().zip(&launch.ctas)) {
        first.write(u64::from(layout.threads) + 4 * axis, 4, u64::from(*threads));
        first.write(u64::from(layout.ctas) + 4 * axis, 4, u64::from(*ctas));
    }
    first.write(layout.stack.into(), 4, kernel.stack_bytes.into());
    if let Some(clusters) = layout.clusters {
        first.write(clusters.into(), 4, u64::from(kernel.cluster != [1; 3]));
    }
    if let Some(descriptor) = layout.descriptor {
        first.write(descriptor.into(), 8, 0);
    }
    let windows = Windows::new(cubin.sm);
    for (place, window) in layout.windows.into_iter().zip([windows.shared, windows.local]) {
        let bytes = if cubin.sm < 50 { 4 } else { 8 };
        if let Some(place) = place {
            first.write(place.into(), bytes, window);
        }
    }
    arguments(kernel, launch, &mut first)?;
    let mut banks = BTreeMap::from([(0, first)]);
    for bank in &kernel.banks {
        let mut buffer = Buffer::words(Type::U8, bank.bytes.iter().map(|byte| u64::from(*byte)));
        for patch in &bank.patches {
            let place = table(cubin, &patch.symbol, buffers).ok_or_else(|| format!("the symbol {}", patch.symbol))?;
            let fits = patch.offset.is_multiple_of(8) && u64::from(patch.offset) + 8 <= buffer.bytes();
            let address = fits.then(|| place.wrapping_add_signed(patch.addend)).ok_or("a relocation past its bank")?;
            buffer.write(patch.offset.into(), 8, address);
        }
        banks.insert(bank.number, buffer);
    }
    Ok(banks)
}

/// Returns the address of a table. The launch's buffers come before all tables.
pub(super) fn table(cubin: &Cubin, symbol: &str, buffers: usize) -> Option<u64> {
    let at = cubin.tables.iter().position(|table| table.name == symbol)?;
    Some(segment_address(buffers + at))
}

fn arguments(kernel: &Kernel, launch: &Launch, bank: &mut Buffer) -> Result<(), String> {
    let (given, wanted) = (launch.arguments.len(), kernel.parameters.len());
    if given != wanted {
        return Err(format!("{given} arguments for {wanted} parameters"));
    }
    for (place, argument) in kernel.parameters.iter().zip(&launch.arguments) {
        let bytes = match argument {
            Argument::Buffer(index) => segment_address(*index).to_le_bytes().to_vec(),
            Argument::U32(value) => value.to_le_bytes().to_vec(),
            Argument::U64(value) => value.to_le_bytes().to_vec(),
            Argument::Bytes(bytes) => bytes.clone(),
            Argument::Any => return Err("an argument that may be anything".to_owned()),
        };
        if place.end as usize > BANK {
            return Err("parameters past the end of constant memory".to_owned());
        }
        // a missing rest is zero
        let padded = bytes.iter().copied().chain(std::iter::repeat(0));
        for (offset, byte) in place.clone().zip(padded) {
            bank.write(offset.into(), 1, byte.into());
        }
    }
    Ok(())
}
