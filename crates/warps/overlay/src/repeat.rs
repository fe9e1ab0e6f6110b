//! Batches of equal steps as loops.
//!
//! A batch gives each warp a list of steps of one shape. Steps without running states become iterations of one loop;
//! steps of operations with states are aligned by the register set of their operation. Rounds of several operations
//! that read the same values share one loop, so that a value is read once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

use super::align::{self, Batch};
use super::layout::Residence;
use super::legend;
use super::phases::Phase;
use super::program::assign;
use super::registers::{self, Registers};
use super::tables::Tables;
use super::translate::{Block, Input, Operands, Output};
use crate::program::{BarrierKind, Constants, Counter, Index, Node, Value, Var};
use graph::{Graph, Shape, Step, StepRef, Value as FlowValue};
use kernels::build::scalar::is_of_temperature;
use schedule::{Schedule, WarpMask};

/// Rounds of at most this many operations share a loop: each holds its states and its constants through it.
const WIDEST_JAM: usize = 8;
/// Loops are unrolled to about this many operations, where registers are not short: half of what a path of an indirect branch
/// may have, so that two loops lie on one.
const UNROLLED: usize = 96;
/// Iterations of a body, at most: that many independent chains hide the latency of most double-precision instructions.
const MOST_UNROLLED: usize = 4;
/// Loads from global memory that a loop has under way at once, at most.
const MOST_LOADS: usize = 12;

/// Nodes of straight code from one meeting of the warps of several groups to the next. Between 150 and 800 the modelled time is the same.
const APART: usize = 400;

pub struct Emitter<'a> {
    pub(super) graph: &'a Graph,
    pub(super) slot_of: &'a SecondaryMap<FlowValue, Option<u32>>,
    vars: PrimaryMap<Var, String>,
    counters: u32,
    pub(super) tables: Tables,
    scalars: Vec<Var>,
    registers: Registers,
    /// By register.
    states: Vec<Var>,
    /// Values of the current piece of straight code that pass in variables.
    passing: BTreeMap<FlowValue, Var>,
    /// The first of the barriers at which the warps of several groups that run the same code meet, one for each warp of a group.
    meets: Option<u32>,
}

/// One member of a loop body: the steps that each warp runs in turn, with the registers of its states.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) steps: Vec<(u32, Vec<StepRef>)>,
    pub(super) states: Vec<Var>,
}

impl<'a> Emitter<'a> {
    pub fn new(graph: &'a Graph, schedule: &'a Schedule, phases: &[Phase], residence: Residence, reload: bool) -> Self {
        let registers = registers::allocate(graph, schedule.warps, phases);
        let mut vars = PrimaryMap::new();
        let states = (0..registers.count).map(|n| vars.push(format!("r{n}"))).collect();
        Self {
            graph,
            slot_of: &schedule.slot_of,
            vars,
            counters: 0,
            tables: Tables::new(schedule.warps, residence, reload),
            scalars: Vec::new(),
            registers,
            states,
            passing: BTreeMap::new(),
            meets: None,
        }
    }

    /// Lets the warps of several groups that run the same straight code meet now and then. So they fetch it together; and compilers, which keep
    /// what they have loaded from shared memory no longer than up to a barrier, load again what they would spill.
    pub fn meet(&mut self, first: u32) {
        self.meets = Some(first);
    }

    pub fn finish(self) -> (PrimaryMap<Var, String>, u32, Constants) {
        (self.vars, self.counters, self.tables.finish())
    }

    /// Doubles that hold running states.
    pub fn state_registers(&self) -> u32 {
        self.registers.count
    }

    /// The scalars that are made of the temperature alone.
    pub fn temperatures(&self) -> BTreeSet<Var> {
        let named = self.scalars.iter().copied().zip(&self.graph.scalars);
        named.filter(|(_, name)| is_of_temperature(name)).map(|(var, _)| var).collect()
    }

