//! Wilke's mixture viscosity with one symmetric matrix and three right-hand sides (Wilke's
//! denominators multiplied out).
//!
//! With S_kj = 1/sqrt(W_k + W_j), w_k = x_k sqrt(W_k) and e_k = sqrt(mu_k)/W_k^(1/4):
//! mu = sqrt(8) sum_k w_k e_k^2 / (v1 + 2 e v2 + e^2 v3)_k with v1 = S w, v2 = S (w/e), v3 = S (w/e^2).
//! All terms are positive. In single precision, where each species has a division of its own, it is made of f_k = 1/e_k, as the division then is a reciprocal:
//! mu = sqrt(8) sum_k w_k / (v3 + 2 f v2 + f^2 v1)_k. Species of equal weight have equal rows and columns of S: both are computed once for all.
//! The matrix is taken as it is, or as thin factors ([`low_rank`]): t = G^T [w, w/e, w/e^2], then v = G t.

use std::f64::consts::LOG2_E;

use crate::build::{self, OUTPUT, product, scalar, single, step};
use crate::options::{Form, Matrix, Options, Precision, low_rank_bound};
use crate::thermodynamics::begin;
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::approximation::low_rank;
use kinetics::{Model, TransportFits};

/// Cubics in ln T have large terms that cancel; in single precision they are taken in ln T scaled to -1..1, which have not.
fn scalars(options: &Options) -> &'static [u32] {
    match options.precision {
        Precision::Double => &[scalar::LN_TEMPERATURE],
        Precision::Single | Precision::Mixed => &[scalar::LN_TEMPERATURE, scalar::SCALED_LN_TEMPERATURE],
    }
}

/// Rows of the matrix in one operation, at most: three running sums each.
const ROWS: usize = 5;

/// Species whose divisions are shared, at most.
const SOURCES: usize = 5;

/// With more species than this, shared memory has no room for e: the rows compute it again.
const MOST_ROOTS: usize = 96;

/// With more species than this, shared memory may have no room for species that wait for others of their weight.
const MOST_COLLECTED: usize = 256;

/// w, w/e and w/e^2, or a product of the matrix with them.
type Triple = [Value; 3];

pub fn build(model: &Model, fits: &TransportFits, options: &Options) -> Graph {
    let mut graph = begin::begin("viscosity", model, options, "viscosity", 1, scalars(options));
    let classes = weight_classes(model);
    let weights: Vec<f64> = classes.iter().map(|class| model.species()[class[0]].weight).collect();
    let (constants, unit) = in_units(species_constants(model, fits, options), options);
    let again = !options.stage_inputs && constants.len() > MOST_ROOTS;
    let (triples, roots) = sources(&mut graph, model, &constants, options, !again);
    let warps = options.warps as usize;
    let ends = Ends { classes: &classes, constants: &constants, roots: &roots, options };
    let at_once = if again && constants.len() > MOST_COLLECTED { 1 } else { ADDENDS };
    let columns: Vec<Triple> =
        classes.iter().map(|class| class_sum(&mut graph, model, class, &triples, at_once)).collect();
    let shares = if options.form == Form::LowRank {
        let bound = low_rank_bound(options.fit_tolerance);
        let factors = low_rank::factors(&weights, bound / (1.0 + bound));
        graph.bound = factors.error / (1.0 - factors.error);
        match options.matrix {
            Matrix::Dfma => {
                let reduced = reduced(&mut graph, &factors.rows, &columns, warps);
                rows(&mut graph, model, &factors.rows, &reduced, &ends)
            }
            Matrix::Dmma { slots } => {
                let transposed = low_rank::transposed(&factors.rows);
                let reduced = products(&mut graph, "factor", &transposed, &columns, slots);
                let sums = products(&mut graph, "sum", &factors.rows, &reduced, slots);
                shares_of(&mut graph, model, &sums, &ends)
            }
        }
    } else {
        let matrix: Vec<Vec<f64>> =
            weights.iter().map(|k| weights.iter().map(|j| 1.0 / (k + j).sqrt()).collect()).collect();
        match options.matrix {
            Matrix::Dfma => rows(&mut graph, model, &matrix, &columns, &ends),
            Matrix::Dmma { slots } => {
                let sums = products(&mut graph, "sum", &matrix, &columns, slots);
                shares_of(&mut graph, model, &sums, &ends)
            }
        }
    };
    mixture(&mut graph, &shares, 8f64.sqrt() * unit, options);
    graph
}

