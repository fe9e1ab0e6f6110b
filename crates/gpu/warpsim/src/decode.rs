//! From a kernel, with the functions that it calls, to a flat array of instructions whose operands are numbers of rows.

mod asynchronous;
mod clusters;
mod conduct;
mod function;
mod instruction;
mod limits;
mod matrices;
mod memory;
mod packed;
mod parameters;

use super::buffer::Buffer;
use super::counts::Class;
use super::hazard::{Kind, Site};
use super::launch::{Argument, Launch};
use super::memory::segment_address;
pub(super) use super::micro::*;
use super::rows::Row;
use super::slice::Definitions;
pub(super) use conduct::{Conduct, Manner, makes_orders};
use cranelift_entity::SecondaryMap;
pub(super) use function::Function;
use ptx::analysis::dominators::post_dominators_where;
use ptx::inst::*;
use ptx::ir::{Block, Func, Init, Inst, Module, Param, ParamKind, Reg, Variable};
use ptx::visit::Part;

pub(super) struct Code<'m> {
    pub(super) module: &'m Module,
    /// The kernel and the functions that it may call, in the order of their instructions.
    pub functions: Vec<Function<'m>>,
    pub ops: Vec<Decoded>,
    /// Memory ordering of each instruction.
    pub conducts: Vec<Conduct>,
    /// Function, block and instruction; `None` for the block's end.
    origins: Vec<(u32, Block, Option<Inst>)>,
    pub pool: Vec<Row>,
    pub registers: usize,
    pub predicates: usize,
    /// Rows that hold special registers.
    pub specials: Vec<(Special, u32)>,
    /// Rows that hold the kernel's arguments.
    pub arguments: Vec<(u32, u64)>,
    /// Rows of arguments whose values are not given.
    pub unknown: Vec<u32>,
    /// Ranges of the variables in shared memory.
    pub arrays: Vec<(Variable, std::ops::Range<u64>)>,
    /// Rows of all parameters.
    pub parameters: Vec<std::ops::Range<u32>>,
    pub shared_bytes: u64,
    /// Local memory of the kernel itself; functions add theirs when they are called.
    pub local_bytes: u64,
    /// Whether there are asynchronous copies or barriers in memory.
    pub copies: bool,
    /// Whether warp groups multiply matrices.
    pub products: bool,
    /// Whether it matters that a cluster has one CTA.
    pub one_cta: bool,
    /// Whether the launch says how many CTAs a cluster has.
    pub given_cluster: bool,
    /// CTAs of a cluster; `None` where the header leaves the number open.
    pub cluster: Option<[u32; 3]>,
    /// Number of CTAs that run together.
    pub ranks: u32,
    /// Warps of a CTA.
    own_warps: usize,
    /// Whether some arrival at the barrier of a cluster is relaxed, so that fences matter.
    pub relaxed: bool,
    /// Whether addresses may be those of other CTAs.
    pub mapped: bool,
    /// Registers of a thread at the launch, if the kernel states them.
    pub thread_registers: Option<u32>,
    /// The module's tables, which follow the launch's buffers as segments.
    pub tables: Vec<(Space, Buffer)>,
}

impl<'m> Code<'m> {
    /// Returns the size of the smallest access of shared memory, which is the unit of the race detector.
    pub(super) fn shared_cell(&self) -> u32 {
        let reaches = |space: Space| matches!(space, Space::Shared | Space::Generic);
        let sizes = self.ops.iter().filter_map(|op| match &op.micro {
            Micro::MemoryAccess(MemoryAccess::Load { space, bytes, .. } | MemoryAccess::Store { space, bytes, .. })
                if reaches(*space) =>
            {
                Some(*bytes)
            }
            Micro::MemoryAccess(MemoryAccess::Atomic { space, bytes, .. }) if reaches(*space) => Some(*bytes),
            Micro::Collective(Collective::Fragments(fragments)) if reaches(fragments.space) => Some(fragments.bytes()),
            Micro::Copying(copying) => match **copying {
                Copying::Copy { bytes, .. } => Some(bytes.clamp(4, 8)),
                Copying::Deliver(Delivery { from: None, bytes, .. }) => {
                    Some((bytes.row(&[], &self.pool)[0] as u32).clamp(4, 8))
                }
                _ => None,
            },
            _ => None,
        });
        sizes.min().unwrap_or(8)
    }

