//! Files for host codes beside the kernels: a C header and its C++ wrapper, the context, a Fortran module, and a project that
//! builds all with CMake, checks the kernels against reference values and times them.

pub(crate) mod fortran;
mod header;
mod ignition;
mod project;
mod reactor;
mod status;
mod systems;

pub use fortran::{example, module};
pub use header::{context, header, wrapper};
pub use ignition::{ignition, ignition_file};
pub use project::{Case, Duel, FOLDER, Project, Table, cmake, cmake_file, driver, fallback_file, install, reference};
pub use reactor::driver as reactor_driver;
pub use reactor::{Coefficients, ERROR_FLOOR, Energies, FusedStep, REFERENCE_TOLERANCE, Reactor, reactor};
pub use reactor::{DrivenReactors, KnownReactor, ReactorStart};
pub use systems::Systems;

pub use crate::base::Dialect;
use crate::base::Provenance;
use crate::base::comment;
use crate::base::names::identifier;
use graph::Units;
use kernels::Io;
use kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};
use machine::target::ComputeCapability;
use overlay::program::Array;

/// Description of a mechanism and its kernels for host codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The project's name, by default the mechanism's, such as `gri30`: the prefix of every name in the header.
    pub mechanism: String,
    /// In the order of the rows of species arrays; at least one.
    pub species: Vec<Species>,
    /// Symbols, in the mechanism's order.
    pub elements: Vec<String>,
    pub reactions: usize,
    pub units: Units,
    /// Numbers that arrays hold.
    pub io: Io,
    /// Target of the kernels, such as `hopper`.
    pub target: String,
    /// Compute capability of a GPU; a CPU has none.
    pub architecture: Option<ComputeCapability>,
    /// That of the code for hosts.
    pub dialect: Dialect,
    pub kernels: Vec<KernelInterface>,
    /// Other symbols of such kernels, whose launch functions do the same, where the header knows several versions and the target has one.
    pub aliases: Vec<Alias>,
}

/// A second symbol of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Alias {
    pub symbol: String,
    /// The symbol of the kernel itself.
    pub of: String,
}

/// A species as host codes see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Species {
    pub name: String,
    /// kg/kmol
    pub molecular_weight: f64,
    /// Number of atoms of each element of the interface.
    pub atoms: Vec<f64>,
}

/// One launch function.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelInterface {
    /// The symbol of the kernel; its launch function is called `SYMBOL_launch`.
    pub symbol: String,
    /// Result of the kernel, in a sentence.
    pub summary: String,
    /// How exactly, and where.
    pub accuracy: String,
    /// In the order of the arguments.
    pub arrays: Vec<ArrayInterface>,
    /// First rows of the output's quantities, if it has several.
    pub rows: Vec<Rows>,
    /// Whether its launch takes a workspace.
    pub has_workspace: bool,
    /// (row, column) of each entry of a matrix whose zeros are left out, column by column; else empty.
    pub pattern: Vec<(u32, u32)>,
}

/// A quantity in the rows of an output.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Such as `species-molar-h`.
    pub name: String,
    /// Counted from 0.
    pub first: u32,
    pub unit: String,
    pub meaning: String,
}

/// An argument with its documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayInterface {
    pub array: Array,
    /// Such as `mol/m^3/s`; `1` where there is none.
    pub unit: String,
    /// Such as `net production rate of each species`.
    pub meaning: String,
}

/// The name of a kernel without the mechanism's, such as `viscosity` for `gri30_viscosity`.
pub(crate) fn short_name<'a>(symbol: &'a str, prefix: &str) -> &'a str {
    symbol.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).unwrap_or(symbol)
}

/// A comment at the top of a file, in the language whose comments begin with the mark.
pub(crate) fn file_comment(mark: &str, what: &str, mechanism: &str, provenance: &Provenance) -> String {
    let mut lines =
        vec![format!("{what} of {mechanism}, made by singe {}", env!("CARGO_PKG_VERSION")), String::from("\n")];
    lines.extend(provenance.lines());
    lines.iter().map(|line| comment("", line).replacen("//", mark, 1)).collect()
}

pub(crate) fn prefix(interface: &Interface) -> String {
    identifier(&interface.mechanism)
}

/// Returns the facts of a project, as (name without the prefix, text or number).
fn facts(interface: &Interface, provenance: &Provenance) -> [(&'static str, Fact); 10] {
    let Interface { species, reactions, units, target, architecture, dialect, .. } = interface;
    // AMD's machines have none.
    let compute_capability = architecture.filter(|_| !dialect.is_hip()).map_or(0, |cc| cc.number() as usize);
    [
        ("VERSION", Fact::Text(env!("CARGO_PKG_VERSION").to_owned())),
        ("ABI", Fact::Number(provenance.number() as usize)),
        ("SPECIES_COUNT", Fact::Number(species.len())),
        ("REACTION_COUNT", Fact::Number(*reactions)),
        ("UNITS", Fact::Text(units.name().to_owned())),
        ("UNITS_ARE_SI", Fact::Number(usize::from(*units == Units::Si))),
        ("TARGET", Fact::Text(target.clone())),
        ("GAS_CONSTANT", Fact::Real(gas_constant(*units))),
        ("REFERENCE_PRESSURE", Fact::Real(ATMOSPHERE * units.from_si("pressure"))),
        ("COMPUTE_CAPABILITY", Fact::Number(compute_capability)),
    ]
}

enum Fact {
    Text(String),
    Number(usize),
    Real(f64),
}

/// R per kmol in SI, per mol in CGS.
pub(crate) fn gas_constant(units: Units) -> f64 {
    match units {
        Units::Si => GAS_CONSTANT,
        Units::Cgs => GAS_CONSTANT * 1e4,
    }
}

/// The system of units, for comments.
pub(crate) fn units_text(units: Units) -> &'static str {
    match units {
        Units::Si => "SI with kmol",
        Units::Cgs => "CGS with mol: dyn/cm^2, g/cm/s, erg/cm/s/K, cm^2/s, mol/cm^3/s",
    }
}

/// A C string literal of any text.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            // A question mark may begin a trigraph.
            b'"' | b'\\' | b'?' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            // Three octal digits, always: what follows cannot be taken for a part of it.
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_hold_any_text() {
        assert_eq!(string("a\"b\\c??)\n1μ"), r#""a\"b\\c\?\?)\0121\316\274""#);
    }

    #[test]
    fn short_names_lose_the_mechanism() {
        assert_eq!([short_name("gri30_viscosity", "gri30"), short_name("other", "gri30")], ["viscosity", "other"]);
    }
}
