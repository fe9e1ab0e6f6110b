//! Errors of the outputs by the roundings of each instruction, to first order, in some states.
//!
//! One run forward gives the values. One run back for each output gives the sums of |d output / d value| over all ways. Errors of one
//! number that reach an output on two ways do not cancel, as in [`super::follow`]. This proves nothing.

use std::collections::BTreeMap;

use cranelift_entity::SecondaryMap;

use super::super::body::{Binary, Body, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::super::interpret::Arithmetic;
use super::premises::{Domain, Rounding};

/// Instructions that change their arithmetic together.
pub type Group = usize;

/// Relative errors of the outputs where a group is in single precision; one number for each output in each state.
pub struct Sensitivity {
    /// Errors that are there whatever is in single precision.
    pub of_inputs: Vec<f32>,
    /// Errors by the group's own roundings, and by those of its constants.
    pub own: Vec<Vec<f32>>,
    /// Errors by reads of the second group, if it has more digits, in the first group or in stores of singles (`None`).
    pub read: BTreeMap<(Option<Group>, Group), Vec<f32>>,
}

/// Computes the sensitivity to the groups that `group` tells.
pub fn sensitivity(
    graph: &Graph,
    order: &[StepRef],
    domain: &Domain,
    groups: usize,
    group: &dyn Fn(Option<StepRef>, u32) -> Group,
) -> Sensitivity {
    let mut found = Sensitivity { of_inputs: Vec::new(), own: vec![Vec::new(); groups], read: BTreeMap::new() };
    for [temperature, fractions] in states(graph, domain) {
        let mut tape =
            Tape { graph, point: [&temperature, &fractions], reads_singles: domain.reads_singles, lines: Vec::new() };
        let stores = tape.run(order, group);
        stores.into_iter().for_each(|store| tape.add(store, &mut found));
    }
    found
}

/// Temperatures, each with all species alike, and with some nearly alone.
fn states(graph: &Graph, domain: &Domain) -> Vec<[Vec<f64>; 2]> {
    let species = domain.species;
    let outputs: usize = graph.arrays.iter().filter(|array| array.output).map(|array| array.rows as usize).sum();
    let alone = species.min(PLACES / outputs.max(1)).max(1);
    let mixtures = (0..=alone).map(|k| match k.checked_sub(1) {
        None => vec![1.0 / species as f64; species],
        Some(k) => (0..species).map(|j| f64::from(u8::from(j == k * species / alone))).collect(),
    });
    let mixtures: Vec<Vec<f64>> = mixtures.collect();
    let [coldest, hottest] = [domain.temperatures.coldest, domain.temperatures.hottest];
    let temperatures = [coldest, (coldest * hottest).sqrt(), hottest];
    temperatures.into_iter().flat_map(|t| mixtures.iter().map(move |x| [vec![t], x.clone()])).collect()
}

/// Limit on outputs that are looked at with one species alone, at each temperature.
const PLACES: usize = 512;

/// Source of a number: a line of the tape, or a number that is known when the code is made.
#[derive(Clone, Copy)]
enum Source {
    Line(usize),
    Constant,
}

/// A rounding instruction, or a field.
struct Line {
    /// Group of the rounding; none for singles in arrays.
    group: Option<Group>,
    value: f64,
    /// Own rounding in single precision, in units of that.
    roundings: f64,
    /// Error by the rounding of its constants.
    of_constants: f64,
    /// Sources of its operands, and its slope by each; the last says whether only the first digits are read of a number that has more.
    reads: Vec<(usize, f64, bool)>,
}

struct Tape<'a> {
    graph: &'a Graph,
    point: [&'a [f64]; 2],
    reads_singles: bool,
    lines: Vec<Line>,
}

type Number = (Source, f64);

impl Tape<'_> {
    /// The lines that are stored.
    fn run(&mut self, order: &[StepRef], group: &dyn Fn(Option<StepRef>, u32) -> Group) -> Vec<usize> {
        let graph = self.graph;
        let mut values: SecondaryMap<Value, Number> = SecondaryMap::with_default((Source::Constant, f64::NAN));
        let mut states: SecondaryMap<Op, Vec<Number>> = SecondaryMap::new();
        let preamble = &graph.shapes[graph.preamble.shape];
        let all = self.body(preamble, &graph.preamble, &[], &[], &values, &|id| group(None, id));
        let scalars: Vec<Number> = preamble.states.iter().map(|&id| all[id as usize]).collect();
        let mut stores = Vec::new();
        for &at in order {
            let (body, step) = (graph.body(at), graph.step(at));
            let all = self.body(body, step, &scalars, &states[at.op], &values, &|id| group(Some(at), id));
            if !body.states.is_empty() {
                states[at.op] = body.states.iter().map(|&id| all[id as usize]).collect();
            }
            for (&value, &id) in step.outputs.iter().zip(&body.values) {
                values[value] = all[id as usize];
            }
            stores.extend(body.stores.iter().filter_map(|&id| match all[id as usize].0 {
                Source::Line(line) => Some(line),
                Source::Constant => None,
            }));
        }
        stores
    }

    fn body(
        &mut self,
        body: &Body,
        step: &Step,
        scalars: &[Number],
        states: &[Number],
        values: &SecondaryMap<Value, Number>,
        group: &dyn Fn(u32) -> Group,
    ) -> Vec<Number> {
        let mut all: Vec<Number> = Vec::with_capacity(body.insts.len());
        for (id, inst) in (0..).zip(&body.insts) {
            let of = |id: u32| all[id as usize];
            let value = |id: u32| of(id).1;
            let number = match *inst {
                Inst::Literal(c) => (Source::Constant, c),
                Inst::Constant(k) => (Source::Constant, step.constants[k as usize]),
                Inst::Scalar(k) => scalars[k as usize],
                Inst::Input(k) => values[step.inputs[k as usize]],
                Inst::State(k) => states[k as usize],
                Inst::Field { array, operand, .. } => {
                    let value = self.field(array, step.rows[operand as usize]);
                    // A single of an array is what it is; a double has more digits, which a pair can have.
                    let group = (!self.reads_singles).then(|| group(id));
                    let roundings = f64::from(u8::from(!self.reads_singles));
                    (self.push(Line { group, value, roundings, of_constants: 0.0, reads: Vec::new() }), value)
                }
                Inst::Unary(Unary::Neg, a) => (of(a).0, -value(a)),
                Inst::Unary(Unary::Positive, a) => of(a),
                Inst::Unary(op, a) => {
                    let x = value(a);
                    let (f, slope, roundings) = function(op, x);
                    // A power of two takes all digits of its argument.
                    let is_whole = matches!(op.real_function(), RealFunction::Exp2 | RealFunction::Exp2OfNegative);
                    self.computed(group(id), f, roundings, &[(of(a), slope, !is_whole)])
                }
                // The difference of a number and itself is exact.
                Inst::Binary(Binary::Sub, a, b) if a == b => (Source::Constant, 0.0),
                Inst::Binary(op, a, b) => {
                    let (x, y) = (value(a), value(b));
                    let (f, slopes) = match op {
                        Binary::Add => (x + y, [1.0, 1.0]),
                        Binary::Sub => (x - y, [1.0, -1.0]),
                        Binary::Mul => (x * y, [y, x]),
                        Binary::Div | Binary::DivNear => (x / y, [1.0 / y, -x / (y * y)]),
                    };
                    self.computed(group(id), f, 1.0, &[(of(a), slopes[0], true), (of(b), slopes[1], true)])
                }
                Inst::Fma(a, b, c) => {
                    let (x, y) = (value(a), value(b));
                    let reads = [(of(a), y, true), (of(b), x, true), (of(c), 1.0, true)];
                    self.computed(group(id), x * y + value(c), 1.0, &reads)
                }
                Inst::SelectLe { a, b, then, otherwise } => {
                    let taken = of(if value(a) <= value(b) { then } else { otherwise });
                    self.computed(group(id), taken.1, 0.0, &[(taken, 1.0, true)])
                }
            };
            all.push(number);
        }
        all
    }

    fn field(&self, array: u32, row: u32) -> f64 {
        let [temperature, fractions] = self.point;
        match self.graph.arrays[array as usize].name {
            "temperature" => temperature[0],
            "mole_fractions" => fractions[row as usize],
            _ => 1.0,
        }
    }

    fn push(&mut self, line: Line) -> Source {
        self.lines.push(line);
        Source::Line(self.lines.len() - 1)
    }

    fn computed(&mut self, group: Group, value: f64, roundings: f64, reads: &[(Number, f64, bool)]) -> Number {
        let (mut of_constants, mut of_lines) = (0.0, Vec::with_capacity(reads.len()));
        for &((source, operand), slope, is_short) in reads {
            match source {
                Source::Line(line) => of_lines.push((line, slope.abs(), is_short)),
                Source::Constant => of_constants += slope.abs() * (operand - f64::from(operand as f32)).abs(),
            }
        }
        (self.push(Line { group: Some(group), value, roundings, of_constants, reads: of_lines }), value)
    }

    /// Adds the contributions of all lines to the error of a stored line.
    fn add(&self, store: usize, found: &mut Sensitivity) {
        let place = found.of_inputs.len();
        let unit = Rounding::SINGLE.unit;
        let whole = self.lines[store].value.abs();
        if whole == 0.0 {
            return;
        }
        let mut weights = vec![0.0; store + 1];
        weights[store] = 1.0 / whole;
        let mut of_inputs = 0.0;
        let more = |all: &mut Vec<f32>, error: f64| {
            all.resize(place + 1, 0.0);
            all[place] += error as f32;
        };
        if let Some(group) = self.lines[store].group.filter(|_| self.reads_singles) {
            more(found.read.entry((None, group)).or_default(), unit);
        }
        for at in (0..=store).rev() {
            let (line, weight) = (&self.lines[at], weights[at]);
            if weight == 0.0 {
                continue;
            }
            let rounding = weight * line.roundings * unit * line.value.abs();
            match line.group {
                None => of_inputs += rounding,
                Some(group) => more(&mut found.own[group], rounding + weight * line.of_constants),
            }
            for &(source, slope, is_short) in &line.reads {
                weights[source] += weight * slope;
                let of = self.lines[source].group.filter(|&of| is_short && line.group.is_some_and(|own| own != of));
                if let Some(of) = of {
                    let error = weight * slope * self.lines[source].value.abs() * unit;
                    more(found.read.entry((line.group, of)).or_default(), error);
                }
            }
        }
        found.of_inputs.push(of_inputs as f32);
    }
}

/// A function, its slope, and how many times the unit of single precision it rounds by.
fn function(op: Unary, x: f64) -> (f64, f64, f64) {
    let f = <f64 as Arithmetic>::unary(op, x);
    let of_power = Rounding::SINGLE.power / Rounding::SINGLE.unit;
    match op.real_function() {
        RealFunction::Sqrt => (f, 0.5 / f, 1.0),
        RealFunction::Exp => (f, f, of_power),
        RealFunction::Exp2 => (f, f * std::f64::consts::LN_2, of_power),
        RealFunction::Exp2OfNegative => (f, -f * std::f64::consts::LN_2, of_power),
        RealFunction::Log => (f, 1.0 / x, Rounding::SINGLE.logarithm / Rounding::SINGLE.unit),
        RealFunction::Log2 => (f, std::f64::consts::LOG2_E / x, Rounding::SINGLE.logarithm / Rounding::SINGLE.unit),
        RealFunction::Neg | RealFunction::Positive => (f, 1.0, 0.0),
    }
}
