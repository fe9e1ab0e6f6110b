//! Reactors that are advanced in time: a stiff integrator around the kernels of a CPU.

mod driver;
mod energies;

pub use driver::{DrivenReactors, ERROR_FLOOR, KnownReactor, REFERENCE_TOLERANCE, ReactorStart, driver};
pub use energies::{Coefficients, Energies};

use super::fortran::fortran_prefix;
use super::systems::{Systems, Tables};
use super::{Interface, Provenance, file_comment, prefix};
use crate::base::comment;
use crate::base::glue::{Template, render_in};
use crate::base::tables::{real, wrapped};
use kernels::Factors;
use kinetics::constants::GAS_CONSTANT;
use kinetics::integrator::{Explicit, Method, options};
use kinetics::reactor::Constant;
use machine::target::Target;
use serde::Serialize;

/// Method, energies and systems with which a project advances its reactors.
#[derive(Debug, Clone)]
pub struct Reactor {
    pub constant: Constant,
    /// Whether the state has its enthalpy or energy in place of the temperature.
    pub by_energy: bool,
    pub method: Method,
    pub factors: Factors,
    pub energies: Energies,
    /// The symbols of the kernel of the rates and of those, one or more parts, of their sparse Jacobian.
    pub rates: String,
    pub jacobian: Vec<String>,
    pub systems: Systems,
    /// Functions that one kernel for a GPU calls, which takes whole steps; without these a step is a pipeline of kernels.
    pub fused: Option<FusedStep>,
}

/// Functions of one point that a fused step calls.
#[derive(Debug, Clone, Default)]
pub struct FusedStep {
    /// The functions, as [`cpu::point_functions`](crate::cpu::point_functions) prints them.
    pub text: String,
    /// Names of the functions of the rates and of their sparse Jacobian.
    pub rates: String,
    pub jacobian: String,
}

impl Reactor {
    /// The symbols of all kernels that it takes.
    pub fn kernels(&self) -> Vec<&String> {
        std::iter::once(&self.rates).chain(&self.jacobian).collect()
    }

    /// The first array of the state.
    fn state_array(&self) -> &'static str {
        match (self.by_energy, self.constant) {
            (false, _) => "temperature",
            (true, Constant::Pressure) => "enthalpy",
            (true, Constant::Volume) => "energy",
        }
    }

    fn constant_name(&self) -> &'static str {
        match self.constant {
            Constant::Pressure => "pressure",
            Constant::Volume => "volume",
        }
    }

    fn constant_array(&self) -> &'static str {
        match self.constant {
            Constant::Pressure => "pressure",
            Constant::Volume => "density",
        }
    }

    /// Doubles of a slot on a GPU besides its factors.
    pub fn slot_rows(&self, species: usize) -> usize {
        let (unknowns, stages) = (species + 1, self.method.m.len());
        if self.fused.is_some() {
            return 2 * unknowns + 1;
        }
        let twice = (self.slot_factors() * self.factors.bytes()).div_ceil(8);
        self.mirrored_row(species) + twice.max(self.systems.pattern.len() + stages * unknowns)
    }

    /// The row of a slot at which its mirrored Jacobian begins. From here on there is room for the factors of another matrix between the beginning of a step and
    /// its first stage.
    pub fn mirrored_row(&self, species: usize) -> usize {
        5 * (species + 1) + 2 + self.systems.pattern.len() + self.systems.elimination.plan().order.len()
    }

    /// Threads of a CTA on a GPU, each with a reactor.
    pub fn threads(&self) -> usize {
        THREADS[usize::from(self.fused.is_some())]
    }

    /// Factors of a slot on a GPU, in their precision.
    pub fn slot_factors(&self) -> usize {
        if self.fused.is_some() { 0 } else { self.systems.elimination.plan().entries() }
    }

    /// Slots on a GPU: as many as fit into [`MOST_BYTES`].
    fn slots(&self, species: usize) -> usize {
        let bytes = 8 * self.slot_rows(species) + self.factors.bytes() * self.slot_factors();
        (MOST_BYTES / bytes).clamp(SLOTS[0], SLOTS[1]) / SLOTS[0] * SLOTS[0]
    }
}

