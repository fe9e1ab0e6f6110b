//! Analyses of functions with tens of thousands of blocks: whatever the branches do, time grows hardly faster than the text.

use ptx::analysis::divergence::{Divergence, Options};
use ptx::analysis::gated::Gated;
use ptx::{Module, read};
use std::time::{Duration, Instant};

const BLOCKS: usize = 30_000;
/// Each takes a few seconds without optimisation; what grows with the square takes minutes. Generous, for busy machines.
const MOST: Duration = Duration::from_secs(200);

fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<3>; .reg .b32 %r<9>;
         .reg .b64 %d<3>;\nld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, %ctaid.x;\n{body}}}\n"
    );
    read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}"))
}

/// The text of each step, by its number.
fn chain(step: impl Fn(usize) -> String) -> String {
    (0..BLOCKS / 2).map(step).collect()
}

const TEST: &str = "add.u32 %r2, %r2, 3; setp.lt.u32 %p1, %r1, %r2;";

/// Blocks, branches, and branches at which all lanes go one way.
fn analyse(name: &str, body: &str) -> (usize, usize, usize) {
    let module = kernel(body);
    let func = module.func("k").unwrap();
    let begin = Instant::now();
    let gated = Gated::compute(func);
    let divergence = Divergence::compute(func, &gated, Options::default());
    let branches: Vec<bool> = func.layout.iter().filter_map(|b| divergence.uniform_branch(&gated, *b)).collect();
    let taken = begin.elapsed();
    println!("{name}: {} blocks, {taken:?}", func.layout.len());
    assert!(taken < MOST, "{name}: {taken:?}");
    (func.layout.len(), branches.len(), branches.iter().filter(|uniform| **uniform).count())
}

#[test]
fn guarded_ends() {
    analyse("guarded ends", &chain(|_| format!("{TEST} @%p1 exit;\n")));
}

#[test]
fn own_ends() {
    analyse("own ends", &chain(|i| format!("{TEST} @!%p1 bra L{i}; st.global.u32 [%d1], %r2; exit;\nL{i}:\n")));
}

#[test]
fn diamonds_in_an_endless_loop() {
    let steps = chain(|i| format!("{TEST} @%p1 bra L{i}; add.u32 %r3, %r3, %r2;\nL{i}:\n"));
    analyse("endless loop", &format!("AGAIN:\n{steps} st.global.u32 [%d1], %r3; bra AGAIN;\n"));
}

#[test]
fn many_endless_loops() {
    let steps = chain(|i| format!("L{i}: {TEST} @%p1 bra M{i}; add.u32 %r3, %r3, %r2; bra L{i};\nM{i}:\n"));
    analyse("loops", &steps);
    let steps = chain(|i| format!("{TEST} @%p1 bra M{i};\nL{i}: add.u32 %r3, %r3, %r2; bra L{i};\nM{i}:\n"));
    analyse("loops without end", &steps);
}

#[test]
fn ways_out_of_one_loop() {
    let steps = chain(|_| format!("{TEST} @%p1 bra OUT;\n"));
    analyse("ways out", &format!("AGAIN:\n{steps} bra AGAIN;\nOUT: st.global.u32 [%d1], %r2; ret;\n"));
}

#[test]
fn nested_branches() {
    let before = chain(|i| format!("{TEST} @%p1 bra L{i}; st.global.u32 [%d1], %r2;\n"));
    let behind: String = (0..BLOCKS / 2).rev().map(|i| format!("L{i}: add.u32 %r3, %r3, 1;\n")).collect();
    analyse("nested", &(before + &behind));
}

#[test]
fn ways_on_to_the_end() {
    let steps = chain(|i| format!("{TEST} @!%p1 bra L{i}; st.global.u32 [%d1], %r2; bra OUT;\nL{i}:\n"));
    analyse("ways on", &format!("{steps} OUT: st.global.u32 [%d1], %r2; ret;\n"));
}

/// As many values are brought out of the loop as there are ways out of it.
#[test]
fn a_value_for_each_way_out() {
    let steps = chain(|i| format!("setp.lt.u32 %p1, %r1, {i}; @%p1 bra OUT; add.u32 %v{i}, %r2, %r3;\n"));
    let reads = chain(|i| format!("add.u32 %r2, %r2, %v{i};\n"));
    let values = BLOCKS / 2;
    let body =
        format!(".reg .b32 %v<{values}>;\nAGAIN:\n{steps} bra AGAIN;\nOUT:\n{reads} st.global.u32 [%d1], %r2; ret;\n");
    analyse("values and ways out", &body);
}
