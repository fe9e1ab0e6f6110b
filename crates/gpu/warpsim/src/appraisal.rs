//! Costs of versions of a kernel on one launch: the cycles of an SM for their machine code, if compilers for the target are
//! installed; otherwise the time of the warp instructions that the simulator executes. Every version has to leave the same
//! buffers as the first.

use crate::machine_code;
use crate::setup::Setup;
use crate::{Buffer, Counts, Launch, Options};
use diagnostics::Source;
use machine::target::Target;
use machine::toolchain::{self, Disassembler, Toolchain};
use ptx::Module;
use ptx::cost::{Model, Unfit};
use ptx::inst::{BinaryOp, Op, Rounding, Type};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Upper bound on how many times more instructions one version of a program executes than another.
const MOST_TIMES: u64 = 100;

/// A launch, and the buffers that it has to leave.
#[derive(Debug)]
pub struct Appraisal {
    setup: Setup,
    expected: Vec<Buffer>,
    /// Warp instructions after which a version is taken for endless.
    budget: u64,
    /// Or why there is no machine code to run.
    machine: Result<Machine, String>,
}

/// The tools that make machine code and disassemble it.
#[derive(Debug)]
struct Machine {
    target: &'static Target,
    toolchain: Toolchain,
    disassembler: &'static Disassembler,
    /// Machine code made of each text.
    made: Mutex<BTreeMap<String, Result<Arc<AssembledCode>, Unfit>>>,
}

/// Machine code, and the registers per thread that its kernels take.
#[derive(Debug)]
struct AssembledCode {
    cubin: sass::Cubin,
    registers: BTreeMap<String, u32>,
}

impl Appraisal {
    /// Prepares the appraisal from a launch of the original kernel; with a target, by machine code if that can be made and has
    /// only instructions that are simulated.
    ///
    /// # Errors
    /// The launch shows hazards.
    pub fn new(module: &Module, kernel: &str, setup: &Setup, target: Option<&'static Target>) -> Result<Self, Unfit> {
        let machine = target.ok_or_else(|| "no target is named".to_owned());
        let machine = machine.and_then(|target| Machine::new(target, module));
        let (setup, budget) = (setup.clone(), Options::default().budget);
        let first = Self { setup, expected: Vec::new(), budget, machine };
        let (counts, expected) = first.executed(module, kernel, &first.setup.launch)?;
        let made = Self { expected, budget: MOST_TIMES * counts.instructions.max(1000), ..first };
        Ok(match made.machine.is_ok().then(|| made.cycles(module, kernel)) {
            Some(Err(Unfit::Refused(why))) => Self { machine: Err(why), ..made },
            _ => made,
        })
    }

    /// Whether the appraisal runs machine code.
    pub fn runs_machine_code(&self) -> bool {
        self.machine.is_ok()
    }

    /// Returns the counts of a run of this version.
    ///
    /// # Errors
    /// The launch shows hazards, or leaves other buffers than the first version.
    pub fn counts(&self, module: &Module, kernel: &str) -> Result<Counts, Unfit> {
        self.counts_of(module, kernel, &self.setup.launch)
    }

    fn counts_of(&self, module: &Module, kernel: &str, launch: &Launch) -> Result<Counts, Unfit> {
        let (counts, buffers) = self.executed(module, kernel, launch)?;
        self.compare(&buffers, "PTX")?;
        Ok(counts)
    }

    fn executed(&self, module: &Module, kernel: &str, launch: &Launch) -> Result<(Counts, Vec<Buffer>), Unfit> {
        let mut buffers = self.setup.buffers.clone();
        let report = crate::run(module, kernel, launch, &mut buffers, &self.options());
        let report = report.map_err(|hazards| Unfit::Wrong(hazards.to_string()))?;
        Ok((report.total(), buffers))
    }

    fn options(&self) -> Options {
        Options { schedule: self.setup.schedule, budget: self.budget, ..Options::default() }
    }

    fn compare(&self, buffers: &[Buffer], what: &str) -> Result<(), Unfit> {
        match buffers == self.expected {
            true => Ok(()),
            false => Err(Unfit::Wrong(format!("the {what} leaves other values in memory"))),
        }
    }
}

impl Appraisal {
    /// Returns the cycles of one SM for the CTAs of the launch, repeated until there are this many.
    fn timed(
        &self,
        machine: &Machine,
        module: &Module,
        kernel: &str,
        ctas: usize,
        launch: &Launch,
    ) -> Result<u64, Unfit> {
        self.counts_of(module, kernel, launch)?;
        let made = machine.made(module, kernel)?;
        let (mut buffers, options) = (self.setup.buffers.clone(), self.options());
        let timed =
            machine_code::time_of_many(&made.cubin, kernel, launch, &mut buffers, &options, machine.target, ctas);
        let (_, timing) = timed.map_err(refused)?;
        if buffers != self.expected {
            self.compare(&self.unfused(machine, module, kernel, launch)?, "machine code")?;
        }
        Ok(timing.cycles)
    }

