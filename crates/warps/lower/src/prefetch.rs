//! Inputs that are on their way while another group of points is computed.
//!
//! A warp of straight-line code has a row of shared memory for each of its inputs. When it has read an input for the last time in
//! a turn of the streaming loop, it starts an asynchronous copy of the next group's into the same row; the next turn waits before
//! the first read. Copies are waited for in the order in which they were started, some at a time: a *batch*. Each lane copies and
//! reads its own points, so that no warp waits for another one.

use super::code::*;
use overlay::program::Share;
use std::collections::BTreeMap;

/// Inputs of a batch. Fewer are waited for more precisely, and more often.
const BATCH: usize = 9;

/// Copies in a body of straight-line code, and when they start.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The input of each row.
    inputs: Vec<Input>,
    /// Statement behind which the copies of each batch start; in order.
    starts: Vec<usize>,
    /// Number of batches that may still be under way, by the statement that waits for the others.
    waits: BTreeMap<usize, u32>,
}

/// An element of an array that is read: the array, the row, and which of the lane's points.
pub type Input = (usize, u32, u32);

/// When to copy what the body reads.
///
/// Nothing where it reads none, or where it is no straight line.
pub fn plan(body: &[Statement]) -> Option<Plan> {
    let mut reads: BTreeMap<Input, [usize; 2]> = BTreeMap::new();
    for (at, statement) in body.iter().enumerate() {
        for_each_value(statement, &mut |value| {
            for_each_input(value, &mut |input| reads.entry(input).or_insert([at, at])[1] = at);
        })?;
    }
    let mut inputs: Vec<Input> = reads.keys().copied().collect();
    inputs.sort_by_key(|input| reads[input][1]);
    let batches = inputs.chunks(BATCH);
    let last = |batch: &[Input]| batch.iter().map(|input| reads[input][1]).max();
    let starts: Vec<usize> = batches.filter_map(last).collect();
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (row, input) in inputs.iter().enumerate() {
        let latest = first.entry(reads[input][0]).or_insert(0);
        *latest = row.max(*latest) / BATCH * BATCH;
    }
    let mut waits = BTreeMap::new();
    let mut awaited = 0;
    for (at, row) in first {
        let batch = row / BATCH;
        if batch < awaited {
            continue;
        }
        // those behind it in the turn before, and those that this turn has started
        let started = starts.iter().filter(|&&start| start < at).count();
        waits.insert(at, (starts.len() - 1 - batch + started) as u32);
        awaited = batch + 1;
    }
    (!inputs.is_empty()).then_some(Plan { inputs, starts, waits })
}

impl Plan {
    /// Rows of shared memory for each warp.
    pub fn rows(&self) -> u32 {
        self.inputs.len() as u32
    }

    /// Returns the statements of a thread before its first turn, with the rows behind so many others; `stream`: the loop.
    pub fn prologue(&self, behind: u32, stream: &Stream, next: &dyn Fn(Integer) -> Vec<Integer>) -> Vec<Statement> {
        use IntegerOperator::{Add, Mul};
        let first = Integer::Local(Local::Warp).with(Mul, self.rows()).with(Add, behind);
        let rows = Statement::DefineInteger { local: Local::Inputs, value: first, changes: false };
        let batches = (0..self.starts.len()).map(|batch| self.copies(batch, stream, stream.first.clone(), next));
        std::iter::once(rows).chain(batches).collect()
    }

    /// The body with its reads from shared memory, and with the copies for the next turn.
    pub fn body(&self, stream: &Stream, next: &dyn Fn(Integer) -> Vec<Integer>) -> Vec<Statement> {
        let group = Integer::binary(IntegerOperator::Add, Integer::Local(Local::Group), stream.step.clone());
        let rows: BTreeMap<Input, u32> = self.inputs.iter().copied().zip(0..).collect();
        let mut out = Vec::with_capacity(stream.body.len());
        for (at, statement) in stream.body.iter().enumerate() {
            out.extend(self.waits.get(&at).map(|&pending| Statement::AwaitCopies { pending }));
            out.push(from_rows(statement.clone(), &rows));
            let started = (0..).zip(&self.starts).filter(|(_, start)| **start == at);
            out.extend(started.map(|(batch, _)| self.copies(batch, stream, group.clone(), next)));
        }
        out
    }

