use super::programs::handover;
use super::*;
use ptx::inst::Space;

const TWO: Execution = Execution::WarpSpecialized { warps: 2, groups: 1 };

/// The handover with the body of one warp changed.
fn changed(warp: usize, change: impl Fn(&mut Vec<Node>)) -> Program {
    let mut program = handover();
    match &mut program.body[warp] {
        Node::If { body, .. } => change(body),
        _ => unreachable!("the handover consists of one branch per warp"),
    }
    program
}

fn misuse(kinds: &[Kind]) -> Vec<&BarrierMisuse> {
    kinds.iter().filter_map(|kind| if let Kind::Barrier { misuse, .. } = kind { Some(misuse) } else { None }).collect()
}

#[test]
fn a_read_without_its_barrier_races() {
    let mut program = handover();
    program.body = vec![on(1, vec![fetch(0), store(0, 0)]), on(2, vec![load(1, 0), put(1, 0)])];
    let kinds = hazards(&program);
    let Kind::Race { address: 0, access: Access::Read, earlier: Access::Write, earlier_site } = &kinds[0] else {
        panic!("{kinds:?}")
    };
    assert_eq!((earlier_site.warp, earlier_site.text.starts_with("st.shared.f64")), (0, true));
}

#[test]
fn a_write_without_its_barrier_races_with_the_read_before() {
    // without barrier 2 the producer overwrites the slot while the consumer may still read
    let mut program = changed(0, |body| drop(body.remove(1)));
    match &mut program.body[1] {
        Node::If { body, .. } => drop(body.remove(0)),
        _ => unreachable!("the handover consists of one branch per warp"),
    }
    let options = Options { schedule: Schedule::RoundRobin, ..Options::default() };
    let found = simulate(&program, &input(200), &options).unwrap_err();
    let races = found.list.iter().filter(|h| matches!(h.kind, Kind::Race { access: Access::Write, .. })).count();
    assert!(races > 0, "{found}");
}

#[test]
fn two_writers_race() {
    let body = vec![set(0, Value::Literal(1.0)), store(0, 0)];
    let kinds = hazards(&program(TWO, 1, body));
    assert!(matches!(kinds[0], Kind::Race { access: Access::Write, earlier: Access::Write, .. }), "{kinds:?}");
}

#[test]
fn a_swapped_id_deadlocks() {
    let kinds = hazards(&changed(1, |body| body[1] = sync(3, 64)));
    let Kind::Deadlock { waits, exited, .. } = &kinds[0] else { panic!("{kinds:?}") };
    let waits: Vec<_> = waits.iter().map(|w| (w.site.warp, w.barrier, w.arrived, w.expected)).collect();
    // the producer has gone on to its second group
    assert_eq!((waits.as_slice(), exited.as_slice()), ([(1, 3, 32, 64)].as_slice(), [0].as_slice()));
}

#[test]
fn waiting_for_each_other_deadlocks() {
    let body = vec![on(1, vec![sync(1, 64), sync(2, 64)]), on(2, vec![sync(2, 64), sync(1, 64)])];
    let kinds = hazards(&program(TWO, 0, body));
    let [Kind::Deadlock { waits, exited, .. }] = &kinds[..] else { panic!("{kinds:?}") };
    assert_eq!((waits.len(), exited.len()), (2, 0));
}

#[test]
fn barrier_misuse_is_found() {
    let of = |body| hazards(&program(TWO, 1, body));
    let wrong = of(vec![on(1, vec![sync(1, 64)]), on(2, vec![sync(1, 32)])]);
    assert_eq!(misuse(&wrong), [&BarrierMisuse::Mismatch { expected: 64, found: 32 }]);
    assert_eq!(misuse(&of(vec![sync(16, 64)])), [&BarrierMisuse::Id]);
    assert_eq!(misuse(&of(vec![sync(1, 48)])), [&BarrierMisuse::Threads(48)]);
    assert_eq!(misuse(&of(vec![sync(1, 96)])), [&BarrierMisuse::Threads(96)]);
    assert_eq!(misuse(&of(vec![on(1, vec![arrive(1, 64), arrive(1, 64)])])), [&BarrierMisuse::Twice]);
    let surplus = of(vec![on(1, vec![arrive(1, 64)])]);
    assert_eq!(misuse(&surplus), [&BarrierMisuse::Unmatched { arrived: 32, expected: 64 }]);
}

#[test]
fn reads_of_unwritten_memory_are_found() {
    let unwritten = |space| Kind::Unwritten { space, address: 0 };
    assert_eq!(hazards(&program(TWO, 1, vec![load(0, 0), put(0, 0)])), [unwritten(Space::Shared)]);
    let local = program(Execution::DataParallel { warps: 1 }, 1, vec![load(0, 0), put(0, 0)]);
    assert_eq!(hazards(&local), [unwritten(Space::Local)]);
    let read = set(0, Value::Field { array: 1, row: Index::Literal(0), point: 0, share: Share::Whole });
    let output = program(TWO, 0, vec![read, put(0, 1)]);
    assert!(matches!(hazards(&output)[..], [Kind::Unwritten { space: Space::Global, .. }]));
}

#[test]
fn accesses_out_of_bounds_are_found() {
    let out = |kinds: &[Kind], of| matches!(kinds, [Kind::OutOfBounds { space, .. }] if *space == of);
    let constant = vec![set(0, Value::Literal(1.0)), store(2, 0)];
    assert!(out(&hazards(&program(TWO, 2, constant.clone())), Space::Shared));
    assert!(out(&hazards(&program(Execution::DataParallel { warps: 2 }, 2, constant)), Space::Local));
    assert!(out(&hazards(&program(TWO, 0, vec![fetch(2), put(0, 0)])), Space::Global));
    let constant = set(0, Value::Constant(ConstantRef::Bank(Index::Literal(1))));
    let mut bank = program(TWO, 0, vec![constant, put(0, 0)]);
    bank.constants.real_bank = vec![1.0];
    assert!(out(&hazards(&bank), Space::Const));
}

#[test]
fn a_write_to_an_input_is_found() {
    let body =
        vec![fetch(0), Node::StoreField { array: 0, row: Index::Literal(0), point: 0, value: var(0), rest: None }];
    assert!(matches!(hazards(&program(TWO, 0, body))[..], [Kind::ReadOnly { .. }]));
}

#[test]
fn the_budget_ends_a_run() {
    let options = Options { budget: 100, ..Options::default() };
    let hazards = simulate(&handover(), &input(1000), &options).unwrap_err();
    assert_eq!(hazards.list[0].kind, Kind::Budget);
}

#[test]
fn messages_name_kernel_warp_instruction_and_row() {
    let body = vec![on(2, vec![load(0, 1), put(0, 0)])];
    let hazards = simulate(&program(TWO, 2, body), &input(32), &Options::default()).unwrap_err();
    let expected = "kernel test, CTA 0, warp 1 at 34 `ld.shared.f64 %fd1, [%r9+256];`: \
                    reads shared 256 (row 1, lane 0) before it is written";
    assert_eq!(hazards.to_string(), expected);
}
