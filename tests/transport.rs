//! The transport kernel of a larger mechanism: proven and verified against the reference; shared parts are computed once.

use kernels::{Form, Kernel, Options, TRANSPORT_PARTS};
use testkit::verified::each;

#[test]
fn gri30_is_verified_and_shares_what_its_parts_have_in_common() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    assert!(each(&model, &[Kernel::Transport], |r| r.tuning.form = Some(Form::Symmetric), [8]) > 0.0);
    let options = Options { form: Form::Pairwise, warps: 1, ..Options::default() };
    let built = |kernel| kernels::build(kernel, &model, &options).unwrap();
    let parts = TRANSPORT_PARTS.map(built);
    let whole = built(Kernel::Transport);
    let (steps, slots): (usize, u64) =
        (parts.iter().map(|g| g.ops.len()).sum(), parts.iter().map(|g| g.slots(1)).sum());
    println!("operations: {} of {steps}; slots: {} of {slots}", whole.ops.len(), whole.slots(1));
    assert!(whole.ops.len() <= steps && whole.slots(1) < slots);
}
