//! `--config FILE`: values of flags in a TOML file.
//!
//! ```toml
//! kernel = ["chemistry"]  # the kernels
//! target = "hopper"       # flags of the whole compilation
//! warps = 8               # flags of each kernel, for all kernels
//!
//! [chemistry]             # the same for one kernel
//! codegen = "overlay"     # of several versions of a layout the fastest is kept
//! warps = 16
//! form = "log-space"
//! ```

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::args::values::Layout;
use crate::plan::varied::LAYOUT;
use crate::plan::{self, Common, KernelChoice, Request, Tuning, Unset};
use clap::ValueEnum;
use command::Failure;
use diagnostics::{Diagnostic, Source, Span};
use kernels::Kernel;
use mechanism::{self, Input};
use overlay::Codegen;

/// The request with what the file adds to it, and the tuning of each kernel that has a table in the file. Flags that were `given`
/// keep their values; `with_kernels` tells what asking for some kernels and reactors changes besides.
///
/// Errors: the file cannot be read, is no TOML, or has keys or values that are no flags; all of them at once.
pub fn complete(
    request: Request,
    path: &Path,
    given: impl Fn(&str) -> bool,
    with_kernels: impl FnOnce(Request, &[KernelChoice]) -> Request,
) -> Result<Request, Failure> {
    let name = path.display().to_string();
    let bytes = diagnostics::read_file(path).map_err(|error| {
        let message = format!("cannot read {name}: {error}");
        Failure::input([Diagnostic::error("config::unreadable", message).help("check the path behind --config")])
    })?;
    let source = mechanism::decode(&name, &bytes);
    let mut file = read(&source).map_err(Failure::input)?;
    let tables = [&mut file.common, &mut file.tuning].into_iter().chain(file.own.iter_mut().map(|(_, table)| table));
    tables.for_each(|table| table.retain(|key, _| !given(key)));
    let accepted = "each value was accepted alone";
    let layouts = |table: &mut Table| layout(&table.remove(LAYOUT)?).ok();
    let request =
        if file.kernels.is_empty() || given(KERNELS) { request } else { with_kernels(request, &file.kernels) };
    let request = match layouts(&mut file.tuning) {
        Some(layouts) => request.with_fastest_of(&layouts),
        None => request,
    };
    let own_layouts = file.own.iter_mut().filter_map(|(kernel, table)| Some((*kernel, layouts(table)?))).collect();
    let tuning = plan::set(&request.tuning, &file.tuning).expect(accepted);
    let own = |(kernel, table): &(Kernel, Table)| (*kernel, plan::set(&tuning, table).expect(accepted));
    let is_named =
        |key: &str| file.tuning.contains_key(key) || file.own.iter().any(|(_, table)| table.contains_key(key));
    let Unset { warps, matrix, layout } = request.unset;
    let unset = Unset { warps: warps && !is_named("warps"), matrix: matrix && !is_named("matrix"), layout };
    Ok(Request {
        unset,
        common: plan::set(&request.common, &file.common).expect(accepted),
        own: file.own.iter().map(own).collect(),
        own_layouts,
        tuning,
        config: Some(Input::new(name, &bytes)),
        ..request
    })
}

/// The key of the kernels, which is that of the flag.
const KERNELS: &str = "kernel";

/// Settings of a file, for all kernels and for each.
#[derive(Default)]
struct Settings {
    kernels: Vec<KernelChoice>,
    common: Table,
    tuning: Table,
    own: Vec<(Kernel, Table)>,
}

