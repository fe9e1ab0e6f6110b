//! From a kernel to a flat array of instructions whose operands are numbers of rows.

use super::buffer::Buffer;
use super::counts::Class;
use super::hazard::{Kind, Site};
use super::memory::segment_address;
use super::rows::{self, Compare, Map1, Map2, Map3, Row};
use super::{Argument, Launch};
use crate::simt::analysis::dominators::post_dominators;
use crate::simt::inst::*;
use crate::simt::ir::{Block, Func, Init, Inst, Module, Param, Reg, Variable};
use crate::simt::print::instruction_text;
use cranelift_entity::{EntityRef, SecondaryMap};

/// Reads a register row, or with the top bit a row of the pool of constants.
#[derive(Clone, Copy)]
pub(super) struct Source(u32);

impl Source {
    const POOL: u32 = 1 << 31;

    /// The register row; `None` for a constant.
    pub(super) fn register(self) -> Option<usize> {
        (self.0 & Self::POOL == 0).then_some(self.0 as usize)
    }

    pub(super) fn row<'a>(self, regs: &'a [Row], pool: &'a [Row]) -> &'a Row {
        if self.0 & Self::POOL == 0 { &regs[self.0 as usize] } else { &pool[(self.0 & !Self::POOL) as usize] }
    }
}

/// No reconvergence before the exit.
pub(super) const EXIT: u32 = u32::MAX;

/// The predicate number and whether it is negated.
pub(super) type GuardBit = (u32, bool);

pub(super) struct Decoded {
    pub guard: Option<GuardBit>,
    pub class: Class,
    pub micro: Micro,
}

/// Branch targets are program counters.
pub(super) enum Micro {
    Map1 {
        f: Map1,
        d: u32,
        a: Source,
    },
    Map2 {
        f: Map2,
        d: u32,
        a: Source,
        b: Source,
    },
    Map3 {
        f: Map3,
        d: u32,
        a: Source,
        b: Source,
        c: Source,
    },
    Compare {
        f: Compare,
        d: u32,
        a: Source,
        b: Source,
    },
    Logic {
        f: fn(u32, u32) -> u32,
        d: u32,
        a: u32,
        b: u32,
    },
    Select {
        d: u32,
        a: Source,
        b: Source,
        pred: u32,
    },
    /// Parts of `bits` bits, the lowest first.
    Pack {
        d: u32,
        bits: u32,
        parts: Box<[Source]>,
    },
    Unpack {
        bits: u32,
        parts: Box<[Option<u32>]>,
        a: Source,
    },
    /// `extend`: the sign goes into the bits of this mask.
    Load {
        space: Space,
        bytes: u32,
        extend: u64,
        d: Box<[u32]>,
        base: Source,
        offset: u64,
    },
    Store {
        space: Space,
        bytes: u32,
        a: Box<[Source]>,
        base: Source,
        offset: u64,
    },
    Shuffle {
        mode: ShflMode,
        d: u32,
        valid: Option<u32>,
        a: Source,
        lane: Source,
        clamp: Source,
    },
    Vote {
        mode: VoteMode,
        d: u32,
        pred: u32,
        negate: bool,
    },
    Bar {
        kind: BarKind,
        id: u32,
        threads: Option<u32>,
    },
    Jump {
        target: u32,
    },
    Branch {
        pred: u32,
        negate: bool,
        then: u32,
        otherwise: u32,
        meet: u32,
    },
    Indirect {
        index: u32,
        targets: Box<[u32]>,
        meet: u32,
    },
    /// d: b with bits of a.
    Insert {
        long: bool,
        d: u32,
        a: Source,
        b: Source,
        pos: Source,
        len: Source,
    },
    SetPred {
        d: u32,
        value: bool,
    },
    /// The simulator does not know it. Rows and predicates that it may write.
    Unknown {
        rows: Vec<u32>,
        preds: Vec<u32>,
    },
    /// A directive.
    Nothing,
    Ret,
}

pub(super) struct Code<'m> {
    module: &'m Module,
    func: &'m Func,
    pub ops: Vec<Decoded>,
    origins: Vec<(Block, Option<Inst>)>,
    pub pool: Vec<Row>,
    pub registers: usize,
    pub predicates: usize,
    /// Rows that hold special registers.
    pub specials: Vec<(Special, u32)>,
    pub shared_bytes: u64,
    pub local_bytes: u64,
    /// The module's tables, which follow the launch's buffers as segments.
    pub tables: Vec<(Space, Buffer)>,
}

impl Code<'_> {
    pub(super) fn site(&self, warp: u32, pc: u32) -> Site {
        let (block, inst) = self.origins[pc as usize];
        Site { warp, pc, text: instruction_text(self.module, self.func, block, inst) }
    }
}

