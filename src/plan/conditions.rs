//! Rows of the table, held against a request or a candidate.

use clap::ValueEnum;
use toml::{Table, Value};

use super::goes_with::{FLAGS, Flag, Group, Need, REFUSALS, Refusal};
use super::settings::is_layout_key;
use super::{Common, Emit, KernelChoice, Request};
use diagnostics::Diagnostic;
use kernels::Kernel;
use overlay::Codegen;

/// A request, as the conditions of the table see it.
pub struct Asked<'a> {
    common: &'a Common,
    kernels: Vec<KernelChoice>,
    /// Layouts of which one is taken, for each list that is named.
    named: Vec<Vec<Codegen>>,
    /// All layouts that may be taken.
    layouts: Vec<Codegen>,
    emit: &'a [Emit],
    flags: &'a [String],
    /// Keys and values of the settings, those of kernels of their own among them.
    settings: Vec<Table>,
    has_open_layout: bool,
    is_verified: bool,
    is_measured: bool,
}

impl<'a> Asked<'a> {
    pub fn of_request(request: &'a Request) -> Self {
        let named = request.codegens().filter(|_| !request.keep_fastest).map(|codegen| vec![codegen]);
        let own = request.own_layouts.iter().map(|(_, layouts)| layouts.clone());
        let tunings = std::iter::once(&request.tuning).chain(request.own.iter().map(|(_, tuning)| tuning));
        let table = "the fields are numbers and texts";
        Self {
            common: &request.common,
            kernels: request.choices(),
            named: named.chain(own.clone()).collect(),
            layouts: request.codegens().chain(own.flatten()).collect(),
            emit: &request.emit,
            flags: &request.flags,
            settings: std::iter::once(Table::try_from(request.common).expect(table))
                .chain(tunings.map(|tuning| Table::try_from(tuning).expect(table)))
                .collect(),
            has_open_layout: request.keep_fastest || request.searches_its_layout() || !request.own_layouts.is_empty(),
            is_verified: request.verify.is_some(),
            is_measured: request.measure,
        }
    }

    /// One kernel, or none, in one layout.
    pub fn candidate(kernel: Option<Kernel>, codegen: Codegen, common: &'a Common) -> Self {
        Self {
            common,
            kernels: kernel.map(KernelChoice::Kernel).into_iter().collect(),
            named: vec![vec![codegen]],
            layouts: vec![codegen],
            emit: &[],
            flags: &[],
            settings: vec![Table::try_from(common).expect("the fields are numbers and texts")],
            has_open_layout: true,
            is_verified: true,
            is_measured: false,
        }
    }

    /// Errors: what does not go together; of rows with one id alone where `only` names it.
    pub fn check(&self, only: Option<&str>) -> Result<(), Diagnostic> {
        let mut rows = REFUSALS.iter().filter(|row| only.is_none_or(|id| row.id == id));
        rows.try_for_each(|row| self.check_row(row))
    }

    fn check_row(&self, row: &Refusal) -> Result<(), Diagnostic> {
        let asked: Option<Vec<String>> = row.asked.iter().map(|condition| self.matched(condition)).collect();
        let unmet = || row.needs.iter().find(|need| !self.meets(need));
        let Some((asked, need)) = asked.and_then(|asked| Some((asked.join(" with "), unmet()?))) else { return Ok(()) };
        let message = format!("{asked} does not go with {}: {}", self.given(need), row.why);
        let help = match need {
            Need::NoEmit(_) => format!("leave out {} or {asked}", self.given(need)),
            _ => format!("use {}, or leave out {asked}", members(need)),
        };
        Err(Diagnostic::error(row.id, message).help(help))
    }

    /// Lists the flags that were given and change nothing, as far as the request alone tells.
    pub fn without_effect(&self) -> Vec<String> {
        let row = |row: &Flag| {
            let asked: Option<Vec<String>> = row.asked.iter().map(|condition| self.matched(condition)).collect();
            let need = row.needs.iter().find(|need| !self.meets(need))?;
            Some(format!("{} has no effect with {}: it concerns {}", asked?[0], self.given(need), members(need)))
        };
        FLAGS.iter().filter_map(row).collect()
    }

