//! Thread-aware predication as a pass.

pub use super::options::PredicationOptions as Options;
use super::outcome::{Failure, Outcome, Report, counted};
use crate::predicate;
use ptx::analysis::divergence::BlockShape;
use ptx::ir::Module;

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
    if let Some(why) = slower(module, &result, index, options) {
        return Ok(Outcome { module: module.clone(), report: Report::new(why, predicate::Report::default()) });
    }
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

/// Why the kernel is left alone: the model of a launch says that predicates take longer.
fn slower(before: &Module, after: &Module, index: usize, options: &super::options::Options) -> Option<String> {
    let (model, kernel) = (options.model.as_ref()?, &before.funcs[index].name);
    let [old, new] = [before, after].map(|module| model.cycles(module, kernel));
    let (old, new) = old.ok().zip(new.ok()).filter(|(old, new)| new > old)?;
    Some(format!("left alone, since predicates take {new} {} instead of {old}", model.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use ptx::cost::{Model, Unfit};
    use std::sync::Arc;

    /// A cycle for each guarded instruction, or one less for each.
    #[derive(Debug)]
    struct Guards(bool);

    impl Model for Guards {
        fn cycles(&self, module: &Module, _: &str) -> Result<u64, Unfit> {
            let guards = module.to_string().matches('@').count() as u64;
            Ok(if self.0 { guards } else { 1000 - guards })
        }

        fn name(&self) -> String {
            "cycles of guards".to_owned()
        }
    }

    const TEXT: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p;\n.reg .b32 %r<3>;
        .reg .b64 %d;\nld.param.u64 %d, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 1;\nsetp.lt.u32 %p, %r1, 7;\n@%p bra SMALL;
        add.u32 %r2, %r2, %r1;\nxor.b32 %r2, %r2, 5;\nbra END;\nSMALL:\nmul.lo.u32 %r2, %r1, 3;\nEND:\nst.global.u32 [%d], %r2;\nret;\n}";

    #[test]
    fn a_kernel_that_predicates_make_slower_is_left_alone() {
        let module = ptx::read::text("k.ptx", TEXT).expect("this is PTX");
        let pass = Pass::by_name("predicate").expect("it is in the table");
        let run = |dear| {
            let options = super::super::options::Options { model: Some(Arc::new(Guards(dear))), ..Default::default() };
            pass.run(&module, "k", &options).expect("it refuses nothing")
        };
        let (slower, faster) = (run(true), run(false));
        assert!(slower.module == module && slower.report.summary.contains("left alone"), "{}", slower.report.summary);
        assert!(faster.module != module, "{}", faster.report.summary);
    }
}
