//! Straight-line code of one warp: each step by itself, values in variables, constants where instructions find them at no cost.

mod constants;
mod order;
mod reread;

pub use order::{in_order, with_separate_entries};

use super::layout::{Frame, Residence};
use super::points;
use super::program::assign;
use super::program::{Arithmetic, Array, Constants, Execution, Index, Node, Program, Value, Var};
use super::translate::{Block, Input, Operands};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use graph::{Graph, Op, Step, StepRef, Value as FlowValue};
use kernels::build::scalar::is_of_temperature;
use schedule::Action;
use schedule::proof::Proven;
use std::collections::BTreeSet;

/// The program of a schedule whose storage is registers.
pub fn program(graph: &Graph, proven: &Proven, residence: Residence, symbol: &str, frame: Frame) -> Program {
    let mut emitter = Emitter {
        graph,
        vars: PrimaryMap::new(),
        scalars: Vec::new(),
        values: SecondaryMap::new(),
        states: SecondaryMap::new(),
        body: Vec::new(),
        told: None,
    };
    emitter.preamble();
    for action in &proven.programs()[0] {
        if let Action::Run(at) = action {
            emitter.step(*at);
        }
    }
    let temperatures = emitter.temperatures();
    let Emitter { mut vars, mut body, .. } = emitter;
    super::leave_out(&mut vars, &mut body, &temperatures);
    if frame.staging_bytes.is_some() {
        body = reread::where_far(&mut vars, body);
    }
    let real_bank = constants::place(&mut vars, &mut body, frame.literal_bits);
    let arrays = graph.arrays.iter().map(Array::from).collect();
    let program = Program {
        kernel: graph.kernel.into(),
        symbol: symbol.into(),
        arithmetic: Arithmetic::Double,
        execution: Execution::DataParallel { warps: frame.warps },
        points_per_lane: 1,
        slots: 0,
        first_global: None,
        arrays,
        vars,
        counters: 0,
        constants: Constants { real_bank, shared: residence == Residence::Shared, ..Constants::default() },
        contents: Vec::new(),
        registers: Some(frame.registers),
        staging_bytes: frame.staging_bytes,
        body,
    };
    points::widen(program, frame.points_per_lane)
}

struct Emitter<'a> {
    graph: &'a Graph,
    vars: PrimaryMap<Var, String>,
    scalars: Vec<Var>,
    values: SecondaryMap<FlowValue, Option<Var>>,
    /// The latest, of operations that have begun.
    states: SecondaryMap<Op, Vec<Var>>,
    body: Vec<Node>,
    /// The operation of the last step, which a comment tells.
    told: Option<Op>,
}

impl Emitter<'_> {
    /// The variables that are made of the temperature alone.
    fn temperatures(&self) -> BTreeSet<Var> {
        let scalars = self.scalars.iter().copied().zip(self.graph.scalars.iter().copied());
        let values = self.graph.values.iter().filter_map(|(value, info)| Some((self.values[value]?, &*info.name)));
        scalars.chain(values).filter(|(_, name)| is_of_temperature(name)).map(|(var, _)| var).collect()
    }

    fn preamble(&mut self) {
        let graph = self.graph;
        let scalars = self.block(&graph.preamble, &[], &graph.shapes[graph.preamble.shape].states);
        for (value, name) in scalars.into_iter().zip(&graph.scalars) {
            let var = self.vars.push((*name).into());
            self.body.push(assign(var, Value::Var(value)));
            self.scalars.push(var);
        }
    }

    fn step(&mut self, at: StepRef) {
        if self.told != Some(at.op) {
            self.body.push(Node::Comment(self.graph.ops[at.op].name.clone()));
            self.told = Some(at.op);
        }
        let (graph, step) = (self.graph, self.graph.step(at));
        let body = graph.body(at);
        let rests = body.rests.iter().flatten();
        let results: Vec<_> =
            body.values.iter().chain(&body.stores).chain(&body.states).chain(rests).copied().collect();
        let states = std::mem::take(&mut self.states[at.op]);
        let known = self.vars.len();
        let vars = self.block(step, &states, &results);
        let (made, rest) = vars.split_at(body.values.len());
        let (stored, rest) = rest.split_at(body.stores.len());
        let (next, rests) = rest.split_at(body.states.len());
        let mut rests = rests.iter().copied();
        let mut name = |var: Var, name: &str| {
            if var.index() >= known {
                name.clone_into(&mut self.vars[var]);
            }
        };
        next.iter().for_each(|&state| name(state, &graph.ops[at.op].name));
        for (&value, &var) in step.outputs.iter().zip(made) {
            name(var, &graph.values[value].name);
            self.values[value] = Some(var);
        }
        for (k, (&(array, row), &value)) in step.stores.iter().zip(stored).enumerate() {
            let rest = body.rest(k).and_then(|_| rests.next());
            self.body.push(Node::StoreField { array: array as usize, row: Index::Literal(row), point: 0, value, rest });
        }
        self.states[at.op] = next.to_vec();
    }

    /// Evaluates the results of a body.
    fn block(&mut self, step: &Step, states: &[Var], results: &[u32]) -> Vec<Var> {
        let body = &self.graph.shapes[step.shape];
        let constants: Vec<Value> = step.constants.iter().copied().map(Value::Literal).collect();
        let inputs: Vec<Input> = step
            .inputs
            .iter()
            .map(|&v| Input::Var(self.values[v].expect("a proven schedule makes what it reads")))
            .collect();
        let rows: Vec<Index> = step.rows.iter().map(|&row| Index::Literal(row)).collect();
        let operands = Operands {
            constants: &constants,
            inputs: &inputs,
            rows: &rows,
            outputs: &[],
            stores: &[],
            scalars: &self.scalars,
            states,
        };
        let mut block = Block::new(&mut self.vars, false);
        let mut known = vec![None; body.insts.len()];
        let found = results.iter().map(|&id| block.evaluate(body, id, &operands, &mut known)).collect();
        self.body.extend(block.finish());
        found
    }
}
