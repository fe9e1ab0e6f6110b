//! Values that have a text of their own: the same behind a flag, in a configuration and in JSON.

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

use super::{Multiplier, POINTS_PER_LANE};
use clap::ValueEnum;
use kernels::{Form, Outputs};
use kinetics::Stiffness;
use machine::target::Target;
use mapping::Weights;
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
text!(some_number, Option<u32>, some_from_1, optional);
text!(points_per_lane, Option<u32>, points, points_text);
text!(constants, Option<Residence>, auto_or, name_or_auto);
text!(form, Option<Form>, auto_or, name_or_auto);
text!(matrix, Option<Multiplier>, auto_or, name_or_auto);
text!(weights, Weights, str::parse, Weights::to_string);
text!(target, &'static Target, target_of, target_name);
text!(stiffness, Stiffness, str::parse, stiffness_name);
text!(outputs, Outputs, Outputs::parse, outputs_text);
text!(floor, f64, mole_fraction, scientific);
text!(fit_tolerance, Option<f64>, tolerance, tolerance_text);
text!(error, Option<f64>, largest_error, largest_error_text);

fn up_to_32(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=32).contains(number));
    number.ok_or_else(|| "give a number from 1 to 32".into())
}

fn some_up_to_32(text: &str) -> Result<Option<u32>, String> {
    up_to_32(text).map(Some)
}

pub fn from_1(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "give a number from 1 on".into())
}

fn some_from_1(text: &str) -> Result<Option<u32>, String> {
    from_1(text).map(Some)
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

fn real(text: &str, range: std::ops::RangeInclusive<f64>, remedy: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if range.contains(&x) => Ok(x),
        _ => Err(remedy.to_owned()),
    }
}

fn mole_fraction(text: &str) -> Result<f64, String> {
    real(text, 1e-300..=1e-3, "give a mole fraction from 1e-300 to 1e-3")
}

fn scientific(value: &f64) -> String {
    format!("{value:e}")
}

fn tolerance(text: &str) -> Result<Option<f64>, String> {
    if text == "exact" {
        return Ok(None);
    }
    real(text, 1e-9..=1e-2, "give a relative error from 1e-9 to 1e-2, or exact").map(Some)
}

fn tolerance_text(value: &Option<f64>) -> String {
    value.as_ref().map_or("exact".into(), scientific)
}

fn largest_error(text: &str) -> Result<Option<f64>, String> {
    if text == "default" {
        return Ok(None);
    }
    real(text, 1e-9..=1e-1, "give a relative error from 1e-9 to 0.1, or default").map(Some)
}

fn largest_error_text(value: &Option<f64>) -> String {
    value.as_ref().map_or("default".into(), scientific)
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
