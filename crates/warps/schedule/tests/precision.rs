//! The proven bound of single precision: its elementary functions go through a ninth of their arguments (in sweeps all), no sample exceeds the bound of a whole
//! kernel, and a rounding that is stated too small is refused by the checker.

use std::time::Instant;

use graph::body::{Binary, Inst, Unary};
use graph::single::double_float::Powers;
use graph::single::{self, Domain, Kind, Kinds, Plan, Rounding, Roundings, Unproven, branch_free, elementary};
use graph::{Graph, interpret};
use kernels::{FLOOR, Form, Kernel, Options, Precision};
use kinetics::Model;
use kinetics::approximation::range::TemperatureRange;
use testkit::numbers::Numbers;
use testkit::skip;

const TEMPERATURES: TemperatureRange = TemperatureRange::DEFAULT;

fn graph(model: &Model, kernel: Kernel, form: Form) -> Graph {
    let options = Options { form, warps: 1, stage_inputs: false, precision: Precision::Single, ..Options::default() };
    kernels::build(kernel, model, &options).unwrap()
}

fn prove(model: &Model, graph: &Graph, rounding: &Rounding) -> Result<Plan, Unproven> {
    let cells = match graph.kernel {
        "conductivity" => 256,
        "diffusion" => 64,
        _ => 24,
    };
    single::prove(graph, &graph.order(), &domain(model, TEMPERATURES, cells), rounding)
}

fn domain(model: &Model, temperatures: TemperatureRange, cells: usize) -> Domain {
    Domain::new(model.species().len(), temperatures, cells, FLOOR)
}

#[test]
fn elementary_functions_err_by_less_than_is_stated() {
    // The step divides no power of two, so that over the binades all significands come.
    let step = if skip::sweeps("elementary functions of all numbers, not of every ninth") { 1 } else { 9 };
    // The largest relative error over numbers from the first to the last, positive both.
    let worst = |first: f32, last: f32, single: fn(f32) -> f32, double: fn(f64) -> f64| {
        (first.to_bits()..=last.to_bits()).step_by(step).map(f32::from_bits).fold(0.0, |worst: f64, x| {
            let exact = double(f64::from(x));
            worst.max((f64::from(single(x)) / exact - 1.0).abs())
        })
    };
    let Rounding { power, logarithm, .. } = Rounding::SINGLE;
    // For smaller arguments r the power is 1 or one of its neighbours, which is within 2^-24 of 1 + r.
    let tiny = 2f32.powi(-25);
    let powers = [
        worst(tiny, elementary::EXP_LIMIT, elementary::exp, f64::exp),
        worst(tiny, elementary::EXP_LIMIT, |x| elementary::exp(-x), |x| (-x).exp()),
        worst(tiny, elementary::EXP2_LIMIT, elementary::exp2, f64::exp2),
        worst(tiny, elementary::EXP2_LIMIT, |x| elementary::exp2(-x), |x| (-x).exp2()),
    ];
    let (first, last) = (elementary::LOG_FIRST, elementary::LOG_LAST);
    let logarithms = [worst(first, last, elementary::log, f64::ln), worst(first, last, elementary::log2, f64::log2)];
    println!("e^x, e^-x, 2^x, 2^-x {powers:?} (stated {power:.2e}), ln, log2 {logarithms:?} (stated {logarithm:.2e})");
    // 1e-15 is for the functions that they are compared with.
    assert!(powers.iter().all(|&error| error + 1e-15 <= power && error > power / 2.0));
    assert!(logarithms.iter().all(|&error| error + 1e-15 <= logarithm && error > logarithm / 4.0));
    for r in [tiny, tiny * 0.5, f32::MIN_POSITIVE, 1e-45, 0.0] {
        for x in [r, -r] {
            assert!((elementary::exp(x) - 1.0).abs() <= 6e-8 && (elementary::exp2(x) - 1.0).abs() <= 6e-8, "{x}");
        }
    }
}

#[test]
fn elementary_functions_say_what_is_beyond() {
    for (function, limit) in
        [(elementary::exp as fn(f32) -> f32, elementary::EXP_LIMIT), (elementary::exp2, elementary::EXP2_LIMIT)]
    {
        assert!(function(f32::NAN).is_nan());
        for beyond in [limit.next_up(), 1e30, f32::INFINITY] {
            assert_eq!((function(beyond), function(-beyond)), (f32::INFINITY, 0.0), "{beyond}");
        }
    }
    for no_argument in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-40] {
        assert!(elementary::log(no_argument).is_nan() && elementary::log2(no_argument).is_nan(), "{no_argument}");
    }
}

