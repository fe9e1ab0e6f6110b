//! Fields of a plan by their names.

use clap::{Args, Command};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

/// A [`Tuning`](super::Tuning) or [`Common`](super::Common) with some of its fields set.
///
/// Errors: a field cannot have such a value; the reason is for people.
pub fn set<T: Serialize + DeserializeOwned>(value: &T, settings: &Table) -> Result<T, String> {
    let mut table = Table::try_from(value).expect("the fields are numbers and texts");
    table.extend(settings.clone());
    table.try_into().map_err(|error| error.message().to_owned())
}

/// The names of the fields: keys of a configuration, and flags without the dashes.
pub fn names<T: Args>() -> Vec<String> {
    let command = T::augment_args(Command::default());
    command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Common, Tuning};
    use clap::FromArgMatches;
    use toml::Value;

    fn table<T: Serialize>(value: &T) -> Table {
        Table::try_from(value).unwrap()
    }

    /// As the command line has them.
    fn defaults<T: Args + FromArgMatches>() -> T {
        let matches = T::augment_args(Command::default()).get_matches_from(["singe"]);
        T::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn defaults_are_the_same_in_a_program_and_on_the_command_line() {
        assert_eq!(Tuning::default(), defaults::<Tuning>());
        assert_eq!(Common::default(), defaults::<Common>());
    }

    #[test]
    fn every_flag_is_a_key() {
        let of = |names: Vec<String>, table: Table, absent: &[&str]| {
            for name in names {
                assert!(table.contains_key(&name) || absent.contains(&name.as_str()), "{name}");
            }
        };
        of(names::<Tuning>(), table(&Tuning::default()), &["buffer", "passes", "qssa-warps", "slots"]);
        of(names::<Common>(), table(&Common::default()), &[]);
        assert_eq!((names::<Tuning>().len(), names::<Common>().len()), (16, 15));
    }

    #[test]
    fn texts_behind_flags_are_values_of_keys() {
        let word = |text: &str| text.parse::<i64>().map_or(Value::String(text.into()), Value::Integer);
        let flags = [
            ("warps", "13"),
            ("groups-per-cta", "2"),
            ("points-per-lane", "auto"),
            ("ctas-per-sm", "3"),
            ("occupancy", "auto"),
            ("mapper", "ilp"),
            ("weights", "flops=2,locality=0"),
            ("placement", "mixed"),
            ("buffer", "48"),
            ("passes", "2"),
            ("constants", "constant-bank"),
            ("prefetch", "off"),
            ("form", "low-rank"),
            ("matrix", "off"),
            ("qssa-warps", "4"),
        ];
        let line = flags.iter().map(|(flag, text)| format!("--{flag}={text}"));
        let line: Vec<String> = std::iter::once("singe".to_owned()).chain(line).collect();
        let command = Tuning::augment_args(Command::default());
        let parsed = Tuning::from_arg_matches(&command.get_matches_from(line)).unwrap();
        let settings: Table = flags.iter().map(|(flag, text)| ((*flag).to_owned(), word(text))).collect();
        assert_eq!(set(&Tuning::default(), &settings), Ok(parsed));
        // And back.
        assert_eq!(set(&Tuning::default(), &table(&parsed)), Ok(parsed));
    }

    #[test]
    fn a_value_that_a_flag_cannot_have_is_refused() {
        let with = |key: &str, value: Value| set(&Tuning::default(), &Table::from_iter([(key.to_owned(), value)]));
        assert_eq!(with("warps", Value::Integer(33)).unwrap_err(), "give a number from 1 to 32");
        assert!(with("placement", Value::String("beside".into())).unwrap_err().contains("`mixed`"));
        assert!(with("form", Value::Boolean(true)).unwrap_err().contains("a number or a text"));
        assert!(with("wraps", Value::Integer(3)).unwrap_err().contains("unknown field"));
        let target = Table::from_iter([("target".to_owned(), Value::String("kelper".into()))]);
        assert!(set(&Common::default(), &target).unwrap_err().contains("known: fermi, kepler"));
    }
}
