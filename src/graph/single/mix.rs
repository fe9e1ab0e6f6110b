//! Which instructions are singles and which pairs: as many singles as a bound allows, those first that spare most for what they err by.
//!
//! This is a search, and proves nothing: it looks at a few cells of the temperatures. [`super::prove_mixed`] proves what it finds.

use std::collections::{BTreeMap, BTreeSet};

use super::super::body::{Binary, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Op, Shape, StepRef};
use super::follow;
use super::kinds::{Kind, Kinds, computes};
use super::of_stores;
use super::premises::{Domain, Roundings};

/// Instructions that change their arithmetic together: those at one place of a shape, in operations with running sums of each operation.
type Group = (Option<(Shape, Option<Op>)>, u32);

/// As many singles as a bound of the error allows; nothing where pairs alone do not keep it.
pub fn choose(graph: &Graph, order: &[StepRef], domain: &Domain, bound: f64) -> Option<Kinds> {
    let search = Search { graph, order, domain };
    let savings = search.savings();
    let none = BTreeSet::new();
    let all: BTreeSet<Group> = savings.keys().copied().collect();
    if search.error(&all) <= bound {
        return Some(search.kinds(&all));
    }
    let least = search.error(&none);
    if least > bound {
        return None;
    }
    let mut by_worth: Vec<(Group, f64)> = all
        .iter()
        .map(|&group| {
            let error = (search.error(&BTreeSet::from([group])) - least).max(1e-3 * least);
            (group, savings[&group] / error)
        })
        .collect();
    by_worth.sort_by(|a, b| b.1.total_cmp(&a.1));
    let groups: Vec<Group> = by_worth.into_iter().map(|(group, _)| group).collect();
    let mut singles = BTreeSet::new();
    search.add(&mut singles, &groups, bound);
    Some(search.kinds(&singles))
}

struct Search<'a> {
    graph: &'a Graph,
    order: &'a [StepRef],
    domain: &'a Domain,
}

impl Search<'_> {
    /// Adds all of the groups, or where that is too many the halves, the first half first.
    fn add(&self, singles: &mut BTreeSet<Group>, groups: &[Group], bound: f64) {
        let with: BTreeSet<Group> = singles.iter().chain(groups).copied().collect();
        if self.error(&with) <= bound {
            *singles = with;
        } else if groups.len() > 1 {
            let (first, second) = groups.split_at(groups.len() / 2);
            self.add(singles, first, bound);
            self.add(singles, second, bound);
        }
    }

    fn group(&self, at: Option<StepRef>, id: u32) -> Group {
        let class = at.map(|at| {
            let has_sums = !self.graph.ops[at.op].iterations.is_empty();
            (self.graph.step(at).shape, has_sums.then_some(at.op))
        });
        (class, id)
    }

    fn kinds(&self, singles: &BTreeSet<Group>) -> Kinds {
        Kinds::of(self.graph, self.order, &|at, id| {
            let body = at.map_or(&self.graph.shapes[self.graph.preamble.shape], |at| self.graph.body(at));
            let is_single = match body.insts[id as usize] {
                // What is read is rounded.
                Inst::Field { .. } => true,
                Inst::Literal(_) | Inst::Constant(_) => false,
                _ => singles.contains(&self.group(at, id)),
            };
            if is_single { Kind::Single } else { Kind::Pair }
        })
    }

    /// What it errs by in a few cells, about; infinite where nothing is known.
    fn error(&self, singles: &BTreeSet<Group>) -> f64 {
        let kinds = self.kinds(singles);
        let cells: Vec<_> = self.domain.temperatures.cells(self.domain.cells).collect();
        let some = BTreeSet::from([0, cells.len() / 2, cells.len() - 1]);
        let of_cell = |at: usize| {
            let claims = follow::claims(self.graph, self.order, (self.domain, cells[at]), &Roundings::ALL, &kinds);
            claims.map_or(f64::INFINITY, |claims| of_stores(self.graph, self.domain, &kinds, &claims))
        };
        some.into_iter().map(of_cell).fold(0.0, f64::max)
    }

    /// How many operations on singles each group spares where it is single, over all steps.
    fn savings(&self) -> BTreeMap<Group, f64> {
        let mut found: BTreeMap<Group, f64> = BTreeMap::new();
        for at in std::iter::once(None).chain(self.order.iter().copied().map(Some)) {
            let body = at.map_or(&self.graph.shapes[self.graph.preamble.shape], |at| self.graph.body(at));
            for (id, inst) in (0..).zip(&body.insts).filter(|(_, inst)| computes(inst)) {
                *found.entry(self.group(at, id)).or_default() += spared(inst);
            }
        }
        found
    }
}

/// By one instruction, about.
fn spared(inst: &Inst) -> f64 {
    match inst {
        Inst::Fma(..) => 13.0,
        Inst::Binary(Binary::Mul, ..) => 6.0,
        Inst::Binary(Binary::Div, ..) => 8.0,
        Inst::Binary(..) => 9.0,
        Inst::Unary(op, _) if matches!(op.real_function(), RealFunction::Exp2 | RealFunction::Exp2OfNegative) => 110.0,
        Inst::Unary(Unary::Sqrt, _) => 10.0,
        Inst::Unary(..) => 130.0,
        _ => 2.0,
    }
}
