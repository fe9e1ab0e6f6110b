//! Steps before every allocation: blocks that nobody reaches go, every register has a value, and vector accesses have
//! registers of their own.

use super::vectors::{self, Groups};
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::liveness::Liveness;
use ptx::inst::{InstData, Mode, Op, Operand, Type, UnaryOp};
use ptx::ir::{Func, Reg};

/// The prepared function, which computes the same, and the vectors of registers that need consecutive units.
pub fn run(func: &Func) -> (Func, Groups) {
    let mut func = func.clone();
    let cfg = Cfg::compute(&func);
    func.layout.retain(|block| cfg.reachable(*block));
    initialise(&mut func, &cfg);
    let groups = vectors::separate(&mut func);
    (func, groups)
}

/// Zeros what some path reads before it is written, so that no memory is read before it is written.
fn initialise(func: &mut Func, cfg: &Cfg) {
    let liveness = Liveness::compute(func, cfg, &Accesses::compute(func));
    let undefined: Vec<Reg> = liveness.live_in(cfg.entry).to_vec();
    let zeros: Vec<_> = undefined.into_iter().map(|reg| zero(func, reg)).collect();
    func.blocks[cfg.entry].insts.splice(0..0, zeros);
}

fn zero(func: &mut Func, dst: Reg) -> ptx::ir::Inst {
    let ty = func.regs[dst].class();
    let op = match ty {
        Type::Pred => Op::Setp {
            cmp: ptx::inst::Cmp::Ne,
            ftz: false,
            ty: Type::U32,
            dst,
            other: None,
            a: Operand::Imm(0),
            b: Operand::Imm(0),
            combine: None,
        },
        _ => Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a: Operand::Imm(0) },
    };
    func.insts.push(InstData { guard: None, op })
}
