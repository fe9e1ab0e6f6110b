use super::*;
use crate::code::Integer;

/// They have room for 30 numbers.
const REGISTERS: u32 = 80;

/// Defines so many numbers, then stores each, the first one first.
fn body(count: u32, vars: &mut PrimaryMap<Var, String>) -> Vec<Statement> {
    let numbers: Vec<Var> = (0..count).map(|n| vars.push(format!("n{n}"))).collect();
    let define = |&var: &Var| Statement::Define { var, value: Real::Literal(0.5), changes: false };
    let store = |(row, &var): (u32, &Var)| {
        let (row, value) = (Integer::Literal(row), Real::Var(var));
        Statement::StoreField { array: 0, row, point: 0, value, rest: None }
    };
    numbers.iter().map(define).chain((0..).zip(&numbers).map(store)).collect()
}

fn count(body: &[Statement], is_one: impl Fn(&Statement) -> bool) -> usize {
    body.iter().filter(|statement| is_one(statement)).count()
}

#[test]
fn what_is_used_last_waits_in_memory() {
    let mut vars = PrimaryMap::new();
    let before = body(100, &mut vars);
    let made = spilled(&before, &mut vars, REGISTERS, REGISTERS).expect("100 numbers are far more than 30");
    let is_spill = |statement: &Statement| matches!(statement, Statement::Spill { .. });
    let is_reload = |statement: &Statement| matches!(statement, Statement::Define { value: Real::Spilled(_), .. });
    assert_eq!((count(&made.body, is_spill), count(&made.body, is_reload), made.places), (70, 70, 70));
    // The last of the first 31 numbers is the one that leaves first.
    let first = made.body.iter().position(is_spill).unwrap();
    assert_eq!(first, 31);
    assert_eq!(made.body[first], Statement::Spill { place: 0, value: Var::from_u32(30) });
}

#[test]
fn compilers_place_a_few_numbers_more_than_have_room() {
    let mut vars = PrimaryMap::new();
    let before = body(60, &mut vars);
    assert!(spilled(&before, &mut vars, REGISTERS, REGISTERS).is_none());
}

#[test]
fn numbers_that_change_keep_compilers_spill_code() {
    let mut vars = PrimaryMap::new();
    let mut before = body(100, &mut vars);
    before.push(Statement::Assign { var: Var::from_u32(0), value: Real::Literal(1.0) });
    assert!(spilled(&before, &mut vars, REGISTERS, REGISTERS).is_none());
}

#[test]
fn a_wrong_place_a_lost_store_and_a_swap_are_faults() {
    let mut vars = PrimaryMap::new();
    let before = body(100, &mut vars);
    let made = spilled(&before, &mut vars, REGISTERS, REGISTERS).unwrap().body;
    assert_eq!(faults::faults(&before, &made), Vec::<String>::new());
    let is_spill = |statement: &Statement| matches!(statement, Statement::Spill { .. });
    let mut lost = made.clone();
    lost.remove(lost.iter().position(is_spill).unwrap());
    assert_ne!(faults::faults(&before, &lost), Vec::<String>::new());
    let mut wrong = made.clone();
    for statement in &mut wrong {
        if let Statement::Define { value: Real::Spilled(place), .. } = statement {
            *place = (*place + 1) % 70;
        }
    }
    assert_ne!(faults::faults(&before, &wrong), Vec::<String>::new());
    let mut early = made.clone();
    let spill = early.remove(early.iter().position(is_spill).unwrap());
    early.insert(0, spill);
    assert_ne!(faults::faults(&before, &early), Vec::<String>::new());
    let mut swapped = made;
    let last = swapped.len() - 1;
    swapped.swap(last, 0);
    assert_ne!(faults::faults(&before, &swapped), Vec::<String>::new());
}

#[test]
fn literals_that_are_not_numbers_are_kept() {
    let mut vars = PrimaryMap::new();
    let mut before = body(100, &mut vars);
    let var = vars.push("none".to_owned());
    before.push(Statement::Define { var, value: Real::Literal(f64::NAN), changes: false });
    assert!(spilled(&before, &mut vars, REGISTERS, REGISTERS).is_some());
}
