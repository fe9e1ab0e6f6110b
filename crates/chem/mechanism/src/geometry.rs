//! Whether the shape of a molecule suits its number of atoms.

use super::report::Report;
use super::syntax::Word;
use super::{Element, Geometry};

/// The geometry of a species, or the one that fits its atoms if the given one does not. A monatomic species of several atoms, a linear one
/// of one atom, and a nonlinear one of fewer than three are errors, which a permissive reader repairs. The shape decides how many rotations
/// share in the heat capacity, and so it moves the conductivity.
pub fn checked(
    name: &str,
    given: Geometry,
    composition: &[(usize, f64)],
    elements: &[Element],
    place: &Word,
    report: &mut Report,
) -> Geometry {
    let is_electron = |element: usize| elements[element].symbol.eq_ignore_ascii_case("E");
    let atoms: f64 = composition.iter().filter(|(element, _)| !is_electron(*element)).map(|(_, count)| count).sum();
    let (shape, fits) = match given {
        Geometry::Atom => ("an atom", atoms <= 1.0),
        Geometry::Linear => ("a linear molecule", atoms != 1.0),
        Geometry::Nonlinear => ("a nonlinear molecule", atoms >= 3.0),
    };
    if fits {
        return given;
    }
    let (right, words) = match atoms {
        n if n <= 1.0 => (Geometry::Atom, "an atom (0)"),
        n if n < 3.0 => (Geometry::Linear, "linear (1)"),
        _ => (Geometry::Nonlinear, "nonlinear (2)"),
    };
    let plural = if atoms == 1.0 { "" } else { "s" };
    let taken = if report.is_permissive() { format!("; it is taken as {words}") } else { String::new() };
    let message = format!("species '{name}' of {atoms} atom{plural} cannot be {shape}{taken}");
    let help = match right {
        Geometry::Nonlinear => "three or more atoms are linear (1) or nonlinear (2)".to_owned(),
        _ => format!("{words} fits its composition in the thermo data"),
    };
    report.forgivable("transport::shape", message, place, help);
    right
}
