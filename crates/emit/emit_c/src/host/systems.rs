//! The linear systems of implicit integrators of reactors: their sparse matrix, and its factorisation as code.

use super::Interface;
use crate::base::comment;
use crate::base::tables::{real, wrapped};
use kernels::Factors;
use kernels::elimination::{self, Checked, Elimination};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::Range;

/// The matrix of an integrator, a number on the diagonal less the Jacobian, and how it is factored.
#[derive(Debug, Clone)]
pub struct Systems {
    /// (row, column) of the entries of the Jacobian's output.
    pub pattern: Vec<(u32, u32)>,
    /// Elimination of the matrix that [`elimination::matrix`] has.
    pub elimination: Checked,
}

impl Systems {
    /// With the sparse Jacobian of so many species that has these entries.
    pub fn new(pattern: Vec<(u32, u32)>, species: usize) -> Self {
        let elimination = elimination::of_reactor(&pattern, species);
        Self { pattern, elimination }
    }
}

/// The elimination as tables, and the Jacobian's entries.
#[derive(Serialize)]
pub struct Tables {
    #[serde(flatten)]
    spelling: Spelling,
    index: &'static str,
    rows: usize,
    entries: usize,
    factors: usize,
    jacobian_rows: usize,
    /// The first row of the parts that the entries of each row share.
    shared: usize,
    /// Kilomoles of each species in a kilogram.
    inverse_weights: String,
    /// The unknowns in the order of elimination, as a comment.
    names: String,
    /// Rows of the Jacobian's entries, by columns.
    entry_rows: String,
    column_starts: String,
    diagonal_entries: String,
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
    /// The solution as statements.
    solution: String,
}

/// How the elimination spells its numbers. Floats are of the matrix times the step, so that what is too large for them becomes small enough in a
/// shorter step. Solutions are sums of doubles in any case: with floats, errors of the stages would be those of floats.
#[derive(Serialize, Clone, Copy)]
struct Spelling {
    is_single: bool,
    /// The types of numbers in a vector and in an array.
    number: &'static str,
    stored: &'static str,
    one: &'static str,
    /// One number for all points, and products with sums that are rounded once.
    all: &'static str,
    fused: &'static str,
    /// Function by which a solution reads factors.
    read: &'static str,
    /// Arguments of a factorisation besides the Jacobian.
    scale: &'static str,
}

impl Spelling {
    fn for_factors(factors: Factors) -> Self {
        match factors {
            Factors::Double => Self {
                is_single: false,
                number: "real",
                stored: "double",
                one: "1.0",
                all: "all",
                fused: "fma",
                read: "at",
                scale: "inverse_step",
            },
            Factors::Single => Self {
                is_single: true,
                number: "single",
                stored: "float",
                one: "1.0f",
                all: "all_single",
                fused: "fused_singles",
                read: "wide",
                scale: "scale",
            },
        }
    }

    /// An entry of the matrix, where the Jacobian has one.
    fn entry(self, of_jacobian: Option<usize>, is_diagonal: bool) -> String {
        let Self { is_single, all, .. } = self;
        match (of_jacobian, is_diagonal) {
            (None, false) => format!("{all}(0.0)"),
            (None, true) if is_single => format!("{all}(1.0)"),
            (None, true) => "inverse_step".to_owned(),
            (Some(entry), true) if is_single => format!("narrow(fma(-at(b.jacobian, {entry}), scale, all(1.0)))"),
            (Some(entry), true) => format!("inverse_step - at(b.jacobian, {entry})"),
            (Some(entry), false) if is_single => format!("narrow(-at(b.jacobian, {entry}) * scale)"),
            (Some(entry), false) => format!("-at(b.jacobian, {entry})"),
        }
    }
}

/// More products than these are a loop over tables: their statements would be more than caches for instructions hold.
const MOST_STATEMENTS: usize = 50_000;

/// Rows that are factored by one function, which reads each row above them once.
struct Together<'a> {
    plan: &'a Elimination,
    spelling: Spelling,
    /// Whether the function is a call: compilers for GPUs take minutes for all rows of a large mechanism in one body, and spill there.
    is_called: bool,
    rows: Range<usize>,
    /// First entries of the factors in each row, and first ones above the diagonal.
    starts: (&'a [usize], &'a [usize]),
}

