//! The checked mechanism: what CHEMKIN files or a Cantera YAML file say, in SI units with kmol, free of syntax.
//!
//! Rate constants are in SI with kmol: `A` in (m3/kmol)^(n-1)/s with `n` the order of the expression it stands in,
//! activation energies as temperatures E/R in K.
//!
//! ```
//! use mechanism::{Files, read, write_yaml};
//!
//! let files = Files { mechanism: "../../../mechanisms/h2o2/chem.inp".into(), ..Files::default() };
//! let (mechanism, warnings) = read(&files).expect("a mechanism without errors");
//! assert!(warnings.is_empty());
//! assert!(mechanism.species.iter().any(|species| species.name == "H2O2"));
//! // Written again, for Cantera.
//! assert!(write_yaml(&mechanism).contains("equation:"));
//! ```
#![forbid(unsafe_code)]

mod auxiliary;
mod burke;
mod chemkin;
mod coefficient;
mod combinations;
mod duplicates;
mod elements;
mod equation;
mod explicit;
mod foreign;
mod geometry;
mod lewis;
mod load;
mod lookalike;
mod names;
mod number;
mod older_format;
mod rate;
mod reactions;
mod read;
mod reduction;
mod report;
mod species;
mod syntax;
mod thermo;
mod transport;
mod units;
mod unread;
mod unsupported;
mod write;
mod yaml;

pub use load::{Input, decode};
pub use read::{Companion, Files, LewisNumbers, Options, Outcome, Sources, parse, read, read_with};
pub use write::{Written, without_cantera_form, write, write_yaml};

use diagnostics::Span;

/// A mechanism that passed every check. Species and reactions are in file order.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanism {
    /// A C identifier made from the name of the mechanism's folder or file, such as `gri30`.
    pub name: String,
    /// The phase of a YAML file; empty for CHEMKIN files.
    pub phase: Aside<Phase>,
    pub elements: Vec<Element>,
    pub species: Vec<Species>,
    pub reactions: Vec<Reaction>,
    pub reduction: Option<Reduction>,
    pub diffusion: Diffusion,
    /// The files that were read; none for texts in memory.
    pub inputs: Vec<Input>,
}

/// Names that a YAML phase has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phase {
    pub name: Option<String>,
    /// Its transport model.
    pub transport: Option<String>,
    /// The other phases of ideal gases in the file, each with its transport model.
    pub others: Vec<Phase>,
}

impl Phase {
    /// Returns the phase that was taken, and what else there was; nothing where there was no choice.
    pub fn choice(&self) -> Option<String> {
        let others: Vec<String> = self.others.iter().map(Self::in_words).collect();
        (!others.is_empty()).then(|| {
            format!("the phase {} was taken, not {}: --phase takes another", self.in_words(), others.join(", "))
        })
    }

    fn in_words(&self) -> String {
        let name = self.name.as_deref().unwrap_or("without a name");
        format!("{name} (transport {})", self.transport.as_deref().unwrap_or("none"))
    }
}

/// Model of the species' diffusion into the mixture.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Diffusion {
    /// By the binary coefficients of all pairs.
    #[default]
    MixtureAveraged,
    /// lambda/(rho cp) for every species.
    UnityLewis,
    /// lambda/(rho cp Le).
    ConstantLewis {
        file: String,
        /// Positive, by transported species in file order.
        numbers: Vec<f64>,
    },
}

impl Diffusion {
    /// Lewis numbers of so many transported species; absent where diffusion is mixture-averaged.
    pub fn lewis_numbers(&self, species: usize) -> Option<Vec<f64>> {
        match self {
            Self::MixtureAveraged => None,
            Self::UnityLewis => Some(vec![1.0; species]),
            Self::ConstantLewis { numbers, .. } => Some(numbers.clone()),
        }
    }
}

/// "unity Lewis numbers", say.
impl std::fmt::Display for Diffusion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::MixtureAveraged => f.write_str("mixture-averaged"),
            Self::UnityLewis => f.write_str("unity Lewis numbers"),
            Self::ConstantLewis { file, .. } => write!(f, "Lewis numbers of {file}"),
        }
    }
}

