//! One step's body as program nodes, with local value numbering.

use cranelift_entity::PrimaryMap;

use crate::dataflow::body::{Body, Id, Inst};
use crate::emit::program::{Index, Node, Unary, Value, Var};

use super::assign;

/// What a body's operands stand for in the program.
pub struct Operands<'a> {
    pub constants: &'a [Value],
    pub inputs: &'a [Index],
    pub rows: &'a [Index],
    pub outputs: &'a [Index],
    pub stores: &'a [(usize, Index)],
    pub scalars: &'a [Var],
    pub states: &'a [Var],
}

/// Nodes under construction; equal pure values are computed once.
pub struct Block<'a> {
    vars: &'a mut PrimaryMap<Var, String>,
    known: Vec<(Value, Var)>,
    nodes: Vec<Node>,
    /// Assignments to states, which wait until every body of the block has read the old ones.
    pending: Vec<Node>,
}

impl<'a> Block<'a> {
    pub fn new(vars: &'a mut PrimaryMap<Var, String>) -> Self {
        Self { vars, known: Vec::new(), nodes: Vec::new(), pending: Vec::new() }
    }

    pub fn finish(mut self) -> Vec<Node> {
        self.nodes.append(&mut self.pending);
        self.nodes
    }

    /// Appends a body: its values, then the stores, then (at the end of the block) the new states.
    pub fn body(&mut self, body: &Body, operands: &Operands<'_>) {
        let mut vars: Vec<Option<Var>> = vec![None; body.insts.len()];
        for (row, &id) in operands.outputs.iter().zip(&body.values) {
            let value = self.evaluate(body, id, operands, &mut vars);
            self.nodes.push(Node::StoreSlot { row: row.clone(), value });
        }
        for ((array, row), &id) in operands.stores.iter().zip(&body.stores) {
            let value = self.evaluate(body, id, operands, &mut vars);
            self.nodes.push(Node::StoreField { array: *array, row: row.clone(), point: 0, value });
        }
        for (&state, &id) in operands.states.iter().zip(&body.states) {
            let mut value = self.evaluate(body, id, operands, &mut vars);
            if value == state {
                continue;
            }
            if operands.states.contains(&value) {
                // An old state moves to another: copy it before it is overwritten.
                let copy = self.vars.push("moved".into());
                self.nodes.push(assign(copy, Value::Var(value)));
                value = copy;
            }
            self.pending.push(assign(state, Value::Var(value)));
        }
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
            Inst::Input(k) => Value::Slot(operands.inputs[k as usize].clone()),
            Inst::Field { array, operand } => {
                Value::Field { array: array as usize, row: operands.rows[operand as usize].clone(), point: 0 }
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
