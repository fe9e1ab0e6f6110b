//! Data of a mechanism in the libraries for other codes.

use emit_c::cpu::{Polynomials, Stoichiometry, TransportData};
use kinetics::Model;
use kinetics::constants::ATMOSPHERE;
use mechanism::{Geometry, Reaction, Transport};
use std::iter::once;

/// The atoms' weights and the coefficients of all reactions.
pub fn stoichiometry(model: &Model) -> Stoichiometry {
    let mechanism = &model.mechanism;
    Stoichiometry {
        element_weights: mechanism.elements.iter().map(|element| element.weight).collect(),
        reacting: (0..model.species().len()).map(|k| mechanism.reactions.iter().any(|r| changes(r, k))).collect(),
        reactions: mechanism.reactions.iter().map(whole).collect(),
        thermodynamics: polynomials(model),
    }
}

fn polynomials(model: &Model) -> Polynomials {
    let species = model.species();
    let mut breaks: Vec<f64> = species.iter().flat_map(|species| species.thermo.breaks().iter().copied()).collect();
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    let has_negative_powers = species.iter().any(|species| matches!(species.thermo, mechanism::Polynomials::Nasa9(_)));
    let above = |below: f64| species.iter().map(|species| terms(&species.thermo, below, has_negative_powers)).collect();
    Polynomials {
        coefficients: once(f64::NEG_INFINITY).chain(breaks.iter().copied()).map(above).collect(),
        breaks,
        has_negative_powers,
    }
}

/// The coefficients of a species in the range above a temperature.
fn terms(thermo: &mechanism::Polynomials, below: f64, has_negative_powers: bool) -> Vec<f64> {
    let range = thermo.breaks().iter().take_while(|end| **end <= below).count();
    match thermo {
        mechanism::Polynomials::Nasa7(nasa) => {
            let [a0, a1, a2, a3, a4, h, s] = [nasa.low, nasa.high][range];
            let negative: &[f64] = if has_negative_powers { &[0.0, 0.0] } else { &[] };
            [&[a0, a1, a2, a3, a4], negative, &[h, s]].concat()
        }
        mechanism::Polynomials::Nasa9(nasa) => {
            let [square, inverse, a0, a1, a2, a3, a4, h, s] = nasa.ranges[range];
            vec![a0, a1, a2, a3, a4, square, inverse, h, s]
        }
    }
}

/// Whether a reaction makes more or less of a species than it takes.
fn changes(reaction: &Reaction, species: usize) -> bool {
    let of = |side: &[(usize, f64)]| side.iter().filter(|(k, _)| *k == species).map(|(_, nu)| nu).sum::<f64>();
    of(&reaction.reactants) != of(&reaction.products)
}

/// Reactants, then products; nothing where a coefficient is no whole number.
fn whole(reaction: &Reaction) -> Option<Vec<(usize, i32)>> {
    let sides = [(&reaction.reactants, -1.0), (&reaction.products, 1.0)];
    let terms = sides.into_iter().flat_map(|(side, sign)| side.iter().map(move |&(k, nu)| (k, sign * nu)));
    terms.map(|(k, nu)| (nu.fract() == 0.0).then_some((k, nu as i32))).collect()
}

/// Data and fits of transport in CGS; nothing where a species has none.
pub fn transport(model: &Model) -> Option<TransportData> {
    let fits = model.transport.as_ref()?;
    let data: Vec<&Transport> =
        model.species().iter().map(|species| species.transport.as_ref()).collect::<Option<_>>()?;
    let of = |value: fn(&Transport) -> f64| data.iter().map(|data| value(data)).collect();
    let scaled = |fits: &[[f64; 4]], factor: f64| {
        fits.iter().map(|&[first, second, third, fourth]| [first + factor.ln(), second, third, fourth]).collect()
    };
    let pair = |i: usize, j: usize| {
        let (low, high) = (i.min(j), i.max(j));
        low * data.len() - low * low.saturating_sub(1) / 2 + high - low
    };
    let species = 0..data.len();
    let pairs: Vec<[f64; 4]> = species
        .clone()
        .flat_map(|i| species.clone().map(move |j| (i, j)))
        .map(|(i, j)| fits.diffusion[pair(i, j)])
        .collect();
    // The library has room for three of them.
    let light = &fits.thermal_diffusion[..fits.thermal_diffusion.len().min(3)];
    Some(TransportData {
        well_depths: of(|data| data.well_depth),
        diameters: of(|data| data.diameter),
        dipoles: of(|data| data.dipole),
        polarizabilities: of(|data| data.polarizability),
        relaxations: of(|data| data.rotational_relaxation),
        geometries: data.iter().map(|data| rotations(data.geometry)).collect(),
        viscosity: scaled(&fits.viscosity, 10.0),
        conductivity: scaled(&fits.conductivity, 1e5),
        diffusion: scaled(&pairs, 1e4 / ATMOSPHERE),
        light: light.iter().map(|light| light.species).collect(),
        thermal_diffusion: light.iter().flat_map(|light| light.factors.clone()).collect(),
    })
}

/// 0 of atoms, 1 of linear molecules, 2 of others.
fn rotations(geometry: Geometry) -> u32 {
    match geometry {
        Geometry::Atom => 0,
        Geometry::Linear => 1,
        Geometry::Nonlinear => 2,
    }
}
