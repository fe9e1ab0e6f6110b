//! Values that have a text of their own: the same behind a flag, in a configuration and in JSON.

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

use super::{CtasPerSm, ErrorLimit, Multiplier, POINTS_PER_LANE, Precisions};
use clap::ValueEnum;
use kernels::{Form, Outputs};
use kinetics::Stiffness;
use machine::target::Target;
use overlay::Residence;

/// A module for `#[serde(with)]` and, as its `parse`, for clap: a value from a text, and the text of a value.
macro_rules! text {
    ($module:ident, $type:ty, $parse:expr, $print:expr) => {
        pub mod $module {
            use super::*;

            pub fn parse(text: &str) -> Result<$type, String> {
                $parse(text)
            }

            pub fn serialize<S: Serializer>(value: &$type, serializer: S) -> Result<S::Ok, S::Error> {
                print(serializer, $print(value))
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                parse(&deserializer.deserialize_any(Word)?).map_err(D::Error::custom)
            }
        }
    };
}

text!(count, u32, up_to_32, u32::to_string);
text!(some_count, Option<u32>, some_up_to_32, optional);
text!(points_per_lane, Option<u32>, points, points_text);
text!(constants, Option<Residence>, auto_or, name_or_auto);
text!(form, Option<Form>, auto_or, name_or_auto);
text!(matrix, Option<Multiplier>, auto_or, name_or_auto);
text!(target, &'static Target, target_of, target_name);
text!(stiffness, Stiffness, str::parse, stiffness_name);
text!(outputs, Outputs, Outputs::parse, outputs_text);
text!(precisions, Precisions, str::parse, Precisions::to_string);
text!(error, ErrorLimit, str::parse, ErrorLimit::to_string);
text!(ctas_per_sm, CtasPerSm, str::parse, CtasPerSm::to_string);

fn up_to_32(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=32).contains(number));
    number.ok_or_else(|| "give a number from 1 to 32".into())
}

fn some_up_to_32(text: &str) -> Result<Option<u32>, String> {
    up_to_32(text).map(Some)
}

/// Fields that are `None` are left out.
fn optional(value: &Option<u32>) -> String {
    value.map_or(String::new(), |number| number.to_string())
}

fn points(text: &str) -> Result<Option<u32>, String> {
    match text.parse() {
        _ if text == "auto" => Ok(None),
        Ok(points) if POINTS_PER_LANE.contains(&points) => Ok(Some(points)),
        _ => Err("give 1, 2, 4 or auto".into()),
    }
}

fn points_text(value: &Option<u32>) -> String {
    value.map_or("auto".into(), |number| number.to_string())
}

fn auto_or<T: ValueEnum>(text: &str) -> Result<Option<T>, String> {
    if text == "auto" {
        return Ok(None);
    }
    let names = T::value_variants().iter().filter_map(T::to_possible_value);
    let known = || names.map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ");
    T::from_str(text, false).map(Some).map_err(|_| format!("known: auto, {}", known()))
}

fn name_or_auto<T: ValueEnum>(value: &Option<T>) -> String {
    let name = value.as_ref().and_then(T::to_possible_value);
    name.map_or("auto".into(), |name| name.get_name().to_owned())
}

fn target_of(text: &str) -> Result<&'static Target, String> {
    if text == Target::cpu().name {
        return Ok(Target::cpu());
    }
    Target::by_name(text).map_err(|unknown| format!("{unknown}, {}", Target::cpu().name))
}

fn target_name(value: &&'static Target) -> String {
    value.name.clone()
}

fn outputs_text(value: &Outputs) -> String {
    value.text()
}

fn stiffness_name(value: &Stiffness) -> String {
    value.name().to_owned()
}

/// A text that is a number becomes one.
fn print<S: Serializer>(serializer: S, text: String) -> Result<S::Ok, S::Error> {
    match (text.parse(), text.parse()) {
        (Ok(integer), _) => serializer.serialize_i64(integer),
        (_, Ok(real)) => serializer.serialize_f64(real),
        _ => serializer.serialize_str(&text),
    }
}

/// Reads a number or a text as the text that one writes behind a flag.
struct Word;

impl Visitor<'_> for Word {
    type Value = String;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a number or a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }
}
