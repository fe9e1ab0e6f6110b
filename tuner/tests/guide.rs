//! The commands of the guide's page on tuning.

#[path = "../../tests/common/page.rs"]
mod page;
#[path = "../../tests/common/skip.rs"]
mod skip;

#[test]
fn tuning() {
    page::run(&["guide/tuning.md"], env!("CARGO_BIN_EXE_singe-tune"));
}
