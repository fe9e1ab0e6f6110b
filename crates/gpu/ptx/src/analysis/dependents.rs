//! Values that follow from each value, for analyses that look at each value in order, and again when something fell that it
//! depends on.

use super::gated::Gated;
use super::lists::Lists;
use super::ssa::{Def, Value};
use crate::ir::Func;
use cranelift_entity::EntityRef;
use std::sync::OnceLock;

/// Made once for all analyses over a [`Gated`] form.
#[derive(Debug, Clone, Default)]
pub struct Dependents {
    /// The φs and copies that depend on values that come behind them, in order.
    pub late: Vec<Value>,
    of: OnceLock<Lists<Value, Value>>,
}

impl Dependents {
    pub(super) fn compute(gated: &Gated) -> Self {
        let is_late = |value: &&Value| {
            let mut late = false;
            gated.inputs(**value, |on| late |= on >= **value && gated.ssa.values[on].def != Def::Undefined);
            late
        };
        Self { late: starts(gated).filter(is_late).copied().collect(), of: OnceLock::new() }
    }

    /// The values to look at again when this one, of the form that these dependents are of, fell after all had been looked at: looked
    /// for when the first one falls.
    pub fn get(&self, func: &Func, gated: &Gated, value: Value) -> &[Value] {
        self.of.get_or_init(|| self.links(func, gated)).get(value)
    }

    fn links(&self, func: &Func, gated: &Gated) -> Lists<Value, Value> {
        let mut links = Vec::with_capacity(2 * gated.ssa.values.len());
        // values that are not final once all have been looked at in order: those that late ones reach
        let mut open = vec![false; gated.ssa.values.len()];
        for &block in &gated.facts.cfg.order {
            for &value in gated.ssa.starts(block) {
                let mut reached = self.late.binary_search(&value).is_ok();
                gated.inputs(value, |on| reached |= open[on.index()]);
                open[value.index()] = reached;
            }
            for &inst in &func.blocks[block].insts {
                let writes = gated.ssa.writes(inst);
                if writes.is_empty() {
                    continue;
                }
                for &read in gated.ssa.reads(inst).iter().filter(|read| open[read.index()]) {
                    links.extend(writes.iter().map(|value| (read, *value)));
                }
                let reached = gated.ssa.reads(inst).iter().any(|read| open[read.index()]);
                writes.iter().for_each(|value| open[value.index()] = reached);
            }
        }
        for value in starts(gated) {
            gated.inputs(*value, |on| links.extend(open[on.index()].then_some((on, *value))));
        }
        Lists::new(gated.ssa.values.len(), &links)
    }
}

/// The φs and copies, in order.
fn starts(gated: &Gated) -> impl Iterator<Item = &Value> {
    gated.facts.cfg.order.iter().flat_map(|block| gated.ssa.starts(*block))
}
