//! Register allocation: every budget, allocator and set of rewriting rules gives a kernel that the checker accepts and that
//! computes the same bits.

use overlay::Codegen;
use passes::allocate::report::report;
use passes::allocate::spill_location::{Rewriting, Row};
use passes::allocate::{self, Algorithm, Budget, Options, Rules, check};
use ptx::Module;
use singe::driver::Request;
use singe::verify;
use testkit::pressure::{options, parse, pressure};
use testkit::request;
use warpsim::{self, Argument, Buffer, Launch};

const BUDGETS: [u32; 6] = [8, 16, 24, 32, 48, 63];
const REWRITINGS: [Rewriting; 4] = [Rewriting::None, Rewriting::DivRA, Rewriting::RemRA, Rewriting::AffRA];

fn run(module: &Module, count: u32, n: usize) -> Vec<u64> {
    let inputs: Vec<f64> = (0..64 * n).map(|i| 1.0 + 0.37 * i as f64).collect();
    let mut buffers = [Buffer::input(&inputs), Buffer::output(64)];
    let arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(count)];
    let launch = Launch { ctas: [1, 1, 1], threads: [64, 1, 1], cluster: None, shared: 0, arguments };
    warpsim::run(module, "pressure", &launch, &mut buffers, &warpsim::Options::default())
        .unwrap_or_else(|h| panic!("{h:?}"));
    buffers[1].reals().into_iter().map(f64::to_bits).collect()
}

#[test]
fn every_budget_computes_the_same_bits() {
    let n = 6;
    for sm in [35, 70] {
        let module = parse(&pressure(n, sm));
        let expected = run(&module, 3, n);
        for registers in BUDGETS {
            for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
                for rewriting in REWRITINGS {
                    let options = options(registers, algorithm, rewriting);
                    let allocation = allocate::allocate(&module, "pressure", &options).unwrap();
                    check::check(&allocation).unwrap_or_else(|v| panic!("{options:?}: {v:?}\n{}", allocation.module));
                    assert_eq!(run(&allocation.module, 3, n), expected, "{options:?}");
                    let report = report(&allocation);
                    assert!(report.registers <= registers);
                    println!("sm_{sm} {registers} {algorithm:?} {rewriting:?}: {report:?}");
                    if rewriting == Rewriting::None {
                        assert!(report.rows.keys().all(|row| *row == Row::Local));
                    }
                    let text = allocation.module.to_string();
                    assert_eq!(parse(&text), allocation.module.canonical());
                }
            }
        }
    }
}

/// Rewritten values spare local accesses; `files/allocation/pressure.ptx` says which rows each rewriting uses.
#[test]
fn rewriting_spares_local_accesses() {
    let module = parse(&pressure(6, 35));
    let of = |rewriting| {
        report(&allocate::allocate(&module, "pressure", &options(16, Algorithm::ChaitinBriggs, rewriting)).unwrap())
    };
    assert!(2 * of(Rewriting::AffRA).local_accesses() < of(Rewriting::None).local_accesses());
}

/// The published rule calls the value uniform, which it is inside the loop, and keeps one for the warp: lanes that left early read the value of
/// a later round. (Condition S2.)
#[test]
fn a_divergent_exit_keeps_a_value_per_lane() {
    assert!(
        harm_as_published(include_str!("files/allocation/early-leavers.ptx")) > 0,
        "the published rule did no harm"
    );
}

/// Allocates at some budgets by our rules, which must keep the bits, and as published. Returns how often the latter changed
/// them, which the checker must have found.
fn harm_as_published(text: &str) -> usize {
    let module = parse(text);
    let expected = run(&module, 5, 6);
    let mut harm = 0;
    for registers in 8..=20 {
        for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
            let sound = options(registers, algorithm, Rewriting::AffRA);
            let allocation = allocate::allocate(&module, "pressure", &sound).unwrap();
            check::check(&allocation).unwrap_or_else(|v| panic!("{v:?}\n{}", allocation.module));
            assert_eq!(run(&allocation.module, 5, 6), expected, "{sound:?}");
            let as_published = Options { rules: Rules::Published, ..sound };
            let allocation = allocate::allocate(&module, "pressure", &as_published).unwrap();
            if run(&allocation.module, 5, 6) != expected {
                harm += 1;
                assert!(check::check(&allocation).is_err(), "{}", allocation.module);
            }
        }
    }
    harm
}

const SIBLINGS: [&str; 2] =
    [include_str!("files/allocation/siblings-sm_35.ptx"), include_str!("files/allocation/siblings-sm_70.ptx")];

/// The published rule lets the two values share a slot of the warp, since no thread needs both. (Condition S3.)
#[test]
fn siblings_do_not_share_a_slot() {
    for text in SIBLINGS {
        assert!(harm_as_published(text) > 0, "the published rule did no harm");
    }
}

/// One register for a uniform value before a divergent branch, which one side reads, and for another that the other side makes:
/// each side needs its own, so no slot of the warp can hold both in turn.
#[test]
fn a_register_that_one_side_overwrites_stays_with_its_thread() {
    for text in [
        include_str!("files/allocation/overwritten-on-one-side-sm_35.ptx"),
        include_str!("files/allocation/overwritten-on-one-side-sm_70.ptx"),
    ] {
        let module = parse(text);
        let expected = run(&module, 5, 6);
        for registers in 8..=20 {
            for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
                let options = options(registers, algorithm, Rewriting::AffRA);
                let allocation = allocate::allocate(&module, "pressure", &options).unwrap();
                check::check(&allocation).unwrap_or_else(|v| panic!("{v:?}\n{}", allocation.module));
                assert_eq!(run(&allocation.module, 5, 6), expected, "{options:?}");
            }
        }
    }
}

/// Our own mechanism kernels at every budget: the same bits on 40 states.
#[test]
fn mechanism_kernels_at_every_budget() {
    let codegen = Codegen::Overlay;
    let request = Request { codegen, verify: None, ..request::new(testkit::shipped("h2o2")) };
    let model = testkit::request::model(&request);
    let states = kinetics::verification_states(&model, 40);
    for kernel in &request.kernels {
        let unit = testkit::request::unit(*kernel, &model, &request);
        let (symbol, warps) = (&unit.program.symbol, unit.program.execution.warps());
        let outputs = |module: &Module| {
            let (outputs, counts) =
                verify::simulate(module, symbol, (&model, &unit.graph), warps, &states, states.len()).unwrap();
            (outputs.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), counts)
        };
        let (expected, _) = outputs(&unit.ptx);
        for registers in [16, 32, 63] {
            let mut local = Vec::new();
            for rewriting in [Rewriting::None, Rewriting::AffRA] {
                let shared = Budget { bytes: 4096, warps };
                let options = Options { registers, rewriting, shared, ..Options::default() };
                let allocation =
                    allocate::allocate(&unit.ptx, symbol, &options).unwrap_or_else(|r| panic!("{symbol}: {r}"));
                check::check(&allocation).unwrap_or_else(|v| panic!("{symbol}: {v:?}"));
                let (found, _) = outputs(&allocation.module);
                assert!(found == expected, "{symbol} with {registers} registers, {rewriting:?}: other bits");
                local.push(report(&allocation).local_accesses());
            }
            println!("{symbol} with {registers} registers: local accesses {} -> {}", local[0], local[1]);
            assert!(local[1] <= local[0]);
        }
    }
}
