//! A reaction whose directions are scaled one by one: its two rates stay in the registers of one operation, which hands
//! them out where a sum reads them and takes in the factors that other operations make of these sums.

mod apart;

use cranelift_entity::packed_option::ReservedValue;

use super::reaction::{self, Operands, Sources};
use super::{Options, common};
use crate::graph::body::{Body, Id};
use crate::graph::dataflow::{Graph, Op, Operation, Part, Step, StepRef, Value};
use kinetics::Stiffness;
use kinetics::qssa::{Consumed, consumed};
use mechanism::{Mechanism, Reaction, SpeciesIndex};

/// Forward and reverse.
pub const DIRECTIONS: [usize; 2] = [0, 1];

/// A factor that is computed from rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// Concentration of the quasi-steady species with this place in the list.
    QuasiSteady(usize),
    /// What the destruction of this stiff species is scaled by.
    Stiff(SpeciesIndex),
}

/// How a reaction goes through the phases of the reduction (paper section 3.4).
#[derive(Debug, Clone)]
pub struct Plan {
    /// Directions that exist and were not dropped by the linearisation.
    pub live: [bool; 2],
    /// What each direction consumes of the quasi-steady species.
    pub consumed: [Consumed; 2],
    /// Whether the quasi-steady system reads each direction.
    solved: [bool; 2],
    /// The stiff species on either side, in list order.
    stiff: Vec<SpeciesIndex>,
}

/// Species of one side of a reaction with their coefficients.
pub type Side<'a> = &'a [(SpeciesIndex, f64)];

/// What the operation of a reaction hands out.
pub struct Rates {
    /// By direction, with every quasi-steady concentration 1: for the quasi-steady system.
    pub unscaled: [Option<Value>; 2],
    /// By stiff species, the rates by direction that its sums see.
    pub staged: Vec<(SpeciesIndex, [Option<Value>; 2])>,
    /// Net rate of progress after all scaling.
    pub progress: Value,
}

/// Inputs that are connected when the factors exist.
pub type Late = Vec<(StepRef, usize, Factor)>;

/// Reactants and products of a direction.
pub fn sides(r: &Reaction, direction: usize) -> (Side<'_>, Side<'_>) {
    if direction == 0 { (&r.reactants, &r.products) } else { (&r.products, &r.reactants) }
}

pub fn plan(mechanism: &Mechanism, r: &Reaction, stiffness: Stiffness) -> Plan {
    let consumed = DIRECTIONS.map(|d| consumed(mechanism, sides(r, d).0));
    let live = DIRECTIONS.map(|d| consumed[d] != Consumed::Several && (d == 0 || r.is_reversible()));
    let makes = |d: usize| sides(r, d).1.iter().any(|(k, _)| mechanism.quasi_steady().contains(k));
    let solved = DIRECTIONS.map(|d| live[d] && (consumed[d] != Consumed::None || makes(d)));
    let touches = |k: &SpeciesIndex| r.reactants.iter().chain(&r.products).any(|(j, _)| j == k);
    let list = if stiffness == Stiffness::Off { &[] } else { mechanism.stiff() };
    let stiff = if live == [false; 2] { Vec::new() } else { list.iter().copied().filter(touches).collect() };
    Plan { live, consumed, solved, stiff }
}

impl Plan {
    /// Whether anything reads or scales the directions one by one, or drops one.
    pub fn is_split(&self, r: &Reaction) -> bool {
        self.solved != [false; 2] || !self.stiff.is_empty() || self.live != [true, r.is_reversible()]
    }

    /// The factors of the quasi-steady species, with their directions and powers.
    fn quasi_steady_factors(&self) -> Vec<Scale> {
        let of = |d: usize| match self.consumed[d] {
            Consumed::One(j) if self.live[d] => Some(Scale { direction: d, power: 1, factor: Factor::QuasiSteady(j) }),
            _ => None,
        };
        DIRECTIONS.into_iter().filter_map(of).collect()
    }

    fn stiff_factors(&self, r: &Reaction, k: SpeciesIndex) -> Vec<Scale> {
        let of = |d: usize| {
            let (_, nu) = sides(r, d).0.iter().find(|(j, _)| *j == k)?;
            self.live[d].then_some(Scale { direction: d, power: *nu as u32, factor: Factor::Stiff(k) })
        };
        DIRECTIONS.into_iter().filter_map(of).collect()
    }
}

