//! Properties of species and of the ideal-gas mixture from the species' polynomials (Gordon & McBride, NASA SP-273).
//!
//! Operations: of each species the functions that are asked for, and its shares of the mixture; the sums of these. The mixture's properties are those of its species, each at its partial pressure.

use super::gibbs::{self, Terms};
use super::{begin, energy};
use crate::build::{self, Operands, PRESSURE, SCALARS, SMALLEST, scalar, scalar_of, single};
use crate::options::{Kernel, Options, Output, Property, Rows};
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};

pub fn build(model: &Model, options: &Options) -> Graph {
    let outputs = options.outputs.for_kernel(Kernel::Thermodynamics);
    let species = model.species().len();
    let sizes = Rows { species, reactions: model.mechanism.reactions.len() };
    let rows = outputs.iter().map(|output| output.rows(sizes)).sum::<usize>() as u32;
    let mut graph = begin::begin("thermodynamics", model, options, "properties", rows, &SCALARS);
    let places = build::name_rows(&mut graph, &outputs, sizes);
    let sums: Vec<Sum> = SUMS.into_iter().filter(|sum| outputs.iter().any(|&output| sum.serves(output))).collect();
    let (of_species, of_mixture): (Vec<Place>, Vec<Place>) =
        places.into_iter().partition(|(output, _)| matches!(output, Output::Thermodynamic { species: true, .. }));
    let mut shares: Vec<Vec<Value>> = Vec::new();
    for k in 0..species {
        shares.push(species_operation(&mut graph, model, k, &of_species, &sums));
    }
    if !of_mixture.is_empty() {
        mixture(&mut graph, &of_mixture, &sums, &shares);
    }
    graph
}

/// A quantity, and its first row.
type Place = (Output, u32);

/// Quantity that is summed over species, each with its mole fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sum {
    /// 1
    Amount,
    /// W
    Mass,
    /// cp/R
    HeatCapacity,
    /// h/RT
    Enthalpy,
    /// s/R - ln X
    Entropy,
}

const SUMS: [Sum; 5] = [Sum::Amount, Sum::Mass, Sum::HeatCapacity, Sum::Enthalpy, Sum::Entropy];

impl Sum {
    /// Whether a quantity of the mixture is made of it.
    fn serves(self, output: Output) -> bool {
        match (self, output) {
            (Self::Mass, Output::MeanMolarMass | Output::Density) => true,
            (_, Output::Thermodynamic { property, species: false, molar }) => match self {
                Self::Mass => !molar,
                Self::Amount => !matches!(property, Property::Cp | Property::H),
                Self::HeatCapacity => matches!(property, Property::Cp | Property::Cv),
                Self::Enthalpy => matches!(property, Property::H | Property::U | Property::G),
                Self::Entropy => matches!(property, Property::S | Property::G),
            },
            _ => false,
        }
    }
}

/// The functions of one species that are read, each computed once.
#[derive(Default)]
struct Functions {
    capacity: Option<Id>,
    enthalpy: Option<Id>,
    entropy: Option<Id>,
}

impl Functions {
    fn capacity(&mut self, o: &mut Operands, model: &Model, k: usize) -> Id {
        *self.capacity.get_or_insert_with(|| energy::capacity(o, &model.species()[k].thermo, 0.0))
    }

    fn enthalpy(&mut self, o: &mut Operands, model: &Model, k: usize) -> Id {
        *self.enthalpy.get_or_insert_with(|| energy::energy(o, &model.species()[k].thermo, 0.0))
    }

    fn entropy(&mut self, o: &mut Operands, model: &Model, k: usize) -> Id {
        *self
            .entropy
            .get_or_insert_with(|| gibbs::value(o, &gibbs::of_ranges(&model.species()[k].thermo, entropy7, entropy9)))
    }

    /// Over R, or over RT.
    fn property(&mut self, o: &mut Operands, model: &Model, k: usize, property: Property) -> Id {
        match property {
            Property::Cp => self.capacity(o, model, k),
            Property::H => self.enthalpy(o, model, k),
            Property::S => self.entropy(o, model, k),
            Property::Cv | Property::U => {
                let whole =
                    if property == Property::Cv { self.capacity(o, model, k) } else { self.enthalpy(o, model, k) };
                let one = o.body.literal(1.0);
                o.body.sub(whole, one)
            }
            Property::G => {
                let (h, s) = (self.enthalpy(o, model, k), self.entropy(o, model, k));
                o.body.sub(h, s)
            }
        }
    }
}

/// Stores the rows of a species, and makes its shares of the sums.
fn species_operation(graph: &mut Graph, model: &Model, k: usize, places: &[Place], sums: &[Sum]) -> Vec<Value> {
    let species = &model.species()[k];
    let output = graph.arrays.len() as u32 - 1;
    let (mut o, mut functions) = (Operands::default(), Functions::default());
    let mut stores = Vec::new();
    for &(quantity, first) in places {
        let Output::Thermodynamic { property, molar, .. } = quantity else { continue };
        let function = functions.property(&mut o, model, k, property);
        let gas_constant = o.constant(if molar { GAS_CONSTANT } else { GAS_CONSTANT / species.weight });
        let value = times_gas_constant(&mut o.body, property, function, gas_constant);
        o.body.stores.push(value);
        stores.push((output, first + k as u32));
    }
    if !sums.is_empty() {
        let x = o.fraction(k);
        for &sum in sums {
            let share = match sum {
                Sum::Amount => x,
                Sum::Mass => {
                    let weight = o.constant(species.weight);
                    o.body.mul(x, weight)
                }
                Sum::HeatCapacity => {
                    let function = functions.capacity(&mut o, model, k);
                    o.body.mul(x, function)
                }
                Sum::Enthalpy => {
                    let function = functions.enthalpy(&mut o, model, k);
                    o.body.mul(x, function)
                }
                Sum::Entropy => {
                    let function = functions.entropy(&mut o, model, k);
                    let b = &mut o.body;
                    let smallest = b.literal(SMALLEST);
                    let floored = b.max(x, smallest);
                    let ln = b.log(floored);
                    let own = b.sub(function, ln);
                    b.mul(x, own)
                }
            };
            o.body.values.push(share);
        }
    }
    let name = format!("species {}", species.name);
    let step = Step { stores, ..o.into_step(graph) };
    let op = graph.add(single(name.clone(), step), |_, n| format!("share {n} {name}"));
    graph.ops[op].epilogue.outputs.clone()
}

