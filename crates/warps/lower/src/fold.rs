//! Variables that stand inside the expression that uses them, so that printed text reads like formulas.
//!
//! A variable is folded when it is assigned once, used once, later in the same block, and when nothing in between changes
//! what its expression reads. Loads from global memory keep their own line, and no expression grows past a line.
//! Variables that only name a literal are folded wherever they are used. Where registers are short, an expression of
//! several variables is folded into the next statement only: further on, it would keep them all alive.

use super::uses::Uses;
use cranelift_entity::EntitySet;
use overlay::program::{Node, Program, Value, Var};
use std::collections::BTreeMap;

/// Longest expression that folding may make, in characters, about.
const WIDTH: usize = 84;

/// Chooses the variables to fold.
pub fn plan(program: &Program, uses: &Uses) -> EntitySet<Var> {
    let mut plan = Plan {
        program,
        uses,
        short: program.is_straight_line() || program.reloaded() != Default::default(),
        last: None,
        literals: BTreeMap::new(),
        folded: EntitySet::with_capacity(program.vars.len()),
    };
    plan.literals(&program.body);
    plan.block(&program.body);
    plan.folded
}

/// Characters of a literal.
fn width(x: f64) -> usize {
    format!("{x:?}").len()
}

struct Plan<'a> {
    program: &'a Program,
    uses: &'a Uses,
    /// Registers are short.
    short: bool,
    /// Variable that the last statement assigns.
    last: Option<Var>,
    /// Widths of the folded literals.
    literals: BTreeMap<Var, usize>,
    folded: EntitySet<Var>,
}

/// Properties of a value when it is printed in place.
#[derive(Default)]
struct Expression {
    width: usize,
    /// Number of variables that it reads.
    variables: usize,
    reads_slots: bool,
    /// Variables it reads that are assigned more than once.
    unstable: Vec<Var>,
}

/// Expressions seen in this block that still wait for their use.
#[derive(Default)]
struct Pending {
    expressions: BTreeMap<Var, Expression>,
    slot_readers: Vec<Var>,
    readers: BTreeMap<Var, Vec<Var>>,
}

impl Plan<'_> {
    fn literals(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Let { var, value: Value::Literal(x) } if self.uses.assigned[*var] == 1 => {
                    self.literals.insert(*var, width(*x));
                    self.folded.insert(*var);
                }
                Node::If { body, .. } | Node::Loop { body, .. } => self.literals(body),
                Node::Switch { arms } => arms.iter().for_each(|(_, body)| self.literals(body)),
                _ => {}
            }
        }
    }

    fn block(&mut self, nodes: &[Node]) {
        let mut pending = Pending::default();
        for node in nodes {
            match node {
                Node::Comment(_) | Node::Stripes { .. } => {}
                Node::Let { var, value } => self.assignment(*var, value, &mut pending),
                Node::StoreField { .. } => {
                    let mut expression = Expression::default();
                    node.operands()
                        .into_iter()
                        .for_each(|operand| self.consume(operand, &mut pending, &mut expression));
                }
                Node::StoreSlot { value, .. } => {
                    self.consume(*value, &mut pending, &mut Expression::default());
                    pending.slots_change();
                }
                Node::Barrier { .. } | Node::WarpSync | Node::StoreBlock { .. } => pending.slots_change(),
                Node::Multiply { blocks, .. } => {
                    let sums = blocks.iter().flat_map(|block| &block.sums);
                    sums.for_each(|&sum| pending.variable_changes(sum));
                }
                Node::If { body, .. } | Node::Loop { body, .. } => {
                    pending.anything_changes();
                    self.block(body);
                }
                Node::Switch { arms } => {
                    pending.anything_changes();
                    arms.iter().for_each(|(_, body)| self.block(body));
                }
            }
        }
    }

    fn assignment(&mut self, var: Var, value: &Value, pending: &mut Pending) {
        if self.uses.assigned[var] == 0 {
            // It is not printed, so nothing is folded into it.
            return;
        }
        let mut expression = Expression { reads_slots: matches!(value, Value::Slot(_)), ..Expression::default() };
        expression.width = match value {
            Value::Literal(x) => width(*x),
            // Calls with fixed text around the operands.
            Value::Constant(_) | Value::Slot(_) | Value::Field { .. } => 18,
            Value::Var(_) => 0,
            Value::Unary(..) => 6,
            Value::Binary(..) | Value::Fma(..) => 9,
            Value::SelectLe { .. } => 12,
            Value::ConstantLe { .. } => 24,
        };
        value.for_each_operand(|operand| self.consume(operand, pending, &mut expression));
        if expression.variables > 0 {
            self.last = Some(var);
        }
        let once = self.uses.assigned[var] == 1;
        if !once {
            pending.variable_changes(var);
        }
        if once && self.uses.used[var] == 1 && !matches!(value, Value::Field { .. } | Value::Literal(_)) {
            pending.add(var, expression);
        }
    }

    /// Folds an operand if it waits for its use and fits, and adds what it reads to the user.
    fn consume(&mut self, operand: Var, pending: &mut Pending, user: &mut Expression) {
        if let Some(width) = self.literals.get(&operand) {
            user.width += width;
            return;
        }
        let waiting = pending.expressions.remove(&operand);
        let keeps_alive = |e: &Expression| self.short && e.variables > 1 && self.last != Some(operand);
        if let Some(mut expression) = waiting.filter(|e| e.width + user.width <= WIDTH && !keeps_alive(e)) {
            self.folded.insert(operand);
            user.width += expression.width;
            user.variables += expression.variables;
            user.reads_slots |= expression.reads_slots;
            user.unstable.append(&mut expression.unstable);
        } else {
            user.width += self.program.vars[operand].len() + 2;
            user.variables += 1;
            if self.uses.assigned[operand] > 1 {
                user.unstable.push(operand);
            }
        }
    }
}

impl Pending {
    fn add(&mut self, var: Var, expression: Expression) {
        if expression.reads_slots {
            self.slot_readers.push(var);
        }
        for &read in &expression.unstable {
            self.readers.entry(read).or_default().push(var);
        }
        self.expressions.insert(var, expression);
    }

    fn slots_change(&mut self) {
        for reader in self.slot_readers.drain(..) {
            self.expressions.remove(&reader);
        }
    }

    fn variable_changes(&mut self, var: Var) {
        for reader in self.readers.remove(&var).unwrap_or_default() {
            self.expressions.remove(&reader);
        }
    }

    fn anything_changes(&mut self) {
        self.slots_change();
        for reader in std::mem::take(&mut self.readers).into_values().flatten() {
            self.expressions.remove(&reader);
        }
    }
}
