//! Facts that passes learn from a kernel's launch: the cost of its versions, the shape of its CTAs, and the shared memory that it adds.

use std::path::Path;
use std::sync::Arc;

use super::kernel::text;
use super::sim::{chosen, wrong};
use command::Failure;
use machine::target::Target;
use passes::{Options, at_level};
use ptx::Module;
use warpsim::{Appraisal, setup};

/// The kernel of a launch, and what its passes are told; `launch_shared` in place of the shared memory of the launch.
pub(super) fn launched(
    module: &Module,
    kernels: &[String],
    path: &Path,
    given: &Options,
    launch_shared: Option<u32>,
) -> Result<(String, Options), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut setup = setup::read(&text(path)?, folder).map_err(|e| wrong(path, &e))?;
    let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let kernel = chosen(setup.kernel.clone(), &names, path)?;
    let shared = launch_shared.unwrap_or(u32::try_from(setup.launch.shared).unwrap_or(u32::MAX));
    setup.launch.shared = shared.into();
    let target = given.target.or_else(|| Target::by_name(&format!("sm_{}", module.sm)).ok());
    let model = Appraisal::new(module, &kernel, &setup, target);
    let model = model.map_err(|unfit| Failure::input([unfit.of_first(&kernel)]))?;
    let block = given.block.or(Some(setup.launch.threads));
    let occupancy = at_level::Options { launch_shared: shared, ..given.occupancy };
    Ok((kernel, Options { block, occupancy, model: Some(Arc::new(model)), ..given.clone() }))
}