/// The constants of e in a unit of viscosity, and that unit. The viscosity is one times its unit whatever the unit is; in single precision it is the
/// geometric mean in the middle of the range, as logarithms then are small numbers, and what they err by is what e errs by.
fn in_units(mut constants: Vec<[f64; 5]>, options: &Options) -> (Vec<[f64; 5]>, f64) {
    if options.precision == Precision::Double {
        return (constants, 1.0);
    }
    let mean = constants.iter().map(|c| c[0]).sum::<f64>() / constants.len() as f64;
    constants.iter_mut().for_each(|c| c[0] -= mean);
    (constants, (2.0 * mean).exp2())
}

/// Species of equal weight, the larger classes first; in the order of the mechanism otherwise.
fn weight_classes(model: &Model) -> Vec<Vec<usize>> {
    let species = model.species();
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for (k, this) in species.iter().enumerate() {
        let same = |class: &&mut Vec<usize>| (species[class[0]].weight / this.weight - 1.0).abs() <= 4.0 * f64::EPSILON;
        match classes.iter_mut().find(same) {
            Some(class) => class.push(k),
            None => classes.push(vec![k]),
        }
    }
    classes.sort_by_key(|class| std::cmp::Reverse(class.len()));
    classes
}

/// Data of the species for the epilogues.
struct Ends<'a> {
    classes: &'a [Vec<usize>],
    constants: &'a [[f64; 5]],
    /// e by species, or 1/e in single precision; empty where the rows compute it again.
    roots: &'a [Value],
    options: &'a Options,
}

/// By species: the cubic of lg e (to the base 2) in ln T or in what it is scaled to, and sqrt(W).
fn species_constants(model: &Model, fits: &TransportFits, options: &Options) -> Vec<[f64; 5]> {
    let all = model.species().iter().zip(&fits.viscosity);
    all.map(|(species, c)| {
        let ln = [0.5 * c[0] - species.weight.ln() / 4.0, 0.5 * c[1], 0.5 * c[2], 0.5 * c[3]];
        let cubic = if options.precision == Precision::Single { options.fit_range.scaled(&ln) } else { ln };
        let [c0, c1, c2, c3] = cubic.map(|c| c * LOG2_E);
        [c0, c1, c2, c3, species.weight.sqrt()]
    })
    .collect()
}

/// lg e, the cubic with the constants from `first` on.
fn logarithm(b: &mut Body, first: u32, options: &Options) -> Id {
    let scalars = scalars(options);
    let variable = build::scalar_of(b, scalars, scalars[scalars.len() - 1]);
    b.polynomial(variable, first, first + 3)
}

/// e = 2^cubic with the cubic's constants from `first` on.
fn root(b: &mut Body, first: u32, options: &Options) -> Id {
    let lg = logarithm(b, first, options);
    options.exponential.power(b, lg)
}

/// 1/e, a power as well.
fn inverse_root(b: &mut Body, first: u32, options: &Options) -> Id {
    let lg = logarithm(b, first, options);
    let minus = b.neg(lg);
    options.exponential.power(b, minus)
}

/// Returns the kept root of each species, and all 1/e. Single precision uses powers only, because products that share a division lose digits.
fn roots_and_inverses(b: &mut Body, count: u32, options: &Options) -> (Vec<Id>, Vec<Id>) {
    if options.precision == Precision::Double {
        let e: Vec<Id> = (0..count).map(|i| root(b, 5 * i, options)).collect();
        let one = b.literal(1.0);
        let inverse = quotients(b, one, &e);
        return (e, inverse);
    }
    let inverse: Vec<Id> = (0..count).map(|i| inverse_root(b, 5 * i, options)).collect();
    (inverse.clone(), inverse)
}

