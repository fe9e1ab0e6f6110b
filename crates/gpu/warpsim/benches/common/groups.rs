//! The kernels of `tests/corpus/divergent` in groups, with the papers' figures.

/// Kernels of one origin.
pub struct Group {
    pub title: &'static str,
    /// Kernels, with their speed-ups by branch fusion and by melding. They are those of the DARM paper's artefact, if it has one
    /// for a block of about that size.
    pub kernels: &'static [(&'static str, Option<f64>, Option<f64>)],
    /// The paper's means, as two columns.
    pub means: &'static str,
}

pub const GROUPS: [Group; 3] = [
    Group {
        title: "Synthetic kernels",
        kernels: &[
            ("sb1", None, None),
            ("sb1-r", None, None),
            ("sb2", None, None),
            ("sb2-r", None, None),
            ("sb3", None, None),
            ("sb3-r", None, None),
            ("sb4", None, Some(1.95)),
            ("sb4-r", None, Some(1.58)),
        ],
        means: "1.105 | 1.365",
    },
    Group {
        title: "Real kernels",
        kernels: &[
            ("bitonic", None, Some(1.46)),
            ("partition-merge", None, Some(1.37)),
            ("merge-sort", None, Some(1.18)),
            ("lu-perimeter", None, Some(1.16)),
            ("n-queens", None, Some(1.19)),
            ("srad", Some(1.22), Some(0.97)),
            ("dct-quantize", None, Some(1.01)),
        ],
        means: "1.071 | 1.146",
    },
    Group {
        title: "Kernels of our own",
        kernels: &[
            ("nasa-polynomials", None, None),
            ("else-if", None, None),
            ("short-circuit", None, None),
            ("multi-exit", None, None),
            ("continue", None, None),
            ("nested-loops", None, None),
            ("irreducible", None, None),
        ],
        means: " | ",
    },
];
