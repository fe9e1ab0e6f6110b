//! Spill code of straight-line code that keeps far more numbers alive than a thread has registers.
//!
//! Compilers spill in the order of their own schedule, and move more than twice the bytes that are needed. Here the number whose next use is
//! furthest leaves its register (Belady, IBM Systems Journal 5(2), 78, 1966). A number does not change, so it is stored once at most.

mod faults;

use super::code::{Real, Statement};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use overlay::program::Var;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// One in so many registers is for addresses and for numbers inside statements. With one in five, ptxas spills three times of what it spills beside this
/// code (Jacobian of GRI-Mech 3.0 on Hopper).
const SPARE: u32 = 4;

/// Code that keeps so many times of the numbers alive that the most registers of a thread have room for has its spill code from here. Compilers do as
/// well with fewer: rates of GRI-Mech 3.0 with 128 registers take 0.98 of their time on Kepler, 0.93 on Ampere and 1.27 on Hopper with this code.
const FAR_MORE: usize = 2;

/// A body with its spill code.
pub struct Spilled {
    pub body: Vec<Statement>,
    /// Numbers in local memory of each thread.
    pub places: u32,
}

/// Adds spill code for a thread with so many registers, of a machine with at most so many. Nothing where the body is no straight-line code, or where
/// compilers place its numbers well.
pub fn spilled(body: &[Statement], vars: &mut PrimaryMap<Var, String>, registers: u32, most: u32) -> Option<Spilled> {
    let uses = Uses::new(body)?;
    if uses.most_alive <= FAR_MORE * room(most) {
        return None;
    }
    let plan = plan(&uses, room(registers));
    let made = apply(body, vars, &plan);
    let faults = faults::faults(body, &made);
    assert!(faults.is_empty(), "spill code keeps every number: {}", faults.join("; "));
    Some(Spilled { body: made, places: plan.places })
}

/// Numbers that have a register from statement to statement.
fn room(registers: u32) -> usize {
    ((registers - registers / SPARE) / 2) as usize
}

/// What statements read and define.
struct Uses {
    /// By statement: the numbers that it reads, each once.
    read: Vec<Vec<Var>>,
    defined: Vec<Option<Var>>,
    /// By number: the statements that read it, the last one first.
    later: SecondaryMap<Var, Vec<usize>>,
    most_alive: usize,
}

impl Uses {
    /// Nothing where a number changes, or where the order of statements is not that of the text.
    fn new(body: &[Statement]) -> Option<Self> {
        let (mut read, mut defined) = (Vec::new(), Vec::new());
        for statement in body {
            let mut found = BTreeSet::new();
            for_each_value(statement, &mut |value| for_each_var(value, &mut |var| found.extend([var])))?;
            read.push(found.into_iter().collect::<Vec<_>>());
            defined.push(match statement {
                Statement::Define { var, .. } => Some(*var),
                _ => None,
            });
        }
        let mut later: SecondaryMap<Var, Vec<usize>> = SecondaryMap::new();
        for (at, vars) in read.iter().enumerate().rev() {
            vars.iter().for_each(|&var| later[var].push(at));
        }
        let (mut alive, mut most_alive) = (0, 0);
        for (at, vars) in read.iter().enumerate() {
            alive += usize::from(defined[at].is_some_and(|var| !later[var].is_empty()));
            most_alive = alive.max(most_alive);
            alive -= vars.iter().filter(|&&var| later[var].first() == Some(&at)).count();
        }
        Some(Self { read, defined, later, most_alive })
    }
}

/// What is stored and loaded where.
struct Plan {
    /// By statement: numbers that are loaded before it, with their places.
    reloads: Vec<Vec<(Var, u32)>>,
    /// By statement: numbers that are stored behind it, with their places.
    spills: Vec<Vec<(Var, u32)>>,
    places: u32,
}

