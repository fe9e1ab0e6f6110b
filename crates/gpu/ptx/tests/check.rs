//! The checker of modules: clean on what is right, and one broken module per rule.

use ptx::check::{Rule, check};
use ptx::inst::*;
use ptx::ir::{Block, Module, Param, Reg, Variable};
use testkit::corpus;

fn kernel(name: &str) -> Module {
    corpus::kernels().into_iter().find(|kernel| kernel.name == name).unwrap().module
}

#[test]
fn the_corpus_is_clean() {
    for kernel in corpus::kernels() {
        assert_eq!(check(&kernel.module), [], "{}", kernel.name);
        assert!(!kernel.setup.launch.arguments.is_empty() && !kernel.entry.is_empty());
    }
}

/// The rules that a broken copy of a kernel breaks.
fn broken(name: &str, change: impl FnOnce(&mut Module)) -> Vec<Rule> {
    let mut module = kernel(name);
    change(&mut module);
    check(&module).into_iter().map(|fault| fault.rule).collect()
}

/// The first instruction that `matches`.
fn first(module: &mut Module, matches: impl Fn(&Op) -> bool) -> &mut InstData {
    let funcs = module.funcs.iter_mut().flat_map(|func| func.insts.values_mut());
    funcs.into_iter().find(|data| matches(&data.op)).unwrap()
}

#[test]
fn every_rule_is_checked() {
    let word = Reg::from_u32;
    let undeclared = |m: &mut Module| {
        first(m, |op| matches!(op, Op::Unary { .. })).op =
            Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::B32, dst: word(9999), a: 1.into() };
    };
    assert_eq!(broken("scan", undeclared), [Rule::Undeclared]);
    let variable = |m: &mut Module| {
        if let Op::Ld { addr, .. } = &mut first(m, |op| matches!(op, Op::Ld { space: Space::Global, .. })).op {
            addr.base = Base::Variable(Variable::from_u32(77));
        }
    };
    assert_eq!(broken("scan", variable), [Rule::Undeclared]);
    let width = |m: &mut Module| {
        if let Op::Binary { ty, .. } = &mut first(m, |op| matches!(op, Op::Binary { ty: Type::S32, .. })).op {
            *ty = Type::S64;
        }
    };
    assert_eq!(broken("scan", width), [Rule::Width]);
    let guard = |m: &mut Module| {
        let regs = &m.funcs[0].regs;
        let data = regs.iter().find(|(_, ty)| **ty == Type::B32).unwrap().0;
        first(m, |op| matches!(op, Op::St { .. })).guard = Some(Guard { pred: data, negate: false });
    };
    assert_eq!(broken("scan", guard), [Rule::Guard]);
    let target = |m: &mut Module| {
        let last = m.funcs[0].layout.pop().unwrap();
        assert!(m.funcs[0].blocks.is_valid(last));
    };
    assert!(broken("scan", target).contains(&Rule::Target));
    let layout = |m: &mut Module| {
        let again = m.funcs[0].layout[0];
        m.funcs[0].layout.push(again);
    };
    assert_eq!(broken("scan", layout), [Rule::Layout]);
    assert_eq!(broken("scan", |m| m.funcs[0].layout.push(Block::from_u32(500))), [Rule::Layout]);
    let vector = |m: &mut Module| {
        if let Op::Ld { dst, .. } = &mut first(m, |op| matches!(op, Op::Ld { space: Space::Shared, .. })).op {
            *dst = [dst[0]; 3].into_iter().collect();
        }
    };
    assert_eq!(broken("scan", vector), [Rule::Vector]);
    let space = |m: &mut Module| {
        if let Op::Ld { space, .. } = &mut first(m, |op| matches!(op, Op::Ld { space: Space::Param, .. })).op {
            *space = Space::Shared;
        }
    };
    assert_eq!(broken("scan", space), [Rule::Space]);
    let call = |m: &mut Module| {
        if let Op::Call { arguments, .. } = &mut first(m, |op| matches!(op, Op::Call { .. })).op {
            let _: Option<Param> = arguments.pop();
        }
    };
    assert_eq!(broken("divergence-function", call), [Rule::Call]);
    assert_eq!(broken("divergence-function", |m| m.funcs[0].kind = ptx::ir::FuncKind::Entry)[0], Rule::Kind);
    let name = |m: &mut Module| m.variables.values_mut().next().unwrap().name = "scan".into();
    assert_eq!(broken("scan", name), [Rule::Name]);
}
