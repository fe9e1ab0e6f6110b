//! Limits and tolerances of an integration.

/// Rates are numbers between these temperatures in K.
pub const TEMPERATURES: [f64; 2] = [100.0, 10_000.0];

/// A mass fraction below the negative of this is no state; one above it, but negative, counts as zero in rates.
pub const MOST_NEGATIVE: f64 = 1e-6;

/// The same where sources take of some species: those, and the species that react with them, settle below zero, where reactions make as much as the
/// sources take. Of 240 random states of hydrogen whose sources take at most half of a species, 68 end below the other limit, and none below this one.
pub const MOST_DRAINED: f64 = 1e-2;

/// The first step changes the unknowns by this many tolerances, if rates stay as they are.
pub const FIRST_CHANGE: f64 = 300.0;

/// A smaller error of a step makes the next one as long as may be, a larger one as short.
pub const ERRORS: [f64; 2] = [1e-5, 1e5];

/// The least root of a step's error that the step after it is compared with: of smaller ones growth tells nothing.
pub const LEAST_ROOT: f64 = 0.4;

/// A step whose system has a negative pivot becomes as short as this share of it.
pub const SHORTER: f64 = 0.25;

/// Where an entry of the system's diagonal is more than so many times the pivot that it becomes, growth is in doubt. Of 1,000 random states of GRI-Mech all
/// with growth between 1/(2 gamma) and 1/gamma over a step have such a pivot.
pub const MOST_SHARE: f64 = 1.4;

/// Doubts count in the first step, in one that is this many times longer than the last good one, and from the first growth on.
pub const WATCHED: f64 = 1.5;

/// A step has no end where its rates are not numbers, or where it ends at no state. After this many such steps, before the time at which the first of
/// them would have ended is passed, no step is short enough: else steps creep towards a wall, such as the hottest temperature, for ever.
pub const MOST_DEAD_ENDS: usize = 20;

/// In s: later than any time.
pub const NO_WALL: f64 = 1e300;

/// Explicit steps are tried only if the first step, as it follows from the rates, is at least the whole time over this.
pub const MOST_FIRST_STEPS: f64 = 8.0;

/// Limit on explicit steps: a point that needs more is left to the method for stiff points, one step of which costs as much.
pub const MOST_EXPLICIT_STEPS: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options<'a> {
    /// A step is good where the root mean square of error / (relative |y| + absolute) is at most 1.
    pub relative_tolerance: f64,
    pub absolute_tolerance: f64,
    /// Absolute tolerances of the first unknowns, in place of the one above.
    pub absolute_tolerances: &'a [f64],
    /// In s, not negative; 0 lets the integration find its own.
    pub first_step: f64,
    /// Limit on steps, retried ones included.
    pub most_steps: usize,
}

impl Options<'_> {
    pub fn absolute(&self, unknown: usize) -> f64 {
        self.absolute_tolerances.get(unknown).copied().unwrap_or(self.absolute_tolerance)
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-6,
            absolute_tolerance: 1e-12,
            absolute_tolerances: &[],
            first_step: 0.0,
            most_steps: 100_000,
        }
    }
}
