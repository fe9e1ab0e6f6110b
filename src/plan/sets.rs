//! Named sets: kernels with a state and outputs of their own, beside the others in one project.

use super::conditions::Asked;
use super::goes_with::PRECISION;
use super::{KernelChoice, Request};
use clap::ValueEnum;
use diagnostics::Diagnostic;
use emit_c::base::names::identifier;
use kernels::{Kernel, Outputs, StateVariables};

/// The longest name of a set: names of Fortran have 63 characters, which a project's and a kernel's take the rest of.
const LONGEST_NAME: usize = 8;

const SYNTAX: &str =
    "give NAME=KERNEL[,KERNEL...][:STATE[:OUTPUT[,OUTPUT...]]], such as rho=chemistry:TRY:heat-release-rate";

/// Some kernels beside those of `--kernel`; the set's name stands before each kernel's.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    pub name: String,
    pub kernels: Vec<Kernel>,
    /// `None` takes `--state`.
    pub state: Option<StateVariables>,
    /// `None` takes each kernel's default.
    pub outputs: Option<Outputs>,
}

impl Set {
    /// Reads `NAME=KERNEL[,KERNEL...][:STATE[:OUTPUT[,OUTPUT...]]]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, what) = text.split_once('=').ok_or(SYNTAX)?;
        if identifier(name) != name || name.len() > LONGEST_NAME || name.contains(|c: char| c.is_ascii_uppercase()) {
            return Err(format!("name a set by a C identifier of at most {LONGEST_NAME} small letters and digits"));
        }
        let mut parts = what.split(':');
        let kernels = parts.next().unwrap_or_default().split(',');
        let kernels: Vec<Kernel> = kernels.map(value::<Kernel>).collect::<Result<_, _>>()?;
        if kernels.iter().enumerate().any(|(at, kernel)| kernels[..at].contains(kernel)) {
            return Err(format!("{what} names a kernel twice"));
        }
        let state = parts.next().filter(|state| !state.is_empty()).map(value::<StateVariables>).transpose()?;
        let outputs = parts.next().map(Outputs::parse).transpose()?;
        match parts.next() {
            None => Ok(Self { name: name.to_owned(), kernels, state, outputs }),
            Some(_) => Err(SYNTAX.into()),
        }
    }
}

/// One of the values of a flag.
fn value<T: ValueEnum>(text: &str) -> Result<T, String> {
    let names = T::value_variants().iter().filter_map(T::to_possible_value);
    let known = || names.map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ");
    T::from_str(text, true).map_err(|_| format!("{text} is none of {}; {SYNTAX}", known()))
}

impl Request {
    /// Returns the requests that are compiled each by itself: the kernels outside of sets, then those of each set.
    pub fn parts(&self) -> Vec<Self> {
        let outside = Self { sets: Vec::new(), ..self.clone() };
        let of_set = |set: &Set| {
            let mut part = Self { set: Some(set.name.clone()), kernels: set.kernels.clone(), ..outside.clone() };
            part.common.state = set.state.unwrap_or(part.common.state);
            part.common.outputs = set.outputs.unwrap_or_default();
            part
        };
        let sets: Vec<Self> = self.sets.iter().map(of_set).collect();
        std::iter::once(outside).chain(sets).collect()
    }

    /// The kernels that are asked for, in sets and outside.
    pub fn all_kernels(&self) -> impl Iterator<Item = Kernel> + '_ {
        self.kernels.iter().chain(self.sets.iter().flat_map(|set| &set.kernels)).copied()
    }

    /// The kernels that are asked for, and the reactor kernel.
    pub fn choices(&self) -> Vec<KernelChoice> {
        self.all_kernels().map(KernelChoice::Kernel).chain(self.reactor_method.map(|_| KernelChoice::Reactor)).collect()
    }

    /// Errors: a set's outputs or precision are not those of its kernels; two sets, or a set and a kernel, have one name.
    pub(super) fn check_sets(&self) -> Result<(), Diagnostic> {
        for (at, set) in self.sets.iter().enumerate() {
            let is_part = |kernel: &&Kernel| kernel.name().starts_with(&format!("{}-", set.name));
            let other = match Kernel::value_variants().iter().find(is_part) {
                Some(kernel) => Some(format!("the {kernel} kernel's name begins so, too")),
                None => self.sets[..at].iter().any(|other| other.name == set.name).then(|| "two sets have it".into()),
            };
            if let Some(why) = other {
                let message = format!("no set can be called {}: {why}", set.name);
                let help = "give each --set a name of its own, which stands before its kernels' names";
                return Err(Diagnostic::error("kernel::set-name", message).help(help));
            }
        }
        // The first part has no set.
        self.sets.iter().zip(self.parts().iter().skip(1)).try_for_each(|(set, part)| {
            let checked = part.check_outputs().and_then(|()| Asked::of_request(part).check(Some(PRECISION)));
            checked.map_err(|d| {
                let message = format!("in the set {}: {}", set.name, d.message);
                Diagnostic { message, ..d }.help("give each --set kernels, a state and outputs that go together")
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_read_and_what_is_none_is_told() {
        let set = Set::parse("rho=chemistry,thermodynamics:try:heat-release-rate,density").unwrap();
        assert_eq!((set.name.as_str(), set.state), ("rho", Some(StateVariables::Density)));
        assert_eq!(set.kernels, [Kernel::Chemistry, Kernel::Thermodynamics]);
        assert_eq!(set.outputs.unwrap().text(), "density,heat-release-rate");
        assert_eq!(Set::parse("a=viscosity").unwrap().state, None);
        assert_eq!(Set::parse("a=chemistry::heat-release-rate").unwrap().state, None);
        for wrong in [
            "rho", "=chemistry", "Rho=chemistry", "a b=chemistry", "a=reactor", "a=", "a=viscosity,viscosity",
            "a=chemistry:XYZ",
        ] {
            assert!(Set::parse(wrong).is_err(), "{wrong}");
        }
        for wrong in ["a=chemistry:TPY:nothing", "a=chemistry:TPY:density:1", "ninechars=chemistry", "int=chemistry"] {
            assert!(Set::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sets_have_names_that_nothing_else_has() {
        let request = |sets: &[&str]| Request {
            sets: sets.iter().map(|text| Set::parse(text).unwrap()).collect(),
            ..Request::default()
        };
        assert!(request(&["a=chemistry", "b=chemistry:TPY"]).check_sets().is_ok());
        assert!(request(&["a=chemistry", "a=viscosity"]).check_sets().is_err());
        assert!(request(&["isobaric=jacobian"]).check_sets().is_err());
        assert!(request(&["a=viscosity:TPX:density"]).check_sets().is_err());
    }
}
