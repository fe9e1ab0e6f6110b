//! What instructions compute from.

use super::slots::Slot;
use crate::decode::{GuardBit, Micro, Source};

/// Registers and predicates whose values decide all results of an instruction.
#[derive(Default)]
pub(super) struct Operands {
    pub rows: Vec<Source>,
    pub slots: Vec<Slot>,
}

/// `None` where a result depends on more, such as other lanes, the condition code, or what the register held before.
pub(super) fn operands(micro: &Micro) -> Option<Operands> {
    let rows = |rows: &[Source]| Some(Operands { rows: rows.to_vec(), slots: Vec::new() });
    let combined = |combine: &Option<(_, GuardBit)>| combine.iter().map(|(_, (pred, _))| Slot::Pred(*pred)).collect();
    match micro {
        Micro::Map1 { a, .. } | Micro::Unpack { a, .. } | Micro::IsSpace { a, .. } => rows(&[*a]),
        Micro::Map2 { a, b, .. } => rows(&[*a, *b]),
        Micro::Map3 { a, b, c, .. } => rows(&[*a, *b, *c]),
        Micro::Each { sources, .. } => rows(sources),
        Micro::Carry { reads: false, writes: false, sources, .. } => rows(sources),
        Micro::Compare { combine, a, b, .. } => Some(Operands { rows: vec![*a, *b], slots: combined(combine) }),
        Micro::Set { combine, a, b, .. } => Some(Operands { rows: vec![*a, *b], slots: combined(combine) }),
        Micro::Logic { a, b, .. } => Some(Operands { rows: Vec::new(), slots: vec![Slot::Pred(*a), Slot::Pred(*b)] }),
        Micro::Select { a, b, pred, .. } => Some(Operands { rows: vec![*a, *b], slots: vec![Slot::Pred(*pred)] }),
        Micro::Pack { parts, .. } => rows(parts),
        Micro::Take { elements, .. } => {
            let slots = elements.iter().map(|(_, row, _)| Slot::Row(*row)).collect();
            Some(Operands { rows: Vec::new(), slots })
        }
        Micro::Insert { a, b, pos, len, .. } => rows(&[*a, *b, *pos, *len]),
        Micro::Load { base, .. } => rows(&[*base]),
        _ => None,
    }
}
