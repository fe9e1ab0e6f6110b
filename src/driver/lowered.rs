//! Typed code of a program, with the plan of its named barriers.

use crate::observer::Observer;
use crate::plan::Resolved;
use command::Failure;
use overlay::program::Program;
use schedule::proof;

/// A program as code for the target, with what is proven of its named barriers where these are AMD's.
pub fn lowered(
    own: &Resolved<'_>,
    program: &Program,
    proven: &proof::Proven,
    observer: &mut Observer,
) -> Result<lower::code::Code, Failure> {
    let (k, target) = (Some(own.kernel), own.asked.common.target);
    let mut code = observer.pass("lower", k, || lower::lower(program, target));
    if let Some(amd) = target.amd().filter(|amd| amd.has_named_barriers()) {
        let room = amd.named_barriers_per_workgroup;
        code.named_barriers = observer
            .pass("prove barriers", k, || lower::named_barriers::proven(&code, room, proven.programs()))
            .map_err(Failure::verification)?;
    }
    Ok(code)
}
