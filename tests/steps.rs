//! One step of a reactor in time as a kernel: proven, verified against the published formulas and partial pivoting, and against a plain
//! interpreter of the method in bits; what is wrong in it is found.

use graph::{Graph, Op, Part, StepRef, Units, interpret};
use kernels::elimination::{self, Elimination};
use kernels::{Form, Integrator, Kernel, Options, StateVariables};
use kinetics::integrator::advance::{self, Growth, Solver, System};
use kinetics::{Model, State, Stiffness};
use machine::target::Target;
use overlay::Codegen;
use schedule::proof;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::{Effort, SlotMemory};
use singe::verify::{self, Subject};
use testkit::verified::{each, unit};

const METHODS: [Integrator; 4] = [Integrator::Rodas5p, Integrator::Rodas4, Integrator::Ros4, Integrator::Rodas3];

/// For a target whose shared memory holds a point's factors.
fn isobaric(r: &mut Request) {
    r.common.target = Target::by_name("hopper").unwrap();
    r.common.state = StateVariables::MassFractions;
    r.common.integrator = Integrator::Rodas3;
    r.tuning.form = Some(Form::LogSpace);
}

/// Powers of two, numbers beside them, and some that divide nothing evenly; with sweeps all.
#[test]
fn h2o2_is_verified_for_1_to_16_warps() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    let (all, all_of_rodas5p) = if testkit::skip::sweeps("steps with all numbers of warps") {
        ((1..=16).collect(), vec![1, 2, 4, 8, 16])
    } else {
        (vec![1, 2, 3, 5, 8, 11, 16], vec![1, 16])
    };
    let worst = each(&model, &[Kernel::IsobaricStep], isobaric, all);
    let rodas5p = |r: &mut Request| {
        isobaric(r);
        r.common.integrator = Integrator::Rodas5p;
    };
    println!("{worst:.1e}, {:.1e}", each(&model, &[Kernel::IsobaricStep], rodas5p, all_of_rodas5p));
}

#[test]
fn every_layout_method_unit_and_state_is_verified() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    for codegen in [Codegen::DataParallel, Codegen::Straight, Codegen::Switch, Codegen::Partial] {
        let change = |r: &mut Request| {
            isobaric(r);
            r.codegen = codegen;
        };
        each(&model, &[Kernel::IsobaricStep], change, [4]);
    }
    for integrator in METHODS {
        let change = |r: &mut Request| {
            isobaric(r);
            r.common.integrator = integrator;
            r.common.units = Units::Cgs;
            r.tuning.form = Some(Form::Pairwise);
        };
        each(&model, &[Kernel::IsobaricStep], change, [4]);
    }
    let isochoric = |r: &mut Request| {
        isobaric(r);
        r.common.state = StateVariables::Density;
    };
    each(&model, &[Kernel::IsochoricStep], isochoric, [4]);
}

#[test]
fn gri30_is_verified_data_parallel() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    let change = |r: &mut Request| {
        isobaric(r);
        r.codegen = Codegen::DataParallel;
    };
    each(&model, &[Kernel::IsobaricStep], change, [8]);
}

/// All values that warps hand over lie in global memory. Straight code is not refined, which takes minutes.
fn in_global_memory(r: &mut Request) {
    isobaric(r);
    r.effort = Effort::Quick;
    r.tuning.slots = SlotMemory::Global;
}

#[test]
fn values_pass_through_global_memory() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    for codegen in [Codegen::Overlay, Codegen::Partial, Codegen::Straight, Codegen::Switch] {
        let change = |r: &mut Request| {
            in_global_memory(r);
            r.codegen = codegen;
        };
        each(&model, &[Kernel::IsobaricStep], change, [1, 4, 16]);
        let several = |r: &mut Request| {
            change(r);
            r.tuning.groups_per_cta = 2;
            r.tuning.points_per_lane = Some(2);
        };
        each(&model, &[Kernel::IsobaricStep], several, [4]);
    }
}

