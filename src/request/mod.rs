//! What the user asks for.

mod resources;
mod tuning;

use std::path::PathBuf;

use crate::emit::cuda::names::identifier;
use crate::fault::Fault;
use crate::graph::Units;
use crate::kernels::{Form, Kernel};
use crate::mapping::{Mapper, Weights};
use crate::output::Emit;
use crate::overlay::{Codegen, Residence};
use crate::schedule::Placement;
use kinetics::Stiffness;
use machine::target::Target;
use mechanism::{self, Companion, Files, Input};

pub use tuning::Tuning;

/// How many grid points a lane may work on at once.
pub const POINTS_PER_LANE: [u32; 3] = [1, 2, 4];

/// A name that a kernel's and a layout's are added to; lines of Fortran have room for the whole.
const LONGEST_NAME: usize = 60;

/// All that a compilation depends on.
#[derive(Debug, Clone)]
pub struct Request {
    pub files: Files,
    /// What the project is called: its files and symbols begin so. `None` takes the mechanism's name.
    pub name: Option<String>,
    pub reading: mechanism::Options,
    pub kernels: Vec<Kernel>,
    pub warps: u32,
    /// Grid points that each lane works on at once, of [`POINTS_PER_LANE`]; `None` lets the compiler choose.
    pub points_per_lane: Option<u32>,
    pub target: &'static Target,
    pub ctas_per_sm: u32,
    pub mapper: Mapper,
    pub weights: Weights,
    pub placement: Placement,
    /// Values of a group of points that shared memory holds at most; `None` leaves this to the machine.
    pub buffer: Option<u32>,
    /// In how many passes, at least, values go through shared memory.
    pub passes: Option<u32>,
    pub codegen: Codegen,
    /// Further layouts of the same kernels, side by side with the first; their symbols then end in the layout's name.
    pub beside: Vec<Codegen>,
    /// Where the constants of warp-specialized code live.
    pub constants: Residence,
    /// The units of the kernels' arrays.
    pub units: Units,
    /// Smallest mole fraction of the diffusion kernel.
    pub floor: f64,
    /// Algebra of the kernels; `None` lets the compiler choose.
    pub form: Option<Form>,
    /// What multiplies vectors with constant matrices in warp-specialized code; `None` lets the compiler choose.
    pub matrix: Option<Multiplier>,
    /// Largest relative error of polynomials against the exact form; `None` for exact forms only.
    pub fit_tolerance: Option<f64>,
    /// How the chemistry kernel treats stiff species.
    pub stiffness: Stiffness,
    /// Keeps the operations that solve for quasi-steady species to this many warps, while the others go on.
    pub qssa_warps: Option<u32>,
    /// Kernels that are tuned otherwise than the fields above say.
    pub own: Vec<(Kernel, Tuning)>,
    /// Number of states that every kernel is verified on; `None` leaves the simulation out.
    pub verify: Option<usize>,
    /// Compile the CUDA text with NVRTC and ptxas where they are installed, and report registers and spills.
    pub real_compilers: bool,
    pub emit: Vec<Emit>,
    /// `None` writes nothing.
    pub output: Option<PathBuf>,
    /// The command line, for the header of the generated files.
    pub command: String,
    /// The configuration file that the request was completed from, for the same header.
    pub config: Option<Input>,
    /// Breaks the compiler on purpose, to see that the checks notice.
    pub fault: Option<Fault>,
}

/// What multiplies doubles with constant matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplier {
    /// Fused multiply-adds of each point.
    Dfma,
    /// Matrix products on tensor cores, in the kernels and forms that have constant matrices.
    Dmma,
}

impl Request {
    /// All layouts of the kernels.
    pub fn codegens(&self) -> impl Iterator<Item = Codegen> + '_ {
        std::iter::once(self.codegen).chain(self.beside.iter().copied())
    }

    /// Grid points of a lane, where they are given.
    pub fn points(&self) -> u32 {
        self.points_per_lane.unwrap_or(1)
    }

    /// What files and symbols begin with: an identifier that is no keyword, at most [`LONGEST_NAME`] characters of it.
    pub fn name(&self, mechanism: &str) -> String {
        let name: String = identifier(self.name.as_deref().unwrap_or(mechanism)).chars().take(LONGEST_NAME).collect();
        name.trim_end_matches('_').to_owned()
    }

    /// The input files, without the transport data where no kernel needs them: what is wrong or missing there is no
    /// matter then.
    pub fn needed_files(&self) -> Files {
        let files = self.files.clone();
        let is_needed = self.kernels.iter().any(|kernel| *kernel != Kernel::Chemistry);
        if is_needed { files } else { Files { transport: Companion::Ignored, ..files } }
    }

    /// The symbol of a kernel.
    pub fn symbol(&self, mechanism: &str, kernel: Kernel) -> String {
        let name = self.name(mechanism);
        let layout = match self.codegen {
            _ if self.beside.is_empty() => "",
            Codegen::Overlay => "_overlay",
            Codegen::Switch => "_switch",
            Codegen::DataParallel => "_data_parallel",
        };
        format!("{name}_{kernel}{layout}")
    }
}
