//! Lanes that end where two predicates hold.

use crate::assembly::{counted, line};
use machine::target::Target;

/// `@P EXIT Q` ends the lanes for which both hold.
#[test]
fn lanes_end_that_hold_both_predicates() {
    let left = |exit: &str| {
        let before = [
            line("S2R R0, SR_TID.X").stall(15),
            line("ISETP.LT.AND P0, PT, R0, 0x10, PT").stall(15),
            line("LOP3.LUT R1, R0, 0x1, RZ, 0xc0, !PT").stall(15),
            line("ISETP.NE.AND P2, PT, R1, RZ, PT").stall(15),
            line("MOV R2, 32@lo(ring)").stall(15),
            line("MOV R3, 32@hi(ring)").stall(15),
        ];
        let after = [line(exit).stall(5), line("STG.E [R2.64], R0").stall(15)];
        let report = counted(&[&before[..], &after].concat(), Target::by_name("hopper").unwrap(), vec![0; 128]);
        report.warps[0].global_store_bytes / 4
    };
    assert_eq!(["@P0 EXIT", "@P0 EXIT P2", "@P0 EXIT !P2", "@!P0 EXIT P2", "EXIT P2"].map(left), [16, 24, 24, 24, 16]);
}