/// Each species' triple, and e (in single precision 1/e) where it is kept. A few species share an operation and its division.
fn sources(
    graph: &mut Graph,
    model: &Model,
    constants: &[[f64; 5]],
    options: &Options,
    keep: bool,
) -> (Vec<Triple>, Vec<Value>) {
    let (species, warps) = (model.species(), options.warps as usize);
    let (mut triples, mut roots) = (Vec::new(), Vec::new());
    let per_species = if keep { 4 } else { 3 };
    for group in build::blocks(species.len(), warps * species.len().div_ceil(warps * SOURCES)) {
        let mut b = Body::default();
        let (e, inverse) = roots_and_inverses(&mut b, group.len() as u32, options);
        for (i, (&e, &inverse)) in (0u32..).zip(e.iter().zip(&inverse)) {
            let (x, root) = (build::mole_fraction(&mut b, i), b.constant(5 * i + 4));
            let w = b.mul(x, root);
            let first = b.mul(w, inverse);
            let second = b.mul(first, inverse);
            b.values.extend([w, first, second]);
            b.values.extend(keep.then_some(e));
        }
        let shape = graph.shape(b);
        let rows = group.clone().map(|k| k as u32).collect();
        let at = step(shape, constants[group.clone()].concat(), vec![], rows);
        let op = graph.add(single(format!("species from {}", species[group.start].name), at), |_, i| {
            let kept = if options.precision == Precision::Double { "e" } else { "1/e" };
            let what = ["w", "w/e", "w/e2", kept][i % per_species];
            format!("{what} {}", species[group.start + i / per_species].name)
        });
        for values in graph.ops[op].epilogue.outputs.chunks(per_species) {
            triples.push([values[0], values[1], values[2]]);
            roots.extend(values.get(3));
        }
    }
    (triples, roots)
}

/// numerator/a for a few positive numbers a of moderate size, with one division.
pub fn quotients(b: &mut Body, numerator: Id, all: &[Id]) -> Vec<Id> {
    let mut products = vec![all[0]];
    for (i, &a) in all.iter().enumerate().skip(1) {
        products.push(b.mul(products[i - 1], a));
    }
    let mut rest = b.div(numerator, products[all.len() - 1]);
    let mut inverse = vec![rest; all.len()];
    for i in (1..all.len()).rev() {
        inverse[i] = b.mul(rest, products[i - 1]);
        rest = b.mul(rest, all[i]);
    }
    inverse[0] = rest;
    inverse
}

/// Triples that one step adds up, at most: all of them are in shared memory at once. A larger class takes them one by one.
const ADDENDS: usize = 12;

/// The sum of the triples of a class, up to `at_once` of them in one step.
fn class_sum(graph: &mut Graph, model: &Model, class: &[usize], triples: &[Triple], at_once: usize) -> Triple {
    let inputs: Vec<Triple> = class.iter().map(|&k| triples[k]).collect();
    let name = format!("weight of {}", model.species()[class[0]].name);
    match inputs[..] {
        [only] => only,
        _ if inputs.len() <= at_once => sum_of(graph, &name, &inputs),
        _ => running_sum_of(graph, &name, &inputs),
    }
}

/// A sum that takes the triples one by one, as they are made.
fn running_sum_of(graph: &mut Graph, name: &str, triples: &[Triple]) -> Triple {
    let (prologue, epilogue) = (build::empty_sums(graph, 3), passed_on(graph));
    let iteration = {
        let mut b = Body::default();
        for part in 0..3 {
            let (sum, next) = (b.state(part), b.input(part));
            let sum = b.add(sum, next);
            b.states.push(sum);
        }
        graph.shape(b)
    };
    let operation = Operation {
        name: name.to_owned(),
        states: 3,
        prologue: Some(prologue),
        iterations: triples.iter().map(|triple| step(iteration, vec![], triple.to_vec(), vec![])).collect(),
        ordered: false,
        epilogue: step(epilogue, vec![], vec![], vec![]),
    };
    let op = graph.add(operation, |_, i| format!("{} of {name}", ["v1", "v2", "v3"][i]));
    triple(&graph.ops[op].epilogue.outputs)
}

