//! Puts spill code into a function, as a plan of locations says.

use super::reuse::Spared;
use super::spill_location::SpillLocation;
use cranelift_entity::SecondaryMap;
use ptx::inst::{Access, Address, Base, BinaryOp, Cmp, Guard, InstData, Mode, Op, Operand, Space, Special, TernaryOp};
use ptx::inst::{Type, UnaryOp};
use ptx::ir::{Block, Func, Inst, Reg, Variable};
use ptx::visit::Slot;
use smallvec::smallvec;
use std::collections::{BTreeMap, BTreeSet};

/// The memory of spilled values.
#[derive(Debug, Clone, Copy)]
pub struct Areas {
    /// The thread's own; set when a location needs it.
    pub local: Option<Variable>,
    /// Begins the part of shared memory that belongs to the warp; set when a location needs it.
    pub base: Option<Reg>,
    /// True in the lane that writes for its warp; without one all lanes do.
    pub elected: Option<Reg>,
    /// Begins the thread's first own slot in shared memory; set when a location needs it.
    pub own: Option<Reg>,
    /// Special register that the strides of affine values are multiplied with.
    pub unit: Special,
}

/// Registers and accesses of the spill code that was put in.
#[derive(Debug, Clone, Default)]
pub struct Spilled {
    /// Registers that live from one instruction to the next.
    pub short: BTreeSet<Reg>,
    /// Accesses to the location of a register.
    pub accesses: Vec<SpillAccess>,
}

/// An access of spill code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpillAccess {
    /// The load or store; for a value that is computed again its last instruction, and `None` where a store fell away.
    pub inst: Option<Inst>,
    pub reg: Reg,
    pub store: bool,
}

/// Reads every register of `locations` from its location before each use and writes it there behind each definition. Offsets are
/// filled in later, when all locations are known. Accesses that are `spared` are left out.
pub fn run(
    func: &mut Func,
    locations: &BTreeMap<Reg, SpillLocation>,
    areas: Areas,
    spared: &SecondaryMap<Block, Spared>,
) -> Spilled {
    let mut spiller = Spiller { func, locations, areas, latest: BTreeMap::new(), result: Spilled::default() };
    for block in spiller.func.layout.clone() {
        spiller.block(block, &spared[block]);
    }
    spiller.result
}

struct Spiller<'a> {
    func: &'a mut Func,
    locations: &'a BTreeMap<Reg, SpillLocation>,
    areas: Areas,
    /// The register in which the last access of the block had the value.
    latest: BTreeMap<Reg, Reg>,
    result: Spilled,
}

