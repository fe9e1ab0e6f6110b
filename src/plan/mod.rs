//! Request of the user, with defaults for all of it.

mod common;
mod conditions;
mod effort;
mod emit;
mod goes_with;
mod kernel_choice;
mod libraries;
mod lists;
mod machines;
mod of_emitted;
mod page;
mod part;
mod reactor_steps;
mod resolved;
mod resources;
mod sets;
mod settings;
mod tries;
mod tuning;
mod values;
pub mod varied;

use std::path::PathBuf;

use crate::fault::Fault;
use emit_c::base::names::identifier;
use kernels::Kernel;
use kinetics::integrator::Method;
use mechanism::{self, Companion, Files, Input};
use overlay::Codegen;

pub use common::Common;
pub use effort::Effort;
pub use emit::Emit;
pub use kernel_choice::KernelChoice;
pub use lists::{CtasPerSm, ErrorLimit, FormError, Precisions};
pub use of_emitted::for_emitted;
pub use page::combinations;
pub use part::Part;
pub use reactor_steps::ReactorSteps;
pub use resolved::Resolved;
pub use sets::Set;
pub use settings::{common_keys, concerns, is_layout_key, layout_help, layout_setting, set, tuning_keys};
pub use tuning::{Multiplier, POINTS_PER_LANE, Prefetch, SlotMemory, Tuning};

/// A name that a kernel's and a layout's are added to; lines of Fortran have room for the whole.
const LONGEST_NAME: usize = 60;

/// All that was asked of a compilation; what that is for one kernel, [`Resolved`] tells.
#[derive(Debug, Clone)]
pub struct Request {
    pub files: Files,
    /// Name of the project, with which its files and symbols begin. `None` takes the mechanism's name.
    pub name: Option<String>,
    pub reading: mechanism::Options,
    pub kernels: Vec<Kernel>,
    /// Further kernels, with states and outputs of their own.
    pub sets: Vec<Set>,
    /// The set whose kernels these are, where the request is that of a set.
    pub set: Option<String>,
    /// The part of its only kernel that is wanted, where that is made as several.
    pub part: Option<Part>,
    /// Integrator of the reactor kernel, if wanted; the kernels that it takes are then among those above.
    pub reactor_method: Option<Method>,
    /// Whether the states of reactors have enthalpies or energies, where their kernels have temperatures.
    pub by_energy: bool,
    /// Kernels that take a step of a reactor on a GPU.
    pub steps: ReactorSteps,
    pub common: Common,
    pub tuning: Tuning,
    /// Kernels that are tuned otherwise.
    pub own: Vec<(Kernel, Tuning)>,
    pub codegen: Codegen,
    /// Further layouts of the same kernels, side by side with the first; their symbols then end in the layout's name.
    pub beside: Vec<Codegen>,
    /// Keep of each kernel the layout alone that takes least time; its symbol has no layout's name then.
    pub keep_fastest: bool,
    /// Effort of that search.
    pub effort: Effort,
    /// The flags that were given, by name, so that those that change nothing can be told.
    pub flags: Vec<String>,
    /// Keep a second version, too, where what is assumed of the target decides which one is the fastest, and the project has a driver.
    pub alternatives: bool,
    /// Settings that the user left open: the fastest version may have others, where it alone is kept.
    pub unset: Unset,
    /// Kernels that have other layouts, of which the fastest is kept.
    pub own_layouts: Vec<(Kernel, Vec<Codegen>)>,
    /// Number of states that every kernel is verified on; `None` leaves the simulation out.
    pub verify: Option<usize>,
    /// Compile the CUDA text with NVRTC and ptxas where they are installed, and report registers and spills.
    pub real_compilers: bool,
    /// Run the machine code too, where nvdisasm can read it.
    pub verify_machine_code: bool,
    /// Run the full model of time on the machine code, where nvdisasm can read it and the target's pipeline is described.
    pub predict_time: bool,
    /// Time the kernels for a CPU on this machine.
    pub measure: bool,
    pub emit: Vec<Emit>,
    /// `None` writes nothing.
    pub output: Option<PathBuf>,
    /// Remove what earlier runs of the project wrote there and this one does not.
    pub clean: bool,
    /// Replace files there that Singe did not write, or that somebody changed since.
    pub force: bool,
    /// The command line, for the header of the generated files.
    pub command: String,
    /// The configuration file that the request was completed from, for the same header.
    pub config: Option<Input>,
    /// Breaks the compiler on purpose, to see that the checks notice.
    pub fault: Option<Fault>,
}

