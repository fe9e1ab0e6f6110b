//! The commands of the guide's page on tuning.

use testkit::page;

#[test]
fn tuning() {
    page::run(&["guide/tuning.md"], env!("CARGO_BIN_EXE_singe-tune"));
}
