//! Mole fractions of what the host tells the composition by, computed once for all readers: of mass fractions X_k = (Y_k/W_k) / sum Y_j/W_j,
//! of concentrations X_k = C_k / sum C_j, and of mole fractions whose sum need not be 1.

use crate::build::{Operands, empty_sums, mole_fraction, single, step};
use crate::options::Basis;
use graph::body::Body;
use graph::dataflow::{Graph, Operation, Value};
use kinetics::Model;

/// Values made of the composition.
pub struct Composition {
    /// Mole fractions by species.
    pub fractions: Vec<Value>,
    /// If it is wanted, the amount of substance in kmol/kg, sum Y_j/W_j / sum Y_j or sum X_j / sum X_j W_j; for concentrations their sum, in
    /// kmol/m^3.
    pub amount: Option<Value>,
}

/// Adds the mole fractions as values, in the first operations of the graph. Negative values of the host count as zero.
pub fn begin(graph: &mut Graph, model: &Model, basis: Basis, with_amount: bool) -> Composition {
    let species = model.species();
    let shape = {
        let mut b = Body::default();
        let given = mole_fraction(&mut b, 0);
        let amount = match basis {
            Basis::MassFractions => {
                let inverse_weight = b.constant(0);
                b.mul(given, inverse_weight)
            }
            Basis::MoleFractions | Basis::Concentrations => given,
        };
        b.values = vec![amount];
        graph.shape(b)
    };
    let with_mass = with_amount && basis != Basis::Concentrations;
    let mut amounts = Vec::new();
    for (k, s) in species.iter().enumerate() {
        let name = format!("amount {}", s.name);
        let constants = if basis == Basis::MassFractions { vec![1.0 / s.weight] } else { vec![] };
        let step = step(shape, constants, vec![], vec![k as u32]);
        amounts.extend(values(graph, single(name.clone(), step), &[&name]));
    }
    let iterations = amounts.iter().zip(species).map(|(&amount, s)| {
        let mut o = Operands::default();
        let (sum, amount) = (o.body.state(0), o.input(amount));
        o.body.states = vec![o.body.add(sum, amount)];
        if with_mass {
            let (mass, weight) = (o.body.state(1), o.constant(s.weight));
            let mass = o.body.fma(weight, amount, mass);
            o.body.states.push(mass);
        }
        o.into_step(graph)
    });
    let iterations = iterations.collect();
    let epilogue = {
        let mut b = Body::default();
        let (one, sum) = (b.literal(1.0), b.state(0));
        b.values = vec![b.div(one, sum)];
        if with_mass {
            let mass = b.state(1);
            let amount = b.div(sum, mass);
            b.values.push(amount);
        } else if with_amount {
            b.values.push(sum);
        }
        graph.shape(b)
    };
    let states = 1 + u32::from(with_mass);
    let sum = Operation {
        name: "amounts".into(),
        states,
        prologue: Some(empty_sums(graph, states as usize)),
        iterations,
        ordered: false,
        epilogue: step(epilogue, vec![], vec![], vec![]),
    };
    let sums = values(graph, sum, &["inverse amount", "specific amount"]);
    let shape = {
        let mut b = Body::default();
        let (amount, inverse) = (b.input(0), b.input(1));
        b.values = vec![b.mul(amount, inverse)];
        graph.shape(b)
    };
    let mut fractions = Vec::new();
    for (s, &amount) in species.iter().zip(&amounts) {
        let name = format!("mole fraction {}", s.name);
        let step = step(shape, vec![], vec![amount, sums[0]], vec![]);
        fractions.extend(values(graph, single(name.clone(), step), &[&name]));
    }
    Composition { fractions, amount: sums.get(1).copied() }
}

/// The values that an operation makes in its epilogue.
fn values(graph: &mut Graph, operation: Operation, names: &[&str]) -> Vec<Value> {
    let op = graph.add(operation, |_, n| names[n].to_owned());
    graph.ops[op].epilogue.outputs.clone()
}
