//! `diverge=auto` takes the cheapest version of a kernel that it finds, never a dearer one, and proves the version that it took.

use passes::diverge::{Given, Plan, Step, choose};
use passes::{Failure, Options, Pass};
use ptx::Module;
use ptx::cost::{Model, Static, Unfit};
use ptx::ir::Block;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use warpsim::Appraisal;

use cranelift_entity::EntityRef;
use machine::target::{Target, occupancy};
use passes::occupancy::Demand;
use testkit::corpus::{self, Kernel};
use testkit::same_execution::same;
use testkit::skip;

fn given(kernel: &Kernel) -> Given {
    Given {
        block: Some(kernel.setup.launch.threads),
        threshold: 0.2,
        predicates: 7,
        sm: None,
        target: Target::by_name("volta").ok(),
        launch_shared: 0,
    }
}

fn named(name: &str) -> Kernel {
    corpus::divergent().into_iter().find(|kernel| kernel.name == name).expect("a kernel of the corpus")
}

/// Every kernel does the same as before by the simulator, and takes no longer by the model.
#[test]
fn no_kernel_becomes_dearer_and_many_become_cheaper() {
    let (mut cheaper, mut melded, mut masked) = (0, 0, 0);
    for kernel in corpus::divergent() {
        let model = Appraisal::new(&kernel.module, &kernel.entry, &kernel.setup, None).expect("no hazard");
        let choice = choose(&kernel.module, &kernel.entry, &given(&kernel), &model).expect("a choice");
        let cycles = model.cycles(&choice.module, &kernel.entry).expect("it runs");
        let before = model.cycles(&kernel.module, &kernel.entry).expect("it runs");
        println!("{}: {} instead of {before} in {} versions: {}", kernel.name, cycles, choice.versions, choice.plan);
        assert_eq!((choice.before, choice.after), (before, cycles), "{}", kernel.name);
        assert!(cycles <= before, "{}: {cycles} instead of {before}", kernel.name);
        assert_eq!(cycles < before, choice.module != kernel.module, "{}", kernel.name);
        let (launch, buffers) = (&kernel.setup.launch, &kernel.setup.buffers);
        same(&kernel.module, &choice.module, &kernel.entry, launch, buffers).unwrap_or_else(|e| panic!("{e}"));
        let has = |wanted: fn(&Step) -> bool| usize::from(choice.plan.steps.iter().any(wanted));
        cheaper += usize::from(cycles < before);
        melded += has(|step| matches!(step, Step::Meld(_)));
        masked += has(|step| matches!(step, Step::Predicate { .. }));
    }
    assert!(cheaper >= 15 && melded >= 8 && masked >= 5, "{cheaper}, {melded}, {masked}");
}

/// Without a launch, too: the version that the estimate takes executes no longer, by the simulator's counts, and leaves an SM as many warps.
#[test]
fn the_estimate_makes_no_kernel_dearer() {
    let volta = Target::by_name("volta").expect("a target");
    let mut changed = 0;
    for kernel in corpus::divergent() {
        let model = Appraisal::new(&kernel.module, &kernel.entry, &kernel.setup, None).expect("no hazard");
        let choice = choose(&kernel.module, &kernel.entry, &given(&kernel), &Static).expect("a choice");
        let [before, after] = [&kernel.module, &choice.module].map(|module| {
            let index = module.funcs.iter().position(|func| func.name == kernel.entry).expect("the kernel");
            let demand =
                Demand::for_kernel(module, index, Some(kernel.setup.launch.threads), 0).expect("its threads are known");
            let ctas = occupancy(volta, demand.kernel(demand.max_live.max(1), demand.shared())).blocks;
            (model.cycles(module, &kernel.entry).expect("it runs"), demand.max_live, ctas)
        });
        println!("{}: {after:?} instead of {before:?}: {}", kernel.name, choice.plan);
        assert!(after.0 <= before.0, "{}: {after:?} instead of {before:?}", kernel.name);
        assert!(after.1 <= before.1 || after.2 >= before.2, "{}: {after:?} instead of {before:?}", kernel.name);
        changed += usize::from(choice.module != kernel.module);
    }
    assert!(changed > 3, "{changed}");
}

/// Kernels that melding alone makes slower or no faster, by the modelled cycles of machine code.
#[test]
fn machine_code_becomes_no_slower() {
    for (name, target) in [("bitonic", "volta"), ("sb2-r", "hopper")] {
        let (kernel, target) = (named(name), Target::by_name(target).expect("a target"));
        let module = Module { sm: target.compute_capability.number(), version: None, ..kernel.module.clone() };
        let model = Appraisal::new(&module, &kernel.entry, &kernel.setup, Some(target)).expect("no hazard");
        if !model.runs_machine_code() {
            skip::skip(format!("no ptxas and nvdisasm for {}", target.name));
            continue;
        }
        let given = Given { target: Some(target), ..given(&kernel) };
        let choice = choose(&module, &kernel.entry, &given, &model).expect("a choice");
        println!("{name}: {} instead of {}: {}", choice.after, choice.before, choice.plan);
        assert!(choice.after < choice.before, "{name}: {} instead of {}", choice.after, choice.before);
    }
}

