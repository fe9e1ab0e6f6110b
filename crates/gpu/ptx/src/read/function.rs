//! Headers of kernels and functions, their parameters, and calls.

use super::body::{Body, place_of};
use super::operand::storage;
use super::{Reader, Rule};
use crate::inst::{Callee, Op, Operand, Space, Type};
use crate::ir::{Func, FuncKind, Linkage, Param, ParamData, ParamKind};
use crate::names::Named;
use pest::iterators::Pair;

/// A parameter as it is declared.
struct Declared<'a> {
    name: &'a str,
    data: ParamData,
    in_register: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn header(&mut self, item: Pair<'a, Rule>) {
        if self.func.is_some() {
            return self.error(&item, "ptx::syntax", "a kernel inside a kernel");
        }
        let mut func = Func { linkage: Linkage::Internal, ..Func::new("") };
        let (mut returns, mut inputs) = (None, None);
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::linking => {
                    func.linkage = Linkage::by_name(&format!("{} ", part.as_str().trim())).unwrap_or(func.linkage);
                }
                Rule::kind_of_function if part.as_str() == ".func" => func.kind = FuncKind::Function,
                Rule::word => func.name = part.as_str().to_owned(),
                Rule::returns => returns = Some(part),
                Rule::inputs => inputs = Some(part),
                _ => {}
            }
        }
        let mut body = Body::new(func);
        for (list, kind) in [(returns, ParamKind::Return), (inputs, ParamKind::Input)] {
            for param in list.into_iter().flat_map(Pair::into_inner) {
                self.param(&param, kind, &mut body);
            }
        }
        self.func = Some(body);
    }

    fn param(&mut self, item: &Pair<'a, Rule>, kind: ParamKind, body: &mut Body<'a>) {
        let Some(Declared { name, data, in_register }) = self.declared(item, kind) else { return };
        let ty = data.ty;
        let param = body.func.params.push(data);
        let mut fresh = body.params.insert(name, param).is_none();
        if in_register {
            let reg = body.func.regs.push(ty.class());
            fresh &= body.scope().declare(name.into(), reg);
            let list = if kind == ParamKind::Return { &mut body.returned } else { &mut body.received };
            list.push((param, reg));
        }
        if !fresh {
            self.error(item, "ptx::declared-twice", format!("{name} is declared twice"));
        }
    }

    /// A place for an argument in a function's body.
    pub(super) fn place(&mut self, item: &Pair<'a, Rule>, body: &mut Body<'a>) {
        // before version 1.4 a kernel declares its parameters in its body
        let is_input = body.func.kind == FuncKind::Entry && self.depth == 1 && self.module.version < Some((1, 4));
        let kind = if is_input && self.module.version.is_some() { ParamKind::Input } else { ParamKind::Local };
        let Some(Declared { name, data, .. }) = self.declared(item, kind) else { return };
        let param = body.func.params.push(data);
        if !body.scope().declare_place(name, param) {
            self.error(item, "ptx::declared-twice", format!("{name} is declared twice"));
        }
    }

    fn declared(&mut self, item: &Pair<'a, Rule>, kind: ParamKind) -> Option<Declared<'a>> {
        let (mut ty, mut align, mut attributes, mut name) = (None, None, String::new(), "");
        let (mut count, mut in_register) = (None, false);
        for part in item.clone().into_inner() {
            let text = part.as_str().trim();
            match part.as_rule() {
                Rule::in_register => in_register = true,
                Rule::attribute => match part.into_inner().next() {
                    Some(number) if number.as_rule() == Rule::integer && ty.is_none() => {
                        align = number.as_str().parse().ok();
                    }
                    Some(number) if number.as_rule() == Rule::integer => {
                        attributes += &format!(" .align {}", number.as_str());
                    }
                    _ if ty.is_none() => ty = storage(text),
                    _ => attributes += &format!(" {text}"),
                },
                Rule::word => name = part.as_str(),
                _ => count = part.into_inner().next().and_then(|n| n.as_str().parse().ok()),
            }
        }
        match ty {
            Some(ty) if ty != Type::Pred => {
                let data = ParamData { name: name.to_owned(), kind, ty, align, count, attributes };
                Some(Declared { name, data, in_register })
            }
            _ => {
                self.error(item, "ptx::parameter", "the parameter's type is not supported");
                None
            }
        }
    }

    pub(super) fn limit(&mut self, item: &Pair<'a, Rule>) {
        let Some(body) = &mut self.func else {
            return self.error(item, "ptx::syntax", "this directive belongs to a kernel");
        };
        let mut parts = item.clone().into_inner().map(|part| part.as_str());
        let name = parts.next().unwrap_or_default();
        let numbers: Vec<&str> = parts.collect();
        let sizes: Vec<u32> = numbers.iter().filter_map(|n| n.parse().ok()).collect();
        if name == ".reqntid" && sizes.len() == numbers.len() && (1..=3).contains(&sizes.len()) {
            let size = |i: usize| sizes.get(i).copied().unwrap_or(1);
            body.func.threads = Some([size(0), size(1), size(2)]);
        } else {
            body.func.directives.push(format!("{name} {}", numbers.join(", ")).trim_end().to_owned());
        }
    }

    /// A semicolon behind a header: the function is only declared.
    pub(super) fn end(&mut self, item: &Pair<'a, Rule>) {
        match self.func.take() {
            Some(body) if self.depth == 0 => self.add(body.func),
            Some(body) => self.func = Some(body),
            None => self.error(item, "ptx::syntax", "a semicolon behind nothing"),
        }
    }

    /// Old compilers leave out the semicolon behind the header of a function that is only declared.
    pub(super) fn end_prototype(&mut self) {
        if self.depth == 0
            && let Some(body) = self.func.take_if(|body| body.func.kind == FuncKind::Function)
        {
            self.add(body.func);
        }
    }

    /// A definition takes the place of its declaration.
    pub(super) fn add(&mut self, func: Func) {
        let known = self.module.funcs.iter_mut().find(|known| known.name == func.name);
        match known {
            None => self.module.funcs.push(func),
            Some(_) if func.is_declaration() => {}
            Some(known) if known.is_declaration() => {
                let name = func.name.clone();
                self.module.funcs.retain(|known| known.name != name);
                self.module.funcs.push(func);
            }
            Some(_) => {
                let text = format!("{} is declared twice", func.name);
                let at = self.source.text.rfind(&func.name).unwrap_or(0);
                self.error_at(at, func.name.len(), "ptx::declared-twice", text);
            }
        }
    }

    pub(super) fn prototype(&mut self, item: Pair<'a, Rule>, body: &mut Body<'a>) {
        let mut parts = item.into_inner().map(|part| part.as_str());
        if let (Some(name), Some(text)) = (parts.next(), parts.next()) {
            let words: Vec<&str> = text.split_whitespace().collect();
            body.func.prototypes.insert(name.to_owned(), words.join(" "));
        }
    }

    pub(super) fn call(&mut self, item: Pair<'a, Rule>, body: &mut Body<'a>) {
        let (mut guard, mut uni, mut words) = (None, false, Vec::new());
        let (mut results, mut arguments) = (Vec::new(), Vec::new());
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::guard => match self.guard(&part, body) {
                    Some(found) => guard = Some(found),
                    None => return,
                },
                Rule::calling => uni = part.as_str().ends_with(".uni"),
                Rule::results => results = part.into_inner().flat_map(Pair::into_inner).collect(),
                Rule::arguments => arguments = part.into_inner().flat_map(Pair::into_inner).collect(),
                _ => words.push(part),
            }
        }
        let callee = match (body.reg(words[0].as_str()), words.get(1)) {
            (Some(reg), Some(prototype)) => Callee::Reg(reg, prototype.as_str().to_owned()),
            (None, None) if !words[0].as_str().starts_with('%') => Callee::Func(words[0].as_str().to_owned()),
            _ => return self.error(&item, "ptx::undeclared", format!("{} is no function", words[0].as_str())),
        };
        // parameters cannot be stored and loaded under a guard: such a call is branched around
        let registers = |words: &[Pair<'a, Rule>], body: &mut Body<'a>| {
            words.iter().any(|word| word.as_rule() == Rule::number || body.reg(word.as_str()).is_some())
        };
        let around = match guard {
            Some(found) if registers(&arguments, body) || registers(&results, body) => {
                guard = None;
                Some(body.skip_unless(found))
            }
            _ => None,
        };
        let Some(arguments) = self.passed(&arguments, &callee, body) else { return };
        let mut received = Vec::new();
        for word in &results {
            match (body.param(word.as_str()), body.reg(word.as_str())) {
                (_, Some(reg)) if body.func.regs[reg] != Type::Pred => {
                    let ty = body.func.regs[reg];
                    received.push((local(body, ty), Some(reg)));
                }
                (Some(param), None) => received.push((param, None)),
                (None, None) if word.as_str() == "_" => {
                    let returned = self.module.func(words[0].as_str());
                    let data = returned.and_then(|func| Some(func.params_of(ParamKind::Return).next()?.1.clone()));
                    let data = data.unwrap_or(ParamData::input("", Type::B32));
                    received.push((body.func.params.push(ParamData { kind: ParamKind::Local, ..data }), None));
                }
                _ => {
                    return self.error(word, "ptx::undeclared", format!("{} is not declared", word.as_str()));
                }
            }
        }
        let results: Vec<Param> = received.iter().map(|(param, _)| *param).collect();
        if let Callee::Func(name) = &callee
            && !self.is_symbol(name)
        {
            self.declare(name, &results, &arguments, &body.func);
        }
        body.push(guard, Op::Call { uni, callee, results, arguments });
        for (param, reg) in received {
            if let Some(dst) = reg {
                let ty = body.func.params[param].ty;
                body.push(None, Op::load(Space::Param, false, ty, dst, place_of(param)));
            }
        }
        if let Some(after) = around {
            body.place(after);
        }
    }

    /// A function that is called and nowhere declared is another module's.
    fn declare(&mut self, name: &str, results: &[Param], arguments: &[Param], caller: &Func) {
        if self.module.func(name).is_some() {
            return;
        }
        let mut func = Func { kind: FuncKind::Function, linkage: Linkage::Extern, ..Func::new(name) };
        for (list, kind) in [(results, ParamKind::Return), (arguments, ParamKind::Input)] {
            for (i, param) in list.iter().enumerate() {
                let start = if kind == ParamKind::Return { "retval" } else { "param" };
                let data = ParamData { kind, name: format!("{name}_{start}_{i}"), ..caller.params[*param].clone() };
                func.params.push(data);
            }
        }
        self.module.funcs.push(func);
    }

    /// The places of the arguments; what the text passes in registers or as numbers is stored there first.
    fn passed(&mut self, words: &[Pair<'a, Rule>], callee: &Callee, body: &mut Body<'a>) -> Option<Vec<Param>> {
        let types: Vec<Type> = match callee {
            Callee::Func(name) => self
                .module
                .func(name)
                .map_or(Vec::new(), |func| func.params_of(ParamKind::Input).map(|(_, data)| data.ty).collect()),
            Callee::Reg(..) => Vec::new(),
        };
        let mut passed = Vec::new();
        for (i, word) in words.iter().enumerate() {
            if let (Rule::word, None, Some(param)) =
                (word.as_rule(), body.reg(word.as_str()), body.param(word.as_str()))
            {
                passed.push(param);
                continue;
            }
            let ty = match body.reg(word.as_str()) {
                Some(reg) => body.func.regs[reg],
                None => types.get(i).copied().unwrap_or(Type::B32),
            };
            let value = if ty == Type::Pred { None } else { self.simple(word, ty, body).ok() };
            let Some(value): Option<Operand> = value else {
                self.error(word, "ptx::undeclared", format!("{} cannot be passed", word.as_str()));
                return None;
            };
            let param = local(body, ty);
            body.push(None, Op::store(Space::Param, body.func.params[param].ty, place_of(param), value));
            passed.push(param);
        }
        Some(passed)
    }
}

/// A new place for an argument.
fn local(body: &mut Body, ty: Type) -> Param {
    let data = ParamData { kind: ParamKind::Local, ..ParamData::input("", ty) };
    body.func.params.push(data)
}
