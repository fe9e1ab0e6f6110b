//! Trials of the search, as the report has them: one candidate was taken, and every other has a reason why not.

use diagnostics::Diagnostic;
use kernels::{Form, Kernel, Matrix};
use kinetics::Model;
use overlay::{Codegen, Frame, Residence};
use schedule::{Placement, proof};
use singe::driver::{self, Failure, FailureKind, Request};
use singe::forms;
use singe::observer::Observer;
use singe::plan::{CtasPerSm, Resolved};
use singe::report::KernelReport;
use singe::search::{Candidate, Draft, Found, Inputs, LevelTime, Outcome, ScheduleScore, Search, Step, Trial};
use testkit::request;

fn reports(request: &Request) -> Vec<KernelReport> {
    let report = driver::compile(request, &mut Observer::silent());
    report.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).kernels
}

/// GRI-Mech with every choice left to the compiler.
fn free() -> Request {
    Request { verify: None, ..request::new(testkit::shipped("gri30")) }.with(|r| {
        r.tuning.form = None;
        r.tuning.points_per_lane = None;
    })
}

/// The number of CTAs per SM that is found is the lowest of those that take no longer than the best, and gives the kernel that it
/// gives by itself.
#[test]
fn the_occupancy_is_the_lowest_of_the_fastest() {
    let (mut tried, mut raised) = (0, 0);
    let cases = [
        ("h2o2", "hopper", Codegen::DataParallel),
        ("h2o2", "hopper", Codegen::Overlay),
        ("h2o2", "kepler", Codegen::Overlay),
    ];
    for (mechanism, target, codegen) in cases {
        let auto = request::new(testkit::shipped(mechanism)).with(|r| {
            r.common.target = machine::target::Target::by_name(target).unwrap();
            r.kernels = Kernel::ALL.to_vec();
            r.codegen = codegen;
            r.tuning.ctas_per_sm.tries_more = true;
        });
        for (kernel, found) in auto.kernels.clone().into_iter().zip(reports(&auto)) {
            let ctas = found.tuning.ctas_per_sm.count;
            println!("{mechanism} {kernel} on {target}, {codegen:?}: {ctas} of {:?}", found.levels);
            if found.levels.len() > 1 {
                let time = |level: &LevelTime| level.nanoseconds.unwrap_or(f64::INFINITY);
                let least = found.levels.iter().map(time).fold(f64::INFINITY, f64::min);
                let fast = found.levels.iter().filter(|level| time(level) <= 1.01 * least);
                assert_eq!(fast.map(|level| level.ctas_per_sm).min(), Some(ctas), "{:?}", found.levels);
                assert!(found.levels.len() <= 5 && found.levels.is_sorted_by_key(|level| level.ctas_per_sm));
                tried += found.levels.len();
                raised += usize::from(ctas > 1);
            }
            let fixed = auto.clone().with(|r| {
                r.kernels = vec![kernel];
                r.tuning.ctas_per_sm = CtasPerSm::fixed(ctas);
            });
            let alone = &reports(&fixed)[0];
            assert_eq!(alone.machine, found.machine);
            assert!(alone.levels.is_empty() && alone.ptx_instructions == found.ptx_instructions);
        }
    }
    assert!(tried > 4 && raised > 0, "{tried} {raised}");
}

fn taken(kernel: &KernelReport) -> &Trial {
    let taken: Vec<&Trial> = kernel.candidates.iter().filter(|trial| trial.outcome == Outcome::Taken).collect();
    assert_eq!(taken.len(), 1, "{}", kernel.kernel);
    taken[0]
}

#[test]
fn one_candidate_is_taken_and_the_others_have_a_reason() {
    for kernel in reports(&free()) {
        let taken = taken(&kernel);
        assert_eq!((&taken.form, taken.points_per_lane), (&kernel.form, kernel.points_per_lane));
        let score = taken.score.as_ref().expect("what is taken was scheduled");
        assert_eq!(score.registers_held, kernel.registers_held);
        let schedule = &score.schedules[0];
        assert_eq!((&schedule.placement, schedule.phases), (&kernel.placement, kernel.phases));
        assert_eq!(schedule.barriers, kernel.barriers);
        assert!(score.schedules.iter().all(|other| other.clocks >= schedule.clocks), "{score:?}");
        for trial in &kernel.candidates {
            println!("{} {} {:?} {:?}: {}", kernel.kernel, trial.form, trial.inputs, trial.outcome, trial.why);
            assert_eq!(trial.why.is_empty(), trial.outcome == Outcome::Taken, "{trial:?}");
            assert_eq!(trial.score.is_some(), matches!(trial.outcome, Outcome::Taken | Outcome::Lost), "{trial:?}");
        }
        // Every form was at least counted.
        for form in &kernel.forms {
            assert!(kernel.candidates.iter().any(|trial| trial.form == form.form), "{}", form.form);
        }
    }
}

#[test]
fn what_loses_is_not_better() {
    let mut compared = 0;
    for kernel in reports(&free()) {
        let best = taken(&kernel);
        let least = best.score.as_ref().unwrap().schedules[0].clocks;
        let same = |trial: &&Trial| (&trial.form, trial.points_per_lane) == (&best.form, best.points_per_lane);
        for rival in kernel.candidates.iter().filter(same).filter(|trial| trial.outcome == Outcome::Lost) {
            assert!(rival.score.as_ref().unwrap().schedules[0].clocks >= least, "{rival:?}");
            compared += 1;
        }
    }
    assert!(compared > 0, "every kernel read its inputs in one way only");
}

