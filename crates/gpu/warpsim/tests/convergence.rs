//! Divergence and reconvergence of lanes in machine code: small listings, each with the results that the lanes must leave in memory.

use diagnostics::Source;
use sass::{Cubin, Kernel, Table};
use std::sync::Arc;
use warpsim::machine_code::{self, Failure};
use warpsim::{Launch, Options};

/// Puts the lines between a head (R0 is the lane's number, R2 and R3 are the address of its result) and the store of R4;
/// addresses are counted here.
fn listing(lines: &str) -> Arc<Source> {
    let around =
        ["S2R R0, SR_TID.X ;", "MOV R2, 32@lo(out) ;", "MOV R3, 32@hi(out) ;", "IMAD.WIDE.U32 R2, R0, 0x4, R2 ;"];
    let behind = ["STG.E [R2.64], R4 ;", "EXIT ;"];
    let mut text = "\t.section\t.text.k,\"ax\",@progbits\nk:\n".to_owned();
    let mut address = 0;
    for line in around.into_iter().chain(lines.lines().map(str::trim)).chain(behind) {
        if line.ends_with(':') {
            text += &format!("{line}\n");
        } else if !line.is_empty() {
            text += &format!("        /*{address:04x}*/                   {line}\n");
            address += 16;
        }
    }
    Arc::new(Source { name: "k".to_owned(), text })
}

fn run(lines: &str) -> Result<machine_code::Report, Failure> {
    let listing = listing(lines);
    let instructions = sass::instructions(&listing).unwrap_or_else(|d| panic!("{d:?}")).remove("k").unwrap();
    let kernel = Kernel {
        name: "k".to_owned(),
        registers: 32,
        stack_bytes: 0,
        shared_bytes: 0,
        threads: None,
        cluster: [1; 3],
        parameters: Vec::new(),
        banks: Vec::new(),
        instructions,
    };
    let tables = vec![Table { name: "out".to_owned(), bytes: vec![0; 128] }];
    let cubin = Cubin { sm: 90, kernels: vec![kernel], tables, listing };
    machine_code::run(&cubin, "k", &Launch::linear(1, 32, Vec::new()), &mut [], &Options::default())
}

/// Whether the store was executed once, as all lanes are together there.
fn together(lines: &str) -> bool {
    let report = run(lines).unwrap_or_else(|failure| panic!("{failure:?}"));
    report.total().class(sass::Class::Global) == 1
}

const PARTED: &str = "
    ISETP.LT.AND P0, PT, R0, 0x5, PT ;
    @P0 BRA `(.then) ;
    MOV R4, 0x1 ;
    BRA `(.end) ;
.then:
    MOV R4, 0x2 ;
.end:
";

#[test]
fn lanes_that_parted_stay_apart_until_they_meet() {
    assert!(!together(PARTED));
    assert!(together(&format!("BSSY B0, `(.end) ;\n{PARTED}\nBSYNC B0 ;")));
    assert!(together(&format!("{PARTED}\nWARPSYNC.ALL ;")));
}

#[test]
fn lanes_that_leave_or_end_are_not_waited_for() {
    // the lanes below 5 leave the barrier and wait nowhere
    let left = "
        BSSY B0, `(.end) ;
        ISETP.LT.AND P0, PT, R0, 0x5, PT ;
        @P0 BREAK B0 ;
        @P0 BRA `(.out) ;
        MOV R4, 0x1 ;
    .end:
        BSYNC B0 ;
    .out:
    ";
    assert!(!together(left));
    // they can wait elsewhere for those that stay
    assert!(together(&format!("{left}\nWARPSYNC.ALL ;")));
    let ended = left.replace("@P0 BREAK B0 ;\n", "").replace("@P0 BRA `(.out)", "@P0 EXIT");
    assert!(together(&ended));
}

#[test]
fn lanes_that_wait_for_each_other_are_told() {
    let stuck = "
        BSSY B0, `(.end) ;
        ISETP.LT.AND P0, PT, R0, 0x5, PT ;
        @P0 BRA `(.end) ;
        WARPSYNC.ALL ;
    .end:
        BSYNC B0 ;
    ";
    let Err(Failure::Hazards(hazards)) = run(stuck) else { panic!("no hazard") };
    let said = hazards.to_string();
    assert!(said.contains("deadlock of lanes") && said.contains("WARPSYNC.ALL") && said.contains("BSYNC B0"), "{said}");
}

#[test]
fn a_barrier_is_kept_in_a_register() {
    let inner = PARTED.replace(".end", ".inner").replace(".then", ".other");
    let kept = format!(
        "BSSY B0, `(.end) ;\nBMOV.32.CLEAR R9, B0 ;\nBSSY B0, `(.inner) ;\n{inner}\nBSYNC B0 ;\nBMOV.32 B0, R9 ;\n{PARTED}\nBSYNC B0 ;"
    );
    assert!(together(&kept));
    // without it nobody is waited for
    assert!(!together(&kept.replace("BMOV.32 B0, R9 ;", "BMOV.32 B0, RZ ;")));
}

#[test]
fn branches_of_whole_warps() {
    // some lanes would go: none does, and the way behind serves both
    let uniform = "
        MOV R4, 0x7 ;
        ISETP.LT.AND P0, PT, R0, 0x5, PT ;
        @P0 BRA.U `(.skip) ;
        IADD3 R4, R4, 0x1, RZ ;
    .skip:
    ";
    assert!(together(uniform));
    // all lanes are there: no way around
    let divergent = "
        UMOV UR5, 0xffffffff ;
        BRA.DIV UR5, `(.around) ;
        MOV R4, 0x1 ;
        BRA `(.end) ;
    .around:
        BRA `(.around) ;
    .end:
    ";
    assert!(together(divergent));
}

#[test]
fn calls_return_to_where_each_lane_came_from() {
    let call = include_str!("convergence/calls.sass");
    assert!(together(call));
}
