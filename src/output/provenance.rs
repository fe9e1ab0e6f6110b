//! Provenance of generated files, as they state it.

use crate::plan::Request;
use emit_c::base::{Input, Provenance};
use kinetics::Model;

pub fn provenance(request: &Request, model: &Model) -> Provenance {
    Provenance {
        command_line: request.command.clone(),
        inputs: inputs(request, model),
        mechanism: model.mechanism.name.clone(),
        ctas_per_sm: request.tuning.ctas_per_sm.count,
        form: None,
        precision: None,
    }
}

/// The files that were read, with their hashes; those whose sections stand for further files say so.
fn inputs(request: &Request, model: &Model) -> Vec<Input> {
    let files = model.mechanism.inputs.iter().chain(&request.config);
    let input = |file: &mechanism::Input| {
        let with = match file.sections.as_slice() {
            [] => String::new(),
            sections => format!(" (with its sections {})", sections.join(" and ")),
        };
        Input { name: file.name.clone() + &with, sha256: file.sha256.clone() }
    };
    files.map(input).collect()
}