    /// Whether a flag may have an effect.
    pub fn heeds(&self, flag: &str) -> bool {
        let row = FLAGS.iter().find(|row| row.asked == [flag]);
        row.is_none_or(|row| row.needs.iter().all(|need| self.meets(need)))
    }

    /// The flag as one writes it, where the condition holds: `flag` was given, `flag=value|value` or `flag>number` is asked for.
    fn matched(&self, condition: &str) -> Option<String> {
        if let Some((key, least)) = condition.split_once('>') {
            let is_more = |word: &String| word.parse::<f64>().is_ok_and(|n| n > least.parse().unwrap_or(f64::MAX));
            return self.words(key).into_iter().find(is_more).map(|word| written(key, &word));
        }
        let Some((key, values)) = condition.split_once('=') else {
            return self.flags.iter().any(|flag| flag == condition).then(|| written(condition, ""));
        };
        let words = self.words(key);
        let value = values.split('|').find(|value| words.iter().any(|word| word == value))?;
        Some(written(key, if key == "target" { &self.common.target.name } else { value }))
    }

    /// Values of a flag.
    fn words(&self, key: &str) -> Vec<String> {
        let target = self.common.target;
        match key {
            "target" if target.is_amd() => vec!["amd".into()],
            "target" => vec![target.name.clone()],
            "kernel" => names(&self.kernels),
            "emit" => names(self.emit),
            "verify" => {
                if self.is_measured {
                    vec!["measure".into()]
                } else {
                    Vec::new()
                }
            }
            _ => {
                let texts = self.settings.iter().filter_map(|table| table.get(key)).map(|value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                texts.flat_map(|text| text.split(',').map(str::to_owned).collect::<Vec<_>>()).collect()
            }
        }
    }

    fn meets(&self, need: &Need) -> bool {
        match need {
            Need::Targets(group) => (group.has)(self.common.target),
            Need::Kernels(group) => self.kernels.iter().any(|&wanted| (group.has)(wanted)),
            Need::EveryKernel(group) => self.outside(group).is_none(),
            Need::Precisions(list) => list.contains(&self.common.precision.kernels),
            Need::Layouts(group) => self.layouts.iter().any(|&codegen| (group.has)(codegen)),
            Need::EveryLayout(group) => {
                self.named.iter().all(|named| named.iter().any(|&codegen| (group.has)(codegen)))
            }
            Need::OpenLayout => self.has_open_layout,
            Need::Emits(list) => list.iter().any(|emit| self.emit.contains(emit)),
            Need::NoEmit(list) => !list.iter().any(|emit| self.emit.contains(emit)),
            Need::States(list) => list.contains(&self.common.state),
            Need::UnitsOf(units) => self.common.units == *units,
            // Each of several kernels has one of the values, or the default.
            Need::Value(condition) => {
                let (key, values) = condition.split_once('=').unwrap_or((condition, ""));
                let words = self.words(key);
                let is_meant = |word: &String| values.split('|').any(|value| value == word);
                if key == "error" { words.iter().any(is_meant) } else { words.iter().all(is_meant) }
            }
            Need::Verified => self.is_verified,
        }
    }

    /// A kernel that does not belong to a group.
    fn outside(&self, group: &Group<KernelChoice>) -> Option<KernelChoice> {
        self.kernels.iter().copied().find(|&wanted| wanted != KernelChoice::Reactor && !(group.has)(wanted))
    }

    /// The obstacle to a need.
    fn given(&self, need: &Need) -> String {
        match need {
            Need::Targets(_) => written("target", &self.common.target.name),
            Need::Kernels(_) => "these kernels".into(),
            Need::EveryKernel(group) => {
                written("kernel", &self.outside(group).map_or(String::new(), |wanted| name(&wanted)))
            }
            Need::Precisions(_) => written("precision", &name(&self.common.precision.kernels)),
            Need::Layouts(_) | Need::EveryLayout(_) => {
                let named: Vec<&str> = self.layouts.iter().map(|codegen| codegen.name()).collect();
                written("codegen", &named.join(","))
            }
            Need::OpenLayout => "layouts that are given".into(),
            Need::Emits(_) => "these files".into(),
            Need::NoEmit(list) => {
                let found = list.iter().find(|emit| self.emit.contains(emit));
                written("emit", &found.map_or(String::new(), name))
            }
            Need::States(_) => written("state", &name(&self.common.state)),
            Need::UnitsOf(_) => written("units", &name(&self.common.units)),
            Need::Value(condition) => {
                let key = condition.split('=').next().unwrap_or_default();
                written(key, &self.words(key).join(","))
            }
            Need::Verified => "--verify off".into(),
        }
    }
}

/// Flags and values that meet a need.
pub fn members(need: &Need) -> String {
    match need {
        Need::Targets(group) => written("target", group.name),
        Need::Kernels(group) | Need::EveryKernel(group) => written("kernel", group.name),
        Need::Precisions(list) => written("precision", &either(&names(list))),
        Need::Layouts(group) | Need::EveryLayout(group) => written("codegen", group.name),
        Need::OpenLayout => "--codegen auto, or all effort for one layout".into(),
        Need::Emits(list) => written("emit", &either(&names(list))),
        Need::NoEmit(list) => format!("no {}", written("emit", &either(&names(list)))),
        Need::States(list) => written("state", &either(&names(list))),
        Need::UnitsOf(units) => written("units", &name(units)),
        Need::Value(condition) => {
            let (key, values) = condition.split_once('=').unwrap_or((condition, ""));
            written(key, &values.replace('|', " or "))
        }
        Need::Verified => "states to --verify".into(),
    }
}

/// A flag and its value, as one writes them.
fn written(key: &str, value: &str) -> String {
    match (is_layout_key(key), value) {
        (true, "") => format!("--layout {key}"),
        (true, value) => format!("--layout {key}={value}"),
        (false, "") => format!("--{}", key.replacen('=', " ", 1)),
        (false, value) => format!("--{key} {value}"),
    }
}

fn either(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

fn names<T: ValueEnum>(values: &[T]) -> Vec<String> {
    values.iter().map(name).collect()
}

/// A value as one writes it behind its flag.
pub fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |known| known.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::number_or_text;
    use crate::plan::{VERIFIED_STATES, common_keys, tuning_keys};
    use machine::target::Target;

    /// A key or a value that nothing has would never match.
    #[test]
    fn rows_name_flags_and_values_that_there_are() {
        let needs = FLAGS.iter().flat_map(|row| row.needs).chain(REFUSALS.iter().flat_map(|row| row.needs));
        let valued = needs.filter_map(|need| if let Need::Value(condition) = need { Some(*condition) } else { None });
        let asked = FLAGS.iter().flat_map(|row| row.asked).chain(REFUSALS.iter().flat_map(|row| row.asked)).copied();
        let known = [common_keys(), tuning_keys()].concat();
        for condition in valued.chain(asked) {
            let (key, values) = condition.split_once(['=', '>']).unwrap_or((condition, ""));
            let is_field = known.iter().any(|name| name == key);
            assert!(is_field || ["kernel", "emit", "effort", "lewis-numbers", "verify"].contains(&key), "{condition}");
            for value in values.split('|').filter(|value| !value.is_empty() && is_field && *value != "amd") {
                let setting = Table::from_iter([(key.to_owned(), number_or_text(value))]);
                let is_common = crate::plan::set(&Common::default(), &setting).is_ok();
                assert!(
                    is_common || crate::plan::set(&crate::plan::Tuning::default(), &setting).is_ok(),
                    "{condition}"
                );
            }
            for value in values.split('|').filter(|_| ["kernel", "emit"].contains(&key)) {
                assert!(
                    KernelChoice::from_str(value, false).is_ok() || Emit::from_str(value, false).is_ok(),
                    "{condition}"
                );
            }
        }
    }

    #[test]
    fn a_cpu_heeds_forms_alone_and_says_so() {
        let flags = tuning_keys();
        let request = Request { flags, verify: Some(VERIFIED_STATES), ..Request::default() }.with(|request| {
            request.common.target = Target::cpu();
            request.codegen = Codegen::DataParallel;
        });
        let told = request.without_effect();
        assert_eq!(told.len(), tuning_keys().len() - 1, "all but the form: {told:?}");
        for flag in ["constants", "matrix", "qssa-warps"] {
            let told =
                told.iter().any(|text| text.starts_with(&format!("--layout {flag} has no effect with --target cpu")));
            assert!(told, "{flag}");
        }
    }
}
