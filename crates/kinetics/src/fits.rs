//! Cubic fits of ln(property) in ln T, and of thermal diffusion in T (TRANFIT, SAND86-8246): 50 temperatures equally spaced over the range that all species
//! share, unweighted.

pub use crate::cubic::cubic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::TransportFits;
use super::collision::Integrals;
use super::linear_algebra::least_squares::LeastSquares;
use super::thermal_diffusion::{self, LightSpecies};
use super::thermo::cp_r;
use super::transport::{Molecule, pair};
use diagnostics::Diagnostic;
use mechanism::Species;

const POINTS: u32 = 50;

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
            "the thermodynamic data of all species have no common range: those of {} begin at {t_min} K, those of {} end \
             at {t_max} K",
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
    let fitter = Fitter::new(temperatures);
    let own = |property: &dyn Fn(usize) -> [f64; 4]| (0..species.len()).map(property).collect();
    Ok(TransportFits {
        t_min,
        t_max,
        viscosity: own(&|k| fitter.viscosity(&molecules[k])),
        conductivity: own(&|k| fitter.conductivity(&molecules[k], &species[k])),
        diffusion: all_pairs(&fitter, &molecules, progress),
        thermal_diffusion: fitter.thermal_diffusion(&molecules),
    })
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
        self.of(|t| molecule.viscosity(&profile, t))
    }

    fn conductivity(&self, molecule: &Molecule, species: &Species) -> [f64; 4] {
        let profile = self.integrals.profile(pair(molecule, molecule).delta);
        self.of(|t| molecule.conductivity(&profile, cp_r(&species.thermo, t), t))
    }

    fn diffusion(&self, a: &Molecule, b: &Molecule) -> [f64; 4] {
        let pair = pair(a, b);
        let profile = self.integrals.profile(pair.delta);
        self.of(|t| pair.diffusion(&profile, t))
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

    fn of(&self, property: impl Fn(f64) -> f64) -> [f64; 4] {
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
    Err(Diagnostic::error("kinetics::bad-transport", message).help(
        "the well depth, the diameter and the molecular weight must be positive, the other parameters not negative",
    ))
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