/// Plans spill code that leaves no more than `room` numbers in registers behind each statement.
fn plan(uses: &Uses, room: usize) -> Plan {
    let mut plan = Plan { reloads: Vec::new(), spills: Vec::new(), places: 0 };
    let mut later = uses.later.clone();
    let mut in_registers: BTreeSet<Var> = BTreeSet::new();
    // By next use, the furthest first; those that have been used since are there once more.
    let mut furthest: BinaryHeap<(usize, Var)> = BinaryHeap::new();
    let mut place_of: SecondaryMap<Var, Option<u32>> = SecondaryMap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    for (read, defined) in uses.read.iter().zip(&uses.defined) {
        let absent = read.iter().filter(|var| !in_registers.contains(var));
        let place = |var: &Var| place_of[*var].expect("a number that left its register has a place");
        let reloads: Vec<(Var, u32)> = absent.map(|var| (*var, place(var))).collect();
        in_registers.extend(reloads.iter().map(|&(var, _)| var));
        plan.reloads.push(reloads);
        for &var in read {
            later[var].pop();
            match later[var].last() {
                Some(&next) => furthest.push((next, var)),
                None => {
                    in_registers.remove(&var);
                    free.extend(place_of[var].map(Reverse));
                }
            }
        }
        if let Some(var) = *defined
            && let Some(&next) = later[var].last()
        {
            in_registers.insert(var);
            furthest.push((next, var));
        }
        let mut spills = Vec::new();
        while in_registers.len() > room {
            let (next, var) = furthest.pop().expect("what is in registers has a next use");
            if later[var].last() != Some(&next) || !in_registers.remove(&var) || place_of[var].is_some() {
                continue;
            }
            let place = free.pop().map_or(plan.places, |Reverse(place)| place);
            plan.places = plan.places.max(place + 1);
            place_of[var] = Some(place);
            spills.push((var, place));
        }
        plan.spills.push(spills);
    }
    plan
}

/// The body with the plan's stores and loads; each load defines a number of its own.
fn apply(body: &[Statement], vars: &mut PrimaryMap<Var, String>, plan: &Plan) -> Vec<Statement> {
    let mut made = Vec::new();
    let mut named: SecondaryMap<Var, Option<Var>> = SecondaryMap::new();
    for ((statement, reloads), spills) in body.iter().zip(&plan.reloads).zip(&plan.spills) {
        for &(var, place) in reloads {
            let again = vars.push(vars[var].clone());
            named[var] = Some(again);
            made.push(Statement::Define { var: again, value: Real::Spilled(place), changes: false });
        }
        let mut statement = statement.clone();
        for_each_value_mut(&mut statement, &mut |value| rename(value, &named));
        made.push(statement);
        made.extend(spills.iter().map(|&(var, place)| Statement::Spill { place, value: named[var].unwrap_or(var) }));
    }
    made
}

fn rename(value: &mut Real, named: &SecondaryMap<Var, Option<Var>>) {
    if let Real::Var(var) = value {
        *var = named[*var].unwrap_or(*var);
    }
    value.operands_mut().iter_mut().for_each(|operand| rename(operand, named));
}

fn for_each_var(value: &Real, visit: &mut dyn FnMut(Var)) {
    if let Real::Var(var) = value {
        visit(*var);
    }
    value.operands().iter().for_each(|operand| for_each_var(operand, visit));
}

/// Nothing where the statement is none of straight-line code whose numbers do not change.
fn for_each_value(statement: &Statement, visit: &mut dyn FnMut(&Real)) -> Option<()> {
    match statement {
        Statement::Comment(_) => {}
        Statement::Define { value, changes: false, .. } => visit(value),
        Statement::StoreField { value, rest, .. } => [value].into_iter().chain(rest).for_each(visit),
        _ => return None,
    }
    Some(())
}

fn for_each_value_mut(statement: &mut Statement, visit: &mut dyn FnMut(&mut Real)) {
    match statement {
        Statement::Define { value, .. } => visit(value),
        Statement::StoreField { value, rest, .. } => [value].into_iter().chain(rest).for_each(visit),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
