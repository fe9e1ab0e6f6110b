//! Any instruction that the IR knows, on registers that a function declares.

use ptx::inst::*;
use ptx::ir::*;

use super::{Choices, DATA, SPACES};

pub fn reg(func: &Func, ty: Type, choices: &mut Choices) -> Reg {
    let fitting: Vec<Reg> = func.regs.iter().filter(|(_, own)| own.class() == ty.class()).map(|(reg, _)| reg).collect();
    choices.pick(&fitting)
}

pub fn predicate(func: &Func, choices: &mut Choices) -> Guard {
    Guard { pred: reg(func, Type::Pred, choices), negate: choices.flag() }
}

/// A register, or the bits of an immediate.
fn operand(func: &Func, ty: Type, choices: &mut Choices) -> Operand {
    if choices.flag() { Operand::Imm(choices.next() & ty.mask()) } else { reg(func, ty, choices).into() }
}

fn address(func: &Func, space: Space, own: Variable, module: &Module, choices: &mut Choices) -> Address {
    let offset = choices.pick(&[0, 4, -16]);
    let variables =
        module.variables.iter().filter(|(v, data)| data.space == space && (space != Space::Local || *v == own));
    let mut bases: Vec<Base> = variables.map(|(variable, _)| Base::Variable(variable)).collect();
    if space == Space::Param {
        bases.extend(func.params.keys().map(Base::Param));
    }
    bases.push(Base::Reg(reg(func, Type::B64, choices)));
    Address { base: choices.pick(&bases), offset }
}

fn access(cached: bool, choices: &mut Choices) -> Access {
    use Order::*;
    let order = choices.pick(&[None, Weak, Volatile, Relaxed, Acquire, Release, AcqRel]);
    let scope =
        choices.pick(&[Option::None, Some(Scope::Cta), Some(Scope::Cluster), Some(Scope::Gpu), Some(Scope::Sys)]);
    let cache = if cached { choices.pick(&["", "cg", "L1::no_allocate.L2::128B"]) } else { "" };
    Access { order, scope, cache: cache.to_owned() }
}

fn mode(choices: &mut Choices) -> Mode {
    use Rounding::*;
    let rounding = choices.pick(&[None, Rn, Rz, Rm, Rp, Rni, Rzi, Rmi, Rpi, Approx, Full]);
    Mode { rounding, ftz: choices.flag(), sat: choices.flag() }
}

const UNARY: [UnaryOp; 17] = {
    use UnaryOp::*;
    [Neg, Not, Abs, Rcp, Sqrt, Rsqrt, Sin, Cos, Ex2, Lg2, Tanh, Popc, Clz, Brev, Bfind, BfindShift, Cnot]
};
const BINARY: [BinaryOp; 17] = {
    use BinaryOp::*;
    [Add, Sub, Mul, MulWide, MulHi, Mul24, Mul24Hi, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr, Copysign]
};
const TERNARY: [TernaryOp; 13] = {
    use TernaryOp::*;
    [Fma, Mad, MadWide, MadHi, Mad24, Mad24Hi, Bfe, Sad, Prmt, ShfLeftWrap, ShfLeftClamp, ShfRightWrap, ShfRightClamp]
};
const COMPARISONS: [Cmp; 14] = {
    use Cmp::*;
    [Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan]
};
const ATOMIC: [AtomOp; 10] = {
    use AtomOp::*;
    [And, Or, Xor, Cas, Exch, Add, Inc, Dec, Min, Max]
};

/// Number of sorts of instructions that [`op`] makes.
const SORTS: usize = 32;

pub fn op(func: &Func, own: Variable, module: &Module, choices: &mut Choices) -> Op {
    let sort = choices.below(SORTS);
    let ty = choices.pick(&DATA);
    let mut c = Maker { func, own, module, choices };
    match sort {
        0..=2 => moved(sort, ty, &mut c),
        3..=9 | 19 | 20 => computed(sort, ty, &mut c),
        10..=13 => compared(sort, ty, &mut c),
        14..=18 => converted(sort, ty, &mut c),
        21..=23 => accessed(sort, ty, &mut c),
        24..=27 => shared(sort, &mut c),
        _ => other(sort, ty, &mut c),
    }
}