/// (name, text) of the header, of the program, for a CPU or a GPU, and, for host codes (`callers`), of the C++ header and of the Fortran
/// module that call it.
pub fn reactor(
    interface: &Interface,
    reactor: &Reactor,
    provenance: &Provenance,
    target: &Target,
    callers: bool,
) -> Vec<(String, String)> {
    let (is_gpu, is_hip) = (!target.is_cpu(), target.is_amd());
    let file = File { is_hip, ..File::new(interface, reactor, provenance, is_gpu) };
    let (program, template) = match (is_gpu, is_hip) {
        (false, _) => (".cpp", Template::Reactor),
        (true, false) => (".cu", Template::GpuReactor),
        (true, true) => (".hip", Template::GpuReactor),
    };
    let mut files = vec![(".h", Template::ReactorHeader), (program, template)];
    if callers {
        files.extend([(".hpp", Template::ReactorWrapper), ("_module.f90", Template::ReactorModule)]);
    }
    let named = |(end, template): (&str, Template)| {
        (format!("{}_reactor{end}", file.prefix), render_in(interface.dialect, template, &file))
    };
    files.into_iter().map(named).collect()
}

/// Threads of a CTA on a GPU, each with a reactor: in a pipeline of kernels, and where one kernel takes a whole step. There all warps of an SM go through
/// the stages together, so that each finds the others' instructions in the cache.
const THREADS: [usize; 2] = [128, 256];

/// Bytes of device memory for the slots of a call: more points than these slots hold follow when others are done. With half as many the launches of a step of
/// GRI-Mech add 2.5 ns to each point instead of 1.3.
const MOST_BYTES: usize = 2 << 30;

/// Fewest and most slots of a call with many points: fewer leave most of a GPU idle, with more no kernel is faster.
const SLOTS: [usize; 2] = [1 << 10, 1 << 17];

/// Unknowns whose places a thread of a GPU makes at once, in its registers.
const AT_ONCE: usize = 18;

/// Those of the stage whose place and sums are made together.
const FEW: usize = 8;

/// Entries of the factors that a thread of a GPU keeps in its registers.
fn most_entries(factors: Factors) -> usize {
    match factors {
        Factors::Double => 100,
        Factors::Single => 200,
    }
}

#[derive(Serialize)]
struct File {
    comment: String,
    fortran_comment: String,
    /// Beginning of Fortran's names.
    fortran: String,
    guard: String,
    is_gpu: bool,
    is_hip: bool,
    threads: usize,
    slots: usize,
    slot_rows: usize,
    mirrored_row: usize,
    at_once: usize,
    few: usize,
    /// Whether one kernel takes a whole step, the functions of one point that it calls, and the names of two of them.
    is_fused: bool,
    is_pipeline: bool,
    functions_of_a_point: String,
    rates_of_a_point: String,
    jacobian_of_a_point: String,
    /// Whether launches of the kernels take a workspace of their own.
    rates_has_workspace: bool,
    kernels_have_workspace: bool,
    prefix: String,
    upper: String,
    /// Number that header and library share.
    abi: u32,
    constant: &'static str,
    constant_array: &'static str,
    constant_unit: &'static str,
    /// Enthalpy or energy, and the heat capacity that is its slope.
    heat: &'static str,
    capacity: &'static str,
    by_energy: bool,
    /// The first array of the state, and what it is.
    state_array: &'static str,
    state_unit: &'static str,
    rates: String,
    /// Its parts.
    jacobian: Vec<JacobianPart>,
    species: usize,
    #[serde(flatten)]
    method: MethodText,
    #[serde(flatten)]
    limits: Limits,
    #[serde(flatten)]
    tables: Tables,
    ranges: usize,
    range_ends: usize,
    has_inverse_powers: bool,
    ends: String,
    coefficients: String,
    formation: String,
    temperature_entries: String,
    unknowns: usize,
    gas_constant: String,
}

/// A kernel that makes some rows of the Jacobian, or all.
#[derive(Serialize)]
struct JacobianPart {
    symbol: String,
    has_workspace: bool,
}

