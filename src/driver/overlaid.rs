//! The program of a proven schedule, as its precision, its slots and its target want it.

use crate::fault;
use crate::observer::Observer;
use crate::plan::Resolved;
use graph::Graph;
use overlay::program::{Arithmetic, Program};
use schedule::Limits;
use schedule::proof::Proven;
use schedule::single::Claim;

/// Merges the programs of the warps; groups of warps of a crowded schedule may meet at barriers of their own.
pub fn overlaid(
    own: &Resolved<'_>,
    (graph, proven): (&Graph, &Proven),
    single: Option<&Claim>,
    (limits, is_crowded): (&Limits, bool),
    symbol: &str,
    observer: &mut Observer,
) -> Program {
    let common = &own.asked.common;
    let frame = own.frame(limits, is_crowded);
    let overlay = || overlay::overlay(graph, proven, own.codegen, own.residence(), symbol, frame);
    let mut program = observer.pass("overlay", Some(own.kernel), overlay);
    program.arrays.iter_mut().for_each(|array| array.io = common.precision.io);
    if let Some(claim) = single {
        program.arithmetic = Arithmetic::Single { bound: claim.bound() };
    }
    if let Some(room) = limits.in_shared {
        program.spread(room);
    }
    if common.target.is_amd() {
        program = overlay::with_separate_entries(&program).unwrap_or(program);
    }
    fault::in_program(own.asked.fault, &mut program);
    program
}
