//! Return values of the functions of a project.

use crate::base::dialect::Dialect;
use serde::Serialize;

/// A status of Singe's own; positive values are those of CUDA.
#[derive(Serialize)]
pub struct Status {
    /// As in C; in Fortran in lower case, with the project's name before it.
    pub name: &'static str,
    pub value: i32,
    pub meaning: &'static str,
}

/// All of them, as a project of the dialect tells them.
pub fn statuses(dialect: Dialect) -> [Status; 11] {
    STATUSES.map(|status| match status.name {
        "NO_DEVICE" if dialect.is_hip() => {
            Status { meaning: "there is no HIP device, or its driver is absent or too old", ..status }
        }
        _ => status,
    })
}

const STATUSES: [Status; 11] = [
    Status { name: "SUCCESS", value: 0, meaning: "success" },
    Status { name: "NULL_POINTER", value: -1, meaning: "the context or an array is a null pointer" },
    Status { name: "INVALID_POINTS", value: -2, meaning: "the number of points is negative" },
    Status { name: "INVALID_STRIDE", value: -3, meaning: "the stride is below the number of points" },
    Status { name: "WRONG_DEVICE", value: -4, meaning: "the context was made for another device than the current one" },
    Status { name: "NO_DEVICE", value: -5, meaning: "there is no CUDA device, or its driver is absent or too old" },
    Status {
        name: "UNSUPPORTED_DEVICE",
        value: -6,
        meaning: "the kernels were not compiled for this device, or a CTA needs more of it than it has",
    },
    Status { name: "OUT_OF_MEMORY", value: -7, meaning: "out of memory" },
    Status {
        name: "INVALID_OPTIONS",
        value: -8,
        meaning: "a tolerance or the largest number of steps is not positive, or the first step is negative or not a number",
    },
    Status { name: "OVERLAPPING_ARRAYS", value: -9, meaning: "an output shares numbers with an input" },
    Status {
        name: "OTHER_LIBRARY",
        value: -10,
        meaning: "the library is of another mechanism, of other options or of another version of singe than the header or module",
    },
];