/// Contents of a reduction file. Both lists keep its order. The order of the stiff species matters: each sees the rates that those before it scaled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reduction {
    /// Species whose concentrations follow from the others: production equals destruction. They are not transported.
    pub qssa: Vec<SpeciesIndex>,
    /// Species that relax to their quasi-steady concentration within one time step.
    pub stiff: Vec<SpeciesIndex>,
}

impl Mechanism {
    /// The quasi-steady species, in list order; none without a reduction.
    pub fn quasi_steady(&self) -> &[SpeciesIndex] {
        self.reduction.as_ref().map_or(&[], |r| &r.qssa)
    }

    /// The stiff species, in list order; none without a reduction.
    pub fn stiff(&self) -> &[SpeciesIndex] {
        self.reduction.as_ref().map_or(&[], |r| &r.stiff)
    }

    /// The same mechanism with its quasi-steady species last, in list order; the others keep theirs.
    pub fn quasi_steady_last(mut self) -> Self {
        let Some(reduction) = self.reduction.clone() else { return self };
        let transported = (0..self.species.len()).filter(|k| !reduction.qssa.contains(k));
        let order: Vec<SpeciesIndex> = transported.chain(reduction.qssa.iter().copied()).collect();
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        self.species = order.iter().map(|&k| self.species[k].clone()).collect();
        self.reactions.iter_mut().for_each(|r| r.renumber(&place));
        let moved = |list: Vec<SpeciesIndex>| list.into_iter().map(|k| place[k]).collect();
        self.reduction = Some(Reduction { qssa: moved(reduction.qssa), stiff: moved(reduction.stiff) });
        self
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    pub symbol: String,
    /// kg/kmol
    pub weight: f64,
}

/// Index into [`Mechanism::species`].
pub type SpeciesIndex = usize;

#[derive(Debug, Clone, PartialEq)]
pub struct Species {
    pub name: String,
    /// (index into [`Mechanism::elements`], number of atoms)
    pub composition: Vec<(usize, f64)>,
    /// Molecular weight in kg/kmol.
    pub weight: f64,
    pub thermo: Polynomials,
    /// Absent when no transport file was given and none is needed.
    pub transport: Option<Transport>,
}

/// Thermodynamic functions of one species at 1 atm (Gordon & McBride, NASA SP-273).
#[derive(Debug, Clone, PartialEq)]
pub enum Polynomials {
    Nasa7(Nasa7),
    Nasa9(Nasa9),
}

impl Polynomials {
    /// Lowest and highest temperature, in K.
    pub fn limits(&self) -> [f64; 2] {
        match self {
            Self::Nasa7(nasa) => [nasa.t_low, nasa.t_high],
            Self::Nasa9(nasa) => match *nasa.temperatures {
                [low, .., high] => [low, high],
                _ => [0.0; 2],
            },
        }
    }