fn sum_of(graph: &mut Graph, name: &str, triples: &[Triple]) -> Triple {
    let mut b = Body::default();
    for part in 0..3 {
        let mut sum = b.input(part);
        for i in 1..triples.len() as u32 {
            let next = b.input(3 * i + part);
            sum = b.add(sum, next);
        }
        b.values.push(sum);
    }
    let shape = graph.shape(b);
    let operation = single(name.to_owned(), step(shape, vec![], triples.concat(), vec![]));
    let op = graph.add(operation, |_, i| format!("{} of {name}", ["v1", "v2", "v3"][i]));
    triple(&graph.ops[op].epilogue.outputs)
}

fn triple(values: &[Value]) -> Triple {
    [values[0], values[1], values[2]]
}

/// t_q = sum_k G_kq [w, w/e, w/e^2]_k: one operation per rank index and part of the columns.
fn reduced(graph: &mut Graph, factors: &[Vec<f64>], columns: &[Triple], warps: usize) -> Vec<Triple> {
    let rank = factors[0].len();
    let (prologue, iteration, epilogue) = (build::empty_sums(graph, 3), product_round(graph, 1), passed_on(graph));
    // Parts that spread the operations evenly over the warps.
    let parts = (1..=2usize.min(columns.len())).min_by_key(|&p| (rank * p).div_ceil(warps) * 12 / p).unwrap_or(1);
    (0..rank)
        .map(|q| {
            let sums: Vec<Triple> = build::blocks(columns.len(), parts)
                .into_iter()
                .map(|block| {
                    let name = format!("factor {q} of {}..{}", block.start, block.end);
                    let operation = Operation {
                        name: name.clone(),
                        states: 3,
                        prologue: Some(prologue.clone()),
                        iterations: block
                            .map(|c| step(iteration, vec![factors[c][q]], columns[c].to_vec(), vec![]))
                            .collect(),
                        ordered: false,
                        epilogue: step(epilogue, vec![], vec![], vec![]),
                    };
                    let op = graph.add(operation, |_, i| format!("{} of {name}", ["v1", "v2", "v3"][i]));
                    triple(&graph.ops[op].epilogue.outputs)
                })
                .collect();
            if sums.len() == 1 { sums[0] } else { sum_of(graph, &format!("factor {q}"), &sums) }
        })
        .collect()
}

fn passed_on(graph: &mut Graph) -> graph::Shape {
    let mut b = Body::default();
    b.values = (0..3).map(|i| b.state(i)).collect();
    graph.shape(b)
}

/// One column of the products of `rows` rows with three vectors.
fn product_round(graph: &mut Graph, rows: usize) -> graph::Shape {
    let mut b = Body::default();
    let vectors = [b.input(0), b.input(1), b.input(2)];
    for row in 0..rows as u32 {
        let entry = b.constant(row);
        for (i, &vector) in (0u32..).zip(&vectors) {
            let sum = b.state(3 * row + i);
            let sum = b.fma(entry, vector, sum);
            b.states.push(sum);
        }
    }
    graph.shape(b)
}

/// The rows of the matrix, several per operation, and their species' shares as one value per operation.
fn rows(graph: &mut Graph, model: &Model, matrix: &[Vec<f64>], vectors: &[Triple], ends: &Ends<'_>) -> Vec<Value> {
    let species = model.species();
    let (classes, warps) = (ends.classes, ends.options.warps as usize);
    let groups = build::blocks(classes.len(), warps * classes.len().div_ceil(warps * ROWS));
    groups
        .into_iter()
        .map(|group| {
            let prologue = build::empty_sums(graph, 3 * group.len());
            let iteration = product_round(graph, group.len());
            let iterations = (0..vectors.len()).map(|j| {
                let entries = group.clone().map(|k| matrix[k][j]).collect();
                step(iteration, entries, vectors[j].to_vec(), vec![])
            });
            let iterations = iterations.collect();
            let members: Vec<usize> = classes[group.clone()].concat();
            let name = format!("rows from {}", species[members[0]].name);
            let operation = Operation {
                name: name.clone(),
                states: 3 * group.len() as u32,
                prologue: Some(prologue),
                iterations,
                ordered: false,
                epilogue: shares(graph, &classes[group], None, ends),
            };
            let op = graph.add(operation, |_, _| format!("share of {name}"));
            graph.ops[op].epilogue.outputs[0]
        })
        .collect()
}