/// Returns the largest relative error of single precision against double in random states: a quarter is nearly pure, a quarter has few species.
fn sampled(graph: &Graph, species: usize, states: usize, reads_singles: bool) -> f64 {
    let mut n = Numbers(44);
    let mut worst = 0.0f64;
    for state in 0..states {
        let t = TEMPERATURES.coldest * (TEMPERATURES.hottest / TEMPERATURES.coldest).powf(n.between(1e-6, 1.0 - 1e-6));
        let mut x: Vec<f64> = (0..species)
            .map(|_| match state % 4 {
                0 => n.between(0.0, 1.0),
                1 => 10f64.powf(n.between(-60.0, 0.0)),
                2 => 10f64.powf(n.between(-60.0, -6.0)),
                _ if n.below(4) == 0 => n.between(0.1, 1.0),
                _ => 0.0,
            })
            .collect();
        x[state % species] += 0.1;
        let sum: f64 = x.iter().sum();
        x.iter_mut().for_each(|x| *x /= sum);
        let pressure = 10f64.powf(n.between(0.0, 9.0));
        let rows = graph.arrays[3].rows as usize;
        let mut double = vec![vec![t], vec![pressure], x, vec![f64::NAN; rows]];
        if reads_singles {
            double.iter_mut().flatten().for_each(|x| *x = f64::from(*x as f32));
        }
        let mut narrow = double.clone();
        interpret::run(graph, &mut double);
        let mut machine = single::Machine::new(graph, &narrow);
        graph.order().into_iter().for_each(|at| machine.step(at, &mut narrow));
        for (narrow, double) in narrow[3].iter().zip(&double[3]) {
            let error = (narrow / double - 1.0).abs();
            assert!(error.is_finite(), "{t} K");
            worst = worst.max(error);
        }
    }
    worst
}

/// Inputs that are singles are not rounded: the bound is less by the roundings of the temperature and the fractions, and holds for such states alone.
#[test]
fn arrays_of_singles_round_nothing() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    for (kernel, form) in [
        (Kernel::Viscosity, Form::Symmetric),
        (Kernel::Viscosity, Form::LowRank),
        (Kernel::Conductivity, Form::Polynomial),
        (Kernel::Diffusion, Form::Polynomial),
        (Kernel::Diffusion, Form::LowRank),
    ] {
        let graph = graph(&model, kernel, form);
        let rounded = prove(&model, &graph, &Rounding::SINGLE).unwrap();
        let exact = Domain { reads_singles: true, ..rounded.domain };
        let exact = single::prove(&graph, &graph.order(), &exact, &Rounding::SINGLE).unwrap();
        let sampled = sampled(&graph, model.species().len(), 1000, true);
        println!("{kernel} {form}: bounds {:.2e} and {:.2e}, sampled {sampled:.2e}", rounded.bound, exact.bound);
        assert!(sampled <= exact.bound, "{kernel} {form}");
        assert!(exact.bound + Rounding::SINGLE.unit <= rounded.bound, "{kernel} {form}");
    }
}

#[test]
fn no_sample_exceeds_the_bound() {
    for (name, states) in [("h2o2", 1000), ("gri30", 100)] {
        let model = testkit::model(&testkit::shipped(name));
        for (kernel, form, most) in [
            (Kernel::Viscosity, Form::Pairwise, 5e-5),
            (Kernel::Viscosity, Form::Symmetric, 2e-5),
            (Kernel::Viscosity, Form::LowRank, 2e-5),
            (Kernel::Conductivity, Form::Pairwise, 3e-5),
            (Kernel::Conductivity, Form::LogSpace, 2e-4),
            (Kernel::Conductivity, Form::Polynomial, 3e-4),
            (Kernel::Conductivity, Form::LowRank, 8e-4),
            (Kernel::Diffusion, Form::Polynomial, 1e-5),
            (Kernel::Diffusion, Form::LowRank, 1e-4),
        ] {
            let graph = graph(&model, kernel, form);
            let start = Instant::now();
            let plan = prove(&model, &graph, &Rounding::SINGLE).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let (bound, sampled) = (plan.bound, sampled(&graph, model.species().len(), states, false));
            let times = bound / sampled;
            println!(
                "{name} {kernel} {form}: bound {bound:.2e}, sampled {sampled:.2e}, {times:.1} times, {seconds:.2} s"
            );
            assert!(sampled <= bound && bound < most, "{name} {kernel} {form}");
        }
    }
}

