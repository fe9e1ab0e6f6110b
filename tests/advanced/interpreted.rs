//! The kernels' graphs as the system of a plain integrator.

use super::*;

/// The kernels' graphs as a system whose unknowns are the mass fractions, then the temperature.
pub struct Interpreted<'a> {
    pub project: &'a Project,
    pub point: &'a Point,
}

/// Rate of the temperature by the sources, its slope over the temperature, and the inverse of the sum of Y cp/(R W).
pub struct Warming {
    pub rate: f64,
    pub slope: f64,
    pub inverse_capacity: f64,
}

/// Returns a species' energy over R in K, heat capacity over R, and the slope of this.
pub fn heat(energies: &Energies, k: usize, t: f64) -> [f64; 3] {
    let (ends, ranges) = (&energies.ends[k], &energies.ranges[k]);
    let range = ends.iter().position(|&end| t <= end).unwrap_or(ranges.len() - 1);
    let q: Coefficients = ranges[range];
    let capacity = q[4].mul_add(t, q[3]).mul_add(t, q[2]).mul_add(t, q[1]).mul_add(t, q[0]);
    let slope = (4.0 * q[4]).mul_add(t, 3.0 * q[3]).mul_add(t, 2.0 * q[2]).mul_add(t, q[1]);
    let integral = (q[4] / 5.0).mul_add(t, q[3] / 4.0).mul_add(t, q[2] / 3.0).mul_add(t, q[1] / 2.0);
    [integral.mul_add(t, q[0]).mul_add(t, q[5]), capacity, slope]
}

/// Start in K of the search for an unknown temperature.
pub const SOME_TEMPERATURE: f64 = 1000.0;

/// The ends in K of the ranges that a temperature lies in, and the sums of all species' coefficients there.
fn mixture_at(project: &Project, t: f64, fractions: &[f64]) -> ([f64; 2], Coefficients) {
    let Energies { ends, ranges, .. } = &project.energies;
    let (mut within, mut q) = ([0.0, f64::INFINITY], [0.0f64; 8]);
    for (k, (y, species)) in fractions.iter().zip(project.model.species()).enumerate() {
        let range = ends[k].iter().position(|&end| t <= end).unwrap_or(ranges[k].len() - 1);
        within[0] = ends[k][..range].iter().fold(within[0], |from: f64, &end| from.max(end));
        within[1] = ends[k].get(range).map_or(within[1], |&end| within[1].min(end));
        let amount = y * (1.0 / species.weight);
        q.iter_mut().zip(ranges[k][range]).for_each(|(q, own)| *q = amount.mul_add(own, *q));
    }
    (within, q)
}

/// The temperature of a specific energy or enthalpy, as the C++ finds it from one that is near.
pub fn temperature_of(project: &Project, energy: f64, fractions: &[f64], near: f64) -> f64 {
    let wanted = energy * fractions.iter().fold(0.0, |sum, y| sum + y) / GAS_CONSTANT;
    let [mut low, mut high] = TEMPERATURES;
    let mut t = near;
    let (mut within, mut q) = mixture_at(project, t, fractions);
    for _ in 0..100 {
        let integral = (q[4] / 5.0).mul_add(t, q[3] / 4.0).mul_add(t, q[2] / 3.0).mul_add(t, q[1] / 2.0);
        let much = integral.mul_add(t, q[0]).mul_add(t, q[5] - wanted);
        let capacity = q[4].mul_add(t, q[3]).mul_add(t, q[2]).mul_add(t, q[1]).mul_add(t, q[0]);
        *(if much <= 0.0 { &mut low } else { &mut high }) = t;
        let newton = t - much / capacity;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let change = (next - t).abs();
        t = next;
        if !(t > within[0] && t <= within[1]) {
            (within, q) = mixture_at(project, t, fractions);
        }
        if change <= 1e-12 * t {
            break;
        }
    }
    t
}

