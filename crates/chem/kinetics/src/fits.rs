//! Cubic fits of ln(property) in ln T, and of thermal diffusion in T (TRANFIT, SAND86-8246): 50 temperatures equally spaced over the range that all species
//! share, unweighted.

pub use crate::cubic::cubic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::TransportFits;
use super::collision::Integrals;
use super::collision_tables::DELTA_STAR;
use super::constants::BOLTZMANN;
use super::linear_algebra::least_squares::LeastSquares;
use super::thermal_diffusion::{self, LightSpecies};
use super::thermo::cp_r;
use super::transport::{Molecule, Pair, pair};
use diagnostics::Diagnostic;
use mechanism::Species;

const POINTS: u32 = 50;

/// Coefficients of the cubic of each species.
type Fits = Vec<[f64; 4]>;

/// Fewer pairs than this are fitted faster than a thread starts.
const PAIRS_PER_THREAD: usize = 2000;

/// Hears of the pairs that are fitted, from several threads: how many, and of how many.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Pairs between two reports of progress.
const PAIRS_PER_REPORT: usize = 500;

/// Fits of all species and pairs, over the range of temperatures that `all` share: these and those that a reduction takes out of the transport, so
/// that a reduction changes no coefficient.
///
/// # Errors
/// One diagnostic for each species without usable transport data, and one when the species share no temperature range.
pub fn fit(species: &[Species], all: &[Species], progress: Progress<'_>) -> Result<TransportFits, Vec<Diagnostic>> {
    let subject = Subject::new(species, all)?;
    let (viscosity, conductivity) = subject.own()?;
    let Subject { fitter, molecules, .. } = &subject;
    let diffusion = all_pairs(fitter, molecules, progress);
    let pairs = (0..species.len()).flat_map(|i| (i..species.len()).map(move |j| (i, j)));
    let mut wrong = pairs.zip(&diffusion).filter(|(_, fit)| !is_number(fit));
    match wrong.next() {
        Some((pair, _)) => Err(vec![subject.no_diffusion(pair)]),
        None => Ok(TransportFits {
            t_min: fitter.temperatures[0],
            t_max: fitter.temperatures[POINTS as usize - 1],
            viscosity,
            conductivity,
            diffusion,
            thermal_diffusion: fitter.thermal_diffusion(molecules),
        }),
    }
}

/// Whether [`fit`] succeeds. A pair is fitted where its parameters leave that open; of all others they alone tell.
///
/// # Errors
/// As [`fit`].
pub fn check(species: &[Species], all: &[Species]) -> Result<(), Vec<Diagnostic>> {
    let subject = Subject::new(species, all)?;
    subject.own()?;
    let Subject { fitter, molecules, .. } = &subject;
    let mut pairs = (0..species.len()).flat_map(|i| (i..species.len()).map(move |j| (i, j)));
    let wrong = pairs.find(|&(i, j)| {
        let (a, b) = (&molecules[i], &molecules[j]);
        !fitter.is_usual(&pair(a, b)) && !is_number(&fitter.diffusion(a, b))
    });
    wrong.map_or(Ok(()), |pair| Err(vec![subject.no_diffusion(pair)]))
}

/// Species with usable parameters, and the temperatures of their fits.
struct Subject<'a> {
    species: &'a [Species],
    molecules: Vec<Molecule>,
    fitter: Fitter,
}

