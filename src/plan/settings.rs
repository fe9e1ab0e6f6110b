//! Fields of a plan by their names.

use clap::{Args, Command};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::conditions::members;
use super::goes_with::{FLAGS, Flag, TUNING};
use super::{Common, Tuning};

/// A [`Tuning`](super::Tuning) or [`Common`](super::Common) with some of its fields set.
///
/// Errors: a field cannot have such a value; the reason is for people.
pub fn set<T: Serialize + DeserializeOwned>(value: &T, settings: &Table) -> Result<T, String> {
    let mut table = Table::try_from(value).expect("the fields are numbers and texts");
    table.extend(settings.clone());
    table.try_into().map_err(|error| error.message().to_owned())
}

/// The names of the fields of [`Common`](super::Common): keys of a configuration, and flags without the dashes.
pub fn common_keys() -> Vec<String> {
    let command = Common::augment_args(Command::default());
    command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

/// The names of the fields of [`Tuning`](super::Tuning).
pub fn tuning_keys() -> Vec<String> {
    FLAGS[..TUNING].iter().map(|row| row.asked[0].to_owned()).collect()
}

/// The value of a key, from a text behind a flag.
pub fn number_or_text(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::String(text.to_owned()), Value::Integer)
}

/// Whether a key is one of `--layout`.
pub fn is_layout_key(key: &str) -> bool {
    FLAGS.iter().any(|row| row.of_layout.is_some() && row.asked[0] == key)
}

/// Reads `KEY=VALUE`, a field of [`Tuning`](super::Tuning) that has no flag of its own.
pub fn layout_setting(text: &str) -> Result<(String, Value), String> {
    let rows = || FLAGS.iter().filter(|row| row.of_layout.is_some()).map(|row| row.asked[0]);
    let known = || format!("give KEY=VALUE, where KEY is one of {}", rows().collect::<Vec<_>>().join(", "));
    let (key, value) = text.split_once('=').filter(|(key, _)| is_layout_key(key)).ok_or_else(known)?;
    let setting = (key.to_owned(), number_or_text(value));
    set(&Tuning::default(), &Table::from_iter([setting.clone()])).map(|_| setting)
}

/// The part of the requests that a flag concerns.
pub fn concerns(flag: &str) -> Option<String> {
    let row = FLAGS.iter().find(|row| row.asked[0] == flag && !row.needs.is_empty())?;
    Some(row.needs.iter().map(members).collect::<Vec<_>>().join(", "))
}

/// Help of `--layout`: its keys, as the table of what goes with what has them.
pub fn layout_help() -> String {
    let row = |row: &Flag| Some(format!("\n  {}={}: {}", row.asked[0], row.of_layout?[0], row.of_layout?[1]));
    let keys: String = FLAGS.iter().filter_map(row).collect();
    format!(
        "Setting of a kernel that makes it faster or slower, with the same results; may be given several times. Keys:{keys}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;

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
        let has = |table: &Table, name: &str| table.contains_key(name);
        let tuning = Tuning { qssa_warps: Some(1), slots: crate::plan::SlotMemory::Global, ..Tuning::default() };
        let (tuning, common) = (table(&tuning), table(&Common::default()));
        assert!(tuning_keys().iter().all(|name| has(&tuning, name)) && tuning_keys().len() == tuning.len());
        assert!(common_keys().iter().all(|name| has(&common, name)) && common_keys().len() == common.len());
    }

    #[test]
    fn texts_behind_flags_are_values_of_keys() {
        let line = ["singe", "--warps=13", "--groups-per-cta=2", "--ctas-per-sm=3,auto", "--form=low-rank"];
        let parsed =
            Tuning::from_arg_matches(&Tuning::augment_args(Command::default()).get_matches_from(line)).unwrap();
        let layout = [
            "points-per-lane=auto", "placement=mixed", "slots=global", "constants=constant-bank", "prefetch=off",
            "matrix=off", "qssa-warps=4",
        ];
        let layout: Table = layout.iter().map(|text| layout_setting(text).unwrap()).collect();
        assert_eq!(layout.len(), FLAGS.iter().filter(|row| row.of_layout.is_some()).count());
        let all = set(&parsed, &layout).unwrap();
        assert_eq!((all.warps, all.qssa_warps), (13, Some(4)));
        // And back.
        assert_eq!(set(&Tuning::default(), &table(&all)), Ok(all));
        for wrong in ["warps=8", "slots", "slots=", "slots=best", "qssa-warps=0", "wraps=3"] {
            assert!(layout_setting(wrong).is_err(), "{wrong}");
        }
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
