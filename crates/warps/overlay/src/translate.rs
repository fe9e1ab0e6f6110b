//! One step's body as program nodes, with local value numbering.

use cranelift_entity::PrimaryMap;

use crate::program::{Index, Node, Unary, Value, Var};
use graph::body::{Body, Id, Inst};

use super::program::assign;

/// Meaning of a body's operands in the program.
pub struct Operands<'a> {
    pub constants: &'a [Value],
    pub inputs: &'a [Input],
    pub rows: &'a [Index],
    pub outputs: &'a [Output],
    pub stores: &'a [(usize, Index)],
    pub scalars: &'a [Var],
    pub states: &'a [Var],
}

/// Where a step finds an input.
pub enum Input {
    Slot(Index),
    Var(Var),
}

/// Where a step leaves a value.
pub enum Output {
    Slot(Index),
    Var(Var),
}

impl Output {
    fn takes(&self, value: Var) -> Node {
        match self {
            Self::Slot(row) => Node::StoreSlot { row: row.clone(), value },
            Self::Var(var) => assign(*var, Value::Var(value)),
        }
    }
}

/// Nodes under construction; equal pure values are computed once.
pub struct Block<'a> {
    vars: &'a mut PrimaryMap<Var, String>,
    /// Registers are short: results leave their registers as soon as they are known.
    hurried: bool,
    known: Vec<(Value, Var)>,
    nodes: Vec<Node>,
    /// Assignments to states, which wait until every body of the block has read the old ones.
    pending: Vec<Node>,
}

impl<'a> Block<'a> {
    pub fn new(vars: &'a mut PrimaryMap<Var, String>, hurried: bool) -> Self {
        Self { vars, hurried, known: Vec::new(), nodes: Vec::new(), pending: Vec::new() }
    }

    pub fn finish(mut self) -> Vec<Node> {
        self.nodes.append(&mut self.pending);
        self.nodes
    }

    /// Appends a body: its values, then the stores, then (at the end of the block) the new states. In a hurry, each
    /// instruction in its place, and behind it the results that it completes.
    pub fn body(&mut self, body: &Body, operands: &Operands<'_>) {
        if self.hurried {
            return self.hurry(body, operands);
        }
        let mut vars: Vec<Option<Var>> = vec![None; body.insts.len()];
        for (output, &id) in operands.outputs.iter().zip(&body.values) {
            let value = self.evaluate(body, id, operands, &mut vars);
            self.nodes.push(output.takes(value));
        }
        for (k, ((array, row), &id)) in operands.stores.iter().zip(&body.stores).enumerate() {
            let value = self.evaluate(body, id, operands, &mut vars);
            let rest = body.rest(k).map(|id| self.evaluate(body, id, operands, &mut vars));
            self.nodes.push(Node::StoreField { array: *array, row: row.clone(), point: 0, value, rest });
        }
        for (k, &id) in body.states.iter().enumerate() {
            let value = self.evaluate(body, id, operands, &mut vars);
            self.assign_last(operands, k, value);
        }
    }

    fn hurry(&mut self, body: &Body, operands: &Operands<'_>) {
        let turns = Turns::new(body);
        let mut vars: Vec<Option<Var>> = vec![None; body.insts.len()];
        for (i, &inst) in body.insts.iter().enumerate() {
            if !turns.needed[i] {
                continue;
            }
            let var = self.inst(inst, operands, &vars);
            vars[i] = Some(var);
            let is_this = |(_, id): &(usize, &Id)| **id as usize == i;
            for (k, _) in body.values.iter().enumerate().filter(is_this) {
                self.nodes.push(operands.outputs[k].takes(var));
            }
            // The rest that is added to a number may come before or behind it.
            for (k, &value) in body.stores.iter().enumerate() {
                let is_last = value.max(body.rest(k).unwrap_or(value)) as usize == i;
                let known = |id: Id| vars[id as usize].expect("the last one of both is known here");
                if is_last {
                    let (array, row) = operands.stores[k].clone();
                    let (value, rest) = (known(value), body.rest(k).map(known));
                    self.nodes.push(Node::StoreField { array, row, point: 0, value, rest });
                }
            }
            for k in turns.assigned_behind(i) {
                let value = vars[body.states[k] as usize].expect("the turn comes when it is known");
                self.nodes.push(assign(operands.states[k], Value::Var(value)));
            }
        }
        for k in turns.assigned_last() {
            let value = vars[body.states[k] as usize].expect("all that is needed was evaluated");
            self.assign_last(operands, k, value);
        }
    }

    /// A state whose old value may still be read in this block.
    fn assign_last(&mut self, operands: &Operands<'_>, k: usize, mut value: Var) {
        let state = operands.states[k];
        if value == state {
            return;
        }
        if operands.states.contains(&value) {
            // An old state moves to another: copy it before it is overwritten.
            let copy = self.vars.push("moved".into());
            self.nodes.push(assign(copy, Value::Var(value)));
            value = copy;
        }
        self.pending.push(assign(state, Value::Var(value)));
    }