impl Interpreted<'_> {
    pub fn warming(&self, y: &[f64]) -> Option<Warming> {
        let (sources, q) = self.point.sources.as_ref()?;
        let n = y.len() - 1;
        let (mut heating, mut change, mut capacity, mut slope) = (q / GAS_CONSTANT, 0.0f64, 0.0f64, 0.0f64);
        for (k, species) in self.project.model.species().iter().enumerate() {
            let inverse_weight = 1.0 / species.weight;
            let [energy, own, bend] = heat(&self.project.energies, k, y[n]);
            let (source, amount) = (sources[k] * inverse_weight, y[k].max(0.0) * inverse_weight);
            heating = (-source).mul_add(energy, heating);
            change = source.mul_add(own, change);
            capacity = amount.mul_add(own, capacity);
            slope = amount.mul_add(bend, slope);
        }
        let inverse = if capacity <= 0.0 { f64::NAN } else { 1.0 / capacity };
        let rate = heating * inverse;
        Some(Warming { rate, slope: -rate.mul_add(slope, change) * inverse, inverse_capacity: inverse })
    }

    /// Whether sources take of a species that is below zero.
    fn is_drained(&self, y: &[f64]) -> bool {
        let sources = self.point.sources.as_ref().map_or(&[][..], |(sources, _)| &sources[..]);
        sources.iter().zip(y).any(|(&source, &y)| source < 0.0 && y < 0.0)
    }

    /// The entries of the sparse Jacobian: where a species is drained, of rates that are mirrored at zero.
    pub fn jacobian(&self, y: &[f64]) -> Vec<f64> {
        let mut entries = self.jacobian_at(y);
        if self.is_drained(y) {
            let mirrored = self.jacobian_at(&y.iter().map(|y| y.abs()).collect::<Vec<f64>>());
            for ((entry, other), &(_, column)) in
                entries.iter_mut().zip(mirrored).zip(&self.project.jacobian.graph.pattern)
            {
                let is_below = y.get(column as usize).is_some_and(|&y| y < 0.0);
                *entry = if is_below { other } else { 2.0 * *entry - other };
            }
        }
        entries
    }

    /// The entries with what sources change by.
    fn jacobian_at(&self, y: &[f64]) -> Vec<f64> {
        let n = y.len() - 1;
        let mut entries = self.output(self.project.jacobian, y);
        // Each kernel sums in an order of its own.
        for part in &self.project.parts {
            let own = self.output(part, y);
            let rows = (0..own.len()).filter(|&row| part.graph.stores_row(row));
            rows.for_each(|row| entries[row] = own[row]);
        }
        let Some(warming) = self.warming(y) else { return entries };
        let factor = warming.rate * warming.inverse_capacity;
        for (entry, &(row, column)) in entries.iter_mut().zip(&self.project.jacobian.graph.pattern) {
            let column = column as usize;
            if row as usize == n && column < n {
                let weight = self.project.model.species()[column].weight;
                *entry = (-factor * (1.0 / weight)).mul_add(heat(&self.project.energies, column, y[n])[1], *entry);
            } else if row as usize == n {
                *entry += warming.slope;
            }
        }
        entries
    }

    pub fn output(&self, unit: &Unit, y: &[f64]) -> Vec<f64> {
        let n = y.len() - 1;
        let rows = unit.graph.arrays.last().unwrap().rows as usize;
        let mut fields = vec![vec![y[n]], vec![self.point.fixed], y[..n].to_vec(), vec![0.0; rows]];
        let mut machine = Machine::new(&unit.graph, &fields);
        for phase in &unit.proven.schedule().phases {
            phase.runs.iter().flatten().for_each(|&at| machine.step(at, &mut fields));
        }
        fields.pop().unwrap()
    }
}

impl System for Interpreted<'_> {
    fn is_state(&self, y: &[f64]) -> bool {
        let sources = self.point.sources.as_ref();
        let is_drained = sources.is_some_and(|(sources, _)| sources.iter().any(|source| *source < 0.0));
        let lowest = if is_drained { -MOST_DRAINED } else { -MOST_NEGATIVE };
        y[..y.len() - 1].iter().all(|&y| y >= lowest)
    }

    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let mut rates = self.output(self.project.rates, y);
        if let Some((warming, (sources, _))) = self.warming(y).zip(self.point.sources.as_ref()) {
            let all = sources.iter().chain([&warming.rate]);
            rates.iter_mut().zip(all).for_each(|(rate, source)| *rate += source);
        }
        rates
    }

    fn go_on_below_zero(&self, start: &[f64], y: &[f64], rates: &mut [f64]) {
        let n = y.len() - 1;
        if self.is_drained(y) {
            let mirrored = self.rates(&y.iter().map(|y| y.abs()).collect::<Vec<f64>>());
            rates.iter_mut().zip(mirrored).for_each(|(rate, other)| *rate = 2.0 * *rate - other);
            return;
        }
        let is_below = |k: usize| k < n && y[k] < 0.0;
        if !(0..n).any(is_below) {
            return;
        }
        let species = self.project.model.species();
        let sum = (0..n).filter(|&k| is_below(k)).fold(0.0, |sum, k| (1.0 / species[k].weight).mul_add(y[k], sum));
        let entries = self.project.jacobian.graph.pattern.iter().zip(self.jacobian(start));
        for (&(row, column), entry) in entries {
            let (row, column) = (row as usize, column as usize);
            if is_below(column) {
                rates[row] = entry.mul_add(y[column], rates[row]);
            } else if column > n {
                rates[row] = entry.mul_add(sum, rates[row]);
            }
        }
    }

    /// Gauss elimination of the whole matrix, on a table of all its entries; those that the plan leaves out are never touched.
    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        let (n, plan) = (y.len() - 1, &self.project.plan);
        let mut a = vec![vec![0.0; n + 2]; n + 2];
        let is_single = self.project.factors == Factors::Single;
        // Floats have the matrix times the step.
        let (one, scale) = if is_single { (1.0, 1.0 / diagonal) } else { (diagonal, 1.0) };
        (0..=n).for_each(|i| a[i][i] = one);
        for (&(row, column), entry) in self.project.jacobian.graph.pattern.iter().zip(self.jacobian(y)) {
            let at = &mut a[row as usize][column as usize];
            *at = (-entry).mul_add(scale, *at);
        }
        a[n + 1][n + 1] = -1.0;
        for (k, species) in self.project.model.species().iter().enumerate() {
            a[n + 1][k] = 1.0 / species.weight;
        }
        if is_single {
            let factored = Factored::<f32>::new(plan, a);
            let growth = factored.growth(one);
            return Solver { growth, solve: Box::new(move |right| factored.solution(right, scale)) };
        }
        let factored = Factored::<f64>::new(plan, a);
        let growth = factored.growth(one);
        Solver { growth, solve: Box::new(move |right| factored.solution(right, scale)) }
    }
}
