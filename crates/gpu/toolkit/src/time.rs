//! `singe ptx time K.cubin --launch launch.toml --target hopper`: how long an SM takes for a launch, and why.

use std::path::Path;

use super::arguments::TimeArguments;
use super::kernel::{bytes, text};
use super::sim::{ELF, chosen, stopped, wrong};
use crate::cubin;
use crate::picture::{self, Bar};
use command::Failure;
use command::files;
use command::print;
use diagnostics::Diagnostic;
use machine::target::Target;
use sass::Cubin;
use warpsim::Options;
use warpsim::machine_code::{self, Cause, Timing, Turns};
use warpsim::setup::{self, Setup};

pub fn run(arguments: &TimeArguments) -> Result<(), Failure> {
    let (_, cubin) = code(&arguments.code, arguments.target)?;
    let folder = arguments.launch.parent().unwrap_or(Path::new(""));
    let setup = setup::read(&text(&arguments.launch)?, folder).map_err(|e| wrong(&arguments.launch, &e))?;
    let Setup { kernel, launch, mut buffers, schedule, .. } = setup;
    let names: Vec<&str> = cubin.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let kernel = chosen(kernel, &names, &arguments.launch)?;
    let options = Options { schedule, permits_races: arguments.permit_races, ..Options::default() };
    let alone = arguments.alone.then(|| arguments.target.alone());
    let target = alone.as_ref().unwrap_or(arguments.target);
    let timed = match arguments.turns {
        None => machine_code::time(&cubin, &kernel, &launch, &mut buffers, &options, target)
            .map(|(report, timing)| (report, Some(timing))),
        Some(turns) => {
            let turns = turns.get() as usize;
            machine_code::time_of_turns(&cubin, &kernel, &launch, &mut buffers, &options, target, turns)
        }
    };
    let (report, timing) = timed.map_err(|failure| stopped(&kernel, failure))?;
    let timing = timing.ok_or_else(|| Failure::input(vec![no_loop(&kernel)]))?;
    for race in &report.races {
        diagnostics::to_stderr(format_args!(
            "warning: {kernel}, {race}; on a GPU its warps may interleave, and branch, in another way\n"
        ));
    }
    if let Some(folder) = &arguments.picture {
        let warps = launch.size().div_ceil(32) as usize;
        files::write(folder, &pictures(&kernel, arguments.target, &timing, warps), arguments.force)
            .map_err(Failure::input)?;
    }
    if arguments.json {
        let turns = Turns::from_timing(&timing);
        let all =
            serde_json::json!({ "kernel": kernel, "target": arguments.target.name, "timing": timing, "turns": turns });
        return print(format_args!("{all:#}\n"));
    }
    print(format_args!("{}", table(&kernel, arguments.target, &timing)))
}

/// Returns the refusal of `--turns` for a kernel without a loop that it can prolong.
fn no_loop(kernel: &str) -> Diagnostic {
    let text =
        format!("{kernel} has no loop that every warp of the launch turns three times or more, all of them alike");
    Diagnostic::error("time::turns", text).help("give the launch more work, or leave out --turns")
}

/// Machine code, or what the compilers make of a text for the target: its bytes, and what they hold.
pub fn code(path: &Path, target: &Target) -> Result<(Vec<u8>, Cubin), Failure> {
    let name = path.display().to_string();
    let mut bytes = bytes(path)?;
    if !bytes.starts_with(ELF) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let is_cuda = path.extension().is_some_and(|extension| extension == "cu");
        bytes = cubin::assembled(&name, text, is_cuda, target).map_err(Failure::input)?;
    }
    let cubin = cubin::read_machine_code(&name, &bytes).map_err(Failure::input)?;
    Ok((bytes, cubin))
}

/// The name and the text of each picture.
fn pictures(kernel: &str, target: &Target, timing: &Timing, warps_per_cta: usize) -> [(String, String); 2] {
    let title = format!("{kernel}: an SM of {}", target.name);
    let critical = timing.critical_path(warps_per_cta);
    let all = critical.iter().sum::<u64>().max(1) as f64;
    let bars: Vec<Bar> = timing
        .warps
        .iter()
        .zip(critical)
        .enumerate()
        .map(|(warp, (time, critical))| Bar {
            name: format!("CTA {} warp {}", warp / warps_per_cta, warp % warps_per_cta),
            clocks: Cause::ALL.map(|cause| time.clocks(cause) as f64),
            critical: critical as f64 / all,
        })
        .collect();
    let line = picture::timeline(&title, &timing.timeline, warps_per_cta, &[]);
    [("timeline.svg".into(), line), ("causes.svg".into(), picture::bars(&title, &bars))]
}

fn table(kernel: &str, target: &Target, timing: &Timing) -> String {
    let Timing { cycles, issued, resident_ctas, warps, .. } = timing;
    let rate = *issued as f64 / (*cycles).max(1) as f64;
    let mut out = format!(
        "kernel {kernel}: {cycles} cycles on one SM of {}, {issued} warp instructions, {rate:.2} per cycle, \
         up to {resident_ctas} CTAs at once\n",
        target.name
    );
    if let Some(Turns { turns, mean, least, most, has_settled }) = Turns::from_timing(timing) {
        let settled = if has_settled { "" } else { ", which has not settled" };
        out += &format!("{turns} turns of its loop: {mean:.0} cycles each, from {least:.0} to {most:.0}{settled}\n");
    }
    out += "\ncycles of each warp by what they went to\n";
    let width = |cause: Cause| cause.name().len().max(8);
    let head: Vec<String> = Cause::ALL.iter().map(|cause| format!("{:>1$}", cause.name(), width(*cause))).collect();
    out += &format!("{:<5} {:>8} {}\n", "warp", "cycles", head.join(" "));
    for (number, warp) in warps.iter().enumerate() {
        let cells: Vec<String> = Cause::ALL.iter().map(|c| format!("{:>1$}", warp.clocks(*c), width(*c))).collect();
        out += &format!("{number:<5} {:>8} {}\n", warp.cycles(), cells.join(" "));
    }
    out
}
