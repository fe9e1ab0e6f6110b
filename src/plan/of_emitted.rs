//! Target, units and state that files for a host code need, where the request leaves them open.

use machine::target::Target;

use super::conditions::name;
use super::goes_with::{Need, REFUSALS, Refusal};
use super::{Common, Emit};

/// Returns the settings as the files for host codes need them, and the flags that stand for what changed. Flags that were `given` keep
/// their values: what does not go together is refused later.
pub fn for_emitted(common: &Common, emit: &[Emit], given: impl Fn(&str) -> bool) -> (Common, Vec<String>) {
    let (mut common, mut flags) = (*common, Vec::new());
    for need in REFUSALS.iter().filter(|row| is_of(row, emit)).flat_map(|row| row.needs) {
        match need {
            Need::Targets(group) if !given("target") && !common.target.is_cpu() && (group.has)(Target::cpu()) => {
                common.target = Target::cpu();
                flags.push("--target cpu".to_owned());
            }
            Need::UnitsOf(units) if !given("units") && *units != common.units => {
                common.units = *units;
                flags.push(format!("--units {}", name(units)));
            }
            Need::States([state]) if !given("state") && *state != common.state => {
                common.state = *state;
                flags.push(format!("--state {}", name(state)));
            }
            _ => {}
        }
    }
    (common, flags)
}

/// Whether a row is about one of these files and nothing else.
fn is_of(row: &Refusal, emit: &[Emit]) -> bool {
    let files = match row.asked {
        [asked] => asked.strip_prefix("emit=").unwrap_or_default(),
        _ => "",
    };
    emit.iter().any(|emit| files.split('|').any(|file| file == name(emit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(emit: Emit, given: &[&str]) -> String {
        for_emitted(&Common::default(), &[emit], |flag| given.contains(&flag)).1.join(" ")
    }

    #[test]
    fn what_a_host_code_needs_is_set_unless_it_is_given() {
        assert_eq!(flags(Emit::Chemkin, &[]), "--target cpu --units cgs");
        assert_eq!(flags(Emit::Chemkin, &["target"]), "--units cgs");
        assert_eq!(flags(Emit::Pelephysics, &["units"]), "--target cpu");
        assert_eq!(flags(Emit::Kinetix, &[]), "--target cpu");
        assert_eq!(flags(Emit::Openfoam, &[]), "--target cpu --state TPY");
        assert_eq!(flags(Emit::Openfoam, &["state"]), "--target cpu");
        assert_eq!(flags(Emit::PelephysicsReactor, &[]), "--target cpu");
        for other in [Emit::Host, Emit::Ptx, Emit::Cvode, Emit::Device, Emit::FortranDevice] {
            assert_eq!(flags(other, &[]), "");
        }
    }
}
