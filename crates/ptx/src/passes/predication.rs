//! Thread-aware predication as a pass.

pub use super::options::PredicationOptions as Options;
use super::outcome::{Failure, Outcome, Report, counted};
use crate::analysis::divergence::BlockShape;
use crate::ir::Module;
use crate::predicate;

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, options: &super::options::Options) -> Result<Outcome, Failure> {
    let Options { sbu, rbu, predicates } = options.predication;
    let block = options.block.map_or(BlockShape::Unknown, BlockShape::Known);
    let sm = options.target.map(|target| target.compute_capability.number());
    let given = predicate::Options { sbu, rbu, predicates, block, sm, ..predicate::Options::default() };
    let (result, report) = match predicate::predicate(module, index, &given) {
        Ok(made) => made,
        Err(violations) => {
            let why: Vec<String> = violations.iter().map(ToString::to_string).collect();
            let summary = format!("left alone, since it is not proven: {}", why.join("; "));
            return Ok(Outcome { module: module.clone(), report: Report::new(summary, predicate::Report::default()) });
        }
    };
    let summary = format!(
        "{} under masks, {} for loops, {} for sides of branches; uniform branches that stay: {}, regions that keep the stack: {}",
        counted(report.masked_blocks, "block"),
        counted(report.loop_tests, "vote"),
        report.side_tests,
        report.uniform_branches,
        report.stacks,
    );
    Ok(Outcome { module: result, report: Report::new(summary, report) })
}
