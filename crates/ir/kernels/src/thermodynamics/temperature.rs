//! The temperature of a mixture from its specific enthalpy or energy.
//!
//! The operations are
//!
//! - the coefficients of sum X_k h_k/R over the species' first ranges,
//! - their changes at each temperature where ranges meet,
//! - one operation that goes through these temperatures in their order up to the piece with the solution. It finds the
//!   solution there in as many steps as [`newton`](super::newton) has proven to suffice.

use super::energy;
use super::gibbs::{self, Piecewise};
use super::newton::{self, Plan};
use crate::build::{self, Operands};
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;

/// Doubles beyond the range within which the temperature is not refused: rounding.
const SLACK: f64 = 1e-9;

/// Adds the operations; mole fractions by species, kmol per kg. The target is the first field of the state. `work` is 1 for energies.
/// The value is not a number where no temperature of the plan's range has this enthalpy.
pub fn add(graph: &mut Graph, model: &Model, work: f64, fractions: &[Value], amount: Value) -> Value {
    let plan = newton::plan(model, work).expect("the plan was made before the graph");
    let species: Vec<Piecewise> = model
        .species()
        .iter()
        .map(|s| {
            let less = |terms| energy::less(terms, work);
            gibbs::of_ranges(&s.thermo, |a| less(energy::enthalpy7(a)), |a| less(energy::enthalpy9(a)))
        })
        .collect();
    let has_nine = species.iter().flat_map(|function| &function.ranges).any(|terms| terms[7..] != [0.0; 2]);
    let places: &[usize] = if has_nine { &[0, 1, 2, 3, 4, 6, 7, 8] } else { &[0, 1, 2, 3, 4, 6] };
    let coldest = |function: &Piecewise| function.ends.iter().take_while(|&&end| plan.range.coldest > end).count();
    let first = species.iter().zip(fractions).map(|(function, &x)| (x, function.ranges[coldest(function)]));
    let first: Vec<_> = first.collect();
    let base = sum(graph, &first, places, "energy of the first ranges");
    let mut ends: Vec<f64> = species.iter().flat_map(|function| function.ends.iter().copied()).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    ends.retain(|end| (plan.range.coldest..plan.range.hottest).contains(end));
    let mut changes = Vec::new();
    for &end in &ends {
        let meeting = species.iter().zip(fractions).filter_map(|(function, &x)| {
            let place = function.ends.iter().position(|&other| other == end)?;
            let (low, high) = (&function.ranges[place], &function.ranges[place + 1]);
            Some((x, std::array::from_fn(|n| high[n] - low[n])))
        });
        let meeting: Vec<_> = meeting.collect();
        changes.push(sum(graph, &meeting, places, &format!("change of energy at {end} K")));
    }
    let solver = Solver { plan, count: places.len() as u32 };
    let iterations = ends.iter().zip(changes).map(|(&end, change)| solver.piece(graph, end, change)).collect();
    let operation = Operation {
        name: "temperature".into(),
        states: solver.count + 3,
        prologue: Some(solver.begin(graph, base, amount)),
        iterations,
        ordered: true,
        epilogue: solver.finish(graph),
    };
    let op = graph.add(operation, |_, _| "temperature".to_owned());
    graph.ops[op].epilogue.outputs[0]
}

/// Sums of coefficients over species, each times its mole fraction.
fn sum(graph: &mut Graph, terms: &[(Value, gibbs::Terms)], places: &[usize], name: &str) -> Vec<Value> {
    let iterations = terms.iter().map(|&(x, terms)| {
        let mut o = Operands::default();
        let x = o.input(x);
        for (n, &place) in places.iter().enumerate() {
            let (sum, c) = (o.body.state(n as u32), o.constant(terms[place]));
            let sum = o.body.fma(c, x, sum);
            o.body.states.push(sum);
        }
        o.into_step(graph)
    });
    let iterations = iterations.collect();
    let mut b = Body::default();
    b.values = (0..places.len() as u32).map(|n| b.state(n)).collect();
    let epilogue = build::step(graph.shape(b), vec![], vec![], vec![]);
    let prologue = Some(build::empty_sums(graph, places.len()));
    let states = places.len() as u32;
    let operation = Operation { name: name.into(), states, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, n| format!("{name}, term {n}"));
    graph.ops[op].epilogue.outputs.clone()
}

/// States: the coefficients, the target, the coldest and the hottest temperature that the solution may have.
struct Solver {
    plan: Plan,
    /// Coefficients: of T, T^2 to T^5 and 1; besides ln T and 1/T where some species has nine.
    count: u32,
}

