use ptx::builder::Builder;
use ptx::inst::*;
use ptx::ir::{Block, Init, Linkage, ParamData, Reg, VariableData};
use ptx::{Func, Module};
use warpsim::*;

/// A kernel with one output buffer: its builder, the lane, and the address of the lane's element.
fn start() -> (Builder, Reg, Reg) {
    let mut func = Func::new("k");
    let out = func.params.push(ParamData::input("out", Type::U64));
    let mut b = Builder::new(func);
    let pointer = b.load(Space::Param, false, Type::U64, Base::Param(out), 0);
    let lane = b.mov(Type::U32, Operand::Special(Special::TidX));
    let address = b.ternary(TernaryOp::MadWide, Type::U32, lane, 8, pointer);
    (b, lane, address)
}

fn finish(mut b: Builder, address: Reg, value: Reg) -> Module {
    b.push(Op::store(Space::Global, Type::U64, Address { base: Base::Reg(address), offset: 0 }, value));
    let mut module = Module::new(35);
    module.funcs.push(b.finish());
    module
}

fn execute(module: &Module) -> Result<(Vec<u64>, Counts), Vec<Kind>> {
    let mut buffers = [Buffer::output(32)];
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0)]);
    match run(module, "k", &launch, &mut buffers, &Options::default()) {
        Ok(report) => Ok((buffers[0].reals().iter().map(|x| x.to_bits()).collect(), report.total())),
        Err(hazards) => Err(hazards.list.into_iter().map(|h| h.kind).collect()),
    }
}

/// dst = a op b on 32 bits
fn word(op: BinaryOp, dst: Reg, a: Reg, b: Operand) -> Op {
    Op::Binary { op, mode: Mode::default(), ty: Type::U32, dst, a: a.into(), b }
}

fn branch(pred: Reg, then: Block, otherwise: Block) -> Terminator {
    Terminator::CondBra { guard: Guard { pred, negate: false }, uni: false, then, otherwise }
}

/// Lane l adds l times; then all lanes vote, which needs them together again.
#[test]
fn lanes_leave_a_loop_one_by_one_and_meet_again() {
    let (mut b, lane, address) = start();
    let (sum, i) = (b.mov(Type::U32, 0), b.mov(Type::U32, 0));
    let (head, body, exit) = (b.block(), b.block(), b.block());
    b.end(Terminator::Bra { target: head }, head);
    let done = b.setp(Cmp::Ge, Type::U32, i, lane);
    b.end(branch(done, exit, body), body);
    b.push(word(BinaryOp::Add, sum, sum, i.into()));
    b.push(word(BinaryOp::Add, i, i, 1.into()));
    b.end(Terminator::Bra { target: head }, exit);
    let always = b.setp(Cmp::Ge, Type::U32, i, 0);
    let ballot = b.reg(Type::B32);
    b.push(Op::Vote { mode: VoteMode::Ballot, dst: ballot, pred: Guard { pred: always, negate: false }, mask: None });
    let value = b.reg(Type::U64);
    b.push(Op::pack(value, sum, ballot));
    let (values, counts) = execute(&finish(b, address, value)).unwrap();
    for (lane, value) in (0..32u64).zip(values) {
        assert_eq!(value, 0xffff_ffff << 32 | (lane * lane.saturating_sub(1) / 2));
    }
    // a trip of the warp for the longest lane, and the last test; one branch back per trip, and the return
    assert_eq!(counts.branches, 32 + 31 + 1);
}

/// A four-way branch by lane, then a shuffle among all lanes.
#[test]
fn an_indirect_branch_diverges() {
    let (mut b, lane, address) = start();
    let arm = b.binary(BinaryOp::And, Type::B32, lane, 3);
    let value = b.mov(Type::U32, 7);
    let blocks: Vec<_> = (0..3).map(|_| b.block()).collect();
    let join = b.block();
    let mut terminator = Terminator::Brx { index: arm, targets: vec![blocks[0], join, blocks[1], blocks[2]] };
    for (i, block) in (1..).zip(&blocks) {
        b.end(terminator, *block);
        b.push(word(BinaryOp::Mul, value, lane, Operand::Imm(100 * i)));
        terminator = Terminator::Bra { target: join };
    }
    b.end(terminator, join);
    let next = b.binary(BinaryOp::Add, Type::U32, lane, 1);
    let other = b.shfl(value, next);
    let wide = b.reg(Type::U64);
    b.push(Op::Cvt { mode: Mode::default(), to: Type::U64, from: Type::U32, dst: wide, a: other.into() });
    let (values, _) = execute(&finish(b, address, wide)).unwrap();
    for lane in 0..32u64 {
        let from = (lane + 1) % 32;
        let expected = [100 * from, 7, 200 * from, 300 * from][from as usize % 4];
        assert_eq!(values[lane as usize], expected, "lane {lane}");
    }
}

/// Gives lanes below 16 a block of their own, filled by the test.
fn half(fill: impl FnOnce(&mut Builder, Reg)) -> Module {
    let (mut b, lane, address) = start();
    let upper = b.setp(Cmp::Ge, Type::U32, lane, 16);
    let (body, join) = (b.block(), b.block());
    b.end(branch(upper, join, body), body);
    fill(&mut b, lane);
    b.end(Terminator::Bra { target: join }, join);
    let value = b.mov(Type::U64, Operand::Imm(1));
    finish(b, address, value)
}

#[test]
fn a_shuffle_from_an_inactive_lane_is_found() {
    let module = half(|b, lane| _ = b.shfl(lane, 20));
    assert_eq!(execute(&module), Err(vec![Kind::InactiveLane { lane: 0, source: 20 }]));
}

#[test]
fn a_divergent_barrier_is_found() {
    let module = half(|b, _| b.push(Op::bar(BarKind::Sync, 1, Some(32))));
    assert_eq!(execute(&module), Err(vec![Kind::Barrier { id: 1, misuse: BarrierMisuse::Divergent }]));
}

#[test]
fn a_branch_index_past_the_table_is_found() {
    let (mut b, lane, address) = start();
    let join = b.block();
    b.end(Terminator::Brx { index: lane, targets: vec![join; 31] }, join);
    assert_eq!(execute(&finish(b, address, lane)), Err(vec![Kind::BranchIndex { index: 31 }]));
}

#[test]
fn a_misaligned_access_is_found() {
    let (mut b, _, address) = start();
    let addr = Address { base: Base::Reg(address), offset: 4 };
    b.push(Op::store(Space::Global, Type::F64, addr, Operand::f64(1.0)));
    let found = execute(&finish(b, address, address)).unwrap_err();
    assert!(matches!(found[..], [Kind::Misaligned { space: Space::Global, lane: 0, .. }]), "{found:?}");
}

#[test]
fn lanes_that_write_different_values_to_one_word_are_found() {
    let (mut b, lane, address) = start();
    let mut module = Module::new(35);
    let variable = module.variables.push(VariableData {
        name: "cell".to_owned(),
        linkage: Linkage::Internal,
        space: Space::Shared,
        align: 8,
        bytes: 8,
        init: Init::None,
    });
    let addr = Address { base: Base::Variable(variable), offset: 0 };
    b.push(Op::store(Space::Shared, Type::U32, addr, 5));
    b.push(Op::store(Space::Shared, Type::U32, addr, lane));
    module.funcs = finish(b, address, address).funcs;
    assert_eq!(execute(&module), Err(vec![Kind::LaneConflict { address: 0 }]));
}