/// The matrix times the three vectors, on tensor cores.
fn products(graph: &mut Graph, name: &str, matrix: &[Vec<f64>], columns: &[Triple], slots: u32) -> Vec<Triple> {
    let parts: Vec<Vec<Value>> = (0..3)
        .map(|part| {
            let vector: Vec<Value> = columns.iter().map(|triple| triple[part]).collect();
            product(graph, &format!("{name} of v{}", part + 1), matrix, &vector, slots)
        })
        .collect();
    (0..matrix.len()).map(|row| [parts[0][row], parts[1][row], parts[2][row]]).collect()
}

/// The shares of all species, from the products of their rows.
fn shares_of(graph: &mut Graph, model: &Model, sums: &[Triple], ends: &Ends<'_>) -> Vec<Value> {
    let (species, classes, warps) = (model.species(), ends.classes, ends.options.warps as usize);
    let groups = build::blocks(classes.len(), warps * classes.len().div_ceil(warps * ROWS));
    groups
        .into_iter()
        .map(|group| {
            let step = shares(graph, &classes[group.clone()], Some(&sums[group.clone()]), ends);
            let name = format!("rows from {}", species[classes[group.start][0]].name);
            let op = graph.add(single(name.clone(), step), |_, _| format!("share of {name}"));
            graph.ops[op].epilogue.outputs[0]
        })
        .collect()
}

/// Fractions with a common denominator: products of more would leave the range of moderate numbers.
const FRACTIONS: usize = 6;
/// sum of w e^2 / (v1 + 2 e v2 + e^2 v3) over the species of some rows; one division for up to [`FRACTIONS`] of them. v1, v2
/// and v3 are values, or (with `None`) running sums.
fn shares(graph: &mut Graph, classes: &[Vec<usize>], sums: Option<&[Triple]>, ends: &Ends<'_>) -> Step {
    let mut shares = Shares::new(classes, sums, ends);
    let sum = match ends.options.precision {
        Precision::Double => shares.of_common_denominators(),
        // Each of the products above adds the errors of its factors: bounds would be three times as large.
        Precision::Single | Precision::Mixed => shares.of_reciprocals(),
    };
    let Shares { mut b, members, stride, again, .. } = shares;
    b.values.push(sum);
    let own = |k: usize| &ends.constants[k][5 - stride as usize..];
    let constants = members.iter().flat_map(|&(_, k)| own(k)).copied().collect();
    let mut inputs = sums.map_or_else(Vec::new, <[Triple]>::concat);
    if !again {
        inputs.extend(members.iter().map(|&(_, k)| ends.roots[k]));
    }
    step(graph.shape(b), constants, inputs, members.iter().map(|&(_, k)| k as u32).collect())
}

/// The shares of some rows while they are put together.
struct Shares<'a> {
    b: Body,
    options: &'a Options,
    /// Each species with the row of its class.
    members: Vec<(usize, usize)>,
    are_inputs: bool,
    /// Whether what is known of a species is computed again; else it is an input, from this one on.
    again: bool,
    first_root: u32,
    /// Constants of a species.
    stride: u32,
    /// 2 v2 by row.
    twice: Vec<Id>,
}

impl<'a> Shares<'a> {
    fn new(classes: &[Vec<usize>], sums: Option<&[Triple]>, ends: &Ends<'a>) -> Self {
        let again = ends.roots.is_empty();
        let members =
            classes.iter().enumerate().flat_map(|(row, class)| class.iter().map(move |&k| (row, k))).collect();
        let mut shares = Self {
            b: Body::default(),
            options: ends.options,
            members,
            are_inputs: sums.is_some(),
            again,
            first_root: if sums.is_some() { 3 * classes.len() as u32 } else { 0 },
            stride: if again { 5 } else { 1 },
            twice: Vec::new(),
        };
        for row in 0..classes.len() {
            let v2 = shares.sum_of(row, 1);
            let twice = shares.b.add(v2, v2);
            shares.twice.push(twice);
        }
        shares
    }

