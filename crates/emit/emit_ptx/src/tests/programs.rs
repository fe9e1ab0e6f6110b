use super::*;
use graph::single::{self, branch_free};
use graph::{elementary, exp2, log2};
use overlay::program::Arithmetic;

const TWO: Execution = Execution::WarpSpecialized { warps: 2, groups: 1 };

/// Warp 0 loads and hands over through slot 0; warp 1 doubles and stores. Barrier 1: full, barrier 2: empty.
pub(super) fn handover() -> Program {
    let producer = vec![fetch(0), sync(2, 64), store(0, 0), arrive(1, 64)];
    let consumer = vec![arrive(2, 64), sync(1, 64), load(1, 0), double(1), put(1, 0)];
    program(TWO, 1, vec![on(1, producer), on(2, consumer)])
}

#[test]
fn two_warps_hand_over_a_slot_under_any_schedule() {
    let input = input(200);
    let seeds = (0..20).map(|seed| Schedule::Random { seed });
    for schedule in seeds.chain([Schedule::RoundRobin]) {
        let options = Options { schedule, ..Options::default() };
        let (output, report) = simulate(&handover(), &input, &options).unwrap();
        for point in 0..200 {
            assert_eq!(output[point], 2.0 * input[point]);
        }
        let total = report.total();
        // 7 groups, each with one operation, one slot store and one slot load of two passes
        assert_eq!((total.double_slots, total.shared, total.shared_passes, total.barriers), (7, 14, 28, 28));
        assert_eq!((total.global_load_bytes, total.global_store_bytes), (7 * 256, 200 * 8));
        assert_eq!(report.per_point(|c| c.double_slots, 200), 1.0);
    }
}

#[test]
fn wide_banks_take_one_pass() {
    let options = Options { bank_bytes: 8, ..Options::default() };
    assert_eq!(simulate(&handover(), &input(32), &options).unwrap().1.total().shared_passes, 2);
}

#[test]
fn a_partial_last_group_is_masked() {
    for points in [0, 1, 31, 32, 33, 63, 65, 100] {
        // the stride leaves room after the points, which must stay untouched
        let stride = points + 3;
        let input = vec![1.5; 2 * stride];
        let mut buffers = [Buffer::input(&input), Buffer::output(2 * stride)];
        let launch = Launch::fields(3, 2, 2, points as u32, stride as u32);
        run(&module(&handover(), KEPLER), "test", &launch, &mut buffers, &Options::default()).unwrap();
        for i in 0..stride {
            assert_eq!(buffers[1].is_written(i), i < points, "{points} points, element {i}");
        }
    }
}

/// sum over i of table[i] * a, with a table that is striped over lanes, and indices striped too.
#[test]
fn a_loop_reads_striped_constants() {
    let counter = Counter::new(0);
    let lane = Index::Striped { register: 0, lane: Box::new(Index::Counter(counter)) };
    let body = vec![
        fetch(1),
        set(1, Value::Literal(0.0)),
        Node::Loop {
            counter,
            trips: Index::Striped { register: 0, lane: Box::new(Index::Literal(31)) },
            unroll: 1,
            body: vec![
                set(2, Value::Constant(ConstantRef::Striped { register: 1, lane })),
                set(1, Value::Fma(var(2), var(0), var(1))),
            ],
        },
        on(1, vec![put(1, 0)]),
        on(2, vec![put(1, 1)]),
    ];
    let mut program = program(TWO, 0, body);
    program.constants.real_registers = 2;
    program.constants.reals = (0..128).map(f64::from).collect();
    program.constants.index_registers = 1;
    // warp 0 makes 4 trips and reads lanes 5, 6, 7, 8; warp 1 makes none
    let mut indices: Vec<i32> = (5..69).collect();
    (indices[31], indices[63]) = (4, 0);
    program.constants.indices = indices;
    let input = input(50);
    let (output, report) = simulate(&program, &input, &Options::default()).unwrap();
    for point in 0..50 {
        let sum: f64 = (5..9).map(|lane| f64::from(64 + lane)).sum();
        assert_eq!(output[point], sum * input[50 + point]);
        assert_eq!(output[50 + point], 0.0);
    }
    // per group: a trip count for each warp; in each of 4 trips an index and the halves of a constant
    assert_eq!(report.total().shuffles, 2 * (2 + 4 * 3));
}

