//! Wrong plans, each of which the checker must report.

use super::parse;
use passes::predicate::check::{Beliefs, Kind, check};
use passes::predicate::plan::{Plan, Step};
use passes::predicate::{Options, plan};
use ptx::ir::{Block, Func};
use std::collections::BTreeSet;

/// Returns a branch with two sides and a loop, as planned.
fn planned() -> (Func, Plan) {
    let module = parse(
        ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 k_out, .param .u32 k_n)\n{
        .reg .pred %p<9>;\n.reg .b32 %r<9>;
        mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 8;\n@%p0 bra THEN;\nmov.u32 %r2, 3;\nbra JOIN;
        THEN:\nmov.u32 %r2, 4;\nJOIN:\nadd.u32 %r0, %r0, 1;
        LOOP:\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOOP;\nret;\n}",
    );
    let func = module.funcs[0].clone();
    let plan = plan(&module, &func, &Options::default()).expect("it is proven").expect("it ends").plan().clone();
    (func, plan)
}

fn found(func: &Func, plan: Plan) -> Vec<Kind> {
    let (uniform, together) = (BTreeSet::new(), BTreeSet::new());
    let beliefs = Beliefs { uniform: &uniform, together: &together };
    check(func, plan, &beliefs).err().unwrap_or_default().into_iter().map(|violation| violation.kind).collect()
}

/// Returns the kinds reported for the plan with the first fitting step changed.
fn changed(change: impl Fn(&Step) -> Option<Vec<Step>>) -> Vec<Kind> {
    let (func, mut plan) = planned();
    let place = plan.regions.iter_mut().find_map(|region| {
        let at = region.steps.iter().position(|step| change(step).is_some())?;
        Some((region, at))
    });
    let (region, at) = place.expect("the plan has such a step");
    let steps = change(&region.steps[at]).expect("it was found");
    region.steps.splice(at..=at, steps);
    found(&func, plan)
}

#[test]
fn the_plan_itself_is_right() {
    let (func, plan) = planned();
    assert_eq!(plan.regions.len(), 2, "{plan}");
    assert_eq!(found(&func, plan), []);
}

#[test]
fn a_block_under_no_mask_or_not_at_all() {
    let masked = |step: &Step| match step {
        Step::Run { block, guard: Some(_) } => Some(*block),
        _ => None,
    };
    let all = changed(|step| masked(step).map(|block| vec![Step::Run { block, guard: None }]));
    assert!(matches!(all[..], [Kind::Wrong { .. } | Kind::Late { .. }, ..]), "{all:?}");
    let none = changed(|step| masked(step).map(|_| Vec::new()));
    assert!(matches!(none[..], [Kind::Left { .. } | Kind::Late { .. } | Kind::Wrong { .. }, ..]), "{none:?}");
}

#[test]
fn masks_that_are_not_made_or_made_late() {
    let taken = |step: &Step| matches!(step, Step::Take { .. }).then(Vec::new);
    let unmade = changed(taken);
    assert!(matches!(unmade[..], [Kind::Unmade { .. }, ..]), "{unmade:?}");
    let (func, mut plan) = planned();
    let steps = &mut plan.regions[0].steps;
    let take = steps.iter().position(|step| matches!(step, Step::Take { .. })).expect("there is one");
    let step = steps.remove(take);
    let run = steps.iter().rposition(|step| matches!(step, Step::Run { .. })).expect("there is one");
    steps.insert(run + 1, step);
    assert!(found(&func, plan).iter().any(|kind| matches!(kind, Kind::Unmade { .. } | Kind::Late { .. })));
}

#[test]
fn a_row_that_never_ends_or_goes_round_with_nobody() {
    let endless = changed(|step| match step {
        Step::IfAny { to, .. } => Some(vec![Step::Back { to: *to }]),
        _ => None,
    });
    assert!(matches!(endless[..], [Kind::Endless { .. }]), "{endless:?}");
    let once = changed(|step| matches!(step, Step::IfAny { .. }).then(Vec::new));
    assert!(matches!(once[..], [Kind::Left { .. }]), "{once:?}");
}

#[test]
fn lanes_that_part_and_blocks_without_a_place() {
    let (func, mut plan) = planned();
    let region = plan.regions.remove(0);
    assert!(found(&func, plan.clone()).contains(&Kind::Parts));
    let exit = Some(Block::from_u32(1));
    assert_ne!(region.exit, exit);
    plan.regions.insert(0, passes::predicate::plan::Region { exit, ..region });
    assert!(found(&func, plan).iter().any(|kind| matches!(kind, Kind::Left { .. })));
}

#[test]
fn barriers_under_masks() {
    let (func, plan) = planned();
    let masked = plan.steps().find_map(|step| match step {
        Step::Run { block, guard: Some(_) } => Some(*block),
        _ => None,
    });
    let together = BTreeSet::from([masked.expect("there is one")]);
    let beliefs = Beliefs { uniform: &BTreeSet::new(), together: &together };
    let violations = check(&func, plan, &beliefs).err().expect("it is wrong");
    assert!(matches!(violations[0].kind, Kind::Apart { .. }));
}
