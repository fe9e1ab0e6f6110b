//! Checks by execution the claims of the divergence analysis: at every dynamic instance of a value's definition and of each use,
//! over the lanes that are active there.

use super::decode::{Code, Function};
use super::hazard::Kind;
use super::rows::Row;
use super::warp::Warp;
use cranelift_entity::SecondaryMap;
use ptx::analysis::calls;
use ptx::analysis::divergence::{Basis, Coefficient, Divergence, Options, State};
use ptx::analysis::gated::Gated;
use ptx::analysis::ssa::Value;
use ptx::inst::{Special, Type};
use ptx::ir::{Func, FuncKind, Module, Reg};
use ptx::print::Quotes;
use std::collections::BTreeMap;

/// Claims about the values of a kernel and of the functions that it may call.
#[derive(Debug, Clone)]
pub struct Claims {
    bodies: Vec<Body>,
    /// Number of claims, each counted once per place.
    pub count: usize,
}

/// The claims of one function, by position in its layout.
#[derive(Debug, Clone)]
struct Body {
    name: String,
    /// Claims checked in front of an instruction: of the values that it reads, and of a block's φs in front of its first one.
    before: Vec<Vec<Claim>>,
    /// Claims checked behind an instruction.
    after: Vec<Vec<Claim>>,
    /// Whether T is `%tid.x`; otherwise it is the lane.
    by_tid: bool,
    /// Number of values that strides are multiples of.
    names: usize,
}

#[derive(Debug, Clone)]
struct Claim {
    name: String,
    ty: Type,
    reg: Reg,
    stride: Stride,
    base: Base,
    /// Index among the values that strides are multiples of, if the value is one.
    remember: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Stride {
    Known(u64),
    Scaled(usize, u64),
    Any,
}

#[derive(Debug, Clone, Copy)]
enum Base {
    Known(u64),
    /// A multiple of 32.
    Aligned,
    Any,
}

impl Claims {
    /// Computes the claims of the divergence analysis of the kernel and of all functions.
    pub fn compute(module: &Module, kernel: &Func, options: Options) -> Self {
        let functions = module.funcs.iter().filter(|func| func.kind == FuncKind::Function && !func.is_declaration());
        let all = std::iter::once(kernel).chain(functions).map(|func| {
            let gated = calls::gated(module, func, options);
            let result = Divergence::compute(func, &gated, options);
            Self::new(module, func, &gated, &result.basis, |value| result.state(value))
        });
        all.fold(Self { bodies: Vec::new(), count: 0 }, |mut all, own| {
            all.bodies.extend(own.bodies);
            all.count += own.count;
            all
        })
    }

    /// Takes the claims that `state` makes of one function. A stride that is named by a value is claimed in kernels only: a
    /// function that calls itself has several such values at a time.
    pub fn new(module: &Module, func: &Func, gated: &Gated, basis: &Basis, state: impl Fn(Value) -> State) -> Self {
        let mut names: BTreeMap<Value, usize> = BTreeMap::new();
        for value in gated.ssa.values.keys() {
            if let Coefficient::Scaled(name, _) = state(value).stride {
                let next = names.len();
                names.entry(name).or_insert(next);
            }
        }
        let texts = Quotes::new(module, func);
        let mut count = 0;
        let mut claim = |value: Value| {
            let reg = gated.ssa.values[value].reg;
            let state = state(value);
            let stride = match state.stride {
                Coefficient::Known(stride) => Stride::Known(stride),
                Coefficient::Scaled(name, factor) if func.kind == FuncKind::Entry => {
                    Stride::Scaled(names[&name], factor)
                }
                _ => Stride::Any,
            };
            let base = match state.base {
                Coefficient::Known(base) => Base::Known(base),
                Coefficient::Aligned => Base::Aligned,
                _ => Base::Any,
            };
            let remember = names.get(&value).copied().filter(|_| func.kind == FuncKind::Entry);
            let claims = !matches!(stride, Stride::Any);
            count += usize::from(claims);
            (claims || remember.is_some()).then(|| Claim {
                name: texts.register(reg),
                ty: func.regs[reg],
                reg,
                stride,
                base,
                remember,
            })
        };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for block in &func.layout {
            let reachable = gated.facts.cfg.reachable(*block);
            let mut first: Vec<Claim> = gated.ssa.starts(*block).iter().filter_map(|value| claim(*value)).collect();
            for inst in &func.blocks[*block].insts {
                let mut reads = std::mem::take(&mut first);
                let mut writes = Vec::new();
                if reachable {
                    reads.extend(gated.ssa.reads(*inst).iter().filter_map(|value| claim(*value)));
                    writes.extend(gated.ssa.writes(*inst).iter().filter_map(|value| claim(*value)));
                }
                before.push(reads);
                after.push(writes);
            }
            first.extend(gated.ssa.condition(*block).filter(|_| reachable).and_then(&mut claim));
            before.push(first);
            after.push(Vec::new());
        }
        let by_tid = basis.unit == Special::TidX;
        let body = Body { name: func.name.clone(), before, after, by_tid, names: names.len() };
        Self { bodies: vec![body], count }
    }
}

/// Checks claims while warps run.
pub(super) struct Checker<'c> {
    /// Steps by position in the code; `None` in functions without claims.
    steps: Vec<Option<Step<'c>>>,
    /// The width of the block.
    width: u64,
    /// Last values of the names per warp, lane by lane.
    names: Vec<Vec<Row>>,
}