#[test]
fn data_parallel_code_has_local_slots_and_banks() {
    let counter = Counter::new(1);
    let index = Index::Counter(counter);
    let bank = Index::Bank(Box::new(Index::Sum(Box::new(index.clone()), Box::new(Index::Literal(1)))));
    let body = vec![
        fetch(0),
        Node::Loop {
            counter,
            trips: Index::Literal(3),
            unroll: 1,
            body: vec![
                set(1, Value::Constant(ConstantRef::Bank(bank))),
                set(1, Value::Binary(Binary::Mul, var(0), var(1))),
                Node::StoreSlot { row: Index::Scaled(Box::new(index), 2), value: var(1) },
            ],
        },
        load(2, 4),
        put(2, 0),
    ];
    let mut program = program(Execution::DataParallel { warps: 3 }, 5, body);
    program.constants.real_bank = vec![10.0, 20.0, 30.0, 40.0];
    program.constants.index_bank = vec![9, 0, 1, 3];
    let input = input(333);
    for bank in [4, 10_000] {
        program.constants.real_bank.resize(bank, 0.0);
        let (output, report) = simulate(&program, &input, &Options::default()).unwrap();
        for point in 0..333 {
            assert_eq!(output[point], 40.0 * input[point]);
        }
        assert_eq!(report.total().local_bytes, 11 * 4 * 256);
        assert_eq!(report.total().constant_loads > 50, bank == 4, "a bank of {bank} doubles");
    }
}

#[test]
fn switch_takes_the_arm_of_the_warp() {
    let arm = |warp: u32, value| (1 << warp, vec![set(1, Value::Literal(value)), store(warp, 1)]);
    let body = vec![
        set(1, Value::Literal(-1.0)),
        store(4, 1),
        sync(0, 160),
        Node::Switch { arms: vec![arm(0, 10.0), arm(2, 12.0), arm(3, 13.0), (0b10010, vec![double(1)])] },
        sync(0, 160),
        on(1, vec![load(2, 2), load(3, 3), set(2, Value::Binary(Binary::Add, var(2), var(3))), put(2, 0)]),
        on(2, vec![put(1, 1)]),
        sync(0, 160),
    ];
    let mut program = program(Execution::WarpSpecialized { warps: 5, groups: 1 }, 5, body);
    // only one warp may write slot 4
    program.body[1] = on(16, vec![store(4, 1)]);
    let (output, _) = simulate(&program, &input(40), &Options::default()).unwrap();
    assert_eq!(output[..40], [25.0; 40]);
    assert_eq!(output[40..], [-2.0; 40]);
}

