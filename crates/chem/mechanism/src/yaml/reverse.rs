//! Explicit reverse rates, which are reactions of their own in Cantera.

use crate::report::Report;
use crate::{Rate, Reaction, Reverse};
use diagnostics::Diagnostic;

/// Makes a reaction that says `reverse-of-previous` the reverse of the last one.
pub fn merge(reverse: Reaction, reactions: &mut [Reaction], report: &mut Report) {
    let rate = match reverse.rate {
        Rate::Arrhenius(rate) => Some((rate, None)),
        Rate::LandauTeller(rate, factor) => Some((rate, Some(factor))),
        _ => None,
    };
    let is_mirror = |forward: &&mut Reaction| {
        [&forward.reverse, &reverse.reverse] == [&Reverse::Irreversible; 2]
            && (&forward.reactants, &forward.products) == (&reverse.products, &reverse.reactants)
            && forward.third_body == reverse.third_body
    };
    let forward = reactions.last_mut().filter(is_mirror);
    let (Some(forward), Some((rate, factor))) = (forward, rate) else {
        let message = "this reaction is not the reverse of the one before it";
        let help = "mirror its equation with the arrow => on both, and give a rate-constant";
        report.push(Diagnostic::error("yaml::reverse", message).at(reverse.span).help(help));
        return;
    };
    if rate.a != 0.0 {
        forward.reverse = Reverse::Explicit(rate, factor);
        forward.reverse_orders = reverse.forward_orders;
        forward.equation = forward.equation.replacen("=>", "<=>", 1);
    }
}
