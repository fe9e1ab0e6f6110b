//! Tools that all builders share: steps under construction, the arrays and scalars that they read, sums, and products on tensor cores.
//! None of these knows any physics.

mod arrays;
mod operands;
mod product;
pub mod scalar;
mod steps;

pub use arrays::{
    MOLE_FRACTIONS, OUTPUT, PRESSURE, TEMPERATURE, TIME_STEP, TRANSPORT_SOURCE, mole_fraction, name_rows,
};
pub use operands::{Operands, SMALLEST, loaded_concentration};
pub use product::product;
pub use scalar::{SCALARS, scalar_of, zero_or_nan};
pub use steps::{add_term, blocks, empty_sums, passed_on, products, single, step};
