//! Register allocation: every budget, allocator and set of rewriting rules gives a kernel that the checker accepts and that
//! computes the same bits; broken allocations are found.

use std::fmt::Write as _;
use std::sync::Arc;

use singe::diagnostic::Source;
use singe::driver::{self, Request};
use singe::emit::overlay::Codegen;
use singe::kinetics;
use singe::mechanism;
use singe::observer::Observer;
use singe::sim::{self, Argument, Buffer, Launch};
use singe::simt::allocate::home::{Rewriting, Row};
use singe::simt::allocate::report::report;
use singe::simt::allocate::{self, Algorithm, Budget, Options, Refusal, Rules, check};
use singe::simt::inst::{Base, Cmp, InstData, Op, Operand, Space, TernaryOp, Type};
use singe::simt::ir::Reg;
use singe::simt::{Module, read};
use singe::verify;

#[path = "common/request.rs"]
mod request;

const BUDGETS: [u32; 6] = [8, 16, 24, 32, 48, 63];
const REWRITINGS: [Rewriting; 4] = [Rewriting::None, Rewriting::DivRA, Rewriting::RemRA, Rewriting::AffRA];

fn parse(text: &str) -> Module {
    read::read(&Arc::new(Source { name: "test.ptx".to_owned(), text: text.to_owned() })).unwrap()
}

/// `n` values of each kind that a row of Figure 6 is for, all alive through a loop: constants, uniform words and doubles, affine words with
/// known and unknown base, predicates, and loaded doubles.
fn pressure(n: usize, sm: u32) -> String {
    let mut body = String::new();
    for i in 0..n {
        writeln!(body, "mov.u32 %c{i}, {};", 100 + i).unwrap();
        writeln!(body, "add.s32 %u{i}, %count, {};", 7 * i + 1).unwrap();
        writeln!(body, "cvt.rn.f64.s32 %w{i}, %u{i};").unwrap();
        writeln!(body, "mad.lo.s32 %a{i}, %tid, {}, {};", i + 2, 3 * i).unwrap();
        writeln!(body, "mad.lo.s32 %b{i}, %tid, {}, %u{i};", i + 3).unwrap();
        writeln!(body, "ld.global.f64 %d{i}, [%in+{}];", 512 * i).unwrap();
        writeln!(body, "setp.gt.s32 %p{i}, %u{i}, 9;").unwrap();
        writeln!(body, "setp.gt.s32 %q{i}, %a{i}, 40;").unwrap();
    }
    body.push_str("mov.u32 %round, 0;\nmov.f64 %sum, 0d0000000000000000;\nmov.u32 %word, 0;\n$AGAIN:\n");
    for i in 0..n {
        writeln!(body, "fma.rn.f64 %sum, %d{i}, %w{i}, %sum;").unwrap();
        writeln!(body, "add.s32 %word, %word, %c{i};\nxor.b32 %word, %word, %u{i};\nadd.s32 %word, %word, %a{i};")
            .unwrap();
        writeln!(body, "mad.lo.s32 %word, %word, 5, %b{i};").unwrap();
        writeln!(body, "@%p{i} add.s32 %word, %word, 1;\n@!%q{i} add.s32 %word, %word, 2;").unwrap();
        writeln!(body, "selp.f64 %half, %d{i}, %sum, %q{i};\nadd.f64 %sum, %sum, %half;").unwrap();
    }
    let declare = |ty: &str, names: &[&str]| -> String {
        names.iter().map(|name| format!(".reg {ty} %{name}<{}>;\n", n + 1)).collect()
    };
    let declarations =
        declare(".b32", &["c", "u", "a", "b"]) + &declare(".f64", &["w", "d"]) + &declare(".pred", &["p", "q"]);
    let version = if sm < 70 { "6.0" } else { "7.0" };
    format!(
        ".version {version}\n.target sm_{sm}\n.address_size 64\n
.visible .entry pressure(.param .u64 input, .param .u64 output, .param .u32 count)
.reqntid 64, 1, 1
{{
{declarations}.reg .b32 %tid, %count, %round, %word;
.reg .b64 %in, %out, %wide;
.reg .f64 %sum, %half;
.reg .pred %more;
ld.param.u64 %in, [input];
ld.param.u64 %out, [output];
ld.param.u32 %count, [count];
mov.u32 %tid, %tid.x;
mul.wide.u32 %wide, %tid, 8;
add.s64 %in, %in, %wide;
add.s64 %out, %out, %wide;
{body}add.s32 %round, %round, 1;
setp.lt.s32 %more, %round, %count;
@%more bra $AGAIN;
cvt.rn.f64.s32 %half, %word;
add.f64 %sum, %sum, %half;
st.global.f64 [%out], %sum;
ret;
}}
"
    )
}

fn run(module: &Module, count: u32, n: usize) -> Vec<u64> {
    let inputs: Vec<f64> = (0..64 * n).map(|i| 1.0 + 0.37 * i as f64).collect();
    let mut buffers = [Buffer::input(&inputs), Buffer::output(64)];
    let arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(count)];
    let launch = Launch { ctas: [1, 1, 1], threads: [64, 1, 1], shared: 0, arguments };
    sim::run(module, "pressure", &launch, &mut buffers, &sim::Options::default()).unwrap_or_else(|h| panic!("{h:?}"));
    buffers[1].reals().into_iter().map(f64::to_bits).collect()
}

