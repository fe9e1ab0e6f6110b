//! Reactors that are advanced in time: a stiff integrator around the kernels of a CPU.

mod energies;

pub use energies::{Coefficients, Energies};

use super::fortran::fortran_prefix;
use super::{Interface, Provenance, file_comment, prefix, short_name};
use crate::elimination::{Checked, Elimination, Pattern};
use crate::emit::cuda::body::comment;
use crate::emit::cuda::glue::{Template, render};
use crate::emit::cuda::tables::{real, wrapped};
use kinetics::constants::GAS_CONSTANT;
use kinetics::integrator::{Method, options};
use kinetics::reactor::Constant;
use machine::target::Target;
use serde::Serialize;

/// What a project advances its reactors with.
#[derive(Debug, Clone)]
pub struct Reactor {
    pub constant: Constant,
    /// Whether the state has its enthalpy or energy in place of the temperature.
    pub by_energy: bool,
    pub method: Method,
    pub energies: Energies,
    /// The symbols of the kernels of the rates and of their sparse Jacobian.
    pub rates: String,
    pub jacobian: String,
    /// (row, column) of the entries of the Jacobian's output.
    pub pattern: Vec<(u32, u32)>,
    /// Of the matrix that [`matrix`] has.
    pub elimination: Checked,
}

/// Where the matrix of a step's linear systems may differ from zero, for so many species. Unknowns: mass fractions, the temperature, and the sum of all
/// changes of Y_k/W_k, whose column is what the rows share.
pub fn matrix(pattern: &[(u32, u32)], species: usize) -> Pattern {
    let mut rows = vec![std::collections::BTreeSet::new(); species + 2];
    for &(row, column) in pattern {
        rows[row as usize].insert(column as usize);
    }
    rows[species + 1].extend(0..species);
    rows.iter_mut().enumerate().for_each(|(row, columns)| _ = columns.insert(row));
    Pattern { rows }
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
    let file = File { is_gpu: !target.is_cpu(), ..File::new(interface, reactor, provenance) };
    let (program, template) = if file.is_gpu { (".cu", Template::GpuReactor) } else { (".cpp", Template::Reactor) };
    let mut files = vec![(".h", Template::ReactorHeader), (program, template)];
    if callers {
        files.extend([(".hpp", Template::ReactorWrapper), ("_module.f90", Template::ReactorModule)]);
    }
    let named = |(end, template): (&str, Template)| (format!("{}_reactor{end}", file.prefix), render(template, &file));
    files.into_iter().map(named).collect()
}

/// Threads of a CTA on a GPU, each with a reactor.
const THREADS: usize = 128;

#[derive(Serialize)]
struct File {
    comment: String,
    fortran_comment: String,
    /// What Fortran's names begin with.
    fortran: String,
    guard: String,
    is_gpu: bool,
    threads: usize,
    /// Of the functions of one point.
    rates_name: String,
    jacobian_name: String,
    prefix: String,
    upper: String,
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
    jacobian: String,
    species: usize,
    inverse_weights: String,
    /// The unknowns in the order of elimination, as a comment.
    names: String,
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
    /// Of the Jacobian, by columns.
    entry_rows: String,
    column_starts: String,
    unknowns: usize,
    gas_constant: String,
}

impl File {
    fn new(interface: &Interface, reactor: &Reactor, provenance: &Provenance) -> Self {
        let prefix = prefix(interface);
        let upper = prefix.to_uppercase();
        let (constant, constant_array, constant_unit, heat, capacity) = match reactor.constant {
            Constant::Pressure => ("pressure", "pressure", "Pa", "enthalpy", "cp"),
            Constant::Volume => ("volume", "density", "kg/m^3", "energy", "cv"),
        };
        let [ends, coefficients] = reactor.energies.tables();
        let species = interface.species.len();
        let weights = interface.species.iter().map(|species| real(1.0 / species.molecular_weight));
        Self {
            comment: file_comment("//", "Reactors", &interface.mechanism, provenance),
            fortran_comment: file_comment("!", "Reactors", &interface.mechanism, provenance),
            fortran: fortran_prefix(&prefix),
            is_gpu: false,
            threads: THREADS,
            rates_name: short_name(&reactor.rates, &prefix).to_owned(),
            jacobian_name: short_name(&reactor.jacobian, &prefix).to_owned(),
            guard: format!("SINGE_{upper}_REACTOR_H"),
            constant,
            constant_array,
            constant_unit,
            heat,
            capacity,
            by_energy: reactor.by_energy,
            state_array: if reactor.by_energy { heat } else { "temperature" },
            state_unit: if reactor.by_energy { "J/kg" } else { "K" },
            rates: reactor.rates.clone(),
            jacobian: reactor.jacobian.clone(),
            species,
            inverse_weights: wrapped(weights),
            names: names(interface, reactor.elimination.plan()),
            method: MethodText::new(&reactor.method),
            limits: Limits::default(),
            tables: Tables::new(reactor, species),
            ranges: reactor.energies.ranges[0].len(),
            range_ends: reactor.energies.ends[0].len().max(1),
            has_inverse_powers: reactor.energies.has_inverse_powers(),
            ends,
            coefficients,
            formation: wrapped(reactor.energies.of_formation.iter().map(|&h| real(h))),
            temperature_entries: wrapped(temperature_entries(&reactor.pattern, species).map(|entry| entry.to_string())),
            entry_rows: wrapped(reactor.pattern.iter().map(|(row, _)| row.to_string())),
            column_starts: wrapped(
                (0..=species as u32)
                    .map(|column| reactor.pattern.partition_point(|entry| entry.1 < column).to_string()),
            ),
            unknowns: species + 1,
            gas_constant: real(GAS_CONSTANT),
            prefix,
            upper,
        }
    }
}

