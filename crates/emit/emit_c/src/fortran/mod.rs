//! Fortran from the typed [`Code`] of data-parallel kernels: a module of pure procedures that compute one point each, which loops of OpenACC
//! and of OpenMP may call on a device.

mod body;
mod functions;
mod lines;
mod number;
mod program;

use crate::base::Provenance;
use crate::base::glue::{Template, render};
use crate::base::names::Namer;
use crate::base::tables::real;
use crate::host::fortran::{LONGEST_NAME, continued, fortran_prefix, printable, text_literal};
use crate::host::{
    ArrayInterface, Interface, KernelInterface, file_comment, gas_constant, prefix, short_name, units_text,
};
use lines::{comment, declarations, statement};
use lower::code::Code;
use overlay::program::Unary;
use serde::Serialize;
use std::collections::BTreeSet;

pub use program::{Called, program};

/// The type of numbers.
const DOUBLE: &str = "real(dp)";

/// Directives of each procedure, for the two kinds of compilers for devices.
const DIRECTIVES: &str = "    !$acc routine seq\n    !$omp declare target\n";

/// The module of a mechanism's kernels, whose code must be data-parallel with one point per lane, in double precision; `codes` are in
/// the order of the interface's kernels.
pub fn device_module(interface: &Interface, codes: &[&Code], provenance: &Provenance) -> String {
    let short = fortran_prefix(&prefix(interface));
    let mut names = Names::new(interface);
    let kernels: Vec<(&KernelInterface, &Code)> = interface.kernels.iter().zip(codes.iter().copied()).collect();
    let printed = kernels
        .iter()
        .enumerate()
        .map(|(at, (kernel, code))| body::print(code, &procedure_name(interface, &kernel.symbol), at + 1));
    let printed: Vec<body::Printed> = printed.collect();
    let elementary: BTreeSet<Unary> = printed.iter().flat_map(|printed| printed.functions.iter().copied()).collect();
    let rows = interface.kernels.iter().flat_map(|kernel| kernel.rows.iter().map(move |rows| (kernel, rows)));
    let rows: Vec<Constant> = rows
        .map(|(kernel, rows)| Constant {
            constant: names.name(&format!("{}_{}", procedure_name(interface, &kernel.symbol), rows.name)),
            row: rows.first as usize + 1,
            remark: format!(" ! {}, {}", rows.meaning, rows.unit),
        })
        .collect();
    let species = (1..).zip(&interface.species).map(|(row, species)| Constant {
        constant: names.name(&format!("{short}_{}", species.name)),
        row,
        remark: format!(" ! {}", printable(&species.name)),
    });
    let species: Vec<Constant> = species.collect();
    let procedures = kernels
        .iter()
        .zip(printed)
        .map(|((kernel, _), printed)| Procedure::new(procedure_name(interface, &kernel.symbol), kernel, printed));
    let number = |x: f64| format!("{}_dp", real(x));
    let file = File {
        comment: file_comment("!", "Procedures of one point", &interface.mechanism, provenance),
        units: units_text(interface.units),
        species_count: interface.species.len(),
        reactions: interface.reactions,
        name_length: interface.species.iter().map(|s| printable(&s.name).len()).max().unwrap_or(1).max(1),
        species_names: continued(interface.species.iter().map(|s| text_literal(&s.name))),
        weights: continued(interface.species.iter().map(|s| number(s.molecular_weight))),
        gas_constant: number(gas_constant(interface.units)),
        procedures: procedures.collect(),
        elementary: elementary.into_iter().map(functions::definition).collect(),
        directives: DIRECTIVES,
        names: names.fixed,
        species,
        rows,
    };
    render(Template::FortranDevice, &file)
}

/// The name of the module.
pub fn module_name(interface: &Interface) -> String {
    format!("{}_device", fortran_prefix(&prefix(interface)))
}

/// The name of a kernel's procedure.
fn procedure_name(interface: &Interface, symbol: &str) -> String {
    let full = prefix(interface);
    shortened(&format!("{}_{}", fortran_prefix(&full), short_name(symbol, &full)))
}

/// The name as Fortran can have it: in small letters, as it knows no others, and not too long.
fn shortened(name: &str) -> String {
    name.to_lowercase().chars().take(LONGEST_NAME).collect()
}

/// Names of the module: those that there is one of, and those that constants get.
struct Names {
    fixed: Fixed,
    namer: Namer,
}