impl Together<'_> {
    /// Writes the function; `source` has the row of the Jacobian's output for an entry, and `sum` is the number of the sum's row.
    fn function(&self, source: impl Fn(usize, usize) -> Option<usize>, sum: usize) -> String {
        let Self { plan, spelling, is_called, rows, starts: (_, upper_starts) } = self;
        let Spelling { number, stored, one, all, scale, .. } = *spelling;
        let (kind, takes, begins) = if *is_called {
            let takes = format!("const double *jacobian, {stored} *factor, {stored} *inverse_pivot");
            ("SINGE_APART", takes, "  const Matrix b = {jacobian, {factor}, {inverse_pivot}};\n")
        } else {
            ("SINGE_STEP", "Block &b".to_owned(), "")
        };
        let mut text =
            format!("{kind} void factor_{}({takes}, real {scale})\n{{\n{begins}  (void){scale};\n", rows.start);
        for at in rows.clone() {
            for &column in plan.lower[at].iter().chain([&at]).chain(&plan.upper[at]) {
                let value = match (source(at, column), column == at, plan.order[at] == sum) {
                    (_, true, true) => format!("{all}(-1.0)"),
                    (Some(k), false, true) => format!("{all}(inverse_weights[{k}])"),
                    (of_jacobian, is_diagonal, _) => spelling.entry(of_jacobian, is_diagonal),
                };
                text += &format!("  {number} r{at}_{column} = {value};\n");
            }
        }
        let above: BTreeSet<usize> = plan.lower[rows.clone()].iter().flatten().copied().collect();
        for &k in above.range(..rows.start) {
            text += &format!("  const {number} d{k} = at(b.inverse_pivot, {k});\n");
            let below: Vec<usize> = rows.clone().filter(|&at| plan.lower[at].contains(&k)).collect();
            for &at in &below {
                text += &self.multiplier(at, k);
            }
            for (m, column) in plan.upper[k].iter().enumerate() {
                let read = format!("at(b.factor, {})", upper_starts[k] + m);
                if let [at] = below[..] {
                    text += &self.less(at, k, *column, &read);
                    continue;
                }
                text += &format!("  const {number} u{k}_{column} = {read};\n");
                below.iter().for_each(|&at| text += &self.less(at, k, *column, &format!("u{k}_{column}")));
            }
        }
        for at in rows.clone() {
            for &k in plan.lower[at].iter().filter(|&&k| k >= rows.start) {
                text += &self.multiplier(at, k);
                for column in &plan.upper[k] {
                    text += &self.less(at, k, *column, &format!("r{k}_{column}"));
                }
            }
            for (m, column) in plan.upper[at].iter().enumerate() {
                text += &format!("  put(b.factor, {}, r{at}_{column});\n", upper_starts[at] + m);
            }
            text += &format!("  const {number} d{at} = {one} / r{at}_{at};\n  put(b.inverse_pivot, {at}, d{at});\n");
        }
        text + "}\n\n"
    }

    /// The factor by which a row above is subtracted from a row.
    fn multiplier(&self, at: usize, k: usize) -> String {
        let place = self.plan.lower[at].iter().position(|&place| place == k).expect("an entry of the row");
        let p = self.starts.0[at] + place;
        let number = self.spelling.number;
        format!("  const {number} l{at}_{k} = r{at}_{k} * d{k};\n  put(b.factor, {p}, l{at}_{k});\n")
    }

    fn less(&self, at: usize, k: usize, column: usize, above: &str) -> String {
        format!("  r{at}_{column} = {}(-l{at}_{k}, {above}, r{at}_{column});\n", self.spelling.fused)
    }
}

/// Divides the rows into those that are factored together: one by one, or as many as have `most` entries at most.
fn together(plan: &Elimination, most: usize) -> Vec<Range<usize>> {
    let entries = |at: usize| plan.lower[at].len() + 1 + plan.upper[at].len();
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut sum = 0;
    for at in 0..plan.order.len() {
        sum += entries(at);
        match all.last_mut() {
            Some(last) if sum <= most => last.end = at + 1,
            _ => {
                sum = entries(at);
                all.push(at..at + 1);
            }
        }
    }
    all
}

/// Subtracts from a row the products of its factors, from `first` on, with what stands at their columns.
fn less_known(read: &str, at: usize, first: usize, columns: &[usize]) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let in_fours = columns.len() / 4 * 4;
    let product = |(n, column): (usize, &usize)| {
        let s = if n < in_fours { n % 4 } else { 0 };
        format!("    s{s} = fma({read}(b.factor, {}), x{column}, s{s});\n", first + n)
    };
    let products: String = columns.iter().enumerate().map(product).collect();
    let sums = "real s0 = all(0.0), s1 = all(0.0), s2 = all(0.0), s3 = all(0.0);";
    format!("  {{\n    {sums}\n{products}    x{at} = x{at} - ((s0 + s1) + (s2 + s3));\n  }}\n")
}