/// Claims at one instruction.
#[derive(Clone, Copy)]
struct Step<'c> {
    by_tid: bool,
    /// Row or predicate of each register.
    rows: &'c SecondaryMap<Reg, u32>,
    before: &'c [Claim],
    after: &'c [Claim],
}

impl<'c> Checker<'c> {
    pub(super) fn new(claims: &'c Claims, code: &'c Code, width: u32, warps: usize) -> Self {
        let mut steps = Vec::with_capacity(code.ops.len());
        let mut names = 0;
        for Function { func, rows, .. } in &code.functions {
            let positions = func.layout.iter().map(|block| func.blocks[*block].insts.len() + 1).sum();
            let body = claims.bodies.iter().find(|body| body.name == func.name);
            names = names.max(body.map_or(0, |body| body.names));
            steps.extend((0..positions).map(|i| {
                body.map(|body| Step { by_tid: body.by_tid, rows, before: &body.before[i], after: &body.after[i] })
            }));
        }
        Self { steps, width: width.into(), names: vec![vec![[0; 32]; names]; warps] }
    }

    /// Checks the claims in front of an instruction that the lanes of the mask reach.
    pub(super) fn before<K>(&mut self, warp: &Warp<K>, pc: u32, mask: u32) -> Option<Kind> {
        let step = self.steps[pc as usize]?;
        self.check(step, step.before, warp, mask)
    }

    /// Checks the claims behind it.
    pub(super) fn after<K>(&mut self, warp: &Warp<K>, pc: u32, mask: u32) -> Option<Kind> {
        let step = self.steps[pc as usize]?;
        self.check(step, step.after, warp, mask)
    }

    fn check<K>(&mut self, step: Step, claims: &[Claim], warp: &Warp<K>, mask: u32) -> Option<Kind> {
        let mut broken = None;
        for claim in claims {
            let row = step.rows[claim.reg] as usize;
            let value = |lane: usize| match claim.ty {
                Type::Pred => u64::from(warp.preds[row] >> lane & 1),
                _ => warp.regs[row][lane],
            };
            if let Some(name) = claim.remember {
                let row = &mut self.names[warp.thread.index][name];
                (0..32).filter(|lane| mask >> lane & 1 == 1).for_each(|lane| row[lane] = value(lane));
            }
            broken = broken.or_else(|| self.broken(claim, step.by_tid, warp.thread.index, mask, value));
        }
        broken
    }

    fn broken(
        &self,
        claim: &Claim,
        by_tid: bool,
        warp: usize,
        mask: u32,
        value: impl Fn(usize) -> u64,
    ) -> Option<Kind> {
        let lead = mask.trailing_zeros() as usize;
        let stride = match claim.stride {
            Stride::Any => return None,
            Stride::Known(stride) => stride,
            Stride::Scaled(name, factor) => factor.wrapping_mul(self.names[warp][name].get(lead).copied()?),
        };
        let low = claim.ty.mask();
        let t = |lane: usize| match by_tid {
            true => (32 * warp + lane) as u64 % self.width,
            false => lane as u64,
        };
        let origin = value(lead).wrapping_sub(stride.wrapping_mul(t(lead)));
        let holds = match claim.base {
            Base::Known(base) => origin & low == base & low,
            Base::Aligned => origin % 32 == 0,
            Base::Any => true,
        };
        let expected = |lane: usize| match claim.base {
            Base::Known(base) => base.wrapping_add(stride.wrapping_mul(t(lane))) & low,
            _ => origin.wrapping_add(stride.wrapping_mul(t(lane))) & low,
        };
        let wrong = (0..32).filter(|lane| mask >> lane & 1 == 1).find(|lane| value(*lane) & low != expected(*lane));
        let lane = if holds { wrong? } else { wrong.unwrap_or(lead) };
        let claim = match (claim.stride, claim.base) {
            (Stride::Known(0), _) => format!("{} is uniform", claim.name),
            (_, Base::Aligned) => format!("{} has stride {stride} and an aligned base", claim.name),
            _ => format!("{} has stride {stride}", claim.name),
        };
        Some(Kind::BrokenClaim { claim, lane: lane as u32, found: value(lane), expected: expected(lane) })
    }
}
