//! Derivatives of the chemistry: of net production rates by concentrations and temperature, and of the tendencies of a closed reactor by
//! mass fractions and temperature.
//!
//! Operations: those of the chemistry kernel up to third bodies; each reaction's derivatives by what it depends on directly
//! ([`reaction_slopes`](super::reaction_slopes)); a sum of these for each entry that some reaction reaches. Third bodies, on which all
//! species act, and activities are eliminated last: an entry takes the sum over a row's third bodies, corrected where the
//! efficiency of its species is not 1, and a column's sum of derivatives by activity is divided by the equilibrium constant once.

use std::collections::{BTreeMap, HashMap};

use super::chemistry::{self, SCALARS};
use super::common::{self, scalar, scalar_of, single};
use super::reaction::{self, Operands, SMALLEST, Sources};
use super::reaction_slopes::{By, Known, Wanted, along_temperature, derivatives};
use super::slope::slope;
use super::split::{self, Plan};
use super::storage::{MatrixStorage, Places};
use super::terms::{Factor, Term, Terms, summed, term};
use super::{Options, qssa_slopes, reactor, reactor_slopes};
use crate::graph::body::Id;
use crate::graph::dataflow::{Graph, Operation, Part, Quantity, Step, StepRef, Value};
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};
use mechanism::Reverse;

/// Column by column: of production rates by concentrations, then temperature; with a constant, of dY/dt and dT/dt by mass fractions, then
/// temperature.
pub fn build(model: &Model, options: &Options, constant: Option<Constant>) -> Graph {
    let mechanism = &model.mechanism;
    let size = model.species().len();
    let scalars = chemistry::scalars(&mechanism.reactions);
    let (name, rows) = match constant {
        None => ("jacobian", size * (size + 1)),
        Some(Constant::Pressure) => ("isobaric_jacobian", (size + 1) * (size + 1)),
        Some(Constant::Volume) => ("isochoric_jacobian", (size + 1) * (size + 1)),
    };
    let mut graph = common::begin(name, model, options, "jacobian", rows as u32, &scalars);
    let options = &Options { stage_inputs: true, ..*options };
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| split::plan(mechanism, r, Stiffness::Off)).collect();
    let mut sources = chemistry::sources(&mut graph, model, options, &plans, &scalars, true);
    qssa_slopes::solve(&mut graph, mechanism, &plans, &mut sources);
    let known = known(&mut graph, model, &sources);
    let wanted = Wanted {
        rate: constant.is_some(),
        scaling: constant == Some(Constant::Pressure),
        pressure: constant == Some(Constant::Volume),
    };
    let mut terms = Terms::new();
    for (i, (r, plan)) in mechanism.reactions.iter().zip(&plans).enumerate() {
        let net = chemistry::net_coefficients(r);
        if net.is_empty() || plan.live == [false; 2] {
            continue;
        }
        let mut o = Operands::default();
        let all = derivatives(&mut o, (i, r), plan.live, (&sources, &known), wanted);
        o.body.values = all.iter().map(|&(_, id)| id).collect();
        let step = o.into_step(&mut graph);
        let name = format!("derivatives {} {}", i + 1, r.equation);
        let op = graph.add(single(name, step), |_, n| format!("derivative {} of {}", n + 1, i + 1));
        for (&(by, _), value) in all.iter().zip(graph.ops[op].epilogue.outputs.clone()) {
            for &(k, nu) in &net {
                terms.entry((k, by)).or_default().push((value, Factor::Number(nu)));
            }
        }
    }
    let inverse = inverses(model, &sources);
    qssa_slopes::eliminate(&mut graph, mechanism, &inverse, &mut terms);
    let mut matrix = Matrix::new(&mut graph, model, &sources, inverse, terms);
    let places = places(&mut graph, &matrix, options.storage, constant);
    match constant {
        None => store(&mut graph, model, &matrix, &places),
        Some(constant) => reactor_slopes::add(&mut graph, model, &mut matrix, &places, constant),
    }
    graph
}

