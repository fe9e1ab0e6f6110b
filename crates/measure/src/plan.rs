//! Packs: machine code with a plan of what is run.

use crate::benchmark::{Clock, Sample, Series};
use crate::model::Tools;
use machine::target::Target;
use std::path::Path;

/// The name of the plan in its folder.
pub const FILE: &str = "plan.txt";

/// Writes a pack of the series for a target, with the clocks of the model beside each kernel.
///
/// # Errors
/// A compiler is absent or refuses a text, the simulator refuses a kernel, or the folder cannot be written.
pub fn write(folder: &Path, all: &[Series], target: &Target) -> Result<(), String> {
    let unwritable = |error: std::io::Error| format!("{} cannot be written: {error}", folder.display());
    let tools = Tools::find(target)?;
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let mut plan = head(target);
    for series in all {
        let cubin = tools.cubin(series, target, Clock::Device)?;
        std::fs::write(folder.join(module(series)), cubin).map_err(unwritable)?;
        for sample in tools.samples(series, target)? {
            plan += &line(series, &sample);
        }
    }
    std::fs::write(folder.join(FILE), plan).map_err(unwritable)
}

/// The first line of a plan.
pub(crate) fn head(target: &Target) -> String {
    let arch = target.compute_capability;
    format!("plan target={} major={} minor={}\n", target.name, arch.0, arch.1)
}

fn module(series: &Series) -> String {
    format!("{}.cubin", series.name)
}

/// What is run, and what the model says of it.
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