    /// Whether the lanes of a warp proceed independently: then they need not run in lockstep, and barriers wait only for threads
    /// that have not ended.
    pub(super) fn independent_lanes(&self) -> bool {
        self.module.sm >= 70
    }

    /// Whether the instruction belongs to the kernel itself, not to a function that it calls.
    pub(super) fn is_kernel(&self, pc: u32) -> bool {
        self.origins[pc as usize].0 == 0
    }

    /// Whether nothing but the end of the kernel follows from there.
    pub(super) fn ends(&self, mut pc: u32) -> bool {
        for _ in 0..self.ops.len() {
            match self.ops.get(pc as usize).map(|op| (op.guard, &op.micro)) {
                Some((_, Micro::Nothing)) => pc += 1,
                Some((_, Micro::Jump { target })) => pc = *target,
                Some((None, Micro::Ret)) => return self.is_kernel(pc),
                Some((None, Micro::Exit)) => return true,
                _ => return false,
            }
        }
        false
    }

    /// Returns the function and the block of an instruction.
    pub(super) fn place(&self, pc: u32) -> (&Func, Block) {
        let (func, block, _) = self.origins[pc as usize];
        (self.functions[func as usize].func, block)
    }

    /// Returns the instruction and its function; `None` for a block's end.
    pub(super) fn instruction(&self, pc: u32) -> Option<(&Func, &InstData)> {
        let (func, _, inst) = self.origins[pc as usize];
        let func = self.functions[func as usize].func;
        Some((func, &func.insts[inst?]))
    }

    /// Returns the definitions of the function that the instruction belongs to.
    pub(super) fn definitions(&self, pc: u32) -> &Definitions<'m> {
        self.functions[self.origins[pc as usize].0 as usize].definitions()
    }

    /// Returns the rows that an instruction reads or writes, but for a product of matrices by a warp group.
    pub(super) fn rows_of(&self, pc: u32) -> Vec<u32> {
        let (func, _, inst) = self.origins[pc as usize];
        let Function { func, rows: numbers, .. } = &self.functions[func as usize];
        let Some(data) = inst.map(|inst| &func.insts[inst]) else { return Vec::new() };
        if matches!(&self.ops[pc as usize].micro, Micro::Copying(op) if matches!(**op, Copying::Matrices(_))) {
            return Vec::new();
        }
        let mut rows = Vec::new();
        data.op.parts(|part| {
            if let Part::Def(reg) | Part::Use(reg) | Part::Touch(reg) | Part::Read(Operand::Reg(reg)) = part
                && func.regs[*reg] != Type::Pred
            {
                rows.push(numbers[*reg]);
            }
            if let Part::At(Address { base: Base::Reg(reg), .. }) = part {
                rows.push(numbers[*reg]);
            }
        });
        rows
    }

    /// Returns the name of a variable.
    pub(super) fn name(&self, variable: Variable) -> &str {
        &self.module.variables[variable].name
    }

    pub(super) fn site(&self, warp: u32, pc: u32) -> Site {
        let (func, block, inst) = self.origins[pc as usize];
        let function = &self.functions[func as usize];
        // a branch may be two statements
        let text = function.text(self.module, block, inst).replace("\n\t", " ");
        Site { warp, pc, line: function.func.lines.line(block, inst), text }
    }
}