/// The error of an operation is stated in two places that know nothing of each other.
#[test]
fn a_rounding_that_is_stated_too_small_is_refused() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let proven = Rounding::SINGLE;
    for (form, weak) in [
        (Form::LowRank, Rounding { unit: proven.unit * 0.99, ..proven }),
        (Form::LowRank, Rounding { power: proven.power * 0.99, ..proven }),
        (Form::Pairwise, Rounding { power: 0.0, ..proven }),
        (Form::Pairwise, Rounding { logarithm: proven.logarithm * 0.99, ..proven }),
    ] {
        is_refused(&model, &graph(&model, Kernel::Viscosity, form), &weak);
    }
    for form in [Form::Polynomial, Form::LowRank] {
        let weak = Rounding { unit: proven.unit * 0.99, ..proven };
        is_refused(&model, &graph(&model, Kernel::Diffusion, form), &weak);
    }
}

/// The same of pairs of singles, whose sums err relative to their terms.
#[test]
fn a_rounding_of_pairs_that_is_stated_too_small_is_refused() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let proven = Rounding::PAIR;
    for (kernel, form) in [(Kernel::Viscosity, Form::LowRank), (Kernel::Diffusion, Form::Polynomial)] {
        let graph = graph(&model, kernel, form);
        let order = graph.order();
        let kinds = Kinds::resolve(&graph, &order, &|_, _| Kind::Pair);
        let domain = domain(&model, TEMPERATURES, schedule::single::cells(kernel));
        let prove = |pair: Rounding| {
            single::prove_mixed(&graph, &order, &domain, &Roundings { pair, ..Roundings::ALL }, &kinds)
        };
        let plan = prove(proven).unwrap();
        println!("{kernel} {form}: pairs alone {:.2e}", plan.bound);
        // Inputs and results are doubles; second numbers of small mole fractions may be lost.
        let single = single::prove(&graph, &order, &domain, &Rounding::SINGLE).unwrap();
        assert!(plan.bound < 0.1 * single.bound);
        // Long powers are shorter of error, and short ones are not long.
        let long = kinds.clone().with_powers(Powers::Long);
        let with =
            |pair: Rounding| single::prove_mixed(&graph, &order, &domain, &Roundings { pair, ..Roundings::ALL }, &long);
        let finer = with(Rounding::LONG_PAIR).unwrap();
        println!("with long powers {:.2e}", finer.bound);
        if kernel == Kernel::Viscosity {
            assert!(finer.bound < 0.5 * plan.bound);
            let proven = Rounding::LONG_PAIR;
            for weak in [
                Rounding { power: 0.99 * proven.power, ..proven },
                Rounding { logarithm: 0.99 * proven.logarithm, ..proven },
            ] {
                assert!(matches!(with(weak), Err(Unproven::Refused(_))));
            }
            assert!(matches!(prove(Rounding::LONG_PAIR), Err(Unproven::Refused(_))));
        }
        for weak in [
            Rounding { unit: proven.unit * 0.99, ..proven },
            Rounding { power: proven.power * 0.99, ..proven },
            Rounding { logarithm: proven.logarithm * 0.99, ..proven },
        ] {
            let has_powers = kernel == Kernel::Viscosity;
            if weak.power == proven.power || has_powers {
                let refused = prove(weak);
                assert!(
                    matches!(&refused, Err(Unproven::Refused(why)) if why.contains("does not follow")),
                    "{refused:?}"
                );
            }
        }
    }
}

fn is_refused(model: &Model, graph: &Graph, weak: &Rounding) {
    assert!(prove(model, graph, &Rounding::SINGLE).is_ok());
    let refused = prove(model, graph, weak);
    assert!(matches!(&refused, Err(Unproven::Refused(why)) if why.contains("does not follow")), "{refused:?}");
}

