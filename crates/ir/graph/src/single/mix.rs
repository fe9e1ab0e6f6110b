//! Choice of singles and pairs: as many singles as a bound allows, those first that save most for their error.
//!
//! This is a search, and proves nothing: it looks at a few cells of the temperatures. [`super::prove_mixed`] proves what it finds.

use std::collections::{BTreeMap, BTreeSet};

use super::super::body::{Binary, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Op, Shape, StepRef};
use super::double_float::Powers;
use super::follow;
use super::kinds::{Kind, Kinds, computes};
use super::of_stores;
use super::premises::{Domain, Roundings};
use super::sensitivity::{Sensitivity, sensitivity};

/// Instructions that change their arithmetic together: those at one place of a shape, in operations with running sums of each operation.
type Group = (Option<(Shape, Option<Op>)>, u32);

/// Limit on computations of the whole graph's error; each one sets the next limit on the error of first order.
const TURNS: usize = 8;
/// From this share of the bound on nothing more is looked for.
const ENOUGH: f64 = 0.985;

/// Up to this share of the bound pairs alone may come with short powers.
const SHORT: f64 = 0.5;

/// As many singles as a bound of the error allows; nothing where pairs alone do not keep it.
pub fn choose(graph: &Graph, order: &[StepRef], domain: &Domain, bound: f64) -> Option<Kinds> {
    let mut search = Search::new(graph, order, domain);
    let all = vec![true; search.groups.len()];
    if search.error(&all) <= bound {
        return Some(search.kinds(&all));
    }
    let mut best = vec![false; search.groups.len()];
    // Longer powers take less than what would have to be pairs beside short ones.
    if search.error(&best) > SHORT * bound {
        search.powers = Powers::Long;
        if search.error(&best) > bound {
            return None;
        }
    }
    let index = |at, id| search.index(at, id);
    let sensitivity = sensitivity(graph, order, domain, search.groups.len(), &index);
    let greedy = Greedy::new(&sensitivity, &search.savings);
    let (mut limit, mut most, mut ends) = (bound, 0.0, [0.0, f64::INFINITY]);
    for _ in 0..TURNS {
        let singles = greedy.within(limit);
        let (error, saved) = (search.error(&singles), search.saved(&singles));
        if error <= bound && saved > most {
            (best, most) = (singles, saved);
        }
        if error <= bound && error >= ENOUGH * bound {
            break;
        }
        ends[usize::from(error > bound)] = limit;
        // An error that is not known says nothing of how far it is off.
        let next = limit * if error.is_finite() { bound / error } else { 0.5 };
        limit = if next > ends[0] && next < ends[1] { next } else { 0.5 * (ends[0] + ends[1]) };
        if !limit.is_finite() || ends[1] < 1.005 * ends[0] {
            break;
        }
    }
    greedy.more(&mut best, |singles| search.error(singles) <= bound, &search.savings);
    Some(search.kinds(&best))
}