    /// The scalars of the point, which every warp computes.
    pub fn preamble(&mut self) -> Vec<Node> {
        let graph = self.graph;
        let body = &graph.shapes[graph.preamble.shape];
        let rows: Vec<Index> = graph.preamble.rows.iter().map(|&r| Index::Literal(r)).collect();
        let operands =
            Operands { constants: &[], inputs: &[], rows: &rows, outputs: &[], stores: &[], scalars: &[], states: &[] };
        let mut block = Block::new(&mut self.vars, false);
        let mut known = vec![None; body.insts.len()];
        let values: Vec<Var> = body.states.iter().map(|&id| block.evaluate(body, id, &operands, &mut known)).collect();
        let mut nodes = block.finish();
        for (value, name) in values.into_iter().zip(&graph.scalars) {
            let var = self.vars.push((*name).into());
            nodes.push(assign(var, Value::Var(value)));
            self.scalars.push(var);
        }
        nodes
    }

    /// The code of one phase, of this number, for the given warps. `apart`: of which batches each warp has its own code.
    pub fn phase(&mut self, number: u32, phase: &Phase, warps: WarpMask, apart: &[bool]) -> Vec<Node> {
        let sequences: Vec<&[StepRef]> =
            phase.runs.iter().enumerate().map(|(w, run)| if warps >> w & 1 == 1 { &run[..] } else { &[] }).collect();
        let mut code = Vec::new();
        self.tables.next_phase();
        let batches = align::align(self.graph, &sequences);
        let is_apart = |at: &usize| apart.get(*at).copied().unwrap_or(false);
        let places: Vec<usize> = (0..batches.len()).collect();
        for run in places.chunk_by(|a, b| is_apart(a) && is_apart(b)) {
            let batches = &batches[run[0]..=run[run.len() - 1]];
            match is_apart(&run[0]) {
                true => code.push(self.arms(batches)),
                false => code.extend(self.batch(&batches[0], warps)),
            }
        }
        self.entered(number, warps, code)
    }

    /// The code of one phase where each warp has its own.
    pub fn straight_phase(&mut self, number: u32, phase: &Phase, warps: WarpMask) -> Vec<Node> {
        self.tables.next_phase();
        let runs = (0u32..).zip(&phase.runs).filter(|(w, run)| warps >> w & 1 == 1 && !run.is_empty());
        let arms: Vec<_> = runs.map(|(w, run)| (1 << w, self.straight(w, run.iter().copied()))).collect();
        let code = if arms.is_empty() { Vec::new() } else { vec![Node::Switch { arms }] };
        self.entered(number, warps, code)
    }

    /// The code of a phase behind what sets registers that not all warps write first.
    fn entered(&mut self, number: u32, warps: WarpMask, mut code: Vec<Node>) -> Vec<Node> {
        let mut nodes = self.enter(number, warps, &code);
        for node in &nodes {
            if let Node::Let { var, .. } = node {
                empty_once(&mut code, *var, &self.states);
            }
        }
        nodes.append(&mut code);
        nodes
    }

    /// Sets the registers that are first written where not all warps pass. Compilers cannot know that none reads what it finds
    /// there, and would keep that: around the streaming loop, or since the last use.
    fn enter(&self, phase: u32, warps: WarpMask, code: &[Node]) -> Vec<Node> {
        let entered = self.registers.entered(phase, warps).into_iter().map(|r| self.states[r as usize]);
        entered.filter(|&state| !is_set(code, state)).map(|state| assign(state, Value::Literal(-0.0))).collect()
    }

    fn batch(&mut self, batch: &Batch, warps: WarpMask) -> Vec<Node> {
        let mut nodes = Vec::new();
        for members in self.loops(batch) {
            nodes.extend(self.repeat(batch.shape, &members, warps));
        }
        nodes
    }

    /// The steps of each warp one after the other, in code of its own.
    fn arms(&mut self, batches: &[Batch]) -> Node {
        let warps = 0..batches[0].steps.len();
        let own = |w: usize| batches.iter().flat_map(move |batch| batch.steps[w].iter().copied());
        let arms = warps.filter(|&w| own(w).next().is_some()).map(|w| (1 << w, self.straight(w as u32, own(w))));
        Node::Switch { arms: arms.collect() }
    }

