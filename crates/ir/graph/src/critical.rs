//! The critical path of a graph.

use super::body::{Body, Id, Inst, Tensor, Unary};
use super::dataflow::{Graph, Op, Part, Value};
use super::steps::{FlagOperation, Function, Operation, Real, RealOperation, Word, WordOperation};
use cranelift_entity::SecondaryMap;

/// Double-precision results that wait for each other in the longest chain from a point's inputs to its outputs. Words, moves and
/// memory are taken to be there at once, and a sum takes what is ready first: it is a lower bound.
pub fn path(graph: &Graph) -> u64 {
    let of = |body: &Body, times: Times<'_>| times.results(body);
    let preamble = &graph.shapes[graph.preamble.shape];
    let scalars = of(preamble, Times::default()).states;
    let mut ready: SecondaryMap<Value, u64> = SecondaryMap::new();
    let mut sums: SecondaryMap<Op, Sums> = SecondaryMap::new();
    let mut longest = 0;
    for at in graph.order() {
        let (step, operation, body) = (graph.step(at), &graph.ops[at.op], graph.body(at));
        let inputs: Vec<u64> = step.inputs.iter().map(|&value| ready[value]).collect();
        let Sums { ran, late } = &mut sums[at.op];
        let none = vec![0; operation.states as usize];
        ran.resize(none.len(), 0);
        late.resize(none.len(), 0);
        if matches!(at.part, Part::Iteration(_)) && !operation.ordered {
            *ran = of(body, Times { states: ran, ..Times::default() }).states;
            let own = of(body, Times { states: &none, inputs: &inputs, scalars: &scalars }).states;
            late.iter_mut().zip(own).for_each(|(late, own)| *late = own.max(*late));
        } else {
            let states: Vec<u64> = ran.iter().zip(&*late).map(|(ran, late)| *ran.max(late)).collect();
            let results = of(body, Times { states: &states, inputs: &inputs, scalars: &scalars });
            step.outputs.iter().zip(&results.values).for_each(|(&value, &time)| ready[value] = time);
            longest = results.values.into_iter().chain(results.stores).fold(longest, u64::max);
            (*ran, *late) = (results.states, none);
        }
    }
    longest
}

/// When the running sums of an operation are there: by the number of iterations, and by the input that is there last.
#[derive(Debug, Clone, Default)]
struct Sums {
    ran: Vec<u64>,
    late: Vec<u64>,
}

/// When the operands of a body are there; what is not told is there from the beginning.
#[derive(Default, Clone, Copy)]
struct Times<'a> {
    states: &'a [u64],
    inputs: &'a [u64],
    scalars: &'a [u64],
}

struct Results {
    states: Vec<u64>,
    values: Vec<u64>,
    stores: Vec<u64>,
}

impl Times<'_> {
    fn results(self, body: &Body) -> Results {
        if let Some(tensor) = body.tensor {
            let last = self.inputs.iter().copied().max().unwrap_or(0);
            let sums = self.states.iter().map(|&sum| match tensor {
                Tensor::Multiply { .. } => sum.max(last) + 1,
                Tensor::Pass => sum,
            });
            let states: Vec<u64> = sums.collect();
            return Results { values: states.clone(), stores: Vec::new(), states };
        }
        let mut times: Vec<u64> = Vec::with_capacity(body.insts.len());
        for inst in &body.insts {
            let operands = inst.operands().into_iter().map(|id| times[id as usize]).max().unwrap_or(0);
            let at = |times: &[u64], k: u32| times.get(k as usize).copied().unwrap_or(0);
            times.push(match *inst {
                Inst::Scalar(k) => at(self.scalars, k),
                Inst::Input(k) => at(self.inputs, k),
                Inst::State(k) => at(self.states, k),
                Inst::Literal(_) | Inst::Constant(_) | Inst::Field { .. } => 0,
                Inst::Unary(Unary::Neg, _) => operands,
                Inst::Unary(function, _) => operands + function.function().map_or(1, chain),
                Inst::Binary(..) | Inst::Fma(..) | Inst::SelectLe { .. } => operands + 1,
            });
        }
        let of = |ids: &[Id]| ids.iter().map(|&id| times[id as usize]).collect();
        Results { states: of(&body.states), values: of(&body.values), stores: of(&body.stores) }
    }
}

/// Returns the length of a function's critical path, from its argument to its value.
fn chain(function: &Function) -> u64 {
    let mut times: Vec<u64> = Vec::with_capacity(function.steps.len());
    for step in &function.steps {
        let real = |real: Real| if let Real::Step(step) = real { times[step] } else { 0 };
        let word = |word: Word| if let Word::Step(step) = word { times[step] } else { 0 };
        times.push(match step.operation {
            Operation::Real(operation) => match operation {
                RealOperation::Add(a, b) | RealOperation::Sub(a, b) => real(a).max(real(b)) + 1,
                RealOperation::Mul(a, b) | RealOperation::Div(a, b) => real(a).max(real(b)) + 1,
                RealOperation::Fma(a, b, c) => real(a).max(real(b)).max(real(c)) + 1,
                RealOperation::Neg(a) => real(a),
                RealOperation::Choose(flag, a, b) => times[flag.0].max(real(a)).max(real(b)),
                RealOperation::Join { high, low } => word(high).max(word(low)),
                RealOperation::FromSigned(a) | RealOperation::OfBits(a) | RealOperation::Power(a) => word(a),
                RealOperation::Entry { index, .. } => word(index),
            },
            Operation::Word(operation) => match operation {
                WordOperation::Choose(flag, a, b) => times[flag.0].max(word(a)).max(word(b)),
                WordOperation::High(a) | WordOperation::Low(a) | WordOperation::Bits(a) => real(a),
                WordOperation::Add(a, b) | WordOperation::Sub(a, b) => word(a).max(word(b)),
                WordOperation::And(a, b) | WordOperation::Or(a, b) => word(a).max(word(b)),
                WordOperation::Not(a) | WordOperation::Left(a, _) => word(a),
                WordOperation::Right(a, _) | WordOperation::RightSigned(a, _) => word(a),
            },
            Operation::Flag(FlagOperation::Below(a, b) | FlagOperation::BelowSigned(a, b)) => word(a).max(word(b)),
            Operation::Flag(FlagOperation::Less(a, b)) => real(a).max(real(b)),
        });
    }
    times.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementary::EXP;

    #[test]
    fn the_longest_chain_of_a_body() {
        let mut body = Body::default();
        let [a, b] = [body.input(0), body.input(1)];
        let product = body.mul(a, b);
        let sum = body.add(product, a);
        let quotient = body.div(b, b);
        body.values = vec![sum, quotient];
        let results = Times { inputs: &[3, 5], ..Times::default() }.results(&body);
        assert_eq!(results.values, [7, 6]);
        let exponential = body.exp(sum);
        body.values = vec![exponential];
        let results = Times { inputs: &[3, 5], ..Times::default() }.results(&body);
        assert_eq!(results.values, [7 + chain(&EXP)]);
        // x log2(e), its nearest integer, two steps to the rest, and a polynomial of degree 11
        assert_eq!(chain(&EXP), 15);
    }
}
