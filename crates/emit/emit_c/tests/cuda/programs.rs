//! Small programs written by hand, one for each idea of the emitted text.

use cranelift_entity::{EntityRef, PrimaryMap};
use kernels::Io;
use overlay::program::{
    Array, BarrierKind, Binary, ConstantRef, Constants, Counter, Execution, Index, Node, Program, Share, Unary, Value,
    Var,
};

/// All programs.
pub fn all() -> Vec<Program> {
    vec![hand_over(), striped_loop(), switch(), data_parallel(), large_slots(), products()]
}

fn new(kernel: &str, execution: Execution, fields: &[(&str, u32)], output_rows: u32) -> Program {
    let input = |&(name, rows): &(&str, u32)| Array { name: name.to_owned(), rows, output: false, io: Io::Double };
    let mut arrays: Vec<Array> = fields.iter().map(input).collect();
    arrays.push(Array { name: "result".to_owned(), rows: output_rows, output: true, io: Io::Double });
    Program {
        kernel: kernel.to_owned(),
        arithmetic: overlay::program::Arithmetic::Double,
        symbol: format!("test_{kernel}"),
        execution,
        points_per_lane: 1,
        slots: 0,
        arrays,
        vars: PrimaryMap::new(),
        counters: 0,
        constants: Constants::default(),
        contents: Vec::new(),
        registers: None,
        staging_bytes: None,
        first_global: None,
        body: Vec::new(),
    }
}

fn assign(var: Var, value: Value) -> Node {
    Node::Let { var, value }
}

fn field(array: usize, row: u32) -> Value {
    Value::Field { array, row: Index::Literal(row), point: 0, share: Share::Whole }
}

fn striped_index(register: u32, lane: u32) -> Index {
    Index::Striped { register, lane: Box::new(Index::Literal(lane)) }
}

fn store(array: usize, row: u32, value: Var) -> Node {
    Node::StoreField { array, row: Index::Literal(row), point: 0, value, rest: None }
}

fn striped(register: u32, lane: Index) -> Value {
    Value::Constant(ConstantRef::Striped { register, lane })
}

fn barrier(id: u32, kind: BarrierKind) -> Node {
    Node::Barrier { id, threads: 64, kind }
}

/// Warp 0 computes ln T and hands it to warp 1 through a slot, with one barrier for "full" and one for "empty".
pub fn hand_over() -> Program {
    let mut p = new("hand_over", Execution::WarpSpecialized { warps: 2, groups: 1 }, &[("temperature", 1)], 1);
    p.slots = 1;
    let [t, half, log, received, square, sum] =
        ["temperature", "half", "log T", "log T", "square", "sum"].map(|hint| p.vars.push(hint.to_owned()));
    let slot = Index::Literal(0);
    p.body = vec![
        Node::Comment("ln T goes from warp 0 to warp 1".to_owned()),
        Node::If {
            warps: 1,
            body: vec![
                assign(t, field(0, 0)),
                assign(log, Value::Unary(Unary::Log, t)),
                barrier(1, BarrierKind::Sync),
                Node::StoreSlot { row: slot.clone(), value: log },
                barrier(0, BarrierKind::Arrive),
            ],
        },
        Node::If {
            warps: 2,
            body: vec![
                barrier(1, BarrierKind::Arrive),
                barrier(0, BarrierKind::Sync),
                assign(received, Value::Slot(slot)),
                assign(half, Value::Literal(-0.5)),
                // A product that meets a sum: must not be fused.
                assign(square, Value::Binary(Binary::Mul, received, received)),
                assign(sum, Value::Binary(Binary::Sub, square, half)),
                store(1, 0, sum),
            ],
        },
    ];
    p
}

/// A polynomial in T by Horner's rule: coefficients striped over the lanes, trips and rows by warp indexing.
pub fn striped_loop() -> Program {
    let mut p = new("striped_loop", Execution::WarpSpecialized { warps: 2, groups: 1 }, &[("temperature", 1)], 2);
    let [t, sum, coefficient, high, low, chosen] =
        ["t", "sum", "coefficient", "high", "low", "chosen"].map(|hint| p.vars.push(hint.to_owned()));
    p.counters = 1;
    let counter = Counter::new(0);
    p.constants.real_registers = 1;
    p.constants.reals = (0..64).map(|i| 1.0 / f64::from(i + 1)).collect();
    p.constants.index_registers = 1;
    p.constants.indices = (0..64).map(|i| if i % 32 == 0 { 5 } else { i / 32 }).collect();
    let lane = Index::Sum(Box::new(Index::Scaled(Box::new(Index::Counter(counter)), 2)), Box::new(Index::Literal(1)));
    p.body = vec![
        assign(t, field(0, 0)),
        assign(sum, striped(0, Index::Literal(31))),
        Node::Loop {
            counter,
            trips: striped_index(0, 0),
            unroll: 4,
            body: vec![assign(coefficient, striped(0, lane)), assign(sum, Value::Fma(sum, t, coefficient))],
        },
        // All lanes take part in the broadcasts, also those whose point does not exist or does not choose the value.
        assign(high, striped(0, Index::Literal(2))),
        assign(low, striped(0, Index::Literal(3))),
        assign(chosen, Value::SelectLe { a: sum, b: t, then: high, otherwise: low }),
        Node::StoreField { array: 1, row: striped_index(0, 1), point: 0, value: chosen, rest: None },
    ];
    p
}