fn read(source: &Arc<Source>) -> Result<Settings, Vec<Diagnostic>> {
    let span = |range: Range<usize>| Span { source: source.clone(), offset: range.start, len: range.len() };
    let table = DeTable::parse(&source.text).map_err(|error| {
        let diagnostic = Diagnostic::error("config::syntax", error.message().to_owned());
        let help = "write KEY = VALUE lines, where the keys are flags without the dashes or keys of --layout, and [KERNEL] above those of one kernel";
        vec![diagnostic.at(span(error.span().unwrap_or(0..0))).help(help)]
    })?;
    let (common, mut tuning) = (plan::common_keys(), plan::tuning_keys());
    tuning.push(LAYOUT.to_owned());
    let mut settings = Settings::default();
    let mut wrong = Vec::new();
    let mut insert = |into: &mut Table, key: &str, place: Range<usize>, value: &DeValue| {
        let checked = scalar(value).and_then(|value| {
            let alone = Table::from_iter([(key.to_owned(), value.clone())]);
            if key == LAYOUT {
                layout(&value)?;
            } else if common.iter().any(|name| name == key) {
                plan::set(&Common::default(), &alone)?;
            } else {
                plan::set(&Tuning::default(), &alone)?;
            }
            Ok(value)
        });
        match checked {
            Ok(value) => {
                into.insert(key.to_owned(), value);
            }
            Err(reason) => {
                let message = format!("not a value of {key}");
                wrong.push(Diagnostic::error("config::value", message).at(span(place)).help(reason));
            }
        }
    };
    let (mut unknown, mut kernels_wrong) = (Vec::new(), Vec::new());
    let mut no_flag = |key: &str, at: Range<usize>, known: &str| {
        let message = format!("{key} is no flag that a configuration can set here");
        unknown.push(Diagnostic::error("config::key", message).at(span(at)).help(format!("known: {known}")));
    };
    for (key, value) in table.get_ref().iter() {
        let (name, place) = (key.get_ref(), value.span());
        let kernel = Kernel::value_variants().iter().copied().find(|kernel| kernel.name() == name);
        match (kernel, value.get_ref()) {
            (Some(kernel), DeValue::Table(table)) => {
                let mut own = Table::new();
                for (key, value) in table.iter() {
                    if tuning.iter().any(|name| name == key.get_ref()) {
                        insert(&mut own, key.get_ref(), value.span(), value.get_ref());
                    } else {
                        no_flag(key.get_ref(), key.span(), &tuning.join(", "));
                    }
                }
                settings.own.push((kernel, own));
            }
            (_, value) if name == KERNELS => match kernels(value) {
                Ok(kernels) => settings.kernels = kernels,
                Err(reason) => kernels_wrong
                    .push(Diagnostic::error("config::value", "not a list of kernels").at(span(place)).help(reason)),
            },
            (_, value) if common.iter().any(|known| known == name) => insert(&mut settings.common, name, place, value),
            (_, value) if tuning.iter().any(|known| known == name) => insert(&mut settings.tuning, name, place, value),
            _ => no_flag(name, key.span(), &[&[KERNELS.to_owned()], &common[..], &tuning].concat().join(", ")),
        }
    }
    wrong.append(&mut unknown);
    wrong.append(&mut kernels_wrong);
    wrong.sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| span.offset));
    if wrong.is_empty() { Ok(settings) } else { Err(wrong) }
}

/// Kernels by their names, in a list or in a text with commas.
fn kernels(value: &DeValue) -> Result<Vec<KernelChoice>, String> {
    let names: Option<Vec<String>> = match value {
        DeValue::String(text) => Some(text.split(',').map(|name| name.trim().to_owned()).collect()),
        DeValue::Array(list) => list.iter().map(|name| Some(name.get_ref().as_str()?.to_owned())).collect(),
        _ => None,
    };
    let names = names.filter(|names| !names.is_empty());
    let all = names.ok_or("give a list of texts, such as [\"viscosity\", \"chemistry\"]")?;
    let of_name =
        |name: &String| KernelChoice::from_str(name, false).map_err(|_| format!("there is no kernel {name:?}"));
    all.iter().map(of_name).collect()
}

/// Returns the code generators that a layout stands for.
fn layout(value: &Value) -> Result<Vec<Codegen>, String> {
    let names = || Layout::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let known = || names().map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ");
    let found = value.as_str().and_then(|text| Layout::from_str(text, false).ok());
    found.map(Layout::codegens).ok_or_else(|| format!("give one of {}", known()))
}

/// A number or a text.
fn scalar(value: &DeValue) -> Result<Value, String> {
    let number = |text: String| text.parse().map(Value::Integer).or_else(|_| text.parse().map(Value::Float));
    match value {
        DeValue::String(text) => Ok(Value::String(text.to_string())),
        DeValue::Integer(integer) => number(integer.to_string()).map_err(|_| "give a smaller number".into()),
        DeValue::Float(float) => number(float.to_string()).map_err(|_| "give a number".into()),
        _ => Err("give a number or a text".into()),
    }
}
