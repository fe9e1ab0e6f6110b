//! How many warp instructions per second one core runs and times: the machine code of the committed kernels, for which NVRTC, ptxas and
//! nvdisasm must be installed.

use diagnostics::Source;
use machine::target::Target;
use machine::toolchain::{self, Job};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use warpsim::machine_code;
use warpsim::{Argument, Buffer, Launch, Options};

const POINTS: u32 = 256;
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/gri30");
    let source = std::fs::read_to_string(folder.join(format!("gri30_{kernel}.cu"))).map_err(|e| e.to_string())?;
    // the committed text is Kepler's
    let source = format!("#define __shfl(value, lane) __shfl_sync(0xffffffffu, value, lane)\n{source}");
    let job = Job { name: kernel.to_owned(), source, arch, options: Vec::new() };
    let ptx = tools.compile_to_ptx(&job).map_err(|failure| failure.to_string())?;
    let cubin = tools.assemble(&ptx.text, arch).map_err(|failure| failure.to_string())?.cubin;
    let text = disassembler.disassemble(&cubin).map_err(|failure| failure.to_string())?;
    let listing = Arc::new(Source { name: kernel.to_owned(), text });
    let cubin = sass::read(kernel, &cubin, &listing).map_err(|wrong| format!("{wrong:?}"))?;

    let (name, points) = (cubin.kernels[0].name.clone(), POINTS as usize);
    let states = [vec![1500.0; points], vec![101_325.0; points], vec![1.0 / SPECIES as f64; SPECIES * points]];
    let buffers = || -> Vec<Buffer> {
        let inputs = states.iter().map(|state| Buffer::input(state));
        inputs.chain([Buffer::output(SPECIES * points)]).collect()
    };
    let arguments = (0..4).map(Argument::Buffer).chain([Argument::U32(POINTS), Argument::U32(POINTS)]).collect();
    let launch = Launch::linear(1, 256, arguments);
    let (mut best, mut instructions, mut cycles) = (f64::INFINITY, 0, 0);
    for _ in 0..10 {
        let (start, mut buffers) = (Instant::now(), buffers());
        let timed = machine_code::time(&cubin, &name, &launch, &mut buffers, &Options::default(), target);
        let (report, timing) = timed.map_err(|failure| format!("{failure:?}"))?;
        best = best.min(start.elapsed().as_secs_f64());
        (instructions, cycles) = (report.total().instructions, timing.cycles);
    }
    let rate = instructions as f64 / best / 1e6;
    Ok(format!("gri30 {kernel}: {instructions} warp instructions, {cycles} cycles, {best:.3} s, {rate:.2} million/s"))
}
