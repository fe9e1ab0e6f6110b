//! The printed PTX is proven again, behind the passes that add barriers and copies to a proven schedule: a program that one of them broke is refused.

use diagnostics::Diagnostic;
use kernels::{Form, Kernel};
use kinetics::Model;
use lower::code::{Code, Statement};
use machine::target::Target;
use overlay::Codegen;
use overlay::program::BarrierKind;
use singe::driver::{self, Request, Unit};
use singe::observer::Observer;
use singe::verify;
use testkit::{made_up, request};

fn compiled(kernel: Kernel, model: &Model, request: Request) -> (Unit, &'static Target) {
    let request = Request { verify: None, ..request };
    let made = driver::compile_kernel(kernel, model, &request, &mut Observer::silent());
    (made.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)), request.common.target)
}

fn request_for(target: &str, codegen: Codegen) -> Request {
    let request = Request { codegen, ..request::new(testkit::shipped("gri30")) };
    request.with(|r| (r.common.target, r.tuning.form) = (Target::by_name(target).unwrap(), None))
}

fn proof(unit: &Unit, code: &Code, target: &Target) -> Result<(), Vec<Diagnostic>> {
    let module = emit_ptx::print(code, target.compute_capability);
    verify::prove_printed(&unit.program, unit.graph.arrays.len(), &module, target)
}

/// The kernel is proven as it is; with the statement changed, as `change` has it, it is refused.
fn refused_without((unit, target): &(Unit, &Target), change: impl Fn(&Statement) -> Option<Vec<Statement>>) {
    proof(unit, &unit.code, target).unwrap_or_else(|found| panic!("{}: {found:?}", unit.program.symbol));
    let mut code = lower::lower(&unit.program, target);
    let mut changes = 0;
    rewrite(&mut code.stream.body, &mut |statement| {
        let changed = change(statement);
        changes += usize::from(changed.is_some());
        changed
    });
    assert!(changes > 0, "the pass did nothing to {}", unit.program.symbol);
    let found = proof(unit, &code, target).expect_err("it is broken");
    assert!(found.iter().all(|d| d.id == "proof::printed"), "{found:?}");
}

fn rewrite(body: &mut Vec<Statement>, change: &mut impl FnMut(&Statement) -> Option<Vec<Statement>>) {
    let mut out = Vec::new();
    for mut statement in body.drain(..) {
        match &mut statement {
            Statement::If { body, .. } | Statement::Loop { body, .. } => rewrite(body, change),
            Statement::Switch { arms, .. } => arms.iter_mut().for_each(|(_, body)| rewrite(body, change)),
            _ => {}
        }
        match change(&statement) {
            Some(changed) => out.extend(changed),
            None => out.push(statement),
        }
    }
    *body = out;
}

/// Data-parallel code that goes through large code in step, whose inputs come ahead and whose lanes look constants up in shared memory.
fn data_parallel() -> (Unit, &'static Target) {
    let model = testkit::model(&testkit::shipped("gri30"));
    let request = request_for("hopper", Codegen::DataParallel).with(|r| {
        r.tuning.form = Some(Form::LogSpace);
        r.tuning.constants = clap::ValueEnum::from_str("shared", false).ok();
    });
    compiled(Kernel::Chemistry, &model, request)
}

#[test]
fn copies_that_are_not_awaited() {
    refused_without(&data_parallel(), |s| matches!(s, Statement::AwaitCopies { .. }).then(Vec::new));
}

#[test]
fn warps_in_step_that_wait_for_one_more() {
    let (unit, target) = data_parallel();
    let threads = 32 * unit.code.execution.warps() + 32;
    let wrong = Statement::Barrier { id: 0, threads, kind: BarrierKind::Sync };
    refused_without(&(unit, target), |s| (*s == Statement::CtaSync).then(|| vec![wrong.clone()]));
}

#[test]
fn groups_of_warps_that_do_not_all_meet() {
    let model = made_up::model(17, 60, 5);
    let request = request_for("hopper", Codegen::Straight).with(|r| {
        (r.tuning.warps, r.tuning.groups_per_cta, r.tuning.ctas_per_sm.count) = (4, 2, 8);
        r.tuning.form = Some(Form::LogSpace);
    });
    let made = compiled(Kernel::Chemistry, &model, request);
    // Meetings have the barriers behind those of the schedule, which each group has for itself.
    let schedule = made.0.proven.schedule();
    let most = schedule.phases.iter().flat_map(|phase| phase.syncs.iter().map(|sync| sync.id)).max().unwrap_or(0);
    refused_without(&made, |s| match s {
        Statement::Barrier { id, threads, kind } if *id > 2 * most + 1 => {
            Some(vec![Statement::Barrier { id: *id, threads: threads + 32, kind: *kind }])
        }
        _ => None,
    });
}
