//! Decisions in the typed code of small programs.

use super::code::*;
use super::lower;
use cranelift_entity::{EntityRef, PrimaryMap};
use kernels::Io;
use machine::target::Target;
use overlay::program::*;

const FOUR: Execution = Execution::WarpSpecialized { warps: 4, groups: 1 };

fn code(execution: Execution, slots: u32, body: Vec<Node>) -> Code {
    let array = |name: &str, output| Array { name: name.to_owned(), rows: 2, output, io: Io::Double };
    let program = Program {
        kernel: "test".to_owned(),
        symbol: "test".to_owned(),
        arithmetic: Arithmetic::Double,
        execution,
        points_per_lane: 1,
        slots,
        first_global: None,
        arrays: vec![array("a", false), array("b", true)],
        vars: (0..8).map(|i| format!("v{i}")).collect::<PrimaryMap<Var, String>>(),
        counters: 1,
        constants: Constants::default(),
        contents: Vec::new(),
        registers: None,
        staging_bytes: None,
        body,
    };
    lower(&program, Target::by_name("volta").unwrap())
}

fn body(nodes: Vec<Node>) -> Vec<Statement> {
    code(FOUR, 1, nodes).stream.body
}

fn set(index: usize, value: Value) -> Node {
    Node::Let { var: Var::new(index), value }
}

fn fetch(index: usize, array: usize) -> Node {
    set(index, Value::Field { array, row: Index::Literal(0), point: 0, share: Share::Whole })
}

fn put(index: usize) -> Node {
    Node::StoreField { array: 1, row: Index::Literal(1), point: 0, value: Var::new(index), rest: None }
}

/// The value that is stored last.
fn stored(nodes: Vec<Node>) -> Real {
    match body(nodes).pop() {
        Some(Statement::StoreField { value, .. }) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn three_arms_are_one_indirect_branch() {
    let arms = |count: u32| (0..count).map(|warp| (1 << warp, vec![Node::WarpSync])).collect();
    for (count, expected) in [(2, false), (3, true)] {
        let statements = body(vec![Node::Switch { arms: arms(count) }]);
        assert!(matches!(&statements[..], [Statement::Switch { is_indirect, .. }] if *is_indirect == expected));
    }
}

#[test]
fn all_warps_need_no_guard_and_no_trips_no_loop() {
    let on = |warps| vec![Node::If { warps, body: vec![Node::WarpSync] }];
    assert_eq!(body(on(0b1111)), [Statement::WarpSync]);
    assert!(matches!(&body(on(0b0111))[..], [Statement::If { warps: 0b0111, .. }]));
    let repeat = |trips| {
        vec![Node::Loop { counter: Counter::new(0), trips: Index::Literal(trips), unroll: 1, body: on(0b1111) }]
    };
    assert_eq!(body(repeat(0)), []);
    assert!(matches!(&body(repeat(2))[..], [Statement::Loop { trips: Integer::Literal(2), .. }]));
}

#[test]
fn what_no_store_depends_on_is_left_out() {
    let statements = body(vec![fetch(0, 0), fetch(1, 0), put(1)]);
    let defined: Vec<Var> = statements
        .iter()
        .filter_map(|s| if let Statement::Define { var, .. } = s { Some(*var) } else { None })
        .collect();
    assert_eq!(defined, [Var::new(1)]);
}

#[test]
fn a_product_stays_apart_from_the_sum_that_reads_it() {
    let [a, b, c] = [0, 1, 2].map(Var::new);
    let product = || vec![fetch(0, 0), fetch(1, 0), set(2, Value::Binary(Binary::Mul, a, b))];
    let summed = [product(), vec![set(3, Value::Binary(Binary::Add, c, a)), put(3)]].concat();
    let Real::Binary(Binary::Add, operands) = stored(summed) else { panic!("a sum") };
    assert!(matches!(operands[0], Real::SeparateProduct(_)));
    assert!(matches!(stored([product(), vec![put(2)]].concat()), Real::Binary(Binary::Mul, _)));
}

#[test]
fn only_inputs_come_through_the_read_only_path() {
    for (array, expected) in [(0, true), (1, false)] {
        let statements = body(vec![fetch(0, array), put(0)]);
        let Statement::Define { value: Real::Field(field), .. } = &statements[0] else { panic!("{statements:?}") };
        assert_eq!(field.is_read_only, expected);
    }
}

#[test]
fn slots_beyond_48_kib_are_asked_for_at_launch() {
    for (slots, expected) in [(192, false), (193, true)] {
        let code = code(FOUR, slots, Vec::new());
        assert_eq!((code.slots.are_dynamic, code.shared_bytes()), (expected, 256 * slots));
    }
}

#[test]
fn local_slots_are_volatile_where_registers_are_too_few() {
    let volatile = |slots| code(Execution::DataParallel { warps: 4 }, slots, Vec::new()).slots.are_volatile;
    // 255 registers, some of them for what lives shortly.
    assert_eq!([107, 108].map(volatile), [false, true]);
}

#[test]
fn what_is_known_of_whole_numbers_is_computed() {
    use IntegerOperator::{Add, Mul, Sub};
    let (warp, literal) = (|| Integer::Local(Local::Warp), Integer::Literal);
    assert_eq!([Add, Sub, Mul].map(|operator| literal(7).with(operator, 2)), [9, 5, 14].map(literal));
    assert_eq!(
        [warp().with(Add, 0), warp().with(Mul, 1), Integer::binary(Add, literal(0), warp())],
        [(); 3].map(|()| warp())
    );
}