/// The entries of the temperature's row by each mass fraction and by the temperature, which all Jacobians of reactors have.
fn temperature_entries(pattern: &[(u32, u32)], species: usize) -> impl Iterator<Item = usize> {
    (0..=species as u32).filter_map(move |column| pattern.iter().position(|&entry| entry == (species as u32, column)))
}

/// The unknowns in the order of their elimination.
fn names(interface: &Interface, plan: &Elimination) -> String {
    let name = |&unknown: &usize| match interface.species.get(unknown) {
        Some(species) => species.name.as_str(),
        None if unknown == interface.species.len() => "temperature",
        None => "sum",
    };
    comment("", &plan.order.iter().map(name).collect::<Vec<_>>().join(" "))
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
}

impl MethodText {
    fn new(method: &Method) -> Self {
        let list = |values: &[f64]| wrapped(values.iter().map(|&x| real(x)));
        let row = |row: &&[f64]| {
            let values: Vec<String> = row.iter().map(|&x| real(x)).collect();
            format!("  {{{}}},\n", if values.is_empty() { "0.0".to_owned() } else { values.join(", ") })
        };
        let rows = |rows: &[&[f64]]| rows.iter().map(row).collect::<String>();
        let same: Vec<String> = (0..method.a.len()).map(|stage| method.takes_rates_over(stage).to_string()).collect();
        Self {
            method: method.name,
            source: comment("", &format!("{}: {}", method.name, method.source)),
            order_of_method: method.order,
            stages: method.m.len(),
            gamma: real(method.gamma),
            a: rows(method.a),
            c: rows(method.c),
            m: list(method.m),
            e: list(method.e),
            same: same.join(", "),
        }
    }
}

/// Numbers that the reference has, too.
#[derive(Serialize)]
struct Limits {
    coldest: String,
    hottest: String,
    most_negative: String,
    relative_tolerance: String,
    absolute_tolerance: String,
    most_steps: usize,
    first_change: String,
    least_error: String,
    largest_error: String,
}

impl Default for Limits {
    fn default() -> Self {
        let [coldest, hottest] = options::TEMPERATURES;
        Self {
            coldest: real(coldest),
            hottest: real(hottest),
            most_negative: real(options::MOST_NEGATIVE),
            relative_tolerance: real(options::Options::default().relative_tolerance),
            absolute_tolerance: real(options::Options::default().absolute_tolerance),
            most_steps: options::Options::default().most_steps,
            first_change: real(options::FIRST_CHANGE),
            least_error: real(options::ERRORS[0]),
            largest_error: real(options::ERRORS[1]),
        }
    }
}

/// The elimination as tables.
#[derive(Serialize)]
struct Tables {
    index: &'static str,
    rows: usize,
    entries: usize,
    factors: usize,
    jacobian_rows: usize,
    /// The first row of what the entries of each row share.
    shared: usize,
    order: String,
    row_starts: String,
    entry_places: String,
    entry_sources: String,
    factor_starts: String,
    upper_starts: String,
    factor_places: String,
    /// The factorisation as statements; empty where they are too many.
    straight: String,
    calls: String,
}

/// More products than these are a loop over tables: their statements would be more than caches for instructions hold.
const MOST_STATEMENTS: usize = 50_000;

/// An entry of the matrix: the place of its column, and the row of the Jacobian's output.
type Entry = (usize, usize);

