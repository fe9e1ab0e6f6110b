//! Powers of two that lost their guard give the bits that they gave with it, at every temperature that the kernel lets through, and the
//! kernel gives no numbers at others.

use graph::body::{Inst, Unary};
use graph::unguarded::TEMPERATURES;
use graph::{Graph, interpret};
use kernels::{Exponential, Form, Kernel, Options};
use kinetics::{Model, State};
use singe::verify;
use testkit::made_up;
use testkit::reference::own;

fn models() -> Vec<(String, Model)> {
    let files = ["h2o2", "gri30", "methane"].map(testkit::shipped).into_iter().chain([own("forms").mechanism]);
    let read = files.map(|path| (path.display().to_string(), testkit::model(&path)));
    read.chain([("every form of rate".to_owned(), made_up::model(9, 90, 7))]).collect()
}

/// The power with a guard of which this is the other.
fn guarded(op: Unary) -> Option<Unary> {
    Unary::ALL.into_iter().find(|guarded| guarded.unguarded() == Some(op))
}

/// The graph with all guards, and how many powers have none, or have one.
fn with_guards(graph: &Graph) -> (Graph, [usize; 2]) {
    let mut with = graph.clone();
    for body in with.shapes.values_mut() {
        for inst in &mut body.insts {
            if let Inst::Unary(op, _) = inst
                && let Some(guarded) = guarded(*op)
            {
                *op = guarded;
            }
        }
    }
    let count = |is: fn(Unary) -> bool| {
        let powers =
            |at| graph.body(at).insts.iter().filter(|inst| matches!(inst, Inst::Unary(op, _) if is(*op))).count();
        graph.steps().map(powers).sum()
    };
    let counts = [count(|op| guarded(op).is_some()), count(|op| op.unguarded().is_some())];
    (with, counts)
}

fn run(model: &Model, graph: &Graph, state: &State) -> Vec<f64> {
    let mut fields = verify::inputs(model, graph, state);
    interpret::run(graph, &mut fields);
    fields.pop().unwrap()
}

#[test]
fn guards_that_are_gone_were_never_needed() {
    let steps = 60;
    let ratio = TEMPERATURES.hottest / TEMPERATURES.coldest;
    for (name, model) in models() {
        let states = kinetics::verification_states(&model, steps + 1);
        for (kernel, form, exponential) in [
            (Kernel::Chemistry, Form::LogSpace, Exponential::Table),
            (Kernel::Chemistry, Form::LogSpace, Exponential::Polynomial),
            (Kernel::Viscosity, Form::Symmetric, Exponential::Table),
            (Kernel::Viscosity, Form::LowRank, Exponential::Polynomial),
            (Kernel::Conductivity, Form::LogSpace, Exponential::Table),
        ] {
            let options = Options { form, exponential, ..Options::default() };
            // The randomly made mechanism has no transport data.
            let Ok(graph) = kernels::build(kernel, &model, &options) else { continue };
            let (with, [bare, kept]) = with_guards(&graph);
            println!("{name} {kernel} {form} {exponential:?}: {bare} powers without a guard, {kept} with one");
            assert!(bare > kept, "{name} {kernel} {form}");
            for (n, state) in states.iter().enumerate() {
                let at = |temperature: f64| State { temperature, ..state.clone() };
                let temperature = TEMPERATURES.coldest * ratio.powf(n as f64 / steps as f64);
                let state = at(temperature.clamp(TEMPERATURES.coldest, TEMPERATURES.hottest));
                let bits = |graph: &Graph| run(&model, graph, &state).into_iter().map(f64::to_bits).collect::<Vec<_>>();
                assert_eq!(bits(&graph), bits(&with), "{name} {kernel} {form} at {state:?}");
                for beyond in [TEMPERATURES.coldest.next_down(), TEMPERATURES.hottest.next_up(), f64::NAN, -1.0] {
                    // A species that does not react has a rate of 0 anywhere.
                    let inside = run(&model, &graph, &state);
                    let outside = run(&model, &graph, &at(beyond));
                    let none = outside.iter().zip(inside).all(|(x, inside)| x.is_nan() || (*x, inside) == (0.0, 0.0));
                    assert!(none, "{name} {kernel} {form} at {beyond} K: {outside:?}");
                }
            }
        }
    }
}
