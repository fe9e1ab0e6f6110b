//! The checker of allocations: it finds an allocation that is broken in one place, whatever the class of the violation.

use passes::allocate::spill_location::{Known, Rewriting};
use passes::allocate::{self, Algorithm, Allocation, File, PhysicalRegister, check};
use ptx::inst::{Base, BinaryOp, Cmp, InstData, Op, Operand, Space, Terminator, TernaryOp, Type};
use ptx::ir::Reg;
use testkit::pressure::{options, parse, pressure};

fn found(allocation: &Allocation) -> Vec<check::Kind> {
    check::check(allocation).expect_err("it is broken").into_iter().map(|v| v.kind).collect()
}

fn kernel(allocation: &Allocation) -> usize {
    allocation.module.funcs.iter().position(|f| f.name == "pressure").unwrap()
}

#[test]
fn the_checker_finds_what_is_broken() {
    let module = parse(&pressure(6, 35));
    let good =
        allocate::allocate(&module, "pressure", &options(16, Algorithm::ChaitinBriggs, Rewriting::AffRA)).unwrap();
    check::check(&good).unwrap();

    // a reload from the slot of another value
    let mut broken = good.clone();
    let index = kernel(&broken);
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

    // an odd unit for a double, one behind the file, half of its units, and the other file
    for misassign in [
        |place: &mut PhysicalRegister| place.start += 1,
        |place: &mut PhysicalRegister| place.start = 16,
        |place: &mut PhysicalRegister| place.units = 1,
        |place: &mut PhysicalRegister| place.file = File::Predicate,
    ] {
        let mut broken = good.clone();
        misassign(&mut broken.physical[doubles[0]]);
        assert!(found(&broken).contains(&check::Kind::Assignment(doubles[0])));
    }

    // an instruction that does something else
    let mut broken = good.clone();
    let kernel = &mut broken.module.funcs[index];
    let round = kernel.insts.values_mut().find_map(|data| match &mut data.op {
        Op::Setp { cmp, .. } => Some(cmp),
        _ => None,
    });
    *round.unwrap() = Cmp::Ge;
    assert!(found(&broken).contains(&check::Kind::Changed));

    // a store of the kernel that is missing
    let mut broken = good.clone();
    let kernel = &mut broken.module.funcs[index];
    let effect = |data: &InstData| matches!(data.op, Op::St { space: Space::Global, .. });
    for block in kernel.blocks.values_mut() {
        block.insts.retain(|inst| !effect(&kernel.insts[*inst]));
    }
    assert_eq!(found(&broken), [check::Kind::Changed]);

    // a branch the other way
    let mut broken = good.clone();
    for block in broken.module.funcs[index].blocks.values_mut() {
        if let Terminator::CondBra { guard, .. } = &mut block.terminator {
            guard.negate = !guard.negate;
        }
    }
    assert_eq!(found(&broken), [check::Kind::Changed]);

    // parts of shared memory that overlap
    let mut broken = good.clone();
    broken.module.variables[good.shared.unwrap()].bytes /= 2;
    assert_eq!(found(&broken), [check::Kind::Base]);

    // half a warp's number instead of a warp's
    let mut broken = good.clone();
    let kernel = &mut broken.module.funcs[index];
    let shift = kernel.insts.values_mut().rev().find_map(|data| match &mut data.op {
        Op::Binary { op: BinaryOp::Shr, b: b @ Operand::Imm(5), .. } => Some(b),
        _ => None,
    });
    *shift.unwrap() = Operand::Imm(4);
    assert_eq!(found(&broken), [check::Kind::Base]);
}