/// Decodes the kernel; fails if the launch does not fit it. Instructions unknown to the simulator become [`Micro::Unknown`].
pub(super) fn decode<'m>(
    module: &'m Module,
    func: &'m Func,
    launch: &Launch,
    buffers: usize,
) -> Result<Code<'m>, Kind> {
    let inputs: Vec<(Param, u64)> =
        func.params_of(ParamKind::Input).map(|(param, data)| (param, data.bytes())).collect();
    if launch.arguments.len() != inputs.len() {
        let (given, wanted) = (launch.arguments.len(), inputs.len());
        return Err(Kind::Unsupported(format!("{given} arguments for {wanted} parameters")));
    }
    if module.address_size == Some(32) {
        return Err(Kind::Unsupported("addresses of 32 bits".to_owned()));
    }
    limits::variables(module, launch.shared, launch.size())?;
    let cluster = clusters::of_launch(func, launch)?;
    if let Some([a, b, c]) = cluster
        && launch.ctas.iter().zip([a, b, c]).any(|(all, own)| all % own != 0)
    {
        let [x, y, z] = launch.ctas;
        return Err(Kind::Unsupported(format!("a grid of {x} x {y} x {z} CTAs in clusters of {a} x {b} x {c}")));
    }
    let code = Code {
        module,
        functions: Vec::new(),
        ops: Vec::new(),
        origins: Vec::new(),
        pool: Vec::new(),
        registers: 0,
        predicates: 0,
        conducts: Vec::new(),
        specials: Vec::new(),
        arguments: Vec::new(),
        unknown: Vec::new(),
        arrays: Vec::new(),
        parameters: Vec::new(),
        shared_bytes: 0,
        local_bytes: 0,
        copies: false,
        products: false,
        one_cta: false,
        given_cluster: launch.cluster.is_some(),
        cluster,
        ranks: clusters::together(cluster, launch.size()),
        own_warps: launch.size().div_ceil(32) as usize,
        relaxed: clusters::relaxed(module),
        mapped: false,
        thread_registers: func.directives.iter().find_map(|text| text.strip_prefix(".maxnreg ")?.trim().parse().ok()),
        tables: Vec::new(),
    };
    let mut decoder = Decoder {
        code,
        contexts: Vec::new(),
        at: 0,
        variables: SecondaryMap::new(),
        parameters: SecondaryMap::new(),
        constants: Default::default(),
    };
    decoder.place_variables(buffers, launch.shared);
    decoder.code.keep_small();
    decoder.place_parameters(func, launch, buffers);
    decoder.enter(func);
    decoder.callees();
    limits::registers(decoder.code.registers, launch.size())?;
    decoder.code.local_bytes = decoder.contexts[0].local_bytes;
    decoder.pass_arguments(&inputs, launch)?;
    for at in 0..decoder.contexts.len() {
        decoder.at = at;
        decoder.blocks()?;
    }
    let mut code = decoder.code;
    code.functions = decoder.contexts.into_iter().map(|context| Function::new(context.func, context.rows)).collect();
    let conduct = |(func, data)| conduct::conduct(func, data);
    let conduct = |pc| code.instruction(pc).map(conduct).unwrap_or_default();
    code.conducts = (0..code.ops.len() as u32).map(conduct).collect();
    Ok(code)
}

/// Returns an argument in words of 8 bytes.
fn words(argument: &Argument) -> Vec<u64> {
    match argument {
        Argument::Any => Vec::new(),
        Argument::Buffer(index) => vec![segment_address(*index)],
        Argument::U32(value) => vec![u64::from(*value)],
        Argument::U64(value) => vec![*value],
        Argument::Bytes(bytes) => {
            bytes.chunks(8).map(|c| c.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))).collect()
        }
    }
}

/// Row and offset numbers of one function.
struct Context<'m> {
    func: &'m Func,
    /// Row or predicate number of each register.
    rows: SecondaryMap<Reg, u32>,
    /// First row of each parameter.
    params: SecondaryMap<Param, u32>,
    starts: SecondaryMap<Block, u32>,
    window: (std::ops::Range<u32>, std::ops::Range<u32>),
    /// Local variables: their offsets in the function's part of local memory, and the rows that hold their addresses.
    locals: Vec<(Variable, u64, u32)>,
    local_bytes: u64,
}

struct Decoder<'m> {
    code: Code<'m>,
    contexts: Vec<Context<'m>>,
    /// The function that is being decoded.
    at: usize,
    variables: SecondaryMap<Variable, u64>,
    /// Places of the kernel's parameters whose addresses are taken.
    parameters: SecondaryMap<Param, Option<u64>>,
    /// Rows of the pool by their value.
    constants: std::collections::HashMap<u64, u32>,
}