impl File {
    fn new(interface: &Interface, reactor: &Reactor, provenance: &Provenance, is_gpu: bool) -> Self {
        let prefix = prefix(interface);
        let upper = prefix.to_uppercase();
        let (constant_unit, heat, capacity) = match reactor.constant {
            Constant::Pressure => ("Pa", "enthalpy", "cp"),
            Constant::Volume => ("kg/m^3", "energy", "cv"),
        };
        let [ends, coefficients] = reactor.energies.tables();
        let species = interface.species.len();
        let is_pipeline = is_gpu && reactor.fused.is_none();
        let tables = Tables::new(
            &reactor.systems,
            reactor.factors,
            (if is_gpu { most_entries(reactor.factors) } else { 0 }, is_pipeline),
            interface,
        );
        let unknowns = species + 1;
        let has_workspace = |symbol: &str| interface.kernels.iter().any(|k| k.symbol == symbol && k.has_workspace);
        let part = |symbol: &String| JacobianPart { symbol: symbol.clone(), has_workspace: has_workspace(symbol) };
        let jacobian: Vec<JacobianPart> = reactor.jacobian.iter().map(part).collect();
        let rates_has_workspace = has_workspace(&reactor.rates);
        let of_a_point =
            |what: fn(&FusedStep) -> &String| reactor.fused.as_ref().map_or(String::new(), |fused| what(fused).clone());
        Self {
            comment: file_comment("//", "Reactors", &interface.mechanism, provenance),
            fortran_comment: file_comment("!", "Reactors", &interface.mechanism, provenance),
            fortran: fortran_prefix(&prefix),
            is_gpu,
            is_hip: false,
            threads: reactor.threads(),
            slots: reactor.slots(species),
            slot_rows: reactor.slot_rows(species),
            mirrored_row: reactor.mirrored_row(species),
            at_once: AT_ONCE,
            few: FEW,
            is_fused: reactor.fused.is_some(),
            is_pipeline,
            functions_of_a_point: of_a_point(|fused| &fused.text),
            rates_of_a_point: of_a_point(|fused| &fused.rates),
            jacobian_of_a_point: of_a_point(|fused| &fused.jacobian),
            rates_has_workspace,
            kernels_have_workspace: reactor.fused.is_none()
                && (rates_has_workspace || jacobian.iter().any(|part| part.has_workspace)),
            guard: format!("SINGE_{upper}_REACTOR_H"),
            constant: reactor.constant_name(),
            constant_array: reactor.constant_array(),
            constant_unit,
            heat,
            capacity,
            by_energy: reactor.by_energy,
            state_array: reactor.state_array(),
            state_unit: if reactor.by_energy { "J/kg" } else { "K" },
            rates: reactor.rates.clone(),
            jacobian,
            species,
            method: MethodText::new(&reactor.method),
            limits: Limits::default(),
            tables,
            ranges: reactor.energies.ranges[0].len(),
            range_ends: reactor.energies.ends[0].len().max(1),
            has_inverse_powers: reactor.energies.has_inverse_powers(),
            ends,
            coefficients,
            formation: wrapped(reactor.energies.of_formation.iter().map(|&h| real(h))),
            temperature_entries: wrapped(
                temperature_entries(&reactor.systems.pattern, species).map(|entry| entry.to_string()),
            ),
            unknowns,
            gas_constant: real(GAS_CONSTANT),
            prefix,
            upper,
            abi: provenance.number(),
        }
    }
}

/// The entries of the temperature's row by each mass fraction and by the temperature, which all Jacobians of reactors have.
fn temperature_entries(pattern: &[(u32, u32)], species: usize) -> impl Iterator<Item = usize> {
    (0..=species as u32).filter_map(move |column| pattern.iter().position(|&entry| entry == (species as u32, column)))
}

/// The method as C++.
#[derive(Serialize)]
struct MethodText {
    method: &'static str,
    source: String,
    order_of_method: u32,
    stages: usize,
    gamma: String,
    a: String,
    c: String,
    m: String,
    e: String,
    same: String,
    extends: String,
    folding: Option<usize>,
    explicit: Option<ExplicitText>,
}