/// R cp/R, or R T h/RT.
fn times_gas_constant(b: &mut Body, property: Property, function: Id, gas_constant: Id) -> Id {
    let value = b.mul(function, gas_constant);
    if matches!(property, Property::Cp | Property::Cv | Property::S) {
        return value;
    }
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    b.mul(value, t)
}

/// Adds up the shares and stores the rows of the mixture.
fn mixture(graph: &mut Graph, places: &[Place], sums: &[Sum], shares: &[Vec<Value>]) {
    let output = graph.arrays.len() as u32 - 1;
    let mut b = Body::default();
    for n in 0..sums.len() as u32 {
        let (sum, share) = (b.state(n), b.input(n));
        let sum = b.add(sum, share);
        b.states.push(sum);
    }
    let iteration = graph.shape(b);
    let iterations = shares.iter().filter(|_| !sums.is_empty());
    let iterations = iterations.map(|shares| build::step(iteration, vec![], shares.clone(), vec![])).collect();
    let (mut o, mut stores) = (Operands::default(), Vec::new());
    for &(quantity, row) in places {
        let value = of_mixture(&mut o, quantity, sums);
        o.body.stores.push(value);
        stores.push((output, row));
    }
    let epilogue = Step { stores, ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, sums.len()));
    let states = sums.len() as u32;
    let operation = Operation { name: "mixture".into(), states, prologue, iterations, ordered: false, epilogue };
    graph.add_stores(operation);
}

/// A quantity of the mixture.
fn of_mixture(o: &mut Operands, quantity: Output, sums: &[Sum]) -> Id {
    let (property, molar) = match quantity {
        Output::Pressure => return o.field(PRESSURE, 0),
        Output::Density => {
            let mass = sum_of(&mut o.body, sums, Sum::Mass);
            let total = scalar_of(&mut o.body, &SCALARS, scalar::CONCENTRATION);
            return o.body.mul(mass, total);
        }
        Output::Thermodynamic { property, molar, .. } => (property, molar),
        _ => return sum_of(&mut o.body, sums, Sum::Mass),
    };
    let function = match property {
        Property::Cp => sum_of(&mut o.body, sums, Sum::HeatCapacity),
        Property::H => sum_of(&mut o.body, sums, Sum::Enthalpy),
        Property::Cv | Property::U => {
            let whole = if property == Property::Cv { Sum::HeatCapacity } else { Sum::Enthalpy };
            let (whole, amount) = (sum_of(&mut o.body, sums, whole), sum_of(&mut o.body, sums, Sum::Amount));
            o.body.sub(whole, amount)
        }
        Property::S => entropy(o, sums),
        Property::G => {
            let (h, s) = (sum_of(&mut o.body, sums, Sum::Enthalpy), entropy(o, sums));
            o.body.sub(h, s)
        }
    };
    let gas_constant = o.body.literal(GAS_CONSTANT);
    let value = times_gas_constant(&mut o.body, property, function, gas_constant);
    if molar {
        return value;
    }
    let mass = sum_of(&mut o.body, sums, Sum::Mass);
    o.body.div(value, mass)
}

fn sum_of(b: &mut Body, sums: &[Sum], which: Sum) -> Id {
    let place = sums.iter().position(|&sum| sum == which).expect("what a quantity is made of is summed");
    b.state(place as u32)
}

/// sum X (s/R - ln X) - ln(P/P0) sum X
fn entropy(o: &mut Operands, sums: &[Sum]) -> Id {
    let p = o.field(PRESSURE, 0);
    let b = &mut o.body;
    let inverse = b.literal(1.0 / ATMOSPHERE);
    let ratio = b.mul(p, inverse);
    let ln = b.log(ratio);
    let minus = b.neg(ln);
    let (amount, entropies) = (sum_of(b, sums, Sum::Amount), sum_of(b, sums, Sum::Entropy));
    b.fma(minus, amount, entropies)
}

/// s/R = a1 ln T + a2 T + a3/2 T^2 + a4/3 T^3 + a5/4 T^4 + a7
fn entropy7(a: &[f64; 7]) -> Terms {
    [a[6], a[1], a[2] / 2.0, a[3] / 3.0, a[4] / 4.0, a[0], 0.0, 0.0, 0.0]
}

/// s/R = a3 ln T + a4 T + a5/2 T^2 + a6/3 T^3 + a7/4 T^4 + b2 - (a2 + a1/2 /T) /T
fn entropy9(a: &[f64; 9]) -> Terms {
    [a[8], a[3], a[4] / 2.0, a[5] / 3.0, a[6] / 4.0, a[2], -a[1], 0.0, -a[0] / 2.0]
}
