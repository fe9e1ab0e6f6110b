//! A graph whose instructions make singles, pairs of singles, or either, as one on singles alone: each pair is two values, and each of its operations a
//! few on singles (`super::pairs`). [`super::double_float`] says what they err by.

use std::collections::BTreeMap;

use super::super::body::{Body, Id, Inst, Share};
use super::super::dataflow::{Graph, Operation, Part, Step, StepRef, Value};
use super::double_float::split;
use super::kinds::{Kind, Kinds};
use super::pairs::{Number, Pairs};

/// The operations and their steps stay what they are; values, scalars and states that are pairs become two. Where arrays hold doubles, pairs are
/// written with both of their numbers.
pub fn expand(graph: &Graph, kinds: &Kinds, writes_doubles: bool) -> Graph {
    let mut new = graph.without_operations();
    let scalars = places(&graph.shapes[graph.preamble.shape].states, |id| kinds.at(None)[id as usize] == Kind::Pair);
    let (body, preamble) = expanded(graph, kinds, writes_doubles, None, &scalars, &[]);
    new.preamble = Step { shape: new.shape(body), ..preamble };
    let named = graph.scalars.iter().zip(&scalars);
    new.scalars = named.flat_map(|(name, place)| std::iter::once(*name).chain(place.low.map(|_| "rest"))).collect();
    let mut values: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    for (op, operation) in &graph.ops {
        let states = states(graph, kinds, operation.parts().map(|part| StepRef { op, part }));
        let mut step = |part: Part| {
            let at = Some(StepRef { op, part });
            let (body, step) = expanded(graph, kinds, writes_doubles, at, &scalars, &states);
            Step { shape: new.shape(body), ..step }
        };
        let made = Operation {
            name: operation.name.clone(),
            states: states.iter().map(|place| place.count()).sum(),
            prologue: operation.prologue.is_some().then(|| step(Part::Prologue)),
            iterations: (0..operation.iterations.len() as u32).map(|i| step(Part::Iteration(i))).collect(),
            ordered: operation.ordered,
            epilogue: step(Part::Epilogue),
        };
        let outputs = |part: Part| -> Vec<(Value, bool)> {
            let at = StepRef { op, part };
            let are_pairs = graph.body(at).values.iter().map(|&id| kinds.at(Some(at))[id as usize] == Kind::Pair);
            graph.step(at).outputs.iter().copied().zip(are_pairs).collect()
        };
        let names = |part: Part| -> Vec<String> {
            let of = |(value, is_pair): (Value, bool)| {
                let name = &graph.values[value].name;
                std::iter::once(name.clone()).chain(is_pair.then(|| format!("rest of {name}")))
            };
            outputs(part).into_iter().flat_map(of).collect()
        };
        new.add(made, |part, i| names(part)[i].clone());
        for part in operation.parts() {
            let mut made = new.step(StepRef { op, part }).outputs.iter().copied();
            for (value, is_pair) in outputs(part) {
                values.insert(value, made.by_ref().take(1 + usize::from(is_pair)).collect());
            }
        }
    }
    for at in graph.steps() {
        let inputs = graph.step(at).inputs.iter().flat_map(|value| values[value].iter().copied()).collect();
        new.ops[at.op].step_mut(at.part).inputs = inputs;
    }
    new
}

/// Places of a value's numbers among those of the new graph.
#[derive(Debug, Clone, Copy)]
struct Place {
    high: u32,
    low: Option<u32>,
}

impl Place {
    fn count(self) -> u32 {
        1 + u32::from(self.low.is_some())
    }
}

/// The places of some results, one after the other.
fn places<T: Copy>(all: &[T], is_pair: impl Fn(T) -> bool) -> Vec<Place> {
    let mut next = 0;
    let mut place = |is_pair: bool| {
        let place = Place { high: next, low: is_pair.then_some(next + 1) };
        next += place.count();
        place
    };
    all.iter().map(|&result| place(is_pair(result))).collect()
}

/// A running state is a pair where any step makes it one.
fn states(graph: &Graph, kinds: &Kinds, steps: impl Iterator<Item = StepRef>) -> Vec<Place> {
    let mut are_pairs: Vec<bool> = Vec::new();
    for at in steps {
        let states = &graph.body(at).states;
        are_pairs.resize(are_pairs.len().max(states.len()), false);
        for (is_pair, &id) in are_pairs.iter_mut().zip(states) {
            *is_pair |= kinds.at(Some(at))[id as usize] == Kind::Pair;
        }
    }
    places(&are_pairs, |is_pair| is_pair)
}

