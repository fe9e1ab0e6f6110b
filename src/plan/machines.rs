//! Checks of a request: what machines can have, and what kernels and outputs must go together.

use super::{Common, Emit, Free, Request, Tuning};
use diagnostics::Diagnostic;
use graph::Units;
use kernels::{ErrorBound, Factors, Io, Kernel, Precision, StateVariables};
use kinetics::integrator::Method;
use kinetics::reactor::Constant;
use machine::target::{Shuffle, Target};
use mechanism::Mechanism;
use overlay::Codegen;

/// Those that have a proven bound of single precision.
const SINGLE_KERNELS: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

impl Request {
    /// The request with the kernels that its reactors take.
    fn with_reactor_kernels(mut self) -> Self {
        if self.reactor.is_some() {
            // Their kernels take temperatures, whatever the state of the reactors has.
            let by_energy = match self.common.state {
                StateVariables::Enthalpy => Some(StateVariables::MassFractions),
                StateVariables::Energy => Some(StateVariables::Density),
                _ => None,
            };
            self.by_energy |= by_energy.is_some();
            // Kernels of sets take the state that was asked for.
            let asked = by_energy.map(|_| self.common.state);
            self.sets.iter_mut().for_each(|set| set.state = set.state.or(asked));
            self.common.state = by_energy.unwrap_or(self.common.state);
            let missing = self.common.reactor_kernels().into_iter().filter(|kernel| !self.kernels.contains(kernel));
            let missing: Vec<Kernel> = missing.collect();
            self.kernels.extend(missing);
        }
        self
    }

    /// The request as its target can have it: a CPU runs data-parallel code with one point per lane, and no compiler for GPUs is asked.
    ///
    /// Errors: another layout, several points per lane or PTX text are wanted of a CPU.
    pub fn for_target(self) -> Result<Self, Diagnostic> {
        self.with_reactor_kernels().with_library_kernels().in_layouts_of_target()
    }

    fn in_layouts_of_target(self) -> Result<Self, Diagnostic> {
        if self.common.target.is_amd() {
            return self.in_layouts_of_amd();
        }
        if !self.common.target.is_cpu() {
            return if self.common.precision == Precision::Double { Ok(self) } else { self.in_layouts_of_single() };
        }
        let is_other = |&codegen: &Codegen| codegen != Codegen::DataParallel;
        let asks_for_other = !self.keep_fastest && self.codegens().any(|codegen| is_other(&codegen))
            || self.own_layouts.iter().any(|(_, layouts)| layouts.iter().all(is_other));
        let has_lanes =
            self.tuning.points_per_lane != Some(1) || self.own.iter().any(|(_, t)| t.points_per_lane != Some(1));
        if asks_for_other || has_lanes || self.emit.contains(&Emit::Ptx) {
            let message = "a CPU has neither warps nor lanes: its code is data-parallel C++ with one point per lane";
            let help = "leave out --codegen, --points-per-lane and --emit ptx, or name a GPU with --target";
            return Err(Diagnostic::error("target::no-warps", message).help(help));
        }
        Ok(Self {
            codegen: Codegen::DataParallel,
            beside: Vec::new(),
            keep_fastest: false,
            own_layouts: Vec::new(),
            ..self
        })
    }

    /// Errors: warps are to work together in single precision.
    fn in_layouts_of_single(self) -> Result<Self, Diagnostic> {
        let is_other = |&codegen: &Codegen| codegen != Codegen::DataParallel;
        let asks_for_other = !self.keep_fastest && self.codegens().any(|codegen| is_other(&codegen))
            || self.own_layouts.iter().any(|(_, layouts)| layouts.iter().all(is_other));
        if asks_for_other {
            let message = "warps that work together compute in double precision";
            let help = "use --codegen data-parallel, or --precision double";
            return Err(Diagnostic::error("precision::not-offered", message).help(help));
        }
        Ok(Self { codegen: Codegen::DataParallel, beside: Vec::new(), own_layouts: Vec::new(), ..self })
    }

    /// Errors: PTX text or CVODE's program is wanted of a machine of AMD; or half of a wave would have no threads.
    fn in_layouts_of_amd(self) -> Result<Self, Diagnostic> {
        if self.emit.contains(&Emit::Cvode) || self.emit.contains(&Emit::Ptx) {
            let message =
                format!("there is neither PTX text nor a program around CVODE for {}", self.common.target.name);
            let help = "leave out --emit ptx and cvode, or name a GPU of NVIDIA with --target";
            return Err(Diagnostic::error("target::not-for-amd", message).help(help));
        }
        let per_wave = self.common.target.warps_per_wave();
        // Warps that work together share their waves with those of another group.
        let is_alone = self.keep_fastest || self.codegens().any(|codegen| codegen == Codegen::DataParallel);
        let tunings = std::iter::once(&self.tuning).chain(self.own.iter().map(|(_, tuning)| tuning));
        if let Some(tuning) = tunings.into_iter().find(|tuning| is_alone && !tuning.warps.is_multiple_of(per_wave)) {
            let message = format!(
                "{} warps of 32 threads leave a wave of {} half empty, which has {} threads",
                tuning.warps,
                self.common.target.name,
                32 * per_wave
            );
            let help = format!("use a multiple of {per_wave} for --warps");
            return Err(Diagnostic::error("target::half-wave", message).help(help));
        }
        // The fastest is not known where no latencies are.
        if self.keep_fastest || !self.own_layouts.is_empty() {
            return Ok(Self {
                codegen: Codegen::DataParallel,
                beside: Vec::new(),
                keep_fastest: false,
                own_layouts: Vec::new(),
                free: Free { layout: true, ..self.free },
                ..self
            });
        }
        Ok(self)
    }

