//! Values that data choose from two, lane by lane: such as the address of one of two slots of a thread.

use super::terms::Named;
use crate::decode::{Compute, Micro, Source, Test};
use crate::prove::known::Known;
use crate::rows::Row;
use crate::warp::Warp;

/// Returns both values that an instruction may compute for the lanes of the mask, and the register; `None` if it is not one of two.
pub(super) fn computed(warp: &Warp<Known>, pool: &[Row], micro: &Micro, mask: u32) -> Option<(u32, [Row; 2])> {
    let named = warp.knowledge.named.as_ref()?;
    let is_known = |source: &Source| mask & !warp.knows(*source) == 0;
    let row = |source: &Source| *source.row(&warp.regs, pool);
    let (d, sources): (u32, Vec<Source>) = match micro {
        Micro::Test(Test::Select { d, a, b, .. }) if is_known(a) && is_known(b) => return Some((*d, [row(a), row(b)])),
        Micro::Compute(Compute::Map1 { d, a, .. }) => (*d, vec![*a]),
        Micro::Compute(Compute::Map2 { d, a, b, .. }) => (*d, vec![*a, *b]),
        Micro::Compute(Compute::Map3 { d, a, b, c, .. }) => (*d, vec![*a, *b, *c]),
        _ => return None,
    };
    let mut chosen = sources.iter().filter(|source| !is_known(source)).filter_map(|source| source.register());
    let unknown = chosen.next()?;
    let both = named.alternatives(unknown, mask).filter(|_| chosen.all(|other| other == unknown))?;
    let of = |source: &Source, which: usize| match source.register() {
        Some(register) if register == unknown => both[which],
        _ => row(source),
    };
    let values = [0, 1].map(|which| match micro {
        Micro::Compute(Compute::Map1 { f, a, .. }) => f(&of(a, which)),
        Micro::Compute(Compute::Map2 { f, a, b, .. }) => f(&of(a, which), &of(b, which)),
        Micro::Compute(Compute::Map3 { f, a, b, c, .. }) => f(&of(a, which), &of(b, which), &of(c, which)),
        _ => [0; 32],
    });
    Some((d, values))
}

impl Named {
    /// Returns both values of the register, if the lanes of the mask have two.
    pub(in crate::prove) fn alternatives(&self, row: u32, mask: u32) -> Option<&[Row; 2]> {
        self.alternatives.get(&row).filter(|(_, lanes)| mask & !lanes == 0).map(|(both, _)| both)
    }

    /// Notes that the lanes of the mask hold one of the two values.
    pub(in crate::prove) fn choose_of(&mut self, row: u32, both: [Row; 2], mask: u32) {
        self.alternatives.insert(row, (both, mask));
    }
}
