//! Where values lie on an axis.

/// Times, which may differ by orders of magnitude.
pub struct Logarithmic {
    range: (f64, f64),
    places: (f64, f64),
}

impl Logarithmic {
    /// The range of some positive values with a margin, spread from one place to another.
    pub fn new(values: impl Iterator<Item = f64>, places: (f64, f64)) -> Self {
        let (least, most) =
            values.fold((f64::INFINITY, 0.0f64), |(least, most), value| (least.min(value), most.max(value)));
        let range = if least.is_finite() { (least / 1.1, most * 1.1) } else { (1.0, 10.0) };
        Self { range, places }
    }

    /// From 0 to 1 within the range.
    pub fn share(&self, value: f64) -> f64 {
        (value / self.range.0).ln() / (self.range.1 / self.range.0).ln()
    }

    pub fn place(&self, value: f64) -> f64 {
        self.places.0 + self.share(value) * (self.places.1 - self.places.0)
    }

    /// Round values within the range: 1, 2 and 5 of each power of ten, or finer ones where these are few.
    pub fn ticks(&self) -> Vec<f64> {
        let round = |steps: &[f64]| -> Vec<f64> {
            let powers = self.range.0.log10().floor() as i32..=self.range.1.log10().ceil() as i32;
            let all = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
            all.filter(|value| (self.range.0..=self.range.1).contains(value)).collect()
        };
        let coarse = round(&[1.0, 2.0, 5.0]);
        if coarse.len() > 2 { coarse } else { round(&[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]) }
    }
}

/// A value of a tick with as many digits as it has.
pub fn label(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_between_the_ends_and_ticks_are_round() {
        let scale = Logarithmic::new([0.3, 4.0].into_iter(), (100.0, 0.0));
        assert_eq!(scale.ticks().into_iter().map(label).collect::<Vec<_>>(), ["0.5", "1", "2"]);
        assert!(scale.place(0.3) < 100.0 && scale.place(4.0) > 0.0 && scale.place(1.0) < scale.place(0.5));
        let narrow = Logarithmic::new([1.0, 1.4].into_iter(), (0.0, 1.0));
        assert_eq!(narrow.ticks().into_iter().map(label).collect::<Vec<_>>(), ["1", "1.2", "1.5"]);
        assert!(Logarithmic::new(std::iter::empty(), (0.0, 1.0)).place(2.0).is_finite());
    }
}
