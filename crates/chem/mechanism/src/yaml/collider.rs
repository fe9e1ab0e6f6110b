//! Third bodies: the efficiencies of an entry, and what they mean where the equation names its collider.

use super::fields::number;
use super::reaction::kind;
use super::tree::Node;
use crate::SpeciesIndex;
use crate::auxiliary::{Auxiliary, Given};
use crate::equation::{Equation, ThirdBody};
use crate::names::Names;
use crate::number::shortest;
use crate::report::{Report, brief};

/// Completes the efficiencies by the default one. An equation such as `H + O2 + AR <=> HO2 + AR` is an ordinary reaction
/// unless AR has an efficiency of its own; then it becomes a reaction with M for which all other efficiencies are 0.
/// Absent after an error.
pub fn resolve<'a>(
    entry: &Node<'a>,
    equation: &mut Equation,
    auxiliary: &mut Auxiliary<'a>,
    names: &Names,
    report: &mut Report,
) -> Option<()> {
    let place = entry.get("equation").map_or(entry.place, |equation| equation.place);
    let default = match entry.get("default-efficiency") {
        None => None,
        Some(node) => Some(number(node, report)?),
    };
    let mut refuse = |message: &str, help: &str| {
        report.error("mechanism::third-body", format!("{message} in '{}'", brief(place.text())), &place, help);
        None
    };
    let on_both_sides = |species: SpeciesIndex| {
        [&equation.reactants, &equation.products].iter().all(|side| side.iter().any(|(k, _)| *k == species))
    };
    let named = match equation.third_body {
        ThirdBody::Mixture if kind(entry) == "elementary" => {
            return refuse("an elementary reaction has no M", "leave the type out, or write three-body");
        }
        ThirdBody::None if kind(entry) == "three-body" && !equation.reactants.iter().any(|r| on_both_sides(r.0)) => {
            return refuse("there is no third body", "write M or a collider on both sides");
        }
        ThirdBody::Mixture | ThirdBody::FalloffMixture => {
            others(auxiliary, default.unwrap_or(1.0), names, entry);
            return Some(());
        }
        ThirdBody::FalloffSpecies(species) => Some(species),
        ThirdBody::None => auxiliary.efficiencies.first().map(|given| given.value.0).filter(|k| on_both_sides(*k)),
    };
    if auxiliary.efficiencies.is_empty() {
        return Some(());
    }
    let (Some(collider), [given], true) = (named, auxiliary.efficiencies.as_slice(), default.unwrap_or(0.0) == 0.0)
    else {
        return refuse("the efficiencies do not fit the collider", "write M, or the efficiency of the collider alone");
    };
    if given.value.0 != collider {
        return refuse("the efficiency is not that of the collider", "write M, or the efficiency of the collider");
    }
    if given.value.1 == 1.0 {
        auxiliary.efficiencies.clear();
        return Some(());
    }
    others(auxiliary, 0.0, names, entry);
    let m = if equation.third_body == ThirdBody::None { "+M" } else { "(+M)" };
    if equation.third_body == ThirdBody::None {
        equation.third_body = ThirdBody::Mixture;
        for side in [&mut equation.reactants, &mut equation.products] {
            side.iter_mut().filter(|(species, _)| *species == collider).for_each(|(_, nu)| *nu -= 1.0);
            side.retain(|(_, nu)| *nu != 0.0);
        }
    } else {
        equation.third_body = ThirdBody::FalloffMixture;
    }
    let arrow = if equation.reversible { "<=>" } else { "=>" };
    let side = |terms: &[(SpeciesIndex, f64)]| {
        let term = |(species, nu): &(SpeciesIndex, f64)| {
            let coefficient = if *nu == 1.0 { String::new() } else { shortest(*nu) };
            coefficient + names.name(*species)
        };
        terms.iter().map(term).collect::<Vec<_>>().join("+")
    };
    equation.text = format!("{}{m}{arrow}{}{m}", side(&equation.reactants), side(&equation.products));
    Some(())
}

/// Gives the species that have no efficiency the default one.
fn others<'a>(auxiliary: &mut Auxiliary<'a>, default: f64, names: &Names, entry: &Node<'a>) {
    if default == 1.0 {
        return;
    }
    let mut has_own = vec![false; names.len()];
    auxiliary.efficiencies.iter().for_each(|given| has_own[given.value.0] = true);
    let rest = (0..names.len()).filter(|species| !has_own[*species]);
    auxiliary.efficiencies.extend(rest.map(|species| Given { place: entry.place, value: (species, default) }));
}