/// Where shared memory has room for a part of the values, those lie there that are accessed most.
#[test]
fn values_lie_in_both_memories() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    let request = testkit::request::new(testkit::shipped("h2o2")).with(|r| {
        isobaric(r);
        r.effort = Effort::Quick;
        r.codegen = Codegen::Straight;
        r.tuning.warps = 4;
        r.tuning.ctas_per_sm.count = 8;
    });
    let made = unit(Kernel::IsobaricStep, &model, &request);
    let [shared, global] = made.code.rows_apart();
    println!("{shared} slots in shared memory, {global} in global memory");
    assert!(shared > 50 && global > 50);
    let bytes = made.program.workspace_bytes_per_cta().expect("a workspace");
    assert_eq!(bytes, 256 * u64::from(global));
    let accesses = accesses(&made);
    let (near, far) = accesses.split_at(shared as usize);
    assert!(near.iter().min() >= far.iter().max(), "{accesses:?}");
    let only = request.with(|r| r.tuning.slots = SlotMemory::Shared);
    let refused = driver::compile_kernel(Kernel::IsobaricStep, &model, &only, &mut Observer::silent()).err();
    assert_eq!(refused.expect("too little room").diagnostics[0].id, "schedule::shared-memory");
}

/// How often each slot is stored or read.
fn accesses(made: &Unit) -> Vec<usize> {
    let schedule = made.proven.schedule();
    let mut all = vec![0; schedule.slots as usize];
    let read = made.graph.steps().flat_map(|at| made.graph.step(at).inputs.clone());
    let slots = made.graph.values.keys().chain(read).filter_map(|value| schedule.slot_of[value]);
    slots.for_each(|slot| all[slot as usize] += 1);
    all
}

/// Groups of warps and CTAs that take each other's rows, and a barrier that is missing.
#[test]
fn rows_of_others_and_missing_barriers_are_found() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    let request = testkit::request::new(testkit::shipped("h2o2")).with(|r| {
        in_global_memory(r);
        r.codegen = Codegen::Partial;
        r.tuning.warps = 4;
        r.tuning.groups_per_cta = 2;
    });
    let made = unit(Kernel::IsobaricStep, &model, &request);
    let verified = |module: &ptx::Module| {
        let Unit { graph, mapping, proven, program, .. } = &made;
        let stiffness = Stiffness::Sequential;
        let kernel = Kernel::IsobaricStep;
        let subject = Subject { kernel, model: &model, stiffness, graph, mapping, proven, program, module };
        verify::verify(&subject, 70).map(|found| found.largest_error)
    };
    assert!(verified(&made.ptx).is_ok());
    let text = made.ptx.to_string();
    // The address of the rows: 2 groups of each CTA, of which all now take the first.
    let rows = format!(", {}, ", made.program.workspace_bytes_per_cta().unwrap() / 2);
    let line = text.lines().find(|line| line.contains("mad.wide.u32") && line.contains(&rows)).expect("an address");
    let same = text.replacen(line, &line.replace(&rows, ", 0, "), 1);
    assert!(verified(&read(same)).is_err(), "{line}");
    let mut schedule = made.proven.schedule().clone();
    schedule.phases.iter_mut().find(|phase| !phase.syncs.is_empty()).unwrap().syncs.clear();
    assert!(proof::prove(&made.graph, &made.mapping, schedule, 16).is_err());
}

fn read(text: String) -> ptx::Module {
    ptx::read::text("step.ptx", &text).expect("PTX")
}

/// One CTA has room for 900 of its values at most.
#[test]
fn gri30_is_verified_warp_specialized() {
    let model = testkit::detailed(&testkit::shipped("gri30"));
    let change = |r: &mut Request| {
        isobaric(r);
        r.codegen = Codegen::Partial;
    };
    println!("{:.1e}", each(&model, &[Kernel::IsobaricStep], change, [8]));
}

fn options(integrator: Integrator) -> Options {
    Options { form: Form::LogSpace, warps: 4, state: StateVariables::MassFractions, integrator, ..Options::default() }
}

/// The outputs of a graph on a state whose other fields are given.
fn outputs(graph: &Graph, fields: &[&[f64]]) -> Vec<f64> {
    let output = graph.arrays.last().expect("a kernel has an output");
    let mut all: Vec<Vec<f64>> = fields.iter().map(|field| field.to_vec()).collect();
    all.push(vec![f64::NAN; output.rows as usize]);
    interpret::run(graph, &mut all);
    all.pop().expect("the output")
}

