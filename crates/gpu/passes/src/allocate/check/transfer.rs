//! Effect of one instruction on the state, and the contents that it must find.

use super::divergence::{Kills, own_slot};
use super::state::{Location, State, Symbol};
use super::{Checker, Kind, Violation};
use crate::allocate::spill_location::Known;
use crate::allocate::{Allocation, Sides};
use ptx::inst::{Base, BinaryOp, Cmp, InstData, Op, Operand, Space, TernaryOp, Type, UnaryOp};
use ptx::ir::{Block, Inst, Reg};
use ptx::visit::Slot;
use std::collections::BTreeSet;

type Symbols = BTreeSet<Symbol>;

impl Checker<'_> {
    /// Walks the original and the allocated block side by side.
    pub(super) fn block(&self, block: Block, state: &mut State, kills: &Kills, found: &mut Vec<Violation>) {
        let mut first = 0;
        if block == self.allocated.layout[0] {
            first = self.allocation.prologue as usize;
            let Allocation { base, own_base, elected, .. } = *self.allocation;
            let bases = [(base, Symbol::Base), (own_base, Symbol::OwnBase), (elected, Symbol::Elected)];
            for (base, symbol) in bases {
                if let Some(base) = base {
                    state.write(Location::Register(self.physical(base)), [symbol].into());
                }
            }
        }
        let mut wrong = |inst: Option<Inst>, kind| found.push(Violation { block, inst, kind });
        let mut rest = self.original.blocks[block].insts.iter();
        for inst in &self.allocated.blocks[block].insts[first..] {
            let data = &self.allocated.insts[*inst];
            if inst.as_u32() as usize >= self.original.insts.len() {
                if !self.inserted(block, data, state, kills) {
                    wrong(Some(*inst), Kind::Changed);
                }
                continue;
            }
            // what was left out before this instruction
            loop {
                match rest.next() {
                    Some(next) if next == inst => break,
                    Some(missing) if self.left_out(*missing, state) => {}
                    _ => return wrong(Some(*inst), Kind::Changed),
                }
            }
            self.kept(*inst, data, state, &mut wrong);
        }
        for missing in rest {
            if !self.left_out(*missing, state) {
                wrong(Some(*missing), Kind::Changed);
            }
        }
        let (old, new) = (&self.original.blocks[block].terminator, &self.allocated.blocks[block].terminator);
        match (old.condition(), new.condition()) {
            (Some(old), Some(new)) if !self.finds(state, new, old) => wrong(None, Kind::Lost(old)),
            (Some(_), Some(_)) | (None, None) => {}
            _ => wrong(None, Kind::Changed),
        }
        let (mut old, mut new) = (old.clone(), new.clone());
        for terminator in [&mut old, &mut new] {
            if let Some(reg) = terminator.condition_mut() {
                *reg = Reg::from_u32(0);
            }
        }
        if old != new {
            wrong(None, Kind::Changed);
        }
    }

    /// An instruction of the original with other registers.
    fn kept(&self, inst: Inst, data: &InstData, state: &mut State, wrong: &mut impl FnMut(Option<Inst>, Kind)) {
        let original = &self.original.insts[inst];
        if bare(original) != bare(data) {
            return wrong(Some(inst), Kind::Changed);
        }
        let copied = match (&data.op, &original.op) {
            (Op::Unary { op: UnaryOp::Mov, a: Operand::Reg(from), .. }, _) if data.guard.is_none() => {
                state.at(Location::Register(self.physical(*from)))
            }
            _ => Symbols::new(),
        };
        let keeps = data.guard.is_some() || matches!(data.op, Op::Opaque { .. });
        let (old, new) = (read(original), read(data));
        let (old_results, new_results) = (original.op.results(), data.op.results());
        let kept = old_results.iter().zip(&new_results).filter(|_| keeps);
        for (old, new) in old.iter().zip(&new).chain(kept) {
            if !self.finds(state, *new, *old) {
                wrong(Some(inst), Kind::Lost(*old));
            }
        }
        for old in &old_results {
            state.redefine(*old);
        }
        for (old, new) in old_results.iter().zip(new_results) {
            let mut symbols: Symbols =
                copied.iter().filter(|s| !old_results.iter().any(|r| s.register() == Some(*r))).copied().collect();
            symbols.insert(Symbol::Value(*old));
            state.write(Location::Register(self.physical(new)), symbols);
        }
    }

    /// Whether an instruction may be missing: a copy, or one without effects, whose result is then nowhere. With a guard some
    /// lanes have a new value and the others the old one: nothing holds that either.
    fn left_out(&self, inst: Inst, state: &mut State) -> bool {
        let data = &self.original.insts[inst];
        let effects = !matches!(
            data.op,
            Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Ternary { .. }
                | Op::Setp { .. }
                | Op::Set { .. }
                | Op::Selp { .. }
                | Op::Slct { .. }
                | Op::Cvt { .. }
                | Op::Cvta { .. }
                | Op::Isspacep { .. }
                | Op::Pack { .. }
                | Op::Unpack { .. }
                | Op::Lop3 { .. }
                | Op::Bfi { .. }
                | Op::Ld { space: Space::Param | Space::Const, .. }
        );
        if let (Op::Unary { op: UnaryOp::Mov, dst, a: Operand::Reg(from), .. }, None) = (&data.op, data.guard) {
            let (dst, from) = (*dst, *from);
            if dst != from {
                state.redefine(dst);
                let known = self.allocation.facts.known[from];
                let number = matches!(known, Known::Constant(_) | Known::Affine { base: Some(_), .. });
                // where the copy is the same in all lanes, each lane's value of the source is the copy
                let is_uniform = self.is_uniform(Symbol::Value(dst));
                let is = |symbol: &Symbol| self.is(*symbol, from) || (is_uniform && *symbol == Symbol::SomeLane(from));
                state.copy(dst, from, number, is);
            }
            return true;
        }
        data.op.results().into_iter().for_each(|reg| state.redefine(reg));
        !effects
    }

    /// Whether a register of the allocated function has the value of an original one.
    fn finds(&self, state: &State, reg: Reg, original: Reg) -> bool {
        state.at(Location::Register(self.physical(reg))).iter().any(|symbol| self.is(*symbol, original))
    }

    /// Whether what is held is the value of an original register, by itself or by what is known of that.
    fn is(&self, held: Symbol, original: Reg) -> bool {
        let mask = self.original.regs[original].mask();
        match (held, self.allocation.facts.known[original]) {
            (Symbol::Value(reg), _) => reg == original,
            (Symbol::Lane { stride, base }, Known::Constant(value)) => {
                stride & mask == 0 && base & mask == value & mask
            }
            (Symbol::Lane { stride, base }, Known::Affine { stride: s, base: Some(b) }) => {
                stride & mask == s & mask && base & mask == b & mask
            }
            _ => false,
        }
    }

    /// An instruction of the spill code.
    fn inserted(&self, block: Block, data: &InstData, state: &mut State, kills: &Kills) -> bool {
        let register = |reg: Reg| Location::Register(self.physical(reg));
        let elected =
            data.guard.is_some_and(|guard| !guard.negate && state.holds(register(guard.pred), Symbol::Elected));
        if data.guard.is_some() && !(elected && matches!(data.op, Op::St { space: Space::Shared, .. })) {
            return false;
        }
        let held = |operand: &Operand| match operand {
            Operand::Reg(reg) => state.at(register(*reg)),
            Operand::Imm(bits) => [Symbol::Lane { stride: 0, base: *bits }].into(),
            Operand::Special(special) if *special == self.allocation.facts.unit => {
                [Symbol::Lane { stride: 1, base: 0 }].into()
            }
            _ => Symbols::new(),
        };
        let (dst, symbols) = match &data.op {
            Op::Unary { op: UnaryOp::Mov, dst, a, .. } => (*dst, held(a)),
            Op::Cvt { to: Type::U64, from: Type::U32, dst, a, .. } => {
                let lane = Symbol::Lane { stride: 1, base: 0 };
                (*dst, held(a).into_iter().filter(|symbol| *symbol == lane).collect())
            }
            Op::Binary { op: BinaryOp::Add, ty, dst, a, b, .. } => (*dst, affine(&held(a), 1, &held(b), *ty)),
            Op::Ternary { op: TernaryOp::Mad, ty, dst, a, b: Operand::Imm(stride), c, .. } => {
                (*dst, affine(&held(a), *stride, &held(c), *ty))
            }
            Op::Selp { dst, a: Operand::Imm(1), b: Operand::Imm(0), pred, .. } => {
                let word = |symbol| match symbol {
                    Symbol::Value(reg) => Some(Symbol::Word(reg)),
                    _ => None,
                };
                (*dst, held(&Operand::Reg(*pred)).into_iter().filter_map(word).collect())
            }
            Op::Setp {
                cmp: Cmp::Ne, ty: Type::U32, dst, a, b: Operand::Imm(0), combine: None, other: None, ..
            } => {
                let value = |symbol| match symbol {
                    Symbol::Word(reg) => Some(Symbol::Value(reg)),
                    Symbol::Lane { stride: 0, base } => Some(Symbol::Lane { stride: 0, base: u64::from(base != 0) }),
                    _ => None,
                };
                (*dst, held(a).into_iter().filter_map(value).collect())
            }
            Op::Ld { space, ty, dst, addr, .. } => {
                match (self.slot(state, *space, addr.base, addr.offset, *ty), &dst[..]) {
                    (Some(slot), [dst]) if kills.reliable(block, slot) => (*dst, state.at(slot)),
                    _ => return false,
                }
            }
            Op::St { space, ty, addr, src, .. } => {
                let slot = self.slot(state, *space, addr.base, addr.offset, *ty);
                let (Some(slot), [Operand::Reg(src)]) = (slot, &src[..]) else { return false };
                let of_warp = matches!(slot, Location::Shared { .. });
                let kept = |symbol| match symbol {
                    _ if !of_warp || self.is_uniform(symbol) => Some(symbol),
                    Symbol::Value(reg) => Some(Symbol::SomeLane(reg)),
                    _ => None,
                };
                state.write(slot, state.at(register(*src)).into_iter().filter_map(kept).collect());
                return elected == (of_warp && self.allocation.sides == Sides::Interleaved);
            }
            // where it stands is checked apart
            Op::BarWarp { .. } => return self.allocation.sides == Sides::Interleaved,
            _ => return false,
        };
        state.write(register(dst), symbols);
        true
    }

    /// Whether all lanes of a warp hold the same.
    fn is_uniform(&self, symbol: Symbol) -> bool {
        let known = |reg| self.allocation.facts.known[reg];
        match symbol {
            Symbol::Value(reg) | Symbol::Word(reg) => matches!(known(reg), Known::Uniform | Known::Constant(_)),
            Symbol::Uniform { reg, stride } => {
                matches!(known(reg), Known::Affine { stride: of, .. } if of & self.original.regs[reg].mask() == stride)
            }
            Symbol::Lane { stride, .. } => stride == 0,
            Symbol::SomeLane(_) | Symbol::Base | Symbol::OwnBase | Symbol::Elected => false,
        }
    }

    /// The spill slot behind an address.
    fn slot(&self, state: &State, space: Space, base: Base, offset: i64, ty: Type) -> Option<Location> {
        let bytes = ty.bytes();
        match (space, base) {
            (Space::Local, Base::Variable(area)) if Some(area) == self.allocation.local => {
                Some(Location::Local { offset, bytes })
            }
            (Space::Shared, Base::Reg(reg)) if own_slot(self.allocation, base) => {
                let based = state.holds(Location::Register(self.physical(reg)), Symbol::OwnBase);
                let offset = self.parts.own_byte(offset, bytes).filter(|_| based)?;
                Some(Location::Own { offset, bytes })
            }
            (Space::Shared, Base::Reg(reg)) => {
                let based = state.holds(Location::Register(self.physical(reg)), Symbol::Base);
                let inside = offset >= 0 && offset + i64::from(bytes) <= i64::from(self.parts.warp);
                (based && inside).then_some(Location::Shared { offset, bytes })
            }
            _ => None,
        }
    }
}

