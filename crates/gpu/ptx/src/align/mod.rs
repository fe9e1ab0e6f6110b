//! Alignment of sequences that resemble each other: of two by scores, for melding ([`align`]), and of any number by kinds, for code
//! that the warps of a CTA share ([`merge`]).

mod many;
mod pair;

pub use many::{Turn, merge};
pub use pair::{Column, align};
