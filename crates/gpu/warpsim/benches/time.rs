//! Number of warp instructions per second that one core runs and times: the machine code of the committed kernels, for which
//! NVRTC, ptxas and nvdisasm must be installed.

use diagnostics::Source;
use machine::target::Target;
use machine::toolchain;
use std::sync::Arc;
use std::time::Instant;
use warpsim::Options;
use warpsim::machine_code;
use warpsim::setup::Setup;

#[path = "common/committed.rs"]
mod committed;

const SPECIES: usize = 53;

fn main() {
    for kernel in ["viscosity", "conductivity", "diffusion", "chemistry"] {
        match measured(kernel, Target::by_name("hopper").expect("a target")) {
            Ok(line) => println!("{line}"),
            Err(reason) => println!("gri30 {kernel}: {reason}"),
        }
    }
}

fn measured(kernel: &str, target: &Target) -> Result<String, String> {
    let arch = target.compute_capability;
    let tools = toolchain::find_for(arch).map_err(|absent| absent.to_string())?;
    let disassembler = toolchain::disassembler(arch).map_err(|absent| absent.to_string())?;
    let text = committed::text("gri30", kernel, &tools, arch)?;
    let cubin = tools.assemble(&text, arch).map_err(|failure| failure.to_string())?.cubin;
    let text = disassembler.disassemble(&cubin).map_err(|failure| failure.to_string())?;
    let listing = Arc::new(Source { name: kernel.to_owned(), text });
    let cubin = sass::read(kernel, &cubin, &listing).map_err(|wrong| format!("{wrong:?}"))?;

    let name = cubin.kernels[0].name.clone();
    let Setup { launch, buffers, .. } = committed::setup(SPECIES);
    let (mut best, mut instructions, mut cycles) = (f64::INFINITY, 0, 0);
    for _ in 0..10 {
        let (start, mut buffers) = (Instant::now(), buffers.clone());
        let timed = machine_code::time(&cubin, &name, &launch, &mut buffers, &Options::default(), target);
        let (report, timing) = timed.map_err(|failure| format!("{failure:?}"))?;
        best = best.min(start.elapsed().as_secs_f64());
        (instructions, cycles) = (report.total().instructions, timing.cycles);
    }
    let rate = instructions as f64 / best / 1e6;
    Ok(format!("gri30 {kernel}: {instructions} warp instructions, {cycles} cycles, {best:.3} s, {rate:.2} million/s"))
}
