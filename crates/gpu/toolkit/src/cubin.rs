//! Machine code: what the compilers make of a text, and how it is read.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};
use machine::target::{ComputeCapability, Target};
use machine::toolchain::{self, Job};
use sass::Cubin;
use warpsim::machine_code;

/// The cubin that the compilers make of a text for the target: of CUDA C++, or of PTX.
///
/// Errors: there are no compilers for the target, or they refuse the text.
pub fn assembled(name: &str, text: String, is_cuda: bool, target: &Target) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let arch = target.compute_capability;
    let said = |text: String| vec![Diagnostic::error("time::compilers", format!("{name}: {text}"))];
    let toolchain = if is_cuda { toolchain::find_for(arch) } else { toolchain::find_for_text(arch, &text) };
    let toolchain = toolchain.map_err(|absent| said(absent.to_string()))?;
    let ptx = if is_cuda {
        let job = Job { name: name.to_owned(), source: text, arch, options: vec![] };
        toolchain.compile_to_ptx(&job).map_err(|failure| said(failure.to_string()))?.text
    } else {
        text
    };
    toolchain.assemble(&ptx, arch).map(|assembled| assembled.cubin).map_err(|failure| said(failure.to_string()))
}

/// Why machine code for the target cannot be read here, or not be run.
pub fn reads_machine_code(target: &Target) -> Result<(), String> {
    if !machine_code::runs(target.compute_capability.number()) {
        return Err(format!("machine code of {} is not simulated", target.compute_capability.sm()));
    }
    toolchain::disassembler(target.compute_capability).map(|_| ()).map_err(|absent| absent.to_string())
}

/// Reads a cubin with the disassembler that knows its architecture.
///
/// Errors: the bytes are no cubin, no disassembler knows them, or what it prints cannot be read.
pub fn read_machine_code(name: &str, bytes: &[u8]) -> Result<Cubin, Vec<Diagnostic>> {
    let sm = sass::architecture(name, bytes)?;
    let unread = |reason: String| {
        let help =
            "`singe doctor` tells which nvdisasm is there, `cargo xtask toolchain` installs those for sm_35 and later";
        vec![Diagnostic::error("sass::disassembler", format!("{name}: {reason}")).help(help)]
    };
    if !machine_code::runs(sm) {
        let arch = ComputeCapability(sm / 10, sm % 10).sm();
        let text = format!("{name}: machine code of {arch} is not supported: it is neither run nor timed");
        let help = "Kepler (sm_35, sm_37) is, and Volta and later; of this one give PTX to `singe ptx sim`";
        return Err(vec![Diagnostic::error("sass::architecture", text).help(help)]);
    }
    let disassembler =
        toolchain::disassembler(ComputeCapability(sm / 10, sm % 10)).map_err(|e| unread(e.to_string()))?;
    let text = disassembler.disassemble(bytes).map_err(|e| unread(e.to_string()))?;
    sass::read(name, bytes, &Arc::new(Source { name: format!("{name}, disassembled"), text }))
}
