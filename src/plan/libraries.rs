//! Libraries for other codes: whose functions they call, and what these must be like.

use super::{Emit, Request};
use diagnostics::Diagnostic;
use graph::Units;
use kernels::{Kernel, MatrixStorage, Output, Outputs, Property, StateVariables};
use kinetics::Stiffness;
use mechanism::{Diffusion, Mechanism};

/// Kernels that a library calls, and the form of its state and its results.
struct Library {
    emit: Emit,
    kernels: &'static [Kernel],
    units: Units,
    state: StateVariables,
    outputs: fn() -> Outputs,
}

/// Libraries in their order: if two do not go together, the first one is named.
const LIBRARIES: [Library; 4] = [
    Library {
        emit: Emit::Openfoam,
        kernels: &[Kernel::Isobaric, Kernel::Progress],
        units: Units::Si,
        state: StateVariables::MassFractions,
        outputs: openfoam_outputs,
    },
    Library {
        emit: Emit::Kinetix,
        kernels: &[
            Kernel::Chemistry,
            Kernel::Thermodynamics,
            Kernel::Viscosity,
            Kernel::Conductivity,
            Kernel::Diffusion,
        ],
        units: Units::Si,
        state: StateVariables::MoleFractions,
        outputs: kinetix_outputs,
    },
    Library {
        emit: Emit::Chemkin,
        kernels: &[Kernel::Chemistry, Kernel::Thermodynamics, Kernel::Progress],
        units: Units::Cgs,
        state: StateVariables::MoleFractions,
        outputs: chemkin_outputs,
    },
    Library {
        emit: Emit::Pelephysics,
        kernels: &[Kernel::Chemistry, Kernel::Thermodynamics, Kernel::Progress, Kernel::Jacobian],
        units: Units::Cgs,
        state: StateVariables::MoleFractions,
        outputs: chemkin_outputs,
    },
];

/// Those that do without rates of reactions one by one.
const PARTLY: [Emit; 2] = [Emit::Chemkin, Emit::Pelephysics];

const MOLAR_CP: Output = Output::Thermodynamic { property: Property::Cp, species: true, molar: true };
const MOLAR_H: Output = Output::Thermodynamic { property: Property::H, species: true, molar: true };
const MOLAR_S: Output = Output::Thermodynamic { property: Property::S, species: true, molar: true };

fn chemkin_outputs() -> Outputs {
    let outputs = [
        MOLAR_CP,
        MOLAR_H,
        MOLAR_S,
        Output::EquilibriumConstants,
        Output::ForwardRates,
        Output::ReverseRates,
        Output::CreationRates,
        Output::DestructionRates,
    ];
    outputs.into_iter().collect()
}

/// The outputs that are not of reactions one by one.
fn without_rates(outputs: Outputs) -> Outputs {
    outputs.given().filter(|output| output.kernel() != Kernel::Progress).collect()
}

fn kinetix_outputs() -> Outputs {
    [MOLAR_CP, MOLAR_H].into_iter().collect()
}

fn openfoam_outputs() -> Outputs {
    [Output::ForwardRates, Output::NetRates].into_iter().collect()
}

impl Request {
    /// The libraries that are asked for.
    fn libraries(&self) -> impl Iterator<Item = &'static Library> {
        LIBRARIES.iter().filter(|library| self.emit.contains(&library.emit))
    }

    /// Returns the kernels whose functions a library calls.
    fn kernels_of(&self, library: &Library) -> Vec<Kernel> {
        // The reactors of OpenFOAM's model have derivatives of their own.
        let is_alone = library.emit == Emit::Openfoam && self.reactor.is_none();
        library.kernels.iter().copied().chain(is_alone.then_some(Kernel::IsobaricJacobian)).collect()
    }

    /// The request with the kernels and the outputs that its libraries take.
    pub(super) fn with_library_kernels(mut self) -> Self {
        let libraries: Vec<&Library> = self.libraries().collect();
        if let [first, ..] = libraries[..]
            && self.common.outputs == Outputs::default()
        {
            self.common.outputs = (first.outputs)();
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

    /// Errors: the target, the units, the state or the outputs are not those of a library that is asked for, or another one has files
    /// of the same names.
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
        let outputs = (library.outputs)();
        let has_rates = self.kernels.contains(&Kernel::Progress) || !PARTLY.contains(&library.emit);
        let wanted = if has_rates { outputs } else { without_rates(outputs) };
        let is_there = |kernel: &Kernel| self.kernels.contains(kernel) || *kernel == Kernel::Progress && !has_rates;
        self.common.outputs == wanted && library.kernels.iter().all(is_there)
    }

    fn check_one(&self, library: &Library) -> Result<(), Diagnostic> {
        let common = &self.common;
        let is_theirs = common.target.is_cpu()
            && common.units == library.units
            && common.state == library.state
            && !self.by_energy
            && common.jacobian_storage == MatrixStorage::Dense
            && self.has_kernels_of(library);
        // Their functions of one point are others, under the same name, and so is CMake's file.
        let others: &[Emit] = match library.emit {
            Emit::Openfoam => &[Emit::Host, Emit::Cvode, Emit::Chemkin, Emit::Pelephysics, Emit::Kinetix],
            Emit::Kinetix => &[Emit::Chemkin, Emit::Pelephysics],
            _ => &[],
        };
        if is_theirs && !others.iter().any(|other| self.emit.contains(other)) {
            return Ok(());
        }
        let (id, message, help) = match library.emit {
            Emit::Kinetix => (
                "emit::no-kinetix",
                "KinetiX' functions are for a CPU, in SI units, of mole fractions, with outputs of their own",
                "use --target cpu, leave out --units, --state, --outputs and --jacobian-storage, and write what chemkin, pelephysics and \
                 openfoam ask for into another folder",
            ),
            Emit::Openfoam => (
                "emit::no-openfoam",
                "OpenFOAM's chemistry is for a CPU, in SI units, of temperature, pressure and mass fractions, in a folder of its own",
                "use --target cpu, leave out --units, --state, --outputs and --jacobian-storage, and write what host, cvode, chemkin, \
                 pelephysics and kinetix ask for into another folder",
            ),
            _ => (
                "emit::no-chemkin",
                "CHEMKIN's and PelePhysics' functions are for a CPU, in CGS units, of mole fractions, with outputs of their own",
                "use --target cpu --units cgs, and leave out --state, --outputs and --jacobian-storage",
            ),
        };
        Err(Diagnostic::error(id, message).help(help))
    }
}