#[derive(Debug, Clone, Copy)]
struct Scale {
    direction: usize,
    power: u32,
    factor: Factor,
}

/// What follows the first rates of a reaction.
struct Stages {
    /// The stiff species that read the first rates.
    at_once: Vec<SpeciesIndex>,
    /// The factors to take in, and the stiff species that read the rates then.
    iterations: Vec<(Vec<Scale>, Vec<SpeciesIndex>)>,
    /// The factors of the net rate of progress.
    last: Vec<Scale>,
}

fn stages(r: &Reaction, plan: &Plan, stiffness: Stiffness) -> Stages {
    let mut pending = plan.quasi_steady_factors();
    let mut iterations: Vec<(Vec<Scale>, Vec<SpeciesIndex>)> = Vec::new();
    if stiffness == Stiffness::Sequential {
        for &k in &plan.stiff {
            iterations.push((std::mem::replace(&mut pending, plan.stiff_factors(r, k)), vec![k]));
        }
    } else if !plan.stiff.is_empty() {
        iterations.push((std::mem::take(&mut pending), plan.stiff.clone()));
        pending = plan.stiff.iter().flat_map(|&k| plan.stiff_factors(r, k)).collect();
    }
    let at_once = if iterations.first().is_some_and(|(factors, _)| factors.is_empty()) {
        iterations.remove(0).1
    } else {
        Vec::new()
    };
    Stages { at_once, iterations, last: pending }
}

/// Adds what computes one reaction; `None` where no direction is left.
///
/// One warp alone would hold the rates of all reactions: there, every stage is an operation of its own, which reads them
/// from their slots.
pub fn add(
    graph: &mut Graph,
    (i, r): (usize, &Reaction),
    plan: &Plan,
    options: &Options,
    sources: &Sources<'_>,
    late: &mut Late,
) -> Option<Rates> {
    if plan.live == [false; 2] {
        return None;
    }
    let stages = stages(r, plan, options.stiffness);
    let rates = if options.warps == 1 {
        apart::add(graph, (i, r), plan, stages, sources, late)
    } else {
        held(graph, (i, r), plan, stages, sources, late)
    };
    Some(rates)
}

/// Adds what computes the rates that the quasi-steady system reads of one reaction, and nothing else; `None` where it reads none.
pub fn unscaled(graph: &mut Graph, (i, r): (usize, &Reaction), plan: &Plan, sources: &Sources<'_>) -> Option<Rates> {
    if plan.solved == [false; 2] {
        return None;
    }
    let mut o = Operands::default();
    let rates = reaction::directions(&mut o, (i, r), plan.live, sources);
    o.body.values = DIRECTIONS.into_iter().filter(|&d| plan.solved[d]).filter_map(|d| rates[d]).collect();
    let step = o.into_step(graph);
    let op = graph
        .add(common::single(format!("reaction {} {}", i + 1, r.equation), step), |_, n| format!("rate {} {n}", i + 1));
    let unscaled = numbered(plan.solved, |n| graph.ops[op].epilogue.outputs[n as usize]);
    Some(Rates { unscaled, staged: Vec::new(), progress: Value::reserved_value() })
}

/// One operation, which holds the rates from stage to stage.
fn held(
    graph: &mut Graph,
    (i, r): (usize, &Reaction),
    plan: &Plan,
    Stages { at_once, iterations: stages, last: pending }: Stages,
    sources: &Sources<'_>,
    late: &mut Late,
) -> Rates {
    let published = DIRECTIONS.map(|d| plan.live[d] && (plan.solved[d] || !at_once.is_empty()));
    let mut o = Operands::default();
    let rates = reaction::directions(&mut o, (i, r), plan.live, sources);
    o.body.states = rates.into_iter().flatten().collect();
    o.body.values = DIRECTIONS.into_iter().filter(|&d| published[d]).filter_map(|d| rates[d]).collect();
    let prologue = o.into_step(graph);
    let registers = Registers { live: plan.live };
    let mut wanted: Vec<(Part, usize, Factor)> = Vec::new();
    let mut iterations = Vec::new();
    for (s, (factors, _)) in stages.iter().enumerate() {
        let part = Part::Iteration(s as u32);
        wanted.extend(factors.iter().enumerate().map(|(n, f)| (part, n, f.factor)));
        iterations.push(registers.iteration(graph, factors));
    }
    wanted.extend(pending.iter().enumerate().map(|(n, f)| (Part::Epilogue, n, f.factor)));
    let epilogue = registers.last(graph, &pending);

    let operation = Operation {
        name: format!("reaction {} {}", i + 1, r.equation),
        states: registers.count(),
        prologue: Some(prologue),
        iterations,
        ordered: true,
        epilogue,
    };
    let op = graph.add(operation, |part, n| match part {
        Part::Prologue | Part::Iteration(_) => format!("rate {} {n} {part:?}", i + 1),
        Part::Epilogue => format!("progress {}", i + 1),
    });
    late.extend(wanted.into_iter().map(|(part, input, factor)| (StepRef { op, part }, input, factor)));
    handed_out(graph, op, plan, published, at_once, &stages)
}

