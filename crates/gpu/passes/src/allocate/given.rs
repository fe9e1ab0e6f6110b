//! An allocation that someone else made, or edited: found again in the text before it and the text after it, and proven.
//!
//! Instructions of the one text are those of the other where they are equal but for their registers: in each block as many as
//! possible, in the same order. What is left of the later text is taken for spill code, to variables that the earlier one does not have.
//! Whatever is matched with what, the [checker](super::check) follows the values: it accepts nothing that computes something else.
//! Texts name registers and not their numbers, so that how many there are is not proven; [`Compared::max_live`] tells how many are needed.

mod matching;

use super::check::{Kind, Violation, message, prologue, transfer, values};
use super::prologue::Owner;
use super::{Allocation, Options, PhysicalRegister, facts, prepare};
use crate::allocate::class::Class;
use crate::occupancy::demand::most_threads;
use cranelift_entity::SecondaryMap;
use diagnostics::{Diagnostic, Source, Span};
use ptx::analysis::pressure::max_live;
use ptx::inst::{Base, InstData, Op, Space, Type};
use ptx::ir::{Block, Func, Inst, Module, Reg, Variable};
use ptx::visit::Slot;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A text and what was read from it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    pub source: &'a Arc<Source>,
    pub module: &'a Module,
}

/// An allocation that is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Instructions of the earlier text, and how many of them are in the later one; the others were copies or had no effect.
    pub instructions: usize,
    pub kept: usize,
    /// Instructions of the later text alone.
    pub spill_code: usize,
    /// 32-bit registers that all values need which are alive at once, in the earlier text and in the later one.
    pub max_live: [u32; 2],
}

/// Whether a function of the later text is an allocation of that of the earlier one; `block` is the shape of the CTA, where the function
/// does not demand one.
///
/// # Errors
/// `opt::given`, for each place where it is not.
pub fn compare(
    before: Text,
    after: Text,
    function: &str,
    block: Option<[u32; 3]>,
) -> Result<Compared, Vec<Diagnostic>> {
    let other = |what: &str| {
        let message = format!("{function} of {} is none of {}: it has {what}", after.source.name, before.source.name);
        vec![given(message, None)]
    };
    let (old, new) = (before.module.canonical(), after.module.canonical());
    let find = |module: &Module| module.funcs.iter().position(|f| f.name == function && !f.is_declaration());
    let (Some(index), Some(at)) = (find(&old), find(&new)) else { return Err(other("no such function")) };
    let pair = Pair { before: old, index, after: &new, at };
    let unmatched = pair.allocation(block).map_err(other)?;
    // areas may also be made for the largest CTA that there is
    let largest = Options::default().shared.warps;
    let warps = match unmatched.func().threads {
        None if unmatched.warps < largest => vec![unmatched.warps, largest],
        _ => vec![unmatched.warps],
    };
    // one that is right is enough, and else the one with the fewest faults tells most
    let attempts =
        warps.iter().flat_map(|warps| [matching::latest, matching::earliest].map(|matching| (*warps, matching)));
    let attempt = |(warps, matching)| {
        let mut allocation = Allocation { warps, ..unmatched.clone() };
        match_all(&mut allocation, matching);
        let mut violations = Vec::new();
        values(&allocation, &mut violations);
        (allocation, violations)
    };
    // where the areas do not begin as expected, nothing else was looked at
    let faults = |found: &[Violation]| (found.iter().any(|violation| violation.kind == Kind::Base), found.len());
    let mut best = None;
    for (allocation, violations) in attempts.map(attempt) {
        let right = violations.is_empty();
        if best.as_ref().is_none_or(|(_, other): &(_, Vec<Violation>)| faults(&violations) < faults(other)) {
            best = Some((allocation, violations));
        }
        if right {
            break;
        }
    }
    let (allocation, violations) = best.expect("there are attempts");
    let own = allocation.prepared.insts.len();
    let insts = || allocation.func().layout.iter().flat_map(|block| &allocation.func().blocks[*block].insts);
    let kept = insts().filter(|inst| (inst.as_u32() as usize) < own).count();
    match violations.is_empty() {
        true => Ok(Compared {
            instructions: allocation.prepared.layout.iter().map(|b| allocation.prepared.blocks[*b].insts.len()).sum(),
            kept,
            spill_code: insts().count() - kept,
            max_live: [max_live(&pair.before.funcs[index]), max_live(&new.funcs[at])],
        }),
        false => Err(violations
            .iter()
            .map(|violation| diagnostic(violation, &allocation, function, before, after))
            .collect()),
    }
}

fn given(message: String, span: Option<Span>) -> Diagnostic {
    helped(message, span, "mend the text that is named last")
}

