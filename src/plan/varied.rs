//! Flags that a search varies: which layouts heed each, and the values that are tried where nobody says.

use clap::ValueEnum;

use super::{Common, SlotMemory};
use kernels::{Form, Kernel};
use overlay::Codegen;

/// The flag of the layout; all others are fields of [`Tuning`](super::Tuning).
pub const LAYOUT: &str = "codegen";

/// Layouts that heed a flag.
#[derive(Clone, Copy, PartialEq)]
enum HeededBy {
    All,
    /// Those in which warps work together.
    SharedWork,
    DataParallel,
}

/// Values to try of one flag for a kernel in a layout; none where the flag keeps its default.
type Values = fn(Kernel, Codegen, &Common) -> Vec<String>;

/// Every flag of [`Tuning`](super::Tuning), in the order in which a search varies them: the last changes fastest.
const FLAGS: [(&str, HeededBy, Values); 16] = [
    ("warps", HeededBy::All, |_, codegen, _| match codegen {
        Codegen::Straight => texts([4, 8]),
        _ => texts([4, 8, 12, 16]),
    }),
    ("groups-per-cta", HeededBy::SharedWork, |_, codegen, _| match codegen {
        Codegen::Straight => texts([1, 2, 3]),
        _ => Vec::new(),
    }),
    ("ctas-per-sm", HeededBy::All, |_, _, _| texts([1, 2])),
    ("points-per-lane", HeededBy::All, |_, _, _| texts([1, 2])),
    ("slots", HeededBy::SharedWork, |kernel, _, common| match kernel.is_step() && !common.target.is_amd() {
        // Shared memory alone is what auto takes where it has room.
        true => texts([SlotMemory::Auto, SlotMemory::Global].map(|slots| name(&slots))),
        false => Vec::new(),
    }),
    ("constants", HeededBy::SharedWork, |_, codegen, _| match codegen {
        Codegen::Overlay => texts(["stripe", "constant-bank", "shared"]),
        _ => Vec::new(),
    }),
    ("form", HeededBy::All, |kernel, _, common| texts(Form::allowed(kernel, common.fit_tolerance))),
    ("matrix", HeededBy::SharedWork, |kernel, codegen, common| {
        let has_matrices = Form::allowed(kernel, common.fit_tolerance).iter().any(|form| form.has_matrices(kernel));
        let has_products = common.target.slots_per_matrix_product().is_some();
        match codegen {
            Codegen::Overlay | Codegen::Partial if has_matrices && has_products => texts(["dfma", "dmma"]),
            _ => Vec::new(),
        }
    }),
    ("occupancy", HeededBy::All, nothing),
    ("mapper", HeededBy::SharedWork, nothing),
    ("weights", HeededBy::SharedWork, nothing),
    ("placement", HeededBy::SharedWork, nothing),
    ("buffer", HeededBy::SharedWork, nothing),
    ("passes", HeededBy::SharedWork, nothing),
    ("prefetch", HeededBy::DataParallel, nothing),
    ("qssa-warps", HeededBy::SharedWork, nothing),
];

/// Layouts that a search tries on the target of a request.
pub fn layouts(common: &Common) -> Vec<Codegen> {
    let is_alone = common.target.is_cpu() || common.precision != kernels::Precision::Double;
    if is_alone { vec![Codegen::DataParallel] } else { Codegen::value_variants().to_vec() }
}

/// Flags and the values that are tried of them where nobody says, of a kernel in a layout. A CPU has forms alone.
pub fn usual(kernel: Kernel, codegen: Codegen, common: &Common) -> Vec<(&'static str, Vec<String>)> {
    let is_meant = |flag: &str| !common.target.is_cpu() || flag == "form";
    let heeded = FLAGS.iter().filter(|(flag, ..)| is_meant(flag) && is_heeded(flag, codegen));
    let valued = heeded.map(|(flag, _, values)| (*flag, values(kernel, codegen, common)));
    valued.filter(|(_, values)| !values.is_empty()).collect()
}

/// Whether code in a layout depends on a flag. A flag that is none of these is heeded.
pub fn is_heeded(flag: &str, codegen: Codegen) -> bool {
    let by = FLAGS.iter().find(|(known, ..)| *known == flag).map_or(HeededBy::All, |(_, by, _)| *by);
    match by {
        HeededBy::All => true,
        HeededBy::SharedWork => codegen != Codegen::DataParallel,
        HeededBy::DataParallel => codegen == Codegen::DataParallel,
    }
}

fn nothing(_: Kernel, _: Codegen, _: &Common) -> Vec<String> {
    Vec::new()
}

fn texts<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |known| known.get_name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Tuning, names, set};
    use machine::target::Target;
    use toml::{Table, Value};

    #[test]
    fn every_flag_of_the_tuning_has_its_row() {
        let mut known: Vec<String> = FLAGS.iter().map(|(flag, ..)| (*flag).to_owned()).collect();
        let mut fields = names::<Tuning>();
        known.sort();
        fields.sort();
        assert_eq!(known, fields);
    }

    #[test]
    fn every_layout_is_tried_with_values_that_its_flags_can_have() {
        let common = Common { target: Target::by_name("hopper").unwrap(), ..Common::default() };
        assert_eq!(layouts(&common), Codegen::value_variants());
        for (&kernel, codegen) in
            Kernel::value_variants().iter().flat_map(|k| layouts(&common).into_iter().map(move |c| (k, c)))
        {
            let all = usual(kernel, codegen, &common);
            assert_eq!(
                all.iter().any(|(flag, _)| *flag == "slots"),
                kernel.is_step() && codegen != Codegen::DataParallel
            );
            for (flag, value) in all.iter().flat_map(|(flag, values)| values.iter().map(move |value| (*flag, value))) {
                let value = value.parse().map_or_else(|_| Value::String(value.clone()), Value::Integer);
                let settings = Table::from_iter([(flag.to_owned(), value)]);
                assert!(set(&Tuning::default(), &settings).is_ok(), "{settings:?}");
            }
        }
        let cpu = Common { target: Target::cpu(), ..common };
        assert_eq!(layouts(&cpu), [Codegen::DataParallel]);
        assert_eq!(usual(Kernel::Chemistry, Codegen::DataParallel, &cpu).len(), 1);
    }
}