    fn straight(&mut self, warp: u32, steps: impl Iterator<Item = StepRef>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut told = None;
        self.passing.clear();
        let mut since = APART / 2;
        for at in steps {
            if let Some(first) = self.meets
                && since >= APART
            {
                nodes.push(Node::Barrier { id: first + warp, threads: 32, kind: BarrierKind::Sync });
                since = 0;
            }
            let registers = if self.graph.ops[at.op].states > 0 { self.registers.for_op(at.op) } else { &[] };
            let states = registers.iter().map(|&r| self.states[r as usize]).collect();
            let member = [Member { steps: vec![(warp, vec![at])], states }];
            if told.replace(at.op) != Some(at.op) {
                nodes.push(Node::Comment(legend::describe(self.graph, &member)));
            }
            let code = self.one_loop(self.graph.step(at).shape, &member);
            since += code.len();
            nodes.extend(code);
        }
        self.tables.place(&mut nodes);
        nodes
    }

    /// Cuts a batch into loops; the members of one loop run side by side.
    fn loops(&mut self, batch: &Batch) -> Vec<Vec<Member>> {
        let stateless = batch.steps.iter().flatten().all(|at| self.graph.ops[at.op].states == 0);
        if stateless {
            let steps = batch.steps.iter().enumerate().filter(|(_, steps)| !steps.is_empty());
            let steps = steps.map(|(w, steps)| (w as u32, steps.clone())).collect();
            return vec![vec![Member { steps, states: Vec::new() }]];
        }
        let mut sets: BTreeMap<&[u32], Vec<(u32, Vec<StepRef>)>> = BTreeMap::new();
        for (w, steps) in batch.steps.iter().enumerate() {
            for run in steps.chunk_by(|a, b| a.op == b.op) {
                let by_warp = sets.entry(self.registers.for_op(run[0].op)).or_default();
                match by_warp.last_mut() {
                    Some((last, steps)) if *last == w as u32 => steps.extend_from_slice(run),
                    _ => by_warp.push((w as u32, run.to_vec())),
                }
            }
        }
        let members: Vec<Member> = sets
            .into_iter()
            .map(|(registers, steps)| Member {
                steps,
                states: registers.iter().map(|&r| self.states[r as usize]).collect(),
            })
            .collect();
        let together = self.jammed(members.clone());
        let apart = self.by_warps(&members);
        if self.reads(&apart) < self.reads(&together) { apart } else { together }
    }

    /// Neighbours that read the same in one loop.
    fn jammed(&self, members: Vec<Member>) -> Vec<Vec<Member>> {
        let mut loops: Vec<Vec<Member>> = Vec::new();
        for member in members {
            match loops.last_mut() {
                Some(members) if members.len() < WIDEST_JAM && self.reads_the_same(&members[0], &member) => {
                    members.push(member);
                }
                _ => loops.push(vec![member]),
            }
        }
        loops
    }

    /// Other loops for warps with other members, so that what a warp reads serves all that it has.
    fn by_warps(&self, members: &[Member]) -> Vec<Vec<Member>> {
        let takes_part = |warp: u32| -> Vec<bool> {
            members.iter().map(|member| member.steps.iter().any(|(w, _)| *w == warp)).collect()
        };
        let mut parts: Vec<(Vec<bool>, WarpMask)> = Vec::new();
        for warp in 0..WarpMask::BITS {
            let takes = takes_part(warp);
            match parts.iter_mut().find(|(other, _)| *other == takes) {
                _ if !takes.contains(&true) => {}
                Some((_, warps)) => *warps |= 1 << warp,
                None => parts.push((takes, 1 << warp)),
            }
        }
        let of = |(takes, warps): &(Vec<bool>, WarpMask)| -> Vec<Member> {
            let own = |member: &Member| Member {
                steps: member.steps.iter().filter(|(w, _)| warps >> w & 1 == 1).cloned().collect(),
                states: member.states.clone(),
            };
            members.iter().zip(takes).filter(|(_, takes)| **takes).map(|(member, _)| own(member)).collect()
        };
        parts.iter().flat_map(|part| self.jammed(of(part))).collect()
    }

