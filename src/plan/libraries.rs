//! Libraries for other codes: whose functions they call, and what these must be like.

use super::{Emit, Request};
use diagnostics::Diagnostic;
use kernels::{Kernel, Output, Outputs};
use kinetics::Stiffness;
use mechanism::{Diffusion, Mechanism};

/// Kernels that a library calls, and the form of its results; the table of what goes with what has the rest.
struct Library {
    emit: Emit,
    id: &'static str,
    kernels: &'static [Kernel],
    outputs: fn() -> Outputs,
}

/// Libraries in their order: if two do not go together, the first one is named.
const LIBRARIES: [Library; 4] = [
    Library {
        emit: Emit::Openfoam,
        id: "emit::no-openfoam",
        kernels: &[Kernel::Isobaric, Kernel::Progress],
        outputs: openfoam_outputs,
    },
    Library {
        emit: Emit::Kinetix,
        id: "emit::no-kinetix",
        kernels: &[Kernel::Chemistry, Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion],
        outputs: Outputs::default,
    },
    Library {
        emit: Emit::Chemkin,
        id: "emit::no-chemkin",
        kernels: &[Kernel::Chemistry, Kernel::Progress],
        outputs: chemkin_outputs,
    },
    Library {
        emit: Emit::Pelephysics,
        id: "emit::no-chemkin",
        kernels: &[Kernel::Chemistry, Kernel::Progress, Kernel::Jacobian],
        outputs: pelephysics_outputs,
    },
];

/// Those that do without rates of reactions one by one.
const PARTLY: [Emit; 2] = [Emit::Chemkin, Emit::Pelephysics];

fn chemkin_outputs() -> Outputs {
    let outputs = [
        Output::EquilibriumConstants,
        Output::ForwardRates,
        Output::ReverseRates,
        Output::CreationRates,
        Output::DestructionRates,
    ];
    outputs.into_iter().collect()
}

fn pelephysics_outputs() -> Outputs {
    [Output::ForwardRates, Output::ReverseRates].into_iter().collect()
}

/// The outputs that are not of reactions one by one.
fn without_rates(outputs: Outputs) -> Outputs {
    outputs.given().filter(|output| output.kernel() != Kernel::Progress).collect()
}

fn openfoam_outputs() -> Outputs {
    [Output::ForwardRates, Output::NetRates].into_iter().collect()
}

impl Request {
    /// The libraries that are asked for.
    fn libraries(&self) -> impl Iterator<Item = &'static Library> {
        LIBRARIES.iter().filter(|library| self.emit.contains(&library.emit))
    }

    /// Returns the outputs of all libraries that are asked for.
    fn library_outputs(&self) -> Outputs {
        self.libraries().flat_map(|library| (library.outputs)().given()).collect()
    }

    /// Returns the kernels whose functions a library calls.
    fn kernels_of(&self, library: &Library) -> Vec<Kernel> {
        // The reactors of OpenFOAM's model have derivatives of their own.
        let is_alone = library.emit == Emit::Openfoam && self.reactor_method.is_none();
        library.kernels.iter().copied().chain(is_alone.then_some(Kernel::IsobaricJacobian)).collect()
    }

    /// Whether nothing but the functions of one point is called of a CPU's kernels.
    pub(super) fn calls_functions(&self) -> bool {
        let is_called = |emit: &Emit| LIBRARIES.iter().any(|library| library.emit == *emit);
        self.common.target.is_cpu() && self.reactor_method.is_none() && self.emit.iter().any(is_called)
    }

    /// The request with the kernels and the outputs that its libraries take.
    pub(super) fn with_library_kernels(mut self) -> Self {
        let libraries: Vec<&Library> = self.libraries().collect();
        if self.common.outputs == Outputs::default() {
            self.common.outputs = self.library_outputs();
        }
        let kernels: Vec<Kernel> = libraries.into_iter().flat_map(|library| self.kernels_of(library)).collect();
        for kernel in kernels {
            if !self.kernels.contains(&kernel) {
                self.kernels.push(kernel);
            }
        }
        self
    }

    /// The request as a mechanism can have it: libraries give no rates of reactions one by one where these are not what a reduced mechanism
    /// goes by.
    pub fn for_mechanism(&self, mechanism: &Mechanism) -> Self {
        let goes_by_others =
            mechanism.reduction.is_some() && (mechanism.stiff().is_empty() || self.common.stiffness == Stiffness::Off);
        self.clone().with(|request| {
            if goes_by_others && self.libraries().any(|library| PARTLY.contains(&library.emit)) {
                request.kernels.retain(|&kernel| kernel != Kernel::Progress);
                request.common.outputs = without_rates(request.common.outputs);
            }
        })
    }

    /// Whether libraries that give rates of reactions one by one do without them.
    pub fn lacks_rates(&self) -> bool {
        self.emit.iter().any(|emit| PARTLY.contains(emit)) && !self.kernels.contains(&Kernel::Progress)
    }

    /// Errors: the outputs are not those of a library that is asked for.
    pub(super) fn check_library(&self) -> Result<(), Diagnostic> {
        self.libraries().try_for_each(|library| self.check_one(library))
    }

    /// Errors: a library makes mixture-averaged coefficients of the fits itself, and the mechanism has another diffusion.
    pub fn check_diffusion(&self, mechanism: &Mechanism) -> Result<(), Diagnostic> {
        if mechanism.diffusion == Diffusion::MixtureAveraged || !self.emit.contains(&Emit::Pelephysics) {
            return Ok(());
        }
        let message = format!(
            "PelePhysics makes mixture-averaged diffusion of the fits, and {} are asked for",
            mechanism.diffusion
        );
        let help = "use --transport none where its transport is not used, or leave the Lewis numbers out: write mixture-averaged into the \
                    phase, and no --lewis-numbers";
        Err(Diagnostic::error("emit::no-lewis-numbers", message).help(help))
    }

    /// Whether the kernels and the outputs are those of a library, or of a reduced mechanism those that it does with.
    fn has_kernels_of(&self, library: &Library) -> bool {
        let outputs = self.library_outputs();
        let has_rates = self.kernels.contains(&Kernel::Progress) || !PARTLY.contains(&library.emit);
        let wanted = if has_rates { outputs } else { without_rates(outputs) };
        let is_there = |kernel: &Kernel| self.kernels.contains(kernel) || *kernel == Kernel::Progress && !has_rates;
        self.common.outputs == wanted && library.kernels.iter().all(is_there)
    }

    fn check_one(&self, library: &Library) -> Result<(), Diagnostic> {
        if !self.by_energy && self.has_kernels_of(library) {
            return Ok(());
        }
        let message = "this library's functions have outputs of their own, of temperatures";
        let help = "leave out --state and --outputs, and write what chemkin, pelephysics, kinetix and openfoam ask for into a folder each";
        Err(Diagnostic::error(library.id, message).help(help))
    }
}