/// A choice of groups in the order of savings over error, to first order.
struct Greedy<'a> {
    sensitivity: &'a Sensitivity,
    /// Numbers of other groups that each group reads, and the readers of its own.
    reads: Vec<Vec<(usize, &'a [f32])>>,
    is_read: Vec<Vec<(Option<usize>, &'a [f32])>>,
    order: Vec<usize>,
}

impl<'a> Greedy<'a> {
    fn new(sensitivity: &'a Sensitivity, savings: &[f64]) -> Self {
        let groups = savings.len();
        let (mut reads, mut is_read) = (vec![Vec::new(); groups], vec![Vec::new(); groups]);
        for (&(reader, of), errors) in &sensitivity.read {
            if let Some(reader) = reader {
                reads[reader].push((of, errors.as_slice()));
            }
            is_read[of].push((reader, errors.as_slice()));
        }
        let most = |errors: &[f32]| f64::from(errors.iter().copied().fold(0.0, f32::max));
        // About half of what a group reads will have more digits.
        let worth = |group: usize| {
            let read: f64 = reads[group].iter().map(|(_, errors)| most(errors)).sum();
            savings[group] / (most(&sensitivity.own[group]) + 0.5 * read + LEAST)
        };
        let mut by_worth: Vec<(usize, f64)> = (0..groups).map(|group| (group, worth(group))).collect();
        by_worth.sort_by(|a, b| b.1.total_cmp(&a.1));
        let order = by_worth.into_iter().map(|(group, _)| group).collect();
        Self { sensitivity, reads, is_read, order }
    }

    /// Those that are singles.
    fn within(&self, limit: f64) -> Vec<bool> {
        let mut errors = self.sensitivity.of_inputs.clone();
        for all in &self.is_read {
            all.iter().filter(|(reader, _)| reader.is_none()).for_each(|(_, read)| add(&mut errors, read, 1.0));
        }
        let mut singles = vec![false; self.order.len()];
        let mut with = errors.clone();
        for &group in &self.order {
            with.copy_from_slice(&errors);
            add(&mut with, &self.sensitivity.own[group], 1.0);
            for (of, read) in self.reads[group].iter().filter(|(of, _)| !singles[*of]) {
                debug_assert_ne!(*of, group, "what is read in a group has its digits");
                add(&mut with, read, 1.0);
            }
            for (_, read) in
                self.is_read[group].iter().filter(|(reader, _)| reader.is_none_or(|reader| singles[reader]))
            {
                add(&mut with, read, -1.0);
            }
            if f64::from(with.iter().copied().fold(0.0, f32::max)) <= limit {
                singles[group] = true;
                std::mem::swap(&mut errors, &mut with);
            }
        }
        singles
    }

    /// Tries those that are left, which spare most, one by one.
    fn more(&self, singles: &mut [bool], is_within: impl Fn(&[bool]) -> bool, savings: &[f64]) {
        let mut left: Vec<usize> = self.order.iter().copied().filter(|&group| !singles[group]).collect();
        left.truncate(4 * TRIES);
        left.sort_by(|&a, &b| savings[b].total_cmp(&savings[a]));
        for group in left.into_iter().take(TRIES) {
            singles[group] = true;
            singles[group] = is_within(singles);
        }
    }
}

/// Number of groups that are tried one by one.
const TRIES: usize = 12;

/// Below what any group adds.
const LEAST: f64 = 1e-12;

fn add(errors: &mut [f32], more: &[f32], sign: f32) {
    errors.iter_mut().zip(more).for_each(|(error, more)| *error += sign * more);
}

struct Search<'a> {
    graph: &'a Graph,
    order: &'a [StepRef],
    domain: &'a Domain,
    groups: BTreeMap<Group, usize>,
    /// Operations on singles that a group spares where it is single, over all steps.
    savings: Vec<f64>,
    powers: Powers,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, order: &'a [StepRef], domain: &'a Domain) -> Self {
        let (groups, savings, powers) = (BTreeMap::new(), Vec::new(), Powers::Short);
        let mut search = Self { graph, order, domain, groups, savings, powers };
        for at in std::iter::once(None).chain(order.iter().copied().map(Some)) {
            let body = at.map_or(&graph.shapes[graph.preamble.shape], |at| graph.body(at));
            let has_choice = |inst: &Inst| match inst {
                Inst::Field { .. } => !domain.reads_singles,
                _ => computes(inst),
            };
            for (id, inst) in (0..).zip(&body.insts).filter(|(_, inst)| has_choice(inst)) {
                let next = search.savings.len();
                let index = *search.groups.entry(search.group(at, id)).or_insert(next);
                search.savings.resize(search.savings.len().max(index + 1), 0.0);
                search.savings[index] += spared(inst);
            }
        }
        search
    }

    fn index(&self, at: Option<StepRef>, id: u32) -> usize {
        self.groups[&self.group(at, id)]
    }

    fn saved(&self, singles: &[bool]) -> f64 {
        singles.iter().zip(&self.savings).filter(|(is_single, _)| **is_single).map(|(_, spared)| spared).sum()
    }

    fn group(&self, at: Option<StepRef>, id: u32) -> Group {
        let class = at.map(|at| {
            let has_sums = !self.graph.ops[at.op].iterations.is_empty();
            (self.graph.step(at).shape, has_sums.then_some(at.op))
        });
        (class, id)
    }

    fn kinds(&self, singles: &[bool]) -> Kinds {
        let kinds = Kinds::resolve(self.graph, self.order, &|at, id| {
            let body = at.map_or(&self.graph.shapes[self.graph.preamble.shape], |at| self.graph.body(at));
            let is_single = match body.insts[id as usize] {
                Inst::Field { .. } if self.domain.reads_singles => true,
                Inst::Literal(_) | Inst::Constant(_) => false,
                _ => singles[self.index(at, id)],
            };
            if is_single { Kind::Single } else { Kind::Pair }
        });
        kinds.with_powers(self.powers)
    }

    /// Estimates the error in a few cells; infinite if nothing is known.
    fn error(&self, singles: &[bool]) -> f64 {
        let kinds = self.kinds(singles);
        let cells: Vec<_> = self.domain.temperatures.cells(self.domain.cells).collect();
        let some = BTreeSet::from([0, cells.len() / 2, cells.len() - 1]);
        let of_cell = |at: usize| {
            let roundings = Roundings::with(self.powers);
            let claims = follow::claims(self.graph, self.order, self.domain, cells[at], &roundings, &kinds);
            claims.map_or(f64::INFINITY, |claims| of_stores(self.graph, self.domain, &kinds, &claims))
        };
        some.into_iter().map(of_cell).fold(0.0, f64::max)
    }
}

/// By one instruction, about.
fn spared(inst: &Inst) -> f64 {
    match inst {
        Inst::Fma(..) => 13.0,
        Inst::Binary(Binary::Mul, ..) => 6.0,
        Inst::Binary(Binary::Div | Binary::DivNear, ..) => 8.0,
        Inst::Binary(..) => 9.0,
        Inst::Unary(op, _) if matches!(op.real_function(), RealFunction::Exp2 | RealFunction::Exp2OfNegative) => 110.0,
        Inst::Unary(Unary::Sqrt | Unary::SqrtNear, _) => 10.0,
        Inst::Unary(..) => 130.0,
        Inst::Field { .. } => 8.0,
        _ => 2.0,
    }
}