    /// Reads of slots, by all warps.
    fn reads(&self, loops: &[Vec<Member>]) -> usize {
        let steps = loops.iter().flat_map(|members| &members[0].steps).flat_map(|(_, steps)| steps);
        steps.map(|&at| self.graph.step(at).inputs.len()).sum()
    }

    /// Whether two members take part in the same warps, as often, with the same inputs and rows and without outputs.
    fn reads_the_same(&self, a: &Member, b: &Member) -> bool {
        a.steps.len() == b.steps.len()
            && a.steps.iter().zip(&b.steps).all(|((wa, sa), (wb, sb))| {
                wa == wb
                    && sa.len() == sb.len()
                    && sa.iter().zip(sb).all(|(&x, &y)| {
                        let (x, y) = (self.graph.step(x), self.graph.step(y));
                        x.inputs == y.inputs && x.rows == y.rows && x.outputs.is_empty() && x.stores.is_empty()
                    })
            })
    }

    /// A loop over the steps of its members, cut where the striped tables end.
    fn repeat(&mut self, shape: Shape, members: &[Member], warps: WarpMask) -> Vec<Node> {
        let members = &self.in_batches(shape, members)[..];
        let most = members[0].steps.iter().map(|(_, steps)| steps.len()).max().unwrap_or(0);
        let first = self.graph.step(members[0].steps[0].1[0]);
        let longest = self.tables.longest_loop(
            most,
            members.len() * first.constants.len(),
            first.inputs.len() + first.rows.len(),
            members.len() * (first.outputs.len() + first.stores.len()),
        );
        let mut nodes = Vec::new();
        let mut start = 0;
        while start < most {
            let end = most.min(start.saturating_add(longest));
            let cut = |steps: &Vec<StepRef>| steps[start.min(steps.len())..end.min(steps.len())].to_vec();
            let part: Vec<Member> = members
                .iter()
                .map(|m| Member {
                    steps: m.steps.iter().map(|(w, s)| (*w, cut(s))).filter(|(_, s)| !s.is_empty()).collect(),
                    states: m.states.clone(),
                })
                .collect();
            let mask = part[0].steps.iter().fold(0, |mask, (w, _)| mask | 1 << w);
            let mut body = vec![Node::Comment(legend::describe(self.graph, &part))];
            body.extend(match self.graph.shapes[shape].tensor {
                None => self.one_loop(shape, &part),
                Some(tensor) => self.tensor_steps(tensor, &part),
            });
            if mask == warps {
                nodes.extend(body);
            } else {
                nodes.push(Node::If { warps: mask, body });
            }
            start = end;
        }
        nodes
    }

    /// Returns the number of iterations of a loop that load together: the memory takes as long for one of them as for all. `None` where loads
    /// do not make the loop, or where an iteration must not be repeated.
    fn together(&self, shape: Shape, members: &[Member]) -> Option<usize> {
        let [member] = members else { return None };
        let (body, first) = (&self.graph.shapes[shape], self.graph.step(member.steps[0].1[0]));
        let repeats = body.tensor.is_none() && body.states.is_empty() && body.stores.is_empty();
        let most = member.steps.iter().map(|(_, steps)| steps.len()).max().unwrap_or(0);
        let batch = most.div_ceil(most.div_ceil(MOST_LOADS).max(1));
        let is_short = batch * body.insts.len() <= UNROLLED && !self.tables.reload;
        (repeats && is_short && !first.rows.is_empty() && batch > MOST_UNROLLED).then_some(batch)
    }

    /// Members whose iterations are whole batches: the last one is repeated, which loads and writes the same once more.
    fn in_batches(&self, shape: Shape, members: &[Member]) -> Vec<Member> {
        let mut members = members.to_vec();
        if let Some(count) = self.together(shape, &members) {
            for (_, steps) in &mut members[0].steps {
                let last = *steps.last().expect("a warp that takes part has a step");
                steps.resize(steps.len().next_multiple_of(count), last);
            }
        }
        members
    }