/// Every operation gives the bits that Rust gives.
#[test]
fn operations_give_the_bits_of_rust() {
    type Reference = fn(f64, f64) -> f64;
    let (a, b) = (var(0), var(1));
    let select = Value::SelectLe { a, b, then: a, otherwise: b };
    let cases: [(Value, Reference); 20] = [
        (Value::Unary(Unary::Exp, a), |a, _| elementary::exp(a)),
        (Value::Unary(Unary::Log, a), |a, _| elementary::log(a)),
        (Value::Unary(Unary::Sqrt, a), |a, _| a.sqrt()),
        (Value::Unary(Unary::Neg, a), |a, _| -a),
        (Value::Binary(Binary::Add, a, b), |a, b| a + b),
        (Value::Binary(Binary::Sub, a, b), |a, b| a - b),
        (Value::Binary(Binary::Mul, a, b), |a, b| a * b),
        (Value::Binary(Binary::Div, a, b), |a, b| a / b),
        (Value::Fma(a, b, a), |a, b| a.mul_add(b, a)),
        (select, |a, b| if a <= b { a } else { b }),
        (Value::Unary(Unary::Exp2, a), |a, _| exp2::polynomial(a)),
        (Value::Unary(Unary::Exp2Table, a), |a, _| exp2::tabulated(a)),
        (Value::Unary(Unary::Log2, a), |a, _| log2::log2(a)),
        (Value::Unary(Unary::Exp2Rising, a), |a, _| exp2::rising(a)),
        (Value::Unary(Unary::Exp2Falling, a), |a, _| exp2::falling(a)),
        (Value::Unary(Unary::Positive, a), |a, _| elementary::positive(a)),
        (Value::Unary(Unary::Exp2Within, a), |a, _| exp2::POLYNOMIAL_WITHIN.evaluate(a)),
        (Value::Unary(Unary::Exp2TableWithin, a), |a, _| exp2::TABULATED_WITHIN.evaluate(a)),
        (Value::Unary(Unary::Exp2RisingWithin, a), |a, _| exp2::RISING_WITHIN.evaluate(a)),
        (Value::Unary(Unary::Exp2FallingWithin, a), |a, _| exp2::FALLING_WITHIN.evaluate(a)),
    ];
    let points = 20_000;
    let exponents = (0..points).map(|i| -1040.0 + 2080.0 * f64::from(i) / f64::from(points));
    let second = (0..points).map(|i| f64::from(i % 97) - 40.5);
    let linear: Vec<f64> = exponents.clone().chain(second.clone()).collect();
    let positive: Vec<f64> = exponents.map(|x| x.clamp(-700.0, 700.0).exp()).chain(second).collect();
    for (i, (value, reference)) in cases.into_iter().enumerate() {
        let input = if [1, 2, 12].contains(&i) { &positive } else { &linear };
        let second = set(1, Value::Field { array: 0, row: Index::Literal(1), point: 0, share: Share::Whole });
        let program =
            program(Execution::DataParallel { warps: 4 }, 0, vec![fetch(0), second, set(2, value.clone()), put(2, 0)]);
        let (output, _) = simulate(&program, input, &Options::default()).unwrap();
        for point in 0..points as usize {
            let (a, b) = (input[point], input[point + points as usize]);
            assert_eq!(output[point].to_bits(), reference(a, b).to_bits(), "{value:?} of {a} and {b}");
        }
    }
}

/// Operations on singles that have no special cases give the bits of those that have, up to the limits of their operands.
#[test]
fn operations_without_special_cases_give_the_bits_of_rust() {
    type Reference = fn(f32, f32) -> f32;
    let (a, b) = (var(0), var(1));
    let cases: [(Value, Reference); 5] = [
        (Value::Binary(Binary::DivNear, a, b), |a, b| a / b),
        (Value::Binary(Binary::DivNear, var(3), b), |_, b| 1.0 / b),
        (Value::Unary(Unary::SqrtNear, b), |_, b| b.sqrt()),
        (Value::Unary(Unary::Exp2Near, a), |a, _| single::elementary::exp2(a)),
        (Value::Unary(Unary::Exp2FallingNear, a), |a, _| single::elementary::exp2(-a)),
    ];
    let points = 20_000u32;
    let ends = [branch_free::LEAST as f32, branch_free::MOST as f32, 1.0, 2f32.next_down()];
    // All exponents between the limits, and odd digits.
    let number = |i: u32| match i % 5 {
        n @ 0..4 => ends[((i / 5 + n) % 4) as usize],
        _ => f32::from_bits((67 + i % 119) << 23 | i.wrapping_mul(2_654_435_769) >> 9),
    };
    let exponent = |i: u32| (i as f32 / points as f32 - 0.5) * 2.0 * single::branch_free::NEAR_EXPONENT;
    for (i, (value, reference)) in cases.into_iter().enumerate() {
        let first = |point: u32| match i {
            3.. => exponent(point),
            _ if point.is_multiple_of(2) => number(point / 2),
            _ => -number(point / 3),
        };
        let singles: Vec<f32> = (0..points).map(first).chain((0..points).map(number)).collect();
        let input: Vec<f64> = singles.iter().copied().map(f64::from).collect();
        let body = vec![
            fetch(0),
            set(1, Value::Field { array: 0, row: Index::Literal(1), point: 0, share: Share::Whole }),
            set(3, Value::Literal(1.0)),
            set(2, value.clone()),
            put(2, 0),
        ];
        let mut program = program(Execution::DataParallel { warps: 4 }, 0, body);
        program.arithmetic = Arithmetic::Single { bound: 0.0 };
        let (output, _) = simulate(&program, &input, &Options::default()).unwrap();
        for point in 0..points as usize {
            let (a, b) = (singles[point], singles[point + points as usize]);
            let expected = reference(a, b);
            assert_eq!((output[point] as f32).to_bits(), expected.to_bits(), "{value:?} of {a:e} and {b:e}");
        }
    }
}

