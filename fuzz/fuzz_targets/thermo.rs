//! Any bytes as a THERMO file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use singe::diagnostic::{Style, render};
use singe::mechanism::{Options, Sources, decode, parse};

const MECHANISM: &[u8] = include_bytes!("../../mechanisms/h2o2/chem.inp");

fuzz_target!(|data: &[u8]| {
    let sources = Sources {
        name: "fuzz".to_owned(),
        mechanism: decode("chem.inp", MECHANISM),
        thermo: Some(decode("therm.dat", data)),
        transport: None,
    };
    if let Err(diagnostics) = parse(&sources, Options { permissive: true }) {
        render(&diagnostics, Style::Plain);
    }
});
