//! A made-up model of any size, for tests that do not need physics.

use std::sync::Arc;

use diagnostics::{Source, Span};
use kinetics::{Model, TransportFits};
use mechanism::*;

use crate::numbers::Numbers;

/// One to five pressures with one to three expressions each; the later ones may be negative or zero.
fn plog(n: &mut Numbers, first: Arrhenius) -> Vec<(f64, Vec<Arrhenius>)> {
    let mut pressure = 10f64.powf(n.between(2.0, 5.0));
    let rows = (0..1 + n.below(5)).map(|_| {
        pressure *= 10f64.powf(n.between(0.2, 1.5));
        let slower = |factor: f64| Arrhenius { a: factor * first.a, ..first };
        let terms = (0..1 + n.below(3)).map(|i| match i {
            0 => slower(n.between(0.5, 50.0)),
            1 => slower(n.between(-0.3, 0.3)),
            _ => slower(0.0),
        });
        (pressure, terms.collect())
    });
    rows.collect()
}

fn chebyshev(n: &mut Numbers) -> Chebyshev {
    let (rows, columns) = (1 + n.below(5), 1 + n.below(5));
    let mut coefficients: Vec<Vec<f64>> =
        (0..rows).map(|_| (0..columns).map(|_| n.between(-0.5, 0.5)).collect()).collect();
    coefficients[0][0] = n.between(-2.0, 8.0);
    Chebyshev { t_min: 300.0, t_max: 2500.0, p_min: 1e3, p_max: 1e7, coefficients }
}

/// None to three colliders, with and without rates of their own.
fn linear_burke(n: &mut Numbers, species: usize, [low, high]: [Arrhenius; 2]) -> Rate {
    let pressure_rate = |n: &mut Numbers| match n.below(3) {
        0 => PressureRate::Plog(plog(n, low)),
        1 => PressureRate::Chebyshev(chebyshev(n)),
        _ => {
            let blending = Blending::Troe { a: n.between(0.2, 0.8), t3: 100.0, t1: 1500.0, t2: None };
            PressureRate::Falloff { low, high, blending }
        }
    };
    let bath = pressure_rate(n);
    let mut colliders: Vec<BurkeCollider> = Vec::new();
    for _ in 0..n.below(4) {
        let k = n.below(species);
        let slope = if n.below(2) == 0 { 0.0 } else { 1.0 };
        let (b, e_over_r) = (slope * n.between(-0.5, 0.5), slope * n.between(-300.0, 300.0));
        let efficiency = Arrhenius { a: n.between(0.1, 20.0), b, e_over_r };
        let rate = (n.below(2) == 0).then(|| pressure_rate(n));
        if colliders.iter().all(|known| known.species != k) {
            colliders.push(BurkeCollider { species: k, efficiency, rate });
        }
    }
    colliders.sort_by_key(|collider| collider.species);
    Rate::LinearBurke(LinearBurke { bath, colliders })
}

pub fn model(species: usize, reactions: usize, seed: u64) -> Model {
    let mut n = Numbers(seed);
    let all: Vec<Species> = (0..species).map(|k| one_species(k, &mut n)).collect();
    let list = (0..reactions).map(|i| reaction(i, species, seed, &mut n)).collect();
    let fit = |n: &mut Numbers, c0: f64| [c0, n.between(0.5, 0.8), n.between(-0.01, 0.01), 1e-4];
    Model {
        mechanism: Mechanism {
            name: "made_up".into(),
            phase: Default::default(),
            elements: vec![Element { symbol: "X".into(), weight: 1.0 }],
            species: all,
            reactions: list,
            reduction: None,
            diffusion: Default::default(),
            inputs: Vec::new(),
        },
        found: Default::default(),
        left_out: Vec::new(),
        transport: Some(TransportFits {
            t_min: 300.0,
            t_max: 3000.0,
            viscosity: (0..species).map(|_| fit(&mut n, -14.0)).collect(),
            conductivity: (0..species).map(|_| fit(&mut n, -8.0)).collect(),
            diffusion: (0..species * (species + 1) / 2).map(|_| fit(&mut n, -12.0)).collect(),
            thermal_diffusion: Vec::new(),
        }),
    }
}

