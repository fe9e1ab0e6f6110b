//! The pass that changes nothing: what is printed and read again is the same module. It shows what reading alone does to a text.

use super::options::Options;
use super::outcome::{Failure, Outcome, Report, unproven};
use ptx::ir::Module;
use ptx::read;

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, _: &Options) -> Result<Outcome, Failure> {
    let kernel = &module.funcs[index].name;
    let text = module.to_string();
    let again = read::text(&format!("{kernel}.ptx"), &text).map_err(Failure::Unproven)?;
    if again != module.canonical() {
        return Err(Failure::Unproven(vec![unproven("identity", kernel, &"the text reads as another module")]));
    }
    Ok(Outcome { module: again, report: Report::new("nothing changed".to_owned(), ()) })
}
