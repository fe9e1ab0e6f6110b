//! Data of a mechanism for libraries with other codes' calling conventions, around the functions of one point.

use crate::base::tables::{real, wrapped};
use crate::host::{Interface, prefix, short_name};
use serde::Serialize;

/// Data of a mechanism for such a library, beyond the interface of its kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Stoichiometry {
    /// g/mol
    pub element_weights: Vec<f64>,
    /// Whether a reaction changes the amount of each species.
    pub reacting: Vec<bool>,
    /// By reaction (species, coefficient), negative of reactants; nothing where some are no whole numbers.
    pub reactions: Option<Vec<Vec<(usize, i32)>>>,
    pub thermodynamics: Polynomials,
}

/// NASA polynomials of all species.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomials {
    /// K, ascending: where the polynomials of any species change. A range includes its upper end.
    pub breaks: Vec<f64>,
    /// Whether cp/R has terms in T^-2 and T^-1, whose coefficients follow those of T^0 to T^4.
    pub has_negative_powers: bool,
    /// By range and species: the terms of cp/R, then the constants of h/R and of s/R.
    pub coefficients: Vec<Vec<Vec<f64>>>,
}

/// Fields that the templates of all of them have.
#[derive(Serialize)]
pub(super) struct Library {
    pub prefix: String,
    pub device_header: String,
    /// Text before each function, and before one of a structure, with a blank.
    inline: String,
    member: &'static str,
    rows: Places,
    stoichiometry: bool,
    first_entries: String,
    entry_species: String,
    entry_coefficients: String,
    element_weights: String,
    polynomials: PolynomialTable,
    /// Names of the functions; empty where there is none.
    chemistry: String,
    progress: String,
    jacobian: String,
    viscosity: String,
    conductivity: String,
    diffusion: String,
    /// Words for the model of the diffusion kernel.
    diffusion_summary: String,
}

impl Library {
    /// Fields for an interface with the kernel of chemistry, for functions that are declared with `member`, where they stand alone with `inline`, too.
    pub fn new(interface: &Interface, stoichiometry: &Stoichiometry, [member, inline]: [&'static str; 2]) -> Self {
        let prefix = prefix(interface);
        let function = |kernel: &str| {
            let found = interface.kernels.iter().map(|found| short_name(&found.symbol, &prefix));
            found.into_iter().find(|name| *name == kernel).unwrap_or("").to_owned()
        };
        let reactions = stoichiometry.reactions.as_deref().unwrap_or(&[]);
        let ends = reactions.iter().scan(0, |end, entries| {
            *end += entries.len();
            Some(*end)
        });
        let entries = || reactions.iter().flatten();
        Self {
            device_header: format!("{}_device.h", interface.mechanism),
            inline: format!("{member}{inline}"),
            member,
            rows: Places::new(interface, &prefix),
            stoichiometry: stoichiometry.reactions.is_some(),
            first_entries: wrapped(std::iter::once(0).chain(ends).map(|end| end.to_string())),
            entry_species: wrapped(entries().map(|(species, _)| (species + 1).to_string())),
            entry_coefficients: wrapped(entries().map(|(_, coefficient)| coefficient.to_string())),
            element_weights: wrapped(stoichiometry.element_weights.iter().map(|&weight| real(weight))),
            polynomials: PolynomialTable::new(&stoichiometry.thermodynamics),
            chemistry: function("chemistry"),
            progress: function("progress"),
            jacobian: function("jacobian"),
            viscosity: function("viscosity"),
            conductivity: function("conductivity"),
            diffusion: function("diffusion"),
            diffusion_summary: interface
                .kernels
                .iter()
                .find(|kernel| short_name(&kernel.symbol, &prefix) == "diffusion")
                .map_or(String::new(), |kernel| kernel.summary.clone()),
            prefix,
        }
    }
}

/// Bytes of constant memory that a program for a GPU can declare.
const CONSTANT_BYTES: usize = 64 * 1024;

/// Up to this many ranges, each has code of its own; with more, loops read coefficients at a place that they compute.
const MOST_RANGES: usize = 8;

#[derive(Serialize)]
struct PolynomialTable {
    breaks: Vec<String>,
    /// Ranges that have code of their own; none where there are many.
    ranges: Vec<usize>,
    has_negative_powers: bool,
    /// Whether the coefficients take at most half of a device's constant memory.
    is_small: bool,
    /// Terms of cp/R.
    terms: usize,
    /// By range, term and species, an even number in a row.
    coefficients: String,
}

impl PolynomialTable {
    fn new(polynomials: &Polynomials) -> Self {
        let terms = if polynomials.has_negative_powers { 7 } else { 5 };
        let row = |range: &[Vec<f64>], term: usize| {
            let padding = std::iter::repeat_n(0.0, range.len() % 2);
            range.iter().map(|species| species[term]).chain(padding).map(real).collect::<Vec<_>>()
        };
        let ranges = polynomials.coefficients.iter();
        let by_term: Vec<_> = ranges.flat_map(|range| (0..terms + 2).flat_map(move |term| row(range, term))).collect();
        let breaks: Vec<_> = polynomials.breaks.iter().map(|&end| real(end)).collect();
        Self {
            ranges: (0..polynomials.coefficients.len())
                .filter(|_| polynomials.coefficients.len() <= MOST_RANGES)
                .collect(),
            breaks,
            is_small: by_term.len() * size_of::<f64>() <= CONSTANT_BYTES / 2,
            has_negative_powers: polynomials.has_negative_powers,
            terms,
            coefficients: wrapped(by_term.into_iter()).trim_end_matches(',').to_owned(),
        }
    }
}

/// First rows of quantities, and how many rows there are.
#[derive(Serialize)]
struct Places {
    equilibrium: u32,
    forward: u32,
    reverse: u32,
    creation: u32,
    destruction: u32,
    rates: u32,
}

impl Places {
    fn new(interface: &Interface, prefix: &str) -> Self {
        let kernel = |name: &str| interface.kernels.iter().find(|kernel| short_name(&kernel.symbol, prefix) == name);
        let first = |name: &str| {
            let rows = interface.kernels.iter().flat_map(|kernel| &kernel.rows);
            rows.into_iter().find(|rows| rows.name == name).map_or(0, |rows| rows.first)
        };
        let all = |name: &str| {
            let outputs = kernel(name).into_iter().flat_map(|kernel| &kernel.arrays);
            outputs.filter(|array| array.array.output).map(|array| array.array.rows).sum()
        };
        Self {
            equilibrium: first("equilibrium-constants"),
            forward: first("forward-rates"),
            reverse: first("reverse-rates"),
            creation: first("creation-rates"),
            destruction: first("destruction-rates"),
            rates: all("progress"),
        }
    }
}
