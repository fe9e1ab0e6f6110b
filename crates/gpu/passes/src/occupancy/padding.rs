//! Shared memory that a kernel takes without using it, so that no more of its CTAs are resident than wanted: occupancy is lowered
//! without new code (Orion, section 3.3).

use machine::target::Target;
use ptx::inst::{InstData, Mode, Op, Operand, Space, Type, UnaryOp};
use ptx::ir::{Init, Linkage, Module, VariableData};

/// Bytes that a text may declare; a CTA gets more from its launch only (CUDA C++ Programming Guide, compute capabilities).
pub const MOST_STATIC: u32 = 48 * 1024;

/// Returns the bytes of a CTA with which shared memory lets exactly so many CTAs be resident; `None` where a CTA cannot ask for so much.
/// The amount is one unit above the least that does it, if that is possible, which leaves the L1 cache most.
pub fn bytes_for(target: &Target, blocks: u32) -> Option<u32> {
    let unit = target.shared_unit;
    let (least, most) =
        (target.shared_bytes_per_sm / (blocks + 1) / unit + 1, target.shared_bytes_per_sm / blocks / unit);
    let allocated = (least <= most).then_some(unit * most.min(least + 1))?;
    let bytes = allocated.saturating_sub(target.reserved_shared_bytes_per_cta);
    (bytes <= target.shared_bytes_per_cta).then_some(bytes)
}

/// The module with so many more bytes of shared memory in one kernel. It names them, so that assemblers keep them.
pub fn pad(module: &Module, index: usize, bytes: u32) -> Module {
    let mut module = module.clone();
    let name = module.unused_name("singe_occupancy");
    let (linkage, space, init) = (Linkage::Internal, Space::Shared, Init::None);
    let padding = module.variables.push(VariableData { name, linkage, space, align: 8, bytes: bytes.into(), init });
    let func = &mut module.funcs[index];
    let dst = func.regs.push(Type::B32);
    let (op, mode, ty, a) = (UnaryOp::Mov, Mode::default(), Type::U32, Operand::Variable(padding));
    let inst = func.insts.push(InstData { guard: None, op: Op::Unary { op, mode, ty, dst, a } });
    let entry = func.layout[0];
    func.blocks[entry].insts.insert(0, inst);
    module
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::target::{Kernel, occupancy};

    #[test]
    fn padding_gives_exactly_the_level() {
        for target in Target::all() {
            let most = target.blocks_per_sm.min(target.warps_per_sm);
            for blocks in 1..=most {
                let Some(shared_bytes) = bytes_for(target, blocks) else { continue };
                let kernel = Kernel { threads: 32, registers_per_thread: 1, shared_bytes, named_barriers: 0 };
                assert_eq!(occupancy(target, kernel).blocks, blocks, "{} {shared_bytes}", target.name);
            }
        }
    }
}
