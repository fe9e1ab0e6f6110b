//! Checks of a request: what machines can have, and what kernels and outputs must go together.

use super::conditions::Asked;
use super::{Common, Emit, Request, Tuning, Unset, varied};
use diagnostics::Diagnostic;
use kernels::{Kernel, Precision, StateVariables};
use kinetics::integrator::Method;
use kinetics::reactor::Constant;
use machine::target::Target;
use mechanism::Mechanism;
use overlay::Codegen;

impl Request {
    /// The request with the kernels that its reactors take.
    fn with_reactor_kernels(mut self) -> Self {
        if self.reactor_method.is_some() {
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

    /// The request as its target can have it: a CPU runs data-parallel code with one point per lane, and so does code in single precision.
    ///
    /// Errors: what does not go together.
    pub fn for_target(self) -> Result<Self, Diagnostic> {
        self.with_reactor_kernels().with_library_kernels().in_layouts_of_target()
    }

    fn in_layouts_of_target(self) -> Result<Self, Diagnostic> {
        self.check_combinations()?;
        let target = self.common.target;
        if target.is_amd() {
            return self.in_layouts_of_amd();
        }
        if varied::layouts(&self.common).len() > 1 {
            return Ok(self);
        }
        let keep_fastest = self.keep_fastest && !target.is_cpu();
        let (codegen, beside, own_layouts) = (Codegen::DataParallel, Vec::new(), Vec::new());
        Ok(Self { codegen, beside, keep_fastest, own_layouts, ..self })
    }

    /// Errors: half of a wave would have no threads.
    fn in_layouts_of_amd(self) -> Result<Self, Diagnostic> {
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
                unset: Unset { layout: true, ..self.unset },
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
            reactor_method: None,
            by_energy: false,
            // PTX is the GPU's alone.
            emit: self.emit.iter().copied().filter(|what| *what != Emit::Ptx).collect(),
            ..self.clone()
        }
    }

    /// Whether kernels for a CPU are to be made beside those of another target, for a mechanism of so many species; functions of one point are printed
    /// from them too.
    pub fn needs_cpu(&self, species: usize) -> bool {
        let functions = [Emit::Device, Emit::FortranDevice];
        let has_functions = functions.iter().any(|emit| self.emit.contains(emit)) && !self.common.target.is_cpu();
        self.has_fallback() || has_functions || self.fuses_steps(species)
    }

    /// Whether each kernel has one layout, so that those for a CPU have the same symbols.
    pub(super) fn is_of_one_layout(&self) -> bool {
        self.beside.is_empty() || self.keep_fastest
    }

    /// Whether the project of a GPU contains the same for CPUs: of several layouts side by side each has a symbol of its own, which
    /// kernels for a CPU have not. Mixed precision is refused there.
    pub fn has_fallback(&self) -> bool {
        let is_plain = self.is_of_one_layout() && self.common.precision.kernels != Precision::Mixed;
        let has_host = self.emit.contains(&Emit::Host) || self.emit.contains(&Emit::Cvode);
        has_host && is_plain && !self.common.target.is_cpu()
    }

    /// Whether of a kernel whose fastest version nobody knows for certain two are kept: where there is a driver that tells.
    pub fn has_alternatives(&self) -> bool {
        self.alternatives && self.has_fallback()
    }

    /// Errors: the first thing that does not go with the mechanism, the kernels, the target or the precision.
    pub fn check(&self, mechanism: &Mechanism) -> Result<(), Diagnostic> {
        self.check_combinations()?;
        self.check_outputs()?;
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

    /// Errors: a row of the table of what goes with what. Sets have states and outputs of their own.
    pub fn check_combinations(&self) -> Result<(), Diagnostic> {
        Asked::of_request(&Self { sets: Vec::new(), ..self.clone() }).check(None)
    }

    /// Lists the flags that were given and change nothing, as far as the request alone tells.
    pub fn without_effect(&self) -> Vec<String> {
        Asked::of_request(self).without_effect()
    }

    /// Errors: kernels that do not go with reactors of energies, or that CVODE's program does not find.
    fn check_reactors(&self) -> Result<(), Diagnostic> {
        if self.by_energy && self.kernels.iter().any(|kernel| !self.common.reactor_kernels().contains(kernel)) {
            let message = "reactors told by energies take kernels of temperatures: no other kernels go with them";
            let help = "compile them apart, or use --state TPY or TRY";
            return Err(Diagnostic::error("kernel::no-reactor", message).help(help));
        }
        if self.by_energy && self.emit.contains(&Emit::PelephysicsReactor) {
            let message = "the host finds temperatures itself, by its own polynomials";
            let help = "use --state TRY for PeleC or TPY for PeleLMeX";
            return Err(Diagnostic::error("emit::no-pelephysics-reactor", message).help(help));
        }
        if self.emit.contains(&Emit::Cvode) && self.cvode_constant().is_none() {
            let message = "an integrator needs the rates of a reactor and their derivatives";
            let help = "use --kernel isochoric,isochoric-jacobian --state TRY or --kernel isobaric,isobaric-jacobian --state TPY; \
                        for a CPU -sparse-jacobian in place of -jacobian, too";
            return Err(Diagnostic::error("emit::no-reactor", message).help(help));
        }
        Ok(())
    }

    /// Returns the integrator and the constant quantity of the reactor kernel; `None` without one.
    pub fn reactor_kernel(&self) -> Option<(Method, Constant)> {
        Some((self.reactor_method?, self.common.constant()))
    }

    /// Returns the constant quantity of the reactors that CVODE's program integrates; `None` without one.
    pub fn cvode_constant(&self) -> Option<Constant> {
        let has = |kernel: Kernel| self.kernels.contains(&kernel);
        // The integrator of all reactors of a GPU as one system has a dense matrix of each.
        let has_jacobian = |dense, sparse| has(dense) || has(sparse) && self.common.target.is_cpu();
        let (state, is_there) = match self.common.constant() {
            Constant::Volume => (
                StateVariables::Density,
                has(Kernel::Isochoric) && has_jacobian(Kernel::IsochoricJacobian, Kernel::IsochoricSparseJacobian),
            ),
            Constant::Pressure => (
                StateVariables::MassFractions,
                has(Kernel::Isobaric) && has_jacobian(Kernel::IsobaricJacobian, Kernel::IsobaricSparseJacobian),
            ),
        };
        let is_asked = self.emit.contains(&Emit::Cvode) && self.common.state == state;
        (is_asked && is_there).then(|| self.common.constant())
    }
}