/// 2^x and 2^-x of one x, and selections by one comparison, share their work until the variable changes.
#[test]
fn what_two_values_share_is_computed_once() {
    type Reference = fn(f64) -> f64;
    let (a, b) = (var(0), var(1));
    let rising = |to| set(to, Value::Unary(Unary::Exp2Rising, a));
    let falling = |to| set(to, Value::Unary(Unary::Exp2Falling, a));
    let larger = |to, a, b| set(to, Value::SelectLe { a, b, then: b, otherwise: a });
    let most: Reference = |x| x.max(0.5);
    // Body, issue slots, the row that the result is made of, and how.
    let cases: [(Vec<Node>, u64, usize, Reference); 6] = [
        (vec![rising(2), falling(3)], 11, 0, exp2::falling),
        (vec![falling(2), rising(3)], 11, 0, exp2::rising),
        (vec![rising(2), fetch(1), falling(3)], 18, 1, exp2::falling),
        (vec![larger(2, a, b), larger(3, a, b)], 1, 0, most),
        (vec![larger(2, a, b), larger(3, b, a)], 2, 0, most),
        (vec![larger(2, a, b), fetch(1), larger(3, a, b)], 2, 1, most),
    ];
    let input: Vec<f64> = (0..64).map(|i| f64::from(i) - 20.25).collect();
    for (i, (body, slots, row, result)) in cases.into_iter().enumerate() {
        let body = [vec![fetch(0), set(1, Value::Literal(0.5))], body, vec![put(2, 1), put(3, 0)]].concat();
        let program = program(Execution::DataParallel { warps: 1 }, 0, body);
        let (output, report) = simulate(&program, &input, &Options::default()).unwrap();
        assert_eq!(report.warps.iter().map(|c| c.double_slots).sum::<u64>(), slots, "case {i}");
        for point in 0..32 {
            assert_eq!(output[point], result(input[32 * row + point]), "case {i}");
        }
    }
}

/// Three warps: the second reads after the first wrote, the third only after the second: order is transitive.
#[test]
fn order_is_transitive() {
    let body = vec![
        on(1, vec![fetch(0), store(0, 0), arrive(1, 64)]),
        on(2, vec![sync(1, 64), load(1, 0), arrive(2, 64)]),
        on(4, vec![sync(2, 64), load(1, 0), double(1), store(0, 1), put(1, 0)]),
        sync(3, 96),
    ];
    let program = program(Execution::WarpSpecialized { warps: 3, groups: 1 }, 1, body);
    for seed in 0..20 {
        let options = Options { schedule: Schedule::Random { seed }, ..Options::default() };
        assert_eq!(simulate(&program, &input(96), &options).unwrap().0[95], 192.0);
    }
}

#[test]
fn an_expression_is_computed_once_per_block() {
    let lane = || Box::new(Index::Literal(3));
    let index = || Index::Striped { register: 0, lane: lane() };
    let sum = || Index::Sum(Box::new(index()), Box::new(Index::Literal(1)));
    let field = |var, array| set(var, Value::Field { array, row: sum(), point: 0, share: Share::Whole });
    let fetched = |a, b| vec![field(a, 0), field(b, 0), put(a, 0), put(b, 1)];
    let body = [fetched(0, 1), vec![on(1, fetched(2, 3))]].concat();
    let mut program = program(TWO, 0, body);
    program.constants.index_registers = 1;
    program.constants.indices = vec![0; 64];
    let (_, report) = simulate(&program, &input(32), &Options::default()).unwrap();
    // A look-up that comes again has a name, which serves the blocks inside as well.
    assert_eq!(report.warps.iter().map(|c| c.shuffles).collect::<Vec<_>>(), [1, 1]);
}