    /// Appends what one instruction of a body needs; `vars` holds the instructions that already have a variable.
    pub fn evaluate(&mut self, body: &Body, id: Id, operands: &Operands<'_>, vars: &mut [Option<Var>]) -> Var {
        // Bodies are in order of definition, so that a plain loop over what is needed suffices.
        let mut needed = vec![false; id as usize + 1];
        needed[id as usize] = true;
        for i in (0..=id as usize).rev() {
            if needed[i] && vars[i].is_none() {
                for j in body.insts[i].operands() {
                    needed[j as usize] = true;
                }
            }
        }
        for i in 0..=id as usize {
            if needed[i] && vars[i].is_none() {
                vars[i] = Some(self.inst(body.insts[i], operands, vars));
            }
        }
        vars[id as usize].expect("the loop ends with it")
    }

    fn inst(&mut self, inst: Inst, operands: &Operands<'_>, vars: &[Option<Var>]) -> Var {
        let get = |id: Id| vars[id as usize].expect("operands come first");
        let value = match inst {
            Inst::Scalar(k) => return operands.scalars[k as usize],
            Inst::State(k) => return operands.states[k as usize],
            Inst::Literal(v) => Value::Literal(v),
            Inst::Constant(k) => operands.constants[k as usize].clone(),
            Inst::Input(k) => match &operands.inputs[k as usize] {
                Input::Slot(row) => Value::Slot(row.clone()),
                Input::Var(var) => return *var,
            },
            Inst::Field { array, operand, share } => {
                Value::Field { array: array as usize, row: operands.rows[operand as usize].clone(), point: 0, share }
            }
            Inst::Unary(op, a) => Value::Unary(op, get(a)),
            Inst::Binary(op, a, b) => Value::Binary(op, get(a), get(b)),
            Inst::Fma(a, b, c) => Value::Fma(get(a), get(b), get(c)),
            Inst::SelectLe { a, b, then, otherwise } => {
                Value::SelectLe { a: get(a), b: get(b), then: get(then), otherwise: get(otherwise) }
            }
        };
        if let Some((_, var)) = self.known.iter().find(|(known, _)| same(known, &value)) {
            return *var;
        }
        let var = self.vars.push(hint(&value).into());
        self.known.push((value.clone(), var));
        self.nodes.push(assign(var, value));
        var
    }
}

/// When the results of a body are known, and its old states no longer read.
struct Turns {
    /// Whether a result depends on an instruction, by instruction.
    needed: Vec<bool>,
    /// By state: the instruction behind which it is assigned; `None` where its old value moves to another state, or an old
    /// value to it.
    turn: Vec<Option<usize>>,
}

impl Turns {
    fn new(body: &Body) -> Self {
        let mut needed = vec![false; body.insts.len()];
        for id in body.results() {
            needed[id as usize] = true;
        }
        let mut last_read: Vec<usize> = body.states.iter().map(|&id| id as usize).collect();
        let state_of = |id: Id| match body.insts[id as usize] {
            Inst::State(k) => Some(k as usize),
            _ => None,
        };
        for i in (0..body.insts.len()).rev() {
            if !needed[i] {
                continue;
            }
            for id in body.insts[i].operands() {
                needed[id as usize] = true;
            }
            for k in body.insts[i].operands().into_iter().chain([i as Id]).filter_map(state_of) {
                // An epilogue assigns none.
                last_read.get_mut(k).into_iter().for_each(|last| *last = (*last).max(i));
            }
        }
        let sources: Vec<usize> = body.states.iter().filter_map(|&id| state_of(id)).collect();
        let moves = |k: usize| sources.contains(&k) || state_of(body.states[k]).is_some();
        let turn = last_read.iter().enumerate().map(|(k, &last)| (!moves(k)).then_some(last)).collect();
        Self { needed, turn }
    }

    fn assigned_behind(&self, inst: usize) -> impl Iterator<Item = usize> + '_ {
        self.turn.iter().enumerate().filter(move |(_, turn)| **turn == Some(inst)).map(|(k, _)| k)
    }

    fn assigned_last(&self) -> impl Iterator<Item = usize> + '_ {
        self.turn.iter().enumerate().filter(|(_, turn)| turn.is_none()).map(|(k, _)| k)
    }
}

/// Equality that tells 0.0 from -0.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Literal(a), Value::Literal(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

fn hint(value: &Value) -> &'static str {
    match value {
        Value::Literal(_) => "literal",
        Value::Constant(_) => "c",
        Value::Slot(_) => "s",
        Value::Field { .. } => "field",
        Value::Unary(op, _) if op.is_power() => "e",
        Value::Unary(Unary::Log | Unary::Log2, _) => "l",
        _ => "t",
    }
}