    fn sum_of(&mut self, row: usize, part: u32) -> Id {
        let at = 3 * row as u32 + part;
        if self.are_inputs { self.b.input(at) } else { self.b.state(at) }
    }

    /// The factors of w of the i-th species.
    fn weight(&mut self, i: usize) -> [Id; 2] {
        [build::mole_fraction(&mut self.b, i as u32), self.b.constant(self.stride * (i as u32 + 1) - 1)]
    }

    fn of_common_denominators(&mut self) -> Id {
        let mut sum = None;
        for chunk in (0..self.members.len()).collect::<Vec<_>>().chunks(FRACTIONS) {
            let mut fraction: Option<(Id, Id)> = None;
            for &i in chunk {
                let row = self.members[i].0;
                let (v1, v3) = (self.sum_of(row, 0), self.sum_of(row, 2));
                let e = match self.again {
                    true => root(&mut self.b, self.stride * i as u32, self.options),
                    false => self.b.input(self.first_root + i as u32),
                };
                let inner = self.b.fma(e, v3, self.twice[row]);
                let denominator = self.b.fma(e, inner, v1);
                let [x, root] = self.weight(i);
                let square = self.b.mul(e, e);
                let w = self.b.mul(x, root);
                let numerator = self.b.mul(w, square);
                fraction = Some(match fraction {
                    None => (numerator, denominator),
                    Some((n, d)) => {
                        let crossed = self.b.mul(numerator, d);
                        (self.b.fma(n, denominator, crossed), self.b.mul(d, denominator))
                    }
                });
            }
            let (n, d) = fraction.expect("a chunk is not empty");
            let share = self.b.div(n, d);
            sum = Some(match sum {
                None => share,
                Some(sum) => self.b.add(sum, share),
            });
        }
        sum.expect("a group of rows has species")
    }

    /// The sum of w times the reciprocal of v3 + 2 f v2 + f^2 v1.
    fn of_reciprocals(&mut self) -> Id {
        let mut sum = None;
        for i in 0..self.members.len() {
            let row = self.members[i].0;
            let (v1, v3) = (self.sum_of(row, 0), self.sum_of(row, 2));
            let f = match self.again {
                true => inverse_root(&mut self.b, self.stride * i as u32, self.options),
                false => self.b.input(self.first_root + i as u32),
            };
            let inner = self.b.fma(f, v1, self.twice[row]);
            let denominator = self.b.fma(f, inner, v3);
            let one = self.b.literal(1.0);
            let inverse = self.b.div(one, denominator);
            let [x, root] = self.weight(i);
            let w = self.b.mul(x, root);
            sum = Some(match sum {
                None => self.b.mul(w, inverse),
                Some(sum) => self.b.fma(w, inverse, sum),
            });
        }
        sum.expect("a group of rows has species")
    }
}

/// The factor, which is sqrt(8) and the unit, times the sum of the shares.
fn mixture(graph: &mut Graph, shares: &[Value], factor: f64, options: &Options) {
    let prologue = build::empty_sums(graph, 1);
    let iteration = {
        let mut b = Body::default();
        let (sum, share) = (b.state(0), b.input(0));
        b.states = vec![b.add(sum, share)];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let (sum, factor, zero) = (b.state(0), b.literal(factor), build::zero_or_nan(&mut b, scalars(options)));
        b.stores = vec![b.fma(sum, factor, zero)];
        graph.shape(b)
    };
    let operation = Operation {
        name: "mixture".into(),
        states: 1,
        prologue: Some(prologue),
        iterations: shares.iter().map(|&v| step(iteration, vec![], vec![v], vec![])).collect(),
        ordered: false,
        epilogue: Step { shape: epilogue, stores: vec![(OUTPUT, 0)], ..Step::default() },
    };
    graph.add_stores(operation);
}
