//! Small programs, lowered, printed and simulated.

mod hazards;
mod programs;
mod text;

use super::print;
use cranelift_entity::{EntityRef, PrimaryMap};
use kernels::Io;
use machine::target::{ComputeCapability, Target};
use overlay::program::*;
use warpsim::*;

const KEPLER: ComputeCapability = ComputeCapability(3, 5);

/// The module of a program for a machine.
fn module(program: &Program, architecture: ComputeCapability) -> ptx::Module {
    let target = Target::by_name("kepler").expect("a target that comes with the crate");
    print(&lower::lower(program, target), architecture)
}

/// A kernel `a -> b` with one row each and as many warps and slots as asked for.
fn program(execution: Execution, slots: u32, body: Vec<Node>) -> Program {
    let array = |name: &str, output| Array { name: name.to_owned(), rows: 2, output, io: Io::Double };
    Program {
        kernel: "test".to_owned(),
        symbol: "test".to_owned(),
        arithmetic: Arithmetic::Double,
        execution,
        points_per_lane: 1,
        slots,
        first_global: None,
        arrays: vec![array("a", false), array("b", true)],
        vars: (0..8).map(|i| format!("v{i}")).collect::<PrimaryMap<Var, String>>(),
        counters: 2,
        constants: Constants::default(),
        contents: Vec::new(),
        registers: None,
        staging_bytes: None,
        body,
    }
}

fn var(index: usize) -> Var {
    Var::new(index)
}

fn set(index: usize, value: Value) -> Node {
    Node::Let { var: var(index), value }
}

/// Row `row` of array a into variable 0.
fn fetch(row: u32) -> Node {
    set(0, Value::Field { array: 0, row: Index::Literal(row), point: 0, share: Share::Whole })
}

/// Variable `index` into row `row` of array b.
fn put(index: usize, row: u32) -> Node {
    Node::StoreField { array: 1, row: Index::Literal(row), point: 0, value: var(index), rest: None }
}

fn store(row: u32, index: usize) -> Node {
    Node::StoreSlot { row: Index::Literal(row), value: var(index) }
}

fn load(index: usize, row: u32) -> Node {
    set(index, Value::Slot(Index::Literal(row)))
}

fn sync(id: u32, threads: u32) -> Node {
    Node::Barrier { id, threads, kind: BarrierKind::Sync }
}

fn arrive(id: u32, threads: u32) -> Node {
    Node::Barrier { id, threads, kind: BarrierKind::Arrive }
}

fn on(warps: WarpMask, body: Vec<Node>) -> Node {
    Node::If { warps, body }
}

fn double(index: usize) -> Node {
    set(index, Value::Binary(Binary::Add, var(index), var(index)))
}

/// The input, both rows: 1, 2, 3 …
fn input(points: u32) -> Vec<f64> {
    (1..=2 * points).map(f64::from).collect()
}

/// Runs on `points` points with 2 CTAs; the output's values, which must all be written.
fn simulate(program: &Program, input: &[f64], options: &Options) -> Result<(Vec<f64>, Report), Box<Hazards>> {
    let points = input.len() as u32 / 2;
    let mut buffers = [Buffer::input(input), Buffer::output(input.len())];
    let launch = Launch::fields(2, program.execution.warps(), 2, points, points);
    let report = run(&module(program, KEPLER), &program.symbol, &launch, &mut buffers, options)?;
    Ok((buffers[1].reals(), report))
}

/// The kinds of the hazards, which must be there.
fn hazards(program: &Program) -> Vec<Kind> {
    let outcome = simulate(program, &input(64), &Options::default());
    outcome.expect_err("a hazard").list.into_iter().map(|hazard| hazard.kind).collect()
}
