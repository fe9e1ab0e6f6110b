//! The graph with its sums split.

use std::collections::BTreeMap;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::ReservedValue;

use super::inlined::{self, Cluster};
use super::terms;
use crate::Mapping;
use graph::{Body, Graph, Inst, Op, Operation, Part, Role, Shape, Step, StepRef, Value};
use kernels::build;

/// Gives every warp that makes terms of a sum of another warp a part of it.
pub fn split(graph: &Graph, mapping: &Mapping, warp_of: &BTreeMap<Op, u32>) -> (Graph, Mapping) {
    let old_warp = |op: Op| warp_of.get(&op).copied().unwrap_or(mapping.warp_of[op]);
    // Iterations whose terms a warp makes, by sum and warp.
    let mut remote: BTreeMap<Op, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    for (at, maker) in terms::find(graph) {
        let (warp, Part::Iteration(i)) = (old_warp(maker.op), at.part) else { continue };
        if warp != old_warp(at.op) {
            remote.entry(at.op).or_default().entry(warp).or_default().push(i);
        }
    }
    let mut made = NewGraph::new(graph);
    let mut pending: Vec<(Op, Parts)> = Vec::new();
    for (op, operation) in &graph.ops {
        let mut operation = operation.clone();
        let mut parts = Vec::new();
        let mut gone = Vec::new();
        for (&warp, iterations) in remote.get(&op).into_iter().flatten() {
            parts.push(made.part(graph, op, warp, iterations));
            gone.extend(iterations.iter().copied());
        }
        let mut number = 0;
        operation.iterations.retain(|_| {
            number += 1;
            !gone.contains(&(number - 1))
        });
        let copy = made.copy(graph, op, operation, old_warp(op));
        pending.extend(parts.into_iter().map(|part| (copy, part)));
    }
    made.connect();
    for (sum, parts) in pending {
        let added = added(&mut made.graph, sum, &parts);
        made.graph.ops[sum].iterations.push(added);
    }
    (made.graph, Mapping { warps: mapping.warps, warp_of: made.warp_of })
}

/// Parts of a sum's states: the number of the state, and the value.
type Parts = Vec<(u32, Value)>;

/// A graph under construction.
pub(super) struct NewGraph {
    pub(super) graph: Graph,
    warp_of: SecondaryMap<Op, u32>,
    /// Values and shapes of the old graph in the new one.
    values: SecondaryMap<Value, Option<Value>>,
    shapes: SecondaryMap<Shape, Option<Shape>>,
}