#[derive(Serialize)]
struct Fixed {
    module: String,
    species: String,
    reactions: String,
    species_names: String,
    molecular_weights: String,
    gas_constant: String,
    mean_weight_by_mole: String,
    mean_weight_by_mass: String,
    mass_from_mole: String,
    mole_from_mass: String,
    density_by_mole: String,
    density_by_mass: String,
    pressure_by_mass: String,
    /// The procedures among them.
    conversions: Vec<String>,
}

impl Names {
    fn new(interface: &Interface) -> Self {
        let procedures: Vec<String> =
            interface.kernels.iter().map(|kernel| procedure_name(interface, &kernel.symbol)).collect();
        let mut namer = Namer::reserving(procedures.iter().map(String::as_str).chain(["dp", "int64", "all_bits"]));
        let short = fortran_prefix(&prefix(interface));
        let mut name = |what: &str| namer.name(&shortened(&format!("{short}_{what}")));
        let mut fixed = Fixed {
            module: name("device"),
            species: name("species"),
            reactions: name("reactions"),
            species_names: name("species_names"),
            molecular_weights: name("molecular_weights"),
            gas_constant: name("gas_constant"),
            mean_weight_by_mole: name("mean_weight_by_mole"),
            mean_weight_by_mass: name("mean_weight_by_mass"),
            mass_from_mole: name("mass_from_mole"),
            mole_from_mass: name("mole_from_mass"),
            density_by_mole: name("density_by_mole"),
            density_by_mass: name("density_by_mass"),
            pressure_by_mass: name("pressure_by_mass"),
            conversions: Vec::new(),
        };
        let conversions = [
            &fixed.mean_weight_by_mole, &fixed.mean_weight_by_mass, &fixed.mass_from_mole, &fixed.mole_from_mass,
            &fixed.density_by_mole, &fixed.density_by_mass, &fixed.pressure_by_mass,
        ];
        fixed.conversions = conversions.map(String::clone).into();
        Self { fixed, namer }
    }

    fn name(&mut self, hint: &str) -> String {
        self.namer.name(&shortened(hint))
    }
}

#[derive(Serialize)]
struct File {
    comment: String,
    units: &'static str,
    names: Fixed,
    species_count: usize,
    reactions: usize,
    name_length: usize,
    species: Vec<Constant>,
    species_names: String,
    weights: String,
    gas_constant: String,
    /// First rows of quantities.
    rows: Vec<Constant>,
    procedures: Vec<Procedure>,
    elementary: String,
    directives: &'static str,
}

#[derive(Serialize)]
struct Constant {
    constant: String,
    row: usize,
    remark: String,
}

#[derive(Serialize)]
struct Procedure {
    name: String,
    comment: String,
    arguments: String,
    declarations: String,
    body: String,
    /// Functions that it calls for its constants.
    tables: String,
}

impl Procedure {
    fn new(name: String, kernel: &KernelInterface, printed: body::Printed) -> Self {
        let arrays = || kernel.arrays.iter().zip(&printed.arrays);
        let shape = |array: &ArrayInterface, name: &str| match array.array.rows {
            1 => name.to_owned(),
            rows => format!("{name}({rows})"),
        };
        let about = arrays().map(|(array, name)| {
            let direction = if array.array.output { "out" } else { "in " };
            format!("  {direction} {}: {}, {}", shape(array, name), array.meaning, array.unit)
        });
        let rows = kernel.rows.iter().map(|rows| format!("  row {}: {}, {}", rows.first + 1, rows.meaning, rows.unit));
        let lines = [kernel.summary.clone(), format!("  {}", kernel.accuracy)].into_iter().chain(about).chain(rows);
        let declared = |output: bool, intent: &str| {
            let own = arrays().filter(|(array, _)| array.array.output == output);
            let names: Vec<String> = own.map(|(array, name)| shape(array, name)).collect();
            declarations(2, &format!("{DOUBLE}, intent({intent})"), &names)
        };
        // Else compilers remark on them.
        let unused = |name: &String| format!("    associate (unused => {name})\n    end associate\n");
        Self {
            comment: lines.map(|line| comment(1, &line)).collect(),
            arguments: statement(3, &printed.arrays.join(", ")).trim_end().to_owned(),
            declarations: declared(false, "in") + &declared(true, "out") + &printed.declarations,
            body: printed.unused.iter().map(unused).collect::<String>() + &printed.body,
            tables: printed.tables,
            name,
        }
    }
}