/// Moves.
fn moved(sort: usize, ty: Type, c: &mut Maker) -> Op {
    match sort {
        0 => Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst: c.reg(ty), a: c.operand(ty) },
        1 => {
            let special = c.choices.pick(&Special::ALL).0;
            let dst = c.reg(Type::B32);
            Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::U32, dst, a: Operand::Special(special) }
        }
        _ => {
            let dst = c.reg(Type::Pred);
            Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::Pred, dst, a: c.operand(Type::Pred) }
        }
    }
}

/// Numbers and bits.
fn computed(sort: usize, ty: Type, c: &mut Maker) -> Op {
    match sort {
        3 | 4 => {
            let op = c.choices.pick(&UNARY);
            Op::Unary { op, mode: mode(c.choices), ty, dst: c.reg(op.result(ty)), a: c.operand(ty) }
        }
        5 | 6 => {
            let op = c.choices.pick(&BINARY);
            let (dst, a, b) = (c.reg(op.result(ty)), c.operand(ty), c.operand(op.second(ty)));
            Op::Binary { op, mode: mode(c.choices), ty, dst, a, b }
        }
        7 | 8 => {
            let op = c.choices.pick(&TERNARY);
            let types = op.operands(ty);
            let (dst, [a, b, c_]) = (c.reg(op.result(ty)), types.map(|ty| c.operand(ty)));
            Op::Ternary { op, mode: mode(c.choices), ty, dst, a, b, c: c_ }
        }
        9 => {
            let op = c.choices.pick(&[CarryOp::Add, CarryOp::Sub, CarryOp::MadLo, CarryOp::MadHi]);
            let (reads, writes) = c.choices.pick(&[(true, false), (true, true), (false, true)]);
            let product = matches!(op, CarryOp::MadLo | CarryOp::MadHi);
            let (dst, a, b) = (c.reg(ty), c.operand(ty), c.operand(ty));
            Op::Carry { op, reads, writes, ty, dst, a, b, c: product.then(|| c.operand(ty)) }
        }
        19 => Op::Lop3 {
            dst: c.reg(Type::B32),
            a: c.operand(Type::B32),
            b: c.operand(Type::B32),
            c: c.operand(Type::B32),
            table: c.choices.next() as u8,
        },
        _ => {
            let (dst, a, b) = (c.reg(ty), c.operand(ty), c.operand(ty));
            Op::Bfi { ty, dst, a, b, pos: c.operand(Type::U32), len: c.operand(Type::U32) }
        }
    }
}

/// Comparisons, and what they choose.
fn compared(sort: usize, ty: Type, c: &mut Maker) -> Op {
    match sort {
        10 => {
            let (dst, other) = (c.reg(Type::Pred), c.maybe(Type::Pred));
            let (cmp, ftz) = (c.choices.pick(&COMPARISONS), c.choices.flag());
            Op::Setp { cmp, ftz, ty, dst, other, a: c.operand(ty), b: c.operand(ty), combine: c.combine() }
        }
        11 => {
            let (cmp, ftz, to) =
                (c.choices.pick(&COMPARISONS), c.choices.flag(), c.choices.pick(&[Type::U32, Type::F32]));
            Op::Set { cmp, ftz, to, ty, dst: c.reg(to), a: c.operand(ty), b: c.operand(ty), combine: c.combine() }
        }
        12 => Op::Selp { ty, dst: c.reg(ty), a: c.operand(ty), b: c.operand(ty), pred: c.reg(Type::Pred) },
        _ => {
            let by = c.choices.pick(&[Type::S32, Type::F32]);
            let ftz = c.choices.flag();
            Op::Slct { ftz, ty, by, dst: c.reg(ty), a: c.operand(ty), b: c.operand(ty), c: c.operand(by) }
        }
    }
}

