//! A small mechanism made by hand, for unit tests: H2, O2, H2O, N2 with the data of GRI-Mech 3.0.

use std::sync::Arc;

use super::{Model, State, model};
use diagnostics::{Source, Span};
use mechanism::{
    Arrhenius, Blending, Collider, Element, Geometry, Mechanism, Nasa7, Polynomials, Rate, Reaction, Reverse, Species,
    SpeciesIndex, Transport,
};

/// Species 0 H2, 1 O2, 2 H2O, 3 N2; reactions 0 plain, 1 `+M`, 2 falloff with a collider of its own, 3 irreversible.
pub fn air_hydrogen() -> Mechanism {
    let element = |symbol: &str, weight| Element { symbol: symbol.into(), weight };
    Mechanism {
        name: "air_hydrogen".into(),
        phase: Default::default(),
        elements: vec![element("H", 1.008), element("O", 15.999), element("N", 14.007)],
        species: vec![hydrogen(), oxygen(), water(), nitrogen()],
        reactions: reactions(),
        reduction: None,
        diffusion: Default::default(),
        inputs: Vec::new(),
    }
}

pub fn air_hydrogen_model() -> Model {
    model(air_hydrogen()).expect("the fixture is complete")
}

pub fn state(temperature: f64, pressure: f64, mole_fractions: &[f64]) -> State {
    State { temperature, pressure, mole_fractions: mole_fractions.to_vec() }
}

/// A reversible reaction without a third body.
pub fn reaction(reactants: &[(SpeciesIndex, f64)], products: &[(SpeciesIndex, f64)], rate: Rate) -> Reaction {
    let source = Arc::new(Source { name: "fixture".into(), text: String::new() });
    Reaction {
        equation: String::new(),
        span: Span { source, offset: 0, len: 0 },
        reactants: reactants.to_vec(),
        products: products.to_vec(),
        reverse: Reverse::Equilibrium,
        rate,
        third_body: None,
        forward_orders: Vec::new(),
        reverse_orders: Vec::new(),
        duplicate: false,
    }
}

fn reactions() -> Vec<Reaction> {
    let k = Arrhenius { a: 2.0e9, b: 0.3, e_over_r: 9000.0 };
    let burn = |rate| reaction(&[(0, 2.0), (1, 1.0)], &[(2, 2.0)], rate);
    let falloff = Rate::Falloff {
        low: Arrhenius { a: 4.0e12, ..k },
        high: k,
        collider: Collider::Species(3),
        blending: Blending::Troe { a: 0.6, t3: 80.0, t1: 1700.0, t2: None },
    };
    vec![
        burn(Rate::Arrhenius(k)),
        Reaction { third_body: Some(Collider::Mixture(vec![(1, 0.0), (2, 6.0)])), ..burn(Rate::Arrhenius(k)) },
        burn(falloff),
        Reaction { reverse: Reverse::Irreversible, ..burn(Rate::Arrhenius(k)) },
    ]
}

fn hydrogen() -> Species {
    Species {
        name: "H2".into(),
        composition: vec![(0, 2.0)],
        weight: 2.016,
        thermo: nasa(
            [200.0, 3500.0],
            [3.3372792, -4.94024731e-5, 4.99456778e-7, -1.79566394e-10, 2.00255376e-14, -950.158922, -3.20502331],
            [2.34433112, 7.98052075e-3, -1.9478151e-5, 2.01572094e-8, -7.37611761e-12, -917.935173, 0.683010238],
        ),
        transport: transport(Geometry::Linear, [38.0, 2.92, 0.0, 0.79, 280.0]),
    }
}

fn oxygen() -> Species {
    Species {
        name: "O2".into(),
        composition: vec![(1, 2.0)],
        weight: 31.998,
        thermo: nasa(
            [200.0, 3500.0],
            [3.28253784, 1.48308754e-3, -7.57966669e-7, 2.09470555e-10, -2.16717794e-14, -1088.45772, 5.45323129],
            [3.78245636, -2.99673416e-3, 9.84730201e-6, -9.68129509e-9, 3.24372837e-12, -1063.94356, 3.65767573],
        ),
        transport: transport(Geometry::Linear, [107.4, 3.458, 0.0, 1.6, 3.8]),
    }
}

fn water() -> Species {
    Species {
        name: "H2O".into(),
        composition: vec![(0, 2.0), (1, 1.0)],
        weight: 18.015,
        thermo: nasa(
            [200.0, 3500.0],
            [3.03399249, 2.17691804e-3, -1.64072518e-7, -9.7041987e-11, 1.68200992e-14, -30004.2971, 4.9667701],
            [4.19864056, -2.0364341e-3, 6.52040211e-6, -5.48797062e-9, 1.77197817e-12, -30293.7267, -0.849032208],
        ),
        transport: transport(Geometry::Nonlinear, [572.4, 2.605, 1.844, 0.0, 4.0]),
    }
}

fn nitrogen() -> Species {
    Species {
        name: "N2".into(),
        composition: vec![(2, 2.0)],
        weight: 28.014,
        thermo: nasa(
            [300.0, 5000.0],
            [2.92664, 1.4879768e-3, -5.68476e-7, 1.0097038e-10, -6.753351e-15, -922.7977, 5.980528],
            [3.298677, 1.4082404e-3, -3.963222e-6, 5.641515e-9, -2.444854e-12, -1020.8999, 3.950372],
        ),
        transport: transport(Geometry::Linear, [97.53, 3.621, 0.0, 1.76, 4.0]),
    }
}

fn nasa(range: [f64; 2], high: [f64; 7], low: [f64; 7]) -> Polynomials {
    Polynomials::Nasa7(Nasa7 { t_low: range[0], t_mid: 1000.0, t_high: range[1], low, high })
}

fn transport(
    geometry: Geometry,
    [well_depth, diameter, dipole, polarizability, relaxation]: [f64; 5],
) -> Option<Transport> {
    Some(Transport {
        geometry,
        well_depth,
        diameter,
        dipole,
        polarizability,
        rotational_relaxation: relaxation,
        place: Default::default(),
    })
}
