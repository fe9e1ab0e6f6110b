//! Parameters of the kernel whose addresses are taken: they lie in memory, as tables that nobody changes.

use super::super::memory::segment_address;
use super::super::{Argument, Buffer, Launch};
use super::{Decoder, words};
use ptx::inst::{Op, Operand, Space, Type};
use ptx::ir::{Func, ParamKind};
use ptx::visit::Part;

impl Decoder<'_> {
    /// Gives each of them a table with its argument.
    pub(super) fn place_parameters(&mut self, func: &Func, launch: &Launch, buffers: usize) {
        let taken = |param| func.insts.values().any(|data| takes(&data.op, |taken| taken == param));
        for ((param, data), argument) in func.params_of(ParamKind::Input).zip(&launch.arguments) {
            if !taken(param) {
                continue;
            }
            let size = data.bytes().min(1 << 16) as usize;
            let bytes = words(argument).into_iter().flat_map(u64::to_le_bytes).chain(std::iter::repeat(0)).take(size);
            let table = match argument {
                Argument::Any => Buffer::unwritten(Type::U8, size),
                _ => Buffer::words(Type::U8, bytes.map(u64::from)).read_only(),
            };
            self.parameters[param] = Some(segment_address(buffers + self.code.tables.len()));
            self.code.tables.push((Space::Const, table));
        }
    }

    /// Whether all parameters have a place whose addresses the instruction takes: those of functions have none.
    pub(super) fn has_place(&self, op: &Op) -> bool {
        self.at == 0 && !takes(op, |param| self.parameters[param].is_none()) || !takes(op, |_| true)
    }
}

/// Whether the instruction takes the address of a wanted parameter.
fn takes(op: &Op, wanted: impl Fn(ptx::ir::Param) -> bool) -> bool {
    let mut found = false;
    op.parts(|part| found |= matches!(part, Part::Read(Operand::Param(param)) if wanted(*param)));
    found
}