/// Conversions of numbers, addresses and vectors.
fn converted(sort: usize, ty: Type, c: &mut Maker) -> Op {
    match sort {
        14 => {
            let from = c.choices.pick(&DATA);
            Op::Cvt { mode: mode(c.choices), to: ty, from, dst: c.reg(ty), a: c.operand(from) }
        }
        15 => {
            let space = c.choices.pick(&SPACES[..4]);
            Op::Cvta { to: c.choices.flag(), space, ty: Type::U64, dst: c.reg(Type::B64), a: c.operand(Type::U64) }
        }
        16 => Op::Isspacep { space: c.choices.pick(&SPACES[..4]), dst: c.reg(Type::Pred), a: c.reg(Type::B64).into() },
        17 => {
            let (ty, part, count) = c.packing();
            Op::Pack { ty, dst: c.reg(ty), parts: (0..count).map(|_| c.operand(part)).collect() }
        }
        _ => {
            let (ty, part, count) = c.packing();
            Op::Unpack { ty, parts: (0..count).map(|_| c.maybe(part)).collect(), src: c.reg(ty).into() }
        }
    }
}

/// Loads, stores and atomics.
fn accessed(sort: usize, ty: Type, c: &mut Maker) -> Op {
    match sort {
        21 => {
            let (space, count) = (c.choices.pick(&SPACES), c.choices.pick(&[1, 2, 4, 8]));
            let (read_only, access) = (c.choices.flag(), access(true, c.choices));
            Op::Ld {
                space,
                read_only,
                access,
                ty,
                dst: (0..count).map(|_| c.reg(ty)).collect(),
                addr: c.address(space),
            }
        }
        22 => {
            let (space, count) = (c.choices.pick(&SPACES), c.choices.pick(&[1, 2, 4, 8]));
            let access = access(true, c.choices);
            Op::St { space, access, ty, addr: c.address(space), src: (0..count).map(|_| c.operand(ty)).collect() }
        }
        _ => {
            let (op, space) =
                (c.choices.pick(&ATOMIC), c.choices.pick(&[Space::Global, Space::Shared, Space::Generic]));
            let (dst, addr, a) = (c.maybe(ty), c.address(space), c.operand(ty));
            Op::Atom {
                op,
                space,
                access: access(false, c.choices),
                ty,
                dst,
                addr,
                a,
                b: (op == AtomOp::Cas).then(|| c.operand(ty)),
            }
        }
    }
}

/// Makes an instruction that lanes or warps do together.
fn shared(sort: usize, c: &mut Maker) -> Op {
    match sort {
        24 => Op::Shfl {
            mode: c.choices.pick(&[ShflMode::Idx, ShflMode::Up, ShflMode::Down, ShflMode::Bfly]),
            dst: c.reg(Type::B32),
            valid: c.maybe(Type::Pred),
            src: c.operand(Type::B32),
            lane: c.operand(Type::B32),
            clamp: c.operand(Type::B32),
            mask: c.mask(),
        },
        25 => {
            let mode = c.choices.pick(&[VoteMode::All, VoteMode::Any, VoteMode::Uni, VoteMode::Ballot]);
            let dst = c.reg(if mode == VoteMode::Ballot { Type::B32 } else { Type::Pred });
            Op::Vote { mode, dst, pred: predicate(c.func, c.choices), mask: c.mask() }
        }
        26 => match c.choices.below(3) {
            0 => Op::Activemask { dst: c.reg(Type::B32) },
            1 => {
                let all = c.choices.flag();
                let (dst, valid) = (c.reg(Type::B32), c.maybe(Type::Pred).filter(|_| all));
                let ty = c.choices.pick(&[Type::B32, Type::B64]);
                Op::Match { all, ty, dst, valid, a: c.operand(ty), mask: c.operand(Type::B32) }
            }
            _ => {
                use BinaryOp::*;
                let (op, ty) =
                    (c.choices.pick(&[Add, Min, Max, And, Or, Xor]), c.choices.pick(&[Type::U32, Type::S32]));
                Op::Redux { op, ty, dst: c.reg(ty), a: c.operand(ty), mask: c.operand(Type::B32) }
            }
        },
        _ => {
            let (aligned, id) = (c.choices.flag(), c.operand(Type::U32));
            let threads = c.choices.flag().then(|| c.operand(Type::U32));
            match c.choices.below(4) {
                0 => Op::BarWarp { mask: c.operand(Type::B32) },
                1 => {
                    let op = c.choices.pick(&[BarRedOp::And, BarRedOp::Or, BarRedOp::Popc]);
                    let dst = c.reg(if op == BarRedOp::Popc { Type::B32 } else { Type::Pred });
                    Op::BarRed { op, aligned, dst, id, threads, pred: predicate(c.func, c.choices) }
                }
                2 => Op::Bar { kind: BarKind::Arrive, aligned, id, threads },
                _ => Op::Bar { kind: BarKind::Sync, aligned, id, threads },
            }
        }
    }
}

