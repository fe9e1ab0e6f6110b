//! Names of the twins of functions, and their entrance masks.

use ptx::inst::Type;
use ptx::ir::{Func, ParamData};
use std::collections::BTreeMap;

/// The names of twins, by the names of their functions.
pub type Twins = BTreeMap<String, String>;

/// Returns the parameter of the entrance mask, under a name that no other parameter of the function has.
pub fn entrance(func: &Func) -> ParamData {
    let mut name = format!("{}_entrance", func.name);
    while func.params.values().any(|param| param.name == name) {
        name.push('_');
    }
    ParamData::input(name, Type::B32)
}
