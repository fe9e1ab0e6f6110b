//! Random numbers that are the same everywhere.

/// Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// All 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In (0, 1): 53 bits and a half, so that its logarithm is finite.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Returns an exponential number of mean 1. Normalised, such numbers are uniform on the simplex (the flat Dirichlet distribution).
    pub fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// In 0..size.
    pub fn below(&mut self, size: usize) -> usize {
        (self.bits() % size as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outputs_of_seed_0_are_the_published_ones() {
        let mut random = SplitMix64::new(0);
        assert_eq!([random.bits(), random.bits()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