/// A reactor by the graphs of its rates and its sparse Jacobian, whose systems are solved row by row.
struct Plain<'a> {
    rates: &'a Graph,
    jacobian: &'a Graph,
    plan: Elimination,
    weights: Vec<f64>,
    pressure: f64,
}

impl Plain<'_> {
    /// The rows of the matrix d I - J, factored in place, and the inverse pivots, by place.
    fn factored(&self, entries: &[f64], diagonal: f64) -> (Vec<Vec<f64>>, Vec<f64>) {
        let (n, order) = (self.plan.order.len(), &self.plan.order);
        let entry = |row: usize, column: usize| {
            let place = self.jacobian.pattern.iter().position(|&at| at == (row as u32, column as u32));
            match (row == n - 1, row == column) {
                (true, true) => -1.0,
                (true, false) => self.weights.get(column).map_or(0.0, |weight| 1.0 / weight),
                (false, true) => place.map_or(diagonal, |place| diagonal - entries[place]),
                (false, false) => place.map_or(0.0, |place| -entries[place]),
            }
        };
        let mut rows: Vec<Vec<f64>> = order.iter().map(|&i| order.iter().map(|&j| entry(i, j)).collect()).collect();
        let mut inverse = Vec::new();
        for at in 0..n {
            for &k in &self.plan.lower[at] {
                rows[at][k] *= inverse[k];
                for &j in &self.plan.upper[k] {
                    rows[at][j] = (-rows[at][k]).mul_add(rows[k][j], rows[at][j]);
                }
            }
            inverse.push(1.0 / rows[at][at]);
        }
        (rows, inverse)
    }
}

impl System for Plain<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let (fractions, temperature) = y.split_at(self.weights.len());
        outputs(self.rates, &[temperature, &[self.pressure], fractions])
    }

    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        let (fractions, temperature) = y.split_at(self.weights.len());
        let entries = outputs(self.jacobian, &[temperature, &[self.pressure], fractions]);
        let (rows, inverse) = self.factored(&entries, diagonal);
        let solve = move |right: &[f64]| {
            let n = inverse.len();
            let less = |at: usize, columns: &[usize], x: &[f64]| {
                columns.iter().fold(-0.0, |sum: f64, &k| (-rows[at][k]).mul_add(x[k], sum))
            };
            let mut x = vec![0.0; n];
            for at in 0..n {
                let given = right.get(self.plan.order[at]).copied().unwrap_or(0.0);
                x[at] = given + less(at, &self.plan.lower[at], &x);
            }
            for at in (0..n).rev() {
                x[at] = (x[at] + less(at, &self.plan.upper[at], &x)) * inverse[at];
            }
            let mut by_unknown = vec![0.0; n];
            self.plan.order.iter().zip(&x).for_each(|(&unknown, &x)| by_unknown[unknown] = x);
            by_unknown.truncate(right.len());
            by_unknown
        };
        // one step of a length that is given is taken whatever grows
        Solver { growth: Growth::None, solve: Box::new(solve) }
    }
}

#[test]
fn steps_have_the_bits_of_a_plain_interpreter_of_the_method() {
    for name in ["h2o2", "gri30"] {
        let model = testkit::detailed(&testkit::shipped(name));
        for integrator in METHODS {
            let build = |kernel| kernels::build(kernel, &model, &options(integrator)).unwrap();
            let graph = build(Kernel::IsobaricStep);
            let [rates, jacobian] = [Kernel::Isobaric, Kernel::IsobaricSparseJacobian].map(build);
            let plan = elimination::of_reactor(&jacobian.pattern, model.species().len()).plan().clone();
            let weights: Vec<f64> = model.species().iter().map(|species| species.weight).collect();
            for state in kinetics::verification_states(&model, 12) {
                let fields = verify::inputs(&model, &graph, &state);
                let given: Vec<&[f64]> = fields[..4].iter().map(Vec::as_slice).collect();
                let system = Plain {
                    rates: &rates,
                    jacobian: &jacobian,
                    plan: plan.clone(),
                    weights: weights.clone(),
                    pressure: state.pressure,
                };
                let start = [given[2], given[0]].concat();
                let made = advance::step(&system, &integrator.method(), &start, given[3][0]);
                let expected = [made.end, made.errors].concat();
                assert!(expected.iter().all(|x| x.is_finite()), "{name} {integrator:?} at {} K", state.temperature);
                assert_eq!(outputs(&graph, &given), expected, "{name} {integrator:?} at {} K", state.temperature);
            }
        }
    }
}