/// Each warp takes another way; two share one.
pub fn switch() -> Program {
    let mut p =
        new("switch", Execution::WarpSpecialized { warps: 4, groups: 1 }, &[("temperature", 1), ("pressure", 1)], 1);
    let [t, pressure, y, z, limit, least] =
        ["T", "P", "y", "z", "limit", "least"].map(|hint| p.vars.push(hint.to_owned()));
    p.body = vec![
        assign(t, field(0, 0)),
        Node::Switch {
            arms: vec![
                (0b1001, vec![assign(y, Value::Unary(Unary::Exp, t))]),
                (0b0010, vec![assign(pressure, field(1, 0)), assign(y, Value::Binary(Binary::Div, t, pressure))]),
                (0b0100, vec![assign(z, Value::Unary(Unary::Sqrt, t)), assign(y, Value::Unary(Unary::Neg, z))]),
            ],
        },
        assign(limit, Value::Literal(1e-30)),
        assign(least, Value::SelectLe { a: y, b: limit, then: limit, otherwise: y }),
        Node::If { warps: 0b1000, body: vec![store(2, 0, least)] },
    ];
    p
}

/// One thread per point, with constants from a bank and slots in local memory.
pub fn data_parallel() -> Program {
    let mut p = new("data_parallel", Execution::DataParallel { warps: 4 }, &[("x", 3)], 1);
    p.slots = 3;
    p.counters = 1;
    let [x, weight, largest, y] = ["x", "weight", "largest", "y"].map(|hint| p.vars.push(hint.to_owned()));
    p.constants.real_bank = vec![28.0134, 31.998, 2.01588];
    p.constants.index_bank = vec![2, 0, 1];
    let counter = Counter::new(0);
    let turn = Index::Bank(Box::new(Index::Counter(counter)));
    p.body = vec![
        assign(largest, Value::Literal(0.0)),
        Node::Loop {
            counter,
            trips: Index::Literal(3),
            unroll: 1,
            body: vec![
                assign(x, Value::Field { array: 0, row: turn.clone(), point: 0, share: Share::Whole }),
                assign(weight, Value::Constant(ConstantRef::Bank(turn.clone()))),
                assign(y, Value::Binary(Binary::Div, x, weight)),
                Node::StoreSlot { row: turn.clone(), value: y },
            ],
        },
    ];
    for row in 0..3 {
        let read = p.vars.push("mole fraction".to_owned());
        p.body.push(assign(read, Value::Slot(Index::Literal(row))));
        p.body.push(assign(largest, Value::SelectLe { a: largest, b: read, then: read, otherwise: largest }));
    }
    p.body.push(store(1, 0, largest));
    p
}

/// More slots than static shared memory holds.
pub fn large_slots() -> Program {
    let mut p = new("large_slots", Execution::WarpSpecialized { warps: 1, groups: 1 }, &[("x", 1)], 1);
    p.slots = 200;
    let [x, y] = ["x", "y"].map(|hint| p.vars.push(hint.to_owned()));
    p.body = vec![
        assign(x, field(0, 0)),
        Node::StoreSlot { row: Index::Literal(199), value: x },
        assign(y, Value::Slot(Index::Literal(199))),
        store(1, 0, y),
    ];
    p
}

/// Every way from a product to a sum, and products that meet none.
pub fn products() -> Program {
    let mut p = new("products", Execution::DataParallel { warps: 1 }, &[("x", 10)], 8);
    p.slots = 1;
    let [b, c, total] = ["b", "c", "total"].map(|hint| p.vars.push(hint.to_owned()));
    p.body = (0..).zip([b, c]).map(|(row, var)| assign(var, field(0, row))).collect();
    let mut let_new = |value| {
        let var = p.vars.push("y".to_owned());
        p.body.push(assign(var, value));
        var
    };
    // Different factors: a compiler does not fuse a product that it needs for itself.
    let [added, from, taken, negated, copied, chosen, stored, squared] = [2, 3, 4, 5, 6, 7, 8, 9].map(|row| {
        let factor = let_new(field(0, row));
        let_new(Value::Binary(Binary::Mul, factor, b))
    });
    let minus = let_new(Value::Unary(Unary::Neg, negated));
    let copy = let_new(Value::Var(copied));
    let choice = let_new(Value::SelectLe { a: b, b: c, then: chosen, otherwise: c });
    let results = [
        let_new(Value::Binary(Binary::Add, added, c)),
        let_new(Value::Binary(Binary::Sub, from, c)),
        let_new(Value::Binary(Binary::Sub, c, taken)),
        let_new(Value::Binary(Binary::Add, minus, c)),
        let_new(Value::Binary(Binary::Add, copy, c)),
        let_new(Value::Binary(Binary::Add, choice, c)),
        let_new(Value::Fma(squared, squared, c)),
    ];
    let read = p.vars.push("read".to_owned());
    let slot = Index::Literal(0);
    p.body.extend([
        Node::StoreSlot { row: slot.clone(), value: stored },
        assign(read, Value::Slot(slot)),
        assign(total, Value::Binary(Binary::Add, read, c)),
    ]);
    let stores = (0..).zip(results).map(|(row, result)| store(1, row, result));
    p.body.extend(stores.chain([store(1, 7, total)]));
    p
}