/// Where entries are stored; tells the graph how many there are and what they are.
fn places(graph: &mut Graph, matrix: &Matrix, storage: MatrixStorage, constant: Option<Constant>) -> Places {
    let size = matrix.size;
    let (rows, columns) = (if constant.is_some() { size + 1 } else { size }, size + 1);
    let is_stored = |row: usize, column: usize| {
        let has = |by: By| row < size && matrix.has(row, by);
        let common = match constant {
            None => false,
            Some(Constant::Pressure) => has(By::Scaling),
            Some(Constant::Volume) => has(By::Pressure),
        };
        match column < size {
            _ if row == size || common => true,
            true => matrix.has_own(row, column) || matrix.total(row).is_some(),
            false => has(By::Temperature),
        }
    };
    let places = Places::new(storage, (rows, columns), is_stored);
    if let Some(pattern) = places.pattern() {
        graph.arrays.last_mut().expect("a kernel has an output").rows = pattern.len() as u32;
        graph.pattern = pattern;
    }
    if constant.is_none() {
        let all = graph.arrays.last().expect("a kernel has an output").rows;
        let first = (0..size).find_map(|row| places.of(row, size)).unwrap_or(all);
        let names = [("by-concentrations", 0, first), ("by-temperature", first, all - first)];
        let named = names.map(|(name, first, rows)| Quantity { name: name.into(), first, rows });
        graph.quantities.extend(named);
    }
    places
}

/// Derivatives of the values that reactions read.
pub fn known(graph: &mut Graph, model: &Model, sources: &Sources<'_>) -> Known {
    let mechanism = &model.mechanism;
    let mut known = Known {
        by_temperature: HashMap::new(),
        by_collider: HashMap::new(),
        formation: vec![None; mechanism.species.len()],
    };
    let name_of = |graph: &Graph, value: Value| format!("slope of {}", graph.values[value].name);
    for (k, value) in sources.gibbs.iter().enumerate() {
        let Some(value) = *value else { continue };
        let mut o = Operands::default();
        let enthalpy = reactor::energy(&mut o, &mechanism.species[k].thermo, 0.0);
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        o.body.values = vec![o.body.mul(enthalpy, inverse)];
        let name = name_of(graph, value);
        known.by_temperature.insert(value, add(graph, o, name));
    }
    let Some(log_space) = &sources.log_space else { return known };
    for &((b, e_over_r), value) in &log_space.powers {
        let mut o = Operands::default();
        let (power, b, e) = (o.input(value), o.constant(b), o.constant(e_over_r));
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let relative = o.body.fma(e, inverse, b);
        let relative = o.body.mul(relative, inverse);
        o.body.values = vec![o.body.mul(power, relative)];
        let name = name_of(graph, value);
        known.by_temperature.insert(value, add(graph, o, name));
    }
    for &(_, value) in &log_space.centers {
        let name = name_of(graph, value);
        let producer = graph.values[value].producer;
        let mut o = Operands::of(graph.step(producer), graph.body(producer));
        let own = o.body.values[0];
        let slope = slope(&mut o, own, &|o, inst| along_temperature(o, inst, sources.scalars, &known));
        o.body.values = vec![slope.unwrap_or_else(|| o.body.literal(0.0))];
        let slope = add(graph, o, name);
        known.by_temperature.insert(value, slope);
    }
    for (collider, value) in &log_space.colliders {
        let mut o = Operands::default();
        let m = reaction::third_body(&mut o, sources, collider);
        let (smallest, factor) = (o.body.literal(SMALLEST), o.body.literal(std::f64::consts::LOG2_E));
        let floored = o.body.max(m, smallest);
        let slope = o.body.div(factor, floored);
        let zero = o.body.literal(0.0);
        o.body.values = vec![o.body.select_le(m, smallest, zero, slope)];
        let name = name_of(graph, *value);
        known.by_collider.insert(*value, add(graph, o, name));
    }
    let reversed = |i: usize| log_space.activities.serves[i] && mechanism.reactions[i].reverse == Reverse::Equilibrium;
    for r in (0..mechanism.reactions.len()).filter(|&i| reversed(i)).map(|i| &mechanism.reactions[i]) {
        for &(k, _) in r.reactants.iter().chain(&r.products) {
            if known.formation[k].is_none() {
                // d ln K/dT; element potentials cancel in a reaction.
                let species = &mechanism.species[k];
                let mut o = Operands::default();
                let enthalpy = reactor::energy(&mut o, &species.thermo, 1.0);
                let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
                o.body.values = vec![o.body.mul(enthalpy, inverse)];
                known.formation[k] = Some(add(graph, o, format!("formation slope {}", species.name)));
            }
        }
    }
    known
}