impl<'m> Decoder<'m> {
    /// Puts the words of the launch's arguments into the rows of the kernel's parameters.
    fn pass_arguments(&mut self, inputs: &[(Param, u64)], launch: &Launch) -> Result<(), Kind> {
        for ((param, bytes), argument) in inputs.iter().copied().zip(&launch.arguments) {
            let first = self.contexts[0].params[param];
            if let Argument::Bytes(given) = argument
                && given.len() as u64 != bytes
            {
                let name = &self.contexts[0].func.params[param].name;
                return Err(Kind::Unsupported(format!("{} bytes for {name}, which has {bytes}", given.len())));
            }
            if *argument == Argument::Any {
                self.code.unknown.extend(first..first + bytes.div_ceil(8).clamp(1, 1 << 16) as u32);
            }
            for (i, word) in words(argument).into_iter().enumerate().take(bytes.div_ceil(8) as usize) {
                self.code.arguments.push((first + i as u32, word));
            }
        }
        Ok(())
    }

    fn place_variables(&mut self, buffers: usize, dynamic: u64) {
        let module = self.code.module;
        for (variable, data) in module.variables.iter() {
            match data.space {
                Space::Shared if data.bytes > 0 => {
                    let start = self.code.shared_bytes.next_multiple_of(u64::from(data.align.max(1)));
                    self.variables[variable] = start;
                    self.code.shared_bytes = start + data.bytes;
                    self.code.arrays.push((variable, start..start + data.bytes));
                }
                Space::Shared | Space::Local => {}
                Space::Global | Space::Const | Space::Param | Space::Generic => {
                    let table = match &data.init {
                        Init::F64(values) => Buffer::in_out(values),
                        Init::F32(values) => Buffer::words(Type::F32, values.iter().map(|v| v.to_bits().into())),
                        Init::S32(values) => Buffer::words(Type::S32, values.iter().map(|v| *v as u32 as u64)),
                        Init::Bytes(values) => Buffer::words(Type::U8, values.iter().map(|v| u64::from(*v))),
                        Init::None => Buffer::words(Type::U8, (0..data.bytes).map(|_| 0)),
                        // its values have no meaning here: reading them is a hazard
                        Init::Verbatim(..) => Buffer::unwritten(Type::U8, data.bytes as usize),
                    };
                    self.variables[variable] = segment_address(buffers + self.code.tables.len());
                    self.code.tables.push((data.space, table));
                }
            }
        }
        let is_outside = |data: &&ptx::ir::VariableData| data.space == Space::Shared && data.bytes == 0;
        let aligns = module.variables.values().filter(is_outside).map(|data| u64::from(data.align.max(1)));
        let align = aligns.max().unwrap_or(1);
        let start = self.code.shared_bytes.next_multiple_of(align);
        for (variable, _) in module.variables.iter().filter(|(_, data)| is_outside(data)) {
            self.variables[variable] = start;
        }
        self.code.shared_bytes = if dynamic > 0 { start + dynamic } else { self.code.shared_bytes };
        let outside = module.variables.iter().filter(|(_, data)| is_outside(data)).map(|(variable, _)| variable);
        self.code.arrays.extend(outside.map(|variable| (variable, start..start + dynamic)));
    }

