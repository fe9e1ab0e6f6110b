//! The body of a function: blocks, branches, and the statements in them.

use super::scope::Scope;
use super::{Reader, Rule};
use crate::inst::{Address, Base, Guard, InstData, Op, Space, Terminator, Type};
use crate::ir::{Block, BlockData, Func, Param, Reg};
use pest::iterators::Pair;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A name with the number of the braces that it stands in; without one it stands nowhere.
pub(super) type Label<'a> = (Option<usize>, &'a str);

/// A function in the making.
pub(super) struct Body<'a> {
    pub func: Func,
    pub params: HashMap<&'a str, Param>,
    pub scopes: Vec<Scope<'a>>,
    /// The numbers of its copies of the module's registers.
    pub common: Range<usize>,
    /// The type of a register that `_` stands for in the instruction that is being read.
    pub sink: Option<Type>,
    /// The line of the statement that is being read.
    pub line: u32,
    /// Parameters that the text keeps in registers: what is passed in, and what is returned.
    pub received: Vec<(Param, Reg)>,
    pub returned: Vec<(Param, Reg)>,
    /// Registers declared in inner braces, which siblings share.
    temporaries: HashMap<(usize, Cow<'a, str>, Type), Reg>,
    labels: HashMap<Label<'a>, Block>,
    /// Labels that stand in the text.
    placed: HashSet<Label<'a>>,
    /// Where each label was first named.
    used: Vec<(Label<'a>, usize)>,
    /// The block that grows; `None` behind a branch.
    current: Option<Block>,
    /// The block whose conditional branch may go on with an unconditional one.
    conditional: Option<Block>,
    /// Directives behind a branch, which belong to what follows.
    directives: Vec<String>,
    /// The ends of guarded `ret`s and `exit`s.
    leave: [Option<Block>; 2],
}

impl<'a> Body<'a> {
    pub(super) fn new(func: Func) -> Self {
        Self {
            func,
            params: HashMap::new(),
            scopes: Vec::new(),
            common: 0..0,
            sink: None,
            line: 0,
            received: Vec::new(),
            returned: Vec::new(),
            temporaries: HashMap::new(),
            labels: HashMap::new(),
            placed: HashSet::new(),
            used: Vec::new(),
            current: None,
            conditional: None,
            directives: Vec::new(),
            leave: [None; 2],
        }
    }

    /// The innermost braces.
    pub(super) fn scope(&mut self) -> &mut Scope<'a> {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        self.scopes.last_mut().expect("a scope was just pushed")
    }

    pub(super) fn temporary(&mut self, name: Cow<'a, str>, ty: Type) -> Reg {
        let key = (self.scopes.len(), name, ty);
        let regs = &mut self.func.regs;
        *self.temporaries.entry(key).or_insert_with(|| regs.push(ty))
    }

    pub(super) fn reg(&mut self, name: &str) -> Option<Reg> {
        let regs = &mut self.func.regs;
        self.scopes.iter_mut().rev().find_map(|scope| scope.find(name, |ty| regs.push(ty)))
    }

    /// The parameter of that name, or the place for an argument in the innermost braces that have one.
    pub(super) fn param(&self, name: &str) -> Option<Param> {
        self.scopes.iter().rev().find_map(|scope| scope.place(name)).or_else(|| self.params.get(name).copied())
    }

    pub(super) fn push(&mut self, guard: Option<Guard>, op: Op) {
        let block = self.block();
        self.push_to(block, guard, op);
    }

    fn push_to(&mut self, block: Block, guard: Option<Guard>, op: Op) {
        let inst = self.func.insts.push(InstData { guard, op });
        self.func.lines.set(block, Some(inst), self.line);
        self.func.blocks[block].insts.push(inst);
    }

    /// A directive that belongs to what follows.
    pub(super) fn directive(&mut self, text: String) {
        match self.current {
            Some(_) => self.push(None, Op::Directive(text)),
            None if self.func.layout.is_empty() => self.push(None, Op::Directive(text)),
            None => self.directives.push(text),
        }
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
    pub(super) fn place(&mut self, block: Block) {
        if let Some(before) = self.current {
            self.func.blocks[before].terminator = Terminator::Bra { target: block };
        }
        if let Some(before) = self.conditional.take()
            && let Terminator::CondBra { otherwise, .. } = &mut self.func.blocks[before].terminator
        {
            *otherwise = block;
        }
        let first = self.func.layout.is_empty();
        self.func.layout.push(block);
        self.current = Some(block);
        if first {
            for (param, dst) in std::mem::take(&mut self.received) {
                let op = Op::load(Space::Param, false, self.func.params[param].ty, dst, place_of(param));
                self.push_to(block, None, op);
            }
        }
        for text in std::mem::take(&mut self.directives) {
            self.push_to(block, None, Op::Directive(text));
        }
    }

    fn target(&mut self, label: Label<'a>, offset: usize) -> Block {
        if let Some(block) = self.labels.get(&label) {
            return *block;
        }
        let block = self.new_block();
        self.labels.insert(label, block);
        self.used.push((label, offset));
        block
    }

    /// Ends the growing block.
    fn end(&mut self, terminator: Terminator) {
        let block = self.block();
        self.func.blocks[block].terminator = terminator;
        self.func.lines.set(block, None, self.line);
        self.current = None;
    }

    fn end_if(&mut self, guard: Guard, uni: bool, then: Block) {
        let block = self.block();
        // the next part of the text corrects `otherwise`
        self.end(Terminator::CondBra { guard, uni, then, otherwise: then });
        self.conditional = Some(block);
    }

    /// Puts the text that follows under the guard, up to the block that is given back and has to be placed.
    pub(super) fn skip_unless(&mut self, guard: Guard) -> Block {
        let after = self.new_block();
        self.end_if(Guard { negate: !guard.negate, ..guard }, false, after);
        after
    }

    pub(super) fn leave(&mut self, guard: Option<Guard>, terminator: Terminator) {
        let which = usize::from(terminator == Terminator::Exit);
        match guard {
            None => {
                let block = self.block();
                self.hand_back(block, &terminator);
                self.end(terminator);
            }
            Some(guard) => {
                let leave = match self.leave[which] {
                    Some(leave) => leave,
                    None => {
                        let leave = self.new_block();
                        self.hand_back(leave, &terminator);
                        self.func.blocks[leave].terminator = terminator;
                        self.leave[which] = Some(leave);
                        leave
                    }
                };
                self.end_if(guard, false, leave);
            }
        }
    }

    /// Stores values that are returned in registers to their parameters.
    fn hand_back(&mut self, block: Block, terminator: &Terminator) {
        if *terminator == Terminator::Ret {
            for (param, src) in self.returned.clone() {
                let op = Op::store(Space::Param, self.func.params[param].ty, place_of(param), src);
                self.push_to(block, None, op);
            }
        }
    }

    pub(super) fn indirect(&mut self, guard: Option<Guard>, index: Reg, labels: &[Label<'a>], offset: usize) {
        let targets: Vec<Block> = labels.iter().map(|label| self.target(*label, offset)).collect();
        let Some(guard) = guard else { return self.end(Terminator::Brx { index, targets }) };
        let jump = self.new_block();
        self.end_if(guard, false, jump);
        let pending = self.conditional.take();
        self.place(jump);
        self.end(Terminator::Brx { index, targets });
        self.conditional = pending;
    }
}

/// The address of a parameter.
pub(super) fn place_of(param: Param) -> Address {
    Address { base: Base::Param(param), offset: 0 }
}

impl<'a> Reader<'a> {
    pub(super) fn label(&mut self, item: &Pair<'a, Rule>, body: &mut Body<'a>) {
        let name = item.clone().into_inner().next().map_or("", |word| word.as_str());
        let label = (body.scopes.last().map(|scope| scope.braces), name);
        if !body.placed.insert(label) {
            return self.error(item, "ptx::declared-twice", format!("the label {name} stands here again"));
        }
        let block = body.target(label, item.as_span().start());
        body.place(block);
    }

    /// The label of that name in the innermost braces that have one.
    pub(super) fn label_of(&self, name: &'a str, body: &Body<'a>) -> Label<'a> {
        let braces = body.scopes.iter().rev().map(|scope| scope.braces);
        (braces.into_iter().find(|braces| self.labels.contains(&(*braces, name))), name)
    }

    pub(super) fn branch(&mut self, item: Pair<'a, Rule>, body: &mut Body<'a>) {
        let (mut guard, mut uni) = (None, false);
        for part in item.into_inner() {
            match part.as_rule() {
                Rule::guard => match self.guard(&part, body) {
                    Some(found) => guard = Some(found),
                    None => return,
                },
                Rule::jump => uni = part.as_str().ends_with(".uni"),
                Rule::word => {
                    let pending = body.conditional.filter(|_| guard.is_none() && body.current.is_none());
                    let then = body.target(self.label_of(part.as_str(), body), part.as_span().start());
                    match (guard, pending) {
                        (Some(guard), _) => body.end_if(guard, uni, then),
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

    /// The function's last brace.
    pub(super) fn finish(&mut self, mut body: Body<'a>) {
        let open = body.current.is_some();
        if body.func.layout.is_empty() || body.conditional.is_some() || open {
            let block = body.block();
            body.hand_back(block, &Terminator::Ret);
        }
        for (label @ (_, name), offset) in std::mem::take(&mut body.used) {
            if !body.placed.contains(&label) {
                self.error_at(offset, name.len(), "ptx::label", format!("the label {name} stands nowhere"));
            }
        }
        body.current = None;
        self.common_users(&body);
        body.func.layout.extend(body.leave.into_iter().flatten());
        self.add(body.func);
    }
}