impl<'a> Subject<'a> {
    fn new(species: &'a [Species], all: &[Species]) -> Result<Self, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let molecules: Vec<Molecule> =
            species.iter().filter_map(|s| molecule(s).map_err(|error| errors.push(error)).ok()).collect();
        let limits = |s: &Species| s.thermo.limits();
        let last = all.iter().max_by(|a, b| limits(a)[0].total_cmp(&limits(b)[0]));
        let first = all.iter().min_by(|a, b| limits(a)[1].total_cmp(&limits(b)[1]));
        let (Some(last), Some(first)) = (last, first) else { return Err(errors) };
        let (t_min, t_max) = (limits(last)[0], limits(first)[1]);
        if !(t_min > 0.0 && t_min < t_max && t_max.is_finite()) {
            let message = format!(
                "the thermodynamic data of all species have no common range: those of {} begin at {t_min} K, those of {} \
                 end at {t_max} K",
                last.name, first.name
            );
            errors.push(
                Diagnostic::error("kinetics::no-common-range", message)
                    .help("correct the temperature limits in the THERMO records of the species"),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let step = (t_max - t_min) / f64::from(POINTS - 1);
        let temperatures: Vec<f64> = (0..POINTS).map(|n| t_min + step * f64::from(n)).collect();
        Ok(Self { species, molecules, fitter: Fitter::new(temperatures) })
    }

    /// Viscosity and conductivity of each species.
    fn own(&self) -> Result<(Fits, Fits), Vec<Diagnostic>> {
        let (mut viscosity, mut conductivity, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (molecule, species) in self.molecules.iter().zip(self.species) {
            viscosity.push(self.fitter.viscosity(molecule));
            conductivity.push(self.fitter.conductivity(molecule, species));
            for (what, fits) in [("viscosity", &viscosity), ("conductivity", &conductivity)] {
                if fits.last().is_some_and(|fit| !is_number(fit)) {
                    errors.push(self.no_number(what, molecule, species));
                    break;
                }
            }
        }
        if errors.is_empty() { Ok((viscosity, conductivity)) } else { Err(errors) }
    }

    fn no_number(&self, what: &str, molecule: &Molecule, species: &Species) -> Diagnostic {
        let [t_min, t_max] = [0, POINTS as usize - 1].map(|at| self.fitter.temperatures[at]);
        let message =
            format!("the transport data of species {} give no {what} from {t_min} to {t_max} K", species.name);
        let delta = pair(molecule, molecule).delta;
        let help = match what {
            _ if delta > MOST_POLAR => format!(
                "its reduced dipole moment, mu^2 / 2 eps sigma^3, is {delta:.3}, and collision integrals are known up to \
                 {MOST_POLAR}: correct the dipole moment, the well depth or the diameter"
            ),
            "conductivity" => "correct Zrot, the geometry, or the heat capacity in the thermo data".to_owned(),
            _ => "correct the well depth and the diameter".to_owned(),
        };
        placed(Diagnostic::error("kinetics::bad-transport", message).help(help), species)
    }

    fn no_diffusion(&self, (i, j): (usize, usize)) -> Diagnostic {
        let (a, b) = (&self.species[i], &self.species[j]);
        let message = format!("the transport data of species {} and {} give no diffusion coefficient", a.name, b.name);
        placed(Diagnostic::error("kinetics::bad-transport", message).help("compare them with those of like species"), a)
    }
}

/// The largest reduced dipole moment of the tables of collision integrals.
const MOST_POLAR: f64 = DELTA_STAR[DELTA_STAR.len() - 1];

/// Reduced temperatures at which the integrals are positive, for all reduced dipole moments up to [`MOST_POLAR`].
const USUAL_T_STAR: [f64; 2] = [1e-2, 1e3];
/// Diameters in m and reduced masses in kg with which no property overflows.
const USUAL_DIAMETERS: [f64; 2] = [1e-20, 1.0];
const USUAL_MASSES: [f64; 2] = [1e-50, 1.0];

fn is_number(fit: &[f64; 4]) -> bool {
    fit.iter().all(|coefficient| coefficient.is_finite())
}

fn placed(mut diagnostic: Diagnostic, species: &Species) -> Diagnostic {
    diagnostic.span = species.transport.as_ref().and_then(|transport| transport.place.0.clone());
    diagnostic
}

struct Fitter {
    temperatures: Vec<f64>,
    integrals: Integrals,
    system: LeastSquares<4>,
}

impl Fitter {
    fn new(temperatures: Vec<f64>) -> Self {
        let ln_t: Vec<f64> = temperatures.iter().map(|t| t.ln()).collect();
        Self { temperatures, integrals: Integrals::new(), system: LeastSquares::new(&ln_t) }
    }

    fn viscosity(&self, molecule: &Molecule) -> [f64; 4] {
        let profile = self.integrals.profile(pair(molecule, molecule).delta);
        self.fit(|t| molecule.viscosity(&profile, t))
    }

    fn conductivity(&self, molecule: &Molecule, species: &Species) -> [f64; 4] {
        let profile = self.integrals.profile(pair(molecule, molecule).delta);
        self.fit(|t| molecule.conductivity(&profile, cp_r(&species.thermo, t), t))
    }

    fn diffusion(&self, a: &Molecule, b: &Molecule) -> [f64; 4] {
        let pair = pair(a, b);
        let profile = self.integrals.profile(pair.delta);
        self.fit(|t| pair.diffusion(&profile, t))
    }

    /// Whether the parameters alone tell that the pair has diffusion coefficients that are numbers.
    fn is_usual(&self, pair: &Pair) -> bool {
        let [t_min, t_max] = [0, POINTS as usize - 1].map(|at| BOLTZMANN * self.temperatures[at]);
        let within = |value: f64, [least, most]: [f64; 2]| least <= value && value <= most;
        (0.0..=MOST_POLAR).contains(&pair.delta)
            && USUAL_T_STAR[0] * pair.well_depth <= t_min
            && t_max <= USUAL_T_STAR[1] * pair.well_depth
            && within(pair.diameter, USUAL_DIAMETERS)
            && within(pair.reduced_mass, USUAL_MASSES)
    }

    /// Unlike the others these are cubics of the property itself, in T.
    fn thermal_diffusion(&self, molecules: &[Molecule]) -> Vec<LightSpecies> {
        let system = LeastSquares::<4>::new(&self.temperatures);
        let factor = |k: usize, j: usize| {
            let of = |&t: &f64| thermal_diffusion::factor(&molecules[k], &molecules[j], t);
            if j == k { [0.0; 4] } else { system.fit(self.temperatures.iter().map(of).collect()) }
        };
        let light = (0..molecules.len()).filter(|&k| molecules[k].weight <= thermal_diffusion::HEAVIEST);
        let all = 0..molecules.len();
        light.map(|k| LightSpecies { species: k, factors: all.clone().map(|j| factor(k, j)).collect() }).collect()
    }

    fn fit(&self, property: impl Fn(f64) -> f64) -> [f64; 4] {
        self.system.fit(self.temperatures.iter().map(|&t| property(t).ln()).collect())
    }
}

/// The upper triangle, row-major. Each pair is fitted alone, so the result does not depend on the number of threads.
fn all_pairs(fitter: &Fitter, molecules: &[Molecule], progress: Progress<'_>) -> Vec<[f64; 4]> {
    let pairs: Vec<(usize, usize)> =
        (0..molecules.len()).flat_map(|i| (i..molecules.len()).map(move |j| (i, j))).collect();
    let mut fits = vec![[0.0; 4]; pairs.len()];
    let available = thread::available_parallelism().map_or(1, usize::from);
    let chunk = pairs.len().div_ceil(available).max(PAIRS_PER_THREAD);
    let (done, all) = (AtomicUsize::new(0), pairs.len());
    let fill = |fits: &mut [[f64; 4]], pairs: &[(usize, usize)]| {
        for (fits, pairs) in fits.chunks_mut(PAIRS_PER_REPORT).zip(pairs.chunks(PAIRS_PER_REPORT)) {
            for (fit, &(i, j)) in fits.iter_mut().zip(pairs) {
                *fit = fitter.diffusion(&molecules[i], &molecules[j]);
            }
            progress(done.fetch_add(pairs.len(), Ordering::Relaxed) + pairs.len(), all);
        }
    };
    if chunk >= pairs.len() {
        fill(&mut fits, &pairs);
    } else {
        thread::scope(|scope| {
            for (fits, pairs) in fits.chunks_mut(chunk).zip(pairs.chunks(chunk)) {
                scope.spawn(move || fill(fits, pairs));
            }
        });
    }
    fits
}

fn molecule(species: &Species) -> Result<Molecule, Diagnostic> {
    let name = &species.name;
    let Some(transport) = &species.transport else {
        return Err(Diagnostic::error("kinetics::missing-transport", format!("species {name} has no transport data"))
            .help("add its line to the TRANSPORT file; kernels for transport need every species"));
    };
    let positive = [transport.well_depth, transport.diameter, species.weight];
    let not_negative = [transport.dipole, transport.polarizability, transport.rotational_relaxation];
    if positive.iter().all(|v| *v > 0.0 && v.is_finite()) && not_negative.iter().all(|v| *v >= 0.0 && v.is_finite()) {
        return Ok(Molecule::new(species.weight, transport));
    }
    let message = format!("the transport data of species {name} are unphysical");
    let help =
        "the well depth, the diameter and the molecular weight must be positive, the other parameters not negative";
    Err(placed(Diagnostic::error("kinetics::bad-transport", message).help(help), species))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::air_hydrogen;
    use approx::assert_relative_eq;
    use mechanism::Polynomials;

    #[test]
    fn the_fits_are_close_to_kinetic_theory() {
        let species = air_hydrogen().species;
        let fits = fit(&species, &species, &|_, _| {}).expect("fixture is complete");
        assert_eq!((fits.t_min, fits.t_max), (300.0, 3500.0));
        assert_eq!(fits.diffusion.len(), 10);
        let water = molecule(&species[2]).expect("fixture is complete");
        let integrals = Integrals::new();
        let profile = integrals.profile(pair(&water, &water).delta);
        for t in [300.0f64, 1000.0, 3500.0] {
            assert_relative_eq!(
                cubic(&fits.viscosity[2], t.ln()).exp(),
                water.viscosity(&profile, t),
                max_relative = 2e-2
            );
        }
    }

    #[test]
    fn species_that_are_left_out_keep_the_range_and_so_the_fits() {
        let mut species = air_hydrogen().species;
        let Polynomials::Nasa7(nasa) = &mut species[3].thermo else { unreachable!("the fixture is NASA-7") };
        nasa.t_high = 2000.0;
        let whole = fit(&species, &species, &|_, _| {}).expect("fixture is complete");
        let kept = fit(&species[..3], &species, &|_, _| {}).expect("fixture is complete");
        assert_eq!((kept.t_min, kept.t_max), (300.0, 2000.0));
        assert_eq!(kept.viscosity, whole.viscosity[..3]);
        assert_eq!(kept.conductivity, whole.conductivity[..3]);
    }

    #[test]
    fn every_unusable_species_is_reported() {
        let mut species = air_hydrogen().species;
        species[0].transport = None;
        species[2].transport.as_mut().expect("fixture has transport").diameter = 0.0;
        let Polynomials::Nasa7(nasa) = &mut species[3].thermo else { unreachable!("the fixture is NASA-7") };
        nasa.t_low = 9000.0;
        let ids: Vec<_> =
            fit(&species, &species, &|_, _| {}).expect_err("three defects").into_iter().map(|d| d.id).collect();
        assert_eq!(ids, ["kinetics::missing-transport", "kinetics::bad-transport", "kinetics::no-common-range"]);
    }

    /// The integrals of usual pairs are positive: at the least, the most and everything between.
    #[test]
    fn usual_pairs_have_positive_integrals() {
        let integrals = Integrals::new();
        let [low, high] = USUAL_T_STAR.map(f64::ln);
        for step in 0..=500 {
            let profile = integrals.profile(MOST_POLAR * f64::from(step) / 500.0);
            for at in 0..=1000 {
                let omega = profile.omega11((low + (high - low) * f64::from(at) / 1000.0).exp());
                assert!(omega > 0.3 && omega < 100.0, "{omega} at {step}, {at}");
            }
        }
    }

    /// Each species gives numbers, and so does each pair with one whose well depth, diameter, weight, polarizability or dipole is an extreme.
    #[test]
    fn a_pair_in_the_midst_of_others_that_gives_no_number_is_found() {
        let fixture = air_hydrogen().species;
        // reduced dipole moment, well depth in K, diameter in 1e-10 m
        let polar = |name: &str, delta: f64, depth: f64, diameter: f64| {
            let mut species = fixture[3].clone();
            species.name = name.to_owned();
            let transport = species.transport.as_mut().expect("fixture has transport");
            (transport.well_depth, transport.diameter, transport.polarizability) = (depth, diameter, 0.0);
            // CGS: 1 D^2 / (1 K 1e-30 m3) is 1e-36 / (1.380649e-16 1e-24)
            transport.dipole = (2.0 * delta * depth * diameter.powi(3) * 1.380_649e-4).sqrt();
            species
        };
        let mut all = vec![
            fixture[0].clone(),
            fixture[2].clone(),
            fixture[3].clone(),
            polar("A", 4.1, 300.0, 3.6),
            polar("B", 4.1, 55.0, 3.6),
            polar("MOST", 4.12, 310.0, 40.0),
            polar("LEAST", 0.0, 30.0, 1.5),
        ];
        for species in &mut all {
            let Polynomials::Nasa7(nasa) = &mut species.thermo else { unreachable!("the fixture is NASA-7") };
            (nasa.t_low, nasa.t_high) = (1000.0, 2000.0);
        }
        let wrong = |species: &[Species]| match (fit(species, species, &|_, _| {}), check(species, species)) {
            (Ok(_), Ok(())) => None,
            (Err(fit), Err(check)) => {
                assert_eq!(fit, check);
                Some(fit.into_iter().map(|d| d.message).collect::<Vec<_>>())
            }
            (fit, check) => panic!("{:?} and {check:?}", fit.map(|_| ())),
        };
        let found = wrong(&all).expect("A and B give none");
        assert_eq!(found, ["the transport data of species A and B give no diffusion coefficient"]);
        all.remove(4);
        assert_eq!(wrong(&all), None);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_fit() {
        let few = air_hydrogen().species;
        let many: Vec<Species> = (0..70).map(|k| few[k % 4].clone()).collect();
        let most = AtomicUsize::new(0);
        let hear = |done: usize, all: usize| {
            assert!(done <= all);
            most.fetch_max(done, Ordering::Relaxed);
        };
        let (few, many) = (fit(&few, &few, &|_, _| {}).expect("complete"), fit(&many, &many, &hear).expect("complete"));
        assert_eq!(many.diffusion.len(), 70 * 71 / 2);
        assert_eq!(most.into_inner(), 70 * 71 / 2);
        assert_eq!(many.diffusion[1], few.diffusion[1]);
        // The last species is number 69, an O2.
        assert_eq!(many.diffusion.last(), Some(&few.diffusion[4]));
    }
}