    /// Numbers a function's registers, parameters, local variables and blocks.
    fn enter(&mut self, func: &'m Func) {
        let first = (self.code.registers as u32, self.code.predicates as u32);
        let mut rows = SecondaryMap::new();
        for (reg, ty) in func.regs.iter() {
            let count = if *ty == Type::Pred { &mut self.code.predicates } else { &mut self.code.registers };
            rows[reg] = *count as u32;
            *count += 1;
        }
        let mut params = SecondaryMap::new();
        for (param, data) in func.params.iter() {
            params[param] = self.code.registers as u32;
            self.code.registers += data.bytes().div_ceil(8).clamp(1, 1 << 16) as usize;
            self.code.parameters.push(params[param]..self.code.registers as u32);
        }
        let (mut locals, mut local_bytes) = (Vec::new(), 0u64);
        for (variable, data) in self.code.module.variables.iter().filter(|(_, data)| data.space == Space::Local) {
            let mut used = false;
            for inst in func.insts.values() {
                inst.op.operands(|operand| used |= operand == Operand::Variable(variable));
            }
            if used {
                let start = local_bytes.next_multiple_of(u64::from(data.align.max(8)));
                locals.push((variable, start, self.code.registers as u32));
                self.code.registers += 1;
                local_bytes = start + data.bytes;
            }
        }
        let mut starts = SecondaryMap::with_default(EXIT);
        let mut pc = self.code.origins.len() as u32;
        let number = self.contexts.len() as u32;
        for block in &func.layout {
            starts[*block] = pc;
            pc += func.blocks[*block].insts.len() as u32 + 1;
            let insts = func.blocks[*block].insts.iter().map(|inst| (number, *block, Some(*inst)));
            self.code.origins.extend(insts);
            self.code.origins.push((number, *block, None));
        }
        let window = (first.0..self.code.registers as u32, first.1..self.code.predicates as u32);
        let local_bytes = local_bytes.next_multiple_of(16);
        self.contexts.push(Context { func, rows, params, starts, window, locals, local_bytes });
    }

    /// Collects all functions that can be reached by calls.
    fn callees(&mut self) {
        let mut next = 0;
        while next < self.contexts.len() {
            for inst in self.contexts[next].func.insts.values() {
                if let Op::Call { callee: Callee::Func(name), .. } = &inst.op
                    && let Some(func) = self.code.module.func(name).filter(|func| !func.is_declaration())
                    && self.context_of(name).is_none()
                {
                    self.enter(func);
                }
            }
            next += 1;
        }
        // the kernel's own local variables never move
        let own: Vec<(u32, u64)> = self.contexts[0].locals.iter().map(|(_, start, row)| (*row, *start)).collect();
        self.code.arguments.extend(own);
    }