    /// One loop, or straight code for a single iteration.
    fn one_loop(&mut self, shape: Shape, members: &[Member]) -> Vec<Node> {
        let trips: Vec<(u32, Vec<i32>)> =
            members[0].steps.iter().map(|(w, steps)| (*w, vec![steps.len() as i32])).collect();
        let most = members[0].steps.iter().map(|(_, steps)| steps.len()).max().unwrap_or(0);
        let counter = (most > 1).then(|| {
            self.counters += 1;
            Counter::new(self.counters as usize - 1)
        });
        self.tables.next_loop();
        let graph = self.graph;
        let body = &graph.shapes[shape];
        let operands: Vec<_> = members.iter().map(|m| self.operands(m, counter)).collect();
        let mut block = Block::new(&mut self.vars, self.tables.reload);
        for (member, o) in members.iter().zip(&operands) {
            block.body(
                body,
                &Operands {
                    constants: &o.constants,
                    inputs: &o.inputs,
                    rows: &o.rows,
                    outputs: &o.outputs,
                    stores: &o.stores,
                    scalars: &self.scalars,
                    states: &member.states,
                },
            );
        }
        let nodes = block.finish();
        match counter {
            None => nodes,
            Some(counter) => {
                let most = if self.tables.reload { 1 } else { MOST_UNROLLED };
                let unroll = (UNROLLED / nodes.len().max(1)).clamp(1, most);
                let unroll = self.together(shape, members).unwrap_or(unroll) as u32;
                let trips = self.index(&trips, None);
                vec![Node::Loop { counter, trips, unroll, body: nodes }]
            }
        }
    }

    fn operands(&mut self, member: &Member, counter: Option<Counter>) -> Resolved {
        let graph = self.graph;
        let first = graph.step(member.steps[0].1[0]);
        let slot_of = self.slot_of;
        for &v in first.outputs.iter().filter(|&&v| slot_of[v].is_none()) {
            self.passing.insert(v, self.vars.push("q".into()));
        }
        let passing = self.passing.clone();
        let passes = |v: &FlowValue| passing.get(v).copied().filter(|_| slot_of[*v].is_none());
        let slot = |v: FlowValue| slot_of[v].expect("a proven schedule has a slot for every value") as i32;
        let columns = |pick: &dyn Fn(&Step) -> i32| -> Vec<(u32, Vec<i32>)> {
            let column = |steps: &Vec<StepRef>| steps.iter().map(|&at| pick(graph.step(at))).collect();
            member.steps.iter().map(|(w, steps)| (*w, column(steps))).collect()
        };
        let inputs: Vec<Input> = (0..first.inputs.len())
            .map(|k| match passes(&first.inputs[k]) {
                Some(var) => Input::Var(var),
                None => Input::Slot(self.index(&columns(&|s| slot(s.inputs[k])), counter)),
            })
            .collect();
        let rows: Vec<_> = (0..first.rows.len()).map(|k| columns(&|s| s.rows[k] as i32)).collect();
        let outputs: Vec<Output> = (0..first.outputs.len())
            .map(|k| match passes(&first.outputs[k]) {
                Some(var) => Output::Var(var),
                None => Output::Slot(self.index(&columns(&|s| slot(s.outputs[k])), counter)),
            })
            .collect();
        let stores: Vec<_> = (0..first.stores.len()).map(|k| columns(&|s| s.stores[k].1 as i32)).collect();
        Resolved {
            constants: (0..first.constants.len()).map(|k| self.constant(member, k, counter)).collect(),
            inputs,
            rows: rows.iter().map(|c| self.index(c, counter)).collect(),
            outputs,
            stores: stores.iter().zip(&first.stores).map(|(c, s)| (s.0 as usize, self.index(c, counter))).collect(),
        }
    }

