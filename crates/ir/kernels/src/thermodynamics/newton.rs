//! Number of steps that find the temperature of a mixture from its enthalpy or energy, proven for every composition.
//!
//! Within one piece of the species' polynomials the function f(T) = sum X_k h_k/R rises, as long as all heat capacities c_k are positive.
//! Some halvings of the bracket are followed by steps of Newton that do not leave it. Between T and T' of the bracket
//! |f''(T')| / f'(T) = |sum X_k c'_k(T')| / sum X_k c_k(T) is at most the largest |c'_k| over the least c_k of a single species, whatever
//! the composition: with that number an error e becomes at most half of it times e^2.

use super::energy;
use super::gibbs::{self, Piecewise};
use kinetics::Model;
use kinetics::approximation::range::TemperatureRange;

/// Proven range and numbers of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Temperatures at which every species' heat capacity is proven to be positive.
    pub range: TemperatureRange,
    pub halvings: u32,
    pub steps: u32,
}

/// Largest relative error of the temperature, rounding aside.
pub const TOLERANCE: f64 = 1e-12;
/// K; bounds of heat capacities are proven in cells of this width.
const CELL: f64 = 1.0;
/// Slots of a halving and of a step of Newton, for the choice between them.
const COSTS: [u32; 2] = [9, 27];
const MOST_HALVINGS: u32 = 12;

/// The cheapest sufficient plan, for heat capacities less `work`. None where some heat capacity is not positive around 1000 K.
pub fn plan(model: &Model, work: f64) -> Option<Plan> {
    let species: Vec<Piecewise> = model
        .species()
        .iter()
        .map(|s| {
            gibbs::of_ranges(
                &s.thermo,
                |a| energy::less(energy::capacity7(a), work),
                |a| energy::less(energy::capacity9(a), work),
            )
        })
        .collect();
    let TemperatureRange { coldest, hottest } = TemperatureRange::DEFAULT;
    let count = ((hottest - coldest) / CELL) as usize;
    let cells: Vec<Cell> = (0..count).map(|n| Cell::new(&species, coldest + CELL * n as f64)).collect();
    let middle = ((1000.0 - coldest) / CELL) as usize;
    let is_proven = |cell: &Cell| cell.least.iter().all(|&least| least > 0.0);
    let first = (0..=middle).rev().take_while(|&n| is_proven(&cells[n])).last()?;
    let end = (middle..count).take_while(|&n| is_proven(&cells[n])).last()? + 1;
    let range = TemperatureRange { coldest: coldest + CELL * first as f64, hottest: coldest + CELL * end as f64 };
    let plans = (0..=MOST_HALVINGS).filter_map(|halvings| {
        let width = (range.hottest - range.coldest) / f64::from(1u32 << halvings);
        let curvature = curvature(&cells[first..end], width);
        Some(Plan { range, halvings, steps: steps(0.5 * width, curvature, TOLERANCE * range.coldest)? })
    });
    plans.min_by_key(|plan| COSTS[0] * plan.halvings + COSTS[1] * plan.steps)
}

/// Steps of Newton from an error to another; none where they do not converge.
fn steps(mut error: f64, curvature: f64, allowed: f64) -> Option<u32> {
    let mut count = 0;
    while error > allowed {
        let next = 0.5 * curvature * error * error;
        if next > 0.5 * error {
            return None;
        }
        error = next;
        count += 1;
    }
    Some(count)
}

/// Largest |c'| over least c of one species within any bracket of this width.
fn curvature(cells: &[Cell], width: f64) -> f64 {
    // Any bracket lies in two neighbouring blocks.
    let block = (width / CELL).ceil() as usize;
    let blocks: Vec<Cell> = cells.chunks(block).map(Cell::over).collect();
    let pairs = blocks.windows(2.min(blocks.len())).map(Cell::over);
    let of = |cell: Cell| cell.steepest.iter().zip(&cell.least).map(|(steep, least)| steep / least).fold(0.0, f64::max);
    pairs.map(of).fold(0.0, f64::max)
}

/// Bounds over some temperatures, by species.
#[derive(Debug, Clone)]
struct Cell {
    /// Below c
    least: Vec<f64>,
    /// Above |c'|
    steepest: Vec<f64>,
}

impl Cell {
    /// From `cold` on.
    fn new(species: &[Piecewise], cold: f64) -> Self {
        let bounds = species.iter().map(|function| {
            let of_end = |t: f64| function.ends.iter().take_while(|end| t > **end).count();
            let pieces = &function.ranges[of_end(cold)..=of_end(cold + CELL)];
            pieces
                .iter()
                .map(|terms| bounds(terms, cold))
                .fold((f64::INFINITY, 0.0), |(least, steepest), (a, b)| (f64::min(least, a), f64::max(steepest, b)))
        });
        let (least, steepest) = bounds.unzip();
        Self { least, steepest }
    }

    fn over(cells: &[Self]) -> Self {
        let mut all = cells[0].clone();
        for cell in &cells[1..] {
            all.least.iter_mut().zip(&cell.least).for_each(|(a, b)| *a = a.min(*b));
            all.steepest.iter_mut().zip(&cell.steepest).for_each(|(a, b)| *a = a.max(*b));
        }
        all
    }
}

/// Bounds of c and |c'| from `cold` on: their values in the middle, and the sizes of the terms of their changes.
fn bounds(terms: &gibbs::Terms, cold: f64) -> (f64, f64) {
    let (middle, half, hot) = (cold + 0.5 * CELL, 0.5 * CELL, cold + CELL);
    // Coefficients of T^0 to T^4, of 1/T and of 1/T^2.
    let [c0, c1, c2, c3, c4, _, c6, _, c8] = *terms;
    let value = c0 + middle * (c1 + middle * (c2 + middle * (c3 + middle * c4))) + (c6 + c8 / middle) / middle;
    let slope = c1 + middle * (2.0 * c2 + middle * (3.0 * c3 + middle * 4.0 * c4))
        - (c6 + 2.0 * c8 / middle) / (middle * middle);
    let bend = 2.0 * c2.abs()
        + hot * (6.0 * c3.abs() + hot * 12.0 * c4.abs())
        + (2.0 * c6.abs() + 6.0 * c8.abs() / cold) / cold.powi(3);
    let steepest = slope.abs() + bend * half;
    (value - steepest * half, steepest)
}
