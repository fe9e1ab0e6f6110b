//! Any bytes as a mechanism file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use singe::diagnostic::{Style, render};
use singe::mechanism::{Options, Sources, decode, parse};

const THERMO: &[u8] = include_bytes!("../../mechanisms/h2o2/therm.dat");
const TRANSPORT: &[u8] = include_bytes!("../../mechanisms/h2o2/tran.dat");

fuzz_target!(|data: &[u8]| {
    let sources = Sources {
        name: "fuzz".to_owned(),
        mechanism: decode("chem.inp", data),
        thermo: Some(decode("therm.dat", THERMO)),
        transport: Some(decode("tran.dat", TRANSPORT)),
    };
    if let Err(diagnostics) = parse(&sources, Options { permissive: true }) {
        render(&diagnostics, Style::Plain);
    }
});