    /// Returns the buffers of machine code whose products and sums ptxas must not fuse, as it may if they name no rounding (PTX ISA, `add`).
    fn unfused(&self, machine: &Machine, module: &Module, kernel: &str, launch: &Launch) -> Result<Vec<Buffer>, Unfit> {
        let made = machine.made(&rounded(module), kernel)?;
        let mut buffers = self.setup.buffers.clone();
        let run = machine_code::run(&made.cubin, kernel, launch, &mut buffers, &self.options());
        run.map_err(refused)?;
        Ok(buffers)
    }
}

fn refused(failure: machine_code::Failure) -> Unfit {
    Unfit::Refused(match failure {
        machine_code::Failure::Unknown(unknown) => {
            unknown.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>().join("; ")
        }
        machine_code::Failure::Hazards(hazards) => hazards.to_string(),
    })
}

/// Returns the module with the rounding of every sum and product named.
fn rounded(module: &Module) -> Module {
    let mut module = module.clone();
    for inst in module.funcs.iter_mut().flat_map(|func| func.insts.values_mut()) {
        if let Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, mode, ty: Type::F32 | Type::F64, .. } =
            &mut inst.op
            && mode.rounding == Rounding::None
        {
            mode.rounding = Rounding::Rn;
        }
    }
    module
}

impl Model for Appraisal {
    fn cycles(&self, module: &Module, kernel: &str) -> Result<u64, Unfit> {
        match &self.machine {
            Ok(machine) => self.timed(machine, module, kernel, 0, &self.setup.launch),
            Err(_) => Ok(self.counts(module, kernel)?.executed().cycles()),
        }
    }

    fn cycles_of_ctas(&self, module: &Module, kernel: &str, ctas: u32, launch_shared: u32) -> Result<u64, Unfit> {
        let machine = self.machine.as_ref().map_err(|why| Unfit::Refused(why.clone()))?;
        let launch = Launch { shared: launch_shared.into(), ..self.setup.launch.clone() };
        self.timed(machine, module, kernel, ctas as usize, &launch)
    }

    fn registers(&self, module: &Module, kernel: &str) -> Option<u32> {
        let made = self.machine.as_ref().ok()?.made(module, kernel).ok()?;
        made.registers.get(kernel).copied()
    }

    fn name(&self) -> String {
        match &self.machine {
            Ok(machine) => format!("cycles of one SM of {}, {}", machine.target.name, machine.toolchain.assembler),
            Err(_) => "cycles of the warp instructions of a simulated launch, one after the other".to_owned(),
        }
    }
}

impl Machine {
    fn new(target: &'static Target, module: &Module) -> Result<Self, String> {
        let arch = target.compute_capability;
        if target.pipeline.is_none() || !machine_code::runs(arch.number()) {
            return Err(format!("machine code for {} is not simulated", target.name));
        }
        let toolchain = toolchain::find_for_text(arch, &module.to_string()).map_err(|absent| absent.to_string())?;
        let disassembler = toolchain::disassembler(arch).map_err(|absent| absent.to_string())?;
        Ok(Self { target, toolchain, disassembler, made: Mutex::default() })
    }

    /// Returns the machine code of a version, made once.
    fn made(&self, module: &Module, kernel: &str) -> Result<Arc<AssembledCode>, Unfit> {
        let text = module.to_string();
        // nothing panics while it is locked
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || self.make(&text, kernel).map(Arc::new);
        made.entry(text.clone()).or_insert_with(make).clone()
    }

    fn make(&self, text: &str, kernel: &str) -> Result<AssembledCode, Unfit> {
        let refused = |text: String| Unfit::Refused(text);
        let assembled = self.toolchain.assemble(text, self.target.compute_capability);
        let assembled = assembled.map_err(|failure| refused(failure.to_string()))?;
        let text = self.disassembler.disassemble(&assembled.cubin).map_err(|failure| refused(failure.to_string()))?;
        let listing = Arc::new(Source { name: kernel.to_owned(), text });
        let said = |list: Vec<diagnostics::Diagnostic>| {
            list.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
        };
        let cubin = sass::read(kernel, &assembled.cubin, &listing).map_err(|list| refused(said(list).join("; ")))?;
        let registers = assembled.usages.into_iter().map(|usage| (usage.kernel, usage.registers)).collect();
        Ok(AssembledCode { cubin, registers })
    }
}
