//! The C header of a mechanism, as it reads and through C and C++ compilers.

use crate::provenance;
use emit_c::host::{ArrayInterface, Dialect, Interface, KernelInterface, Species, header};
use graph::Units;
use kernels::Io;
use machine::target::ComputeCapability;
use overlay::program::Array;
use std::process::Command;

fn interface() -> Interface {
    let species = |&(name, molecular_weight): &(&str, f64)| Species {
        name: name.to_owned(),
        molecular_weight,
        atoms: vec![f64::from(u8::from(name.contains('C'))), 2.0],
    };
    let array = |name: &str, rows, output, unit: &str, meaning: &str| ArrayInterface {
        array: Array { name: name.to_owned(), rows, output, io: Io::Double },
        unit: unit.to_owned(),
        meaning: meaning.to_owned(),
    };
    Interface {
        aliases: Vec::new(),
        mechanism: "h2-burke".to_owned(),
        species: [("H2", 2.01588), ("CH2", 14.02658), ("CH2(S)", 14.02658), ("CH2[S]", 14.02658), ("\"a\\", 1.0)]
            .iter()
            .map(species)
            .collect(),
        elements: vec!["C".to_owned(), "H".to_owned()],
        reactions: 27,
        units: Units::Si,
        io: Io::Double,
        target: "hopper".to_owned(),
        architecture: Some(ComputeCapability(9, 0)),
        dialect: Dialect::Cuda,
        kernels: vec![
            KernelInterface {
                pattern: vec![],
                has_workspace: false,
                symbol: "h2_burke_viscosity".to_owned(),
                summary: "Viscosity of the mixture.".to_owned(),
                accuracy: "exact to rounding".to_owned(),
                rows: vec![],
                arrays: vec![
                    array("temperature", 1, false, "K", "temperature"),
                    array("mole fractions", 5, false, "1", "mole fraction of each species"),
                    array("viscosity", 1, true, "Pa s", "viscosity"),
                ],
            },
            KernelInterface {
                pattern: vec![],
                has_workspace: false,
                symbol: "h2_burke_chemistry".to_owned(),
                summary: "Net production rates.".to_owned(),
                accuracy: "exact to rounding".to_owned(),
                rows: vec![],
                arrays: vec![array("rates", 5, true, "kmol/m^3/s", "net production rate of each species")],
            },
        ],
    }
}

fn text() -> String {
    header(&interface(), &provenance())
}

#[test]
fn the_text_of_a_header() {
    insta::assert_snapshot!(text());
}

#[test]
fn c_and_cpp_compilers_accept_it_without_a_remark() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h2_burke.h"), text()).unwrap();
    // Twice, as a host code may include it.
    let main = "#include \"h2_burke.h\"\n#include \"h2_burke.h\"\n\
                int call(const struct h2_burke_context *context, double *x) {\n  \
                return h2_burke_chemistry_launch(context, x, H2_BURKE_SPECIES, 32, 0) == SINGE_SUCCESS;\n}\n";
    for (compiler, language, standard) in [("gcc", "c", "-std=c99"), ("g++", "c++", "-std=c++98")] {
        let file = folder.path().join(format!("main.{language}"));
        std::fs::write(&file, main).unwrap();
        let compile = Command::new(compiler)
            .args(["-Wall", "-Wextra", "-Werror", "-pedantic", standard, "-fsyntax-only", "-x", language])
            .arg(&file)
            .output();
        match compile {
            Ok(output) => assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(reason) => testkit::skip::skip(format!("{compiler}: {reason}")),
        }
    }
}
