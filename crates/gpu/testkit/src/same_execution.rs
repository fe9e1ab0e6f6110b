//! Whether two modules do the same when they are executed: the same memory, the same barriers of every thread in the same
//! order, no hazard that was not there, and nothing that depends on registers that were never written.

use cranelift_entity::EntityRef;
use ptx::inst::*;
use ptx::ir::{BlockData, Func, Module, Param, ParamData, Reg};
use warpsim::{Argument, Buffer, Launch, Options, Report};

/// Barriers per thread that a trace has room for.
const MOST_BARRIERS: u32 = 512;

/// Runs the kernel of both modules, each with two different contents of the registers at the start; what differs, in words.
pub fn same(before: &Module, after: &Module, kernel: &str, launch: &Launch, buffers: &[Buffer]) -> Result<(), String> {
    let mut expected = None;
    for junk in [0x0000_0000_0000_0000, 0xa5a5_a5a5_0bad_f00d] {
        for (what, module) in [("before", before), ("after", after)] {
            let result = executed(module, kernel, launch, buffers, junk);
            let result = result.map_err(|hazards| format!("{what}, registers {junk:#x}: {hazards}"))?;
            match &expected {
                None => expected = Some(result),
                Some(expected) if *expected == result => {}
                Some(_) => return Err(format!("{what}, registers {junk:#x}: another memory or other barriers")),
            }
        }
    }
    Ok(())
}

/// The counts of a run without instruments.
pub fn counted(module: &Module, kernel: &str, launch: &Launch, buffers: &[Buffer]) -> Report {
    let mut buffers = buffers.to_vec();
    warpsim::run(module, kernel, launch, &mut buffers, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"))
}

/// The buffers after a run, the last one with the barriers of each thread.
fn executed(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    buffers: &[Buffer],
    junk: u64,
) -> Result<Vec<Buffer>, String> {
    let mut module = module.clone();
    let func = module.funcs.iter_mut().find(|func| func.name == kernel).ok_or("the kernel is gone")?;
    let trace = func.params.push(ParamData::input("trace", Type::U64));
    instrument(func, trace, junk);
    let threads = launch.size() * launch.ctas.iter().product::<u32>();
    let mut buffers = buffers.to_vec();
    buffers.push(Buffer::words(Type::U32, vec![0; (threads * MOST_BARRIERS) as usize]));
    let mut launch = launch.clone();
    launch.arguments.push(Argument::Buffer(buffers.len() - 1));
    let options = Options { budget: 1 << 24, ..Options::default() };
    warpsim::run(&module, kernel, &launch, &mut buffers, &options).map_err(|hazards| hazards.to_string())?;
    Ok(buffers)
}

/// All registers hold junk at the start, and threads write their barriers down one after the other.
fn instrument(func: &mut Func, trace: Param, junk: u64) {
    let own: Vec<Reg> = func.regs.keys().collect();
    let place = func.regs.push(Type::U64);
    let mut start = Vec::new();
    for reg in own {
        let ty = func.regs[reg].class();
        match ty {
            Type::B128 => {}
            Type::Pred => start.push(Op::Setp {
                cmp: Cmp::Ne,
                ftz: false,
                ty: Type::U32,
                dst: reg,
                other: None,
                a: Operand::Imm((junk ^ reg.index() as u64) & 1),
                b: Operand::Imm(0),
                combine: None,
            }),
            _ => start.push(mov(ty, reg, Operand::Imm((junk ^ (junk >> 7 & reg.index() as u64)) & ty.mask()))),
        }
    }
    start.extend(thread(func, place, trace));
    let block =
        func.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Bra { target: func.layout[0] } });
    func.layout.insert(0, block);
    func.blocks[block].insts = start.into_iter().map(|op| func.insts.push(InstData { guard: None, op })).collect();
    for block in func.layout.clone() {
        let mut insts = Vec::new();
        for inst in std::mem::take(&mut func.blocks[block].insts) {
            let InstData { guard, op } = func.insts[inst].clone();
            if let Some((kind, id, threads)) = barrier(&op) {
                for op in written_down(func, place, kind, id, threads) {
                    insts.push(func.insts.push(InstData { guard, op }));
                }
            }
            insts.push(inst);
        }
        func.blocks[block].insts = insts;
    }
}

/// The place of the thread's first barrier.
fn thread(func: &mut Func, place: Reg, trace: Param) -> Vec<Op> {
    use Special::*;
    let word = func.regs.push(Type::B32);
    let [count, part] = [func.regs.push(Type::B32), func.regs.push(Type::B32)];
    let mut ops = vec![mov(Type::B32, word, 0.into())];
    for (extent, index) in
        [(NctaidZ, CtaidZ), (NctaidY, CtaidY), (NctaidX, CtaidX), (NtidZ, TidZ), (NtidY, TidY), (NtidX, TidX)]
    {
        ops.push(mov(Type::B32, count, Operand::Special(extent)));
        ops.push(mov(Type::B32, part, Operand::Special(index)));
        ops.push(mad(TernaryOp::Mad, word, word, count.into(), part.into()));
    }
    ops.push(Op::load(Space::Param, false, Type::U64, place, Address { base: Base::Param(trace), offset: 0 }));
    ops.push(mad(TernaryOp::MadWide, place, word, (4 * MOST_BARRIERS).into(), place.into()));
    ops
}

fn barrier(op: &Op) -> Option<(u32, Operand, Option<Operand>)> {
    match op {
        Op::Bar { kind: BarKind::Sync, id, threads, .. } => Some((1, *id, *threads)),
        Op::Bar { kind: BarKind::Arrive, id, threads, .. } => Some((2, *id, *threads)),
        Op::BarRed { id, threads, .. } => Some((3, *id, *threads)),
        _ => None,
    }
}

/// Kind, number and threads of a barrier as one word behind those of the barriers before.
fn written_down(func: &mut Func, place: Reg, kind: u32, id: Operand, threads: Option<Operand>) -> Vec<Op> {
    let [word, other] = [func.regs.push(Type::B32), func.regs.push(Type::B32)];
    let add = |ty, dst, a: Reg, b| Op::Binary { op: BinaryOp::Add, mode: Mode::default(), ty, dst, a: a.into(), b };
    vec![
        mov(Type::B32, word, id),
        add(Type::U32, word, word, (kind << 8).into()),
        mov(Type::B32, other, threads.unwrap_or(0.into())),
        mad(TernaryOp::Mad, word, other, (1 << 16).into(), word.into()),
        Op::store(Space::Global, Type::U32, Address { base: Base::Reg(place), offset: 0 }, word),
        add(Type::U64, place, place, Operand::Imm(4)),
    ]
}

fn mov(ty: Type, dst: Reg, a: Operand) -> Op {
    Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a }
}

fn mad(op: TernaryOp, dst: Reg, a: Reg, b: Operand, c: Operand) -> Op {
    Op::Ternary { op, mode: Mode::default(), ty: Type::U32, dst, a: a.into(), b, c }
}