/// The largest error of a graph against the reference, on a few states.
fn error(model: &Model, graph: &Graph, states: &[State]) -> f64 {
    let of = |state: &State| {
        let fields = verify::inputs(model, graph, state);
        let given: Vec<&[f64]> = fields[..4].iter().map(Vec::as_slice).collect();
        verify::largest_error(
            Kernel::IsobaricStep,
            model,
            graph,
            Stiffness::Off,
            std::slice::from_ref(state),
            1,
            &outputs(graph, &given),
        )
    };
    states.iter().map(of).fold(0.0, f64::max)
}

/// A coefficient of the method that is wrong by a hundredth, a pivot that is another one, and a product of the elimination that is left out.
#[test]
fn wrong_coefficients_pivots_and_products_are_found() {
    let model = testkit::detailed(&testkit::shipped("h2o2"));
    let states = kinetics::verification_states(&model, 40);
    let graph = kernels::build(Kernel::IsobaricStep, &model, &options(Integrator::Rodas3)).unwrap();
    let sound = error(&model, &graph, &states);
    println!("as it is: {sound:.1e}");
    assert!(sound < 1e-10);
    let ops = |begin: &str| -> Vec<Op> {
        graph.ops.iter().filter(|(_, operation)| operation.name.starts_with(begin)).map(|(op, _)| op).collect()
    };
    let step = |op: Op, part: Part| StepRef { op, part };
    let mut found = Vec::new();
    for begin in ["unknown ", "end of "] {
        for op in ops(begin) {
            let mut wrong = graph.clone();
            wrong.ops[op].step_mut(Part::Epilogue).constants[0] *= 1.01;
            found.push((format!("coefficient of {}", graph.ops[op].name), error(&model, &wrong, &states)));
        }
    }
    let pivots: Vec<_> = ops("inverse pivot ").iter().map(|&op| graph.ops[op].epilogue.outputs[0]).collect();
    for op in ops("backward ") {
        let mut wrong = graph.clone();
        let inputs = &mut wrong.ops[op].step_mut(Part::Epilogue).inputs;
        let place = inputs.iter().position(|value| pivots.contains(value)).expect("it reads a pivot");
        let other = pivots.iter().position(|pivot| *pivot == inputs[place]).expect("it is one") + 1;
        wrong.connect(step(op, Part::Epilogue), place, pivots[other % pivots.len()]);
        found.push((format!("pivot of {}", graph.ops[op].name), error(&model, &wrong, &states)));
    }
    for op in ops("factor ").into_iter().filter(|&op| !graph.ops[op].iterations.is_empty()) {
        let mut wrong = graph.clone();
        wrong.ops[op].iterations.pop();
        found.push((format!("product of {}", graph.ops[op].name), error(&model, &wrong, &states)));
    }
    // Argon and nitrogen do not react: nothing changes them, and no coefficient moves them.
    let inert = ["unknown 8 ", "unknown 9 ", "end of AR", "end of N2", "backward 0 ", "backward 1 "];
    found.retain(|(what, _)| inert.iter().all(|inert| !what.contains(inert)));
    let (products, others): (Vec<_>, Vec<_>) = found.iter().partition(|(what, _)| what.starts_with("product"));
    let missed = |faults: &[&(String, f64)]| faults.iter().filter(|(_, error)| *error < 1e-10).count();
    println!("{} coefficients and pivots, {} missed", others.len(), missed(&others));
    println!("{} products, {} missed", products.len(), missed(&products));
    assert!(others.len() > 60 && missed(&others) == 0);
    // Some products are too small to matter on these states; what the factors are is compared in bits above.
    assert!(products.len() > 30 && 10 * missed(&products) < products.len());
}
