//! Properties of each instruction that the model needs.

use crate::machine_code::registers::Registers;
use crate::machine_code::trace::constant_line;
use machine::target::{Pipeline, Target};
use sass::{Class, Control, Instruction, Kernel, Operand, Pipe};

/// Bytes of a line of the caches for instructions.
pub(super) const CODE_LINE: u32 = 128;

pub(super) struct Known {
    /// Control bits; `None`: the hardware keeps track of registers itself.
    pub control: Option<Control>,
    pub pipe: Pipe,
    pub class: Class,
    /// Clocks for which it holds its pipe.
    pub interval: u32,
    /// Clocks from the issue to the result, unless a memory determines them.
    pub latency: u32,
    /// Clocks in which its warp issues nothing more, for a fence.
    pub holds: u32,
    /// Line of code.
    pub line: u32,
    /// Cache line of the operand in constant memory, if the code determines it.
    pub constant: Option<u64>,
    pub stores: bool,
    /// Whether a load asks the L2 cache at once: atomics, and loads that must see what other multiprocessors store.
    pub bypasses_l1: bool,
    /// Whether it is a product of integers, which not all lanes of its pipe have.
    pub is_product: bool,
    /// Words of 32 bits that an access moves for each lane.
    pub words: u32,
    pub registers: Registers,
    pub copies: Option<Copies>,
}

/// Effect of an instruction on asynchronous copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    Start,
    /// Closes a group: the copies since the last closed one.
    Close,
    /// Waits until no more groups than these are under way.
    Await {
        pending: usize,
    },
}

impl Known {
    /// Returns the least latency from the issue to its result.
    pub(super) fn least_latency(&self) -> u64 {
        if matches!(self.pipe, Pipe::Memory | Pipe::Constant) { 0 } else { self.latency.into() }
    }
}

/// Returns the properties of all instructions. `None`: there are no control bits, and the target does not keep track of registers.
pub(super) fn known(kernel: &Kernel, target: &Target, pipeline: &Pipeline) -> Option<Vec<Known>> {
    kernel.instructions.iter().map(|instruction| properties(instruction, target, pipeline)).collect()
}

fn properties(instruction: &Instruction, target: &Target, pipeline: &Pipeline) -> Option<Known> {
    let (pipe, class) = (pipe(instruction, pipeline), instruction.class());
    let control = if pipeline.fixed.is_some() { None } else { Some(instruction.control()?) };
    let operand = |operand: &Operand| match operand {
        Operand::Constant { bank, index: None, offset, .. } => {
            Some(constant_line(*bank, u64::try_from(*offset).unwrap_or_default()))
        }
        _ => None,
    };
    let constant = instruction.operands.iter().find_map(operand);
    Some(Known {
        control,
        pipe,
        class,
        interval: interval(instruction, (pipe, constant.is_some()), target, pipeline),
        latency: latency(instruction, pipe, pipeline),
        holds: fence(instruction, pipeline),
        line: instruction.address / CODE_LINE,
        constant,
        stores: matches!(instruction.operation(), "STS" | "STG" | "STL" | "ST" | "RED" | "REDG"),
        bypasses_l1: bypasses_l1(instruction),
        is_product: matches!(instruction.operation(), "IMAD" | "IMUL" | "XMAD"),
        words: if instruction.has("128") {
            4
        } else if instruction.has("64") {
            2
        } else {
            1
        },
        registers: Registers::from_instruction(instruction),
        copies: copies(instruction),
    })
}

fn copies(instruction: &Instruction) -> Option<Copies> {
    match (instruction.operation(), &instruction.operands[..]) {
        ("LDGSTS", _) => Some(Copies::Start),
        ("LDGDEPBAR", _) => Some(Copies::Close),
        ("DEPBAR", [_, Operand::Integer(pending), ..]) if instruction.has("LE") => {
            Some(Copies::Await { pending: usize::try_from(*pending).ok()? })
        }
        _ => None,
    }
}

/// Whether an access of global memory passes the L1 cache by. `ld.global.cg`, volatile and relaxed loads become `STRONG` with a scope
/// beyond the CTA on Volta and later.
fn bypasses_l1(instruction: &Instruction) -> bool {
    let is_atomic = matches!(instruction.operation(), "ATOM" | "ATOMG" | "RED" | "REDG");
    let is_shared_widely = instruction.has("STRONG") && (instruction.has("GPU") || instruction.has("SYS"));
    is_atomic || is_shared_widely || ["CG", "CV", "BYPASS"].iter().any(|word| instruction.has(word))
}

/// Returns the pipe of an instruction. If the SM has one pipe of doubles, conversions of doubles go there, too (CUDA C
/// Programming Guide, throughput of native arithmetic instructions: two per clock on compute capability 8.6).
fn pipe(instruction: &Instruction, pipeline: &Pipeline) -> Pipe {
    let converts = matches!(instruction.operation(), "F2F" | "F2I" | "I2F" | "FRND") && instruction.has("F64");
    if converts && pipeline.doubles_are_shared { Pipe::Double } else { instruction.pipe() }
}

fn interval(
    instruction: &Instruction,
    (pipe, has_constant): (Pipe, bool),
    target: &Target,
    pipeline: &Pipeline,
) -> u32 {
    match pipe {
        Pipe::Double => {
            let with = pipeline.constants.double_operand_interval.filter(|_| has_constant).unwrap_or_default();
            target.double_interval().max(with)
        }
        Pipe::Tensor => target.tensor_interval(instruction.matrix_multiply_adds()),
        Pipe::Fma => pipeline.fma_interval,
        Pipe::Alu => pipeline.alu_interval,
        Pipe::Special => pipeline.special_interval,
        Pipe::Uniform => pipeline.uniform_interval,
        Pipe::Constant => pipeline.constant_interval,
        Pipe::Memory | Pipe::Control => 1,
    }
}

/// Returns the clocks of a fence: `MEMBAR.SC.GPU` and its like.
fn fence(instruction: &Instruction, pipeline: &Pipeline) -> u32 {
    match instruction.operation() {
        "MEMBAR" if instruction.has("CTA") => pipeline.fence_latency,
        "MEMBAR" => pipeline.gpu_fence_latency,
        _ => 0,
    }
}

fn latency(instruction: &Instruction, pipe: Pipe, pipeline: &Pipeline) -> u32 {
    let fixed = pipeline.fixed.as_ref();
    match (pipe, instruction.class()) {
        (Pipe::Double, _) => pipeline.double_latency,
        (Pipe::Tensor, _) => pipeline.tensor_latency,
        (Pipe::Fma, Class::Addresses) => fixed.map_or(pipeline.special_latency, |fixed| fixed.product_latency),
        (Pipe::Fma | Pipe::Alu | Pipe::Uniform, _) => {
            fixed.map_or(pipeline.special_latency, |fixed| fixed.arithmetic_latency)
        }
        (_, Class::Shuffles) => pipeline.memory.shuffle_latency,
        _ => pipeline.special_latency,
    }
}
