//! Cheaper functions for what mechanisms have as exponentials of cubics in ln T, and for Wilke's matrix, each with a proven bound
//! of its error.
//!
//! A fitted property is exp(cubic in ln T). With ln T scaled to u = -1..1 over a [`range::TemperatureRange`], polynomials in u come
//! close to it: one for each property ([`polynomials`]), a few that all properties share ([`principal`]), or a small core between
//! thin factors for the pairs of species ([`tucker`]). How close is not sampled but proven over the whole range ([`maximum`]), with
//! the coefficients as they stand in the code, which are [`short`] ones where the tolerance allows it.

pub mod chebyshev;
pub mod interpolation;
pub mod low_rank;
pub mod maximum;
pub mod polynomials;
pub mod principal;
pub mod range;
pub mod short;
pub mod tucker;