impl MethodText {
    fn new(method: &Method) -> Self {
        let mut source = format!("{}: {}", method.name, method.source);
        if let Some(explicit) = &method.explicit {
            source += &format!("; {}: {}", explicit.name, explicit.source);
        }
        let stages = method.a.len();
        let same: Vec<String> = (0..stages).map(|stage| method.takes_rates_over(stage).to_string()).collect();
        let extends: Vec<String> = (0..=stages).map(|stage| method.extends_place(stage).to_string()).collect();
        Self {
            method: method.name,
            source: comment("", &source),
            order_of_method: method.order,
            stages: method.m.len(),
            gamma: real(method.gamma),
            a: triangle(method.a),
            c: triangle(method.c),
            m: list(method.m),
            e: list(method.e),
            same: same.join(", "),
            extends: extends.join(", "),
            folding: folding(method),
            explicit: method.explicit.as_ref().map(ExplicitText::new),
        }
    }
}

/// The last stage whose place takes the changes by all stages before it, where nothing but the sums of stages takes those changes behind it, and these sums
/// move less than the changes.
fn folding(method: &Method) -> Option<usize> {
    let (last, before) = method.e.split_last()?;
    let is_stiffly_accurate = *last != 0.0 && before.iter().all(|&e| e == 0.0) && method.extends_place(method.m.len());
    let stage = (1..method.m.len()).rfind(|&stage| !method.extends_place(stage))?;
    (is_stiffly_accurate && stage > 2 && !method.takes_rates_over(stage)).then_some(stage)
}

/// The method for points that are not stiff as C++.
#[derive(Serialize)]
struct ExplicitText {
    name: &'static str,
    order: u32,
    stages: usize,
    a: String,
    b: String,
    e: String,
    half_stable: String,
}

impl ExplicitText {
    fn new(method: &Explicit) -> Self {
        Self {
            name: method.name,
            order: method.order,
            stages: method.b.len(),
            a: triangle(method.a),
            b: list(method.b),
            e: list(method.e),
            half_stable: real(0.5 * method.stable),
        }
    }
}

fn list(values: &[f64]) -> String {
    wrapped(values.iter().map(|&x| real(x)))
}

/// Rows of a tableau, of which the first is empty.
fn triangle(rows: &[&[f64]]) -> String {
    let row = |row: &&[f64]| {
        let values: Vec<String> = row.iter().map(|&x| real(x)).collect();
        format!("  {{{}}},\n", if values.is_empty() { "0.0".to_owned() } else { values.join(", ") })
    };
    rows.iter().map(row).collect()
}

/// Numbers that the reference has, too.
#[derive(Serialize)]
struct Limits {
    coldest: String,
    hottest: String,
    most_negative: String,
    most_drained: String,
    relative_tolerance: String,
    absolute_tolerance: String,
    most_steps: usize,
    first_change: String,
    least_error: String,
    largest_error: String,
    least_root: String,
    shorter: String,
    most_share: String,
    watched: String,
    no_wall: String,
    most_dead_ends: usize,
    most_first_steps: String,
    most_explicit_steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let [coldest, hottest] = options::TEMPERATURES;
        Self {
            coldest: real(coldest),
            hottest: real(hottest),
            most_negative: real(options::MOST_NEGATIVE),
            most_drained: real(options::MOST_DRAINED),
            relative_tolerance: real(options::Options::default().relative_tolerance),
            absolute_tolerance: real(options::Options::default().absolute_tolerance),
            most_steps: options::Options::default().most_steps,
            first_change: real(options::FIRST_CHANGE),
            least_error: real(options::ERRORS[0]),
            largest_error: real(options::ERRORS[1]),
            least_root: real(options::LEAST_ROOT),
            shorter: real(options::SHORTER),
            most_share: real(options::MOST_SHARE),
            watched: real(options::WATCHED),
            no_wall: real(options::NO_WALL),
            most_dead_ends: options::MOST_DEAD_ENDS,
            most_first_steps: real(options::MOST_FIRST_STEPS),
            most_explicit_steps: options::MOST_EXPLICIT_STEPS,
        }
    }
}
