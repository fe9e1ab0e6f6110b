//! Register allocation: every budget, allocator and set of rewriting rules gives a kernel that the checker accepts and that
//! computes the same bits.

use kinetics;
use mechanism;
use ptx::Module;
use ptx::allocate::home::{Rewriting, Row};
use ptx::allocate::report::report;
use ptx::allocate::{self, Algorithm, Budget, Options, Refusal, Rules, check};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::overlay::Codegen;
use singe::verify;
use warpsim::{self, Argument, Buffer, Launch};

#[path = "common/pressure.rs"]
mod pressure;
#[path = "common/request.rs"]
mod request;

use pressure::{options, parse, pressure};

const BUDGETS: [u32; 6] = [8, 16, 24, 32, 48, 63];
const REWRITINGS: [Rewriting; 4] = [Rewriting::None, Rewriting::DivRA, Rewriting::RemRA, Rewriting::AffRA];

fn run(module: &Module, count: u32, n: usize) -> Vec<u64> {
    let inputs: Vec<f64> = (0..64 * n).map(|i| 1.0 + 0.37 * i as f64).collect();
    let mut buffers = [Buffer::input(&inputs), Buffer::output(64)];
    let arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(count)];
    let launch = Launch { ctas: [1, 1, 1], threads: [64, 1, 1], shared: 0, arguments };
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

/// The rows of Figure 6 all occur where the kernel has values for them, and shared memory spares local accesses.
#[test]
fn every_row_is_used() {
    let module = parse(&pressure(6, 35));
    let of = |rewriting| {
        report(&allocate::allocate(&module, "pressure", &options(16, Algorithm::ChaitinBriggs, rewriting)).unwrap())
    };
    let none = of(Rewriting::None);
    let rows = |rewriting| of(rewriting).rows.into_keys().collect::<Vec<_>>();
    assert_eq!(rows(Rewriting::DivRA), [Row::Uniform, Row::Local]);
    assert_eq!(rows(Rewriting::RemRA), [Row::Constant, Row::Affine, Row::Local]);
    assert_eq!(rows(Rewriting::AffRA), [Row::Constant, Row::Uniform, Row::Affine, Row::Residual, Row::Local]);
    assert!(2 * of(Rewriting::AffRA).local_accesses() < none.local_accesses());
}

/// A kernel of n doubles in which one value leaves the loop through an exit that lanes take one by one: lane t has to keep the value
/// of its own last round. `kept` doubles are alive across the loop, to press the value into memory.
fn early_leavers(kept: usize) -> String {
    let loads: String = (0..kept).map(|i| format!("ld.global.f64 %d{i}, [%in+{}];\n", 512 * i)).collect();
    let uses: String = (0..kept).map(|i| format!("add.f64 %sum, %sum, %d{i};\n")).collect();
    let often = uses.repeat(3);
    format!(
        ".version 6.0\n.target sm_35\n.address_size 64\n
.visible .entry pressure(.param .u64 input, .param .u64 output, .param .u32 count)
.reqntid 64, 1, 1
{{
.reg .b32 %tid, %round, %word, %count;
.reg .b64 %in, %out, %wide;
.reg .f64 %d<{kept}>, %sum, %last;
.reg .pred %more;
ld.param.u64 %in, [input];
ld.param.u32 %count, [count];
mov.u32 %tid, %tid.x;
mul.wide.u32 %wide, %tid, 8;
add.s64 %in, %in, %wide;
{loads}mov.u32 %round, 0;
mov.f64 %sum, 0d0000000000000000;
$AGAIN:
mad.lo.s32 %word, %round, 3, %count;
{often}add.s32 %round, %round, 1;
setp.lt.u32 %more, %round, %tid;
@%more bra $AGAIN;
cvt.rn.f64.s32 %last, %word;
add.f64 %sum, %sum, %last;
ld.param.u64 %out, [output];
mul.wide.u32 %wide, %tid, 8;
add.s64 %out, %out, %wide;
st.global.f64 [%out], %sum;
ret;
}}
"
    )
}

