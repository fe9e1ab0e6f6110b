//! Combines the colliders of a linear-Burke rate.

use super::auxiliary::{Auxiliary, Given, RawCollider, RawRate};
use super::equation::ThirdBody;
use super::rate::Parts;
use super::report::brief;
use super::{Arrhenius, BurkeCollider, LinearBurke, PressureRate, Rate};

/// Converts all values; absent after an error. M comes first.
pub fn combine(parts: &mut Parts<'_, '_>) -> Option<LinearBurke> {
    if !matches!(parts.equation.third_body, ThirdBody::None | ThirdBody::FalloffMixture) {
        let message = format!("the equation '{}' names another collider than (+M)", brief(&parts.equation.text));
        let help = "a linear-Burke rate names its colliders itself: write (+M) on both sides, or no M";
        parts.report.error("mechanism::linear-burke", message, &parts.place, help);
        return None;
    }
    let mut given = std::mem::take(&mut parts.auxiliary.burke).into_iter();
    let Given { value: RawCollider { efficiency, rate: Some(rate), .. }, .. } = given.next()? else { return None };
    let reference = match efficiency {
        None => Arrhenius { a: 1.0, b: 0.0, e_over_r: 0.0 },
        Some(raw) => parts.arrhenius(&raw, 1.0)?,
    };
    let bath = pressure_rate(parts, rate)?;
    let mut colliders: Vec<BurkeCollider> = Vec::new();
    for Given { place, value: RawCollider { species, efficiency, rate } } in given {
        let (species, own) = (species?, parts.arrhenius(&efficiency?, 1.0)?);
        let Arrhenius { a, b, e_over_r } = reference;
        let efficiency = Arrhenius { a: own.a / a, b: own.b - b, e_over_r: own.e_over_r - e_over_r };
        if !(efficiency.a > 0.0 && efficiency.a.is_finite()) {
            let message = "the efficiency of this collider is not positive";
            let help = "leave a collider without effect out of the mixture by a small efficiency, such as 1e-6";
            parts.report.error("mechanism::linear-burke", message, &place, help);
            return None;
        }
        if colliders.iter().any(|known| known.species == species) {
            let help = "give each species one entry";
            parts.report.error("mechanism::linear-burke", "this collider is listed twice", &place, help);
            return None;
        }
        let rate = match rate {
            None => None,
            Some(rate) => Some(pressure_rate(parts, rate)?),
        };
        colliders.push(BurkeCollider { species, efficiency, rate });
    }
    colliders.sort_by_key(|collider| collider.species);
    Some(LinearBurke { bath, colliders })
}

/// The rate in one collider alone, with the units and the order of its reaction.
fn pressure_rate(parts: &mut Parts<'_, '_>, (numbers, auxiliary): (RawRate, Box<Auxiliary>)) -> Option<PressureRate> {
    let (equation, units, place) = (parts.equation.clone(), parts.units, parts.place);
    let mut own = Parts { equation, numbers, auxiliary: *auxiliary, units, place, report: &mut *parts.report };
    Some(match own.rate()? {
        Rate::Falloff { low, high, blending, .. } => PressureRate::Falloff { low, high, blending },
        Rate::Plog(table) => PressureRate::Plog(table),
        Rate::Chebyshev(fit) => PressureRate::Chebyshev(fit),
        _ => return None,
    })
}
