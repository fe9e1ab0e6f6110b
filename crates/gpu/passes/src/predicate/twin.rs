//! What a twin of a function is called, and its entrance mask.

use ptx::inst::Type;
use ptx::ir::{Func, ParamData};
use std::collections::BTreeMap;

/// The names of twins, by the names of their functions.
pub type Twins = BTreeMap<String, String>;

/// What the entrance mask is called among a function's parameters.
pub fn entrance(func: &Func) -> ParamData {
    let mut name = format!("{}_entrance", func.name);
    while func.params.values().any(|param| param.name == name) {
        name.push('_');
    }
    ParamData::input(name, Type::B32)
}
