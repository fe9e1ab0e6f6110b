//! A request to vary.

use machine::target::Target;
use mechanism::Files;
use singe::driver::Request;
use singe::kernels::Form;

#[allow(dead_code, reason = "tests of the command name shipped mechanisms alone")]
/// All kernels of a mechanism at 8 warps for Kepler, in the paper's form, verified; nothing is written.
pub fn of(mechanism: std::path::PathBuf) -> Request {
    Request { files: Files { mechanism, ..Files::default() }, ..Request::default() }.with(|r| {
        r.common.target = Target::by_name("kepler").unwrap();
        r.tuning.form = Some(Form::Pairwise);
    })
}

/// A mechanism that comes with the project.
#[allow(dead_code, reason = "not every test that varies a request compiles a shipped mechanism")]
pub fn shipped(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms").join(name).join("chem.inp")
}