    /// The same kernels for a CPU, beside those for the target: in the form that was asked for, and of the tuning nothing else.
    pub fn for_cpu(&self) -> Self {
        let tuning = |tuning: &Tuning| Tuning { form: tuning.form, ..Tuning::default() };
        Self {
            common: Common { target: Target::cpu(), ..self.common },
            tuning: tuning(&self.tuning),
            own: self.own.iter().map(|(kernel, own)| (*kernel, tuning(own))).collect(),
            codegen: Codegen::DataParallel,
            beside: Vec::new(),
            keep_fastest: false,
            real_compilers: false,
            // The program of reactors is the target's.
            reactor: None,
            by_energy: false,
            // PTX is the GPU's alone.
            emit: self.emit.iter().copied().filter(|what| *what != Emit::Ptx).collect(),
            ..self.clone()
        }
    }

    /// Whether kernels for a CPU are to be made beside those of another target; functions of one point are printed from them too.
    pub fn needs_cpu(&self) -> bool {
        self.has_fallback() || (self.emit.contains(&Emit::Device) && !self.common.target.is_cpu())
    }

    /// Whether the project of a GPU contains the same for CPUs: of several layouts side by side each has a symbol of its own, which
    /// kernels for a CPU have not. Mixed precision is refused there.
    pub fn has_fallback(&self) -> bool {
        let is_plain = (self.beside.is_empty() || self.keep_fastest) && self.common.precision != Precision::Mixed;
        let has_host = self.emit.contains(&Emit::Host) || self.emit.contains(&Emit::Cvode);
        has_host && is_plain && !self.common.target.is_cpu()
    }

    /// Whether of a kernel whose fastest version nobody knows for certain two are kept: where there is a driver that tells.
    pub fn has_alternatives(&self) -> bool {
        self.alternatives && self.has_fallback()
    }

    /// Errors: single precision is asked for where none is offered, or an error bound without it.
    pub fn check_precision(&self) -> Result<(), Diagnostic> {
        let common = &self.common;
        let refuse = |message: &str, help: &str| Err(Diagnostic::error("precision::not-offered", message).help(help));
        if common.precision == Precision::Double {
            if common.error_bound == ErrorBound::Measured {
                return refuse(
                    "--error-bound says how the error of single precision is known, and the kernels are in double precision",
                    "add --precision single, or leave out --error-bound",
                );
            }
            return match (common.error, common.io) {
                (None, Io::Double) => Ok(()),
                (Some(_), _) => refuse(
                    "--error bounds what single precision and the form err by, and the kernels are in double precision",
                    "add --precision single or mixed, or leave out --error",
                ),
                (None, Io::Single) => refuse(
                    "--io single rounds the arrays of kernels in single precision, and the kernels are in double precision",
                    "add --precision single or mixed, or leave out --io",
                ),
            };
        }
        if common.target.is_amd() {
            return refuse(
                "single precision is offered for CPUs and for GPUs of NVIDIA",
                "use another --target, or --precision double",
            );
        }
        if !common.target.is_cpu() && common.target.shuffle == Shuffle::Mirror {
            return refuse("single precision is offered from kepler on", "use another --target, or --precision double");
        }
        if common.precision == Precision::Mixed {
            if common.target.is_cpu() {
                return refuse(
                    "mixed precision takes the place of rare double precision, of which a CPU has half as many operations as of single",
                    "use --precision double or single, or name a GPU with --target",
                );
            }
            if common.error_bound == ErrorBound::Measured {
                return refuse(
                    "the error of mixed precision is proven",
                    "leave out --error-bound, or use --precision single",
                );
            }
        }
        let is_measured = common.error_bound == ErrorBound::Measured;
        if is_measured && self.verify.is_none() {
            return refuse(
                "an error that is measured needs states to be measured in",
                "leave out --verify off, or use --error-bound proven",
            );
        }
        let is_offered =
            |kernel: &&Kernel| SINGLE_KERNELS.contains(kernel) || is_measured && **kernel == Kernel::Chemistry;
        if let Some(kernel) = self.kernels.iter().find(|kernel| !is_offered(kernel)) {
            let message = format!("there is no proven bound of single precision for the {kernel} kernel");
            if *kernel == Kernel::Chemistry {
                return refuse(&message, "add --error-bound measured, or use --precision double");
            }
            let help = "use --kernel viscosity,conductivity,diffusion, and compile the other kernels apart, with --precision \
                        double";
            return refuse(&message, help);
        }
        if common.state != StateVariables::MoleFractions {
            return refuse(
                "the bound of single precision is proven for mole fractions, temperature and pressure",
                "use --state TPX, or --precision double",
            );
        }
        if self.emit.contains(&Emit::Device) {
            return refuse(
                "functions of one point are in double precision",
                "leave out --emit device, or use --precision double",
            );
        }
        Ok(())
    }