/// Counts the instructions of a graph without special cases, and those with some that might have none: quotients and roots, then powers of two.
fn special_cases(graph: &Graph) -> [[usize; 2]; 2] {
    let mut counts = [[0; 2]; 2];
    let bodies = graph.steps().map(|at| graph.body(at)).chain([&graph.shapes[graph.preamble.shape]]);
    for inst in bodies.flat_map(|body| &body.insts) {
        match *inst {
            Inst::Binary(Binary::DivNear, ..) | Inst::Unary(Unary::SqrtNear, _) => counts[0][0] += 1,
            Inst::Binary(Binary::Div, ..) | Inst::Unary(Unary::Sqrt, _) => counts[0][1] += 1,
            Inst::Unary(Unary::Exp2Near | Unary::Exp2FallingNear, _) => counts[1][0] += 1,
            Inst::Unary(op, _) if op.branch_free().is_some() => counts[1][1] += 1,
            _ => {}
        }
    }
    counts
}

/// Quotients and powers lose their special cases where these are proven never to come. In a domain, or at temperatures, that are too wide for that they keep
/// them, and where they were taken all the same the checker refuses the graph.
#[test]
fn special_cases_stay_where_they_may_come() {
    let model = testkit::model(&testkit::shipped("gri30"));
    for (kernel, form) in [
        (Kernel::Viscosity, Form::LowRank),
        (Kernel::Conductivity, Form::Polynomial),
        (Kernel::Diffusion, Form::LowRank),
    ] {
        let graph = graph(&model, kernel, form);
        let order = graph.order();
        let domain = domain(&model, TEMPERATURES, schedule::single::cells(kernel));
        let kinds = Kinds::single(&graph, &order);
        let without = |graph: &Graph, domain: &Domain| {
            let mut bare = graph.clone();
            branch_free::apply(&mut bare, &branch_free::choose(graph, &order, Some(domain), &kinds));
            bare
        };
        let bare = without(&graph, &domain);
        let [[bare_quotients, quotients], [bare_powers, powers]] = special_cases(&bare);
        println!(
            "{kernel}: {bare_quotients} of {} quotients, {bare_powers} of {} powers",
            bare_quotients + quotients,
            bare_powers + powers
        );
        assert!(bare_quotients > 0 && powers == 0);
        let proven = single::prove(&graph, &order, &domain, &Rounding::SINGLE).unwrap();
        let bound = single::prove(&bare, &order, &domain, &Rounding::SINGLE).unwrap().bound;
        assert_eq!(bound, proven.bound);
        // Mole fractions that add up to next to nothing, or a pressure beyond all others.
        let wide = match kernel {
            Kernel::Diffusion => Domain { pressures: [1.0, 1e19], ..domain },
            _ => Domain { sums: [1e-33, 1.01], ..domain },
        };
        assert!(single::prove(&graph, &order, &wide, &Rounding::SINGLE).is_ok(), "{kernel}");
        let [[found, _], _] = special_cases(&without(&graph, &wide));
        assert!(found < bare_quotients, "{kernel}: {found}");
        let refused = single::prove(&bare, &order, &wide, &Rounding::SINGLE);
        assert!(matches!(&refused, Err(Unproven::Refused(why)) if why.contains("DivNear")), "{refused:?}");
        // Temperatures at which cubics of their logarithm are beyond all exponents.
        for filter in [Some(TemperatureRange { coldest: 1e-30, hottest: 1e30 }), None] {
            let mut graph = graph.clone();
            graph.filter = filter;
            assert_eq!(special_cases(&without(&graph, &domain))[1][0], 0, "{kernel}");
        }
    }
}

/// The number that stands for a small mole fraction is never less than the floor of the domain. Where that has none, a pure species' own
/// coefficient would have no relative error, and the comparison with another floor has no rule.
#[test]
fn without_a_floor_diffusion_has_no_bound() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    for form in [Form::Polynomial, Form::LowRank] {
        let graph = graph(&model, Kernel::Diffusion, form);
        let domain = Domain { floor: 0.0, ..domain(&model, TEMPERATURES, 64) };
        let refused = single::prove(&graph, &graph.order(), &domain, &Rounding::SINGLE);
        println!("{form}: {refused:?}");
        assert!(refused.is_err());
    }
}

#[test]
fn what_has_no_rule_is_refused() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let refused = prove(&model, &graph(&model, Kernel::Chemistry, Form::LogSpace), &Rounding::SINGLE);
    println!("chemistry: {refused:?}");
    assert!(refused.is_err());
    let graph = graph(&model, Kernel::Viscosity, Form::Pairwise);
    let cold = domain(&model, TemperatureRange { coldest: 1.0, hottest: 100.0 }, 24);
    assert_eq!(single::prove(&graph, &graph.order(), &cold, &Rounding::SINGLE), Err(Unproven::Range));
}