    /// A constant that is the same everywhere becomes a literal.
    fn constant(&mut self, member: &Member, k: usize, counter: Option<Counter>) -> Value {
        let graph = self.graph;
        let column = |steps: &Vec<StepRef>| steps.iter().map(|&at| graph.step(at).constants[k]).collect();
        let columns: Vec<(u32, Vec<f64>)> = member.steps.iter().map(|(w, steps)| (*w, column(steps))).collect();
        let one = columns[0].1[0];
        if columns.iter().flat_map(|(_, c)| c).all(|c| c.to_bits() == one.to_bits()) {
            return Value::Literal(one);
        }
        Value::Constant(self.tables.real(&columns, counter))
    }

    /// An index: literal or affine in the counter where the entries allow it, else from the tables.
    fn index(&mut self, columns: &[(u32, Vec<i32>)], counter: Option<Counter>) -> Index {
        let stride = columns.iter().find(|(_, c)| c.len() > 1).map_or(0, |(_, c)| c[1] - c[0]);
        let affine = columns.iter().all(|(_, c)| c.windows(2).all(|pair| pair[1] - pair[0] == stride));
        if !affine || stride < 0 {
            return self.tables.index(columns, counter);
        }
        let bases: Vec<(u32, Vec<i32>)> = columns.iter().map(|(w, c)| (*w, vec![c[0]])).collect();
        let base = if bases.iter().all(|(_, b)| b[0] == bases[0].1[0]) {
            Index::Literal(bases[0].1[0] as u32)
        } else {
            self.tables.index(&bases, None)
        };
        match counter {
            Some(counter) if stride > 0 => {
                let moving = match stride {
                    1 => Index::Counter(counter),
                    stride => Index::Scaled(Box::new(Index::Counter(counter)), stride as u32),
                };
                if base == Index::Literal(0) { moving } else { Index::Sum(Box::new(base), Box::new(moving)) }
            }
            _ => base,
        }
    }
}

/// Leaves out that warps set a variable to -0.0, an empty sum, where it is that already, at their first write.
fn empty_once(code: &mut Vec<Node>, var: Var, states: &[Var]) {
    let mut written: WarpMask = 0;
    for node in code.iter_mut().filter(|node| writes(std::slice::from_ref(node), var)) {
        let Node::If { warps, body } = node else { break };
        let first = body.iter().position(|node| writes(std::slice::from_ref(node), var));
        if let Some(first) = first
            && *warps & written == 0
            && is_empty(body, &body[first])
        {
            body.remove(first);
        }
        written |= *warps;
    }
    let does_nothing = |node: &Node| match node {
        Node::Comment(_) => true,
        Node::Let { var, value: Value::Literal(_) } => !states.contains(var),
        _ => false,
    };
    code.retain(|node| !matches!(node, Node::If { body, .. } if body.iter().all(does_nothing)));
}

/// Whether the node assigns -0.0, or a variable that this block sets to it.
fn is_empty(block: &[Node], node: &Node) -> bool {
    let empty = |value: &Value| matches!(value, Value::Literal(x) if x.to_bits() == (-0.0f64).to_bits());
    let sets = |node: &Node, var: Var| matches!(node, Node::Let { var: set, value } if *set == var && empty(value));
    match node {
        Node::Let { value: Value::Var(from), .. } => block.iter().any(|node| sets(node, *from)),
        Node::Let { value, .. } => empty(value),
        _ => false,
    }
}

fn writes(nodes: &[Node], var: Var) -> bool {
    nodes.iter().any(|node| match node {
        Node::Let { var: written, .. } => *written == var,
        Node::If { body, .. } | Node::Loop { body, .. } => writes(body, var),
        Node::Switch { arms } => arms.iter().any(|(_, body)| writes(body, var)),
        _ => false,
    })
}

/// Whether all that run this code write the variable before any branch or loop does.
fn is_set(code: &[Node], var: Var) -> bool {
    let first = code.iter().find(|node| writes(std::slice::from_ref(node), var));
    matches!(first, Some(Node::Let { .. }))
}

struct Resolved {
    constants: Vec<Value>,
    inputs: Vec<Input>,
    rows: Vec<Index>,
    outputs: Vec<Output>,
    stores: Vec<(usize, Index)>,
}