/// States that fill two groups of 32 points, and leave a rest that does not fill a third.
pub const VERIFIED_STATES: usize = 70;

/// Everything as the command line has it by default, for the mechanism that `files` is to name; but nothing is written, and the real
/// compilers are not asked.
impl Default for Request {
    fn default() -> Self {
        Self {
            files: Files::default(),
            name: None,
            reading: mechanism::Options::default(),
            kernels: Kernel::ALL.to_vec(),
            sets: Vec::new(),
            set: None,
            part: None,
            reactor_method: None,
            by_energy: false,
            steps: ReactorSteps::default(),
            common: Common::default(),
            tuning: Tuning::default(),
            own: Vec::new(),
            codegen: Codegen::Overlay,
            beside: Vec::new(),
            keep_fastest: false,
            effort: Effort::default(),
            flags: Vec::new(),
            alternatives: false,
            unset: Unset::default(),
            own_layouts: Vec::new(),
            verify: Some(VERIFIED_STATES),
            real_compilers: false,
            verify_machine_code: true,
            predict_time: true,
            measure: false,
            emit: Vec::new(),
            output: None,
            clean: false,
            force: false,
            command: String::new(),
            config: None,
            fault: None,
        }
    }
}

/// Flags that were not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unset {
    /// The number of warps.
    pub warps: bool,
    /// The way to multiply matrices.
    pub matrix: bool,
    /// The layout, where nothing tells which one is the fastest.
    pub layout: bool,
}

impl Request {
    /// The request with some changes.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The request as it stands for one kernel, in the first of its layouts.
    pub fn of_kernel(&self, kernel: Kernel) -> Resolved<'_> {
        let tuning = self.own.iter().find(|(k, _)| *k == kernel).map_or(self.tuning, |(_, tuning)| *tuning);
        let own_layouts = self.own_layouts.iter().find(|(k, _)| *k == kernel);
        let (codegen, beside, keep_fastest) = match own_layouts.and_then(|(_, layouts)| layouts.split_first()) {
            Some((&first, rest)) => (first, rest, true),
            None => (
                self.codegen,
                &self.beside[..],
                self.keep_fastest || self.searches_its_layout() || own_layouts.is_some(),
            ),
        };
        Resolved { asked: self, kernel, tuning, codegen, beside, keep_fastest }
    }

    /// With all effort the one layout that is named is made in several ways, of which the fastest is kept.
    pub fn searches_its_layout(&self) -> bool {
        self.effort == Effort::Thorough && self.beside.is_empty()
    }

    /// One layout is named and made once, where with all effort there would be something to vary.
    pub fn makes_its_layout_once(&self) -> bool {
        let is_free = self.unset.warps || self.tuning.constants.is_none();
        let is_named = !self.keep_fastest && self.own_layouts.is_empty() && self.beside.is_empty();
        is_named && is_free && self.effort == Effort::Normal
    }

    /// The request for the fastest of some layouts, of which there is one at least.
    pub fn with_fastest_of(self, layouts: &[Codegen]) -> Self {
        let (codegen, beside) = layouts.split_first().map_or((self.codegen, &[][..]), |(&first, rest)| (first, rest));
        Self { codegen, beside: beside.to_vec(), keep_fastest: true, own_layouts: Vec::new(), ..self }
    }

    /// All layouts of the kernels.
    pub fn codegens(&self) -> impl Iterator<Item = Codegen> + '_ {
        std::iter::once(self.codegen).chain(self.beside.iter().copied())
    }

    /// Returns the prefix of files and symbols: an identifier that is no keyword, of at most `LONGEST_NAME` characters.
    pub fn name(&self, mechanism: &str) -> String {
        let name: String = identifier(self.name.as_deref().unwrap_or(mechanism)).chars().take(LONGEST_NAME).collect();
        name.trim_end_matches('_').to_owned()
    }

    /// The input files, without the transport data where neither a kernel nor a library needs them: what is wrong or missing there is no
    /// matter then.
    pub fn needed_files(&self) -> Files {
        let files = self.files.clone();
        let is_needed = self.all_kernels().any(Kernel::is_transport) || self.emit.contains(&Emit::Pelephysics);
        if is_needed { files } else { Files { transport: Companion::Ignored, ..files } }
    }
}
