//! The time below which no turn of a loop can come, whatever its warps wait for: what the issue slots, the pipes and the device memory of
//! an SM take for it.

use super::known::Known;
use crate::machine_code::trace::{Trace, WarpTrace};
use machine::target::{Pipeline, Target};
use sass::Pipe;

/// Returns the clocks for a turn of as many CTAs as the SM holds; `None` where turns are not marked.
pub(super) fn least_clocks(
    trace: &Trace,
    held: usize,
    known: &[Known],
    target: &Target,
    pipeline: &Pipeline,
) -> Option<u64> {
    let parts = f64::from(target.sub_partitions.max(1));
    let at_once = if pipeline.fixed.as_ref().is_some_and(|fixed| fixed.issues_two) { 2.0 } else { 1.0 };
    let (mut issued, mut pipes) = (0.0, [0.0; Pipe::ALL.len()]);
    let held = held.min(trace.ctas.len());
    for warp in trace.ctas.iter().take(held).flatten() {
        for at in turn(warp)? {
            let known = &known[warp.step(at).0 as usize];
            issued += 1.0 / at_once;
            // one access takes many clocks of the other pipes of memory, or none
            if !matches!(known.pipe, Pipe::Memory | Pipe::Constant) {
                pipes[known.pipe as usize] += f64::from(known.interval);
            }
        }
    }
    let doubles = if pipeline.doubles_are_shared { pipes[Pipe::Double as usize] } else { 0.0 };
    let busiest = pipes.into_iter().fold(issued, f64::max) / parts;
    let streamed = (32 * trace.streamed) as f64 * held as f64 / trace.ctas.len().max(1) as f64;
    let board = &target.board;
    // 10^6 clocks per second over 10^9 bytes per second
    let clocks_per_byte =
        f64::from(board.megahertz) * f64::from(board.multiprocessors) / (1e3 * f64::from(board.delivered()));
    Some(busiest.max(doubles).max(streamed * clocks_per_byte) as u64)
}

/// Steps of the second turn, which is the one that is repeated.
fn turn(warp: &WarpTrace) -> Option<std::ops::Range<usize>> {
    Some(*warp.marks.get(1)?..*warp.marks.get(2)?)
}