/// 1/K by species, of those that have activities.
pub fn inverses(model: &Model, sources: &Sources<'_>) -> Vec<Option<Value>> {
    let activities = sources.log_space.as_ref().map(|log_space| &log_space.activities);
    activities.map_or(vec![None; model.mechanism.species.len()], |activities| activities.inverse.clone())
}

/// The value of a single step.
fn add(graph: &mut Graph, o: Operands, name: String) -> Value {
    let step = o.into_step(graph);
    let op = graph.add(single(name.clone(), step), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}

/// The derivatives by row, as far as they are sums of the reactions' own.
pub struct Matrix {
    pub size: usize,
    terms: Terms,
    /// 1/K by species
    inverse: Vec<Option<Value>>,
    /// By row and third body: the sum over reactions.
    third_bodies: BTreeMap<usize, Vec<(usize, Value)>>,
    /// By row: the sum over third bodies.
    total: Vec<Option<Value>>,
    /// Efficiencies less 1, by third body.
    corrections: Vec<Vec<(usize, f64)>>,
}

impl Matrix {
    fn new(graph: &mut Graph, model: &Model, sources: &Sources<'_>, inverse: Vec<Option<Value>>, terms: Terms) -> Self {
        let size = model.species().len();
        let correction = |(efficiencies, _): &(Vec<(usize, f64)>, Value)| {
            efficiencies.iter().map(|&(k, alpha)| (k, alpha - 1.0)).filter(|&(_, change)| change != 0.0).collect()
        };
        let corrections = sources.third_bodies.iter().map(correction).collect();
        let mut matrix =
            Self { size, terms, inverse, third_bodies: BTreeMap::new(), total: vec![None; size], corrections };
        for k in 0..size {
            let of_row: Vec<_> =
                matrix.terms.range((k, By::Nothing)..(k + 1, By::Nothing)).map(|(&key, _)| key).collect();
            let name = &model.species()[k].name;
            for (_, by) in of_row {
                if let By::ThirdBody(m) = by {
                    let value = matrix.sum(graph, k, by, format!("{name} by third body {}", m + 1));
                    matrix.third_bodies.entry(k).or_default().extend(value.map(|value| (m, value)));
                }
            }
            matrix.total[k] = match matrix.third_bodies.get(&k).map(Vec::as_slice) {
                None | Some([]) => None,
                Some([(_, only)]) => Some(*only),
                Some(several) => {
                    let terms: Vec<Term> = several.iter().map(|&(_, value)| (value, Factor::Number(1.0))).collect();
                    Some(summed(graph, &terms, format!("{name} by third bodies")))
                }
            };
        }
        matrix
    }

    /// The sum over reactions of their derivatives of one kind, in a row; none where it is zero.
    pub fn sum(&self, graph: &mut Graph, row: usize, by: By, name: String) -> Option<Value> {
        self.terms.get(&(row, by)).map(|terms| summed(graph, terms, name))
    }

    /// The third bodies of a row that give a species another efficiency than 1, with what it differs by.
    fn corrections(&self, row: usize, column: usize) -> Vec<Term> {
        let of_row = self.third_bodies.get(&row).into_iter().flatten();
        let corrections = of_row.filter_map(|&(m, value)| {
            let (_, change) = self.corrections[m].iter().find(|(k, _)| *k == column)?;
            Some((value, Factor::Number(*change)))
        });
        corrections.collect()
    }

    /// Whether a row has derivatives of reactions of a kind.
    pub fn has(&self, row: usize, by: By) -> bool {
        self.terms.contains_key(&(row, by))
    }

    /// Whether the entry has terms beside the row's total.
    pub fn has_own(&self, row: usize, column: usize) -> bool {
        let has = |by: By| self.has(row, by);
        has(By::Activity(column)) || has(By::Concentration(column)) || !self.corrections(row, column).is_empty()
    }

    /// An operation that sums up an entry (production rate of `row` by concentration of `column`) and lets `finish` make values or
    /// stores of it; none of the reactions' derivatives may be missing.
    pub fn entry(
        &self,
        graph: &mut Graph,
        (row, column): (usize, usize),
        name: String,
        finish: impl FnOnce(&mut Operands, Id) -> Vec<(u32, u32)>,
    ) -> Vec<Value> {
        let of = |by: By| self.terms.get(&(row, by)).map_or(&[][..], Vec::as_slice);
        let (scaled, plain) = (of(By::Activity(column)), of(By::Concentration(column)));
        let corrections = self.corrections(row, column);
        // State 0 is the sum by concentration where there is one, the last state the sum by activity. What all entries of the row
        // share comes at the end: it is known last, and sums that wait for it would keep their terms in slots.
        let has_plain = !plain.is_empty() || !corrections.is_empty();
        let states = u32::from(has_plain) + u32::from(!scaled.is_empty());
        let mut iterations = Vec::new();
        for &(value, nu) in plain.iter().chain(&corrections) {
            iterations.push(term(graph, (0, states), value, nu));
        }
        for &(value, nu) in scaled {
            iterations.push(term(graph, (states - 1, states), value, nu));
        }
        let prologue = Some(common::empty_sums(graph, states as usize));
        let mut o = Operands::default();
        let mut entry = has_plain.then(|| o.body.state(0));
        if let Some(total) = self.total[row] {
            let total = o.input(total);
            entry = Some(entry.map_or(total, |entry| o.body.add(entry, total)));
        }
        if let (false, Some(inverse)) = (scaled.is_empty(), self.inverse[column]) {
            let (inverse, sum) = (o.input(inverse), o.body.state(states - 1));
            entry = Some(match entry {
                Some(entry) => o.body.fma(sum, inverse, entry),
                None => o.body.mul(sum, inverse),
            });
        }
        let entry = entry.expect("an operation of its own sums up something");
        let stores = finish(&mut o, entry);
        let epilogue = Step { stores, ..o.into_step(graph) };
        let operation = Operation { name: name.clone(), states, prologue, iterations, ordered: false, epilogue };
        let op = graph.add(operation, |_, _| name.clone());
        graph.step(StepRef { op, part: Part::Epilogue }).outputs.clone()
    }

    /// Gives all entries of a row another value to share.
    pub fn share(&mut self, row: usize, value: Value) {
        self.total[row] = Some(value);
    }

    /// The sum over the third bodies of a row.
    pub fn total(&self, row: usize) -> Option<Value> {
        self.total[row]
    }
}

/// Stores the derivatives of production rates.
fn store(graph: &mut Graph, model: &Model, matrix: &Matrix, places: &Places) {
    let (output, size) = (graph.arrays.len() as u32 - 1, matrix.size);
    let species = model.species();
    let place = |row: usize, column: usize| places.of(row, column).map(|place| (output, place));
    for row in 0..size {
        let mut rest = Vec::new();
        for column in 0..size {
            if !matrix.has_own(row, column) {
                rest.extend(place(row, column));
                continue;
            }
            let name = format!("{} by {}", species[row].name, species[column].name);
            matrix.entry(graph, (row, column), name, |o, entry| {
                o.body.stores = vec![entry];
                place(row, column).into_iter().collect()
            });
        }
        let name = format!("{} by temperature", species[row].name);
        let value = matrix.sum(graph, row, By::Temperature, name);
        let mut o = Operands::default();
        let slope = match value {
            Some(value) => o.input(value),
            None => o.body.literal(0.0),
        };
        let same = match matrix.total(row) {
            Some(total) if !rest.is_empty() => o.input(total),
            _ => o.body.literal(0.0),
        };
        o.body.stores = vec![same; rest.len()];
        if let Some(place) = place(row, size) {
            o.body.stores.push(slope);
            rest.push(place);
        }
        if rest.is_empty() {
            continue;
        }
        let step = Step { stores: rest, ..o.into_step(graph) };
        graph.add(single(format!("rest of {}", species[row].name), step), |_, _| unreachable!("it is stored"));
    }
}
