//! State that waves share.

use crate::barriers::Barriers;
use crate::listing::Kernel;
use crate::memory::{Lds, Memory};

/// Kernel, memory and barriers that a wave works on.
pub struct Surroundings<'a, 'm> {
    pub kernel: &'a Kernel,
    pub memory: &'a mut Memory<'m>,
    pub lds: &'a mut Lds,
    pub barriers: &'a mut Barriers,
    /// Approximations are cut to what is documented of them.
    pub cut: bool,
}