impl Solver {
    fn begin(&self, graph: &mut Graph, base: Vec<Value>, amount: Value) -> Step {
        let mut o = Operands::default();
        let mut states: Vec<Id> = base.into_iter().map(|value| o.input(value)).collect();
        // sum X h/R = h / (R amount)
        let (given, amount) = (o.field(0, 0), o.input(amount));
        let gas_constant = o.body.literal(GAS_CONSTANT);
        let per = o.body.mul(amount, gas_constant);
        states.push(o.body.div(given, per));
        states.push(o.body.literal(self.plan.range.coldest * (1.0 - SLACK)));
        states.push(o.body.literal(self.plan.range.hottest * (1.0 + SLACK)));
        o.body.states = states;
        o.into_step(graph)
    }

    /// Goes on to the piece behind the end unless the solution is before it.
    fn piece(&self, graph: &mut Graph, end: f64, change: Vec<Value>) -> Step {
        let mut o = Operands::default();
        let changes: Vec<Id> = change.into_iter().map(|value| o.input(value)).collect();
        let end = o.constant(end);
        let b = &mut o.body;
        let coefficients: Vec<Id> = (0..self.count).map(|n| b.state(n)).collect();
        let [target, cold, hot] = [0, 1, 2].map(|n| b.state(self.count + n));
        let reached = function(b, &coefficients, end);
        let nearer = b.min(hot, end);
        let new_hot = b.select_le(target, reached, nearer, hot);
        // The solution is beyond the end as long as nothing hotter than it is excluded.
        for (&c, &change) in coefficients.iter().zip(&changes) {
            let next = b.add(c, change);
            let chosen = b.select_le(new_hot, end, c, next);
            b.states.push(chosen);
        }
        let new_cold = b.select_le(new_hot, end, cold, end);
        b.states.extend([target, new_cold, new_hot]);
        o.into_step(graph)
    }

    /// Halvings, then Newton's steps within the bracket.
    fn finish(&self, graph: &mut Graph) -> Step {
        let mut b = Body::default();
        let c: Vec<Id> = (0..self.count).map(|n| b.state(n)).collect();
        let [target, mut cold, mut hot] = [0, 1, 2].map(|n| b.state(self.count + n));
        let half = b.literal(0.5);
        let middle = |b: &mut Body, cold: Id, hot: Id| {
            let sum = b.add(cold, hot);
            b.mul(half, sum)
        };
        let ends = [(cold, self.plan.range.coldest), (hot, self.plan.range.hottest)];
        let refused = ends.map(|(end, limit)| {
            let reached = function(&mut b, &c, end);
            (reached, end, b.literal(limit))
        });
        for _ in 0..self.plan.halvings {
            let t = middle(&mut b, cold, hot);
            let reached = function(&mut b, &c, t);
            let (below, above) = (b.select_le(target, reached, cold, t), b.select_le(target, reached, t, hot));
            (cold, hot) = (below, above);
        }
        let mut t = middle(&mut b, cold, hot);
        for _ in 0..self.plan.steps {
            let reached = function(&mut b, &c, t);
            let slope = derivative(&mut b, &c, t);
            let excess = b.sub(reached, target);
            let step = b.div(excess, slope);
            let next = b.sub(t, step);
            let next = b.max(next, cold);
            t = b.min(next, hot);
        }
        // Not a number where the first or the last end of all is not far enough.
        let zero = b.literal(0.0);
        let none = b.div(zero, zero);
        let [(least, first_cold, coldest), (most, last_hot, hottest)] = refused;
        let outside = b.select_le(first_cold, coldest, none, t);
        t = b.select_le(least, target, t, outside);
        let outside = b.select_le(hottest, last_hot, none, t);
        t = b.select_le(target, most, t, outside);
        b.values = vec![t];
        build::step(graph.shape(b), vec![], vec![], vec![])
    }
}

/// sum c_n T^(n+1) over the first five, and c_5; besides c_6 ln T + c_7/T.
fn function(b: &mut Body, c: &[Id], t: Id) -> Id {
    let polynomial = c[..4].iter().rev().fold(c[4], |sum, &c| b.fma(sum, t, c));
    let mut sum = b.fma(polynomial, t, c[5]);
    if let [log, inverse] = c[6..] {
        let ln = b.log(t);
        sum = b.fma(log, ln, sum);
        let quotient = b.div(inverse, t);
        sum = b.add(sum, quotient);
    }
    sum
}

fn derivative(b: &mut Body, c: &[Id], t: Id) -> Id {
    let scaled: Vec<Id> = (1..5)
        .map(|n| {
            let factor = b.literal(n as f64 + 1.0);
            b.mul(factor, c[n])
        })
        .collect();
    let polynomial = scaled[..3].iter().rev().fold(scaled[3], |sum, &c| b.fma(sum, t, c));
    let mut slope = b.fma(polynomial, t, c[0]);
    if let [log, inverse] = c[6..] {
        let quotient = b.div(inverse, t);
        let rest = b.sub(log, quotient);
        let rest = b.div(rest, t);
        slope = b.add(slope, rest);
    }
    slope
}