/// A step, or the preamble, on singles; its shape and its inputs are still to come.
fn expanded(
    graph: &Graph,
    kinds: &Kinds,
    writes_doubles: bool,
    at: Option<StepRef>,
    scalars: &[Place],
    states: &[Place],
) -> (Body, Step) {
    let (body, step) = match at {
        None => (&graph.shapes[graph.preamble.shape], &graph.preamble),
        Some(at) => (graph.body(at), graph.step(at)),
    };
    let kinds_here = kinds.at(at);
    let inputs = places(&step.inputs, |value| {
        let producer = graph.values[value].producer;
        let made = graph.step(producer).outputs.iter().position(|&output| output == value);
        made.is_some_and(|k| kinds.at(Some(producer))[graph.body(producer).values[k] as usize] == Kind::Pair)
    });
    let mut constants: Vec<f64> = Vec::new();
    let mut pairs = Pairs::new(kinds.powers);
    let mut numbers: Vec<Number> = Vec::with_capacity(body.insts.len());
    for (id, inst) in body.insts.iter().enumerate() {
        let is_pair = kinds_here[id] == Kind::Pair;
        let place = |pairs: &mut Pairs, place: Place, read: fn(u32) -> Inst| Number {
            high: pairs.push(read(place.high)),
            low: place.low.map(|k| pairs.push(read(k))),
        };
        let get = |id: Id| if is_pair { numbers[id as usize] } else { numbers[id as usize].leading() };
        let whole = |id: Id| numbers[id as usize];
        let number = match *inst {
            Inst::Literal(c) => pairs.literal(c, is_pair),
            Inst::Constant(k) => {
                let [high, low] = split(step.constants[k as usize]).map(f64::from);
                let mut constant = |c: f64| {
                    constants.push(c);
                    pairs.push(Inst::Constant(constants.len() as u32 - 1))
                };
                Number { high: constant(high), low: (is_pair && low != 0.0).then(|| constant(low)) }
            }
            Inst::Scalar(k) => place(&mut pairs, scalars[k as usize], Inst::Scalar),
            Inst::Input(k) => place(&mut pairs, inputs[k as usize], Inst::Input),
            Inst::State(k) => place(&mut pairs, states[k as usize], Inst::State),
            Inst::Field { array, operand, .. } if is_pair => {
                let [high, low] =
                    [Share::First, Share::Second].map(|share| pairs.push(Inst::Field { array, operand, share }));
                Number { high, low: Some(low) }
            }
            Inst::Field { .. } => Number { high: pairs.push(*inst), low: None },
            Inst::Unary(op, a) => pairs.unary(op, if is_pair { whole(a) } else { get(a) }, is_pair),
            Inst::Binary(op, a, b) if is_pair => pairs.binary(op, get(a), get(b)),
            Inst::Fma(a, b, c) if is_pair => pairs.fma(get(a), get(b), get(c)),
            Inst::SelectLe { a, b, then, otherwise } if [then, otherwise] == [b, a] && is_pair => {
                pairs.maximum(get(a), get(b))
            }
            Inst::SelectLe { a, b, then, otherwise } => {
                pairs.select([whole(a).high, whole(b).high], get(then), get(otherwise))
            }
            _ => {
                let alone = inst.with_operands(|id| numbers[id as usize].high);
                Number { high: pairs.push(alone), low: None }
            }
        };
        numbers.push(number);
    }
    let mut results = |ids: &[Id], are_pairs: &[bool]| results(&mut pairs, &numbers, ids, are_pairs);
    let state_places = if at.is_none() { scalars } else { states };
    let are_pairs: Vec<bool> = state_places.iter().map(|place| place.low.is_some()).collect();
    let new_states = results(&body.states, &are_pairs);
    let are_pairs: Vec<bool> = body.values.iter().map(|&id| kinds_here[id as usize] == Kind::Pair).collect();
    let values = results(&body.values, &are_pairs);
    let stores = body.stores.iter().map(|&id| numbers[id as usize].high).collect();
    let rest = |&id: &Id| numbers[id as usize].low.filter(|_| writes_doubles);
    let mut rests: Vec<Option<Id>> = body.stores.iter().map(rest).collect();
    if rests.iter().all(Option::is_none) {
        rests.clear();
    }
    let new = Body { tensor: None, insts: pairs.into_insts(), states: new_states, values, stores, rests };
    (new, Step { constants, rows: step.rows.clone(), stores: step.stores.clone(), ..Step::default() })
}

/// Both numbers of a value that is a pair for others, else its one number.
fn results(pairs: &mut Pairs, numbers: &[Number], ids: &[Id], are_pairs: &[bool]) -> Vec<Id> {
    let mut found = Vec::new();
    for (&id, &is_pair) in ids.iter().zip(are_pairs) {
        let Number { high, low } = numbers[id as usize];
        found.push(high);
        if is_pair {
            found.push(low.unwrap_or_else(|| pairs.push(Inst::Literal(0.0))));
        }
    }
    found
}