    /// The temperatures in K where one range ends and the next begins, ascending.
    pub fn breaks(&self) -> &[f64] {
        match self {
            Self::Nasa7(nasa) => std::slice::from_ref(&nasa.t_mid),
            Self::Nasa9(nasa) => nasa.temperatures.get(1..nasa.ranges.len()).unwrap_or(&[]),
        }
    }
}

/// NASA-7 polynomials; `low` holds for T <= `t_mid`. Gordon & McBride, NASA SP-273.
#[derive(Debug, Clone, PartialEq)]
pub struct Nasa7 {
    /// K
    pub t_low: f64,
    pub t_mid: f64,
    pub t_high: f64,
    pub low: [f64; 7],
    pub high: [f64; 7],
}

impl Nasa7 {
    /// The largest step of cp/R, h/RT and s/R where the ranges meet; 0 where one of them is empty.
    pub fn step(&self) -> f64 {
        let t = self.t_mid;
        if !(self.t_low < t && t < self.t_high) {
            return 0.0;
        }
        let d: [f64; 7] = std::array::from_fn(|i| self.high[i] - self.low[i]);
        let cp = d[0] + t * (d[1] + t * (d[2] + t * (d[3] + t * d[4])));
        let h = d[0] + t * (d[1] / 2.0 + t * (d[2] / 3.0 + t * (d[3] / 4.0 + t * d[4] / 5.0))) + d[5] / t;
        let s = d[0] * t.ln() + t * (d[1] + t * (d[2] / 2.0 + t * (d[3] / 3.0 + t * d[4] / 4.0))) + d[6];
        [cp, h, s].map(f64::abs).into_iter().fold(0.0, f64::max)
    }
}

/// NASA-9 polynomials over adjacent ranges; a range includes its upper end. McBride, Zehe & Gordon, NASA/TP-2002-211556.
#[derive(Debug, Clone, PartialEq)]
pub struct Nasa9 {
    /// The ends of the ranges in K, ascending, one more than ranges.
    pub temperatures: Vec<f64>,
    /// By range, at least one: a1..a7 of cp/R = a1 T^-2 + a2 T^-1 + a3 + a4 T + a5 T^2 + a6 T^3 + a7 T^4, then the
    /// constants of integration b1 of the enthalpy and b2 of the entropy.
    pub ranges: Vec<[f64; 9]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    Atom,
    Linear,
    Nonlinear,
}

/// A line of the TRANSPORT file, in its own units.
#[derive(Debug, Clone, PartialEq)]
pub struct Transport {
    pub geometry: Geometry,
    /// eps/k_B in K
    pub well_depth: f64,
    /// sigma in Angstrom
    pub diameter: f64,
    /// mu in Debye
    pub dipole: f64,
    /// alpha in Angstrom^3
    pub polarizability: f64,
    /// Zrot at 298 K
    pub rotational_relaxation: f64,
    /// Place of the data, for messages.
    pub place: Aside<Option<Span>>,
}

/// Remarks on data that are no part of them: data that differ in these alone are equal, and look the same.
#[derive(Clone, Default)]
pub struct Aside<T>(pub T);

impl<T> PartialEq for Aside<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> std::fmt::Debug for Aside<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Aside")
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Reaction {
    /// The equation as written, blanks removed, with the declared names of species and `M` in capitals.
    pub equation: String,
    /// Place of the reaction.
    pub span: Span,
    /// (species, stoichiometric coefficient), each species once, M not included.
    pub reactants: Vec<(SpeciesIndex, f64)>,
    pub products: Vec<(SpeciesIndex, f64)>,
    pub reverse: Reverse,
    pub rate: Rate,
    /// `+M` in the equation, outside falloff parentheses: both directions are multiplied by \[M\].
    pub third_body: Option<Collider>,
    /// FORD: (species, order) that replaces the coefficient of a reactant; of a species that is no reactant, the power
    /// of its concentration joins the product. Empty: orders are the coefficients.
    pub forward_orders: Vec<(SpeciesIndex, f64)>,
    /// RORD likewise.
    pub reverse_orders: Vec<(SpeciesIndex, f64)>,
    pub duplicate: bool,
}

impl Reaction {
    pub fn is_reversible(&self) -> bool {
        self.reverse != Reverse::Irreversible
    }

