//! The body of a kernel: blocks, branches, and the statements in them.

use super::scope::Scope;
use super::{Reader, Rule};
use crate::simt::inst::{Guard, InstData, Op, Terminator, Type};
use crate::simt::ir::{Block, BlockData, Func, Param, Reg};
use pest::iterators::Pair;
use std::collections::{HashMap, HashSet};

/// A kernel in the making.
pub(super) struct Body<'a> {
    pub func: Func,
    pub params: HashMap<&'a str, Param>,
    pub scopes: Vec<Scope<'a>>,
    /// Registers declared in inner braces, which siblings share.
    temporaries: HashMap<(usize, &'a str, Type), Reg>,
    labels: HashMap<&'a str, Block>,
    /// Labels that stand in the text.
    placed: HashSet<&'a str>,
    /// Where each label was first named.
    used: Vec<(&'a str, usize)>,
    /// The block that grows; `None` behind a branch.
    current: Option<Block>,
    /// The block whose conditional branch may go on with an unconditional one.
    conditional: Option<Block>,
    /// The return of guarded `ret`s.
    leave: Option<Block>,
}

impl<'a> Body<'a> {
    pub(super) fn new(func: Func) -> Self {
        Self {
            func,
            params: HashMap::new(),
            scopes: Vec::new(),
            temporaries: HashMap::new(),
            labels: HashMap::new(),
            placed: HashSet::new(),
            used: Vec::new(),
            current: None,
            conditional: None,
            leave: None,
        }
    }

    /// The innermost braces.
    pub(super) fn scope(&mut self) -> &mut Scope<'a> {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        self.scopes.last_mut().expect("a scope was just pushed")
    }

    pub(super) fn temporary(&mut self, name: &'a str, ty: Type) -> Reg {
        let key = (self.scopes.len(), name, ty);
        let regs = &mut self.func.regs;
        *self.temporaries.entry(key).or_insert_with(|| regs.push(ty))
    }

    pub(super) fn reg(&mut self, name: &str) -> Option<Reg> {
        let regs = &mut self.func.regs;
        self.scopes.iter_mut().rev().find_map(|scope| scope.find(name, |ty| regs.push(ty)))
    }

    pub(super) fn push(&mut self, guard: Option<Guard>, op: Op) {
        let block = self.block();
        let inst = self.func.insts.push(InstData { guard, op });
        self.func.blocks[block].insts.push(inst);
    }

    /// The block that grows, a new one if needed.
    fn block(&mut self) -> Block {
        match self.current {
            Some(block) => block,
            None => {
                let block = self.new_block();
                self.place(block);
                block
            }
        }
    }

    fn new_block(&mut self) -> Block {
        self.func.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Ret })
    }

    /// The block follows in the text.
    fn place(&mut self, block: Block) {
        if let Some(before) = self.current {
            self.func.blocks[before].terminator = Terminator::Bra { target: block };
        }
        if let Some(before) = self.conditional.take()
            && let Terminator::CondBra { otherwise, .. } = &mut self.func.blocks[before].terminator
        {
            *otherwise = block;
        }
        self.func.layout.push(block);
        self.current = Some(block);
    }

    fn target(&mut self, name: &'a str, offset: usize) -> Block {
        if let Some(block) = self.labels.get(name) {
            return *block;
        }
        let block = self.new_block();
        self.labels.insert(name, block);
        self.used.push((name, offset));
        block
    }

    /// Ends the growing block.
    fn end(&mut self, terminator: Terminator) {
        let block = self.block();
        self.func.blocks[block].terminator = terminator;
        self.current = None;
    }

    fn end_if(&mut self, guard: Guard, then: Block) {
        let block = self.block();
        // what follows in the text corrects `otherwise`
        self.end(Terminator::CondBra { guard, then, otherwise: then });
        self.conditional = Some(block);
    }

    pub(super) fn leave(&mut self, guard: Option<Guard>) {
        match guard {
            None => self.end(Terminator::Ret),
            Some(guard) => {
                let leave = self.leave.unwrap_or_else(|| self.new_block());
                self.leave = Some(leave);
                self.end_if(guard, leave);
            }
        }
    }

    pub(super) fn indirect(&mut self, index: Reg, names: &[&'a str], offset: usize) {
        let targets = names.iter().map(|name| self.target(name, offset)).collect();
        self.end(Terminator::Brx { index, targets });
    }
}

impl<'a> Reader<'a> {
    pub(super) fn label(&mut self, item: &Pair<'a, Rule>, body: &mut Body<'a>) {
        let name = item.clone().into_inner().next().map_or("", |word| word.as_str());
        if !body.placed.insert(name) {
            return self.error(item, "ptx::declared-twice", format!("the label {name} stands here again"));
        }
        let block = body.target(name, item.as_span().start());
        body.place(block);
    }

    pub(super) fn branch(&mut self, item: Pair<'a, Rule>, body: &mut Body<'a>) {
        let mut guard = None;
        for part in item.into_inner() {
            match part.as_rule() {
                Rule::guard => match self.guard(&part, body) {
                    Some(found) => guard = Some(found),
                    None => return,
                },
                Rule::word => {
                    let pending = body.conditional.filter(|_| guard.is_none() && body.current.is_none());
                    let then = body.target(part.as_str(), part.as_span().start());
                    match (guard, pending) {
                        (Some(guard), _) => body.end_if(guard, then),
                        (None, None) => body.end(Terminator::Bra { target: then }),
                        (None, Some(block)) => {
                            if let Terminator::CondBra { otherwise, .. } = &mut body.func.blocks[block].terminator {
                                *otherwise = then;
                            }
                            body.conditional = None;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn guard(&mut self, item: &Pair<'a, Rule>, body: &mut Body<'a>) -> Option<Guard> {
        let mut negate = false;
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::not => negate = true,
                _ => {
                    if let Some(pred) = body.reg(part.as_str())
                        && body.func.regs[pred] == Type::Pred
                    {
                        return Some(Guard { pred, negate });
                    }
                    self.error(&part, "ptx::predicate", format!("{} is no predicate", part.as_str()));
                }
            }
        }
        None
    }

    /// The kernel's last brace.
    pub(super) fn finish(&mut self, mut body: Body<'a>) {
        if body.func.layout.is_empty() || body.conditional.is_some() {
            body.block();
        }
        for (name, offset) in std::mem::take(&mut body.used) {
            if !body.placed.contains(name) {
                self.error_at(offset, name.len(), "ptx::label", format!("the label {name} stands nowhere"));
            }
        }
        if let Some(leave) = body.leave {
            body.current = None;
            body.func.layout.push(leave);
        }
        self.module.funcs.push(body.func);
    }
}
