//! One instruction of arithmetic or of several threads.

use super::super::counts::Class;
use super::super::micro::*;
use super::super::{rows, scalar};
use super::{Decoder, asynchronous, matrices, memory, packed};
use ptx::inst::*;
use ptx::ir::Reg;

impl Decoder<'_> {
    /// Decodes an instruction; `None`: the simulator does not know it.
    pub(super) fn instruction(&mut self, op: &Op) -> Option<(Class, Micro)> {
        match op {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Carry { .. }
            | Op::Selp { .. }
            | Op::Slct { .. }
            | Op::Bfi { .. }
            | Op::Lop3 { .. } => self.arithmetic(op),
            Op::Setp { cmp, ftz, ty, dst, other, a, b, combine } => {
                let f = comparison(*cmp, *ftz, *ty)?;
                let (other, combine) = (other.map(|reg| self.row(reg)), combine.map(|(op, p)| (op, self.guard(p))));
                let (d, a, b) = (self.row(*dst), self.source(*a), self.source(*b));
                Some((arithmetic(*ty), Micro::Test(Test::Compare { f, d, other, combine, a, b })))
            }
            Op::Set { cmp, ftz, to, ty, dst, a, b, combine } => {
                let f = comparison(*cmp, *ftz, *ty)?;
                let yes = if *to == Type::F32 { u64::from(1f32.to_bits()) } else { to.mask() };
                let combine = combine.map(|(op, p)| (op, self.guard(p)));
                let (d, a, b) = (self.row(*dst), self.source(*a), self.source(*b));
                Some((arithmetic(*ty), Micro::Test(Test::Set { f, yes, d, combine, a, b })))
            }
            Op::Cvt { .. } | Op::Cvta { .. } | Op::Isspacep { .. } | Op::Pack { .. } | Op::Unpack { .. } => {
                self.conversion(op)
            }
            Op::Ld { .. } | Op::St { .. } | Op::Atom { .. } | Op::Call { .. } => memory::decode(self, op),
            Op::Fence { name } => Some(asynchronous::fence(self, name)),
            Op::BarWarp { mask } => {
                Some((Class::Vote, Micro::Collective(Collective::WarpBarrier { mask: self.lanes(Some(*mask)) })))
            }
            Op::Directive(_) => Some((Class::Free, Micro::Nothing)),
            Op::Opaque { opcode, pieces } => {
                let others =
                    |d: &mut Self| packed::decode(d, opcode, pieces).or_else(|| memory::fragments(d, opcode, pieces));
                let others = |d: &mut Self| others(d).or_else(|| memory::product(d, opcode, pieces));
                let others = |d: &mut Self| matrices::decode_tensor(d, opcode, pieces).or_else(|| others(d));
                let seen = asynchronous::decode(self, opcode, pieces);
                seen.or_else(|| matrices::decode(self, opcode, pieces)).or_else(|| others(self))
            }
            other => self.cooperation(other),
        }
    }

    fn arithmetic(&mut self, op: &Op) -> Option<(Class, Micro)> {
        Some(match op {
            Op::Unary { .. } => return self.unary(op),
            Op::Binary { .. } => return self.binary(op),
            Op::Ternary { op, mode, ty, dst, a, b, c } => {
                let (d, a, b, c) = (self.row(*dst), self.source(*a), self.source(*b), self.source(*c));
                match rows::ternary(*op, *ty).filter(|_| is_plain(*mode, *ty)) {
                    Some(f) => (arithmetic(*ty), Micro::Compute(Compute::Map3 { f, d, a, b, c })),
                    None => (
                        arithmetic(*ty),
                        Micro::Compute(Compute::Each { f: scalar::ternary(*op, *mode, *ty)?, d, sources: [a, b, c] }),
                    ),
                }
            }
            Op::Carry { op, reads, writes, ty, dst, a, b, c } => {
                let (d, a, b) = (self.row(*dst), self.source(*a), self.source(*b));
                let sources = [a, b, c.map_or(b, |c| self.source(c))];
                (
                    Class::Integer,
                    Micro::Compute(Compute::Carry { op: *op, reads: *reads, writes: *writes, ty: *ty, d, sources }),
                )
            }
            Op::Selp { ty: Type::Pred, .. } => return None,
            Op::Selp { dst, a, b, pred, .. } => {
                let (a, b) = (self.source(*a), self.source(*b));
                (Class::Move, Micro::Test(Test::Select { d: self.row(*dst), a, b, pred: self.row(*pred) }))
            }
            Op::Slct { ftz, by, dst, a, b, c, .. } => {
                let zero = scalar::compare(Cmp::Ge, *ftz, *by)?;
                let f: scalar::Each = Box::new(move |[a, b, c]| if zero(c, 0) { a } else { b });
                let sources = [self.source(*a), self.source(*b), self.source(*c)];
                (Class::Move, Micro::Compute(Compute::Each { f, d: self.row(*dst), sources }))
            }
            Op::Bfi { ty, dst, a, b, pos, len } => {
                let [a, b, pos, len] = [*a, *b, *pos, *len].map(|operand| self.source(operand));
                (
                    Class::Integer,
                    Micro::Pieces(Pieces::Insert { long: ty.bytes() == 8, d: self.row(*dst), a, b, pos, len }),
                )
            }
            Op::Lop3 { dst, a, b, c, table } => {
                let table = *table;
                let f: scalar::Each = Box::new(move |[a, b, c]| {
                    let term = |i: u8| {
                        let side = |x: u64, bit: u8| if i >> bit & 1 == 1 { x } else { !x };
                        if table >> i & 1 == 1 { side(a, 2) & side(b, 1) & side(c, 0) } else { 0 }
                    };
                    (0..8).fold(0, |word, i| word | term(i)) & 0xffff_ffff
                });
                let sources = [self.source(*a), self.source(*b), self.source(*c)];
                (Class::Integer, Micro::Compute(Compute::Each { f, d: self.row(*dst), sources }))
            }
            _ => return None,
        })
    }

    fn unary(&mut self, op: &Op) -> Option<(Class, Micro)> {
        Some(match op {
            Op::Unary { op: UnaryOp::Mov, ty: Type::Pred, dst, a: Operand::Imm(bits), .. } => {
                (Class::Move, Micro::Test(Test::SetPred { d: self.row(*dst), value: *bits != 0 }))
            }
            Op::Unary { op, ty: Type::Pred, dst, a: Operand::Reg(a), .. } => {
                let f: fn(u32, u32) -> u32 = match op {
                    UnaryOp::Mov => |a, _| a,
                    UnaryOp::Not => |a, _| !a,
                    _ => return None,
                };
                (Class::Move, Micro::Test(Test::Logic { f, d: self.row(*dst), a: self.row(*a), b: self.row(*a) }))
            }
            Op::Unary { op, mode, ty, dst, a } => {
                let class = match op {
                    UnaryOp::Mov => Class::Move,
                    // A sign is a modifier of the operand that reads it.
                    UnaryOp::Neg | UnaryOp::Abs if *ty == Type::F64 => Class::Move,
                    UnaryOp::Sqrt | UnaryOp::Rcp if *ty == Type::F64 => Class::DoubleLong,
                    _ => arithmetic(*ty),
                };
                let (d, a) = (self.row(*dst), self.source(*a));
                match rows::unary(*op, *ty).filter(|_| is_plain(*mode, *ty)) {
                    Some(f) => (class, Micro::Compute(Compute::Map1 { f, d, a })),
                    None => (
                        class,
                        Micro::Compute(Compute::Each { f: scalar::unary(*op, *mode, *ty)?, d, sources: [a; 3] }),
                    ),
                }
            }
            _ => return None,
        })
    }

    fn binary(&mut self, op: &Op) -> Option<(Class, Micro)> {
        Some(match op {
            Op::Binary { op, ty: Type::Pred, dst, a: Operand::Reg(a), b: Operand::Reg(b), .. } => {
                let f: fn(u32, u32) -> u32 = match op {
                    BinaryOp::And => |a, b| a & b,
                    BinaryOp::Or => |a, b| a | b,
                    BinaryOp::Xor => |a, b| a ^ b,
                    _ => return None,
                };
                (Class::Move, Micro::Test(Test::Logic { f, d: self.row(*dst), a: self.row(*a), b: self.row(*b) }))
            }
            Op::Binary { op, mode, ty, dst, a, b } => {
                let class = if (*op, *ty) == (BinaryOp::Div, Type::F64) { Class::DoubleLong } else { arithmetic(*ty) };
                let (d, a, b) = (self.row(*dst), self.source(*a), self.source(*b));
                match rows::binary(*op, *ty).filter(|_| is_plain(*mode, *ty)) {
                    Some(f) => (class, Micro::Compute(Compute::Map2 { f, d, a, b })),
                    None => (
                        class,
                        Micro::Compute(Compute::Each { f: scalar::binary(*op, *mode, *ty)?, d, sources: [a, b, b] }),
                    ),
                }
            }
            _ => return None,
        })
    }

    fn conversion(&mut self, op: &Op) -> Option<(Class, Micro)> {
        Some(match op {
            Op::Cvt { mode, to, from, dst, a } => {
                let real = *to == Type::F64 || *from == Type::F64;
                let class = if real { Class::Double } else { Class::Integer };
                let (d, a) = (self.row(*dst), self.source(*a));
                let wide = self.class_of(*dst);
                let plain = Mode { rounding: mode.rounding, ..Mode::default() };
                let fits = wide.bytes() == to.bytes();
                if let Some(f) = rows::convert(mode.rounding, *to, *from).filter(|_| *mode == plain && fits) {
                    return Some((class, Micro::Compute(Compute::Map1 { f, d, a })));
                }
                let f = scalar::convert(*mode, *to, *from)?;
                // the sign goes on into a wider register
                let to = *to;
                let f: scalar::Each = match to.is_signed() && !fits {
                    true => Box::new(move |x| scalar::bits(scalar::number(f(x), to), wide)),
                    false => f,
                };
                (class, Micro::Compute(Compute::Each { f, d, sources: [a; 3] }))
            }
            Op::Cvta { to, space, dst, a, .. } => memory::generic(self, *to, *space, *dst, *a)?,
            Op::Isspacep { space, dst, a } if *space != Space::Param => {
                (Class::Integer, Micro::Test(Test::IsSpace { space: *space, d: self.row(*dst), a: self.source(*a) }))
            }
            Op::Pack { ty, dst, parts } if ty.bytes() <= 8 && !parts.is_empty() => {
                let bits = 8 * ty.bytes() / parts.len() as u32;
                let parts = parts.iter().map(|part| self.source(*part)).collect();
                (Class::Move, Micro::Pieces(Pieces::Pack { d: self.row(*dst), bits, parts }))
            }
            Op::Unpack { ty, parts, src } if ty.bytes() <= 8 && !parts.is_empty() => {
                let bits = 8 * ty.bytes() / parts.len() as u32;
                let parts = parts.iter().map(|part| part.map(|part| self.row(part))).collect();
                (Class::Move, Micro::Pieces(Pieces::Unpack { bits, parts, a: self.source(*src) }))
            }
            _ => return None,
        })
    }

    /// Decodes instructions of several threads.
    fn cooperation(&mut self, op: &Op) -> Option<(Class, Micro)> {
        Some(match op {
            Op::Shfl { mode, dst, valid, src, lane, clamp, mask } => {
                let (d, a, lane, clamp) = (self.row(*dst), self.source(*src), self.source(*lane), self.source(*clamp));
                let (valid, mask) = (valid.map(|valid| self.row(valid)), self.lanes(*mask));
                (Class::Shuffle, Micro::Collective(Collective::Shuffle { mode: *mode, d, valid, a, lane, clamp, mask }))
            }
            Op::Vote { mode, dst, pred: Guard { pred, negate }, mask } => {
                let (d, pred, mask) = (self.row(*dst), self.row(*pred), self.lanes(*mask));
                (Class::Vote, Micro::Collective(Collective::Vote { mode: *mode, d, pred, negate: *negate, mask }))
            }
            Op::Match { all, dst, valid, a, mask, .. } => {
                let valid = valid.map(|valid: Reg| self.row(valid));
                let (d, a, mask) = (self.row(*dst), self.source(*a), self.source(*mask));
                (Class::Vote, Micro::Collective(Collective::Match { all: *all, d, valid, a, mask }))
            }
            Op::Redux { op, ty, dst, a, mask } => {
                let f = scalar::binary(*op, Mode::default(), *ty)?;
                (
                    Class::Vote,
                    Micro::Collective(Collective::Redux {
                        f,
                        d: self.row(*dst),
                        a: self.source(*a),
                        mask: self.source(*mask),
                    }),
                )
            }
            Op::Mma { dst, a, b, c } => {
                let b = self.source(*b);
                let blocks: Vec<MatrixBlock> = a
                    .iter()
                    .zip(dst.chunks_exact(2).zip(c.chunks_exact(2)))
                    .map(|(a, (dst, c))| MatrixBlock {
                        d: [self.row(dst[0]), self.row(dst[1])],
                        a: self.source(*a),
                        c: [self.source(c[0]), self.source(c[1])],
                    })
                    .collect();
                (Class::Matrix { blocks: blocks.len() as u64 }, Micro::Collective(Collective::Matrix { b, blocks }))
            }
            Op::Activemask { dst } => (Class::Vote, Micro::Compute(Compute::Activemask { d: self.row(*dst) })),
            Op::Bar { kind, aligned, id, threads } => {
                let (id, threads) = (self.source(*id), threads.map(|threads| self.source(threads)));
                (Class::Barrier, Micro::Bar { kind: *kind, aligned: *aligned, id, threads, result: None })
            }
            Op::BarRed { op, aligned, dst, id, threads, pred } => {
                let (id, threads) = (self.source(*id), threads.map(|threads| self.source(threads)));
                let result = Some((*op, self.row(*dst), self.guard(*pred)));
                (Class::Barrier, Micro::Bar { kind: BarKind::Sync, aligned: *aligned, id, threads, result })
            }
            _ => return None,
        })
    }

    /// Returns the lanes that an instruction names; `None` for all.
    fn lanes(&mut self, mask: Option<Operand>) -> Option<Source> {
        mask.filter(|mask| *mask != Operand::Imm(0xffff_ffff)).map(|mask| self.source(mask))
    }
}

/// Whether operations on whole rows give the same result.
fn is_plain(mode: Mode, ty: Type) -> bool {
    let rounds = ty.is_float() && mode.rounding == Rounding::Rn;
    mode == Mode::default() || rounds && mode == Mode::NEAREST
}

fn comparison(cmp: Cmp, ftz: bool, ty: Type) -> Option<Comparison> {
    match rows::compare(cmp, ty).filter(|_| !ftz) {
        Some(f) => Some(Comparison::Rows(f)),
        None => scalar::compare(cmp, ftz, ty).map(Comparison::Each),
    }
}

fn arithmetic(ty: Type) -> Class {
    match ty {
        Type::F64 => Class::Double,
        Type::F32 => Class::Single,
        _ => Class::Integer,
    }
}
