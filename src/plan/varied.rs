//! Flags that a search varies, as the table of what goes with what has them.

use clap::ValueEnum;

use super::Common;
use super::conditions::Asked;
use super::goes_with::FLAGS;
use kernels::Kernel;
use overlay::Codegen;

/// The flag of the layout; all others are fields of [`Tuning`](super::Tuning).
pub const LAYOUT: &str = "codegen";

/// Layouts that a search tries on the target of a request.
pub fn layouts(common: &Common) -> Vec<Codegen> {
    let is_there = |codegen: &Codegen| Asked::candidate(None, *codegen, common).check(None).is_ok();
    Codegen::value_variants().iter().copied().filter(is_there).collect()
}

/// Flags and the values that are tried of them where nobody says, of a kernel in a layout.
pub fn usual(kernel: Kernel, codegen: Codegen, common: &Common) -> Vec<(&'static str, Vec<String>)> {
    let asked = Asked::candidate(Some(kernel), codegen, common);
    let heeded = FLAGS.iter().filter(|row| asked.heeds(row.asked[0]));
    let valued = heeded.map(|row| (row.asked[0], (row.tries)(kernel, codegen, common)));
    valued.filter(|(_, values)| !values.is_empty()).collect()
}

/// Whether a kernel in a layout depends on a flag.
pub fn is_heeded(flag: &str, kernel: Kernel, codegen: Codegen, common: &Common) -> bool {
    Asked::candidate(Some(kernel), codegen, common).heeds(flag)
}

/// Whether some kernel in some layout of a target depends on a flag.
pub fn is_heeded_on_target(flag: &str, common: &Common) -> bool {
    let is_any = |kernel: &Kernel| layouts(common).into_iter().any(|codegen| is_heeded(flag, *kernel, codegen, common));
    Kernel::value_variants().iter().any(is_any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Tuning, set};
    use machine::target::Target;
    use toml::{Table, Value};

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