/// The JSON has the same, in the words of the command line.
#[test]
fn scripts_get_the_candidates() {
    let request = Request { kernels: vec![Kernel::Conductivity], ..free() };
    let json = serde_json::to_value(&reports(&request)[0]).unwrap();
    assert_eq!(json["tuning"]["points-per-lane"], "auto");
    assert_eq!((&json["tuning"]["warps"], &json["tuning"]["constants"]), (&8.into(), &"auto".into()));
    let candidates = json["candidates"].as_array().unwrap();
    let one = candidates.iter().find(|candidate| candidate["outcome"] == "taken").unwrap();
    assert!(one["inputs"] == "staged" || one["inputs"] == "global", "{one}");
    assert!(one["score"]["schedules"][0]["clocks"].as_f64().unwrap() > 0.0);
    assert!(candidates.iter().any(|candidate| candidate["outcome"] == "counted" && candidate["why"] != ""));
}

/// The log-space chemistry of a small mechanism, with a model.
fn log_space() -> (Request, Model) {
    let request = Request { verify: None, ..request::new(testkit::shipped("h2o2")) }
        .with(|r| r.tuning.form = Some(Form::LogSpace));
    let (mechanism, _) = mechanism::read(&request.files).unwrap();
    (request, kinetics::model(mechanism).unwrap())
}

/// Runs a search whose candidates are made unless `refuse` refuses them.
fn search(refuse: impl Fn(&Candidate) -> Option<Failure>) -> (Vec<Inputs>, Result<Found, Failure>) {
    let (request, model) = log_space();
    let own = request.of_kernel(Kernel::Chemistry);
    let mut search = Search::new(own);
    let mut asked = Vec::new();
    while let Some(step) = search.task() {
        match step {
            Step::Weigh { points_per_lane } => {
                let own = own.with_points(points_per_lane);
                let (options, rates) = (own.options(), own.rates());
                let form = own.tuning.form;
                search.weighed(forms::choose(own.kernel, &model, &options, form, &[Matrix::Dfma], rates).unwrap());
            }
            Step::Draft(candidate) => {
                asked.push(candidate.inputs);
                let draft = refuse(&candidate).map_or_else(|| Ok(draft(&own, &model, &candidate)), Err);
                if let Err(failure) = search.drafted(draft) {
                    return (asked, Err(failure));
                }
            }
        }
    }
    (asked, search.finish())
}

fn draft(own: &Resolved<'_>, model: &Model, Candidate { options, limits, .. }: &Candidate) -> Draft {
    let graph = kernels::build(Kernel::Chemistry, model, options).unwrap();
    let mapping = mapping::map(&graph, options.warps);
    let mut ways = schedule::ways(&graph, &mapping, Placement::Auto, limits).unwrap();
    let schedules = ways.iter().map(ScheduleScore::from_way).collect();
    let proven = proof::prove(&graph, &mapping, ways.swap_remove(0).schedule, limits.barriers).unwrap();
    let frame = Frame {
        warps: 8,
        groups: 1,
        registers: own.registers(),
        points_per_lane: limits.points_per_lane,
        literal_bits: 32,
        cache_bytes: 0,
        shared_bytes: 0,
        staging_bytes: None,
        barriers: 0,
    };
    let program = overlay::overlay(&graph, &proven, Codegen::Overlay, Residence::Striped, "kernel", frame);
    let target = own.asked.common.target;
    let code = lower::lower(&program, target);
    let ptx = emit_ptx::print(&code, target.compute_capability);
    Draft::new(graph, mapping, proven, schedules, program, code, ptx)
}

fn no_room() -> Failure {
    Failure::input([Diagnostic::error("schedule::shared-memory", "there is no room")])
}

#[test]
fn what_is_refused_is_told_and_the_other_is_taken() {
    let (asked, found) = search(|candidate| (candidate.inputs == Inputs::Staged).then(no_room));
    assert_eq!(asked, [Inputs::Staged, Inputs::Global]);
    let found = found.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let told: Vec<_> = found.trials.iter().map(|trial| (trial.outcome, trial.why.as_str())).collect();
    assert_eq!(told, [(Outcome::Refused, "schedule::shared-memory: there is no room"), (Outcome::Taken, "")]);
}

#[test]
fn log_space_chemistry_does_without_activities_where_nothing_else_fits() {
    let (asked, found) = search(|candidate| candidate.options.activities.then(no_room));
    assert_eq!(asked, [Inputs::Staged, Inputs::Global, Inputs::GlobalWithoutActivities]);
    assert_eq!(found.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).trials.len(), 3);
    let (_, nothing) = search(|_| Some(no_room()));
    assert_eq!(nothing.err().map(|failure| failure.diagnostics[0].id), Some("schedule::shared-memory"));
}

/// A broken schedule is a defect of the compiler: no other candidate may hide it.
#[test]
fn a_failed_proof_ends_the_search() {
    let unsafe_reuse = || Failure::verification([Diagnostic::error("proof::race", "two warps meet")]);
    let (asked, found) = search(|_| Some(unsafe_reuse()));
    assert_eq!(asked, [Inputs::Staged]);
    assert_eq!(found.err().map(|failure| failure.kind), Some(FailureKind::Verification));
}