fn options(registers: u32, algorithm: Algorithm, rewriting: Rewriting) -> Options {
    Options { registers, algorithm, rewriting, shared: Budget { bytes: 8192, warps: 2 }, ..Options::default() }
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

/// One broken allocation per class of violation.
#[test]
fn the_checker_finds_what_is_broken() {
    let module = parse(&pressure(6, 35));
    let good =
        allocate::allocate(&module, "pressure", &options(16, Algorithm::ChaitinBriggs, Rewriting::AffRA)).unwrap();
    check::check(&good).unwrap();
    let found = |allocation: &allocate::Allocation| -> Vec<check::Kind> {
        check::check(allocation).expect_err("it is broken").into_iter().map(|v| v.kind).collect()
    };
    let func = |a: &mut allocate::Allocation| a.module.funcs.iter_mut().position(|f| f.name == "pressure").unwrap();

    // a reload from the slot of another value
    let mut broken = good.clone();
    let index = func(&mut broken);
    let (local, inserted) = (broken.local.unwrap(), broken.prepared.insts.len());
    let mut hit = 0;
    for (number, data) in broken.module.funcs[index].insts.values_mut().enumerate() {
        if let Op::Ld { space: Space::Local, addr, .. } = &mut data.op
            && number >= inserted
            && addr.base == Base::Variable(local)
        {
            addr.offset = if addr.offset == 0 { 8 } else { 0 };
            hit += 1;
            break;
        }
    }
    assert_eq!(hit, 1);
    assert!(found(&broken).iter().any(|kind| matches!(kind, check::Kind::Lost(_))));

    // a store that is missing
    let mut broken = good.clone();
    let stored = |data: &InstData| matches!(data.op, Op::St { space: Space::Shared, .. });
    let kernel = &mut broken.module.funcs[index];
    let (block, at) = kernel
        .layout
        .iter()
        .find_map(|b| kernel.blocks[*b].insts.iter().position(|i| stored(&kernel.insts[*i])).map(|at| (*b, at)))
        .unwrap();
    kernel.blocks[block].insts.remove(at);
    assert!(found(&broken).iter().any(|kind| matches!(kind, check::Kind::Lost(_))));

    // another register of the same class
    let mut broken = good.clone();
    let kernel = &mut broken.module.funcs[index];
    let doubles: Vec<Reg> = kernel.regs.iter().filter(|(_, ty)| **ty == Type::F64).map(|(reg, _)| reg).collect();
    let sum = kernel.insts.values_mut().find_map(|data| match &mut data.op {
        Op::Ternary { op: TernaryOp::Fma, a: Operand::Reg(a), .. } => Some(a),
        _ => None,
    });
    let operand = sum.unwrap();
    *operand = *doubles.iter().find(|reg| *reg != operand).unwrap();
    assert!(found(&broken).iter().any(|kind| matches!(kind, check::Kind::Lost(_))));

    // an odd unit for a double
    let mut broken = good.clone();
    broken.places[doubles[0]].start += 1;
    assert!(found(&broken).contains(&check::Kind::Place(doubles[0])));

    // an instruction that does something else
    let mut broken = good.clone();
    let kernel = &mut broken.module.funcs[index];
    let round = kernel.insts.values_mut().find_map(|data| match &mut data.op {
        Op::Setp { cmp, .. } => Some(cmp),
        _ => None,
    });
    *round.unwrap() = Cmp::Ge;
    assert!(found(&broken).contains(&check::Kind::Changed));

    // parts of shared memory that overlap
    let mut broken = good.clone();
    broken.module.variables[good.shared.unwrap()].bytes /= 2;
    assert_eq!(found(&broken), [check::Kind::Base]);
}

/// Vectors get consecutive, aligned units.
#[test]
fn vectors_are_consecutive() {
    let text = ".version 6.0\n.target sm_35\n.address_size 64\n
.visible .entry pressure(.param .u64 input, .param .u64 output, .param .u32 count)
{
.reg .b32 %tid;
.reg .b64 %in, %out, %wide;
.reg .f64 %a, %b, %c, %d;
ld.param.u64 %in, [input];
ld.param.u64 %out, [output];
mov.u32 %tid, %tid.x;
mul.wide.u32 %wide, %tid, 16;
add.s64 %in, %in, %wide;
add.s64 %wide, %out, %wide;
ld.global.v2.f64 {%a, %b}, [%in];
ld.global.v2.f64 {%c, %d}, [%in+16];
add.f64 %a, %a, %d;
add.f64 %b, %b, %c;
st.global.v2.f64 [%wide], {%b, %a};
ret;
}
";
    let module = parse(text);
    for registers in [12, 16, 32] {
        for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
            let allocation =
                allocate::allocate(&module, "pressure", &options(registers, algorithm, Rewriting::AffRA)).unwrap();
            check::check(&allocation).unwrap_or_else(|v| panic!("{v:?}\n{}", allocation.module));
        }
    }
    let mut broken =
        allocate::allocate(&module, "pressure", &options(32, Algorithm::ChaitinBriggs, Rewriting::None)).unwrap();
    let index = broken.module.funcs.iter().position(|f| f.name == "pressure").unwrap();
    for data in broken.module.funcs[index].insts.values_mut() {
        if let Op::Ld { dst, .. } = &mut data.op
            && dst.len() == 2
        {
            dst.swap(0, 1);
        }
    }
    assert!(check::check(&broken).unwrap_err().iter().any(|v| v.kind == check::Kind::Vector));
}

/// Too few registers for one instruction: said, not tried for ever.
#[test]
fn too_few_registers_are_refused() {
    let module = parse(&pressure(2, 35));
    for algorithm in [Algorithm::LinearScan, Algorithm::ChaitinBriggs] {
        let refusal = allocate::allocate(&module, "pressure", &options(4, algorithm, Rewriting::AffRA)).unwrap_err();
        assert_eq!(refusal, Refusal::TooFew(allocate::File::General));
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
