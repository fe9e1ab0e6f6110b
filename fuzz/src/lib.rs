//! Shared parts of the targets: each handles its input in the same way.

use std::sync::Arc;

use diagnostics::{Source, Style, render, to_json};
use mechanism::{Options, Sources, decode, parse, write, write_yaml};

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
                let _ = write(&mechanism);
                let text = write_yaml(&mechanism);
                let mechanism = decode("mech.yaml", text.as_bytes());
                let yaml = Sources { mechanism, thermo: None, transport: None, reduction: None, ..sources.clone() };
                // A few names have no form in YAML: they are refused, and not misread.
                if let Ok((again, _)) = parse(&yaml, Options::default()) {
                    assert_eq!(write_yaml(&again), text);
                }
            }
            Err(diagnostics) => {
                render(&diagnostics, Style::Plain);
                to_json(&diagnostics);
            }
        }
    }
}
