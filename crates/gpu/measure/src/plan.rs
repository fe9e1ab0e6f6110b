//! Packs: machine code with a plan of the runs.

use crate::benchmark::{Clock, Sample, Series};
use crate::model::Tools;
use crate::pack::Pack;
use machine::target::Target;
use std::fmt::Write;

/// The name of the plan in its folder.
pub const FILE: &str = "plan.txt";

/// A pack of the series for a target, with the clocks of the model beside each kernel.
///
/// # Errors
/// A compiler is absent or refuses a text, or the simulator refuses a kernel.
pub fn pack(all: &[Series], target: &Target) -> Result<Pack, String> {
    let tools = Tools::find(target)?;
    let (mut pack, mut plan) = (Pack::default(), head(target));
    let board = pack.keep("board.cubin", tools.board(target)?);
    let _ = writeln!(plan, "board module={board} nothing=nothing halve=halve places=places");
    for series in all {
        pack.keep(module(series), tools.cubin(series, target, Clock::Device)?);
        for sample in tools.samples(series, target)? {
            plan += &line(series, &sample);
        }
    }
    pack.keep(FILE, plan);
    Ok(pack)
}

/// The first line of a plan.
pub(crate) fn head(target: &Target) -> String {
    let arch = target.compute_capability;
    format!("plan target={} major={} minor={}\n", target.name, arch.0, arch.1)
}

fn module(series: &Series) -> String {
    format!("{}.cubin", series.name)
}

/// Returns the plan's line for a run, with the model's clocks.
fn line(series: &Series, sample: &Sample) -> String {
    let ([few, many], [model_few, model_many]) = (sample.rounds, sample.clocks);
    let data = series.data;
    format!(
        "sample series={} length={} module={} entry={} threads={} few={few} many={many} bytes={} stride={} cold={} \
         model_few={model_few} model_many={model_many}\n",
        series.name,
        sample.length,
        module(series),
        series.entry(sample.length),
        32 * series.warps,
        data.bytes,
        data.stride,
        u8::from(data.cold),
    )
}