fn helped(message: String, span: Option<Span>, help: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error("opt::given", message).help(help);
    match span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
}

/// With the place in the later text, too.
fn diagnostic(violation: &Violation, allocation: &Allocation, function: &str, before: Text, after: Text) -> Diagnostic {
    let (message, span) = message::describe(violation, allocation, function, Some(before.source));
    let func = allocation.func();
    let help = match violation.kind {
        Kind::Base if allocation.block.is_none() => {
            "give the --block that it was allocated with, if there was one; else mend the text that is named last"
        }
        _ => "mend the text that is named last",
    };
    let there = violation.inst.is_none_or(|inst| func.blocks[violation.block].insts.contains(&inst));
    match func.lines.line(violation.block, violation.inst).filter(|_| there) {
        Some(line) => {
            let message = format!("{message}; see line {line} of {}", after.source.name);
            helped(message, Some(Span::of_line(after.source, line)), help)
        }
        None => helped(message, span, help),
    }
}

/// Variables of the module of both, by the variables of the later module.
type Names = SecondaryMap<Variable, Option<Variable>>;

/// Two functions, each in its module.
struct Pair<'a> {
    before: Module,
    index: usize,
    after: &'a Module,
    at: usize,
}

impl Pair<'_> {
    /// The later function in the numbers of the earlier one; else what the later one has that the earlier one has not.
    fn allocation(&self, block: Option<[u32; 3]>) -> Result<Allocation, &'static str> {
        let (old, new) = (&self.before.funcs[self.index], &self.after.funcs[self.at]);
        if old.params != new.params {
            return Err("other parameters");
        }
        if old.threads != new.threads {
            return Err("another shape of the CTA");
        }
        let ((prepared, _), (new, _)) = (prepare::run(old), prepare::run(new));
        if prepared.layout.len() != new.layout.len() {
            return Err("another number of blocks");
        }
        let (mut module, areas, variables) = self.variables()?;
        let options = Options { block, ..Options::default() };
        let facts = facts::compute(module.sm, &prepared, &options);
        let (physical, [registers, predicates]) = unshared(&new);
        let threads = new.threads.or(block).or_else(|| most_threads(old)).map(|shape| shape.iter().product::<u32>());
        let sides = facts.sides;
        module.funcs[self.index] = renumbered(&prepared, &new, &variables);
        let mut allocation = Allocation {
            module,
            index: self.index,
            prepared,
            facts,
            physical,
            locations: BTreeMap::new(),
            accesses: Vec::new(),
            local: None,
            shared: None,
            own: None,
            base: None,
            elected: None,
            own_base: None,
            prologue: 0,
            block: new.threads.or(block),
            warps: threads.map_or(options.shared.warps, |threads| threads.div_ceil(32).max(1)),
            sides,
            registers,
            predicates,
        };
        find_areas(&mut allocation, &areas);
        Ok(allocation)
    }

    /// The module with the variables of both, those that only the later one has, and what its variables are called there.
    fn variables(&self) -> Result<(Module, Vec<Variable>, Names), &'static str> {
        let mut module = self.before.clone();
        let (mut areas, mut names) = (Vec::new(), SecondaryMap::new());
        for (variable, data) in &self.after.variables {
            let known = self.before.variables.iter().find(|(_, other)| other.name == data.name);
            names[variable] = Some(match known {
                Some((_, other)) if other != data => return Err("a variable of that name that is another one"),
                Some((same, _)) => same,
                None => {
                    let area = module.variables.push(data.clone());
                    areas.push(area);
                    area
                }
            });
        }
        Ok((module, areas, names))
    }
}

/// A place of its own for every register, and how many there are of each file.
fn unshared(func: &Func) -> (SecondaryMap<Reg, PhysicalRegister>, [u32; 2]) {
    let mut physical = SecondaryMap::new();
    let mut ends = [0u32; 2];
    for (reg, ty) in &func.regs {
        let class = Class::for_type(*ty);
        let end = &mut ends[class.file as usize];
        let start = end.next_multiple_of(class.align());
        *end = start + class.units;
        physical[reg] = PhysicalRegister { file: class.file, start, units: class.units };
    }
    (physical, ends)
}