/// Two results of one instruction; nobody reads one of them.
#[test]
fn results_do_not_overlap() {
    let text = ".version 6.0\n.target sm_35\n.address_size 64\n
.visible .entry pressure(.param .u64 output)
{
.reg .b32 %tid;
.reg .b64 %out;
.reg .pred %idle, %used;
ld.param.u64 %out, [output];
mov.u32 %tid, %tid.x;
setp.lt.u32 %idle|%used, %tid, 7;
@%used st.global.u32 [%out], %tid;
ret;
}
";
    let good =
        allocate::allocate(&parse(text), "pressure", &options(16, Algorithm::ChaitinBriggs, Rewriting::None)).unwrap();
    check::check(&good).unwrap();
    let mut broken = good.clone();
    let index = kernel(&broken);
    let mut shared = None;
    for data in broken.module.funcs[index].insts.values_mut() {
        if let Op::Setp { dst, other: other @ Some(_), .. } = &mut data.op {
            *other = Some(*dst);
            shared = Some(*dst);
        }
        if let (Some(guard), Some(reg)) = (&mut data.guard, shared) {
            guard.pred = reg;
        }
    }
    assert!(shared.is_some());
    assert_eq!(found(&broken), [check::Kind::Overlap]);
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

/// Where lanes are threads of their own, one of them writes for its warp, between barriers of all.
#[test]
fn lanes_on_their_own_need_an_order() {
    let module = parse(include_str!("../../../../tests/files/allocation/uniform-values-of-lanes-on-their-own.ptx"));
    let asked = options(6, Algorithm::ChaitinBriggs, Rewriting::AffRA);
    let good = allocate::allocate(&module, "k", &asked).unwrap();
    check::check(&good).unwrap();
    let inserted = good.prepared.insts.len();
    let mut barriers = 0;
    for block in &good.func().layout {
        for (at, inst) in good.func().blocks[*block].insts.iter().enumerate() {
            let data = &good.func().insts[*inst];
            let mut broken = good.clone();
            let kernel = broken.module.funcs.iter_mut().find(|func| func.name == "k").unwrap();
            match &data.op {
                Op::BarWarp { .. } => {
                    kernel.blocks[*block].insts.remove(at);
                    assert!(found(&broken).contains(&check::Kind::Unordered), "without {inst}");
                    barriers += 1;
                }
                Op::St { space: Space::Shared, .. } if (inst.as_u32() as usize) >= inserted => {
                    kernel.insts[*inst].guard = None;
                    assert!(found(&broken).contains(&check::Kind::Changed), "{inst} by all lanes");
                }
                _ => {}
            }
        }
    }
    assert!(barriers >= 2, "{}", good.module);
}

/// A counter that lanes leave at different times is not uniform, but its copy within the loop is, and goes through a slot of the warp. The
/// copy needs no instruction of its own.
#[test]
fn a_uniform_copy_of_another_value_has_a_slot_of_the_warp() {
    let values = |line: fn(usize) -> String| (0..6).map(line).collect::<String>();
    let loads = values(|i| format!("ld.global.u32 %v{i}, [%rd1+{}];\n", 4 * i + 64));
    let work = values(|i| format!("mad.lo.u32 %v{i}, %v{i}, %v{i}, %v{};\n", (i + 1) % 6));
    let stores = values(|i| format!("st.global.u32 [%rd1+{}], %v{i};\n", 4 * i + 64));
    let module = parse(&format!(
        ".version 7.8\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{
.reg .pred %p<2>;\n.reg .b32 %copy;\n.reg .b32 %r<3>;\n.reg .b32 %v<6>;\n.reg .b64 %rd<2>;
ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 128;\nadd.s64 %rd1, %rd1, %rd0;
ld.global.u32 %r2, [%rd1];\n{loads}mov.u32 %r1, 0;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra END;\nmov.u32 %copy, %r1;
AGAIN:\nadd.u32 %r1, %copy, 4;\n{work}{work}add.u32 %v0, %v0, %copy;\nadd.u32 %v3, %v3, %r1;\n{work}
setp.lt.u32 %p0, %r1, %r2;\nmov.u32 %copy, %r1;\n@%p0 bra AGAIN;\nEND:\nst.global.u32 [%rd1+4], %r1;\n{stores}ret;\n}}\n"
    ));
    let good = allocate::allocate(&module, "k", &options(6, Algorithm::ChaitinBriggs, Rewriting::AffRA)).unwrap();
    let (copy, _) = good.locations.iter().find(|(_, location)| location.row().shared()).expect("it is in a slot");
    check::check(&good).unwrap();
    let mut broken = good.clone();
    broken.facts.known[*copy] = Known::Nothing;
    assert!(found(&broken).contains(&check::Kind::Lost(*copy)));
}