/// Fails on what the simulator does not know.
pub(super) fn decode<'m>(
    module: &'m Module,
    func: &'m Func,
    launch: &Launch,
    buffers: usize,
) -> Result<Code<'m>, Kind> {
    if launch.arguments.len() != func.params.len() {
        let (given, wanted) = (launch.arguments.len(), func.params.len());
        return Err(Kind::Unsupported(format!("{given} arguments for {wanted} parameters")));
    }
    let code = Code {
        module,
        func,
        ops: Vec::new(),
        origins: Vec::new(),
        pool: Vec::new(),
        registers: 0,
        predicates: 0,
        specials: Vec::new(),
        shared_bytes: 0,
        local_bytes: 0,
        tables: Vec::new(),
    };
    let mut decoder = Decoder {
        code,
        arguments: &launch.arguments,
        rows: SecondaryMap::new(),
        starts: SecondaryMap::with_default(EXIT),
        variables: SecondaryMap::new(),
    };
    decoder.number_registers();
    decoder.place_variables(buffers);
    decoder.blocks()?;
    Ok(decoder.code)
}

struct Decoder<'m, 'l> {
    code: Code<'m>,
    arguments: &'l [Argument],
    /// The row or the predicate number of each register.
    rows: SecondaryMap<Reg, u32>,
    starts: SecondaryMap<Block, u32>,
    variables: SecondaryMap<Variable, u64>,
}

impl Decoder<'_, '_> {
    fn number_registers(&mut self) {
        for (reg, ty) in self.code.func.regs.iter() {
            let count = if *ty == Type::Pred { &mut self.code.predicates } else { &mut self.code.registers };
            self.rows[reg] = *count as u32;
            *count += 1;
        }
    }

    fn place_variables(&mut self, buffers: usize) {
        for (variable, data) in self.code.module.variables.iter() {
            let end = match data.space {
                Space::Shared => &mut self.code.shared_bytes,
                Space::Local => &mut self.code.local_bytes,
                Space::Global | Space::Const | Space::Param | Space::Generic => {
                    let table = match &data.init {
                        Init::F64(values) => Buffer::input(values),
                        Init::S32(values) => Buffer::integers(values),
                        Init::Bytes(values) => Buffer::bytes_of(values),
                        Init::None | Init::Verbatim(..) => Buffer::output(data.bytes.div_ceil(8) as usize),
                    };
                    self.variables[variable] = segment_address(buffers + self.code.tables.len());
                    self.code.tables.push((data.space, table));
                    continue;
                }
            };
            let start = end.next_multiple_of(u64::from(data.align.max(1)));
            self.variables[variable] = start;
            *end = start + data.bytes;
        }
    }

    fn blocks(&mut self) -> Result<(), Kind> {
        let func = self.code.func;
        let mut pc = 0;
        for block in &func.layout {
            self.starts[*block] = pc;
            pc += func.blocks[*block].insts.len() as u32 + 1;
        }
        let meets = post_dominators(func);
        for (i, block) in func.layout.iter().enumerate() {
            for inst in &func.blocks[*block].insts {
                let data = &func.insts[*inst];
                let (class, micro) = self.instruction(&data.op).unwrap_or_else(|| self.unknown(&data.op));
                let guard = data.guard.map(|guard| (self.rows[guard.pred], guard.negate));
                self.code.ops.push(Decoded { guard, class, micro });
                self.code.origins.push((*block, Some(*inst)));
            }
            let meet = meets[*block].map_or(EXIT, |meet| self.starts[meet]);
            let micro = self.terminator(&func.blocks[*block].terminator, meet)?;
            let next = func.layout.get(i + 1).map_or(EXIT, |next| self.starts[*next]);
            let free = matches!(micro, Micro::Jump { target } if target == next);
            let class = if free { Class::Free } else { Class::Branch };
            self.code.ops.push(Decoded { guard: None, class, micro });
            self.code.origins.push((*block, None));
        }
        Ok(())
    }

    fn unknown(&self, op: &Op) -> (Class, Micro) {
        let (mut rows, mut preds) = (Vec::new(), Vec::new());
        for reg in op.results() {
            let list = if self.code.func.regs[reg] == Type::Pred { &mut preds } else { &mut rows };
            list.push(self.rows[reg]);
        }
        (Class::Move, Micro::Unknown { rows, preds })
    }

