//! In which arithmetic every instruction of a graph is.

use std::collections::BTreeMap;

use super::super::body::{Body, Inst, Unary};
use super::super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::double_float::Powers;

/// The numbers that an instruction makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Single,
    /// The sum of two singles ([`super::double_float`]).
    Pair,
    Double,
}

/// Arithmetic of an instruction that computes or reads an array; asked of no others.
pub type Choice<'a> = &'a dyn Fn(Option<StepRef>, u32) -> Kind;

/// The kinds of all instructions of a graph, those of the preamble (`None`) and of every step.
#[derive(Debug, Clone, PartialEq)]
pub struct Kinds {
    all: BTreeMap<Option<StepRef>, Vec<Kind>>,
    /// Accuracy of the powers of pairs.
    pub powers: Powers,
}

impl Kinds {
    /// Resolves kinds from a choice. An instruction that only hands on a number has its kind. Constants have all their digits if anything has them.
    pub fn resolve(graph: &Graph, order: &[StepRef], choice: Choice<'_>) -> Self {
        let mut resolver = Resolver { choice, ..Resolver::default() };
        // A running state has the widest kind that a step stores in it, which decides what the steps before read of it.
        loop {
            let widened = resolver.pass(graph, order);
            if !widened {
                return Self { all: resolver.kinds, powers: Powers::default() };
            }
        }
    }

    /// All in single precision.
    pub fn single(graph: &Graph, order: &[StepRef]) -> Self {
        Self::resolve(graph, order, &|_, _| Kind::Single)
    }

    #[must_use]
    pub fn with_powers(self, powers: Powers) -> Self {
        Self { powers, ..self }
    }

    pub fn at(&self, at: Option<StepRef>) -> &[Kind] {
        self.all.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Counts the instructions that compute in each arithmetic, over all steps: singles, pairs, doubles.
    pub fn counts(&self, graph: &Graph) -> [usize; 3] {
        let mut counts = [0; 3];
        for (at, kinds) in &self.all {
            let body = at.map_or(&graph.shapes[graph.preamble.shape], |at| graph.body(at));
            let computed = body.insts.iter().zip(kinds).filter(|(inst, _)| computes(inst));
            computed.for_each(|(_, kind)| counts[*kind as usize] += 1);
        }
        counts
    }
}

/// Whether an instruction rounds.
pub fn computes(inst: &Inst) -> bool {
    !matches!(inst, Inst::Unary(Unary::Neg | Unary::Positive, _))
        && matches!(inst, Inst::Unary(..) | Inst::Binary(..) | Inst::Fma(..) | Inst::SelectLe { .. })
}

struct Resolver<'a> {
    choice: Choice<'a>,
    kinds: BTreeMap<Option<StepRef>, Vec<Kind>>,
    values: BTreeMap<Value, Kind>,
    scalars: Vec<Kind>,
    states: BTreeMap<Op, Vec<Kind>>,
}

impl Default for Resolver<'_> {
    fn default() -> Self {
        let (kinds, values, states) = Default::default();
        Self { choice: &|_, _| Kind::Single, kinds, values, scalars: Vec::new(), states }
    }
}

impl Resolver<'_> {
    /// Whether a state was found to be wider than it was taken for.
    fn pass(&mut self, graph: &Graph, order: &[StepRef]) -> bool {
        let preamble = &graph.shapes[graph.preamble.shape];
        let all = self.body(None, preamble, &graph.preamble);
        self.scalars = preamble.states.iter().map(|&id| all[id as usize]).collect();
        self.kinds.insert(None, all);
        let mut widened = false;
        for &at in order {
            let (body, step) = (graph.body(at), graph.step(at));
            let all = self.body(Some(at), body, step);
            let states = self.states.entry(at.op).or_default();
            states.resize(states.len().max(body.states.len()), Kind::Single);
            for (state, &id) in states.iter_mut().zip(&body.states) {
                widened |= all[id as usize] > *state;
                *state = (*state).max(all[id as usize]);
            }
            self.values.extend(step.outputs.iter().copied().zip(body.values.iter().map(|&id| all[id as usize])));
            self.kinds.insert(Some(at), all);
        }
        widened
    }

    fn body(&self, at: Option<StepRef>, body: &Body, step: &Step) -> Vec<Kind> {
        let state = |k: u32| at.and_then(|at| self.states.get(&at.op)?.get(k as usize).copied());
        let mut all: Vec<Kind> = Vec::with_capacity(body.insts.len());
        for (id, inst) in (0..).zip(&body.insts) {
            all.push(match *inst {
                Inst::Scalar(k) => self.scalars.get(k as usize).copied().unwrap_or(Kind::Single),
                Inst::Input(k) => self.values.get(&step.inputs[k as usize]).copied().unwrap_or(Kind::Single),
                Inst::State(k) => state(k).unwrap_or(Kind::Single),
                Inst::Unary(Unary::Neg | Unary::Positive, a) => all[a as usize],
                Inst::Literal(c) if is_single(c) => Kind::Single,
                Inst::Constant(k) if is_single(step.constants[k as usize]) => Kind::Single,
                _ => (self.choice)(at, id),
            });
        }
        all
    }
}

/// Whether a constant is a single; what is no number is one.
pub fn is_single(c: f64) -> bool {
    c.is_nan() || f64::from(c as f32).to_bits() == c.to_bits()
}
