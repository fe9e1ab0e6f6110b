//! What the builders share: the arrays of the host interface, the point's scalars, steps without ceremony.

use super::output::Output;
use super::reaction::Operands;
use super::state::{self, StateVariables};
use super::{Form, Options, composition};
use crate::graph::body::{Body, Id};
use crate::graph::dataflow::{Array, Graph, Operation, Quantity, Shape, Step, Value};
use kinetics::Model;
use kinetics::approximation::range::TemperatureRange;
use kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};

/// Indices of the input arrays, the same for every kernel.
pub const TEMPERATURE: u32 = 0;
pub const PRESSURE: u32 = 1;
pub const MOLE_FRACTIONS: u32 = 2;
pub const OUTPUT: u32 = 3;
/// Of kernels that treat stiff species: before the output, which comes last in every kernel.
pub const TRANSPORT_SOURCE: u32 = 3;
pub const TIME_STEP: u32 = 4;

/// Scalars of the point, in the order of [`begin`].
pub mod scalar {
    pub const TEMPERATURE: u32 = 0;
    pub const LN_TEMPERATURE: u32 = 1;
    /// 1/T
    pub const INVERSE_TEMPERATURE: u32 = 2;
    /// P/(R T) in kmol/m3
    pub const CONCENTRATION: u32 = 3;
    /// ln(P0/(R T)), P0 = 1 atm, concentration in kmol/m3
    pub const LN_STANDARD_CONCENTRATION: u32 = 4;
    /// P_atm/P
    pub const PRESSURE_RATIO: u32 = 5;
    /// T^(-1/3), for Landau-Teller rates
    pub const CUBE_ROOT: u32 = 6;
    /// ln(P/Pa), for rates that are tabulated over the pressure
    pub const LN_PRESSURE: u32 = 7;
    /// ln T scaled to -1 and 1 at the ends of the fits' range
    pub const SCALED_LN_TEMPERATURE: u32 = 8;
    /// The square of `CONCENTRATION`, which must stand before it
    pub const SQUARED_CONCENTRATION: u32 = 9;

    const NAMES: [&str; 10] = [
        "temperature",
        "ln_t",
        "inverse_t",
        "concentration",
        "ln_standard",
        "pressure_ratio",
        "cube_root",
        "ln_p",
        "scaled_ln_t",
        "squared_concentration",
    ];

    /// What a graph calls it.
    pub fn name(scalar: u32) -> &'static str {
        NAMES[scalar as usize]
    }

    /// The scalar that a graph calls so.
    pub fn of_name(name: &str) -> u32 {
        NAMES.iter().position(|known| *known == name).expect("graphs name scalars by this list") as u32
    }
}

/// Which of the scalars a kernel uses decides what its preamble computes.
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
        let composition = composition::begin(&mut graph, model, true);
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
        composition::begin(&mut graph, model, false);
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
        let t = options.filter().map_or(t, |range| filtered(b, range, t));
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

/// The temperature where it is in the range, else not a number.
fn filtered(b: &mut Body, range: TemperatureRange, t: Id) -> Id {
    let [coldest, hottest, none] = [range.coldest, range.hottest, f64::NAN].map(|x| b.literal(x));
    let t = b.select_le(t, hottest, t, none);
    b.select_le(coldest, t, t, none)
}

/// Names the rows of the output array, one quantity after the other; each with its first row.
pub fn name_rows(graph: &mut Graph, outputs: &[Output], species: usize) -> Vec<(Output, u32)> {
    let mut first = 0;
    for output in outputs {
        let (name, rows) = (output.name(), output.rows(species) as u32);
        graph.quantities.push(Quantity { name, first, rows });
        first += rows;
    }
    outputs.iter().copied().zip(graph.quantities.iter().map(|quantity| quantity.first)).collect()
}

/// ln x: the paper's form has a division in it, the others a table.
pub fn logarithm(b: &mut Body, form: Form, x: Id) -> Id {
    if form == Form::Pairwise {
        return b.log(x);
    }
    let (lg, factor) = (b.log2(x), b.literal(std::f64::consts::LN_2));
    b.mul(lg, factor)
}

/// 0 where the point's temperature has a logarithm, else not a number. To be added to what temperature only reaches through
/// powers: e^x of what is not a number is 0 or infinity.
pub fn zero_or_nan(b: &mut Body, scalars: &[u32]) -> Id {
    let ln_t = scalar_of(b, scalars, scalar::LN_TEMPERATURE);
    b.sub(ln_t, ln_t)
}

/// The position of a scalar among those that the kernel asked for.
pub fn scalar_of(body: &mut Body, scalars: &[u32], which: u32) -> Id {
    let k = scalars.iter().position(|&s| s == which).expect("the builder lists every scalar that it uses");
    body.scalar(k as u32)
}

/// max(x, 0) of a mole fraction, straight from global memory.
pub fn mole_fraction(body: &mut Body, operand: u32) -> Id {
    let x = body.field(MOLE_FRACTIONS, operand);
    body.positive(x)
}

/// An operation that is a single step.
pub fn single(name: String, epilogue: Step) -> Operation {
    Operation { name, states: 0, prologue: None, iterations: Vec::new(), ordered: false, epilogue }
}

/// A step without stores.
pub fn step(shape: Shape, constants: Vec<f64>, inputs: Vec<Value>, rows: Vec<u32>) -> Step {
    Step { shape, constants, inputs, rows, ..Step::default() }
}

/// A prologue after which all running sums are empty.
pub fn empty_sums(graph: &mut Graph, states: usize) -> Step {
    let mut b = Body::default();
    let empty = b.empty_sum();
    b.states = vec![empty; states];
    step(graph.shape(b), vec![], vec![], vec![])
}

/// An iteration that adds nu times a value to the one running sum.
pub fn add_term(graph: &mut Graph, value: Value, nu: f64) -> Step {
    let mut b = Body::default();
    let (sum, x) = (b.state(0), b.input(0));
    let (next, constants) = if nu == 1.0 {
        (b.add(sum, x), vec![])
    } else if nu == -1.0 {
        (b.sub(sum, x), vec![])
    } else {
        let nu_id = b.constant(0);
        (b.fma(nu_id, x, sum), vec![nu])
    };
    b.states = vec![next];
    step(graph.shape(b), constants, vec![value], vec![])
}

/// Splits 0..n into at most `parts` consecutive ranges whose lengths differ by at most one, longer ones first.
pub fn blocks(n: usize, parts: usize) -> Vec<std::ops::Range<usize>> {
    let parts = parts.clamp(1, n.max(1));
    let (size, longer) = (n / parts, n % parts);
    let mut start = 0;
    (0..parts)
        .map(|i| {
            let end = start + size + usize::from(i < longer);
            let range = start..end;
            start = end;
            range
        })
        .collect()
}