fn one_species(k: usize, n: &mut Numbers) -> Species {
    let coefficients = |n: &mut Numbers| {
        [n.between(2.5, 5.0), n.between(-1e-3, 1e-3), 1e-7, 1e-11, 1e-15, n.between(-3e4, 3e4), n.between(-5.0, 5.0)]
    };
    let low = coefficients(n);
    let high = if k.is_multiple_of(5) { low } else { coefficients(n) };
    // Some species have three ranges of NASA-9, made of the same numbers.
    let thermo = if k % 4 == 3 {
        let range =
            |a: [f64; 7], factor: f64| [2e4 * factor, -300.0 * factor, a[0], a[1], a[2], a[3], a[4], a[5], a[6]];
        let ranges = vec![range(low, 1.0), range(high, 0.0), range(low, -0.5)];
        Polynomials::Nasa9(Nasa9 { temperatures: vec![300.0, 700.0, 1500.0, 3000.0], ranges })
    } else {
        Polynomials::Nasa7(Nasa7 { t_low: 300.0, t_mid: 1000.0, t_high: 3000.0, low, high })
    };
    Species {
        name: format!("S{k}"),
        composition: vec![(0, 1.0)],
        weight: n.between(1.0, 120.0),
        thermo,
        transport: None,
    }
}

fn reaction(i: usize, species: usize, seed: u64, n: &mut Numbers) -> Reaction {
    let (reactants, products) = (side(species, n), side(species, n));
    let rate = rate(i, species, seed, n);
    let forward_orders = match n.below(8) {
        0 => vec![(reactants[0].0, n.between(0.1, 2.5))],
        1 if species > 1 => {
            let other = (reactants[0].0 + 1 + n.below(species - 1)) % species;
            vec![(other, n.between(0.1, 1.5)), (reactants[0].0, 0.0)]
        }
        2 => vec![(n.below(species), n.between(-1.0, -0.1))],
        _ => vec![],
    };
    let third_body = (matches!(rate, Rate::Arrhenius(_)) && n.below(4) == 0).then(|| Collider::Mixture(vec![(0, 2.0)]));
    let reverse = match n.below(4) {
        0 => Reverse::Irreversible,
        1 => Reverse::Explicit(arrhenius(n), None),
        _ => Reverse::Equilibrium,
    };
    Reaction {
        equation: format!("R{i}"),
        span: Span { source: Arc::new(Source { name: "made up".into(), text: String::new() }), offset: 0, len: 0 },
        reactants,
        products,
        reverse,
        rate,
        third_body,
        forward_orders,
        reverse_orders: vec![],
        duplicate: false,
    }
}

/// Species and their coefficients on one side of an equation.
fn side(species: usize, n: &mut Numbers) -> Vec<(usize, f64)> {
    let mut side: Vec<(usize, f64)> = Vec::new();
    for _ in 0..1 + n.below(3) {
        let k = n.below(species);
        if side.iter().all(|(j, _)| *j != k) {
            side.push((k, 1.0 + n.below(2) as f64));
        }
    }
    side
}

fn arrhenius(n: &mut Numbers) -> Arrhenius {
    Arrhenius { a: n.between(0.1, 1e10), b: n.between(-2.0, 2.0), e_over_r: n.between(0.0, 2e4) }
}

fn rate(i: usize, species: usize, seed: u64, n: &mut Numbers) -> Rate {
    let blending = match n.below(4) {
        0 => Blending::Lindemann,
        1 => Blending::Troe { a: 0.6, t3: 100.0, t1: 1500.0, t2: Some(4000.0) },
        2 => Blending::Troe { a: 0.5, t3: 1e-30, t1: 1e30, t2: None },
        _ => Blending::Sri { a: 0.5, b: 300.0, c: 1500.0, d: 1.0, e: 0.1 },
    };
    let (low, high) = (arrhenius(n), arrhenius(n));
    let collider = match n.below(4) {
        0 => Collider::Species(n.below(species)),
        _ => Collider::Mixture(vec![(n.below(species), n.below(3) as f64)]),
    };
    // Rarely, both limits are negative (as one of two duplicates may be) or one is zero.
    let (below, above) = match n.below(12) {
        0 => (-1.0, -1.0),
        1 => (0.0, 1.0),
        2 => (1.0, 0.0),
        _ => (1.0, 1.0),
    };
    let scaled = |k: Arrhenius, factor: f64| Arrhenius { a: factor * k.a, ..k };
    let limits = (scaled(low, below), scaled(high, above));
    match n.below(9) {
        0 => Rate::Falloff { low: limits.0, high: limits.1, collider, blending },
        1 => Rate::ChemicallyActivated { low: limits.0, high: limits.1, collider, blending },
        2 => Rate::LandauTeller(low, LandauTeller { b: n.between(-30.0, 30.0), c: n.between(-30.0, 30.0) }),
        3 => Rate::Plog(plog(n, low)),
        4 => Rate::Chebyshev(chebyshev(n)),
        // From numbers of their own.
        _ if i % 11 == 7 => linear_burke(&mut Numbers(seed + 1000 * i as u64), species, [low, high]),
        _ => Rate::Arrhenius(low),
    }
}