/// The values of the steps of a reaction by who reads them.
fn handed_out(
    graph: &Graph,
    op: Op,
    plan: &Plan,
    published: [bool; 2],
    at_once: Vec<SpeciesIndex>,
    stages: &[(Vec<Scale>, Vec<SpeciesIndex>)],
) -> Rates {
    let outputs = |part: Part, which: [bool; 2]| {
        let values = &graph.step(StepRef { op, part }).outputs;
        numbered(which, |n| values[n as usize])
    };
    let unscaled = outputs(Part::Prologue, published);
    let mut staged: Vec<_> = at_once.into_iter().map(|k| (k, unscaled)).collect();
    for (s, (_, readers)) in stages.iter().enumerate() {
        let values = outputs(Part::Iteration(s as u32), plan.live);
        staged.extend(readers.iter().map(|&k| (k, values)));
    }
    let solved = DIRECTIONS.map(|d| unscaled[d].filter(|_| plan.solved[d]));
    Rates { unscaled: solved, staged, progress: graph.ops[op].epilogue.outputs[0] }
}

/// The rates of the live directions as running states.
struct Registers {
    live: [bool; 2],
}

impl Registers {
    fn count(&self) -> u32 {
        self.live.iter().map(|&l| u32::from(l)).sum()
    }

    /// Takes in factors and hands out the live rates.
    fn iteration(&self, graph: &mut Graph, factors: &[Scale]) -> Step {
        let mut b = Body::default();
        let rates = self.scaled(&mut b, factors);
        b.states = rates.into_iter().flatten().collect();
        b.values.clone_from(&b.states);
        self.step(graph, b, factors)
    }

    /// Takes in the last factors; the net rate of progress.
    fn last(&self, graph: &mut Graph, factors: &[Scale]) -> Step {
        let mut b = Body::default();
        let rates = self.scaled(&mut b, factors);
        b.values = vec![net(&mut b, rates)];
        self.step(graph, b, factors)
    }

    fn scaled(&self, b: &mut Body, factors: &[Scale]) -> [Option<Id>; 2] {
        let mut rates = numbered(self.live, |n| b.state(n));
        scale(b, &mut rates, factors, 0);
        rates
    }

    fn step(&self, graph: &mut Graph, body: Body, factors: &[Scale]) -> Step {
        let inputs = vec![Value::reserved_value(); factors.len()];
        Step { shape: graph.shape(body), inputs, ..Step::default() }
    }
}

/// One thing for each direction that is given, by its number among these.
fn numbered<T>(given: [bool; 2], mut of: impl FnMut(u32) -> T) -> [Option<T>; 2] {
    let mut next = 0..;
    given.map(|given| given.then(|| of(next.next().expect("directions are two"))))
}

/// Multiplies rates by factors, which are the inputs from `first` on.
fn scale(b: &mut Body, rates: &mut [Option<Id>; 2], factors: &[Scale], first: u32) {
    for (input, scale) in (first..).zip(factors) {
        let factor = b.input(input);
        for _ in 0..scale.power {
            rates[scale.direction] = rates[scale.direction].map(|rate| b.mul(rate, factor));
        }
    }
}

/// The net rate of progress.
fn net(b: &mut Body, rates: [Option<Id>; 2]) -> Id {
    match rates {
        [Some(forward), Some(reverse)] => b.sub(forward, reverse),
        [Some(forward), None] => forward,
        [None, Some(reverse)] => b.neg(reverse),
        [None, None] => unreachable!("a reaction without directions has no operation"),
    }
}
