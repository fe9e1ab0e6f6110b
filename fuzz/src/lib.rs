//! What every target does with its input.

use std::sync::Arc;

use singe::diagnostic::{Source, Style, render, to_json};
use singe::mechanism::{Options, Sources, decode, parse, write};

pub const MECHANISM: &[u8] = include_bytes!("../../mechanisms/h2o2/chem.inp");
pub const THERMO: &[u8] = include_bytes!("../../mechanisms/h2o2/therm.dat");
pub const TRANSPORT: &[u8] = include_bytes!("../../mechanisms/h2o2/tran.dat");

/// Reads a mechanism strictly and permissively, and shows what is wrong with it. One that is right is written, and must
/// read back as the same.
pub fn read(mechanism: Arc<Source>, thermo: Option<&[u8]>, transport: Option<&[u8]>, reduction: Option<&[u8]>) {
    let companion = |name: &str, bytes: Option<&[u8]>| bytes.map(|bytes| decode(name, bytes));
    let sources = Sources {
        name: "fuzz".to_owned(),
        mechanism,
        thermo: companion("therm.dat", thermo),
        transport: companion("tran.dat", transport),
        reduction: companion("reduction.txt", reduction),
    };
    for permissive in [false, true] {
        match parse(&sources, Options { permissive, single_intermediate_temperature: permissive }) {
            Ok((mechanism, _)) => {
                write(&mechanism);
            }
            Err(diagnostics) => {
                render(&diagnostics, Style::Plain);
                to_json(&diagnostics);
            }
        }
    }
}
