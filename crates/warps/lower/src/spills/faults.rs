//! A check of spill code: with every load replaced by the number that its place holds, the body is the one before.

use crate::code::{Real, Statement};
use overlay::program::Var;
use std::collections::{HashMap, HashSet};

/// Reasons why a body with spill code does not compute what the body before computes.
pub fn faults(before: &[Statement], after: &[Statement]) -> Vec<String> {
    let mut faults = Vec::new();
    // What places hold, and what the numbers that are loaded again are.
    let mut held: HashMap<u32, Var> = HashMap::new();
    let mut same: HashMap<Var, Var> = HashMap::new();
    let mut defined: HashSet<Var> = HashSet::new();
    let mut expected = before.iter();
    for (at, statement) in after.iter().enumerate() {
        match statement {
            Statement::Spill { place, value } => {
                if !defined.contains(value) {
                    faults.push(format!("statement {at} stores a number before it is defined"));
                }
                held.insert(*place, original(*value, &same));
            }
            Statement::Define { var, value: Real::Spilled(place), .. } => match held.get(place) {
                Some(&number) => drop(same.insert(*var, number)),
                None => faults.push(format!("statement {at} loads place {place}, which holds nothing")),
            },
            _ => {
                let mut own = statement.clone();
                match &mut own {
                    Statement::Define { value, .. } => restore(value, &same),
                    Statement::StoreField { value, rest, .. } => {
                        restore(value, &same);
                        rest.iter_mut().for_each(|rest| restore(rest, &same));
                    }
                    _ => {}
                }
                if !expected.next().is_some_and(|expected| is_same(expected, &own)) {
                    faults.push(format!("statement {at} is another one than before"));
                }
            }
        }
        if let Statement::Define { var, .. } = statement {
            defined.insert(*var);
        }
    }
    let missing = expected.count();
    if missing > 0 {
        faults.push(format!("{missing} statements are missing"));
    }
    faults
}

/// Whether two statements are the same. Literals that are not numbers are only equal as text.
fn is_same(a: &Statement, b: &Statement) -> bool {
    a == b || format!("{a:?}") == format!("{b:?}")
}

fn original(var: Var, same: &HashMap<Var, Var>) -> Var {
    same.get(&var).copied().unwrap_or(var)
}

fn restore(value: &mut Real, same: &HashMap<Var, Var>) {
    if let Real::Var(var) = value {
        *var = original(*var, same);
    }
    value.operands_mut().iter_mut().for_each(|operand| restore(operand, same));
}