    /// Species `k` becomes `place[k]`.
    fn renumber(&mut self, place: &[SpeciesIndex]) {
        let terms = [&mut self.reactants, &mut self.products, &mut self.forward_orders, &mut self.reverse_orders];
        terms.into_iter().flatten().for_each(|(k, _)| *k = place[*k]);
        if let Rate::LinearBurke(rate) = &mut self.rate {
            rate.colliders.iter_mut().for_each(|collider| collider.species = place[collider.species]);
            rate.colliders.sort_unstable_by_key(|collider| collider.species);
        }
        let of_rate = match &mut self.rate {
            Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
            _ => None,
        };
        for collider in self.third_body.iter_mut().chain(of_rate) {
            match collider {
                Collider::Species(k) => *k = place[*k],
                Collider::Mixture(efficiencies) => {
                    efficiencies.iter_mut().for_each(|(k, _)| *k = place[*k]);
                    efficiencies.sort_unstable_by_key(|(k, _)| *k);
                }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reverse {
    /// `=>`, or REV with A = 0.
    Irreversible,
    /// k_r = k_f / Kc
    Equilibrium,
    /// REV, and RLT where given
    Explicit(Arrhenius, Option<LandauTeller>),
}

/// k = A T^b exp(-(E/R)/T)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrhenius {
    pub a: f64,
    pub b: f64,
    /// E/R in K
    pub e_over_r: f64,
}

/// Factor exp(B T^(-1/3) + C T^(-2/3))
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LandauTeller {
    pub b: f64,
    pub c: f64,
}

/// Collider that M stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Collider {
    /// sum_k alpha_k C_k; alpha is 1 for species that are not listed. Sorted by species.
    Mixture(Vec<(SpeciesIndex, f64)>),
    /// `(+SPECIES)`: that concentration alone.
    Species(SpeciesIndex),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Rate {
    Arrhenius(Arrhenius),
    LandauTeller(Arrhenius, LandauTeller),
    /// LOW: k = k_inf Pr/(1+Pr) F, Pr = k_0 \[M\]/k_inf
    Falloff {
        low: Arrhenius,
        high: Arrhenius,
        collider: Collider,
        blending: Blending,
    },
    /// HIGH: k = k_0 F/(1+Pr)
    ChemicallyActivated {
        low: Arrhenius,
        high: Arrhenius,
        collider: Collider,
        blending: Blending,
    },
    /// (pressure in Pa, sum of expressions), pressures ascending and distinct.
    Plog(Vec<(f64, Vec<Arrhenius>)>),
    Chebyshev(Chebyshev),
    LinearBurke(LinearBurke),
}

/// A rate constant by the linear mixture rule over reduced pressures: the mean of those in each collider alone, each at the
/// pressure that has the reduced pressure of the mixture, weighted by concentrations times efficiencies. Singal, Lee, Lei,
/// Speth & Burke, Proc. Combust. Inst. 40 (2024) 105779; Cantera's `linear-Burke`.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearBurke {
    /// In the collider of efficiency 1, and in all species that are not listed.
    pub bath: PressureRate,
    /// Sorted by species.
    pub colliders: Vec<BurkeCollider>,
}

impl LinearBurke {
    /// The species that are not listed, all of efficiency 1.
    pub fn rest(&self) -> Collider {
        Collider::Mixture(self.colliders.iter().map(|collider| (collider.species, 0.0)).collect())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct BurkeCollider {
    pub species: SpeciesIndex,
    /// Without unit, positive.
    pub efficiency: Arrhenius,
    /// In this collider alone; absent: that of the bath at the same reduced pressure.
    pub rate: Option<PressureRate>,
}

/// A rate constant of temperature and the pressure of one collider.
#[derive(Debug, Clone, PartialEq)]
pub enum PressureRate {
    Falloff {
        low: Arrhenius,
        high: Arrhenius,
        blending: Blending,
    },
    /// As [`Rate::Plog`].
    Plog(Vec<(f64, Vec<Arrhenius>)>),
    Chebyshev(Chebyshev),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Blending {
    Lindemann,
    /// a, T3, T1, T2 in file order; T2 absent with three parameters (or when the fourth is 0).
    Troe {
        a: f64,
        t3: f64,
        t1: f64,
        t2: Option<f64>,
    },
    Sri {
        a: f64,
        b: f64,
        c: f64,
        d: f64,
        e: f64,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Chebyshev {
    /// K
    pub t_min: f64,
    pub t_max: f64,
    /// Pa
    pub p_min: f64,
    pub p_max: f64,
    /// Rows over temperature, columns over pressure; `[0][0]` already shifted to SI units.
    pub coefficients: Vec<Vec<f64>>,
}
