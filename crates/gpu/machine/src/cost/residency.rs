//! Latency that resident warps hide from each other.

use crate::target::Target;

/// A CTA of a kernel, and the number of CTAs that share an SM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residency {
    pub warps_per_cta: u32,
    pub ctas: u32,
    /// Instructions that one warp issues, and its clocks from the first one to the last when it is alone.
    pub issued: f64,
    pub alone: f64,
}

impl Residency {
    /// Clocks of an SM per CTA: the latency of one CTA is shared by those that are resident, until the sub-partitions, which issue an
    /// instruction per clock each, are busy all the time (Little's law).
    pub fn clocks_per_cta(&self, target: &Target) -> f64 {
        let latency = self.alone / f64::from(self.ctas.max(1));
        let issue = self.issued * f64::from(self.warps_per_cta) / f64::from(target.sub_partitions.max(1));
        latency.max(issue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ctas_help_until_issue_is_busy() {
        let volta = Target::by_name("volta").unwrap();
        let with = |ctas| Residency { warps_per_cta: 8, ctas, issued: 100.0, alone: 1600.0 }.clocks_per_cta(volta);
        // 8 warps of 100 instructions keep 4 sub-partitions busy for 200 clocks
        assert_eq!([1, 2, 8, 16].map(with), [1600.0, 800.0, 200.0, 200.0]);
    }
}
