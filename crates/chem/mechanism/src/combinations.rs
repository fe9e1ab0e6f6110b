//! Combinations of auxiliary keywords, and the kinds of third body that they need (CHEMKIN-II manual, SAND89-8009).

use super::auxiliary::{Auxiliary, Given};
use super::equation::{Equation, ThirdBody};
use super::number;
use super::report::{Report, brief};
use super::syntax::Word;

/// Reports each keyword of a reaction that contradicts another one or the equation. `place` is the reaction's line.
pub fn check(equation: &Equation, auxiliary: &Auxiliary, place: Word, report: &mut Report) {
    let found = Found::new(auxiliary);
    let falloff = matches!(equation.third_body, ThirdBody::FalloffMixture | ThirdBody::FalloffSpecies(_));
    let blended = found.limit.is_some();
    let tabulated = found.plog.is_some() || found.chebyshev.is_some() || found.burke;
    let no_m = equation.third_body == ThirdBody::None;
    let reverse_counts = found.reverse.is_some() && !found.reverse_is_zero;
    let lacking =
        format!("the (+M) of '{}' implies pressure dependence, but no LOW or HIGH is given", brief(&equation.text));
    let one_form = "keep one form of pressure dependence";
    // (keyword, whether it is wrong, message, help)
    let rules: [(Option<Word>, bool, &str, &str); 14] = [
        (Some(place), falloff && !blended && !tabulated, &lacking, "add LOW/ A b E /, or write +M without parentheses"),
        (found.limit, !falloff, "LOW and HIGH need (+M) or (+SPECIES) in the equation", "write (+M) on both sides"),
        (found.high, found.low.is_some(), "LOW and HIGH exclude each other", "LOW: falloff; HIGH: chemical activation"),
        (found.shape, !blended, "TROE and SRI need LOW or HIGH", "add the missing limit"),
        (found.shape, found.two_shapes, "TROE and SRI exclude each other", "keep one of the two"),
        (found.plog, blended || found.chebyshev.is_some(), "PLOG excludes LOW, HIGH and CHEB", one_form),
        (found.chebyshev, blended, "CHEB excludes LOW and HIGH", one_form),
        (found.window, found.chebyshev.is_none(), "TCHEB and PCHEB need CHEB", "add the coefficients"),
        (found.landau, blended || tabulated, "LT excludes LOW, HIGH, PLOG and CHEB", "keep one of them"),
        (
            found.landau,
            reverse_counts && found.reverse_landau.is_none(),
            "a reaction with LT and REV needs RLT",
            "add RLT/ B C /; RLT/ 0 0 / leaves the reverse rate an Arrhenius expression",
        ),
        (found.reverse_landau, found.reverse.is_none(), "RLT needs REV", "add REV/ A b E /"),
        (
            found.reverse,
            blended && reverse_counts,
            "REV cannot be given for a falloff reaction",
            "split the reaction in two irreversible ones",
        ),
        (
            found.reverse,
            !equation.reversible && reverse_counts,
            "REV is given for an irreversible reaction",
            "use = or <=>",
        ),
        (
            found.efficiency,
            no_m && !tabulated,
            "third-body efficiencies are given, but the equation has no M",
            "write +M or (+M) on both sides",
        ),
    ];
    for (keyword, wrong, message, help) in rules {
        if let Some(keyword) = keyword.filter(|_| wrong) {
            report.error("mechanism::keyword-conflict", message, &keyword, help);
        }
    }
    if tabulated && equation.third_body == ThirdBody::Mixture {
        let message = "the +M has no effect: the rate is tabulated over the pressure";
        report.warning("mechanism::unused-third-body", message, &place, "write the equation without M");
    }
    let effective = match equation.third_body {
        ThirdBody::None => !tabulated,
        ThirdBody::Mixture => !tabulated,
        ThirdBody::FalloffMixture => blended,
        ThirdBody::FalloffSpecies(_) => false,
    };
    if let Some(keyword) = found.efficiency.filter(|_| !effective) {
        let message = "third-body efficiencies have no effect on this reaction";
        let help = "they count for +M, and for (+M) with LOW or HIGH";
        report.warning("mechanism::unused-efficiency", message, &keyword, help);
    }
}

/// Places of the keywords.
struct Found<'a> {
    low: Option<Word<'a>>,
    high: Option<Word<'a>>,
    /// The first of LOW and HIGH
    limit: Option<Word<'a>>,
    /// The first of TROE and SRI
    shape: Option<Word<'a>>,
    two_shapes: bool,
    plog: Option<Word<'a>>,
    chebyshev: Option<Word<'a>>,
    /// The first of TCHEB and PCHEB
    window: Option<Word<'a>>,
    landau: Option<Word<'a>>,
    reverse: Option<Word<'a>>,
    /// `REV/ 0 .. /` only makes the reaction irreversible.
    reverse_is_zero: bool,
    reverse_landau: Option<Word<'a>>,
    efficiency: Option<Word<'a>>,
    burke: bool,
}

impl<'a> Found<'a> {
    fn new(auxiliary: &Auxiliary<'a>) -> Self {
        fn place<'a, T>(given: &Option<Given<'a, T>>) -> Option<Word<'a>> {
            given.as_ref().map(|given| given.place)
        }
        let (low, high) = (place(&auxiliary.low), place(&auxiliary.high));
        let reverse_factor = auxiliary.reverse.as_ref().map(|given| given.value.a.text());
        Self {
            low,
            high,
            limit: low.or(high),
            shape: place(&auxiliary.troe).or(place(&auxiliary.sri)),
            two_shapes: auxiliary.troe.is_some() && auxiliary.sri.is_some(),
            plog: auxiliary.plog.first().map(|given| given.place),
            chebyshev: place(&auxiliary.chebyshev),
            window: place(&auxiliary.temperatures).or(place(&auxiliary.pressures)),
            landau: place(&auxiliary.landau_teller),
            reverse: place(&auxiliary.reverse),
            reverse_is_zero: reverse_factor.and_then(number::parse) == Some(0.0),
            reverse_landau: place(&auxiliary.reverse_landau_teller),
            efficiency: auxiliary.efficiencies.first().map(|given| given.place),
            burke: !auxiliary.burke.is_empty(),
        }
    }
}