    /// Errors: the first thing that does not go with the mechanism, the kernels, the target or the precision.
    pub fn check(&self, mechanism: &Mechanism) -> Result<(), Diagnostic> {
        self.check_outputs()?;
        self.check_precision()?;
        self.check_sets()?;
        self.check_library()?;
        self.check_diffusion(mechanism)?;
        self.check_reactors()
    }

    /// Errors: an output that none of the kernels has.
    pub fn check_outputs(&self) -> Result<(), Diagnostic> {
        let Some(output) = self.common.outputs.given().find(|output| !self.kernels.contains(&output.kernel())) else {
            return Ok(());
        };
        let message =
            format!("the output {} is the {} kernel's, which is not asked for", output.name(), output.kernel());
        let help = format!("add it with --kernel, or leave {} out of --outputs", output.name());
        Err(Diagnostic::error("kernel::no-such-output", message).help(help))
    }

    /// Errors: those of [`advanced`](Self::advanced) and [`reactor`](Self::reactor).
    fn check_reactors(&self) -> Result<(), Diagnostic> {
        self.advanced()?;
        self.reactor().map(|_| ())
    }

    /// Returns the integrator and the constant quantity of the reactors; `None` if none are wanted.
    ///
    /// Errors: the target, the state, the units or the kernels have no reactor.
    pub fn advanced(&self) -> Result<Option<(Method, Constant)>, Diagnostic> {
        let Some(method) = self.reactor else { return Ok(None) };
        let refuse = |message: &str, help: &str| Err(Diagnostic::error("kernel::no-reactor", message).help(help));
        let common = &self.common;
        if !matches!(common.state, StateVariables::MassFractions | StateVariables::Density) || common.units != Units::Si
        {
            let help = "use --state TPY (the default) or HPY for reactors at constant pressure, or TRY or ERY at constant volume, in \
                        SI units";
            return refuse("the unknowns of a reactor are mass fractions and the temperature, in SI units", help);
        }
        if self.by_energy && self.kernels.iter().any(|kernel| !common.reactor_kernels().contains(kernel)) {
            let help = "compile them apart, or use --state TPY or TRY";
            return refuse(
                "reactors told by energies take kernels of temperatures: no other kernels go with them",
                help,
            );
        }
        if method.explicit.is_some() && !common.target.is_cpu() {
            return refuse(
                "reactors on GPUs have one method for all points",
                "leave out --integrator auto, or use --target cpu",
            );
        }
        if common.io != Io::Double && !common.target.is_cpu() {
            return refuse("reactors on GPUs keep their states in doubles", "leave out --io");
        }
        if common.factors == Factors::Single && (common.target.is_cpu() || common.target.is_amd()) {
            return refuse(
                "factors in single precision are offered where they were found to be faster: on GPUs of NVIDIA",
                "leave out --factors single, or name a GPU of NVIDIA with --target",
            );
        }
        let wanted = [Emit::Host, Emit::Cuda, Emit::Cvode, Emit::Openfoam];
        if !wanted.iter().any(|what| self.emit.contains(what)) {
            return refuse(
                "reactors are functions of a project for hosts",
                "add --emit host, --emit cuda or --emit openfoam",
            );
        }
        Ok(Some((method, common.constant())))
    }

    /// Returns the constant quantity of the reactors that an integrator is wanted for; `None` without one.
    ///
    /// Errors: the kernels are not those of a reactor in the state that its unknowns tell.
    pub fn reactor(&self) -> Result<Option<Constant>, Diagnostic> {
        if !self.emit.contains(&Emit::Cvode) {
            return Ok(None);
        }
        let common = &self.common;
        let has = |kernel: Kernel| self.kernels.contains(&kernel);
        // The integrator of all reactors of a GPU as one system has a dense matrix of each.
        let has_jacobian = |dense, sparse| has(dense) || has(sparse) && common.target.is_cpu();
        let constant = match common.state {
            StateVariables::Density
                if has(Kernel::Isochoric)
                    && has_jacobian(Kernel::IsochoricJacobian, Kernel::IsochoricSparseJacobian) =>
            {
                Some(Constant::Volume)
            }
            StateVariables::MassFractions
                if has(Kernel::Isobaric) && has_jacobian(Kernel::IsobaricJacobian, Kernel::IsobaricSparseJacobian) =>
            {
                Some(Constant::Pressure)
            }
            _ => None,
        };
        if constant.is_some() && common.units == Units::Si {
            return Ok(constant);
        }
        let message = "an integrator needs the rates of a reactor and their derivatives, in SI units";
        let help = "use --kernel isochoric,isochoric-jacobian --state TRY or --kernel isobaric,isobaric-jacobian --state TPY; \
                    for a CPU -sparse-jacobian in place of -jacobian, too";
        Err(Diagnostic::error("emit::no-reactor", message).help(help))
    }
}