    fn instruction(&mut self, op: &Op) -> Option<(Class, Micro)> {
        let (class, micro) = match op {
            Op::Unary { op: UnaryOp::Mov, ty: Type::Pred, dst, a: Operand::Imm(bits), .. } => {
                (Class::Move, Micro::SetPred { d: self.rows[*dst], value: *bits != 0 })
            }
            Op::Unary { op, ty: Type::Pred, dst, a: Operand::Reg(a), .. } => {
                let f: fn(u32, u32) -> u32 = match op {
                    UnaryOp::Mov => |a, _| a,
                    UnaryOp::Not => |a, _| !a,
                    _ => return None,
                };
                (Class::Move, Micro::Logic { f, d: self.rows[*dst], a: self.rows[*a], b: self.rows[*a] })
            }
            Op::Unary { op, mode, ty, dst, a } => {
                if mode.ftz || mode.sat {
                    return None;
                }
                let micro = Micro::Map1 { f: rows::unary(*op, *ty)?, d: self.rows[*dst], a: self.source(*a) };
                let class = match op {
                    UnaryOp::Mov => Class::Move,
                    UnaryOp::Sqrt | UnaryOp::Rcp => Class::DoubleLong,
                    // A sign is a modifier of the operand that reads it.
                    UnaryOp::Neg | UnaryOp::Abs if *ty == Type::F64 => Class::Move,
                    _ => arithmetic(*ty),
                };
                (class, micro)
            }
            Op::Binary { op, ty: Type::Pred, dst, a: Operand::Reg(a), b: Operand::Reg(b), .. } => {
                let f: fn(u32, u32) -> u32 = match op {
                    BinaryOp::And => |a, b| a & b,
                    BinaryOp::Or => |a, b| a | b,
                    BinaryOp::Xor => |a, b| a ^ b,
                    _ => return None,
                };
                (Class::Move, Micro::Logic { f, d: self.rows[*dst], a: self.rows[*a], b: self.rows[*b] })
            }
            Op::Binary { op, mode, ty, dst, a, b } => {
                if mode.ftz || mode.sat {
                    return None;
                }
                let f = rows::binary(*op, *ty)?;
                let class = if (*op, *ty) == (BinaryOp::Div, Type::F64) { Class::DoubleLong } else { arithmetic(*ty) };
                (class, Micro::Map2 { f, d: self.rows[*dst], a: self.source(*a), b: self.source(*b) })
            }
            Op::Ternary { op, mode, ty, dst, a, b, c } => {
                if mode.ftz || mode.sat {
                    return None;
                }
                let (a, b, c) = (self.source(*a), self.source(*b), self.source(*c));
                (arithmetic(*ty), Micro::Map3 { f: rows::ternary(*op, *ty)?, d: self.rows[*dst], a, b, c })
            }
            Op::Setp { cmp, ftz: false, ty, dst, other: None, a, b, combine: None } => {
                let f = rows::compare(*cmp, *ty)?;
                (arithmetic(*ty), Micro::Compare { f, d: self.rows[*dst], a: self.source(*a), b: self.source(*b) })
            }
            Op::Selp { ty: Type::Pred, .. } => return None,
            Op::Selp { dst, a, b, pred, .. } => {
                let (a, b) = (self.source(*a), self.source(*b));
                (Class::Move, Micro::Select { d: self.rows[*dst], a, b, pred: self.rows[*pred] })
            }
            Op::Cvt { mode, to, from, dst, a } => {
                if mode.ftz || mode.sat {
                    return None;
                }
                let f = rows::convert(mode.rounding, *to, *from)?;
                let real = *to == Type::F64 || *from == Type::F64;
                let class = if real { Class::Double } else { Class::Integer };
                (class, Micro::Map1 { f, d: self.rows[*dst], a: self.source(*a) })
            }
            Op::Cvta { dst, a, space: Space::Global, .. } => {
                (Class::Move, Micro::Map1 { f: |a| *a, d: self.rows[*dst], a: self.source(*a) })
            }
            Op::Pack { ty, dst, parts } if ty.bytes() <= 8 => {
                let bits = 8 * ty.bytes() / parts.len() as u32;
                let parts = parts.iter().map(|part| self.source(*part)).collect();
                (Class::Move, Micro::Pack { d: self.rows[*dst], bits, parts })
            }
            Op::Unpack { ty, parts, src } if ty.bytes() <= 8 => {
                let bits = 8 * ty.bytes() / parts.len() as u32;
                let parts = parts.iter().map(|part| part.map(|part| self.rows[part])).collect();
                (Class::Move, Micro::Unpack { bits, parts, a: self.source(*src) })
            }
            Op::Ld { space: Space::Param, dst, addr, .. } => {
                let value = match (addr, &dst[..]) {
                    (Address { base: Base::Param(param), offset: 0 }, [_]) => self.argument(*param),
                    _ => return None,
                };
                (Class::Const, Micro::Map1 { f: |a| *a, d: self.rows[dst[0]], a: self.constant(value) })
            }
            Op::Ld { space, ty, dst, addr, .. } => {
                let wide = self.code.func.regs[*dst.first()?];
                let extend = if ty.is_signed() { wide.mask() & !ty.mask() } else { 0 };
                let (base, offset) = self.address(*addr)?;
                let d = dst.iter().map(|dst| self.rows[*dst]).collect();
                (memory(*space)?, Micro::Load { space: *space, bytes: ty.bytes(), extend, d, base, offset })
            }
            Op::St { space, ty, addr, src, .. } => {
                let (base, offset) = self.address(*addr)?;
                let a = src.iter().map(|src| self.source(*src)).collect();
                (memory(*space)?, Micro::Store { space: *space, bytes: ty.bytes(), a, base, offset })
            }
            Op::Shfl { mode, dst, valid, src, lane, clamp, mask: None | Some(Operand::Imm(0xffff_ffff)) } => {
                let (d, a, lane) = (self.rows[*dst], self.source(*src), self.source(*lane));
                let valid = valid.map(|valid| self.rows[valid]);
                (Class::Shuffle, Micro::Shuffle { mode: *mode, d, valid, a, lane, clamp: self.source(*clamp) })
            }
            Op::Vote { mode, dst, pred: Guard { pred, negate }, mask: None | Some(Operand::Imm(0xffff_ffff)) } => {
                let (d, pred) = (self.rows[*dst], self.rows[*pred]);
                (Class::Vote, Micro::Vote { mode: *mode, d, pred, negate: *negate })
            }
            Op::Bfi { ty, dst, a, b, pos, len } => {
                let [a, b, pos, len] = [*a, *b, *pos, *len].map(|operand| self.source(operand));
                (Class::Integer, Micro::Insert { long: ty.bytes() == 8, d: self.rows[*dst], a, b, pos, len })
            }
            Op::Bar { kind, id: Operand::Imm(id), threads: None, .. } => {
                (Class::Barrier, Micro::Bar { kind: *kind, id: *id as u32, threads: None })
            }
            Op::Bar { kind, id: Operand::Imm(id), threads: Some(Operand::Imm(threads)), .. } => {
                (Class::Barrier, Micro::Bar { kind: *kind, id: *id as u32, threads: Some(*threads as u32) })
            }
            Op::Directive(_) => (Class::Free, Micro::Nothing),
            _ => return None,
        };
        Some((class, micro))
    }