/// Fences, calls, products of matrices, and what the IR does not know.
fn other(sort: usize, ty: Type, c: &mut Maker) -> Op {
    match sort {
        28 => match c.choices.below(3) {
            0 => {
                Op::Fence { name: c.choices.pick(&["membar.cta", "fence.acq_rel.gpu", "fence.proxy.alias"]).to_owned() }
            }
            1 => Op::Directive(".loc 1 2 3".into()),
            _ => Op::Directive(".pragma \"nounroll\";".into()),
        },
        29 => {
            let locals: Vec<Param> = c.func.params_of(ParamKind::Local).map(|(param, _)| param).collect();
            let callee = match c.module.funcs.first().filter(|_| c.choices.flag()) {
                Some(known) => Callee::Func(known.name.clone()),
                None => Callee::Reg(c.reg(Type::B64), "$proto".into()),
            };
            let (results, arguments) = (c.choices.below(2), c.choices.below(2));
            let (results, arguments) = (locals[..results].to_vec(), locals[1..][..arguments].to_vec());
            Op::Call { uni: c.choices.flag(), callee, results, arguments }
        }
        30 => {
            let (blocks, ty) = (1 + c.choices.below(2), Type::F64);
            let dst = (0..2 * blocks).map(|_| c.reg(ty)).collect();
            let a = (0..blocks).map(|_| c.operand(ty)).collect();
            let b = c.operand(ty);
            Op::Mma { dst, a, b, c: (0..2 * blocks).map(|_| c.operand(ty)).collect() }
        }
        _ => {
            let text = |text: &str| Piece::Text(text.into());
            let (a, b) = (Piece::Reg(c.reg(ty)), Piece::Reg(c.reg(Type::B64)));
            match c.choices.below(3) {
                0 => {
                    Op::Opaque { opcode: "multimem.x2.b32".into(), pieces: vec![a, text(","), text("["), b, text("]")] }
                }
                1 => Op::Opaque { opcode: "multimem.nothing".into(), pieces: vec![] },
                _ => Op::Opaque {
                    opcode: "cp.async::thing".into(),
                    pieces: vec![text("{"), a, text("},"), text("word")],
                },
            }
        }
    }
}

/// Makes the parts of an instruction.
struct Maker<'a, 'b, 'c> {
    func: &'a Func,
    own: Variable,
    module: &'a Module,
    choices: &'b mut Choices<'c>,
}

impl Maker<'_, '_, '_> {
    fn reg(&mut self, ty: Type) -> Reg {
        reg(self.func, ty, self.choices)
    }

    fn maybe(&mut self, ty: Type) -> Option<Reg> {
        self.choices.flag().then(|| self.reg(ty))
    }

    fn operand(&mut self, ty: Type) -> Operand {
        operand(self.func, ty, self.choices)
    }

    fn mask(&mut self) -> Option<Operand> {
        self.choices.flag().then(|| self.operand(Type::U32))
    }

    fn combine(&mut self) -> Option<(BoolOp, Guard)> {
        let op = self.choices.pick(&[None, Some(BoolOp::And), Some(BoolOp::Or), Some(BoolOp::Xor)]);
        op.map(|op| (op, predicate(self.func, self.choices)))
    }

    fn packing(&mut self) -> (Type, Type, usize) {
        let ways = [
            (Type::B32, Type::B16, 2),
            (Type::B64, Type::B32, 2),
            (Type::B64, Type::B16, 4),
            (Type::B128, Type::B64, 2),
        ];
        self.choices.pick(&ways)
    }

    fn address(&mut self, space: Space) -> Address {
        address(self.func, space, self.own, self.module, self.choices)
    }
}
