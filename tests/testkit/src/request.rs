//! A request to vary.

use kernels::Form;
use machine::target::Target;
use mechanism::Files;
use singe::driver::Request;

/// All kernels of a mechanism at 8 warps for Kepler, in the paper's form, verified; nothing is written.
pub fn new(mechanism: std::path::PathBuf) -> Request {
    Request { files: Files { mechanism, ..Files::default() }, ..Request::default() }.with(|r| {
        r.common.target = Target::by_name("kepler").unwrap();
        r.tuning.form = Some(Form::Pairwise);
    })
}