/// The published rule calls the value uniform, which it is inside the loop, and keeps one for the warp: lanes that left early read the value of
/// a later round. (Condition S2.)
#[test]
fn a_divergent_exit_keeps_a_value_per_lane() {
    assert!(harm_as_published(&early_leavers(6)) > 0, "the published rule did no harm");
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

/// Uniform values of the two sides of a divergent branch: `first` is made before the branch and read on the even side only, `second` lives on the
/// odd side only; `third` and `fourth` the other way round. No thread has both of a pair at once.
fn siblings(sm: u32, kept: usize) -> String {
    let version = if sm < 70 { "6.0" } else { "7.0" };
    let loads: String = (0..kept).map(|i| format!("ld.global.f64 %d{i}, [%in+{}];\n", 512 * i)).collect();
    let uses: String = (0..kept).map(|i| format!("add.f64 %sum, %sum, %d{i};\n")).collect();
    let often = uses.repeat(3);
    format!(
        ".version {version}\n.target sm_{sm}\n.address_size 64\n
.visible .entry pressure(.param .u64 input, .param .u64 output, .param .u32 count)
.reqntid 64, 1, 1
{{
.reg .b32 %tid, %first, %second, %third, %fourth, %count, %lane;
.reg .b64 %in, %out, %wide;
.reg .f64 %d<{kept}>, %sum;
.reg .pred %side;
ld.param.u64 %in, [input];
ld.param.u32 %count, [count];
mov.u32 %tid, %tid.x;
and.b32 %lane, %tid, 1;
mul.lo.s32 %first, %count, 7;
mul.lo.s32 %third, %count, 13;
mul.wide.u32 %wide, %tid, 8;
add.s64 %in, %in, %wide;
setp.eq.u32 %side, %lane, 0;
@%side bra $EVEN;
mul.lo.s32 %second, %count, 11;
{loads}mov.f64 %sum, 0d0000000000000000;
{often}cvt.rn.f64.s32 %d0, %second;
add.f64 %sum, %sum, %d0;
cvt.rn.f64.s32 %d0, %third;
add.f64 %sum, %sum, %d0;
bra.uni $MEET;
$EVEN:
mul.lo.s32 %fourth, %count, 17;
{loads}mov.f64 %sum, 0d3FF0000000000000;
{often}cvt.rn.f64.s32 %d0, %first;
add.f64 %sum, %sum, %d0;
cvt.rn.f64.s32 %d0, %fourth;
add.f64 %sum, %sum, %d0;
$MEET:
ld.param.u64 %out, [output];
mul.wide.u32 %wide, %tid, 8;
add.s64 %out, %out, %wide;
st.global.f64 [%out], %sum;
ret;
}}
"
    )
}

/// The published rule lets the two values share a slot of the warp, since no thread needs both. (Condition S3.)
#[test]
fn siblings_do_not_share_a_slot() {
    for sm in [35, 70] {
        assert!(harm_as_published(&siblings(sm, 6)) > 0, "sm_{sm}: the published rule did no harm");
    }
}

/// One register for a uniform value before a divergent branch, which one side reads, and for another that the other side makes:
/// each side needs its own, so no slot of the warp can hold both in turn.
#[test]
fn a_register_that_one_side_overwrites_stays_with_its_thread() {
    for sm in [35, 70] {
        let declared = siblings(sm, 6).replace("%first, %second, %third, %fourth,", "%first, %third,");
        let text = declared.replace("%second", "%first").replace("%fourth", "%third");
        let module = parse(&text);
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

/// Too few registers for one instruction: said, not tried for ever.
#[test]
fn too_few_registers_are_refused() {
    let module = parse(&pressure(2, 35));
    for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
        let refusal = allocate::allocate(&module, "pressure", &options(4, algorithm, Rewriting::AffRA)).unwrap_err();
        let Refusal::TooFew(refusal) = refusal else { panic!("{refusal}") };
        assert_eq!((refusal.file, refusal.units), (allocate::File::General, 6));
        assert!(refusal.widest.starts_with("fma.rn.f64 "), "{}", refusal.widest);
    }
}

/// Our own mechanism kernels at every budget: the same bits on 40 states.
#[test]
fn mechanism_kernels_at_every_budget() {
    let codegen = Codegen::Overlay;
    let request = Request { codegen, verify: None, ..request::of(request::shipped("h2o2")) };
    let (mechanism, _) = mechanism::read(&request.files).unwrap();
    let model = kinetics::model(mechanism).unwrap();
    let states = kinetics::verification_states(&model, 40);
    for kernel in &request.kernels {
        let unit = driver::compile_kernel(*kernel, &model, &request, &mut Observer::silent()).unwrap();
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