/// The later function with the blocks of the earlier one; its instructions come behind those.
fn renumbered(prepared: &Func, new: &Func, variables: &Names) -> Func {
    let mut func = Func { regs: new.regs.clone(), lines: Default::default(), ..prepared.clone() };
    let blocks: BTreeMap<Block, Block> = new.layout.iter().copied().zip(prepared.layout.iter().copied()).collect();
    for (from, to) in &blocks {
        let mut insts = Vec::new();
        for inst in &new.blocks[*from].insts {
            let mut data = new.insts[*inst].clone();
            data.op.slots(|slot| {
                if let Slot::Variable(variable) = slot {
                    *variable = variables[*variable].unwrap_or(*variable);
                }
            });
            let copy = func.insts.push(data);
            func.lines.set(*to, Some(copy), new.lines.line(*from, Some(*inst)).unwrap_or(0));
            insts.push(copy);
        }
        let mut terminator = new.blocks[*from].terminator.clone();
        terminator.targets_mut(|target| *target = blocks.get(target).copied().unwrap_or(*target));
        func.lines.set(*to, None, new.lines.line(*from, None).unwrap_or(0));
        func.blocks[*to].insts = insts;
        func.blocks[*to].terminator = terminator;
    }
    func
}

/// The variables that spill code uses, and the registers that begin a warp's part and a thread's own slots in them.
fn find_areas(allocation: &mut Allocation, areas: &[Variable]) {
    let func = allocation.func().clone();
    let accessed = |space: Space| -> Vec<Base> {
        let bases = func.layout.iter().flat_map(|block| &func.blocks[*block].insts).filter_map(|inst| {
            match &func.insts[*inst].op {
                Op::Ld { space: of, addr, .. } | Op::St { space: of, addr, .. } if *of == space => Some(addr.base),
                _ => None,
            }
        });
        bases.collect()
    };
    let local = accessed(Space::Local);
    allocation.local = areas.iter().copied().find(|area| local.contains(&Base::Variable(*area)));
    let shared = accessed(Space::Shared);
    let (mut warp, mut thread, mut prologue_end) = (None, None, 0);
    let entry = &func.blocks[func.layout[0]].insts;
    for (at, inst) in entry.iter().enumerate() {
        let data = &func.insts[*inst];
        if data.guard.is_some() || !prologue::executable(&data.op) {
            break;
        }
        for base in data.op.results().into_iter().filter(|reg| shared.contains(&Base::Reg(*reg))) {
            allocation.prologue = at as u32 + 1;
            for area in areas {
                let found = match prologue::owner(allocation, *area, base) {
                    Some(Owner::Warp) => &mut warp,
                    Some(Owner::Thread) => &mut thread,
                    None => continue,
                };
                *found = Some((*area, base));
                prologue_end = at as u32 + 1;
            }
        }
    }
    allocation.prologue = prologue_end;
    allocation.elected = warp.and_then(|(area, _)| {
        let results = entry[..prologue_end as usize].iter().flat_map(|inst| func.insts[*inst].op.results());
        let predicates = results.filter(|reg| func.regs[*reg] == Type::Pred);
        predicates.into_iter().find(|reg| prologue::elects(allocation, area, *reg))
    });
    (allocation.shared, allocation.base) = warp.unzip();
    (allocation.own, allocation.own_base) = thread.unzip();
}

/// Gives instructions of the later function that are of the earlier one their numbers there.
fn match_all(allocation: &mut Allocation, matching: matching::Matching) {
    let bases = [allocation.base, allocation.own_base];
    let (index, first) = (allocation.index, allocation.prologue as usize);
    let (prepared, func) = (&allocation.prepared, &mut allocation.module.funcs[index]);
    let mut forms: BTreeMap<String, u32> = BTreeMap::new();
    let mut form = |data: &InstData| {
        let next = forms.len() as u32;
        *forms.entry(format!("{:?}", transfer::bare(data))).or_insert(next)
    };
    for (number, block) in prepared.layout.iter().enumerate() {
        let skipped = if number == 0 { first } else { 0 };
        let spills = |inst: &Inst| match &func.insts[*inst].op {
            Op::Ld { space: Space::Shared, addr, .. } | Op::St { space: Space::Shared, addr, .. } => {
                bases.iter().flatten().any(|base| addr.base == Base::Reg(*base))
            }
            _ => false,
        };
        let theirs: Vec<usize> =
            (skipped..func.blocks[*block].insts.len()).filter(|at| !spills(&func.blocks[*block].insts[*at])).collect();
        let old: Vec<u32> = prepared.blocks[*block].insts.iter().map(|inst| form(&prepared.insts[*inst])).collect();
        let new: Vec<u32> = theirs.iter().map(|at| form(&func.insts[func.blocks[*block].insts[*at]])).collect();
        for (ours, at) in matching(&old, &new).into_iter().map(|(a, b)| (a, theirs[b])) {
            let (own, given) = (prepared.blocks[*block].insts[ours], func.blocks[*block].insts[at]);
            func.insts[own] = func.insts[given].clone();
            let line = func.lines.line(*block, Some(given)).unwrap_or(0);
            func.lines.set(*block, Some(own), line);
            func.blocks[*block].insts[at] = own;
        }
    }
}
