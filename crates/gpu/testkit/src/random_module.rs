//! Modules with any instructions that the IR knows, made from a list of choices: a shorter list gives a smaller module.

use ptx::inst::*;
use ptx::ir::*;

mod random_op;

use random_op::{op, predicate, reg};

/// Choices, one after the other; zeros when they have run out.
pub struct Choices<'a>(pub std::slice::Iter<'a, u64>);

impl Choices<'_> {
    fn next(&mut self) -> u64 {
        self.0.next().copied().unwrap_or_default()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }
}

const DATA: [Type; 15] = [
    Type::B32,
    Type::B8,
    Type::U8,
    Type::S8,
    Type::B16,
    Type::U16,
    Type::S16,
    Type::U32,
    Type::S32,
    Type::B64,
    Type::U64,
    Type::S64,
    Type::F32,
    Type::F64,
    Type::B128,
];
const CLASSES: [Type; 7] = [Type::B32, Type::Pred, Type::B16, Type::B64, Type::F32, Type::F64, Type::B128];
const SPACES: [Space; 6] = [Space::Global, Space::Shared, Space::Local, Space::Const, Space::Generic, Space::Param];
const LINKAGES: [Linkage; 3] = [Linkage::Internal, Linkage::Visible, Linkage::Weak];

pub fn module(choices: &mut Choices) -> Module {
    let mut module = Module::new(choices.pick(&[35, 70, 80, 90, 100]));
    module.version = choices.pick(&[None, Some((6, 4)), Some((8, 7))]);
    module.address_size = choices.pick(&[Some(64), Some(32), None]);
    module.target_options = choices.pick(&["", "a", ", texmode_independent"]).to_owned();
    for directive in [".file 1 \"a.cu\"", ".global .texref picture;"] {
        if choices.flag() {
            module.directives.push(directive.to_owned());
        }
    }
    for i in 0..choices.below(4) {
        module.variables.push(variable(i, choices));
    }
    let functions = choices.below(3);
    // each function has its own variable in local memory, which it mentions
    let first = module.variables.len();
    for i in 0..=functions {
        let name = format!("own{i}");
        let own = (Linkage::Internal, Space::Local, 8, 16, Init::None);
        let (linkage, space, align, bytes, init) = own;
        module.variables.push(VariableData { name, linkage, space, align, bytes, init });
    }
    for i in 0..=functions {
        let func = function(i, i == functions, Variable::from_u32((first + i) as u32), &module, choices);
        module.funcs.push(func);
    }
    module
}

fn variable(i: usize, choices: &mut Choices) -> VariableData {
    let count = 1 + choices.below(3);
    let (bytes, init) = match choices.below(6) {
        0 => (4 * count as u64, Init::None),
        1 => (8 * count as u64, Init::F64((0..count).map(|_| choices.below(1000) as f64 / 8.0 - 3.0).collect())),
        2 => (4 * count as u64, Init::S32((0..count).map(|_| choices.next() as i32).collect())),
        3 => (count as u64, Init::Bytes((0..count).map(|_| choices.next() as u8).collect())),
        4 => (4 * count as u64, Init::F32((0..count).map(|_| choices.below(1000) as f32 / 8.0 - 3.0).collect())),
        _ => (8, Init::Verbatim(Type::U64, "generic(other)+8".into())),
    };
    let space = match init {
        Init::None => choices.pick(&[Space::Shared, Space::Global]),
        _ => choices.pick(&[Space::Const, Space::Global]),
    };
    let align = choices.pick(&[8, 16, 128]);
    VariableData { name: format!("table{i}"), linkage: choices.pick(&LINKAGES), space, align, bytes, init }
}

fn function(i: usize, entry: bool, own: Variable, module: &Module, choices: &mut Choices) -> Func {
    let mut func = Func::new(format!("f{i}"));
    func.kind = if entry { FuncKind::Entry } else { FuncKind::Function };
    func.linkage = choices.pick(&LINKAGES);
    let mut param = |kind, name: &str, choices: &mut Choices| {
        let count = choices.pick(&[None, Some(4)]);
        let align = choices.pick(&[None, Some(8)]);
        let ty = if count.is_some() { Type::B8 } else { choices.pick(&[Type::U64, Type::F64, Type::B32]) };
        let attributes = choices.pick(&["", " .ptr .global .align 8"]).to_owned();
        func.params.push(ParamData { kind, align, count, attributes, ..ParamData::input(name, ty) });
    };
    if !entry && choices.flag() {
        param(ParamKind::Return, &format!("f{i}_result"), choices);
    }
    for k in 0..1 + choices.below(2) {
        param(ParamKind::Input, &format!("f{i}_{k}"), choices);
    }
    for _ in 0..2 {
        let local = ParamData { kind: ParamKind::Local, ..ParamData::input("", Type::B64) };
        func.params.push(local);
    }
    if entry {
        func.threads = choices.pick(&[None, Some([64, 2, 1])]);
        for directive in [".maxntid 64, 2, 1", ".minnctapersm 2"] {
            if choices.flag() {
                func.directives.push(directive.to_owned());
            }
        }
    }
    func.prototypes.insert("$proto".into(), ".callprototype ( .param .b64 _ ) _ ( .param .b64 _ )".into());
    for class in CLASSES {
        for _ in 0..3 {
            func.regs.push(class);
        }
    }
    // names of a class's types are the same class
    for ty in [Type::S32, Type::U64, Type::U8] {
        func.regs.push(ty);
    }
    let blocks = 1 + choices.below(4);
    for _ in 0..blocks {
        func.layout.push(func.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Ret }));
    }
    for block in func.layout.clone() {
        for _ in 0..choices.below(7) {
            let guard = choices.flag().then(|| predicate(&func, choices));
            let op = op(&func, own, module, choices);
            let guard = guard.filter(|_| !matches!(op, Op::Directive(_)));
            let inst = func.insts.push(InstData { guard, op });
            if choices.below(8) == 1 {
                func.comments.insert(inst, "says what follows".into());
            }
            func.blocks[block].insts.push(inst);
        }
        let target = |choices: &mut Choices| Block::from_u32(choices.below(blocks) as u32);
        func.blocks[block].terminator = match choices.below(5) {
            0 => Terminator::Ret,
            1 => Terminator::Bra { target: target(choices) },
            2 => {
                let guard = predicate(&func, choices);
                Terminator::CondBra { guard, uni: choices.flag(), then: target(choices), otherwise: target(choices) }
            }
            3 => Terminator::Brx {
                index: reg(&func, Type::B32, choices),
                targets: vec![target(choices), target(choices)],
            },
            _ => Terminator::Exit,
        };
    }
    let mention = Op::Unary {
        op: UnaryOp::Mov,
        mode: Mode::default(),
        ty: Type::U64,
        dst: reg(&func, Type::B64, choices),
        a: Operand::Variable(own),
    };
    let inst = func.insts.push(InstData { guard: None, op: mention });
    func.blocks[Block::from_u32(0)].insts.push(inst);
    func
}
