//! How a kernel begins: with the arrays of the host interface, the point's scalars, and what is computed where the host tells the
//! state by other variables.

use super::{composition, state};
use crate::build::{Operands, PRESSURE, TEMPERATURE, scalar, single};
use crate::options::{Form, Options, StateVariables};
use graph::body::{Body, Id};
use graph::dataflow::{Array, Graph, Step};
use kinetics::Model;
use kinetics::approximation::range::TemperatureRange;
use kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};

/// Begins a kernel's graph. Its preamble computes the scalars that the kernel uses.
pub fn begin(
    kernel: &'static str,
    model: &Model,
    options: &Options,
    output: &'static str,
    rows: u32,
    scalars: &[u32],
) -> Graph {
    let species = model.species().len() as u32;
    let [first, second, composition] = options.state.arrays();
    let arrays = vec![
        Array { name: first, rows: 1, output: false },
        Array { name: second, rows: 1, output: false },
        Array { name: composition, rows: species, output: false },
        Array { name: output, rows, output: true },
    ];
    let mut graph = Graph::new(kernel, arrays);
    graph.filter = options.filter();
    if options.state.is_computed() {
        let composition = composition::begin(&mut graph, model, options.state.basis(), true);
        let mut o = Operands::default();
        let (t, p) = state::temperature_and_pressure(&mut graph, model, options.state, &composition, &mut o);
        let named = preamble(&mut o.body, options, scalars, |_| t, |_| p);
        graph.scalars = named.iter().map(|(name, _)| *name).collect();
        o.body.values = [t, p].into_iter().chain(named.into_iter().map(|(_, id)| id)).collect();
        let names: Vec<&str> = ["temperature", "pressure"].into_iter().chain(graph.scalars.iter().copied()).collect();
        let step = o.into_step(&mut graph);
        graph.add(single(state::NAME.into(), step), |_, n| names[n].to_owned());
        graph.preamble = Step { shape: graph.shape(Body::default()), ..Step::default() };
        return graph;
    }
    let mut b = Body::default();
    for (name, id) in preamble(&mut b, options, scalars, |b| b.field(TEMPERATURE, 0), |b| b.field(PRESSURE, 0)) {
        graph.scalars.push(name);
        b.states.push(id);
    }
    let shape = graph.shape(b);
    graph.preamble = Step { shape, rows: vec![0], ..Step::default() };
    if options.state == StateVariables::MassFractions {
        composition::begin(&mut graph, model, options.state.basis(), false);
    }
    graph
}

/// The scalars by their names, made of temperature and pressure.
fn preamble(
    b: &mut Body,
    options: &Options,
    scalars: &[u32],
    temperature: impl Fn(&mut Body) -> Id,
    pressure: impl Fn(&mut Body) -> Id,
) -> Vec<(&'static str, Id)> {
    let form = options.form;
    let mut named = Vec::new();
    let mut ln_t = None;
    let mut inverse = None;
    let mut concentration = None;
    for &s in scalars {
        // Each loads or computes once what several scalars are made of.
        let t = temperature(b);
        let t = let_through(b, options, t);
        let mut ln_t = |b: &mut Body| *ln_t.get_or_insert_with(|| logarithm(b, form, t));
        let mut inverse_t = |b: &mut Body| {
            *inverse.get_or_insert_with(|| {
                let one = b.literal(1.0);
                b.div(one, t)
            })
        };
        let id = match s {
            scalar::TEMPERATURE => t,
            scalar::LN_TEMPERATURE => ln_t(b),
            scalar::INVERSE_TEMPERATURE => inverse_t(b),
            scalar::CONCENTRATION => {
                let (p, inverse_r) = (pressure(b), b.literal(1.0 / GAS_CONSTANT));
                let per_t = b.mul(p, inverse_r);
                let (inverse_t, ln_t) = (inverse_t(b), ln_t(b));
                // Not a number where the temperature has no logarithm: powers do not show it.
                let zero = b.sub(ln_t, ln_t);
                *concentration.insert(b.fma(per_t, inverse_t, zero))
            }
            scalar::LN_STANDARD_CONCENTRATION => {
                let ln_t = ln_t(b);
                let c = b.literal((ATMOSPHERE / GAS_CONSTANT).ln());
                b.sub(c, ln_t)
            }
            scalar::PRESSURE_RATIO => {
                let (atm, p) = (b.literal(ATMOSPHERE), pressure(b));
                b.div(atm, p)
            }
            scalar::CUBE_ROOT => {
                let ln_t = ln_t(b);
                let third = b.literal(-1.0 / 3.0);
                let x = b.mul(ln_t, third);
                b.exp(x)
            }
            scalar::LN_PRESSURE => {
                let p = pressure(b);
                logarithm(b, form, p)
            }
            scalar::SCALED_LN_TEMPERATURE => {
                let ln_t = ln_t(b);
                let (slope, offset) = (b.literal(options.fit_range.slope()), b.literal(options.fit_range.offset()));
                b.fma(slope, ln_t, offset)
            }
            scalar::SQUARED_CONCENTRATION => {
                let c = concentration.expect("the concentration stands before its square");
                b.mul(c, c)
            }
            _ => unreachable!("scalar {s} has no rule"),
        };
        named.push((scalar::name(s), id));
    }
    named
}

/// The temperature from the arrays, for a step that makes more of it than the scalars, where the kernel lets it through.
pub fn temperature(b: &mut Body, options: &Options) -> Id {
    let t = b.field(TEMPERATURE, 0);
    let_through(b, options, t)
}

/// Not a number outside of the temperatures of the kernel's form, if it has such limits.
fn let_through(b: &mut Body, options: &Options, t: Id) -> Id {
    options.filter().map_or(t, |range| filtered(b, range, t))
}

/// The temperature where it is in the range, else not a number.
fn filtered(b: &mut Body, range: TemperatureRange, t: Id) -> Id {
    let [coldest, hottest, none] = [range.coldest, range.hottest, f64::NAN].map(|x| b.literal(x));
    let t = b.select_le(t, hottest, t, none);
    b.select_le(coldest, t, t, none)
}

/// ln x: the paper's form has a division in it, the others a table.
pub fn logarithm(b: &mut Body, form: Form, x: Id) -> Id {
    if form == Form::Pairwise {
        return b.log(x);
    }
    let (lg, factor) = (b.log2(x), b.literal(std::f64::consts::LN_2));
    b.mul(lg, factor)
}