/// ptxas fuses products and sums that name no rounding, here in single precision, so that the bits are not those of the PTX.
#[test]
fn fused_sums_are_no_other_values() {
    let target = Target::by_name("volta").expect("a target");
    for name in ["srad", "lu-perimeter"] {
        let kernel = named(name);
        let module = Module { sm: target.compute_capability.number(), version: None, ..kernel.module.clone() };
        let model = Appraisal::new(&module, &kernel.entry, &kernel.setup, Some(target)).expect("no hazard");
        if !model.runs_machine_code() {
            skip::skip(format!("no ptxas and nvdisasm for {}", target.name));
            return;
        }
        assert!(model.cycles(&module, &kernel.entry).is_ok_and(|cycles| cycles > 0), "{name}");
    }
}

/// A model for which every question has a dearer answer.
#[derive(Debug)]
struct Rising(AtomicU64);

impl Model for Rising {
    fn cycles(&self, _: &Module, _: &str) -> Result<u64, Unfit> {
        Ok(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn name(&self) -> String {
        "questions".to_owned()
    }
}

#[test]
fn what_is_dearer_is_not_taken() {
    let kernel = named("sb1");
    let model = Rising(AtomicU64::new(100));
    // the kernel as it is costs 100; asked again at the end it costs more, which is noticed
    let failure = choose(&kernel.module, &kernel.entry, &given(&kernel), &model).expect_err("two answers for one text");
    let Failure::Unproven(said) = failure else { panic!("{failure:?}") };
    assert!(said[0].message.contains("cycles, not 100"), "{}", said[0].message);
}

/// A model that says that all versions but the first compute something else.
#[derive(Debug)]
struct Suspicious(String);

impl Model for Suspicious {
    fn cycles(&self, module: &Module, _: &str) -> Result<u64, Unfit> {
        if module.to_string() == self.0 { Ok(1000) } else { Err(Unfit::Wrong("other values".to_owned())) }
    }

    fn name(&self) -> String {
        String::new()
    }
}

#[test]
fn a_version_that_does_something_else_is_a_fault() {
    let kernel = named("sb1");
    let model = Suspicious(kernel.module.to_string());
    let failure = choose(&kernel.module, &kernel.entry, &given(&kernel), &model).expect_err("a fault");
    assert!(matches!(&failure, Failure::Unproven(said) if said[0].message.contains("other values")), "{failure:?}");
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    let kernel = named("sb1");
    let func = kernel.module.func(&kernel.entry).expect("the kernel");
    let given = given(&kernel);
    let divergent = passes::predicate::divergent_branches(&kernel.module, func, given.shape());
    let other = func.layout.iter().copied().find(|block| !divergent.contains(block)).expect("a block without a branch");
    let masks = |block: Block| Step::Predicate { branches: BTreeSet::from([block]), tested: BTreeSet::new() };
    let place = passes::meld::Place { branch: divergent[0], entries: [other, Block::new(0)] };
    for step in [masks(other), Step::Meld(vec![place])] {
        let plan = Plan { steps: vec![step] };
        let failure = plan.apply(&kernel.module, &kernel.entry, &given).expect_err("it does not fit");
        assert!(matches!(failure, Failure::Unproven(_)), "{plan}");
    }
    let fits = Plan { steps: vec![masks(divergent[0])] };
    assert!(fits.apply(&kernel.module, &kernel.entry, &given).is_ok());
}

/// A launch with hazards has no cost, and the pass says so.
#[test]
fn a_launch_with_hazards_is_refused() {
    let kernel = named("sb1");
    let mut setup = kernel.setup.clone();
    setup.launch.arguments.truncate(1);
    assert!(Appraisal::new(&kernel.module, &kernel.entry, &setup, None).is_err());
    let model = Arc::new(Suspicious(String::new()));
    let options = Options { model: Some(model), ..Options::default() };
    let failure = Pass::by_name("diverge=auto").expect("a pass").run(&kernel.module, &kernel.entry, &options);
    assert!(matches!(failure, Err(Failure::Refused(said)) if said[0].id == "opt::no-cost"));
}

/// Without a launch the estimate decides, and a second time nothing changes.
#[test]
fn the_estimate_decides_without_a_launch() {
    for kernel in corpus::divergent() {
        let once = choose(&kernel.module, &kernel.entry, &given(&kernel), &Static).expect("a choice");
        let twice = choose(&once.module, &kernel.entry, &given(&kernel), &Static).expect("a choice");
        assert_eq!(once.module, twice.module, "{}", kernel.name);
        let (launch, buffers) = (&kernel.setup.launch, &kernel.setup.buffers);
        same(&kernel.module, &once.module, &kernel.entry, launch, buffers).unwrap_or_else(|e| panic!("{e}"));
    }
}
