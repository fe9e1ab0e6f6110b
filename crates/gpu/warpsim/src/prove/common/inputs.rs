//! Inputs of instructions.

use super::slot::Slot;
use crate::decode::{Compute, GuardBit, MemoryAccess, Micro, Pieces, Source, Test};

/// Registers and predicates whose values decide all results of an instruction.
#[derive(Default)]
pub(in super::super) struct Operands {
    pub rows: Vec<Source>,
    pub slots: Vec<Slot>,
}

/// Returns the operands; `None` if a result depends on more, such as other lanes, the condition code, or the old value of the register.
pub(in super::super) fn operands(micro: &Micro) -> Option<Operands> {
    let rows = |rows: &[Source]| Some(Operands { rows: rows.to_vec(), slots: Vec::new() });
    let combined = |combine: &Option<(_, GuardBit)>| combine.iter().map(|(_, (pred, _))| Slot::Pred(*pred)).collect();
    match micro {
        Micro::Compute(Compute::Map1 { a, .. })
        | Micro::Pieces(Pieces::Unpack { a, .. })
        | Micro::Test(Test::IsSpace { a, .. }) => rows(&[*a]),
        Micro::Compute(Compute::Map2 { a, b, .. }) => rows(&[*a, *b]),
        Micro::Compute(Compute::Map3 { a, b, c, .. }) => rows(&[*a, *b, *c]),
        Micro::Compute(Compute::Each { sources, .. }) => rows(sources),
        Micro::Compute(Compute::Carry { reads: false, writes: false, sources, .. }) => rows(sources),
        Micro::Test(Test::Compare { combine, a, b, .. }) => {
            Some(Operands { rows: vec![*a, *b], slots: combined(combine) })
        }
        Micro::Test(Test::Set { combine, a, b, .. }) => Some(Operands { rows: vec![*a, *b], slots: combined(combine) }),
        Micro::Test(Test::Logic { a, b, .. }) => {
            Some(Operands { rows: Vec::new(), slots: vec![Slot::Pred(*a), Slot::Pred(*b)] })
        }
        Micro::Test(Test::Select { a, b, pred, .. }) => {
            Some(Operands { rows: vec![*a, *b], slots: vec![Slot::Pred(*pred)] })
        }
        Micro::Pieces(Pieces::Pack { parts, .. }) => rows(parts),
        Micro::Pieces(Pieces::Take { elements, .. }) => {
            let slots = elements.iter().map(|(_, row, _)| Slot::Row(*row)).collect();
            Some(Operands { rows: Vec::new(), slots })
        }
        Micro::Pieces(Pieces::Insert { a, b, pos, len, .. }) => rows(&[*a, *b, *pos, *len]),
        Micro::MemoryAccess(MemoryAccess::Load { base, .. }) => rows(&[*base]),
        _ => None,
    }
}
