//! The committed kernels of combustion mechanisms, as NVRTC makes PTX of them, each with a launch.

use machine::target::ComputeCapability;
use machine::toolchain::{Job, Toolchain};
use ptx::Module;
use std::path::Path;
use warpsim::setup::Setup;
use warpsim::{Argument, Buffer, Launch, Schedule};

const POINTS: u32 = 256;

/// Returns the PTX of a kernel.
///
/// # Errors
/// The file is missing, or NVRTC refuses it.
pub fn module(mechanism: &str, kernel: &str, tools: &Toolchain, arch: ComputeCapability) -> Result<Module, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../generated").join(mechanism);
    let source = std::fs::read_to_string(folder.join(format!("{mechanism}_{kernel}.cu"))).map_err(|e| e.to_string())?;
    // the committed text is Kepler's
    let source = format!("#define __shfl(value, lane) __shfl_sync(0xffffffffu, value, lane)\n{source}");
    let job = Job { name: kernel.to_owned(), source, arch, options: Vec::new() };
    let text = tools.compile_to_ptx(&job).map_err(|failure| failure.to_string())?.text;
    ptx::read::text(&format!("{mechanism}-{kernel}"), &text).map_err(|list| format!("{list:?}"))
}

/// A launch of one CTA at 1500 K and one atmosphere.
pub fn setup(species: usize) -> Setup {
    let points = POINTS as usize;
    let states = [vec![1500.0; points], vec![101_325.0; points], vec![1.0 / species as f64; species * points]];
    let inputs = states.iter().map(|state| Buffer::input(state));
    let buffers = inputs.chain([Buffer::output(species * points)]).collect();
    let arguments = (0..4).map(Argument::Buffer).chain([Argument::U32(POINTS), Argument::U32(POINTS)]).collect();
    let launch = Launch::linear(1, 256, arguments);
    Setup { kernel: None, launch, buffers, outputs: Vec::new(), schedule: Schedule::RoundRobin }
}
