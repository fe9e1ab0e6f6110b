//! Dynamic stiffness removal: Lu, Law, Yoo & Chen, Combust. Flame 156 (2009) 1542.

use std::str::FromStr;

use super::qssa::quasi_steady;
use super::thermo::concentrations;
use super::{Model, Production, State};
use mechanism::SpeciesIndex;

/// How the stiff species are treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stiffness {
    /// One after the other, in list order: later species see the rates that earlier ones scaled.
    #[default]
    Sequential,
    /// All at once from the rates before any scaling. A different function.
    Jacobi,
    /// Not at all.
    Off,
}

impl Stiffness {
    pub const ALL: [Self; 3] = [Self::Sequential, Self::Jacobi, Self::Off];

    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Jacobi => "jacobi",
            Self::Off => "off",
        }
    }
}

impl FromStr for Stiffness {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("known: {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Data of a flow solver besides the state.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// Mass source by transport in kg/m3/s, by transported species.
    pub transport_source: Vec<f64>,
    /// Time step in s.
    pub time_step: f64,
}

/// Rates of progress after quasi-steady species and stiffness.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// kmol/m3/s, by reaction. May be negative: they are not clamped.
    pub forward: Vec<f64>,
    pub reverse: Vec<f64>,
    /// Whether each stiff species was treated, in list order.
    pub triggered: Vec<bool>,
    /// By transported species; gross is of the absolute rates.
    pub production: Production,
}

/// The reduced chemistry at a state of the transported species.
pub fn reduced(model: &Model, state: &State, surroundings: &Surroundings, stiffness: Stiffness) -> Reduced {
    let mechanism = &model.mechanism;
    let solved = quasi_steady(model, state);
    let (mut forward, mut reverse) = (solved.forward, solved.reverse);
    let mut triggered = Vec::new();
    let mut ratios = Vec::new();
    if stiffness != Stiffness::Off {
        let c = concentrations(state);
        for &k in mechanism.stiff() {
            let source = surroundings.transport_source[k] / mechanism.species[k].weight;
            let gross = gross_rates(model, k, &forward, &reverse);
            let ratio = ratio(c[k], gross, source, surroundings.time_step);
            triggered.push(ratio.is_some());
            let ratio = ratio.unwrap_or(1.0);
            if stiffness == Stiffness::Sequential {
                scale(model, k, ratio, &mut forward, &mut reverse);
            } else {
                ratios.push((k, ratio));
            }
        }
    }
    for (k, ratio) in ratios {
        scale(model, k, ratio, &mut forward, &mut reverse);
    }
    let production = production(model, &forward, &reverse);
    Reduced { forward, reverse, triggered, production }
}

/// Gross destruction and creation of a species in kmol/m3/s.
fn gross_rates(model: &Model, k: SpeciesIndex, forward: &[f64], reverse: &[f64]) -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    for (i, r) in model.mechanism.reactions.iter().enumerate() {
        let (left, right) = (coefficient(&r.reactants, k), coefficient(&r.products, k));
        sums.0 += left * forward[i] + right * reverse[i];
        sums.1 += right * forward[i] + left * reverse[i];
    }
    sums
}

/// By what the destruction of a species is scaled so that it relaxes to its quasi-steady concentration in one step;
/// `None` where it lives longer than half a step.
fn ratio(c: f64, (destruction, creation): (f64, f64), source: f64, step: f64) -> Option<f64> {
    (destruction * step > 2.0 * c).then(|| {
        let steady = c * (creation + source) / destruction;
        let relaxed = c * (creation + source + (c - steady) / step) / destruction;
        relaxed / c
    })
}

fn scale(model: &Model, k: SpeciesIndex, ratio: f64, forward: &mut [f64], reverse: &mut [f64]) {
    for (i, r) in model.mechanism.reactions.iter().enumerate() {
        forward[i] *= ratio.powf(coefficient(&r.reactants, k));
        reverse[i] *= ratio.powf(coefficient(&r.products, k));
    }
}

fn coefficient(side: &[(SpeciesIndex, f64)], k: SpeciesIndex) -> f64 {
    side.iter().find(|(j, _)| *j == k).map_or(0.0, |(_, nu)| *nu)
}

fn production(model: &Model, forward: &[f64], reverse: &[f64]) -> Production {
    let mut all = super::production_of(&model.mechanism, forward, reverse);
    let absolute = |rates: &[f64]| rates.iter().map(|r| r.abs()).collect::<Vec<f64>>();
    all.gross = super::production_of(&model.mechanism, &absolute(forward), &absolute(reverse)).gross;
    all.net.truncate(model.species().len());
    all.gross.truncate(model.species().len());
    all
}