    fn terminator(&self, terminator: &Terminator, meet: u32) -> Result<Micro, Kind> {
        if let Some(outside) = terminator.targets().iter().find(|t| self.starts[**t] == EXIT) {
            return Err(Kind::Unsupported(format!("a branch to {outside}, which has no place in the layout")));
        }
        Ok(match terminator {
            Terminator::Bra { target } => Micro::Jump { target: self.starts[*target] },
            Terminator::CondBra { guard, then, otherwise } => Micro::Branch {
                pred: self.rows[guard.pred],
                negate: guard.negate,
                then: self.starts[*then],
                otherwise: self.starts[*otherwise],
                meet,
            },
            Terminator::Brx { index, targets } => Micro::Indirect {
                index: self.rows[*index],
                targets: targets.iter().map(|t| self.starts[*t]).collect(),
                meet,
            },
            Terminator::Ret | Terminator::Exit => Micro::Ret,
        })
    }

    fn address(&mut self, addr: Address) -> Option<(Source, u64)> {
        let base = match addr.base {
            Base::Reg(reg) => Source(self.rows[reg]),
            Base::Variable(variable) => self.constant(self.variables[variable]),
            Base::Param(_) => return None,
        };
        Some((base, addr.offset as u64))
    }

    fn source(&mut self, operand: Operand) -> Source {
        match operand {
            Operand::Reg(reg) => Source(self.rows[reg]),
            Operand::Imm(bits) => self.constant(bits),
            Operand::Variable(variable) => self.constant(self.variables[variable]),
            Operand::Special(special) => {
                if let Some((_, row)) = self.code.specials.iter().find(|(known, _)| *known == special) {
                    return Source(*row);
                }
                let row = self.code.registers as u32;
                self.code.registers += 1;
                self.code.specials.push((special, row));
                Source(row)
            }
        }
    }

    fn constant(&mut self, bits: u64) -> Source {
        self.code.pool.push([bits; 32]);
        Source(Source::POOL | (self.code.pool.len() - 1) as u32)
    }

    fn argument(&self, param: Param) -> u64 {
        match self.arguments[param.index()] {
            Argument::Buffer(index) => segment_address(index),
            Argument::U32(value) => u64::from(value),
            Argument::U64(value) => value,
        }
    }
}

fn arithmetic(ty: Type) -> Class {
    if ty == Type::F64 { Class::Double } else { Class::Integer }
}

fn memory(space: Space) -> Option<Class> {
    match space {
        Space::Param | Space::Generic => None,
        Space::Global => Some(Class::Global),
        Space::Shared => Some(Class::Shared),
        Space::Local => Some(Class::Local),
        Space::Const => Some(Class::Const),
    }
}
