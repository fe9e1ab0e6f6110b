//! What a library of CHEMKIN's routines tells of a mechanism.

use crate::emit::cpu::Stoichiometry;
use kinetics::Model;
use mechanism::Reaction;

/// The atoms' weights and the coefficients of all reactions.
pub fn stoichiometry(model: &Model) -> Stoichiometry {
    let mechanism = &model.mechanism;
    Stoichiometry {
        element_weights: mechanism.elements.iter().map(|element| element.weight).collect(),
        reactions: mechanism.reactions.iter().map(whole).collect(),
    }
}

/// Reactants, then products; nothing where a coefficient is no whole number.
fn whole(reaction: &Reaction) -> Option<Vec<(usize, i32)>> {
    let sides = [(&reaction.reactants, -1.0), (&reaction.products, 1.0)];
    let terms = sides.into_iter().flat_map(|(side, sign)| side.iter().map(move |&(k, nu)| (k, sign * nu)));
    terms.map(|(k, nu)| (nu.fract() == 0.0).then_some((k, nu as i32))).collect()
}