/// lane · factor + c
fn affine(lane: &Symbols, factor: u64, c: &Symbols, ty: Type) -> Symbols {
    if !lane.contains(&Symbol::Lane { stride: 1, base: 0 }) {
        return Symbols::new();
    }
    let sum = |symbol: &Symbol| match *symbol {
        Symbol::Lane { stride, base } => {
            Some(Symbol::Lane { stride: stride.wrapping_add(factor) & ty.mask(), base: base & ty.mask() })
        }
        Symbol::Value(reg) => Some(Symbol::Uniform { reg, stride: factor.wrapping_neg() & ty.mask() }),
        Symbol::Uniform { reg, stride } if stride == factor & ty.mask() => Some(Symbol::Value(reg)),
        _ => None,
    };
    c.iter().filter_map(sum).collect()
}

/// The instruction without its registers.
pub fn bare(data: &InstData) -> InstData {
    let none = Reg::from_u32(0);
    let mut data = data.clone();
    data.op.slots(|slot| {
        if let Slot::Read(reg) | Slot::Write(reg) | Slot::Both(reg) = slot {
            *reg = none;
        }
    });
    if let Some(guard) = &mut data.guard {
        guard.pred = none;
    }
    data
}

/// The registers that an instruction reads, in a fixed order.
fn read(data: &InstData) -> Vec<Reg> {
    let mut regs = Vec::new();
    data.op.operands(|operand| regs.extend(operand.reg()));
    regs.extend(data.guard.map(|guard| guard.pred));
    regs
}
