//! What versions of a kernel cost on one launch: the cycles of an SM for their machine code, where compilers for the target are
//! installed; otherwise the time of the warp instructions that the simulator executes. Every version has to leave the same
//! buffers as the first.

use crate::machine_code;
use crate::setup::Setup;
use crate::{Buffer, Counts, Options};
use diagnostics::Source;
use machine::target::Target;
use machine::toolchain::{self, Disassembler, Toolchain};
use ptx::Module;
use ptx::passes::diverge::{Model, Unfit};
use std::sync::Arc;

/// No version of a program executes so many times as many instructions as another.
const MOST_TIMES: u64 = 100;

/// A launch, and what it has to leave behind.
#[derive(Debug)]
pub struct Appraisal {
    setup: Setup,
    expected: Vec<Buffer>,
    /// Warp instructions after which a version is taken for endless.
    budget: u64,
    machine: Option<Machine>,
}

/// What makes machine code and takes it apart.
#[derive(Debug)]
struct Machine {
    target: &'static Target,
    toolchain: Toolchain,
    disassembler: &'static Disassembler,
}

impl Appraisal {
    /// For a launch of the kernel as it is; with a target, by machine code where that can be made, and has no instructions that
    /// are not simulated.
    ///
    /// # Errors
    /// The launch shows hazards.
    pub fn new(module: &Module, kernel: &str, setup: &Setup, target: Option<&'static Target>) -> Result<Self, Unfit> {
        let machine = target.and_then(Machine::for_target);
        let (setup, budget) = (setup.clone(), Options::default().budget);
        let first = Self { setup, expected: Vec::new(), budget, machine };
        let (counts, expected) = first.executed(module, kernel)?;
        let made = Self { expected, budget: MOST_TIMES * counts.instructions.max(1000), ..first };
        let refused = made.machine.is_some() && matches!(made.cycles(module, kernel), Err(Unfit::Refused(_)));
        Ok(if refused { Self { machine: None, ..made } } else { made })
    }

    /// Whether it runs machine code.
    pub fn runs_machine_code(&self) -> bool {
        self.machine.is_some()
    }

    /// The counts of a run of this version.
    ///
    /// # Errors
    /// The launch shows hazards, or leaves other buffers than the first version.
    pub fn counts(&self, module: &Module, kernel: &str) -> Result<Counts, Unfit> {
        let (counts, buffers) = self.executed(module, kernel)?;
        self.compare(&buffers, "PTX")?;
        Ok(counts)
    }

    fn executed(&self, module: &Module, kernel: &str) -> Result<(Counts, Vec<Buffer>), Unfit> {
        let mut buffers = self.setup.buffers.clone();
        let report = crate::run(module, kernel, &self.setup.launch, &mut buffers, &self.options());
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

impl Model for Appraisal {
    fn cycles(&self, module: &Module, kernel: &str) -> Result<u64, Unfit> {
        let counts = self.counts(module, kernel)?;
        let Some(machine) = &self.machine else { return Ok(counts.executed().cycles()) };
        let cubin = machine.cubin(module, kernel)?;
        let mut buffers = self.setup.buffers.clone();
        let (launch, options) = (&self.setup.launch, self.options());
        let timed = machine_code::time(&cubin, kernel, launch, &mut buffers, &options, machine.target);
        let (_, timing) = timed.map_err(|failure| match failure {
            machine_code::Failure::Unknown(unknown) => {
                Unfit::Refused(unknown.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>().join("; "))
            }
            machine_code::Failure::Hazards(hazards) => Unfit::Refused(hazards.to_string()),
        })?;
        self.compare(&buffers, "machine code")?;
        Ok(timing.cycles)
    }

    fn name(&self) -> String {
        match &self.machine {
            Some(machine) => format!("cycles of one SM of {}, {}", machine.target.name, machine.toolchain.assembler),
            None => "cycles of the warp instructions of a simulated launch, one after the other".to_owned(),
        }
    }
}

impl Machine {
    fn for_target(target: &'static Target) -> Option<Self> {
        let arch = target.compute_capability;
        target.pipeline.as_ref().filter(|_| machine_code::runs(arch.number()))?;
        let (toolchain, disassembler) = (toolchain::find_for(arch).ok()?, toolchain::disassembler(arch).ok()?);
        Some(Self { target, toolchain, disassembler })
    }

    fn cubin(&self, module: &Module, kernel: &str) -> Result<sass::Cubin, Unfit> {
        let refused = |text: String| Unfit::Refused(text);
        let assembled = self.toolchain.assemble(&module.to_string(), self.target.compute_capability);
        let cubin = assembled.map_err(|failure| refused(failure.to_string()))?.cubin;
        let text = self.disassembler.disassemble(&cubin).map_err(|failure| refused(failure.to_string()))?;
        let listing = Arc::new(Source { name: kernel.to_owned(), text });
        let said = |list: Vec<diagnostics::Diagnostic>| {
            list.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
        };
        sass::read(kernel, &cubin, &listing).map_err(|list| refused(said(list).join("; ")))
    }
}