    fn context_of(&self, name: &str) -> Option<&Context<'m>> {
        self.contexts.iter().find(|context| context.func.name == name)
    }

    fn blocks(&mut self) -> Result<(), Kind> {
        let func = self.contexts[self.at].func;
        let post_dominators = post_dominators_where(func, |block| !traps(func, block));
        for (i, block) in func.layout.iter().enumerate() {
            for inst in &func.blocks[*block].insts {
                let data = &func.insts[*inst];
                let known = if self.has_place(&data.op) && self.has_cluster(&data.op) {
                    self.instruction(&data.op)
                } else {
                    None
                };
                let (class, micro) = known.unwrap_or_else(|| self.unknown(data));
                let guard = data.guard.map(|guard| self.guard(guard));
                self.code.ops.push(Decoded { guard, class, micro });
            }
            let starts = &self.contexts[self.at].starts;
            let reconvergence = post_dominators[*block].map_or(EXIT, |reconvergence| starts[reconvergence]);
            let next = func.layout.get(i + 1).map_or(EXIT, |next| starts[*next]);
            let micro = self.terminator(&func.blocks[*block].terminator, reconvergence)?;
            let free = matches!(micro, Micro::Jump { target } if target == next);
            let class = if free { Class::Free } else { Class::Branch };
            self.code.ops.push(Decoded { guard: None, class, micro });
        }
        Ok(())
    }

    fn unknown(&self, data: &InstData) -> (Class, Micro) {
        if is_trap(data) {
            return (Class::Move, Micro::Trap);
        }
        let (mut rows, mut preds) = (Vec::new(), Vec::new());
        let context = &self.contexts[self.at];
        for reg in data.op.results() {
            let list = if context.func.regs[reg] == Type::Pred { &mut preds } else { &mut rows };
            list.push(context.rows[reg]);
        }
        if let Op::Call { results, .. } = &data.op {
            for param in results {
                let words = context.func.params[*param].bytes().div_ceil(8).clamp(1, 1 << 16) as u32;
                rows.extend((0..words).map(|i| context.params[*param] + i));
            }
        }
        (Class::Move, Micro::Unknown { rows, preds })
    }

    fn terminator(&self, terminator: &Terminator, reconvergence: u32) -> Result<Micro, Kind> {
        let Context { starts, rows, .. } = &self.contexts[self.at];
        if let Some(outside) = terminator.targets().iter().find(|t| starts[**t] == EXIT) {
            return Err(Kind::Unsupported(format!("a branch to {outside}, which has no place in the layout")));
        }
        Ok(match terminator {
            Terminator::Bra { target } => Micro::Jump { target: starts[*target] },
            Terminator::CondBra { guard, then, otherwise, .. } => Micro::Branch {
                pred: rows[guard.pred],
                negate: guard.negate,
                then: starts[*then],
                otherwise: starts[*otherwise],
                reconvergence,
            },
            Terminator::Brx { index, targets } => {
                let targets = targets.iter().map(|t| starts[*t]).collect();
                Micro::Indirect { index: rows[*index], targets, reconvergence }
            }
            Terminator::Ret => Micro::Ret,
            Terminator::Exit => Micro::Exit,
        })
    }

    fn row(&self, reg: Reg) -> u32 {
        self.contexts[self.at].rows[reg]
    }

    fn guard(&self, guard: Guard) -> GuardBit {
        (self.row(guard.pred), guard.negate)
    }

    fn class_of(&self, reg: Reg) -> Type {
        self.contexts[self.at].func.regs[reg].class()
    }

    fn variable(&mut self, variable: Variable) -> Source {
        let own = self.contexts[self.at].locals.iter().find(|(local, ..)| *local == variable);
        match own {
            Some((_, _, row)) => Source(*row),
            None => self.constant(self.variables[variable]),
        }
    }

    fn source(&mut self, operand: Operand) -> Source {
        match operand {
            Operand::Reg(reg) => Source(self.row(reg)),
            Operand::Imm(bits) => self.constant(bits),
            Operand::Variable(variable) => self.variable(variable),
            Operand::Param(param) => self.constant(self.parameters[param].unwrap_or(0)),
            Operand::Special(special) => {
                self.code.one_cta |= clusters::tells(special) && self.code.cluster == Some([1; 3]);
                if let Some((_, row)) = self.code.specials.iter().find(|(known, _)| *known == special) {
                    return Source(*row);
                }
                let row = self.code.registers as u32;
                self.code.registers += 1;
                self.code.specials.push((special, row));
                Source(row)
            }
        }
    }

    fn constant(&mut self, bits: u64) -> Source {
        let pool = &mut self.code.pool;
        let index = *self.constants.entry(bits).or_insert_with(|| {
            pool.push([bits; 32]);
            pool.len() as u32 - 1
        });
        Source(Source::POOL | index)
    }
}

/// Whether the block ends the whole grid.
fn traps(func: &Func, block: Block) -> bool {
    func.blocks[block].insts.iter().any(|inst| is_trap(&func.insts[*inst]))
}

/// Whether the instruction certainly ends the whole grid (PTX ISA, `trap`: "Abort execution").
fn is_trap(inst: &InstData) -> bool {
    inst.guard.is_none() && matches!(&inst.op, Op::Opaque { opcode, .. } if opcode == "trap")
}

/// Returns the row of a place in a parameter, and the byte in it.
fn word_of(param: u32, offset: i64) -> Option<(u32, u64)> {
    let offset = u64::try_from(offset).ok()?;
    Some((param + u32::try_from(offset / 8).ok()?, offset % 8))
}

/// Whether the access lies inside the parameter.
fn inside(func: &Func, param: Param, offset: i64, bytes: u32) -> bool {
    let size = func.params[param].bytes().div_ceil(8).clamp(1, 1 << 16) * 8;
    let fits = u64::try_from(offset).is_ok_and(|offset| offset.saturating_add(u64::from(bytes)) <= size);
    fits && bytes <= 8 && offset % i64::from(bytes.max(1)) == 0
}