impl NewGraph {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut empty = graph.without_operations();
        empty.qssa_warps = graph.qssa_warps.clone();
        if let Some(group) = &mut empty.qssa_warps {
            group.roles.clear();
        }
        Self { graph: empty, warp_of: SecondaryMap::new(), values: SecondaryMap::new(), shapes: SecondaryMap::new() }
    }

    /// A shape of the old graph, which is compared with those of the new one when it is first met.
    fn shape(&mut self, graph: &Graph, old: Shape) -> Shape {
        *self.shapes[old].get_or_insert_with(|| self.graph.shape(graph.shapes[old].clone()))
    }

    fn rename(&mut self, old: Vec<Value>, new: Vec<Value>) {
        old.into_iter().zip(new).for_each(|(old, new)| self.values[old] = Some(new));
    }

    /// An operation of the old graph, whose steps still read values of the old one.
    pub(super) fn copy(&mut self, graph: &Graph, op: Op, mut operation: Operation, warp: u32) -> Op {
        let name = |v: Value| graph.values[v].name.clone();
        let mut old: BTreeMap<Part, Vec<Value>> = BTreeMap::new();
        for part in operation.parts().collect::<Vec<_>>() {
            let step = operation.step_mut(part);
            step.shape = self.shape(graph, step.shape);
            old.insert(part, std::mem::take(&mut step.outputs));
        }
        let copy = self.graph.add(operation, |part, n| name(old[&part][n]));
        for (part, old) in old {
            let new = self.graph.ops[copy].step(part).outputs.clone();
            self.rename(old, new);
        }
        self.take_place(copy, warp, graph.qssa_warps.as_ref().map(|group| group.roles[op]));
        copy
    }

    /// Operations of the old graph as one, whose step still reads values of the old one.
    pub(super) fn fused(&mut self, graph: &Graph, cluster: &Cluster) {
        let (body, mut step, old, name) = inlined::fused(graph, cluster);
        step.shape = self.graph.shape(body);
        let op = self.graph.add(build::single(name, step), |_, n| graph.values[old[n]].name.clone());
        let new = self.graph.ops[op].epilogue.outputs.clone();
        self.rename(old, new);
        self.take_place(op, 0, graph.qssa_warps.as_ref().map(|_| Role::Other));
    }

    /// A part of a sum, whose steps still read values of the old graph.
    fn part(&mut self, graph: &Graph, sum: Op, warp: u32, iterations: &[u32]) -> Parts {
        let whole = &graph.ops[sum];
        let step = |&i: &u32| StepRef { op: sum, part: Part::Iteration(i) };
        let mut touched: Vec<u32> = iterations.iter().flat_map(|i| touched(graph.body(step(i)))).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut shaped = |step: &Step| {
            let shape = self.shape(graph, step.shape);
            Step { shape, ..step.clone() }
        };
        let prologue = whole.prologue.as_ref().map(&mut shaped);
        let iterations = iterations.iter().map(|i| shaped(graph.step(step(i)))).collect();
        let mut passed = Body::default();
        passed.values = touched.iter().map(|&k| passed.state(k)).collect();
        let epilogue = Step { shape: self.graph.shape(passed), ..Step::default() };
        let name = format!("{} of warp {warp}", whole.name);
        let (states, ordered) = (whole.states, false);
        let operation = Operation { name: name.clone(), states, prologue, iterations, ordered, epilogue };
        let op = self.graph.add(operation, |_, n| format!("{name} {n}"));
        let feeds = graph.qssa_warps.as_ref().map(|group| match group.roles[sum] {
            Role::Other => Role::Other,
            Role::Feeder | Role::Member => Role::Feeder,
        });
        self.take_place(op, warp, feeds);
        touched.into_iter().zip(self.graph.ops[op].epilogue.outputs.iter().copied()).collect()
    }

    fn take_place(&mut self, op: Op, warp: u32, role: Option<Role>) {
        self.warp_of[op] = warp;
        if let (Some(group), Some(role)) = (&mut self.graph.qssa_warps, role) {
            group.roles[op] = role;
        }
    }

    /// Lets all steps read what the new graph has in the place of what they read.
    pub(super) fn connect(&mut self) {
        for operation in self.graph.ops.values_mut() {
            for part in operation.parts().collect::<Vec<_>>() {
                for v in operation.step_mut(part).inputs.iter_mut().filter(|v| !v.is_reserved_value()) {
                    *v = self.values[*v].expect("operations were copied with what they read");
                }
            }
        }
    }
}

/// The states that a body changes.
fn touched(body: &Body) -> impl Iterator<Item = u32> + '_ {
    let is_kept = |k: u32, id: u32| matches!(body.insts[id as usize], Inst::State(old) if old == k);
    (0..).zip(&body.states).filter(move |&(k, &id)| !is_kept(k, id)).map(|(k, _)| k)
}

/// A step that adds parts to the states of a sum.
fn added(graph: &mut Graph, sum: Op, parts: &Parts) -> Step {
    let mut body = Body::default();
    body.states = (0..graph.ops[sum].states).map(|k| body.state(k)).collect();
    for (n, &(k, _)) in (0..).zip(parts) {
        let part = body.input(n);
        body.states[k as usize] = body.add(body.states[k as usize], part);
    }
    build::step(graph.shape(body), vec![], parts.iter().map(|&(_, value)| value).collect(), vec![])
}