/// A function that factors one row.
fn factor_row(
    plan: &Elimination,
    (at, is_sum): (usize, bool),
    entries: &[Entry],
    starts: (&[usize], &[usize]),
) -> String {
    let (factor_starts, upper_starts) = starts;
    let source = |column: usize| entries.iter().find(|entry| entry.0 == column).map(|entry| entry.1);
    let mut columns: Vec<usize> = plan.lower[at].iter().chain([&at]).chain(&plan.upper[at]).copied().collect();
    columns.dedup();
    let mut text = format!("SINGE_STEP void factor_{at}(Block &b, real inverse_step)\n{{\n  (void)inverse_step;\n");
    for column in columns {
        let value = match (source(column), column == at, is_sum) {
            (_, true, true) => "all(-1.0)".to_owned(),
            (Some(k), false, true) => format!("all(inverse_weights[{k}])"),
            (None, true, false) => "inverse_step".to_owned(),
            (Some(entry), true, false) => format!("inverse_step - at(b.jacobian, {entry})"),
            (Some(entry), false, false) => format!("-at(b.jacobian, {entry})"),
            (None, false, _) => "all(0.0)".to_owned(),
        };
        text += &format!("  real r{column} = {value};\n");
    }
    for (n, &k) in plan.lower[at].iter().enumerate() {
        let p = factor_starts[at] + n;
        text += &format!("  const real l{k} = r{k} * at(b.inverse_pivot, {k});\n  put(b.factor, {p}, l{k});\n");
        for (m, column) in plan.upper[k].iter().enumerate() {
            let q = upper_starts[k] + m;
            text += &format!("  r{column} = fma(-l{k}, at(b.factor, {q}), r{column});\n");
        }
    }
    for (n, column) in plan.upper[at].iter().enumerate() {
        text += &format!("  put(b.factor, {}, r{column});\n", upper_starts[at] + n);
    }
    text + &format!("  put(b.inverse_pivot, {at}, 1.0 / r{at});\n}}\n\n")
}

impl Tables {
    fn new(reactor: &Reactor, species: usize) -> Self {
        let Elimination { order, lower, upper } = reactor.elimination.plan();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &unknown)| place[unknown] = at);
        let (mut row_starts, mut entries) = (vec![0], Vec::new());
        for &unknown in order {
            if unknown == species + 1 {
                entries.extend((0..species).map(|k| (place[k], k)));
            }
            let of_row = reactor.pattern.iter().enumerate().filter(|(_, (row, _))| *row as usize == unknown);
            entries.extend(of_row.map(|(at, &(_, column))| (place[column as usize], at)));
            row_starts.push(entries.len());
        }
        let (mut factor_starts, mut upper_starts, mut factors) = (vec![0], Vec::new(), Vec::new());
        for (lower, upper) in lower.iter().zip(upper) {
            factors.extend(lower);
            upper_starts.push(factors.len());
            factors.extend(upper);
            factor_starts.push(factors.len());
        }
        let of_row = |at: usize| &entries[row_starts[at]..row_starts[at + 1]];
        let row = |at: usize| {
            let starts = (&factor_starts[..], &upper_starts[..]);
            factor_row(reactor.elimination.plan(), (at, order[at] == species + 1), of_row(at), starts)
        };
        let is_straight = reactor.elimination.plan().multiply_adds() <= MOST_STATEMENTS;
        let straight = if is_straight { (0..order.len()).map(row).collect() } else { String::new() };
        let calls: Vec<String> = (0..order.len()).map(|at| format!("factor_{at}(b, inverse_step);")).collect();
        let calls = calls.chunks(4).map(|four| format!("  {}\n", four.join(" "))).collect();
        let list = |values: &[usize]| wrapped(values.iter().map(usize::to_string));
        let (places, sources): (Vec<usize>, Vec<usize>) = entries.iter().copied().unzip();
        let most = reactor.pattern.len().max(factors.len()).max(places.len());
        Self {
            index: if most <= usize::from(u16::MAX) { "unsigned short" } else { "int" },
            rows: order.len(),
            entries: places.len(),
            factors: factors.len(),
            jacobian_rows: reactor.pattern.len(),
            shared: reactor.pattern.partition_point(|&(_, column)| column as usize <= species),
            order: list(order),
            row_starts: list(&row_starts),
            entry_places: list(&places),
            entry_sources: list(&sources),
            factor_starts: list(&factor_starts),
            upper_starts: list(&upper_starts),
            factor_places: list(&factors),
            straight,
            calls,
        }
    }
}