    fn copies(
        &self,
        batch: usize,
        stream: &Stream,
        group: Integer,
        next: &dyn Fn(Integer) -> Vec<Integer>,
    ) -> Statement {
        let rows = (0..).zip(&self.inputs).skip(batch * BATCH).take(BATCH);
        Statement::CopyInputs {
            more: Less { a: group.clone(), ..stream.more.clone() },
            points: next(group),
            copies: rows.map(|(row, &(array, field, point))| (slot(row), array, field, point)).collect(),
        }
    }
}

fn slot(row: u32) -> Integer {
    Integer::Local(Local::Inputs).with(IntegerOperator::Add, row)
}

/// `None`: the statement is none of straight-line code.
fn for_each_value(statement: &Statement, visit: &mut dyn FnMut(&Real)) -> Option<()> {
    match statement {
        Statement::Comment(_) | Statement::Declare(_) => {}
        Statement::Define { value, .. } | Statement::Assign { value, .. } => visit(value),
        Statement::StoreField { value, rest, .. } => [value].into_iter().chain(rest).for_each(visit),
        _ => return None,
    }
    Some(())
}

fn for_each_input(value: &Real, visit: &mut dyn FnMut(Input)) {
    if let Some(input) = input(value) {
        visit(input);
    }
    value.operands().iter().for_each(|operand| for_each_input(operand, visit));
}

fn input(value: &Real) -> Option<Input> {
    match value {
        Real::Field(field) => match field.row {
            Integer::Literal(row) if field.is_read_only => Some((field.array, row, field.point)),
            _ => None,
        },
        _ => None,
    }
}

fn from_rows(mut statement: Statement, rows: &BTreeMap<Input, u32>) -> Statement {
    match &mut statement {
        Statement::Define { value, .. } | Statement::Assign { value, .. } => replace(value, rows),
        Statement::StoreField { value, rest, .. } => {
            [value].into_iter().chain(rest).for_each(|value| replace(value, rows));
        }
        _ => {}
    }
    statement
}

fn replace(value: &mut Real, rows: &BTreeMap<Input, u32>) {
    match input(value) {
        Some(input) => {
            let share = if let Real::Field(field) = value { field.share } else { Share::Whole };
            *value = Real::Slot(slot(rows[&input]), share);
        }
        None => value.operands_mut().iter_mut().for_each(|operand| replace(operand, rows)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use overlay::program::Var;

    fn read(row: u32) -> Statement {
        let (row, share) = (Integer::Literal(row), Share::Whole);
        let field = Field { array: 0, row, point: 0, is_read_only: true, share };
        Statement::Define { var: Var::new(0), value: Real::Field(Box::new(field)), changes: false }
    }

    /// A body that reads these rows, one after the other; by statement the batch that is waited for before it and the one that is
    /// started behind it.
    fn planned(rows: impl Iterator<Item = u32>) -> Plan {
        plan(&rows.map(read).collect::<Vec<_>>()).expect("a body that reads")
    }

    #[test]
    fn a_batch_starts_behind_its_last_read_and_is_waited_for_before_its_first() {
        let plan = planned((0..18).chain(0..18));
        assert_eq!(plan.starts, [26, 35]);
        // the second batch of the turn before may be under way when the first is read, and none when the second is
        assert_eq!(plan.waits, BTreeMap::from([(0, 1), (9, 0)]));
    }

    #[test]
    fn what_this_turn_has_started_need_not_have_come() {
        let plan = planned(0..18);
        assert_eq!(plan.starts, [8, 17]);
        assert_eq!(plan.waits, BTreeMap::from([(0, 1), (9, 1)]));
    }

    #[test]
    fn code_with_loops_is_left_alone() {
        assert_eq!(plan(&[read(0), Statement::CtaSync]), None);
        assert_eq!(plan(&[Statement::Comment(String::new())]), None);
    }
}