impl Spiller<'_> {
    fn block(&mut self, block: Block, spared: &Spared) {
        let old = std::mem::take(&mut self.func.blocks[block].insts);
        let end = old.len() as u32;
        let mut new = Vec::with_capacity(old.len());
        self.latest.clear();
        for (at, inst) in old.into_iter().enumerate() {
            self.instruction(inst, at as u32, spared, &mut new);
        }
        let read = self.func.blocks[block].terminator.condition();
        if let Some((reg, location)) = read.and_then(|reg| Some((reg, *self.locations.get(&reg)?))) {
            let latest = self.latest.get(&reg).copied().filter(|_| spared.loads.contains(&(end, reg)));
            let temporary = latest.unwrap_or_else(|| {
                let temporary = self.temporary(self.func.regs[reg]);
                self.load(reg, location, temporary, &mut new);
                temporary
            });
            *self.func.blocks[block].terminator.condition_mut().expect("it reads a register") = temporary;
        }
        self.func.blocks[block].insts = new;
    }

    fn instruction(&mut self, inst: Inst, at: u32, spared: &Spared, new: &mut Vec<Inst>) {
        let data = self.func.insts[inst].clone();
        let written: BTreeSet<Reg> = data.op.results().into_iter().collect();
        let mut read = BTreeSet::new();
        data.op.operands(|operand| read.extend(operand.reg()));
        if let Some(guard) = data.guard {
            read.insert(guard.pred);
            // threads without the guard keep the old value
            read.extend(&written);
        }
        let mut names: BTreeMap<Reg, Reg> = BTreeMap::new();
        for reg in read.union(&written) {
            if let Some(location) = self.locations.get(reg) {
                let latest = self.latest.get(reg).copied().filter(|_| spared.loads.contains(&(at, *reg)));
                let temporary = latest.unwrap_or_else(|| self.temporary(self.func.regs[*reg]));
                names.insert(*reg, temporary);
                if read.contains(reg) && latest.is_none() {
                    self.load(*reg, *location, temporary, new);
                }
                self.latest.insert(*reg, temporary);
            }
        }
        let name = |reg: Reg| names.get(&reg).copied().unwrap_or(reg);
        let data = &mut self.func.insts[inst];
        data.op.slots(|slot| {
            if let Slot::Read(reg) | Slot::Write(reg) | Slot::Both(reg) = slot {
                *reg = name(*reg);
            }
        });
        data.guard = data.guard.map(|guard| Guard { pred: name(guard.pred), ..guard });
        new.push(inst);
        for reg in written {
            if let (Some(location), Some(temporary)) = (self.locations.get(&reg), names.get(&reg)) {
                match spared.stores.contains(&(at, reg)) {
                    true => self.note(reg, None, true),
                    false => self.store(reg, *location, *temporary, new),
                }
            }
        }
    }

    fn temporary(&mut self, ty: Type) -> Reg {
        let reg = self.func.regs.push(ty);
        self.result.short.insert(reg);
        reg
    }

    fn push(&mut self, op: Op, new: &mut Vec<Inst>) -> Inst {
        let inst = self.func.insts.push(InstData { guard: None, op });
        new.push(inst);
        inst
    }

    fn note(&mut self, reg: Reg, inst: Option<Inst>, store: bool) {
        self.result.accesses.push(SpillAccess { inst, reg, store });
    }

    /// `into` = the value of `reg`
    fn load(&mut self, reg: Reg, location: SpillLocation, into: Reg, new: &mut Vec<Inst>) {
        let ty = self.func.regs[reg].class();
        let inst = match location {
            SpillLocation::Local { .. } => self.load_word(self.local(), Space::Local, ty, into, new),
            SpillLocation::Shared { .. } => self.load_word(self.shared(), Space::Shared, ty, into, new),
            SpillLocation::Own { .. } => self.load_word(self.own(), Space::Shared, ty, into, new),
            SpillLocation::Constant { value } if ty == Type::Pred => self.test(Operand::Imm(value & 1), into, new),
            SpillLocation::Constant { value } => self.push(mov(ty, into, Operand::Imm(value)), new),
            SpillLocation::Affine { stride, base } => {
                let lane = self.lane(ty, new);
                self.push(mad(ty, into, lane, stride, Operand::Imm(base)), new)
            }
            SpillLocation::Residual { stride, .. } => {
                let uniform = self.temporary(ty);
                let load = self.load_word(self.shared(), Space::Shared, ty, uniform, new);
                let lane = self.lane(ty, new);
                self.push(mad(ty, into, lane, stride, Operand::Reg(uniform)), new);
                load
            }
        };
        self.note(reg, Some(inst), false);
    }

    /// The location of `reg` = the value in `from`
    fn store(&mut self, reg: Reg, location: SpillLocation, from: Reg, new: &mut Vec<Inst>) {
        let ty = self.func.regs[reg].class();
        let inst = match location {
            SpillLocation::Local { .. } => Some(self.store_word(self.local(), Space::Local, ty, from, new)),
            SpillLocation::Shared { .. } => Some(self.store_for_warp(ty, from, new)),
            SpillLocation::Own { .. } => Some(self.store_word(self.own(), Space::Shared, ty, from, new)),
            SpillLocation::Constant { .. } | SpillLocation::Affine { .. } => None,
            SpillLocation::Residual { stride, .. } => {
                let lane = self.lane(ty, new);
                let uniform = self.temporary(ty);
                let minus = stride.wrapping_neg() & ty.mask();
                self.push(mad(ty, uniform, lane, minus, Operand::Reg(from)), new);
                Some(self.store_for_warp(ty, uniform, new))
            }
        };
        self.note(reg, inst, true);
    }

    fn store_for_warp(&mut self, ty: Type, from: Reg, new: &mut Vec<Inst>) -> Inst {
        let inst = self.store_word(self.shared(), Space::Shared, ty, from, new);
        self.func.insts[inst].guard = self.areas.elected.map(|pred| Guard { pred, negate: false });
        inst
    }

    fn local(&self) -> Base {
        Base::Variable(self.areas.local.expect("a location in local memory has an area"))
    }

    fn shared(&self) -> Base {
        Base::Reg(self.areas.base.expect("a location in shared memory has a base"))
    }

    fn own(&self) -> Base {
        Base::Reg(self.areas.own.expect("a thread's own slot has a base"))
    }

    /// Predicates are kept as words of 0 or 1.
    fn load_word(&mut self, base: Base, space: Space, ty: Type, into: Reg, new: &mut Vec<Inst>) -> Inst {
        let word = if ty == Type::Pred { self.temporary(Type::B32) } else { into };
        let ty_word = if ty == Type::Pred { Type::B32 } else { ty };
        let addr = Address { base, offset: 0 };
        let op = Op::Ld { space, read_only: false, access: Access::default(), ty: ty_word, dst: smallvec![word], addr };
        let inst = self.push(op, new);
        if ty == Type::Pred {
            self.test(Operand::Reg(word), into, new);
        }
        inst
    }

    fn store_word(&mut self, base: Base, space: Space, ty: Type, from: Reg, new: &mut Vec<Inst>) -> Inst {
        let mut word = from;
        if ty == Type::Pred {
            word = self.temporary(Type::B32);
            let op = Op::Selp { ty: Type::B32, dst: word, a: Operand::Imm(1), b: Operand::Imm(0), pred: from };
            self.push(op, new);
        }
        let ty = if ty == Type::Pred { Type::B32 } else { ty };
        let addr = Address { base, offset: 0 };
        let op = Op::St { space, access: Access::default(), ty, addr, src: smallvec![Operand::Reg(word)] };
        self.push(op, new)
    }

    /// `into` = whether the word is not zero
    fn test(&mut self, word: Operand, into: Reg, new: &mut Vec<Inst>) -> Inst {
        let (cmp, ty, b) = (Cmp::Ne, Type::U32, Operand::Imm(0));
        self.push(Op::Setp { cmp, ftz: false, ty, dst: into, other: None, a: word, b, combine: None }, new)
    }

    /// The unit of affine values in a register of that type.
    fn lane(&mut self, ty: Type, new: &mut Vec<Inst>) -> Reg {
        let lane = self.temporary(Type::B32);
        self.push(mov(Type::U32, lane, Operand::Special(self.areas.unit)), new);
        if ty.bytes() == 4 {
            return lane;
        }
        let wide = self.temporary(ty);
        let op = Op::Cvt { mode: Mode::default(), to: Type::U64, from: Type::U32, dst: wide, a: Operand::Reg(lane) };
        self.push(op, new);
        wide
    }
}

fn mov(ty: Type, dst: Reg, a: Operand) -> Op {
    Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a }
}

/// dst = lane · stride + c
fn mad(ty: Type, dst: Reg, lane: Reg, stride: u64, c: Operand) -> Op {
    let (a, ty) = (Operand::Reg(lane), if ty.bytes() == 8 { Type::S64 } else { Type::S32 });
    if stride == 1 {
        return Op::Binary { op: BinaryOp::Add, mode: Mode::default(), ty, dst, a, b: c };
    }
    Op::Ternary { op: TernaryOp::Mad, mode: Mode::default(), ty, dst, a, b: Operand::Imm(stride), c }
}
