//! Reactors by what a compiler for this machine's CPU makes of their text. All points are advanced in one call, in which lanes take further
//! points, and then each one by itself.

use super::judge::Progress;
use super::reactor::{ReactorEnd, ReactorPoint, ReactorSubject, ReactorVerification, judge_reactors, reactor_points};
use diagnostics::Diagnostic;

/// More than there are lanes, and no whole number of vectors.
const POINTS: usize = 9;

/// The points that reactors are advanced from.
pub struct ReactorCall {
    points: Vec<ReactorPoint>,
    species: usize,
}

impl ReactorCall {
    pub const POINTS: usize = POINTS;
    /// Elements from one row of an array to the next.
    pub const STRIDE: usize = POINTS + 2;

    pub fn new(subject: &ReactorSubject<'_>, progress: Progress<'_>) -> Self {
        Self { points: reactor_points(subject, POINTS, progress), species: subject.model.species().len() }
    }

    /// The rows of the first state, the constant, the mass fractions and the times; what lies beyond the last point is not a number.
    pub fn inputs(&self) -> Vec<f64> {
        let row = |of: &dyn Fn(&ReactorPoint) -> f64| -> Vec<f64> {
            (0..Self::STRIDE).map(|p| self.points.get(p).map_or(f64::NAN, of)).collect()
        };
        let fractions = (0..self.species).flat_map(|k| row(&|p| p.fractions[k]));
        [row(&|p| p.first_state), row(&|p| p.fixed)]
            .concat()
            .into_iter()
            .chain(fractions)
            .chain(row(&|p| p.time))
            .collect()
    }

    /// The rows of one call: new mass fractions, temperature, status and number of steps.
    fn rows(&self) -> usize {
        self.species + 3
    }

    /// Number of doubles that the program writes: the rows of the one call, then those of the calls by point.
    pub fn outputs(&self) -> usize {
        2 * self.rows() * Self::STRIDE
    }

    /// Compares what the text gave with the plain integrator, and with itself, in bits, for each point alone.
    ///
    /// Errors: an end that is not the plain integrator's, or that depends on the other points; a value beyond the last point.
    pub fn judge(
        &self,
        subject: &ReactorSubject<'_>,
        compiler: &str,
        outputs: &[f64],
    ) -> Result<ReactorVerification, Vec<Diagnostic>> {
        let wrong = |id: &'static str, what: String| {
            vec![Diagnostic::error(id, format!("{}, as {compiler} compiles it: {what}", subject.symbol))]
        };
        let rows = self.rows();
        let (together, alone) = outputs.split_at(rows * Self::STRIDE);
        for row in [together, alone].into_iter().flat_map(|half| half.chunks(Self::STRIDE)) {
            if let Some(at) = row.iter().skip(POINTS).position(|x| !x.is_nan() && *x != -1.0) {
                let what = format!("it writes point {} of {POINTS}", POINTS + at);
                return Err(wrong("verify::beyond-the-end", what));
            }
        }
        let of = |rows_of: &[f64], row: usize, p: usize| rows_of[row * Self::STRIDE + p];
        let end = |p: usize| ReactorEnd {
            status: of(together, rows - 2, p) as i32,
            steps: of(together, rows - 1, p) as i32,
            y: (0..=self.species).map(|row| of(together, row, p)).collect(),
        };
        let ends: Vec<ReactorEnd> = (0..POINTS).map(end).collect();
        let found = judge_reactors(subject, &self.points, &ends)?;
        let differs = |p: &usize| (0..rows).any(|row| of(together, row, *p).to_bits() != of(alone, row, *p).to_bits());
        match (0..POINTS).find(differs) {
            Some(p) => Err(wrong("verify::not-the-reference", format!("point {p} of {POINTS} has other bits alone"))),
            None => Ok(found),
        }
    }
}
