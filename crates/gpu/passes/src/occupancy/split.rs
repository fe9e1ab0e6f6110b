//! One launch in parts: a kernel whose CTAs are numbered from where its launch says, so that several launches of a few CTAs do what one
//! of all does (kernel splitting; Orion, section 3.4).

use diagnostics::Diagnostic;
use ptx::inst::{Address, Base, BinaryOp, InstData, Mode, Op, Operand, Piece, Space, Special, Type, UnaryOp};
use ptx::ir::{Func, FuncKind, Inst, Module, ParamData, Reg};
use ptx::visit::PartMut;

/// The parameters behind the kernel's own: the number of the first CTA in x of a launch, and the CTAs in x of all launches.
pub const PARAMETERS: [&str; 2] = ["singe_first_cta", "singe_ctas"];

/// The kernel with [`PARAMETERS`].
///
/// # Errors
/// `opt::split` where CTAs may be told apart, or wait for each other, in a way that the rewriting does not see.
pub fn split(module: &Module, index: usize) -> Result<Module, Diagnostic> {
    let mut module = module.clone();
    let functions = module.funcs.iter().any(|func| func.kind == FuncKind::Function && mentions_cta(func));
    let func = &mut module.funcs[index];
    if functions || depends_on_the_grid(func) {
        let message = format!("{}: its launch cannot be split: CTAs know of each other", func.name);
        let help = "launch it several times, or choose a level with --pass occupancy=WARPS";
        return Err(Diagnostic::error("opt::split", message).help(help));
    }
    let [first, ctas] = PARAMETERS.map(|name| func.params.push(ParamData::input(name, Type::U32)));
    let mut prologue = Vec::new();
    let mut push = |func: &mut Func, op| prologue.push(func.insts.push(InstData { guard: None, op }));
    let [offset, own, number, count] = [(); 4].map(|()| func.regs.push(Type::B32));
    let load = |param, dst| {
        let addr = Address { base: Base::Param(param), offset: 0 };
        Op::load(Space::Param, false, Type::U32, dst, addr)
    };
    let (mode, ty) = (Mode::default(), Type::U32);
    push(func, load(first, offset));
    push(func, Op::Unary { op: UnaryOp::Mov, mode, ty, dst: own, a: Operand::Special(Special::CtaidX) });
    push(func, Op::Binary { op: BinaryOp::Add, mode, ty, dst: number, a: own.into(), b: offset.into() });
    push(func, load(ctas, count));
    let own = |inst: &Inst| prologue.contains(inst);
    for (_, data) in func.insts.iter_mut().filter(|(inst, _)| !own(inst)) {
        data.op.parts_mut(|part| replace(part, number, count));
    }
    let entry = func.layout[0];
    func.blocks[entry].insts.splice(0..0, prologue);
    Ok(module)
}

fn replace(part: PartMut, number: Reg, count: Reg) {
    if let PartMut::Read(operand) = part {
        match operand {
            Operand::Special(Special::CtaidX) => *operand = number.into(),
            Operand::Special(Special::NctaidX) => *operand = count.into(),
            _ => {}
        }
    }
}

fn mentions_cta(func: &Func) -> bool {
    let mut found = false;
    for data in func.insts.values() {
        data.op.operands(|operand| {
            found |= matches!(operand, Operand::Special(Special::CtaidX | Special::NctaidX));
        });
    }
    found
}

/// Unknown instructions may read special registers that their text alone shows; clusters and grids are launched as a whole.
fn depends_on_the_grid(func: &Func) -> bool {
    let cluster = func.directives.iter().any(|text| text.contains("cluster"));
    let hidden = |text: &str| ["ctaid", "gridid", "cluster"].iter().any(|word| text.contains(word));
    let hides = |op: &Op| match op {
        Op::Opaque { opcode, pieces } => {
            hidden(opcode) || pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if hidden(text)))
        }
        _ => false,
    };
    cluster || func.insts.values().any(|data| hides(&data.op))
}