/// Writes the solution of the factored system, by the sums of the template's loops in the same order.
fn solution(
    plan: &Elimination,
    Spelling { is_single, read, .. }: Spelling,
    sum: usize,
    factor_starts: &[usize],
    upper_starts: &[usize],
) -> String {
    let mut text = String::new();
    for (at, &unknown) in plan.order.iter().enumerate() {
        let right = match (unknown == sum, is_single) {
            (true, _) => "all(0.0)".to_owned(),
            (false, true) => format!("separate_product(at(x, {unknown}), scale)"),
            (false, false) => format!("at(x, {unknown})"),
        };
        text += &format!("  real x{at} = {right};\n{}", less_known(read, at, factor_starts[at], &plan.lower[at]));
    }
    for (at, &unknown) in plan.order.iter().enumerate().rev() {
        text += &less_known(read, at, upper_starts[at], &plan.upper[at]);
        text += &format!("  x{at} = x{at} * {read}(b.inverse_pivot, {at});\n");
        if unknown != sum {
            text += &format!("  put(x, {unknown}, x{at});\n");
        }
    }
    text
}

impl Tables {
    /// `most_entries` is the number of entries in rows that are factored together, by functions that may be calls.
    pub fn new(
        systems: &Systems,
        held_in: Factors,
        (most_entries, is_called): (usize, bool),
        interface: &Interface,
    ) -> Self {
        let spelling = Spelling::for_factors(held_in);
        let (pattern, plan, species) = (&systems.pattern, systems.elimination.plan(), interface.species.len());
        let Elimination { order, lower, upper } = plan;
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &unknown)| place[unknown] = at);
        let (mut row_starts, mut entries) = (vec![0], Vec::new());
        for &unknown in order {
            if unknown == species + 1 {
                entries.extend((0..species).map(|k| (place[k], k)));
            }
            let of_row = pattern.iter().enumerate().filter(|(_, (row, _))| *row as usize == unknown);
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
        let source = |at: usize, column: usize| of_row(at).iter().find(|entry| entry.0 == column).map(|entry| entry.1);
        let groups = together(plan, most_entries);
        let starts = (&factor_starts[..], &upper_starts[..]);
        let group = |rows: &Range<usize>| {
            Together { plan, spelling, is_called, rows: rows.clone(), starts }.function(source, species + 1)
        };
        let is_straight = plan.multiply_adds() <= MOST_STATEMENTS;
        let straight = if is_straight { groups.iter().map(group).collect() } else { String::new() };
        let given = if is_called { "b.jacobian, b.factor.first, b.inverse_pivot.first" } else { "b" };
        let call = |rows: &Range<usize>| format!("factor_{}({given}, {});", rows.start, spelling.scale);
        let calls: Vec<String> = groups.iter().map(call).collect();
        let in_line = if is_called { 1 } else { 4 };
        let calls = calls.chunks(in_line).map(|some| format!("  {}\n", some.join(" "))).collect();
        let solution = if is_straight {
            solution(plan, spelling, species + 1, &factor_starts, &upper_starts)
        } else {
            String::new()
        };
        let list = |values: &[usize]| wrapped(values.iter().map(usize::to_string));
        let (places, sources): (Vec<usize>, Vec<usize>) = entries.iter().copied().unzip();
        let most = pattern.len().max(factors.len()).max(places.len());
        Self {
            spelling,
            index: if most <= usize::from(u16::MAX) { "unsigned short" } else { "int" },
            rows: order.len(),
            entries: places.len(),
            factors: factors.len(),
            jacobian_rows: pattern.len(),
            shared: pattern.partition_point(|&(_, column)| column as usize <= species),
            inverse_weights: wrapped(interface.species.iter().map(|species| real(1.0 / species.molecular_weight))),
            names: names(interface, plan),
            entry_rows: wrapped(pattern.iter().map(|(row, _)| row.to_string())),
            column_starts: wrapped(
                (0..=species as u32).map(|column| pattern.partition_point(|entry| entry.1 < column).to_string()),
            ),
            diagonal_entries: list(&diagonal_entries(pattern, order)),
            order: list(order),
            row_starts: list(&row_starts),
            entry_places: list(&places),
            entry_sources: list(&sources),
            factor_starts: list(&factor_starts),
            upper_starts: list(&upper_starts),
            factor_places: list(&factors),
            straight,
            calls,
            solution,
        }
    }
}

/// The Jacobian's entries on the diagonal by the places of the elimination but the last; the number of all entries where there is none.
fn diagonal_entries(pattern: &[(u32, u32)], order: &[usize]) -> Vec<usize> {
    let on_diagonal = |&unknown: &usize| {
        let is_entry = |&(row, column): &(u32, u32)| row as usize == unknown && column as usize == unknown;
        pattern.iter().position(is_entry).unwrap_or(pattern.len())
    };
    order[..order.len() - 1].iter().map(on_diagonal).collect()
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
